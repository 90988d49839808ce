//! Who is there: sockets, held polls, and the linger that a refresh or a lift ride needs; and what the room must be told of it. Presence is
//! *levelled*, not signalled: after every message the lobby compares who is there with what the room thinks, and says the difference.

use super::SILENT_AFTER_MS;
use super::keys::{self, LastHolder};
use super::replica::Replica;
use super::ticket::{Phase, Ticket};
use super::timers::{Timer, Timers};
use facts::command::Command;
use facts::holder::{Holder, Key, Salt, Shown, Tag};
use facts::ordered::filled;
use facts::planted::{self, Bug};
use facts::units::{AccountId, AddressTag, Fence, Instant, Number, VisitorId};
use facts::wire::Ask;
use std::collections::{BTreeMap, BTreeSet};

/// The least time before a lease slides, in ms. The lease of somebody who is there slides when half of its idle time is gone.
const SLIDE_MS_MIN: u64 = 500;

/// A visitor who is there, or was within the linger.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guest {
    pub holder: Holder,
    /// The number of open sockets.
    pub sockets: u32,
    /// The number of polls that are being held.
    pub polls: u32,
    /// The place that its sockets show.
    pub shown: Option<Shown>,
    /// The last sign of life but for a socket that is there.
    seen_at: Instant,
}

impl Guest {
    pub const fn holds(&self) -> bool {
        self.sockets > 0 || self.polls > 0
    }
}

/// Every visitor who is there, each under the key that the salt makes of its name. One who holds neither socket nor poll has a [`Timer::Linger`], and
/// nobody else has one.
#[derive(Clone, Debug, Default)]
pub(super) struct Guests {
    /// A visitor who is not seen for this long is away, in ms.
    linger_ms: u64,
    /// How much longer than that people have to come back after a list, in ms.
    spread_ms: u64,
    /// What keys are made with.
    salt: Salt,
    last_holder: LastHolder,
    by_name: BTreeMap<VisitorId, Guest>,
    by_key: BTreeMap<Key, VisitorId>,
    sockets: u64,
    /// Visitors whom the list calls present and who have not come back yet.
    expected: BTreeSet<Key>,
    /// Visitors whom nobody need expect: their sockets had been silent for long when this life began.
    silent: BTreeSet<VisitorId>,
}

impl Guests {
    /// Nobody, who will linger for so long, and after a list for `spread_ms` longer.
    pub fn new(linger_ms: u64, spread_ms: u64) -> Self {
        Self {
            linger_ms,
            spread_ms,
            ..Self::default()
        }
    }

    pub const fn sockets(&self) -> u64 {
        self.sockets
    }

    pub const fn linger_ms(&self) -> u64 {
        self.linger_ms
    }

    /// Whether there are any guests. O(1).
    pub fn are_there(&self) -> bool {
        !self.by_name.is_empty()
    }

    pub fn get(&self, visitor: VisitorId) -> Option<&Guest> {
        self.by_name.get(&visitor)
    }

    pub fn of_key(&self, key: Key) -> Option<(VisitorId, &Guest)> {
        let visitor = *self.by_key.get(&key)?;
        Some((visitor, self.by_name.get(&visitor)?))
    }

    pub fn names(&self) -> impl Iterator<Item = VisitorId> {
        self.by_name.keys().copied()
    }

    /// Whether this holder is there, or may still come back after a list. O(log guests).
    pub fn is_there(&self, key: Key) -> bool {
        self.by_key.contains_key(&key) || self.expected.contains(&key)
    }

    /// The holder that a visitor is, there or not. O(log guests).
    pub fn holder_of(&self, visitor: VisitorId) -> Holder {
        match self.get(visitor) {
            Some(Guest { holder, .. }) => *holder,
            None => self.last_holder.of(self.salt, visitor),
        }
    }

    /// The holder that an ask makes of its visitor: at the address from which it asks. O(log guests).
    pub fn holder_by(&self, ask: &Ask) -> Holder {
        let holder = self.holder_of(ask.visitor);
        let tag = ask.from.map_or(holder.tag, |from| self.tag_of(from));
        Holder { tag, ..holder }
    }

    /// The tag of an address. O(1).
    pub fn tag_of(&self, address: AddressTag) -> Tag {
        keys::tag(self.salt, address)
    }

    /// The key of an account. O(1).
    pub fn account_of(&self, account: AccountId) -> Key {
        keys::account(self.salt, account)
    }

    /// Returns the guest for this visitor, adding one if there is none. O(log guests).
    fn entry(&mut self, visitor: VisitorId) -> &mut Guest {
        let holder = self.holder_of(visitor);
        let by_key = &mut self.by_key;
        self.by_name.entry(visitor).or_insert_with(|| {
            by_key.insert(holder.key, visitor);
            Guest { holder, ..Guest::default() }
        })
    }

