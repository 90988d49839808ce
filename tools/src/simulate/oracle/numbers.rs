//! What is known of the numbers of one edition: whose each is, whose it was, and what became of it.

use super::super::slab::Table;
use baton::facts::units::{Fence, LANES_MAX, Number};
use baton::wire::Reason;
use std::collections::{BTreeMap, BTreeSet};

/// Who a number was issued to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub(super) visitor: usize,
    pub(super) least_ahead: u64,
}

/// What is known of the numbers of one edition.
#[derive(Default)]
pub(super) struct Numbers {
    pub(super) owned: Table<Owned>,
    /// By entry of the hall.
    pub(super) in_hall: BTreeMap<u64, Owned>,
    /// Those that were ever called.
    pub(super) called: Table<()>,
    /// Under which fence each was told that it is called, last.
    pub(super) told_called: BTreeMap<Number, Fence>,
    /// When a call was missed.
    pub(super) missed: BTreeMap<Number, u64>,
    /// How they ended, if a fact names them.
    pub(super) ended: BTreeMap<Number, Reason>,
    /// The line ended: in each lane below this number and below this entry.
    pub(super) line_ended: Vec<(Number, Number)>,
    /// Whose they were before they were carried to others.
    pub(super) former: BTreeMap<Number, BTreeSet<usize>>,
}

/// Numbers of all lanes without gaps between them, for tables.
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

    /// Whether the number was that visitor's before it was carried to another.
    pub(super) fn was_carried_from(&self, visitor: usize, number: Number) -> bool {
        let former = self.former.get(&number);
        former.is_some_and(|former| former.contains(&visitor))
    }

    pub(super) fn is_below_line_end(&self, number: Number) -> bool {
        let of_lane = self.line_ended.get(usize::from(number.lane().0));
        of_lane.is_some_and(|(below, entries_below)| {
            number
                < if number.is_entry() {
                    *entries_below
                } else {
                    *below
                }
        })
    }
}
