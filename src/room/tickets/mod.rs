//! The tickets: who waits in which line or hall, and who has which permit. This file alone says where a ticket stands, who holds it and whose it is.
//!
//! The line keeps the holder of each ticket in it, and a permit keeps the holder of the ticket that has it. The room compares keys and cannot read
//! them. `fold` is what facts do to tickets, `pages` what is stored of them, `told` what lobbies are told.

mod fold;
mod pages;
mod told;

use super::lanes::Lanes;
use super::line::{Line, Place};
use super::permits::{Permits, Stage};
use facts::holder::{Held, Holder, Key};
use facts::planted::{self, Bug};
use facts::reply::Reached;
use facts::units::{Instant, LobbyId, Number};
pub(crate) use fold::{Absence, Called, Moved};
use serde::{Deserialize, Serialize};

/// Every ticket that lives. One that is called is in its line and has a permit; any other is either in one line or has one permit. As a lane's line and
/// the permits are each other's neighbours, a fact that moves a ticket between them changes both at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tickets {
    lanes: Lanes,
    permits: Permits,
}

impl Tickets {
    /// The lanes, each with its line and its hall.
    #[must_use]
    pub const fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    pub(crate) const fn lanes_mut(&mut self) -> &mut Lanes {
        &mut self.lanes
    }

    /// The books of the permits.
    #[must_use]
    pub const fn permits(&self) -> &Permits {
        &self.permits
    }

    pub(crate) const fn permits_mut(&mut self) -> &mut Permits {
        &mut self.permits
    }

    /// Returns the line in which a number stands: its lane's line, or the hall's for an entry.
    #[must_use]
    pub fn line_of(&self, number: Number) -> &Line {
        self.lanes.line_of(number)
    }

    /// Whether nobody has a place in line, in a hall or inside. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.living() == 0
    }

    /// Roughly how many tickets live: one that is called counts once. O(lanes).
    pub(crate) fn living(&self) -> u64 {
        self.lanes.alive() + u64::from(self.permits.leased())
    }

    /// Whether a number lives. O(1) on average.
    pub(crate) fn lives(&self, number: Number) -> bool {
        self.lanes.line_of(number).lives(number) || self.permits.of_number(number).is_some()
    }

    /// Returns the holder of a living ticket. O(log permits).
    #[must_use]
    pub fn holder(&self, number: Number) -> Option<Holder> {
        let waits = self.lanes.line_of(number).holder(number);
        waits.or_else(|| Some(self.permits.of_number(number)?.1.holder))
    }

    pub(crate) fn holds(&self, key: Key, number: Number) -> bool {
        self.holder(number).is_some_and(|holder| holder.key == key)
    }

    /// Returns the lobby of a living ticket. O(log permits).
    #[must_use]
    pub fn lobby_of(&self, number: Number) -> Option<LobbyId> {
        if let Some((_, grant)) = self.permits.of_number(number) {
            return Some(grant.lobby);
        }
        let line = self.lanes.line_of(number);
        (line.place(number) != Place::Gone).then(|| line.lobby(number))
    }

    /// Returns whether a ticket lives, belongs to this lobby and is held by that key. A lobby's word on another lobby's tickets does not count.
    pub(crate) fn is_held(&self, held: Held, lobby: LobbyId) -> bool {
        self.lobby_of(held.number) == Some(lobby) && (planted::is(Bug::KeyIgnored) || self.holds(held.key, held.number))
    }

    /// Returns whether a ticket's lease is over, although nobody has taken it back yet.
    pub(crate) fn has_run_out(&self, now: Instant, number: Number) -> bool {
        let grant = self.permits.of_number(number);
        grant.is_some_and(|(_, grant)| matches!(grant.stage, Stage::Leased(lease) if lease.end() <= now))
    }

    /// Returns the account of a living ticket, or `None` if it has none. O(log permits).
    #[must_use]
    pub fn account_of(&self, number: Number) -> Option<Key> {
        let waits = self.lanes.line_of(number).account(number);
        waits.or_else(|| self.permits.of_number(number)?.1.account)
    }

    /// Returns how far a living ticket has come.
    pub(crate) fn reached(&self, number: Number) -> Reached {
        match self.permits.of_number(number) {
            Some((_, grant)) if grant.is_called() => Reached::Called,
            Some(_) => Reached::Admitted,
            None if number.is_entry() => Reached::Hall,
            None => Reached::Waiting,
        }
    }
}
