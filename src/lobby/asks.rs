//! How an ask goes on, from the front's question to its answer: the lobby tells what it knows and asks the room for the rest.

use super::asking::{Progress, WaitsFor, Want, counts_as_seen, is_guess};
use super::limits::{NO_ROOM, Payer, who_gives_way};
use super::steps::{Case, Step};
use super::ticket::{Phase, Ticket};
use super::{Asker, Effect, Lobby, Moment, POLLS_PER_TICKET_MAX};
use facts::holder::Held;
use facts::units::{Instant, VisitorId};
use facts::wire::{Limited, Wish};

impl Lobby {
    /// Ends an ask that has waited for the room too long. The asker is told that the room can't be reached.
    pub(super) fn gives_up(&mut self, now: Instant, asker: Asker) {
        self.drop_ask(now, asker);
        self.effects.push_back(Effect::Answer(asker, None));
    }

    /// Goes on with these asks, in this order: the room was heard after they came.
    pub(super) fn go_on(&mut self, m: Moment, askers: Vec<Asker>) {
        for asker in askers {
            self.asks.hear(asker);
            self.proceed(m, asker);
        }
    }

    /// Drops an ask without an answer.
    pub(super) fn drop_ask(&mut self, now: Instant, asker: Asker) {
        if let Some(asking) = self.asks.remove(asker, &mut self.timers)
            && asking.waits_for == WaitsFor::Held
        {
            self.guests.end_poll(now, asking.ask.visitor, &mut self.timers);
        }
    }

    /// Takes an ask as far as it gets without the room. O(log tickets).
    pub(super) fn proceed(&mut self, m: Moment, asker: Asker) {
        let Some(asking) = self.asks.get(asker) else {
            return;
        };
        if !self.link.is_whole() {
            return self.asks.wait_for(asker, WaitsFor::News);
        }
        let case = Case::of(&asking.ask, &self.guests, &self.replica, &self.picture);
        if case.must_hear_first(m, &asking.progress) {
            self.batches.look();
            return self.asks.wait_for(asker, WaitsFor::News);
        }
        let (visitor, wish) = (asking.ask.visitor, asking.ask.wish);
        let is_back = asking.ask.shown.is_some() || matches!(wish, Wish::Status { .. } | Wish::Claim);
        if counts_as_seen(wish) {
            self.sees_visitor(m.now, visitor, is_back);
        }
        let Some(asking) = self.asks.get(asker) else {
            return;
        };
        let case = Case::of(&asking.ask, &self.guests, &self.replica, &self.picture);
        let permits = self.picture.lanes().gist().permits;
        let may_walk_in = || {
            let tag = case.holder().tag;
            self.rates.may_walk_in(&asking.ask, tag, permits, &self.replica, &self.asks)
        };
        match case.step(m, &asking.progress, may_walk_in) {
            Step::Tell => self.answer(m, asker, None),
            Step::Full => self.refuse(m, asker, |progress| progress.line_full = true),
            Step::Hold(wait_ms) => self.hold(m, asker, visitor, wait_ms),
            Step::Check(fence) => {
                if !self.checks.add(asker, fence, &mut self.asks) {
                    self.gives_up(m.now, asker);
                }
            }
            Step::Want(want @ (Want::Join | Want::WalkIn)) if case.ticket().is_none() && !self.asks.has_share(&asking.ask) => {
                self.charge(m, asker, want);
            }
            Step::Want(Want::Join) if is_guess(&asking.ask) && !asking.progress.guessed => {
                self.guesses(m, asker, wish);
            }
            Step::Want(want) => self.queue(m.now, asker, want),
        }
    }

    /// Goes on with a wish for a number: it is charged to whoever pays, and goes to the room if there is a share and room for it.
    fn charge(&mut self, m: Moment, asker: Asker, want: Want) {
        let Some(asking) = self.asks.get(asker) else {
            return;
        };
        let payer = Payer::of(&asking.ask);
        // The account's place may be here on another device, and then no ticket is added.
        if payer.account.is_some() && self.is_full() && !asking.progress.heard {
            self.batches.look();
            return self.asks.wait_for(asker, WaitsFor::News);
        }
        match self.take_share(m.now, payer) {
            // A visitor who has had its share is told so, and counted nowhere else.
            Some(limited) => self.answer(m, asker, Some(limited)),
            None if self.is_full() => self.refuse(m, asker, |progress| progress.lobby_full = true),
            None => {
                if let Some(asking) = self.asks.get_mut(asker) {
                    asking.progress.shared = true;
                    asking.progress.guessed = is_guess(&asking.ask);
                }
                self.queue(m.now, asker, want);
            }
        }
    }

    /// Charges one number to what the payer may take in a minute, and makes room for its ticket where its network is full. Returns `None`, or which share
    /// is used up. O(log n), plus the asks, and the tickets, if the address's tickets are limited.
    fn take_share(&mut self, now: Instant, payer: Payer) -> Option<Limited> {
        let limited = self.rates.refuse(now, payer);
        let limited = limited.or_else(|| self.lack_room(now, payer));
        let limited = limited.or_else(|| self.rates.guess(now, payer));
        if limited.is_none() {
            self.rates.spend(now, payer);
        }
        limited
    }

