//! Randomness and the wall clock: the shell reads both only here. A caller asks once and hands the value on.

/// Returns `N` random bytes from the platform's generator. Without them nobody could be told apart, so the caller gives up.
///
/// # Errors
/// If the platform has no generator.
pub fn random_bytes<const N: usize>() -> worker::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| worker::Error::RustError(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// Returns the wall clock, Unix ms. The platform lets it stand still while the code of one event runs; it moves on only with I/O.
pub fn now_ms() -> u64 {
    js_sys::Date::now() as u64
}

thread_local! {
    static NONCE: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// Returns another number each time, to tell things apart. Each isolate counts up from a random start, so
/// that two isolates are far apart. It is no secret.
///
/// # Errors
/// If the platform has no generator.
pub fn nonce() -> worker::Result<u64> {
    let next = match NONCE.get() {
        Some(last) => last.wrapping_add(1),
        None => u64::from_be_bytes(random_bytes()?),
    };
    NONCE.set(Some(next));
    Ok(next)
}
