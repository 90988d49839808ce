//! Who has which account's place, which lane takes people, and why somebody who came in has no place. One account has one place.

use super::Model;
use crate::audit::Stage;
use baton::facts::enter::Person;
use baton::facts::holder::Key;
use baton::facts::lane_name::LaneName;
use baton::facts::reply::{NoTicket, Reached};
use baton::facts::units::{LaneId, LobbyId, Number};

impl Model {
    /// Returns the account of a living ticket.
    #[must_use]
    pub fn account_of(&self, number: Number) -> Option<Key> {
        self.lobby_of(number)?;
        self.account_of_living(number)
    }

    /// Returns the living ticket of an account.
    #[must_use]
    pub fn number_of_account(&self, account: Key) -> Option<Number> {
        let mut all = self.beside.owned.iter().filter(|(_, of)| **of == account);
        all.find(|(number, _)| self.lobby_of(**number).is_some()).map(|(number, _)| *number)
    }

    fn number_of_theirs(&self, person: &Person) -> Option<Number> {
        self.number_of_account(person.account?.key)
    }

    /// Returns why somebody who came like this has no place in this lobby, or not their account's, or none in the better lane of their voucher;
    /// `None` if nothing is wrong. A bad voucher is the reason only if the lane takes people, or if the holder waits in a worse lane.
    pub(super) fn why_not(&self, person: &Person, (lane, lobby): (LaneId, LobbyId)) -> Option<NoTicket> {
        let own = self.number_of(person.holder.key);
        let theirs = self.number_of_theirs(person);
        let home = own.and_then(|own| self.lobby_of(own));
        if let Some(home) = home.filter(|home| *home != lobby) {
            return Some(NoTicket::At(home));
        }
        let lane = person.spend.map_or(lane, |spend| self.lane_by(&spend));
        let has_other = |own| person.account.is_some() && self.account_of(own).is_some();
        let why = match (own, theirs) {
            (Some(own), Some(theirs)) if own == theirs => None,
            (Some(own), _) if has_other(own) => Some(NoTicket::Another),
            (_, Some(theirs)) => Some(NoTicket::Elsewhere(self.reached(theirs))),
            (Some(_), None) => None,
            (None, None) if self.takes(lane) => Some(NoTicket::Full),
            (None, None) => Some(NoTicket::Shut),
        };
        let Some(spend) = person.spend else {
            return why;
        };
        let unspent = || self.unspent(&spend).map(NoTicket::Unspent);
        match why {
            Some(NoTicket::Full) => unspent().or(why),
            None if self.another_would_be_better(person.holder, lane, &spend) => unspent(),
            why => why,
        }
    }

    fn reached(&self, number: Number) -> Reached {
        match self.ledger.fence_of(number).map(|(_, grant)| grant.stage) {
            Some(Stage::Called { .. }) => Reached::Called,
            Some(Stage::Leased(_)) => Reached::Admitted,
            None if number.is_entry() => Reached::Hall,
            None => Reached::Waiting,
        }
    }

    /// Returns the lane into which this name leads, if people come into it, or else everybody's.
    pub(super) fn lane_named(&self, name: Option<LaneName>) -> LaneId {
        let lanes = &self.ledger.lanes;
        let named = name.and_then(|name| lanes.named(name));
        let mut taking = lanes.taking().map(|(id, _)| id);
        let named = named.filter(|named| lanes.taking().any(|(id, _)| id == *named));
        named.or_else(|| taking.find(|id| lanes.is_everybody(*id))).unwrap_or_default()
    }

    /// Returns whether people who come into a lane now get a number or an entry.
    fn takes(&self, lane: LaneId) -> bool {
        let mode = self.ledger.mode();
        let lane = self.ledger.lanes.of(lane);
        lane.is_some_and(|lane| lane.takes_entries(mode) || lane.issues(mode))
    }

    /// Returns a lane's place in the order, 0 for the best.
    pub(super) fn rank(&self, lane: LaneId) -> Option<usize> {
        self.ledger.lanes.in_order().position(|(id, _)| id == lane)
    }
}
