//! Who is there: sockets, held polls, and the linger that a refresh or a lift ride needs; and what the room must be told of it. Presence is
//! *levelled*, not signalled: after every message the lobby compares who is there with what the room thinks, and says the difference.

use super::keys;
use super::ticket::{Phase, Ticket};
use super::timers::Timer;
use super::{Lobby, Moment, SILENT_AFTER_MS};
use facts::command::Command;
use facts::holder::{Holder, Key, Salt, Shown};
use facts::ordered::filled;
use facts::planted::{self, Bug};
use facts::units::{Instant, Number, VisitorId};
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

/// Every visitor who is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Guests {
    by_name: BTreeMap<VisitorId, Guest>,
    by_key: BTreeMap<Key, VisitorId>,
    sockets: u64,
    /// Visitors whom the list calls present and who have not come back yet.
    expected: BTreeSet<Key>,
    /// Visitors whom nobody need expect: their sockets had been silent for long when this life began.
    silent: BTreeSet<VisitorId>,
}

impl Guests {
    pub const fn sockets(&self) -> u64 {
        self.sockets
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

    pub fn iter(&self) -> impl Iterator<Item = (VisitorId, &Guest)> {
        self.by_name.iter().map(|(visitor, guest)| (*visitor, guest))
    }

    /// Whether this holder is there, or may still come back after a list. O(log guests).
    pub fn is_there(&self, key: Key) -> bool {
        self.by_key.contains_key(&key) || self.expected.contains(&key)
    }

    /// Returns the guest for this visitor, adding one if there is none. O(log guests).
    fn entry(&mut self, visitor: VisitorId, holder: Holder) -> &mut Guest {
        let by_key = &mut self.by_key;
        self.by_name.entry(visitor).or_insert_with(|| {
            by_key.insert(holder.key, visitor);
            Guest { holder, ..Guest::default() }
        })
    }

    fn remove(&mut self, visitor: VisitorId) {
        if let Some(guest) = self.by_name.remove(&visitor) {
            self.by_key.remove(&guest.holder.key);
        }
    }

    /// Makes all keys anew with another salt. O(guests · log guests).
    pub fn rekey(&mut self, salt: Salt) {
        for (visitor, guest) in &mut self.by_name {
            guest.holder = keys::holder(salt, *visitor);
        }
        self.by_key = filled(self.by_name.iter().map(|(visitor, guest)| (guest.holder.key, *visitor)));
        self.expected.clear();
    }

    /// Notes the place that the visitor's sockets show now. O(log guests).
    pub fn shows(&mut self, visitor: VisitorId, shown: Option<Shown>) {
        if let Some(guest) = self.by_name.get_mut(&visitor)
            && guest.shown.map(|s| (s.edition, s.number)) != shown.map(|s| (s.edition, s.number))
        {
            guest.shown = shown;
        }
    }

    /// Notes that the lobby is closing all sockets of a guest. O(log guests).
    pub fn sockets_closed(&mut self, visitor: VisitorId) {
        if let Some(guest) = self.by_name.get_mut(&visitor) {
            self.sockets = self.sockets.saturating_sub(guest.sockets.into());
            guest.sockets = 0;
        }
    }
}

impl Lobby {
    /// Notes that a visitor's socket opened, or was found when the object came into memory. `shown` is the place it shows. O(log guests).
    pub fn handle_socket_opened(&mut self, m: Moment, visitor: VisitorId, shown: Option<Shown>) {
        let holder = self.holder_of(visitor);
        let guest = self.guests.entry(visitor, holder);
        guest.sockets += 1;
        guest.shown = shown.or(guest.shown);
        let key = guest.holder.key;
        self.guests.sockets += 1;
        self.timers.cancel(Timer::Linger(visitor));
        self.replica.note_seen(key);
        self.replica.look_at(key);
        self.slides_later(m.now, key);
        self.awake(m);
        self.settle(m);
    }

