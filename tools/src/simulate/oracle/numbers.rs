//! What is known of the numbers of one edition: who holds each, who held it before, and what became of it.

use super::super::slab::Table;
use baton::facts::units::{Fence, LANES_MAX, Number, Version};
use baton::facts::wire::Reason;
use std::collections::{BTreeMap, BTreeSet};

/// The visitor who holds a number, and the smallest `ahead` that the visitor was shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub(super) visitor: usize,
    pub(super) least_ahead: u64,
}

/// What is known of the numbers of one edition.
#[derive(Default)]
pub(super) struct Numbers {
    pub(super) owned: Table<Owned>,
    /// The holders of the halls' entries, by entry.
    pub(super) in_hall: BTreeMap<u64, Owned>,
    /// The numbers that were ever called.
    pub(super) called: Table<()>,
    /// For each number, the fence of the last call that its visitor was told of.
    pub(super) told_called: BTreeMap<Number, Fence>,
    /// When each number last missed a call.
    pub(super) missed: BTreeMap<Number, u64>,
    /// How each number ended, if a fact names it.
    pub(super) ended: BTreeMap<Number, Reason>,
    /// When the line last ended: for each lane, the next number and the next entry. Those below them ended with it.
    pub(super) line_ended: Vec<(Number, Number)>,
    /// The visitors who held each number before it was carried to another.
    pub(super) former: BTreeMap<Number, BTreeSet<usize>>,
    /// The row in which each number was last carried.
    pub(super) carried: BTreeMap<Number, Version>,
}

/// Returns a number as an index for tables, in which the lanes' numbers alternate without gaps.
pub(super) const fn dense(number: Number) -> u64 {
    number.within() * LANES_MAX as u64 + number.lane().0 as u64
}

impl Numbers {
    pub(super) fn owner(&self, number: Number) -> Option<usize> {
        let owned = match number.entry() {
            Some(_) => self.in_hall.get(&number.0),
            None => self.owned.get(dense(number)),
        };
        owned.map(|owned| owned.visitor)
    }

    pub(super) fn owned_mut(&mut self, number: Number) -> Option<&mut Owned> {
        match number.entry() {
            Some(_) => self.in_hall.get_mut(&number.0),
            None => self.owned.get_mut(dense(number)),
        }
    }

    pub(super) fn insert(&mut self, number: Number, owned: Owned) -> Option<Owned> {
        match number.entry() {
            Some(_) => self.in_hall.insert(number.0, owned),
            None => self.owned.insert(dense(number), owned),
        }
    }

    /// Returns whether this visitor held the number before it was carried to another.
    pub(super) fn was_carried_from(&self, visitor: usize, number: Number) -> bool {
        let former = self.former.get(&number);
        former.is_some_and(|former| former.contains(&visitor))
    }

    pub(super) fn is_below_line_end(&self, number: Number) -> bool {
        let of_lane = self.line_ended.get(usize::from(number.lane().0));
        of_lane.is_some_and(|(below, entries_below)| number < if number.is_entry() { *entries_below } else { *below })
    }
}
