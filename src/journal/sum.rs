//! A checksum against accidents. WebAssembly has no instruction for a CRC, but multiplies words in one step.
//!
//! Four lanes take the words of the content in turn. Each step of a lane can be undone, and so can the steps that join the lanes. So a change within
//! one word of eight bytes always shows. Any other change stays unseen once in 2⁶⁴.

/// An odd number has an inverse modulo 2⁶⁴. This one is 2⁶⁴ divided by the golden ratio: its bits are spread evenly.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

const fn step(lane: u64, word: u64) -> u64 {
    (lane ^ word).wrapping_mul(ODD).rotate_left(29)
}

/// Returns the sum of these words and of this content. O(bytes).
pub(super) fn sum(head: impl IntoIterator<Item = u64>, content: &[u8]) -> u64 {
    let begin = head.into_iter().fold(content.len() as u64, step);
    // The lanes begin apart, so that words which change lanes show too.
    let mut lanes = [begin, step(begin, 1), step(begin, 2), step(begin, 3)];
    let (blocks, rest) = content.as_chunks::<32>();
    // The length is in the beginning, so zeros behind the rest say nothing else.
    let mut last = [0; 32];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    for block in blocks.iter().chain([&last]) {
        if let ([e, f, g, h], _) = block.as_chunks() {
            let [a, b, c, d] = lanes;
            let [e, f, g, h] = [e, f, g, h].map(|word| u64::from_le_bytes(*word));
            lanes = [step(a, e), step(b, f), step(c, g), step(d, h)];
        }
    }
    let [a, b, c, d] = lanes;
    step(step(step(a, b), c), d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &[u8]) -> u64 {
        sum([7, 8], content)
    }

    #[test]
    fn every_bit_counts_and_every_place() {
        let mut rng = fastrand::Rng::with_seed(4);
        for len in 0..200 {
            let content: Vec<u8> = (0..len).map(|_| rng.u8(..)).collect();
            let whole = of(&content);
            for at in 0..len {
                for bit in 0..8 {
                    let mut flipped = content.clone();
                    flipped[at] ^= 1 << bit;
                    assert_ne!(of(&flipped), whole, "{len} bytes, byte {at}, bit {bit}");
                }
                assert_ne!(of(&content[..at]), whole, "{len} bytes, cut to {at}");
            }
            assert_ne!(of(&[&content[..], &[0]].concat()), whole);
            assert_ne!(sum([7, 9], &content), whole);
            assert_ne!(sum([8, 7], &content), whole);
            for at in (8..len.saturating_sub(8)).step_by(8) {
                let mut swapped = content.clone();
                swapped[at - 8..at + 8].rotate_left(8);
                assert_ne!(of(&swapped), whole, "{len} bytes, words before {at}");
            }
        }
        assert_ne!(of(&[0; 64]), of(&[0; 32]));
    }
}
