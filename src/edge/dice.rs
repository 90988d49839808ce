//! Randomness and the wall clock: the only home of both in the shell. Whoever needs one asks here, once, and hands
//! the value on.

/// `N` random bytes from the platform's generator. Without one nobody can be told apart, so the caller gives up.
///
/// # Errors
/// When the platform has no generator.
pub fn random_bytes<const N: usize>() -> worker::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| worker::Error::RustError(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// Unix ms. Stands still while the code of one event runs and only moves on with I/O, as the platform has it.
pub fn now_ms() -> u64 {
    js_sys::Date::now() as u64
}
