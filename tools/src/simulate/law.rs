//! How a broken law is said.

use baton::room::laws::{Check, Violation};

/// A law that is broken, and what was seen.
///
/// # Errors
/// Always.
pub fn broken(law: &'static str, seen: impl FnOnce() -> String) -> Check {
    Err(Violation { law, seen: seen() })
}