    /// Notes that a visitor's socket closed. The visitor is away only after the linger. O(log guests).
    pub fn handle_socket_closed(&mut self, m: Moment, visitor: VisitorId) {
        if let Some(guest) = self.guests.by_name.get_mut(&visitor)
            && guest.sockets > 0
        {
            guest.sockets -= 1;
            self.guests.sockets -= 1;
            self.let_linger(m.now, visitor);
        }
        self.settle(m);
    }

    /// Notes that a visitor's socket was closed because it had been silent for [`SILENT_AFTER_MS`]. Unless the visitor was seen meanwhile, so much of
    /// the linger is over. O(log guests).
    pub fn handle_socket_silent(&mut self, m: Moment, visitor: VisitorId) {
        if let Some(guest) = self.guests.by_name.get_mut(&visitor)
            && guest.sockets > 0
        {
            guest.sockets -= 1;
            self.guests.sockets -= 1;
            if !guest.holds() {
                let heard_at = Instant(m.now.0.saturating_sub(SILENT_AFTER_MS));
                let over_at = guest.seen_at.max(heard_at).plus_ms(self.config.linger_ms);
                self.timers.set(Timer::Linger(visitor), over_at);
            }
        }
        self.settle(m);
    }

    /// Notes that a socket was closed as the object came into memory, because it had been silent for [`SILENT_AFTER_MS`]. O(log sockets).
    pub fn handle_silent_found(&mut self, m: Moment, visitor: VisitorId) {
        if self.config.linger_ms <= SILENT_AFTER_MS {
            self.guests.silent.insert(visitor);
        }
        self.awake(m);
        self.settle(m);
    }

    /// Takes a word from a visitor's page: the page is awake. O(log guests).
    pub fn handle_word(&mut self, m: Moment, visitor: VisitorId) {
        self.awake(m);
        self.sees(m.now, visitor, true);
        self.settle(m);
    }

    /// Notes that a poll is being held. While it is, it is as good as a socket.
    pub(super) fn holds_poll(&mut self, now: Instant, visitor: VisitorId) {
        self.sees(now, visitor, false);
        if let Some(guest) = self.guests.by_name.get_mut(&visitor) {
            guest.polls += 1;
            self.timers.cancel(Timer::Linger(visitor));
        }
    }

    pub(super) fn poll_is_over(&mut self, now: Instant, visitor: VisitorId) {
        if let Some(guest) = self.guests.by_name.get_mut(&visitor) {
            guest.polls = guest.polls.saturating_sub(1);
            self.let_linger(now, visitor);
        }
    }

    /// Notes that a visitor was seen, and looks again after the linger.
    pub(super) fn sees(&mut self, now: Instant, visitor: VisitorId, speaks: bool) {
        let holder = self.holder_of(visitor);
        let guest = self.guests.entry(visitor, holder);
        let key = guest.holder.key;
        self.guests.expected.remove(&key);
        if speaks {
            self.replica.speaks(key);
        }
        self.replica.look_at(key);
        self.let_linger(now, visitor);
    }

    /// Notes a sign of life, from which on the visitor lingers unless it holds something.
    fn let_linger(&mut self, now: Instant, visitor: VisitorId) {
        let Some(guest) = self.guests.by_name.get_mut(&visitor) else {
            return;
        };
        guest.seen_at = now;
        if !guest.holds() {
            self.timers.set(Timer::Linger(visitor), now.plus_ms(self.config.linger_ms));
        }
    }

    /// Removes a guest whose linger is over and who holds nothing.
    pub(super) fn linger_ended(&mut self, now: Instant, visitor: VisitorId) {
        let Some(guest) = self.guests.by_name.get(&visitor).filter(|guest| !guest.holds()) else {
            return;
        };
        let key = guest.holder.key;
        self.guests.remove(visitor);
        self.timers.cancel(Timer::Slide(visitor));
        let last_seen = Instant(now.0.saturating_sub(self.config.linger_ms));
        self.replica.note_gone(key, last_seen);
        self.replica.look_at(key);
    }

