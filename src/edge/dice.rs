//! Randomness and the wall clock: the only home of both in the shell. A caller asks here once and hands the value
//! on.

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

thread_local! {
    static NONCE: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// Another number each time: counted up from a random beginning in each isolate, so that two isolates are far apart. For
/// telling apart, not for secrets.
///
/// # Errors
/// When the platform has no generator.
pub fn nonce() -> worker::Result<u64> {
    let next = match NONCE.get() {
        Some(last) => last.wrapping_add(1),
        None => u64::from_be_bytes(random_bytes()?),
    };
    NONCE.set(Some(next));
    Ok(next)
}
