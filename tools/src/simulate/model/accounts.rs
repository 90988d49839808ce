//! One account, one place, once more: the model looks at everybody who joins one after the other.

use super::{Facts, Model, only_if};
use baton::facts::command::Command;
use baton::facts::event::Event;
use baton::facts::holder::{Comes, Held, Holder, Key, Member};
use baton::facts::reply::{NoTicket, Reached};
use baton::facts::units::{Fence, Instant, LaneId, LobbyId, Number, Version};

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

    /// Takes joins for accounts, one after the other. Numbers that are issued one after the other become one fact.
    pub(super) fn take_joins(
        &mut self,
        version: Version,
        now: Instant,
        members: &[Member],
        into: (LaneId, LobbyId),
    ) -> Facts {
        let mut all = self.found_over(version, now, members);
        let mut in_a_row = false;
        for member in members {
            let mut facts = self.join_as(version, now, member, into);
            let issues = matches!(facts.as_slice(), [_, Event::Owned { .. }]);
            if issues && in_a_row {
                let (owned, issued) = (facts.pop(), facts.pop());
                let last = all.len() - 2;
                put_together(&mut all[last..], issued, owned);
            } else {
                all.extend(facts);
            }
            in_a_row = issues;
        }
        all
    }

    /// Lets a visitor walk in for an account. A lease of theirs that has run out is taken back first.
    pub(super) fn take_walk_in(
        &mut self,
        version: Version,
        now: Instant,
        holder: Holder,
        account: Key,
        into: (LaneId, LobbyId),
    ) -> Facts {
        let comes = Comes::Back;
        let member = Member {
            holder,
            account,
            comes,
        };
        let mut all = self.found_over(version, now, &[member]);
        let (own, theirs) = (self.number_of(holder.key), self.number_of_account(account));
        if own.is_some() || theirs.is_some() {
            let free = own.filter(|own| theirs.is_none() && self.account_of(*own).is_none());
            if let Some(own) = free {
                all.extend(self.becomes_true(version, now, vec![owned(own, account)]));
            }
            return all;
        }
        let walked = self.decide_walk_in(now, holder, into);
        let walked = self.becomes_true(version, now, walked);
        let number = self.number_of(holder.key);
        all.extend(walked);
        if let Some(number) = number {
            all.extend(self.becomes_true(version, now, vec![owned(number, account)]));
        }
        all
    }

    /// Takes back everything that has run out, if a lease of one of these members or of their accounts has.
    fn found_over(&mut self, version: Version, now: Instant, members: &[Member]) -> Facts {
        let is_over = |number: Option<Number>| number.is_some_and(|n| self.has_run_out(now, n));
        let any = members.iter().any(|member| {
            is_over(self.number_of(member.holder.key))
                || is_over(self.number_of_account(member.account))
        });
        let facts = if any { self.take_back(now) } else { vec![] };
        self.becomes_true(version, now, facts)
    }

    fn becomes_true(&mut self, version: Version, now: Instant, facts: Facts) -> Facts {
        facts.iter().for_each(|fact| self.apply(version, now, fact));
        facts
    }

    fn join_as(
        &mut self,
        version: Version,
        now: Instant,
        member: &Member,
        into: (LaneId, LobbyId),
    ) -> Facts {
        let own = self.number_of(member.holder.key);
        let theirs = self.number_of_account(member.account);
        let own_account = own.and_then(|own| self.account_of(own));
        match (own, theirs) {
            (None, None) => {
                let facts = self.decide_join(now, &[member.holder], into);
                let mut facts = self.becomes_true(version, now, facts);
                if let Some(number) = self.number_of(member.holder.key) {
                    facts.extend(self.becomes_true(
                        version,
                        now,
                        vec![owned(number, member.account)],
                    ));
                }
                facts
            }
            (Some(own), None) => {
                let fact = owned(own, member.account);
                self.becomes_true(version, now, only_if(own_account.is_none(), fact))
            }
            (_, Some(theirs)) if own == Some(theirs) || own_account.is_some() => vec![],
            (own, Some(theirs)) => {
                let permit = |number| self.permit_of(number).is_some();
                let waits = !permit(theirs) && !own.is_some_and(permit);
                let moves = match member.comes {
                    Comes::ByButton => true,
                    Comes::Anew => waits,
                    Comes::Back => waits && own.is_some(),
                };
                if moves {
                    self.moves(version, now, theirs, own, member.holder)
                } else {
                    vec![]
                }
            }
        }
    }

    /// Moves the account's place to this device, which leaves its own place first.
    fn moves(
        &mut self,
        version: Version,
        now: Instant,
        place: Number,
        own: Option<Number>,
        to: Holder,
    ) -> Facts {
        let mut facts = vec![];
        if let Some((number, lobby)) = own.and_then(|own| Some((own, self.lobby_of(own)?))) {
            let key = to.key;
            let leave = Command::Leave(Held { number, key });
            facts = self.performs(version, now, &leave, lobby);
        }
        let permit = self.permit_of(place);
        let carried = Event::Carried {
            number: place,
            fences: permit.map(|permit| (permit.fence, Fence(self.fences + 1))),
            to: Some(to),
        };
        facts.extend(self.becomes_true(version, now, vec![carried]));
        facts
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

fn owned(number: Number, account: Key) -> Event {
    Event::Owned {
        tickets: vec![number],
        accounts: vec![account],
    }
}

/// Adds a number and its account to the facts of the number before it.
fn put_together(before: &mut [Event], issued: Option<Event>, owned: Option<Event>) {
    for (fact, more) in before.iter_mut().zip([issued, owned]) {
        match (fact, more) {
            (
                Event::Joined { count, holders, .. } | Event::Entered { count, holders, .. },
                Some(Event::Joined { holders: more, .. } | Event::Entered { holders: more, .. }),
            ) => {
                *count += 1;
                holders.extend(more);
            }
            (
                Event::Owned { tickets, accounts },
                Some(Event::Owned {
                    tickets: more,
                    accounts: whose,
                }),
            ) => {
                tickets.extend(more);
                accounts.extend(whose);
            }
            _ => {}
        }
    }
}
