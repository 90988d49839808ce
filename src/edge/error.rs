//! Errors of the shell's own.

/// Turns a text into an error.
pub fn error(what: &str) -> worker::Error {
    worker::Error::RustError(what.to_owned())
}
