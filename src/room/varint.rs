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

/// Writes the same where there is room already. So nothing has to grow, which counts where a snapshot has tens of thousands of numbers.
pub(super) fn write<'b>(to: &mut impl Iterator<Item = &'b mut u8>, mut number: u64) {
    for to in to {
        if number < 0x80 {
            *to = number as u8;
            return;
        }
        *to = number as u8 | 0x80;
        number >>= 7;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back() {
        let edges = (0..u64::BITS).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        for number in edges.chain([u64::MAX]) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            let mut same = [0; 10];
            write(&mut same.iter_mut(), number);
            let long = (u64::BITS - number.leading_zeros()).div_ceil(7).max(1);
            assert_eq!(bytes, same[..long as usize], "{number}");
            let mut rest = &bytes[..];
            assert_eq!(take(&mut rest), Some(number));
            assert!(rest.is_empty(), "{number}");
        }
    }
}