    /// Makes all keys anew if the salt is another. O(guests · log guests).
    pub fn rekey(&mut self, salt: Salt) {
        if salt == self.salt {
            return;
        }
        self.salt = salt;
        for (visitor, guest) in &mut self.by_name {
            guest.holder = keys::holder(salt, *visitor);
        }
        self.by_key = filled(self.by_name.iter().map(|(visitor, guest)| (guest.holder.key, *visitor)));
        self.expected.clear();
    }

    /// Notes the place that the visitor's sockets show now. O(log guests).
    pub fn show(&mut self, visitor: VisitorId, shown: Option<Shown>) {
        if let Some(guest) = self.by_name.get_mut(&visitor)
            && guest.shown.map(|s| (s.edition, s.number)) != shown.map(|s| (s.edition, s.number))
        {
            guest.shown = shown;
        }
    }

    /// Notes that a socket opened. `shown` is the place it shows. O(log guests).
    pub fn open(&mut self, now: Instant, visitor: VisitorId, shown: Option<Shown>, replica: &mut Replica, timers: &mut Timers) {
        let guest = self.entry(visitor);
        guest.sockets += 1;
        guest.shown = shown.or(guest.shown);
        let key = guest.holder.key;
        self.sockets += 1;
        timers.cancel(Timer::Linger(visitor));
        replica.note_seen(key);
        replica.look_at(key);
        self.slide_later(now, key, replica, timers);
    }

    /// Notes that a socket closed. `silent`: it had been silent for [`SILENT_AFTER_MS`], so unless the visitor was seen meanwhile, so much of the
    /// linger is over. O(log guests).
    pub fn close(&mut self, now: Instant, visitor: VisitorId, silent: bool, timers: &mut Timers) {
        let Some(guest) = self.by_name.get_mut(&visitor).filter(|guest| guest.sockets > 0) else {
            return;
        };
        guest.sockets -= 1;
        self.sockets -= 1;
        if !silent {
            return self.linger(now, visitor, timers);
        }
        if !guest.holds() {
            let heard_at = Instant(now.0.saturating_sub(SILENT_AFTER_MS));
            let over_at = guest.seen_at.max(heard_at).plus_ms(self.linger_ms);
            timers.set(Timer::Linger(visitor), over_at);
        }
    }

    /// Notes that the lobby is closing all sockets of a guest, who is seen by that. O(log guests).
    pub fn close_all(&mut self, now: Instant, visitor: VisitorId, replica: &mut Replica, timers: &mut Timers) {
        if let Some(guest) = self.by_name.get_mut(&visitor) {
            self.sockets = self.sockets.saturating_sub(guest.sockets.into());
            guest.sockets = 0;
        }
        self.see(now, visitor, false, replica, timers);
    }

    /// Notes that a socket was closed as the object came into memory, because it had been silent for [`SILENT_AFTER_MS`]. O(log sockets).
    pub fn find_silent(&mut self, visitor: VisitorId) {
        if self.linger_ms <= SILENT_AFTER_MS {
            self.silent.insert(visitor);
        }
    }

    /// Notes that a poll is being held. While it is, it is as good as a socket. O(log guests).
    pub fn hold_poll(&mut self, now: Instant, visitor: VisitorId, replica: &mut Replica, timers: &mut Timers) {
        self.see(now, visitor, false, replica, timers);
        self.entry(visitor).polls += 1;
        timers.cancel(Timer::Linger(visitor));
    }

    /// Notes that a poll is held no more. O(log guests).
    pub fn end_poll(&mut self, now: Instant, visitor: VisitorId, timers: &mut Timers) {
        if let Some(guest) = self.by_name.get_mut(&visitor) {
            guest.polls = guest.polls.saturating_sub(1);
            self.linger(now, visitor, timers);
        }
    }

    /// Notes that a visitor was seen, and looks again after the linger. O(log guests).
    pub fn see(&mut self, now: Instant, visitor: VisitorId, speaks: bool, replica: &mut Replica, timers: &mut Timers) {
        let key = self.entry(visitor).holder.key;
        self.expected.remove(&key);
        if speaks {
            replica.speaks(key);
        }
        replica.look_at(key);
        self.linger(now, visitor, timers);
    }

    /// Notes a sign of life, from which on the visitor lingers unless it holds something.
    fn linger(&mut self, now: Instant, visitor: VisitorId, timers: &mut Timers) {
        let Some(guest) = self.by_name.get_mut(&visitor) else {
            return;
        };
        guest.seen_at = now;
        if !guest.holds() {
            timers.set(Timer::Linger(visitor), now.plus_ms(self.linger_ms));
        }
    }

    /// Removes a guest whose linger is over and who holds nothing. O(log guests).
    pub fn end_linger(&mut self, now: Instant, visitor: VisitorId, replica: &mut Replica, timers: &mut Timers) {
        let Some(guest) = self.by_name.get(&visitor).filter(|guest| !guest.holds()) else {
            return;
        };
        let key = guest.holder.key;
        self.by_name.remove(&visitor);
        self.by_key.remove(&key);
        timers.cancel(Timer::Slide(visitor));
        replica.note_gone(key, Instant(now.0.saturating_sub(self.linger_ms)));
        replica.look_at(key);
    }

