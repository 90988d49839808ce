//! Writes and reads whole numbers in as few bytes as they need: seven bits a byte, the lowest first; the highest bit says that more follow. Frames
//! and stored changes are made of them.

/// Appends a number, in at most ten bytes.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front. Returns `None` if it is cut short or beyond 64 bits.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7F);
        let placed = bits << shift;
        number |= placed;
        if byte & 0x80 == 0 {
            return (placed >> shift == bits).then_some(number);
        }
    }
    None
}
