//! The holders of a chunk's numbers: 12 bytes each. A chunk in which many numbers are over keeps only the holders of the others.
//!
//! The holder of a number hardly ever changes, so a snapshot does not repeat it: `pages.rs` writes it once.

use super::plane::{Counted, Plane, Ranked};
use facts::holder::{Holder, Key, Tag};
use facts::limits::CHUNK;

/// The holders of one chunk.
#[derive(Clone, Debug, Default)]
pub struct Holders {
    /// The offsets that are kept; `None` if all are, from 0 on. A holder stands in `keys` and `tags` at the rank of its offset.
    kept: Option<Counted>,
    keys: Vec<Key>,
    tags: Vec<Tag>,
}

impl Holders {
    /// The number of holders that are kept.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Adds holders from offset `at` on, behind all that were added before. Offsets in between are nobody's.
    pub fn put(&mut self, at: usize, holders: &[Holder]) {
        let mut gap = 0;
        match &mut self.kept {
            Some(kept) => kept.fill(at, holders.len()),
            None => gap = at.saturating_sub(self.keys.len()),
        }
        self.make_room(gap + holders.len());
        self.keys.extend((0..gap).map(|_| Key::default()));
        self.tags.extend((0..gap).map(|_| Tag::default()));
        self.keys.extend(holders.iter().map(|holder| holder.key));
        self.tags.extend(holders.iter().map(|holder| holder.tag));
    }

    /// Begins to take back the holders of all offsets in `alive`, which [`take_back`](Self::take_back) brings in order. O(64).
    pub fn begin_back(alive: &Plane) -> Self {
        let all = alive.count_before(CHUNK) as usize;
        let has_gaps = alive.count_before(all) as usize != all;
        Self {
            kept: has_gaps.then(|| Counted::new(alive.clone())),
            keys: Vec::with_capacity(all),
            tags: Vec::with_capacity(all),
        }
    }

    /// Takes back the holders of the next of the offsets in `alive`. O(holders).
    #[inline]
    pub fn take_back(&mut self, holders: impl Iterator<Item = Holder> + Clone) {
        self.keys.extend(holders.clone().map(|holder| holder.key));
        self.tags.extend(holders.map(|holder| holder.tag));
    }

    /// Makes space for `more` holders: the capacity doubles, up to what a chunk can need.
    fn make_room(&mut self, more: usize) {
        let wanted = self.keys.len() + more;
        if wanted > self.keys.capacity() {
            let room = wanted.max(2 * self.keys.capacity()).min(CHUNK);
            self.keys.reserve_exact(room - self.keys.len());
            self.tags.reserve_exact(room - self.tags.len());
        }
    }

    /// Returns the holder of an offset, or `None` if it is not kept. O(1).
    pub fn get(&self, at: usize) -> Option<Holder> {
        let rank = self.rank(at)?;
        Some(Holder {
            key: *self.keys.get(rank)?,
            tag: *self.tags.get(rank)?,
        })
    }

    /// Gives an offset another holder, if it is kept.
    pub fn set(&mut self, at: usize, holder: Holder) {
        let Some(rank) = self.rank(at) else { return };
        if let (Some(key), Some(tag)) = (self.keys.get_mut(rank), self.tags.get_mut(rank)) {
            (*key, *tag) = (holder.key, holder.tag);
        }
    }

    /// Returns the offsets that are kept and whose key `is` one that is looked for, in order. O(keys).
    pub fn keys_that(&self, is: impl Fn(Key) -> bool) -> impl Iterator<Item = (usize, Key)> {
        let keys = self.keys.iter().enumerate();
        let found = keys.filter(move |(_, key)| is(**key));
        found.filter_map(|(rank, key)| {
            let at = match &self.kept {
                None => rank,
                Some(kept) => kept.nth(rank)?,
            };
            Some((at, *key))
        })
    }

    fn rank(&self, at: usize) -> Option<usize> {
        match &self.kept {
            None => Some(at),
            Some(kept) => kept.get(at).then(|| kept.rank(at)),
        }
    }

    /// Returns the holders of the offsets in `alive` that are kept, each with its offset, in order. O(64 + those).
    pub fn among<'a>(&'a self, alive: &'a Plane) -> impl Iterator<Item = (usize, Holder)> + 'a {
        let kept = |index| self.kept.as_ref().map_or(u64::MAX, |kept| kept.word(index));
        Ranked::new(kept, alive).filter_map(|(at, rank)| {
            let holder = Holder {
                key: *self.keys.get(rank)?,
                tag: *self.tags.get(rank)?,
            };
            Some((at, holder))
        })
    }

    /// Keeps only the holders of the offsets in `alive`. O(64 + those).
    pub fn squeeze(&mut self, alive: &Plane) {
        let most = usize::try_from(alive.count_before(CHUNK)).unwrap_or(CHUNK);
        let mut left = Self {
            kept: Some(Counted::new(alive.clone())),
            keys: Vec::with_capacity(most.min(self.len())),
            tags: Vec::with_capacity(most.min(self.len())),
        };
        for (_, holder) in self.among(alive) {
            left.keys.push(holder.key);
            left.tags.push(holder.tag);
        }
        *self = left;
    }

    /// Forgets all holders. O(1).
    pub fn forget(&mut self) {
        if !self.keys.is_empty() {
            (self.keys, self.tags) = (Vec::new(), Vec::new());
            self.kept = Some(Counted::new(Plane::new()));
        }
    }

    /// The bytes that the holders take.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<Key>() + self.tags.capacity() * size_of::<Tag>() + self.kept.as_ref().map_or(0, |_| Counted::BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(of: usize) -> Holder {
        Holder {
            key: Key(of as u64 * 7 + 1),
            tag: Tag(of as u32),
        }
    }

    #[test]
    fn a_squeezed_chunk_knows_whoever_is_left() {
        let mut holders = Holders::default();
        let all: Vec<Holder> = (0..1_000).map(holder).collect();
        holders.put(0, &all);
        holders.put(1_010, &[holder(1_010)]);
        let mut alive = Plane::new();
        for at in (0..1_000).step_by(3).chain([1_010]) {
            alive.set(at, true);
        }
        let before = holders.bytes();
        holders.squeeze(&alive);
        assert!(holders.bytes() < before);
        for at in 0..1_011 {
            let known = holders.get(at);
            assert_eq!(known, alive.get(at).then(|| holder(at)), "{at}");
        }
        holders.put(1_020, &[holder(1_020)]);
        holders.set(3, holder(4_000));
        assert_eq!(holders.get(1_020), Some(holder(1_020)));
        assert_eq!(holders.get(3), Some(holder(4_000)));
        assert_eq!(holders.get(4), None);
        alive.set(3, false);
        alive.set(1_020, true);
        holders.squeeze(&alive);
        assert_eq!(holders.get(3), None);
        let left: Vec<usize> = holders.among(&alive).map(|(at, _)| at).collect();
        assert!(left.starts_with(&[0, 6, 9]) && left.ends_with(&[1_010, 1_020]));
        assert!(holders.among(&alive).all(|(at, of)| of == holder(at)));
    }

    #[test]
    fn a_chunk_takes_no_more_room_than_it_can_fill() {
        let mut holders = Holders::default();
        for at in (0..CHUNK).step_by(100) {
            let end = (at + 100).min(CHUNK);
            holders.put(at, &(at..end).map(holder).collect::<Vec<_>>());
            assert!(holders.bytes() <= 2 * end * 12, "{at}");
        }
        assert_eq!((holders.len(), holders.bytes()), (CHUNK, CHUNK * 12));
    }
}
