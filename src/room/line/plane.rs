//! One bit for each of 4,096 consecutive numbers: counted, found by rank, and stored as 512 bytes.

use facts::limits::CHUNK;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Words of 64 bits in one chunk.
pub const WORDS: usize = CHUNK / 64;

/// One bit for each number of a chunk.
#[derive(Clone, PartialEq, Eq)]
pub struct Plane(Box<[u64; WORDS]>);

impl Plane {
    pub fn new() -> Self {
        Self(Box::new([0; WORDS]))
    }

    /// All bits, 64 numbers a word, the lowest first.
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// All bits, to be changed.
    pub const fn words_mut(&mut self) -> &mut [u64; WORDS] {
        &mut self.0
    }

    /// One of these words, or 0 if there is no such word.
    pub fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }

    pub fn get(&self, at: usize) -> bool {
        self.word(at / 64) >> (at % 64) & 1 == 1
    }

    pub fn set(&mut self, at: usize, value: bool) {
        if let Some(word) = self.0.get_mut(at / 64) {
            let bit = 1 << (at % 64);
            if value { *word |= bit } else { *word &= !bit }
        }
    }

    /// Clears these bits of a word.
    pub fn clear(&mut self, index: usize, bits: u64) {
        if let Some(word) = self.0.get_mut(index) {
            *word &= !bits;
        }
    }

    /// Sets `count` bits from `at` on. O(64).
    pub fn fill(&mut self, at: usize, count: usize) {
        let end = at + count;
        for (index, word) in self.0.iter_mut().enumerate() {
            let (low, high) = (index * 64, index * 64 + 64);
            if high <= at || low >= end {
                continue;
            }
            let from = at.max(low) - low;
            let to = end.min(high) - low;
            let upper = if to == 64 { u64::MAX } else { (1 << to) - 1 };
            *word |= upper & !((1_u64 << from) - 1);
        }
    }

    pub fn count_before(&self, at: usize) -> u64 {
        let whole: u32 = self.0.iter().take(at / 64).map(|word| word.count_ones()).sum();
        let rest = self.word(at / 64) & ((1_u64 << (at % 64)) - 1);
        u64::from(whole + rest.count_ones())
    }

    /// Returns the first set bit from `at` on. O(words until there).
    pub fn first_from(&self, at: usize) -> Option<usize> {
        let from = at / 64;
        let own = self.word(from) & (u64::MAX << (at % 64));
        if own != 0 {
            return Some(from * 64 + own.trailing_zeros() as usize);
        }
        let behind = self.0.iter().enumerate().skip(from + 1);
        let mut behind = behind.filter(|(_, word)| **word != 0);
        let (index, word) = behind.next()?;
        Some(index * 64 + word.trailing_zeros() as usize)
    }

    /// Returns the position of the set bit that has `rank` set bits before it, or `None` if there are not that many.
    pub fn find(&self, rank: u64) -> Option<usize> {
        let mut left = u32::try_from(rank).ok()?;
        for (index, word) in self.0.iter().enumerate() {
            // At the front of the line nearly everybody is gone.
            if *word == 0 {
                continue;
            }
            let ones = word.count_ones();
            if left < ones {
                return Some(index * 64 + nth_bit(*word, left));
            }
            left -= ones;
        }
        None
    }
}

/// A plane that also knows how many bits are set before each of its words, so that a rank is found without counting.
#[derive(Clone, Debug)]
pub struct Counted {
    bits: Plane,
    before: Box<[u16; WORDS]>,
}

impl Counted {
    /// The bytes that one takes.
    pub const BYTES: usize = CHUNK / 8 + WORDS * size_of::<u16>();

    pub fn new(bits: Plane) -> Self {
        let mut counted = Self {
            bits,
            before: Box::new([0; WORDS]),
        };
        counted.count();
        counted
    }

    /// O(64).
    fn count(&mut self) {
        let mut sum = 0;
        for (before, word) in self.before.iter_mut().zip(self.bits.words()) {
            *before = sum;
            sum += word.count_ones() as u16;
        }
    }

    pub fn get(&self, at: usize) -> bool {
        self.bits.get(at)
    }

    pub fn word(&self, index: usize) -> u64 {
        self.bits.word(index)
    }

    /// Sets one bit. O(64).
    pub fn set(&mut self, at: usize) {
        self.fill(at, 1);
    }

    /// Sets `count` bits from `at` on. O(64).
    pub fn fill(&mut self, at: usize, count: usize) {
        self.bits.fill(at, count);
        self.count();
    }

    /// Returns the position of the set bit that has `rank` set bits before it. O(64).
    pub fn nth(&self, rank: usize) -> Option<usize> {
        self.bits.find(rank as u64)
    }

    /// Returns how many bits are set before this one. O(1).
    pub fn rank(&self, at: usize) -> usize {
        let before = self.before.get(at / 64).copied().unwrap_or(0);
        let within = self.bits.word(at / 64) & ((1_u64 << (at % 64)) - 1);
        usize::from(before) + within.count_ones() as usize
    }
}

/// Returns the positions of the set bits of a word, the lowest first.
pub fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// Returns the position of the set bit that has `rank` set bits before it. The word must have one.
fn nth_bit(mut word: u64, rank: u32) -> usize {
    for _ in 0..rank {
        word &= word.wrapping_sub(1);
    }
    word.trailing_zeros() as usize
}

/// Iterates over the offsets of `kept` that are `alive`, word by word and in order, each with its rank among all that are kept.
pub struct Ranked<'a, F> {
    kept: F,
    alive: &'a Plane,
    /// The index of the current word, its kept bits, and those of them that are still to come.
    index: usize,
    word: u64,
    left: u64,
    /// How many offsets the words before it keep.
    before: usize,
}

impl<'a, F: Fn(usize) -> u64> Ranked<'a, F> {
    pub fn new(kept: F, alive: &'a Plane) -> Self {
        let word = kept(0);
        Self {
            kept,
            alive,
            index: 0,
            word,
            left: word & alive.word(0),
            before: 0,
        }
    }
}

/// O(64 + those) for the whole iteration.
impl<F: Fn(usize) -> u64> Iterator for Ranked<'_, F> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        while self.left == 0 {
            self.before += self.word.count_ones() as usize;
            self.index += 1;
            if self.index >= WORDS {
                return None;
            }
            self.word = (self.kept)(self.index);
            self.left = self.word & self.alive.word(self.index);
        }
        let bit = self.left.trailing_zeros();
        self.left &= self.left - 1;
        let in_front = self.word & ((1_u64 << bit) - 1);
        let rank = self.before + in_front.count_ones() as usize;
        Some((self.index * 64 + bit as usize, rank))
    }
}

impl core::fmt::Debug for Plane {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Plane({} set)", self.count_before(CHUNK))
    }
}

impl Serialize for Plane {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = [0; WORDS * 8];
        for (eight, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.0.iter()) {
            *eight = word.to_le_bytes();
        }
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Plane {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        if bytes.len() != WORDS * 8 {
            return Err(D::Error::invalid_length(bytes.len(), &"512 bytes"));
        }
        let mut plane = Self::new();
        for (word, eight) in plane.0.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*eight);
        }
        Ok(plane)
    }
}
