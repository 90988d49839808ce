//! How people come in: one way for all, in named steps. What has run out is taken back; each person's place is found; it moves here, or a number is
//! issued; whose it is and which voucher was spent on it are noted; and whoever waits behind the lane that they come into moves to its end.
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
use super::cap::numbers_left;
use super::decide::Case;
use super::lanes::Lane;
use super::seen::Seen;
use super::vouchers::Found;
use facts::command::Command;
use facts::config::Mode;
use facts::enter::{Account, Enter, Enters, Person, Who};
use facts::event::{Event, From, Row};
use facts::holder::{Comes, Held, Holder, Key};
use facts::limits::{JOIN_COUNT_MAX, PERMITS_MAX};
use facts::planted::{self, Bug};
use facts::reply::NoTicket;
use facts::units::{Instant, LaneId, LobbyId, Number};
use facts::voucher::{Spend, Unspent};

/// People who come in through one lobby, and the row that says so: each fact changes the room and stands in the row at once, so the next step is decided
/// by what the one before it did.
pub(super) struct Entrance<'t> {
    pub(super) room: &'t mut Room,
    pub(super) now: Instant,
    pub(super) lobby: LobbyId,
    pub(super) row: &'t mut Row,
}

impl Entrance<'_> {
    /// Brings people in, in order. Those who are due numbers one after the other get them in one fact. O(people · log n), plus what has run out.
    pub(super) fn admit(&mut self, enter: &Enter) {
        let lane = self.room.tickets.lanes().named(enter.lane);
        let most = match enter.how {
            Enters::Join => JOIN_COUNT_MAX as usize,
            Enters::WalkIn => 1,
        };
        let who = enter.who.iter().take(most);
        let own = match enter.who {
            Who::Plain(_) => self.collect_for(who.clone()),
            Who::People(_) => {
                // A voucher that gives no place leads to nothing, and so takes nothing back either.
                let heard = who.clone().filter(|person| {
                    let spend = person.spend.as_ref();
                    spend.is_none_or(|spend| self.room.vouchers.find(spend).is_ok())
                });
                let heard: Vec<Person> = heard.collect();
                self.collect_for(heard.iter().copied())
            }
        };
        match (enter.how, &enter.who) {
            (Enters::Join, Who::Plain(holders)) => self.join_plain(lane, holders.iter().copied().zip(own)),
            (Enters::Join, Who::People(people)) => self.join_all(lane, people.get(..most).unwrap_or(people)),
            (Enters::WalkIn, _) => {
                let first = who.into_iter().next();
                return first.map_or((), |person| self.walk_in(lane, &person));
            }
        }
        if enter.lane.is_some() {
            let by_lane = who.filter(|person| person.spend.is_none());
            self.raise(lane, by_lane.map(|person| person.holder.key));
        }
    }

    fn case(&self) -> Case<'_> {
        self.room.case(self.now)
    }

    fn commit(&mut self, events: impl IntoIterator<Item = Event>) {
        self.room.commit(events, self.row);
    }

    /// Takes back everything that has run out if that includes a lease of these people or their accounts: nobody may be told to be inside by a lease
    /// that is over. Returns the living ticket of each.
    fn collect_for(&mut self, who: impl Iterator<Item = Person> + Clone) -> Vec<Option<Number>> {
        let Case { tickets, book, now, .. } = self.case();
        let keys = who.clone().map(|person| person.holder.key);
        let accounts = who.filter_map(|person| Some(person.account?.key));
        book.accounts().approach(accounts.clone());
        let own = book.living_of_each(tickets, keys.clone());
        let theirs = accounts.filter_map(|account| book.living_of_account(tickets, account));
        let mut places = own.iter().flatten().copied().chain(theirs);
        if !places.any(|number| tickets.has_run_out(now, number)) {
            return own;
        }
        self.commit(self.case().collect());
        let Case { tickets, book, .. } = self.case();
        book.living_of_each(tickets, keys)
    }

    /// Gives a number to each of these holders who has none; each comes with the living ticket that they have.
    fn join_plain(&mut self, lane: LaneId, holders: impl Iterator<Item = (Holder, Option<Number>)>) {
        let case = self.case();
        let Some(first) = case.tickets.lanes().next_in(lane, case.config.mode) else {
            return;
        };
        let has_place = |own| {
            let own = case.still(own);
            let elsewhere = planted::is(Bug::TwoPlacesByLane);
            own.is_some_and(|number| !elsewhere || number.lane() == lane)
        };
        let mut seen = Seen::default();
        let new = holders.filter(|(holder, own)| !has_place(*own) && seen.insert(holder.key));
        let new = new
            .take(case.tickets.lanes().room_left(first, case.config.line_max))
            .map(|(holder, _)| holder);
        self.commit(issued(self.lobby, first, new.collect()));
    }

    /// Lets people join some of whom come for an account or with a voucher.
    fn join_all(&mut self, lane: LaneId, people: &[Person]) {
        let mut left = people;
        while let Some(person) = left.first() {
            let new = self.case().newcomers(left);
            let (group, later) = left.split_at(new.max(1));
            if new > 0 {
                self.commit(self.case().issue((lane, self.lobby), group, None));
            } else {
                self.join_one(person);
            }
            left = later;
        }
    }

    /// Lets somebody join who has a place, or whose account has one, or who comes with a voucher. A voucher that gives no place leads to nothing.
    fn join_one(&mut self, person: &Person) {
        if let Some(spend) = &person.spend {
            let Ok(found) = self.room.vouchers.find(spend) else {
                return;
            };
            let case = self.case();
            if !case.has_place(person) {
                let into = (case.lane_by(spend), self.lobby);
                let alone = core::slice::from_ref(person);
                return self.commit(case.issue(into, alone, Some(found)));
            }
        }
        match self.case().takes_over(person) {
            // Two steps, as with a link: this device first leaves its own place, whose permit may go to the very place that moves.
            Some(place) => {
                if let Some((own, lobby)) = self.case().own_place(person.holder.key)
                    && !planted::is(Bug::AnonymousPlaceKept)
                {
                    self.room.step(self.now, &Command::Leave(own), lobby, self.row);
                }
                self.commit([self.case().carried_to(place, person.holder)]);
            }
            None => self.commit(self.case().becomes_owned(person)),
        }
        if let Some(spend) = &person.spend {
            self.raise_with(person.holder, spend);
        }
    }

    /// Lets somebody walk in who has no place, and whose account has none. If no permit is free, it first takes back what has run out, without waiting
    /// for the usher. A blocking pop from a list of permits cures its leaks in the same way.
    fn walk_in(&mut self, lane: LaneId, person: &Person) {
        let (mut lane, mut found) = (lane, None);
        if let Some(spend) = &person.spend {
            let Ok(voucher) = self.room.vouchers.find(spend) else {
                return;
            };
            (lane, found) = (self.case().lane_by(spend), Some(voucher));
        }
        if self.case().has_place(person) {
            return self.commit(self.case().becomes_owned(person));
        }
        if self.room.tickets.permits().free() == 0 {
            self.commit(self.case().collect());
        }
        let mut events = Vec::new();
        let case = self.case();
        let number = case.decide_walk_in(&mut events, (lane, self.lobby), person.holder);
        case.note_spent(&mut events, found, number);
        events.extend(number.and_then(|number| owned([(number, person)].into_iter())));
        self.commit(events);
    }

    /// Moves the waiting tickets that these keys have in this lobby to the end of a lane, where that lane is better than theirs and people come into it.
    /// O(keys · log n).
    fn raise(&mut self, lane: LaneId, keys: impl Iterator<Item = Key>) {
        for key in keys {
            let moved = self.case().better_place(lane, key, self.lobby);
            self.commit(moved.map(|(from, to)| Event::Moved { from, to }));
        }
    }

    /// Moves the waiting ticket that the holder has in this lobby to the end of the voucher's lane, if that lane is better. The new number spends the
    /// voucher. O(sheets · log codes + log n).
    fn raise_with(&mut self, holder: Holder, spend: &Spend) {
        let case = self.case();
        let found = case.vouchers.find(spend);
        let moves = case.better_place(case.lane_by(spend), holder.key, self.lobby);
        let (Ok(found), Some((from, to))) = (found, moves) else {
            return;
        };
        let mut events = vec![Event::Moved { from, to }];
        case.note_spent(&mut events, Some(found), Some(to));
        self.commit(events);
    }
}

