//! A status poll by a shell in which WebAssembly never waits: every export is a synchronous function over text, and `main.js` does all the waiting. The
//! decisions are those of Baton's own cores; only the shell is another. What one message needs goes in one header.
//!
//! The front tells no measurements of the shop here, since it forwards nothing. Baton's own front looks for six kinds of them before each ask.

mod front;
mod lobby;
mod said;

/// Sets an isolate up.
///
/// # Errors
/// What is wrong with the configuration.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn configure(vars: &str, secret: &str) -> Result<(), String> {
    front::configure(vars, secret)?;
    lobby::configure(vars)
}
