//! Keeps which tickets belong to accounts. The accounts are private: an export says for which tickets the room knew one, and since when.
//!
//! An account has one place, so its place may move to another of its devices, whichever lobby speaks for that device.

use super::facts::LIVING;
use super::ledger::Ledger;
use super::{Check, require};
use baton::facts::units::Number;

const OWNED: &str = "a ticket becomes one account's, once";

impl Ledger {
    /// Returns true if a ticket lives. O(permits out) for a ticket that only a permit holds.
    fn lives(&self, number: Number) -> bool {
        self.place(number).is_some() || self.fence_of(number).is_some()
    }

    /// Returns true if any living ticket belongs to an account. O(such tickets).
    pub fn any_owned(&self) -> bool {
        self.owned.iter().any(|number| self.lives(*number))
    }

    /// Records that tickets belong to accounts.
    pub(super) fn become_owned(&mut self, tickets: &[Number]) -> Check {
        require(OWNED, !tickets.is_empty(), || "of nobody".to_owned())?;
        for number in tickets {
            require(LIVING, self.lives(*number), || {
                format!("number {} became an account's, and does not live", self.say(*number))
            })?;
            let is_new = self.owned.insert(*number);
            require(OWNED, is_new, || format!("number {} is an account's already", self.say(*number)))?;
        }
        self.totals.owned += tickets.len() as u64;
        Ok(())
    }

    /// Moves ownership to the numbers that the entries of a hall got, in this order, from `first` on.
    pub(super) fn owned_are_drawn(&mut self, first: Number, entries: impl Iterator<Item = u64>) {
        for (nth, entry) in (0..).zip(entries) {
            self.owned_moves(first.lane().entry(entry), first.plus(nth));
        }
    }

    /// Moves ownership to the ticket's new number.
    pub(super) fn owned_moves(&mut self, from: Number, to: Number) {
        if self.owned.remove(&from) {
            self.owned.insert(to);
        }
    }
}