impl Case<'_> {
    /// Returns whether a walk-in into this lane would succeed now. O(lanes).
    #[must_use]
    pub fn lets_walk_in(&self, lane: LaneId) -> bool {
        self.may_walk_in(self.tickets.lanes().lane(lane)) && (self.tickets.permits().free() > 0 || self.makes_permits())
    }

    /// Returns whether the room makes a permit for a visitor when none is free: nobody waits while the room only observes.
    pub(super) fn makes_permits(&self) -> bool {
        self.config.mode == Mode::Observe && self.tickets.permits().out_count() < PERMITS_MAX
    }

    /// Returns whether settings, mode, pace, the origin's health and those who wait allow a walk-in now. An observed visitor is never held up.
    pub(super) fn may_walk_in(&self, lane: &Lane) -> bool {
        let mode = self.config.mode;
        match lane.mode(mode) {
            Mode::Open => {
                let past = planted::is(Bug::WalkInPastALane);
                let waiting = if past {
                    lane.line.present()
                } else {
                    self.tickets.lanes().callable(mode)
                };
                let calls = lane.calls(mode) && self.allowance.allows(self.now, self.config) > 0;
                self.config.walk_in && calls && waiting == 0
            }
            Mode::Observe => true,
            _ => false,
        }
    }

    /// Returns the ticket that a key still holds once everything that has run out is taken back.
    pub(super) fn lives_on(&self, key: Key) -> Option<Number> {
        self.still(self.book.living_of(self.tickets, key))
    }

    /// Returns this living ticket of a key, unless it is over once everything that has run out is taken back.
    fn still(&self, living: Option<Number>) -> Option<Number> {
        let number = living.filter(|_| !planted::is(Bug::KeyTwice))?;
        (!self.tickets.has_run_out(self.now, number)).then_some(number)
    }

    /// Returns the place that an account still has once everything that has run out is taken back.
    fn account_lives_on(&self, account: Key) -> Option<Number> {
        let number = self.book.living_of_account(self.tickets, account)?;
        (!self.tickets.has_run_out(self.now, number)).then_some(number)
    }

    /// Returns whether a person has a place, or their account has one.
    fn has_place(&self, person: &Person) -> bool {
        let account = person.account.map(|account| account.key);
        let theirs = || account.and_then(|account| self.account_lives_on(account));
        self.lives_on(person.holder.key).is_some() || theirs().is_some()
    }

    /// Counts the people at the head who are due a number, and spend no voucher on it. O(people · log n).
    fn newcomers(&self, people: &[Person]) -> usize {
        let (mut keys, mut accounts) = (Seen::default(), Seen::default());
        let new = people.iter().take_while(|person| {
            person.spend.is_none()
                && !self.has_place(person)
                && keys.insert(person.holder.key)
                && person.account.is_none_or(|of| accounts.insert(of.key))
        });
        new.count()
    }

    /// Returns the facts that these people get numbers, for which a voucher is spent, and which are their accounts'. The line takes as many from the head
    /// as it has room for.
    fn issue(&self, (lane, lobby): (LaneId, LobbyId), new: &[Person], voucher: Option<Found>) -> Vec<Event> {
        let Some(first) = self.tickets.lanes().next_in(lane, self.config.mode) else {
            return Vec::new();
        };
        let (new, _) = new.split_at(new.len().min(self.tickets.lanes().room_left(first, self.config.line_max)));
        let holders = new.iter().map(|person| person.holder);
        let mut events = Vec::from_iter(issued(lobby, first, holders.collect()));
        self.note_spent(&mut events, voucher, (!new.is_empty()).then_some(first));
        events.extend(owned((0..).map(|offset| first.plus(offset)).zip(new)));
        events
    }

    fn decide_walk_in(&self, events: &mut Vec<Event>, (lane, lobby): (LaneId, LobbyId), holder: Holder) -> Option<Number> {
        let past = planted::is(Bug::WalkInPastTheLine) && self.may_call();
        let lane = self.tickets.lanes().lane(lane);
        let welcome = self.may_walk_in(lane) || past;
        let number = lane.line.next();
        let free = self.tickets.permits().free();
        // Who walks in never waits, so no cap of the line counts.
        if !welcome || (free == 0 && !self.makes_permits()) || self.tickets.lanes().tickets_left(number) == 0 {
            return None;
        }
        events.push(Event::WalkedIn {
            lobby,
            number,
            fence: self.tickets.permits().minted().next(),
            from: match (self.tickets.permits().hand(), free) {
                (0, 0) => From::Nowhere,
                (0, _) => From::Tray,
                _ => From::Hand,
            },
            holder: Some(holder),
        });
        Some(number)
    }

    /// Returns the account's place if it moves to this device. See the table above.
    fn takes_over(&self, person: &Person) -> Option<Number> {
        let Account { key, comes } = person.account?;
        let theirs = self.account_lives_on(key)?;
        let own = self.lives_on(person.holder.key);
        if own.is_some_and(|own| self.tickets.account_of(own).is_some()) {
            return None;
        }
        let has_permit = |number: Number| self.tickets.permits().of_number(number).is_some();
        let is_busy = has_permit(theirs) || own.is_some_and(has_permit);
        let moves = match comes {
            Comes::ByButton => true,
            Comes::Back if own.is_none() => false,
            Comes::Back | Comes::Anew => !is_busy || planted::is(Bug::TakenWithoutAButton),
        };
        moves.then_some(theirs)
    }

    /// Returns the event that this device's own place becomes the account's, if neither has another.
    fn becomes_owned(&self, person: &Person) -> Option<Event> {
        let own = self.lives_on(person.holder.key)?;
        let is_free = self.account_lives_on(person.account?.key).is_none();
        let is_free = is_free && self.tickets.account_of(own).is_none();
        is_free.then(|| owned([(own, person)].into_iter()))?
    }

    /// Returns the event that gives a place to this holder, under a new fence if it has a permit.
    pub(super) fn carried_to(&self, number: Number, to: Holder) -> Event {
        let next = self.tickets.permits().minted().next();
        let permit = self.tickets.permits().of_number(number);
        Event::Carried {
            number,
            fences: permit.map(|(fence, _)| (fence, next)),
            to: Some(to),
        }
    }

    /// Returns why somebody who came like this has no living ticket in this lobby, or not their account's, or none in a better lane; `None` if nothing
    /// is wrong. `living` is the living ticket of their key.
    pub(super) fn why_none(&self, (lane, lobby): (LaneId, LobbyId), person: &Person, living: Option<Number>) -> Option<NoTicket> {
        let lane = person.spend.as_ref().map_or(lane, |by| self.lane_by(by));
        let why = match living.and_then(|number| self.tickets.lobby_of(number)) {
            Some(of) if of != lobby => return Some(NoTicket::At(of)),
            Some(_) => None,
            None if self.tickets.lanes().next_in(lane, self.config.mode).is_none() => Some(NoTicket::Shut),
            None => Some(NoTicket::Full),
        };
        let unspent = || self.vouchers.find(person.spend.as_ref()?).err();
        match (self.why_not_theirs(person, living, why), unspent()) {
            (Some(NoTicket::Full), Some(unspent)) => Some(NoTicket::Unspent(unspent)),
            (None, Some(unspent)) if self.could_be_better(lane, living, unspent) => Some(NoTicket::Unspent(unspent)),
            (why, _) => why,
        }
    }

    /// Returns why this device does not hold its account's place, or else `why`.
    fn why_not_theirs(&self, person: &Person, living: Option<Number>, why: Option<NoTicket>) -> Option<NoTicket> {
        let Some(Account { key, .. }) = person.account else {
            return why;
        };
        match living.and_then(|own| self.tickets.account_of(own)) {
            Some(of) if of == key => why,
            Some(_) => Some(NoTicket::Another),
            None => {
                let theirs = self.book.living_of_account(self.tickets, key);
                let reached = theirs.map(|theirs| NoTicket::Elsewhere(self.tickets.reached(theirs)));
                reached.or(why)
            }
        }
    }

    /// Returns the living place of a device, with its lobby.
    pub(super) fn own_place(&self, key: Key) -> Option<(Held, LobbyId)> {
        let number = self.book.living_of(self.tickets, key)?;
        Some((Held { number, key }, self.tickets.lobby_of(number)?))
    }

    /// Returns the ticket that moves and its number in the better lane, or `None` if it must not move.
    fn better_place(&self, lane: LaneId, key: Key, lobby: LobbyId) -> Option<(Number, Number)> {
        let number = self.lives_on(key)?;
        let to = self.tickets.lanes().next_in(lane, self.config.mode)?;
        let moves = self.tickets.lanes().may_move(number, to, self.config.mode) && self.tickets.lobby_of(number) == Some(lobby);
        (moves && numbers_left(to) > 0).then_some((number, to))
    }

    /// Adds the fact that this voucher was spent on the number issued, if one was.
    fn note_spent(&self, events: &mut Vec<Event>, found: Option<Found>, issued: Option<Number>) {
        let for_nothing = || planted::is(Bug::SpentForNothing).then_some(Number(0));
        let number = issued.filter(|_| !planted::is(Bug::NumberWithoutSpending)).or_else(for_nothing);
        if let (Some(found), Some(number)) = (found, number) {
            events.push(self.vouchers.spends(found, number));
        }
    }

    /// Returns true if another voucher than this could move a ticket: it waits behind this voucher's lane or, if this voucher is unknown, behind any
    /// lane.
    fn could_be_better(&self, lane: LaneId, own: Option<Number>, unspent: Unspent) -> bool {
        let own = own.filter(|own| self.tickets.lanes().waits(*own));
        own.is_some_and(|own| match unspent {
            Unspent::Unknown => self.tickets.lanes().is_behind_any(own.lane()),
            _ => self.tickets.lanes().is_better(lane, own.lane()),
        })
    }

    /// Returns the lane of a voucher: the one that it names, if the list has it, else everybody's. O(sheets · log codes).
    fn lane_by(&self, spend: &Spend) -> LaneId {
        self.tickets.lanes().named(self.vouchers.lane_of(&spend.voucher))
    }
}

/// Returns the fact that these holders get numbers from `first` on, if there are any.
fn issued(lobby: LobbyId, first: Number, holders: Vec<Holder>) -> Option<Event> {
    let count = holders.len() as u32;
    let issued = if first.is_entry() {
        Event::Entered {
            lobby,
            first,
            count,
            holders,
        }
    } else {
        Event::Joined {
            lobby,
            first,
            count,
            holders,
        }
    };
    (count > 0).then_some(issued)
}

/// Returns the fact that these tickets become their accounts', if anybody came for one.
fn owned<'a>(tickets: impl Iterator<Item = (Number, &'a Person)>) -> Option<Event> {
    let tickets = tickets.filter_map(|(number, of)| Some((number, of.account?.key)));
    let (tickets, accounts): (Vec<Number>, Vec<Key>) = tickets.unzip();
    (!tickets.is_empty()).then_some(Event::Owned { tickets, accounts })
}