    /// Gives everybody whom the list calls present a linger, and a spread, to come back. Only those whose sockets are known to be dead are away at once.
    pub(super) fn expects_all(&mut self, now: Instant) {
        let silent = core::mem::take(&mut self.guests.silent);
        let silent: BTreeSet<Key> = filled(silent.iter().map(|visitor| self.holder_of(*visitor).key));
        let waits = |ticket: &&Ticket| ticket.away == Some(false);
        let expected = self.replica.tickets().filter(waits).map(|ticket| ticket.holder.key);
        let gone = expected.filter(|key| !self.guests.by_key.contains_key(key) && !silent.contains(key));
        self.guests.expected = filled(gone);
        for key in silent {
            self.replica.look_at(key);
        }
        for key in self.guests.by_key.keys() {
            self.replica.note_seen(*key);
        }
        self.timers.cancel(Timer::Expected);
        if !self.guests.expected.is_empty() {
            let linger_ms = self.config.linger_ms.saturating_add(self.config.spread_ms);
            self.timers.set(Timer::Expected, now.plus_ms(linger_ms));
        }
    }

    /// Counts those who have not come back by now as gone.
    pub(super) fn expected_are_gone(&mut self) {
        for key in core::mem::take(&mut self.guests.expected) {
            self.replica.look_at(key);
        }
    }

    /// Returns the difference between who is there and what the room thinks, as a command with its numbers, or `None` if
    /// there is none. O(tickets that moved · log tickets).
    pub(super) fn presence(&mut self) -> Option<(Command, Vec<(Number, bool)>)> {
        let as_of = self.replica.have();
        let (mut here, mut away, mut said) = (Vec::new(), Vec::new(), Vec::new());
        for number in self.replica.take_moved() {
            let Some(ticket) = self.replica.of_number(number).copied() else {
                continue;
            };
            let Some(is_here) = self.differs(&ticket) else {
                continue;
            };
            let held = ticket.held();
            if is_here {
                here.push(held);
            } else {
                away.push(held);
            }
            said.push((number, !is_here));
            self.replica.presence_said(number);
        }
        (!said.is_empty()).then_some((Command::Presence { as_of, here, away }, said))
    }

    /// Returns whether the holder is there if the room must be told so, or `None` if it need not. A page that slept through its call
    /// is not there before it has spoken, whatever socket it holds.
    fn differs(&self, ticket: &Ticket) -> Option<bool> {
        let Phase::Waiting { missed } = ticket.phase else {
            return None;
        };
        let key = ticket.holder.key;
        let slept = missed && !ticket.spoke && !planted::is(Bug::SleeperIsThere);
        match (ticket.away, self.guests.is_there(key)) {
            (Some(true) | None, true) => (!slept).then_some(true),
            (Some(false) | None, false) => Some(false),
            (Some(false), true) | (Some(true), false) => None,
        }
    }

    /// Slides the lease of a guest who is there, with the next batch. Sets the timer anew, in case the batch or its answer is lost: the answer
    /// sets it to a later time.
    pub(super) fn slides(&mut self, now: Instant, visitor: VisitorId) {
        let Some(guest) = self.guests.get(visitor).filter(|guest| guest.holds()) else {
            return;
        };
        let key = guest.holder.key;
        let phase = self.replica.of_key(key).map(|ticket| ticket.phase);
        if let Some(Phase::Admitted { fence, .. }) = phase {
            self.sliding.insert(fence);
            self.slides_later(now, key);
        }
    }

    /// Sets the timer at which the lease of a holder who is there slides: when half of its idle time is gone. Whoever holds a socket has
    /// brought a cookie, so a provisional lease slides too, and by that is an ordinary one.
    pub(super) fn slides_later(&mut self, now: Instant, key: Key) {
        let Some((visitor, guest)) = self.guests.of_key(key) else {
            return;
        };
        let phase = self.replica.of_key(key).map(|ticket| ticket.phase);
        match phase {
            Some(Phase::Admitted { idle_end, hard_end, .. }) if guest.holds() && idle_end < hard_end => {
                let half_ms = (idle_end.since_ms(now) / 2).max(SLIDE_MS_MIN);
                self.timers.set(Timer::Slide(visitor), now.plus_ms(half_ms));
            }
            _ => self.timers.cancel(Timer::Slide(visitor)),
        }
    }
}
