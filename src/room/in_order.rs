//! An ordered map for keys that nearly always come in order: fences and the ends of leases.
//!
//! A key that comes in order is appended to a row. A key that is removed leaves a gap, and a row that is mostly gaps is rewritten. A key that comes
//! out of order goes into an ordinary ordered map beside the row. So as a rule nothing is balanced and nothing allocated. Whatever the keys, an
//! operation costs O(log n) amortised: the row is rewritten only after at least a quarter as many removals as it is long. For `n` keys the row has at
//! most `2n` places, and memory for at most twice that.

use serde::Deserialize;
use serde::ser::{Serialize, SerializeSeq as _, Serializer};
use std::collections::{BTreeMap, VecDeque};

/// A key by which an [`InOrder`] is ordered.
pub trait Key: Copy + Ord {
    /// Returns an upper bound on the number of keys after this one, up to and including `later`. If all of them are in the row, no search is needed.
    fn steps_to(self, later: Self) -> usize;
}

/// The map. It is stored as an ordinary map is: `postcard` writes a map as the list of its pairs.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Vec<(K, V)>", bound(deserialize = "K: Key + Deserialize<'de>, V: Deserialize<'de>"))]
pub struct InOrder<K, V> {
    /// Ascending by key. `None` is a gap. Neither the first nor the last is a gap, and at most half are.
    row: VecDeque<(K, Option<V>)>,
    gaps: usize,
    /// Keys that came when a later key was already in the row. No key is in both, not even as a gap.
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

/// Two maps are equal if they hold the same pairs, in whatever order these came.
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

impl<K: Key + Serialize, V: Serialize> Serialize for InOrder<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pairs = serializer.serialize_seq(Some(self.len()))?;
        for pair in self.iter() {
            pairs.serialize_element(&pair)?;
        }
        pairs.end()
    }
}

impl<K: Key, V> InOrder<K, V> {
    /// The number of keys. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.row.len() - self.gaps + self.strays.len()
    }

    /// Whether there are no keys. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key. O(log n); O(1) if the row lacks no key before it, or none after it.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        match self.at(key) {
            Some(at) => self.row.get(at)?.1.as_ref(),
            None => self.strays.get(&key),
        }
    }

    /// Returns the value of a key, to change it. Costs as much as [`get`](Self::get).
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        match self.at(key) {
            Some(at) => self.row.get_mut(at)?.1.as_mut(),
            None => self.strays.get_mut(&key),
        }
    }

    /// Sets the value of a key, replacing any it had. O(log n); amortised O(1) for a key later than all others.
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

    /// Removes a key and returns its value. Amortised O(log n), as [`get`](Self::get).
    pub fn remove(&mut self, key: K) -> Option<V> {
        let Some(at) = self.at(key) else {
            return self.strays.remove(&key);
        };
        let value = self.row.get_mut(at)?.1.take()?;
        self.gaps += 1;
        self.close_gaps();
        Some(value)
    }

    /// Keeps only the pairs for which `stays` is true. O(n).
    pub fn retain(&mut self, mut stays: impl FnMut(K, &V) -> bool) {
        self.row.retain(|(key, value)| value.as_ref().is_some_and(|value| stays(*key, value)));
        self.gaps = 0;
        self.strays.retain(|key, value| stays(*key, value));
    }

    /// Removes everything. O(n).
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The lowest key. O(log n).
    #[must_use]
    pub fn first(&self) -> Option<K> {
        let row = self.row.front().map(|(key, _)| *key);
        let stray = self.strays.first_key_value().map(|(key, _)| *key);
        row.into_iter().chain(stray).min()
    }

    /// All pairs, in order of key. O(n).
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let row = self.row.iter();
        let row = row.filter_map(|(key, value)| Some((*key, value.as_ref()?)));
        merged(row, self.strays.iter().map(|(key, value)| (*key, value)))
    }

    /// Returns the position of a key, or of its gap, in the row. Keys ascend, so a key is never further from an end than [`Key::steps_to`] says, and
    /// exactly that far if no key in between is missing.
    fn at(&self, key: K) -> Option<usize> {
        let (first, last) = (self.row.front()?.0, self.row.back()?.0);
        if key < first || last < key {
            return None;
        }
        let end = self.row.len() - 1;
        let is_at = |at: &usize| self.row.get(*at).is_some_and(|(other, _)| *other == key);
        let from_first = end.min(first.steps_to(key));
        if is_at(&from_first) {
            return Some(from_first);
        }
        let from_last = end.saturating_sub(key.steps_to(last));
        if is_at(&from_last) {
            return Some(from_last);
        }
        let found = self.row.partition_point(|(other, _)| *other < key);
        Some(found).filter(is_at)
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

/// Merges two ascending sequences. O(1) a step.
pub fn merged<K: Ord, V>(one: impl Iterator<Item = (K, V)>, other: impl Iterator<Item = (K, V)>) -> impl Iterator<Item = (K, V)> {
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
    use facts::units::Fence;

    /// Checks what no other test of this map can see: gaps are bounded, and they are counted.
    #[test]
    fn a_row_is_never_mostly_gaps() {
        let mut map = InOrder::default();
        let mut rng = fastrand::Rng::with_seed(3);
        let mut longest = 0;
        for next in 0..20_000 {
            // Nine keys in ten come in order. Keys go at random, so the first and the last often stay.
            let key = if rng.u8(0..10) == 0 { rng.u64(0..=next) } else { next };
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
