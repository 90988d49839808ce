//! Joining for an account, which has one place on whichever device it joins.
//!
//! | the account has | this device has | what follows |
//! |---|---|---|
//! | no place | no place | the device gets a number, which is the account's |
//! | no place | a place without an account | that place becomes the account's |
//! | this device's place | that place | nothing |
//! | another device's place, which waits | no place, or one that waits without an account | the account's moves here; this device leaves its own |
//! | another device's place, and either one is called or inside | no place, or one without an account | nothing; by a pressed button as above |
//! | another device's place, which this device had and lost | no place | nothing; by a pressed button as above |
//! | anything | a place of another account | nothing |
//!
//! In the last row no place is dropped, and a device still has one living place: people who share a browser must give the place up first. If a
//! device's key differed for each account, a holder would lose the place once the shop's token runs out.

use super::Room;
use super::seen::Seen;
use crate::facts::command::Command;
use crate::facts::event::{Event, Row};
use crate::facts::holder::{Comes, Held, Holder, Key, Member};
use crate::facts::limits::JOIN_COUNT_MAX;
use crate::facts::reply::{NoTicket, Reached};
use crate::facts::units::{Instant, LaneId, LobbyId, Number};
use crate::planted::{self, Bug};

impl Room {
    /// Carries out joins for accounts in order. Consecutive members who are due numbers get them in one fact. O(members · log n), plus
    /// what has run out.
    pub(super) fn perform_joins(
        &mut self,
        now: Instant,
        lane: LaneId,
        members: &[Member],
        from: LobbyId,
        row: &mut Row,
    ) {
        let most = members.len().min(JOIN_COUNT_MAX as usize);
        let (mut left, _) = members.split_at(most);
        self.approach_accounts(left);
        self.collect_accounts(now, left, row);
        while let Some(member) = left.first() {
            let new = self.newcomers(now, left);
            let (group, later) = left.split_at(new.max(1));
            // Two steps, as with a link: this device first leaves its own place, whose permit may go to the very place that moves.
            match self.takes_over(now, member) {
                Some(place) => {
                    if let Some((own, lobby)) = self.own_place(member.holder.key)
                        && !planted::is(Bug::AnonymousPlaceKept)
                    {
                        self.step(now, &Command::Leave(own), lobby, row);
                    }
                    let carried = self.carried_to(place, member.holder);
                    self.commit([carried], row);
                }
                None => {
                    let mut events = Vec::new();
                    if new > 0 {
                        self.issue_as(&mut events, (lane, from), group);
                    } else {
                        events.extend(self.decide_known(now, member));
                    }
                    self.commit(events, row);
                }
            }
            left = later;
        }
    }

    /// Takes back everything that has run out if that includes a lease of these members or their accounts: it must not count as a place.
    pub(super) fn collect_accounts(&mut self, now: Instant, members: &[Member], row: &mut Row) {
        let places = members.iter().flat_map(|member| {
            let theirs = self.living_of_account(member.account);
            [self.living_of(member.holder.key), theirs]
        });
        if places.flatten().any(|number| self.has_run_out(now, number)) {
            let over = self.collect(now);
            self.commit(over, row);
        }
    }

    /// Counts the members at the head who have no place and whose accounts have none. O(members · log n).
    fn newcomers(&self, now: Instant, members: &[Member]) -> usize {
        let (mut keys, mut accounts) = (Seen::default(), Seen::default());
        let new = members.iter().take_while(|member| {
            self.lives_on(now, member.holder.key).is_none()
                && self.account_lives_on(now, member.account).is_none()
                && keys.insert(member.holder.key)
                && accounts.insert(member.account)
        });
        new.count()
    }

    /// Returns the place that an account still has once everything that has run out is taken back.
    fn account_lives_on(&self, now: Instant, account: Key) -> Option<Number> {
        let number = self.living_of_account(account)?;
        (!self.has_run_out(now, number)).then_some(number)
    }

    /// Returns the account's place if it moves to this device. See the table above.
    fn takes_over(&self, now: Instant, member: &Member) -> Option<Number> {
        let theirs = self.account_lives_on(now, member.account)?;
        let own = self.lives_on(now, member.holder.key);
        if own.is_some_and(|own| self.account_of(own).is_some()) {
            return None;
        }
        let has_permit = |number: Number| self.permits.of_number(number).is_some();
        let is_busy = has_permit(theirs) || own.is_some_and(has_permit);
        let moves = match member.comes {
            Comes::ByButton => true,
            Comes::Back if own.is_none() => false,
            Comes::Back | Comes::Anew => !is_busy || planted::is(Bug::TakenWithoutAButton),
        };
        moves.then_some(theirs)
    }

