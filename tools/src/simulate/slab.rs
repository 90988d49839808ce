//! Things on their way, by an id that is never used again: an old id finds nothing.

/// The id of a thing: its place, and how often the place was used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(u32, u32);

/// Things by id; finding, adding and removing are O(1).
#[derive(Debug)]
pub struct Slab<T> {
    entries: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            entries: vec![],
            free: vec![],
        }
    }
}

impl<T> Slab<T> {
    /// Keeps a thing, and returns its id.
    pub fn insert(&mut self, thing: T) -> Id {
        if let Some(at) = self.free.pop() {
            let entry = &mut self.entries[at as usize];
            entry.1 = Some(thing);
            return Id(at, entry.0);
        }
        self.entries.push((0, Some(thing)));
        Id(self.entries.len() as u32 - 1, 0)
    }

    /// Returns the thing, if it is still there.
    #[must_use]
    pub fn get(&self, id: Id) -> Option<&T> {
        let (age, thing) = self.entries.get(id.0 as usize)?;
        thing.as_ref().filter(|_| *age == id.1)
    }

    /// Returns the thing, to change it.
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        let (age, thing) = self.entries.get_mut(id.0 as usize)?;
        thing.as_mut().filter(|_| *age == id.1)
    }

    /// Takes the thing out, if it is still there.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let (age, thing) = self.entries.get_mut(id.0 as usize)?;
        if *age != id.1 {
            return None;
        }
        let thing = thing.take()?;
        *age += 1;
        self.free.push(id.0);
        Some(thing)
    }
}

/// Things by a number that counts up from near 0.
#[derive(Debug)]
pub struct Table<T>(Vec<Option<T>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T> Table<T> {
    /// Returns the thing of a number.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&T> {
        self.0.get(number as usize)?.as_ref()
    }

    /// Returns the thing of a number, to change it.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.0.get_mut(number as usize)?.as_mut()
    }

    /// Keeps a thing, and returns the one that was there before.
    pub fn insert(&mut self, number: u64, thing: T) -> Option<T> {
        let at = number as usize;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at].replace(thing)
    }

    /// Returns everything that is there, to change it.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }

    /// Returns everything that is there, with its number.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        (0..).zip(&self.0).filter_map(|(at, thing)| Some((at, thing.as_ref()?)))
    }
}
