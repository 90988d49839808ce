//! Finds the number that a key may hold.
//!
//! The high bits of a key choose a bucket: a small unsorted vector of hints, six bytes each, which hold the next twelve bits and the number. The
//! index is *lazy*: nothing is taken out when a ticket ends. A hit counts only if the line says that the number lives and that this key holds it, and
//! a bucket drops hints that no longer count before it grows. So the end of a ticket costs nothing here, and the index is rebuilt as a whole only
//! twice, while the line is short. It follows from the line and the permits, so it is part of no snapshot and no comparison. A room that comes into
//! memory builds it while it answers (`unindexed.rs`).

use facts::holder::Key;
use facts::units::{LaneId, Number};

/// The number of buckets as powers of two: at first, and past each of [`GROW_AT`]. At the last size a bucket has some 15 of a million hints, and the
/// buckets take 1.5 MB by themselves.
const BITS: [u32; 3] = [6, 11, 16];
/// The numbers of hints past which the next of [`BITS`] is taken. Rebuilding 8,192 hints takes some tenths of a millisecond.
const GROW_AT: [usize; 2] = [512, 8_192];
/// A number and twelve more bits of its key. From the highest bit on: the twelve bits, three of the lane, one for an entry of the hall, and 32 of the
/// number within ([`NUMBERS_MAX`](facts::limits::NUMBERS_MAX)). In a bucket of 15, one lookup in 270 meets a second hint with the same twelve
/// bits, which costs one more look at the line.
#[derive(Clone, Copy, Debug)]
struct Hint([u16; 3]);

impl Hint {
    fn new(bits: u16, number: Number) -> Self {
        let within = number.within() as u32;
        let entry = u16::from(number.is_entry());
        let high = bits << 4 | u16::from(number.lane().0) << 1 | entry;
        Self([high, (within >> 16) as u16, within as u16])
    }

    const fn bits(self) -> u16 {
        self.0[0] >> 4
    }

    const fn number(self) -> Number {
        let [mark, high, low] = self.0;
        let within = (high as u64) << 16 | low as u64;
        let lane = LaneId((mark >> 1) as u8 & 0b111);
        if mark & 1 == 0 { lane.number(within) } else { lane.entry(within) }
    }
}

/// The index; see the file's documentation.
#[derive(Clone, Debug, Default)]
pub struct Index {
    buckets: Vec<Vec<Hint>>,
    entries: usize,
    /// The room that a bucket gets for its first hint.
    at_first: usize,
}

/// Any two are equal: what an index says follows from the line.
impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Index {}

impl Index {
    /// Makes an empty index that has its buckets for roughly this many hints. Each bucket gets room for a quarter more than its share.
    pub fn for_about(about: usize) -> Self {
        let buckets = buckets_for(about);
        Self {
            buckets: vec![Vec::new(); buckets],
            entries: 0,
            at_first: (5 * about).div_ceil(4 * buckets.max(1)).max(1),
        }
    }

    /// Adds a hint to an index that was made [`for_about`](Self::for_about) as many. O(1) amortised.
    pub fn enter(&mut self, key: Key, number: Number) {
        let (bucket, bits) = self.place(key);
        if let Some(hints) = self.buckets.get_mut(bucket) {
            if hints.len() == hints.capacity() {
                let more = if hints.is_empty() { self.at_first } else { (hints.len() / 2).max(1) };
                hints.reserve_exact(more);
            }
            hints.push(Hint::new(bits, number));
            self.entries += 1;
        }
    }

    /// Returns the number that a key holds; `holds` says whether it holds a given candidate. O(1) on average.
    pub fn find(&self, key: Key, holds: impl Fn(Number) -> bool) -> Option<Number> {
        let (bucket, bits) = self.place(key);
        let hints = self.buckets.get(bucket)?.iter().rev();
        let mut hints = hints.filter(|hint| hint.bits() == bits);
        hints.find(|hint| holds(hint.number())).map(|hint| hint.number())
    }

    /// Brings the hints of these keys near. One look after the other waits for memory each time; these all wait together. O(keys).
    pub fn approach(&self, keys: impl Iterator<Item = Key>) {
        let near = keys.fold(0, |near, key| {
            let hints = self.buckets.get(self.place(key).0);
            let ends = hints.map(|hints| [hints.first(), hints.last()]);
            let ends = ends.into_iter().flatten().flatten();
            ends.fold(near, |near, hint| near ^ hint.bits())
        });
        // Nobody needs the result, but the looks must not be left out.
        core::hint::black_box(near);
    }

