//! How an ask goes on, from the front's question to its answer: the lobby tells what it knows and asks the room for the rest.

use super::asking::{Asking, Progress, WaitsFor, Want, is_guess};
use super::batch::Flight;
use super::limits::Payer;
use super::steps::{Step, takes_number};
use super::ticket::{Phase, Ticket};
use super::{Asker, Effect, Lobby, Moment, POLLS_PER_TICKET_MAX};
use facts::planted::{self, Bug};
use facts::units::{Fence, Instant, VisitorId};
use facts::wire::{Ask, CarryTold, LeaseTold, Limited, Share, State, Told, Wish};

/// What a newcomer to a full line is told. Whoever asks first once a place is free gets it, so nobody gains by asking sooner than the others do. At this
/// pace a million people who are turned away ask 33,000 times a second, which lobbies answer without the room.
const LINE_FULL: Limited = Limited {
    by: Share::Line,
    retry_after_s: 30,
};

impl Lobby {
    /// Takes an ask that a front makes for a visitor. The answer is an [`Effect::Answer`], now or later. O(log tickets).
    pub fn handle_ask(&mut self, m: Moment, asker: Asker, ask: Ask) {
        let (visitor, wish) = (ask.visitor, ask.wish);
        let has_permit = self.ticket_of(visitor).is_some_and(Ticket::waits_not);
        if takes_number(wish) && !has_permit {
            self.counts.attempt(m.now, &mut self.timers);
        }
        self.asks.add(m.now, asker, ask, self.batches, &mut self.timers);
        self.awake(m);
        // An ask is a word of the visitor only now, when it comes: once it goes on with the room's answer, it may be older than a missed call.
        if self.link.is_whole() && counts_as_seen(wish) {
            self.replica.speaks(self.guests.holder_of(visitor).key);
        }
        self.proceed(m, asker);
        self.settle(m);
    }

    /// Drops an ask whose asker no longer waits. The lobby does not repeat its wish to the room. O(log asks).
    pub fn handle_gone(&mut self, m: Moment, asker: Asker) {
        if !planted::is(Bug::JoinRepeatedForNobody) {
            self.drop_ask(m.now, asker);
        }
        self.settle(m);
    }

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

    /// Makes an ask wait for the next question about leases. If too many wait already, the asker is told that the room can't be reached.
    fn checks_for(&mut self, m: Moment, asker: Asker, fence: Fence) {
        if !self.checks.add(asker, fence, &mut self.asks) {
            self.gives_up(m.now, asker);
        }
    }

    /// Takes these asks as far as they get without the room, in this order.
    pub(super) fn proceed_all(&mut self, m: Moment, askers: Vec<Asker>) {
        for asker in askers {
            self.proceed(m, asker);
        }
    }

