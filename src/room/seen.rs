//! The keys of one batch, to see which comes a second time.
//!
//! Keys are hashes, so the lowest bits of a key choose its place in a table of at least twice as many places. A key whose place is taken goes to the
//! next free one. Nothing is sorted and nothing balanced.

use facts::holder::Key;

/// The keys that were seen.
#[derive(Default)]
pub struct Seen {
    /// None, or as many as a power of two.
    places: Vec<Option<Key>>,
    count: usize,
}

impl Seen {
    /// Adds a key and returns true if it is the first such. O(1) amortised.
    pub fn insert(&mut self, key: Key) -> bool {
        if self.places.len() <= 2 * self.count {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let begin = key.0 as usize;
        for step in 0..self.places.len() {
            match self.places.get_mut(begin.wrapping_add(step) & mask) {
                Some(Some(seen)) if *seen == key => return false,
                Some(place @ None) => {
                    *place = Some(key);
                    self.count += 1;
                    return true;
                }
                _ => {}
            }
        }
        true
    }

    fn grow(&mut self) {
        let wanted = (4 * self.places.len()).max(16);
        let before = core::mem::replace(&mut self.places, vec![None; wanted]);
        self.count = 0;
        for key in before.into_iter().flatten() {
            self.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_a_plain_set() {
        let mut rng = fastrand::Rng::with_seed(8);
        // Keys as hashes are, and keys that nearly all want the same place.
        for few in [u64::MAX, 30 << 32] {
            let mut seen = Seen::default();
            let mut plain = BTreeSet::new();
            for _ in 0..3_000 {
                let key = match plain.first() {
                    Some(key) if rng.u8(0..4) == 0 => *key,
                    _ => Key(rng.u64(..) & few),
                };
                assert_eq!(seen.insert(key), plain.insert(key));
                assert_eq!(seen.count, plain.len());
                assert!(2 * seen.count <= seen.places.len() + 1);
                assert!(seen.places.len() <= 16.max(8 * seen.count));
            }
        }
    }
}
