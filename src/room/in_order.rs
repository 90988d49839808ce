//! An ordered map for keys that nearly always come in order: fences, the numbers that are called, the ends of leases.
//!
//! A key that comes in order is appended to a row. A key that is taken out leaves a gap, and a row that is mostly gaps is
//! written anew. A key that comes out of order goes into an ordinary ordered map beside it. So as a rule nothing is
//! balanced and nothing allocated; and whatever the keys are, an operation costs O(log n), amortised: the row is only
//! rewritten when a quarter as many removals as it is long have paid for that. For `n` keys it has at most `2n` places,
//! and memory for at most twice that.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// What an [`InOrder`] is ordered by.
pub trait Key: Copy + Ord {
    /// At most so many different keys lie between this one and a `later` one, that one included. Where all of them are
    /// there, nothing is left to search.
    fn steps_to(self, later: Self) -> usize;
}

/// The map. Its stored form is that of an ordinary one: `postcard` writes a map as the list of its pairs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    from = "Vec<(K, V)>",
    into = "Vec<(K, V)>",
    bound(
        serialize = "K: Key + Serialize, V: Clone + Serialize",
        deserialize = "K: Key + Deserialize<'de>, V: Deserialize<'de>"
    )
)]
pub struct InOrder<K, V> {
    /// Ascending. `None` is a gap; the first and the last are none, and at most half are.
    row: VecDeque<(K, Option<V>)>,
    gaps: usize,
    /// What came when a later key was in the row. No key is in both, not as a gap either.
    strays: BTreeMap<K, V>,
}

impl<K, V> Default for InOrder<K, V> {
    fn default() -> Self {
        Self {
            row: VecDeque::new(),
            gaps: 0,
            strays: BTreeMap::new(),
        }
    }
}

/// Two are equal when they hold the same, however it came.
impl<K: Key, V: PartialEq> PartialEq for InOrder<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Key, V: Eq> Eq for InOrder<K, V> {}

impl<K: Key, V> From<Vec<(K, V)>> for InOrder<K, V> {
    fn from(pairs: Vec<(K, V)>) -> Self {
        let mut map = Self::default();
        for (key, value) in pairs {
            map.insert(key, value);
        }
        map
    }
}

impl<K: Key, V: Clone> From<InOrder<K, V>> for Vec<(K, V)> {
    fn from(map: InOrder<K, V>) -> Self {
        map.iter().map(|(key, v)| (key, v.clone())).collect()
    }
}