    /// Records that a key holds a number. `living` is roughly how many numbers live, and `lives` says whether one does; `key_of` returns the key of a
    /// number that lives. O(1) amortised.
    pub fn insert(&mut self, key: Key, number: Number, living: u64, lives: impl Fn(Number) -> bool, key_of: impl Fn(Number) -> Option<Key>) {
        self.grow(&key_of);
        let is_dense = self.entries as u64 <= living + living / 4;
        let (bucket, bits) = self.place(key);
        let Some(hints) = self.buckets.get_mut(bucket) else {
            return;
        };
        if hints.len() == hints.capacity() && !hints.is_empty() {
            let before = hints.len();
            // Each check looks into another corner of the line, and is wasted while few tickets are over. Whether a number lives is one bit, and a line's
            // bits are near; its keys are not.
            if !is_dense {
                hints.retain(|hint| lives(hint.number()));
            }
            self.entries -= before - hints.len();
            // Grow by half. With doubling, spare room would be a third of the whole index.
            if hints.capacity() - hints.len() < before / 4 {
                hints.reserve_exact(before / 2 + 2);
            }
        }
        hints.push(Hint::new(bits, number));
        self.entries += 1;
    }

    /// The number of bytes that the index takes. O(buckets).
    #[must_use]
    pub fn bytes(&self) -> usize {
        let hints: usize = self.buckets.iter().map(Vec::capacity).sum();
        hints * size_of::<Hint>() + self.buckets.capacity() * size_of::<Vec<Hint>>()
    }

    /// Returns the bucket of a key and the twelve bits that its hint keeps.
    fn place(&self, key: Key) -> (usize, u16) {
        let bits = self.buckets.len().max(1).ilog2();
        let bucket = key.0.checked_shr(64 - bits).unwrap_or(0);
        let rest = key.0.checked_shl(bits).unwrap_or(0) >> 52;
        (usize::try_from(bucket).unwrap_or(0), rest as u16)
    }

    fn grow(&mut self, key_of: &impl Fn(Number) -> Option<Key>) {
        let wanted = buckets_for(self.entries);
        if self.buckets.len() >= wanted {
            return;
        }
        let before = core::mem::take(&mut self.buckets);
        self.buckets = vec![Vec::new(); wanted];
        self.entries = 0;
        for hint in before.into_iter().flatten() {
            let number = hint.number();
            if let Some(key) = key_of(number) {
                let (bucket, bits) = self.place(key);
                if let Some(hints) = self.buckets.get_mut(bucket) {
                    hints.push(Hint::new(bits, number));
                    self.entries += 1;
                }
            }
        }
    }
}

/// Returns the number of buckets for this many hints.
fn buckets_for(entries: usize) -> usize {
    let step = GROW_AT.iter().filter(|at| entries >= **at).count();
    BITS.get(step).map_or(0, |bits| 1_usize << bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Buckets grow by half, so for 2.3 million tickets the spare room is less than half of what is needed; with doubling it would be three quarters.
    /// Buckets fill evenly, so lookups stay short.
    #[test]
    fn spare_room_is_small() {
        let mut rng = fastrand::Rng::with_seed(6);
        let mut index = Index::default();
        index.insert(Key(rng.u64(..)), LaneId(0).number(0), 1, |_| false, |_| None);
        assert!(index.bytes() > index.buckets.capacity() * size_of::<Vec<Hint>>());
        let tickets = 2_300_000;
        for next in 1..=tickets {
            let key = Key(rng.u64(..));
            index.insert(key, LaneId(0).number(next), next, |_| false, |_| None);
        }
        let buckets = index.buckets.capacity() * size_of::<Vec<Hint>>();
        let needed = tickets as usize * size_of::<Hint>();
        let spare = index.bytes() - buckets - needed;
        assert!(spare < needed / 2);
        let longest = index.buckets.iter().map(Vec::len).max();
        assert!(longest < Some(100), "{longest:?}, where 35 are usual");
    }

    /// Compares with a plain map through every growth, with numbers that end and keys that come again.
    #[test]
    fn agrees_with_a_plain_map() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut index = Index::default();
        let mut numbers: BTreeMap<Key, Number> = BTreeMap::new();
        let mut keys: BTreeMap<Number, Key> = BTreeMap::new();
        let mut most = 0;
        for next in 1..60_000_u64 {
            let lane = LaneId(rng.u8(0..8));
            let number = if next % 5 == 0 { lane.entry(next) } else { lane.number(next) };
            let key = match rng.u8(0..4) {
                0 if !numbers.is_empty() => *numbers.keys().nth(rng.usize(0..numbers.len().min(50))).unwrap(),
                _ => Key(rng.u64(..)),
            };
            if numbers.contains_key(&key) {
                let old = numbers.remove(&key).unwrap();
                keys.remove(&old);
            }
            let living = keys.len() as u64;
            let lives = |number| keys.contains_key(&number);
            index.insert(key, number, living, lives, |number| keys.get(&number).copied());
            numbers.insert(key, number);
            keys.insert(number, key);
            let found = index.find(key, |number| keys.get(&number) == Some(&key));
            assert_eq!(found, Some(number));
            let stranger = Key(rng.u64(..));
            assert_eq!(
                index.find(stranger, |number| keys.get(&number) == Some(&stranger)),
                numbers.get(&stranger).copied()
            );
            most = most.max(index.buckets.len());
        }
        assert_eq!(most, 1 << 16);
        for (key, number) in &numbers {
            assert_eq!(index.find(*key, |number| keys.get(&number) == Some(key)), Some(*number));
        }
    }
}