    /// Gives everybody whom the list calls present a linger, and a spread, to come back. Only those whose sockets are known to be dead are away at
    /// once. O(tickets · log guests).
    pub fn expect_all(&mut self, now: Instant, replica: &mut Replica, timers: &mut Timers) {
        let silent = core::mem::take(&mut self.silent);
        let silent: BTreeSet<Key> = filled(silent.iter().map(|visitor| self.holder_of(*visitor).key));
        let waits = |ticket: &&Ticket| ticket.away == Some(false);
        let expected = replica.tickets().filter(waits).map(|ticket| ticket.holder.key);
        let gone = expected.filter(|key| !self.by_key.contains_key(key) && !silent.contains(key));
        self.expected = filled(gone);
        silent.into_iter().for_each(|key| replica.look_at(key));
        self.by_key.keys().for_each(|key| replica.note_seen(*key));
        timers.cancel(Timer::Expected);
        if !self.expected.is_empty() {
            let linger_ms = self.linger_ms.saturating_add(self.spread_ms);
            timers.set(Timer::Expected, now.plus_ms(linger_ms));
        }
    }

    /// Counts those who have not come back by now as gone. O(expected · log tickets).
    pub fn end_expected(&mut self, replica: &mut Replica) {
        let expected = core::mem::take(&mut self.expected);
        expected.into_iter().for_each(|key| replica.look_at(key));
    }

    /// After a list, makes sure that all are told whose sockets show another place than the book has, or who have no place in it. O(guests · log tickets).
    pub fn retell(&self, replica: &mut Replica) {
        for guest in self.by_name.values().filter(|guest| guest.holds()) {
            let number = replica.of_key(guest.holder.key).map(|ticket| ticket.number);
            if number.is_none() || guest.shown.map(|shown| shown.number) != number {
                replica.queue_news(guest.holder.key);
            }
        }
    }

    /// Returns the difference between who is there and what the room thinks, as a command with its numbers, or `None` if
    /// there is none. O(tickets that moved · log tickets).
    pub fn presence(&self, replica: &mut Replica) -> Option<(Command, Vec<(Number, bool)>)> {
        let as_of = replica.have();
        let (mut here, mut away, mut said) = (Vec::new(), Vec::new(), Vec::new());
        for number in replica.take_moved() {
            let Some(ticket) = replica.of_number(number).copied() else {
                continue;
            };
            let Some(is_here) = self.differs(&ticket) else {
                continue;
            };
            if is_here { &mut here } else { &mut away }.push(ticket.held());
            said.push((number, !is_here));
            replica.presence_said(number);
        }
        (!said.is_empty()).then_some((Command::Presence { as_of, here, away }, said))
    }

    /// Returns whether the holder is there if the room must be told so, or `None` if it need not. A page that slept through its call
    /// is not there before it has spoken, whatever socket it holds.
    fn differs(&self, ticket: &Ticket) -> Option<bool> {
        let Phase::Waiting { missed } = ticket.phase else {
            return None;
        };
        let slept = missed && !ticket.spoke && !planted::is(Bug::SleeperIsThere);
        match (ticket.away, self.is_there(ticket.holder.key)) {
            (Some(true) | None, true) => (!slept).then_some(true),
            (Some(false) | None, false) => Some(false),
            (Some(false), true) | (Some(true), false) => None,
        }
    }

    /// Returns the lease of a guest who is there, which slides with the next batch, or `None` if none does. Sets the timer anew, in case the batch or
    /// its answer is lost: the answer sets it to a later time. O(log guests).
    pub fn slide(&self, now: Instant, visitor: VisitorId, replica: &Replica, timers: &mut Timers) -> Option<Fence> {
        let key = self.get(visitor).filter(|guest| guest.holds())?.holder.key;
        let Phase::Admitted { fence, .. } = replica.of_key(key)?.phase else {
            return None;
        };
        self.slide_later(now, key, replica, timers);
        Some(fence)
    }

    /// Sets the timer at which the lease of a holder who is there slides: when half of its idle time is gone. Whoever holds a socket has
    /// brought a cookie, so a provisional lease slides too, and by that is an ordinary one. O(log guests).
    pub fn slide_later(&self, now: Instant, key: Key, replica: &Replica, timers: &mut Timers) {
        let Some((visitor, guest)) = self.of_key(key) else {
            return;
        };
        let phase = replica.of_key(key).map(|ticket| ticket.phase);
        match phase {
            Some(Phase::Admitted { idle_end, hard_end, .. }) if guest.holds() && idle_end < hard_end => {
                let half_ms = (idle_end.since_ms(now) / 2).max(SLIDE_MS_MIN);
                timers.set(Timer::Slide(visitor), now.plus_ms(half_ms));
            }
            _ => timers.cancel(Timer::Slide(visitor)),
        }
    }
}
