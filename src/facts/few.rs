//! A sorted map of few entries: lanes, settings, webhooks.
//!
//! Each type of a `BTreeMap` puts 5 KB of code into the worker, most of it for splitting and joining nodes. A sorted vector needs a tenth of that and finds
//! as fast; inserting moves the entries behind, so it is for maps with a limit of some hundreds. It is stored, sent and ordered as a `BTreeMap` is.

use core::fmt;
use core::marker::PhantomData;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;

/// A map in the order of its keys. Finding takes O(log n), inserting and removing O(n).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FewMap<K, V>(Vec<(K, V)>);

impl<K, V> FewMap<K, V> {
    /// Makes an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the map has no entry.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The entries, by key.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The entries, by key, with values that may change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, by key.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values, by key, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Takes the values, by key.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.0.into_iter().map(|(_, value)| value)
    }

    /// Takes the entry with the least key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

impl<K: Ord, V> FewMap<K, V> {
    /// The place of a key, or the place where it belongs.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(known, _)| known.borrow().cmp(key))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(self.place(key).ok()?).map(|(_, value)| value)
    }

    /// The value of a key, to change it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.0.get_mut(place).map(|(_, value)| value)
    }

    /// Returns true if the map has this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Sets the value of a key. Returns the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => self.0.get_mut(place).map(|(_, known)| core::mem::replace(known, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Takes the value of a key.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        Some(self.0.remove(place).1)
    }
}

impl<K: Ord, V: Default> FewMap<K, V> {
    /// The value of a key, to change it; a default one if the key had none.
    pub fn or_default(&mut self, key: K) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, V::default()));
                place
            }
        };
        #[expect(clippy::indexing_slicing, reason = "the entry is there, or was put there just now")]
        &mut self.0[place].1
    }
}

impl<K, V> Default for FewMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> Extend<(K, V)> for FewMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for FewMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        super::ordered::filled(entries)
    }
}

impl<K: Serialize, V: Serialize> Serialize for FewMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for FewMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
    type Value = FewMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut few = FewMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            few.insert(key, value);
        }
        Ok(few)
    }
}

#[cfg(test)]
mod tests {
    use super::FewMap;
    use std::collections::BTreeMap;

    /// Every sequence of four changes of three keys: to set, to remove, to begin with a default, to take the first.
    #[test]
    fn it_holds_what_a_btree_map_holds_and_is_stored_alike() {
        for code in 0..12_u16.pow(4) {
            let (mut few, mut plain) = (FewMap::<u8, u16>::new(), BTreeMap::new());
            for at in 0..4 {
                let change = code / 12_u16.pow(at) % 12;
                let (key, value) = ((change % 3) as u8, code + change);
                match change / 3 {
                    0 => assert_eq!(few.insert(key, value), plain.insert(key, value)),
                    1 => assert_eq!(few.remove(&key), plain.remove(&key)),
                    2 => assert_eq!(few.or_default(key), plain.entry(key).or_default()),
                    _ => assert_eq!(few.pop_first(), plain.pop_first()),
                }
            }
            assert!(few.iter().eq(plain.iter()) && few.keys().eq(plain.keys()) && few.values().eq(plain.values()));
            assert!((0..3).all(|key| few.get(&key) == plain.get(&key) && few.contains_key(&key) == plain.contains_key(&key)));
            assert_eq!((few.len(), few.is_empty()), (plain.len(), plain.is_empty()));
            let stored = postcard::to_allocvec(&plain).unwrap();
            assert_eq!(postcard::to_allocvec(&few).unwrap(), stored);
            assert_eq!(postcard::from_bytes::<FewMap<u8, u16>>(&stored).unwrap(), few);
            assert_eq!(serde_json::to_string(&few).unwrap(), serde_json::to_string(&plain).unwrap());
        }
    }

    #[test]
    fn of_two_entries_with_one_key_the_later_stays_when_it_is_read() {
        let read: FewMap<String, u8> = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), r#"{"a":2,"b":3}"#);
    }
}