impl<K: Key, V> InOrder<K, V> {
    /// How many keys it holds. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.row.len() - self.gaps + self.strays.len()
    }

    /// Whether it holds none. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is kept under a key. O(log n); O(1) where few keys between the first and the last are missing.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        match self.at(key) {
            Some(at) => self.row.get(at)?.1.as_ref(),
            None => self.strays.get(&key),
        }
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        match self.at(key) {
            Some(at) => self.row.get_mut(at)?.1.as_mut(),
            None => self.strays.get_mut(&key),
        }
    }

    /// Keeps a value under a key, instead of what was there. O(log n); amortised O(1) for a key later than all others.
    pub fn insert(&mut self, key: K, value: V) {
        if !self.strays.is_empty()
            && let Some(kept) = self.strays.get_mut(&key)
        {
            *kept = value;
        } else if self.row.back().is_none_or(|(last, _)| *last < key) {
            self.row.push_back((key, Some(value)));
        } else if let Some(at) = self.at(key)
            && let Some((_, kept)) = self.row.get_mut(at)
        {
            self.gaps -= usize::from(kept.is_none());
            *kept = Some(value);
        } else {
            self.strays.insert(key, value);
        }
    }

    /// Takes a key out and yields what was kept under it. Amortised O(log n), as [`get`](Self::get).
    pub fn remove(&mut self, key: K) -> Option<V> {
        let Some(at) = self.at(key) else {
            return self.strays.remove(&key);
        };
        let value = self.row.get_mut(at)?.1.take()?;
        self.gaps += 1;
        self.close_gaps();
        Some(value)
    }

    /// Keeps what `stays` says. O(n).
    pub fn retain(&mut self, mut stays: impl FnMut(K, &V) -> bool) {
        self.row
            .retain(|(key, value)| value.as_ref().is_some_and(|value| stays(*key, value)));
        self.gaps = 0;
        self.strays.retain(|key, value| stays(*key, value));
    }

    /// Takes everything out. O(n).
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The least key. O(log n).
    #[must_use]
    pub fn first(&self) -> Option<K> {
        let row = self.row.front().map(|(key, _)| *key);
        let stray = self.strays.first_key_value().map(|(key, _)| *key);
        row.into_iter().chain(stray).min()
    }

    /// Everything, by key. O(n).
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let row = self.row.iter();
        let row = row.filter_map(|(key, value)| Some((*key, value.as_ref()?)));
        merged(row, self.strays.iter().map(|(key, value)| (*key, value)))
    }

    /// Where in the row a key is, or its gap. Keys ascend, so none is further from an end than there are keys
    /// between: where all of those are there, that is where it is.
    fn at(&self, key: K) -> Option<usize> {
        let (first, last) = (self.row.front()?.0, self.row.back()?.0);
        if key < first || last < key {
            return None;
        }
        let end = self.row.len() - 1;
        let is_at = |at: &usize| self.row.get(*at).is_some_and(|(other, _)| *other == key);
        let from_first = end.min(first.steps_to(key));
        let from_last = end.saturating_sub(key.steps_to(last));
        let guessed = [from_first, from_last].into_iter().find(is_at);
        guessed.or_else(|| {
            let found = self.row.partition_point(|(other, _)| *other < key);
            Some(found).filter(is_at)
        })
    }

    fn close_gaps(&mut self) {
        while matches!(self.row.front(), Some((_, None))) {
            self.row.pop_front();
            self.gaps -= 1;
        }
        while matches!(self.row.back(), Some((_, None))) {
            self.row.pop_back();
            self.gaps -= 1;
        }
        if self.gaps > self.row.len() / 2 {
            self.row.retain(|(_, value)| value.is_some());
            self.gaps = 0;
        }
    }
}

/// Two ascending sequences as one. O(1) a step.
pub fn merged<K: Ord, V>(
    one: impl Iterator<Item = (K, V)>,
    other: impl Iterator<Item = (K, V)>,
) -> impl Iterator<Item = (K, V)> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    core::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some((a, _)), Some((b, _))) if b < a => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::units::Fence;

    /// What every other test of this map cannot see: that gaps are bounded, and that they are counted.
    #[test]
    fn a_row_is_never_mostly_gaps() {
        let mut map = InOrder::default();
        let mut rng = fastrand::Rng::with_seed(3);
        let mut longest = 0;
        for next in 0..20_000 {
            // Comes in order but for one in ten; goes at random, so that first and last often stay.
            let key = if rng.u8(0..10) == 0 {
                rng.u64(0..=next)
            } else {
                next
            };
            map.insert(Fence(key), key);
            while map.len() > 100 || (!map.is_empty() && rng.u8(0..8) == 0) {
                let nth = rng.usize(0..map.len());
                let gone = map.iter().nth(nth).map(|(key, _)| key);
                assert!(gone.is_some_and(|key| map.remove(key).is_some()));
            }
            let gaps = map.row.iter().filter(|(_, value)| value.is_none()).count();
            assert_eq!(gaps, map.gaps);
            assert!(gaps <= map.row.len() / 2, "{gaps} of {}", map.row.len());
            let ends = [map.row.front(), map.row.back()].into_iter().flatten();
            assert!(ends.into_iter().all(|(_, value)| value.is_some()));
            assert!(map.row.iter().is_sorted_by(|(a, _), (b, _)| a < b));
            let strays = map.strays.keys();
            assert!(strays.into_iter().all(|key| map.at(*key).is_none()));
            longest = longest.max(map.row.len());
        }
        assert!(longest > 110, "there were gaps: {longest}");
    }
}
