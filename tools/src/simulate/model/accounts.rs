//! One account, one place, once more: who has which, and why a device does not have it.

use super::Model;
use baton::facts::holder::{Key, Member};
use baton::facts::reply::{NoTicket, Reached};
use baton::facts::units::{LaneId, LobbyId, Number};

impl Model {
    /// Returns the account of a living ticket.
    #[must_use]
    pub fn account_of(&self, number: Number) -> Option<Key> {
        self.lobby_of(number)?;
        self.account_of_living(number)
    }

    /// Returns the account of a number that is known to live.
    #[must_use]
    pub fn account_of_living(&self, number: Number) -> Option<Key> {
        self.owned.get(&number).copied()
    }

    /// Returns the living ticket of an account.
    #[must_use]
    pub fn number_of_account(&self, account: Key) -> Option<Number> {
        let mut all = self.owned.iter().filter(|(_, of)| **of == account);
        all.find(|(number, _)| self.lobby_of(**number).is_some())
            .map(|(number, _)| *number)
    }

    /// Returns why this device does not have the account's place in this lobby, or `None` if it does.
    pub(super) fn why_not(
        &self,
        member: &Member,
        (lane, lobby): (LaneId, LobbyId),
    ) -> Option<NoTicket> {
        let own = self.number_of(member.holder.key);
        let theirs = self.number_of_account(member.account);
        let home = own.and_then(|own| self.lobby_of(own));
        if let Some(home) = home.filter(|home| *home != lobby) {
            return Some(NoTicket::At(home));
        }
        match (own, theirs) {
            (Some(own), Some(theirs)) if own == theirs => None,
            (Some(own), _) if self.account_of(own).is_some() => Some(NoTicket::Another),
            (_, Some(theirs)) => Some(NoTicket::Elsewhere(self.reached(theirs))),
            (Some(_), None) => None,
            (None, None) if self.next_in(lane).is_some() => Some(NoTicket::Full),
            (None, None) => Some(NoTicket::Shut),
        }
    }

    fn reached(&self, number: Number) -> Reached {
        match self.permit_of(number) {
            Some(permit) if permit.called => Reached::Called,
            Some(_) => Reached::Admitted,
            None if number.is_entry() => Reached::Hall,
            None => Reached::Waiting,
        }
    }
}
