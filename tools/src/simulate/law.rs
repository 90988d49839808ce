//! How a broken law is said.

use baton::room::laws::{Check, Violation};

/// A law that is broken, and what was seen.
///
/// # Errors
/// Always.
pub fn broken(law: &'static str, seen: impl FnOnce() -> String) -> Check {
    Err(Violation { law, seen: seen() })
}

/// Requires that a law holds. `seen` is called only if it does not.
///
/// # Errors
/// Returns the broken law.
pub fn require(law: &'static str, holds: bool, seen: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { broken(law, seen) }
}
