//! Writes the lines of the log (`facts::log`) to the console, each at its level.

use facts::log::Level;
pub use facts::log::{Code, Remark};

/// Writes one line.
pub fn say(line: &Remark) {
    let text = line.to_json();
    match line.level() {
        Level::Error => worker::console_error!("{text}"),
        Level::Warn => worker::console_warn!("{text}"),
        Level::Info => worker::console_log!("{text}"),
    }
}