    /// Decides [`Command::JoinAs`] for one member, or for several who are due numbers. [`perform_joins`](Self::perform_joins) decides which
    /// place a device leaves.
    pub(super) fn decide_join_as(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        into: (LaneId, LobbyId),
        members: &[Member],
    ) {
        let new = self.newcomers(now, members);
        let (new, others) = members.split_at(new);
        if let (0, Some(member)) = (new.len(), others.first()) {
            events.extend(self.decide_known(now, member));
            return;
        }
        self.collect_for(events, now, new.iter().map(|member| member.holder.key));
        self.issue_as(events, into, new);
    }

    /// Adds the facts that these [`newcomers`](Self::newcomers) get numbers, which are their accounts'. The line takes as many from the head as it has
    /// room for.
    fn issue_as(&self, events: &mut Vec<Event>, (lane, lobby): (LaneId, LobbyId), new: &[Member]) {
        let Some(first) = self.next_in(lane) else {
            return;
        };
        let most = new.len().min(self.room_left(first, 0));
        let (new, _) = new.split_at(most);
        let holders = new.iter().map(|member| member.holder);
        Self::issue(events, lobby, first, holders.collect());
        if !new.is_empty() {
            let tickets = (0..).zip(new).map(|(offset, _)| first.plus(offset));
            events.push(Event::Owned {
                tickets: tickets.collect(),
                accounts: new.iter().map(|member| member.account).collect(),
            });
        }
    }

    /// Decides a join of a member who has a place or whose account has one.
    fn decide_known(&self, now: Instant, member: &Member) -> Option<Event> {
        if let Some(place) = self.takes_over(now, member) {
            return Some(self.carried_to(place, member.holder));
        }
        let own = self.lives_on(now, member.holder.key)?;
        let is_free = self.account_lives_on(now, member.account).is_none();
        (is_free && self.account_of(own).is_none()).then(|| Event::Owned {
            tickets: vec![own],
            accounts: vec![member.account],
        })
    }

    /// Decides a walk-in for an account that has no place. The ticket becomes the account's.
    pub(super) fn decide_walk_in_as(
        &self,
        events: &mut Vec<Event>,
        now: Instant,
        into: (LaneId, LobbyId),
        member: &Member,
    ) {
        let has_place = self.lives_on(now, member.holder.key).is_some();
        if has_place || self.account_lives_on(now, member.account).is_some() {
            let moves = self.takes_over(now, member).is_some();
            return events.extend(self.decide_known(now, member).filter(|_| !moves));
        }
        let decided = events.len();
        self.decide_walk_in(events, now, into, member.holder);
        let walked = events.iter().skip(decided).find_map(|event| match event {
            Event::WalkedIn { number, .. } => Some(*number),
            _ => None,
        });
        events.extend(walked.map(|number| Event::Owned {
            tickets: vec![number],
            accounts: vec![member.account],
        }));
    }

    /// Returns the event that gives a place to this holder, under a new fence if it has a permit.
    pub(super) fn carried_to(&self, number: Number, to: Holder) -> Event {
        let next = self.last_fence().next();
        let permit = self.permits.of_number(number);
        Event::Carried {
            number,
            fences: permit.map(|(fence, _)| (fence, next)),
            to: Some(to),
        }
    }

    /// Returns why this device does not hold the account's place in this lobby, or `None` if it does.
    pub(super) fn why_none_as(
        &self,
        (lane, lobby): (LaneId, LobbyId),
        member: &Member,
    ) -> Option<NoTicket> {
        let elsewhere = || {
            let theirs = self.living_of_account(member.account)?;
            Some(NoTicket::Elsewhere(self.reached(theirs)))
        };
        match self.own_place(member.holder.key) {
            Some((_, of)) if of != lobby => Some(NoTicket::At(of)),
            Some((Held { number, .. }, _)) => match self.account_of(number) {
                Some(account) if account == member.account => None,
                Some(_) => Some(NoTicket::Another),
                None => elsewhere(),
            },
            None => elsewhere().or_else(|| self.why_none((lane, lobby), member.holder.key)),
        }
    }

    /// Returns how far a living ticket has come.
    fn reached(&self, number: Number) -> Reached {
        match self.permits.of_number(number) {
            Some((_, grant)) if grant.is_called() => Reached::Called,
            Some(_) => Reached::Admitted,
            None if number.is_entry() => Reached::Hall,
            None => Reached::Waiting,
        }
    }
}
