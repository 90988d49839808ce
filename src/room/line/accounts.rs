//! Which numbers of a chunk belong to accounts, and to which: 8 bytes each, and 640 bytes for a chunk that has any.
//!
//! As in [`Holders`](super::holders::Holders), the account of a number that is over is kept until a squeeze. The chunk does not show it.

use super::plane::{Counted, Plane, Ranked};
use super::{Line, split};
use facts::holder::Key;
use facts::limits::CHUNK;
use facts::units::Number;

/// The accounts of one chunk.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    /// The offsets that belong to an account; `None` if none does. An account stands in `keys` at the rank of its offset.
    kept: Option<Counted>,
    keys: Vec<Key>,
}

impl Accounts {
    /// The number of accounts that are kept.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Gives an offset to an account. O(64) if it is behind all that are kept, else O(those).
    pub fn set(&mut self, at: usize, account: Key) {
        let new = || Counted::new(Plane::new());
        let kept = self.kept.get_or_insert_with(new);
        let rank = kept.rank(at);
        if kept.get(at) {
            if let Some(key) = self.keys.get_mut(rank) {
                *key = account;
            }
            return;
        }
        kept.set(at);
        // The capacity doubles, up to what a chunk can need.
        if self.keys.len() == self.keys.capacity() {
            let room = (2 * self.keys.len()).clamp(16, CHUNK);
            self.keys.reserve_exact(room.saturating_sub(self.keys.len()));
        }
        self.keys.insert(rank.min(self.keys.len()), account);
    }

    /// Returns the account of an offset, or `None` if it has none. O(1).
    pub fn get(&self, at: usize) -> Option<Key> {
        let kept = self.kept.as_ref().filter(|kept| kept.get(at))?;
        self.keys.get(kept.rank(at)).copied()
    }

    /// Returns the accounts of the offsets in `alive`, each with its offset, in order. O(64 + those).
    pub fn among<'a>(&'a self, alive: &'a Plane) -> impl Iterator<Item = (usize, Key)> + 'a {
        let kept = |index| self.kept.as_ref().map_or(0, |kept| kept.word(index));
        Ranked::new(kept, alive).filter_map(|(at, rank)| Some((at, *self.keys.get(rank)?)))
    }

    /// Keeps only the accounts of the offsets in `alive`. O(64 + those).
    pub fn squeeze(&mut self, alive: &Plane) {
        let left: Vec<(usize, Key)> = self.among(alive).collect();
        let mut kept = Plane::new();
        left.iter().for_each(|(at, _)| kept.set(*at, true));
        *self = Self {
            kept: (!left.is_empty()).then(|| Counted::new(kept)),
            keys: left.iter().map(|(_, account)| *account).collect(),
        };
    }

    /// Forgets all accounts. O(1).
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The bytes that the accounts take.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<Key>() + self.kept.as_ref().map_or(0, |_| Counted::BYTES)
    }
}

impl Line {
    /// Returns the account of a number, or `None` if it is not in line or has none. O(1).
    #[must_use]
    pub fn account(&self, number: Number) -> Option<Key> {
        let (chunk, at) = self.chunk(number)?;
        chunk.account(at)
    }

    /// Gives a living number to an account. O(accounts of its chunk).
    pub fn set_account(&mut self, number: Number, account: Key) {
        let (index, at) = split(number);
        if let Some(chunk) = self.chunks.get_mut(index) {
            chunk.set_account(at, account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Compares with a plain map, in random order.
    #[test]
    fn agrees_with_a_plain_map() {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut accounts, mut plain) = (Accounts::default(), BTreeMap::new());
        let mut alive = Plane::new();
        alive.fill(0, CHUNK);
        for round in 0..2_000 {
            let at = rng.usize(0..CHUNK);
            let account = Key(rng.u64(..));
            accounts.set(at, account);
            plain.insert(at, account);
            alive.set(at, true);
            if round % 500 == 499 {
                for at in (0..CHUNK).step_by(3) {
                    alive.set(at, false);
                    plain.remove(&at);
                }
                accounts.squeeze(&alive);
                assert_eq!(accounts.len(), plain.len());
            }
            let looked = rng.usize(0..CHUNK);
            assert_eq!(accounts.get(looked), plain.get(&looked).copied());
        }
        assert!(accounts.among(&alive).eq(plain.into_iter()));
        accounts.forget();
        assert_eq!((accounts.len(), accounts.bytes()), (0, 0));
    }

    #[test]
    fn a_full_chunk_takes_eight_bytes_a_number() {
        let mut accounts = Accounts::default();
        (0..CHUNK).for_each(|at| accounts.set(at, Key(at as u64)));
        assert_eq!(accounts.bytes(), CHUNK * 8 + Counted::BYTES);
    }
}