    fn drop_ask(&mut self, now: Instant, asker: Asker) {
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
        if self.must_hear_first(m.now, asking) {
            self.wants_look = true;
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
        match self.step(m.now, asking) {
            Step::Tell => self.answer(m, asker, None),
            Step::Full => self.answer(m, asker, Some(LINE_FULL)),
            Step::Hold(wait_ms) => self.hold(m, asker, visitor, wait_ms),
            Step::Check(fence) => self.checks_for(m, asker, fence),
            Step::Want(want @ (Want::Join | Want::WalkIn)) if self.ticket_of(visitor).is_none() && !self.asks.has_share(&asking.ask) => {
                let payer = Payer::of(&asking.ask);
                // The account's place may be here on another device, and then no ticket is added.
                if payer.account.is_some() && self.is_full() && !asking.progress.heard {
                    self.wants_look = true;
                    return self.asks.wait_for(asker, WaitsFor::News);
                }
                match self.takes_share(m.now, payer) {
                    // A visitor who has had its share is told so, and counted nowhere else.
                    Some(limited) => self.answer(m, asker, Some(limited)),
                    None if self.is_full() => self.refuse(m, asker),
                    None => {
                        if let Some(asking) = self.asks.get_mut(asker) {
                            asking.progress.shared = true;
                            asking.progress.guessed = is_guess(&asking.ask);
                        }
                        self.queue(m.now, asker, want);
                    }
                }
            }
            Step::Want(Want::Join) if is_guess(&asking.ask) && !asking.progress.guessed => {
                self.guesses(m, asker, wish);
            }
            Step::Want(want) => self.queue(m.now, asker, want),
        }
    }

    /// Handles a join with a code by a visitor who has a place, since the code could move that place. O(log n).
    fn guesses(&mut self, m: Moment, asker: Asker, wish: Wish) {
        let payer = self.asks.get(asker).map(|asking| Payer::of(&asking.ask));
        match payer.and_then(|payer| self.takes_guess(m.now, payer)) {
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
        let may_walk_in = self.gist_of(self.lane_for(asking.ask.lane)).walk_in;
        self.company.meet(now, want, may_walk_in, &mut self.timers);
        self.queue.push_back(asker);
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
        let told = self.told(m, &asking, limited);
        self.effects.push_back(Effect::Answer(asker, Some(Box::new(told))));
    }

    fn told(&mut self, m: Moment, asking: &Asking, limited: Option<Limited>) -> Told {
        let Asking { ask, progress, .. } = asking;
        let mut status = self.status(m, ask.visitor, ask.shown, ask.lane);
        let ticket = self.ticket_of(ask.visitor);
        let better = ticket.is_some_and(|ticket| self.tells_of_better(ask, ticket));
        if let Some(lane) = &mut status.lane {
            lane.better = better;
        }
        let no_lane = ticket.is_none() && takes_number(ask.wish) && self.lacks_lane(ask);
        let everybody = self.gist_of(self.lane_for(None));
        let gone = matches!(ask.wish, Wish::Offer | Wish::Carry { .. }).then_some(CarryTold::Gone);
        let carry = match (ask.wish, self.ticket_of(ask.visitor)) {
            (Wish::Offer, Some(ticket)) => Some(CarryTold::Offered {
                key: ticket.holder.key,
                row: self.replica.have(),
            }),
            (Wish::Carry { .. }, _) if progress.carried => Some(CarryTold::Carried),
            _ => gone,
        };
        let mut lease = progress.lease.map(|lease| aged(lease, since_asked_ms(m.now, progress)));
        if planted::is(Bug::PassFromAnOlderAnswer) && lease.is_none() {
            lease = self.lease_known(m.now, ask);
        }
        Told {
            issued: progress.issued && status.state != State::None,
            lease,
            full: progress.lobby_full,
            no_walk_in: !everybody.mode.passes() && !everybody.walk_in,
            wants_health: self.heard_at.map(|_| self.gist.wants_health),
            limited: limited.or(progress.line_full.then_some(LINE_FULL)),
            carry,
            at: progress.at,
            account: progress.account,
            unspent: progress.unspent,
            lost: progress.lost,
            no_lane,
            status,
        }
    }

    /// Whether the lobby holds as many tickets as it may, counting those on their way. O(1).
    fn is_full(&self) -> bool {
        let coming = self.queue.len() + self.flight.as_ref().map_or(0, Flight::len);
        self.replica.living() + coming >= self.config.tickets_max
    }

    fn refuse(&mut self, m: Moment, asker: Asker) {
        if let Some(asking) = self.asks.get_mut(asker) {
            asking.progress.lobby_full = true;
        }
        self.answer(m, asker, None);
    }

    /// For a planted bug only: the lease as the replica has it. No pass may be made of it.
    fn lease_known(&self, now: Instant, ask: &Ask) -> Option<LeaseTold> {
        let ticket = self.ticket_of(ask.visitor)?;
        let Phase::Admitted {
            fence,
            idle_end,
            hard_end,
            provisional,
            ..
        } = ticket.phase
        else {
            return None;
        };
        Some(LeaseTold {
            number: ticket.number,
            edition: self.replica.edition(),
            fence,
            idle_in_ms: idle_end.since_ms(now),
            hard_in_ms: hard_end.since_ms(now),
            provisional,
        })
    }
}

/// Returns how long ago the room may have stated a lease's times, at most: its statement is no older than the question.
fn since_asked_ms(now: Instant, progress: &Progress) -> u64 {
    if planted::is(Bug::LeaseToldLonger) {
        0
    } else {
        now.since_ms(progress.lease_at)
    }
}

/// Returns the lease with `by_ms` taken off its remaining times.
const fn aged(lease: LeaseTold, by_ms: u64) -> LeaseTold {
    LeaseTold {
        idle_in_ms: lease.idle_in_ms.saturating_sub(by_ms),
        hard_in_ms: lease.hard_in_ms.saturating_sub(by_ms),
        ..lease
    }
}

const fn counts_as_seen(wish: Wish) -> bool {
    matches!(
        wish,
        Wish::Join | Wish::Attend | Wish::Arrive { .. } | Wish::Status { .. } | Wish::Claim | Wish::Offer | Wish::Carry { .. }
    )
}