    /// Gives a neighbour's ticket up if the payer's network is full. Returns what the payer is told if nobody gives way. An account needs no room.
    fn lack_room(&mut self, now: Instant, payer: Payer) -> Option<Limited> {
        if payer.account.is_some() {
            return None;
        }
        let tag = self.guests.tag_of(payer.address);
        let network = self.rates.full_network(payer, tag, &self.replica, &self.asks)?;
        let neighbours = tag.within(network);
        let given_up = |place: &Held| self.batches.is_given_up(place);
        let Some(place) = who_gives_way(now, &neighbours, &self.guests, &self.replica, given_up) else {
            return Some(NO_ROOM);
        };
        self.batches.give_up(place);
        None
    }

    /// Handles a join with a code by a visitor who has a place, since the code could move that place. O(log n).
    fn guesses(&mut self, m: Moment, asker: Asker, wish: Wish) {
        let payer = self.asks.get(asker).map(|asking| Payer::of(&asking.ask));
        match payer.and_then(|payer| self.rates.guess(m.now, payer)) {
            Some(limited) if wish == Wish::Join => self.answer(m, asker, Some(limited)),
            // A visitor who only comes back to a page is told of the place.
            Some(_) => self.answer(m, asker, None),
            None => {
                if let Some(asking) = self.asks.get_mut(asker) {
                    asking.progress.guessed = true;
                }
                self.queue(m.now, asker, Want::Join);
            }
        }
    }

    fn queue(&mut self, now: Instant, asker: Asker, want: Want) {
        self.asks.wait_for(asker, WaitsFor::Wants(want));
        let Some(asking) = self.asks.get(asker) else {
            return;
        };
        let may_walk_in = self.picture.lanes().gist_of(self.picture.lanes().of_newcomer(asking.ask.lane)).walk_in;
        self.batches.add(now, asker, want, may_walk_in, &mut self.timers);
    }

    /// Notes that a visitor was seen. This keeps a place in the line; a lease is renewed by a wish of its own.
    fn sees_visitor(&mut self, now: Instant, visitor: VisitorId, is_back: bool) {
        let Some(ticket) = self.ticket_of(visitor) else {
            return;
        };
        let key = ticket.holder.key;
        if matches!(ticket.phase, Phase::Waiting { .. }) {
            self.guests.see(now, visitor, false, &mut self.replica, &mut self.timers);
        }
        if is_back {
            self.replica.note_seen(key);
        }
    }

    /// The visitor's living ticket in this lobby. O(log tickets).
    #[must_use]
    pub fn ticket_of(&self, visitor: VisitorId) -> Option<&Ticket> {
        self.replica.of_key(self.guests.holder_of(visitor).key)
    }

    /// Holds a poll until something that matters happens, or its time is over. The visitor counts as there as long as it is held.
    fn hold(&mut self, m: Moment, asker: Asker, visitor: VisitorId, wait_ms: u64) {
        let held = self.asks.held(|holder| holder == visitor);
        // A new one makes the lobby answer the oldest.
        if held.len() >= POLLS_PER_TICKET_MAX
            && let Some(oldest) = held.first()
        {
            self.poll_ends(m, *oldest);
        }
        self.guests.hold_poll(m.now, visitor, &mut self.replica, &mut self.timers);
        self.asks.hold(asker, m.now.plus_ms(wait_ms), &mut self.timers);
    }

    /// Ends a held poll by answering it.
    pub(super) fn poll_ends(&mut self, m: Moment, asker: Asker) {
        let Some(asking) = self.asks.get(asker).filter(|asking| asking.waits_for == WaitsFor::Held) else {
            return;
        };
        let visitor = asking.ask.visitor;
        self.guests.end_poll(m.now, visitor, &mut self.timers);
        self.answer(m, asker, None);
    }

    /// Answers every held poll of these visitors. `told` must be sorted.
    pub(super) fn polls_end(&mut self, m: Moment, told: &[VisitorId]) {
        for asker in self.asks.held(|visitor| told.binary_search(&visitor).is_ok()) {
            self.poll_ends(m, asker);
        }
    }

    /// Tells an asker how things are.
    pub(super) fn answer(&mut self, m: Moment, asker: Asker, limited: Option<Limited>) {
        let Some(asking) = self.asks.remove(asker, &mut self.timers) else {
            return;
        };
        let key = self.guests.holder_of(asking.ask.visitor).key;
        let told = self.picture.told(m, key, &asking, limited, &mut self.replica);
        self.effects.push_back(Effect::Answer(asker, Some(Box::new(told))));
    }

    /// Tells an asker that there is no place. `note` says what is full.
    fn refuse(&mut self, m: Moment, asker: Asker, note: impl FnOnce(&mut Progress)) {
        if let Some(asking) = self.asks.get_mut(asker) {
            note(&mut asking.progress);
        }
        self.answer(m, asker, None);
    }

    /// Whether the lobby holds as many tickets as it may, counting those on their way. O(1).
    fn is_full(&self) -> bool {
        self.replica.living() + self.batches.coming() >= self.tickets_max
    }
}
