//! What a visitor's wish leads to: an answer from what is known, or a question to the room.

use super::asking::{Asking, Progress, Stage, Want};
use super::batch::Flight;
use super::guests::Guest;
use super::ticket::{Phase, Ticket};
use super::timers::Timer;
use super::{Asker, Effect, LOOK_AFTER_MS, Lobby, Moment, PATIENCE_MS, POLLS_PER_TICKET_MAX};
use crate::facts::holder::{Held, Holder};
use crate::facts::reply::NoTicket;
use crate::facts::units::{Fence, Instant, VisitorId};
use crate::planted::{self, Bug};
use crate::wire::{Ask, CarryTold, LeaseTold, Limited, Reason, State, Told, Wish};

/// What to do next for an ask.
enum Step {
    Tell,
    Hold(u64),
    Check(Fence),
    Want(Want),
}

impl Lobby {
    /// A front asks on behalf of a visitor. The answer is an [`Effect::Answer`], now or later. O(log tickets).
    pub fn handle_ask(&mut self, m: Moment, asker: Asker, ask: Ask) {
        let (visitor, wish) = (ask.visitor, ask.wish);
        if takes_number(ask.wish) {
            self.attempted(m.now, &ask);
        }
        let asking = Asking {
            ask,
            stage: Stage::News,
            progress: Progress::default(),
            since_batch: self.batches,
            want: None,
        };
        self.asks.insert(asker, asking);
        self.timers
            .set(Timer::Patience(asker), m.now.plus_ms(PATIENCE_MS));
        self.awake(m);
        // Only here an ask is a word: when it goes on, with the room's answer, a call may have been missed since it was made.
        if self.link.is_whole() && counts_as_seen(wish) {
            self.replica.speaks(self.holder_of(visitor).key);
        }
        self.proceed(m, asker);
        self.settle(m);
    }

    /// Whoever asked waits no longer: what was wanted of the room is not said again. O(log asks).
    pub fn handle_gone(&mut self, m: Moment, asker: Asker) {
        if !planted::is(Bug::JoinRepeatedForNobody) {
            self.drop_ask(m.now, asker);
        }
        self.settle(m);
    }

    /// The asker has waited for the room for long enough.
    pub(super) fn gives_up(&mut self, now: Instant, asker: Asker) {
        self.drop_ask(now, asker);
        self.effects.push_back(Effect::Answer(asker, None));
    }

    fn drop_ask(&mut self, now: Instant, asker: Asker) {
        self.timers.cancel(Timer::Patience(asker));
        self.timers.cancel(Timer::Poll(asker));
        if let Some(asking) = self.asks.remove(&asker)
            && asking.stage == Stage::Held
        {
            self.poll_is_over(now, asking.ask.visitor);
        }
    }

    /// Goes on with an ask, as far as it gets without the room. O(log tickets).
    pub(super) fn proceed(&mut self, m: Moment, asker: Asker) {
        let Some(asking) = self.asks.get(&asker) else {
            return;
        };
        if !self.link.is_whole() {
            return self.waits_for(asker, Stage::News);
        }
        if self.must_hear_first(m.now, asking) {
            self.wants_look = true;
            return self.waits_for(asker, Stage::News);
        }
        let (visitor, wish) = (asking.ask.visitor, asking.ask.wish);
        let is_back =
            asking.ask.shown.is_some() || matches!(wish, Wish::Status { .. } | Wish::Claim);
        if counts_as_seen(wish) {
            self.sees_visitor(m.now, visitor, is_back);
        }
        let Some(asking) = self.asks.get(&asker) else {
            return;
        };
        match self.step(m.now, asking) {
            Step::Tell => self.answer(m, asker, None),
            Step::Hold(wait_ms) => self.hold(m, asker, visitor, wait_ms),
            Step::Check(fence) => self.checks_for(m, asker, fence),
            Step::Want(want @ (Want::Join | Want::WalkIn))
                if self.ticket_of(visitor).is_none() && !self.has_share(&asking.ask) =>
            {
                let account = asking.ask.account.map(|asked| asked.id);
                // The account's place may be here on another device: then no ticket is added.
                if account.is_some() && self.is_full() && !asking.progress.heard {
                    self.wants_look = true;
                    return self.waits_for(asker, Stage::News);
                }
                let spend = asking.ask.spend.filter(|_| account.is_none());
                match self.takes_share(m.now, visitor, account, spend.as_ref()) {
                    // Who has had its share is told so, and counted nowhere else.
                    Some(limited) => self.answer(m, asker, Some(limited)),
                    None if self.is_full() => self.is_refused(m, asker, NoTicket::Full),
                    None => {
                        if let Some(asking) = self.asks.get_mut(&asker) {
                            asking.progress.shared = true;
                        }
                        self.queue(m.now, asker, want);
                    }
                }
            }
            Step::Want(want) => self.queue(m.now, asker, want),
        }
    }

    fn waits_for(&mut self, asker: Asker, stage: Stage) {
        if let Some(asking) = self.asks.get_mut(&asker) {
            asking.stage = stage;
        }
    }

    fn queue(&mut self, now: Instant, asker: Asker, want: Want) {
        self.waits_for(asker, Stage::Wants(want));
        let Some(asking) = self.asks.get_mut(&asker) else {
            return;
        };
        asking.want = Some(want);
        let lane = asking.ask.lane;
        let may_walk_in = self.gist_of(self.lane_for(lane)).walk_in;
        self.meets_company(now, want, may_walk_in);
        self.queue.push_back(asker);
    }

    /// A place in the line is kept by being seen; a lease is renewed by its own wish.
    fn sees_visitor(&mut self, now: Instant, visitor: VisitorId, is_back: bool) {
        let Some(ticket) = self.ticket_of(visitor) else {
            return;
        };
        let key = ticket.holder.key;
        if matches!(ticket.phase, Phase::Waiting { .. }) {
            self.sees(now, visitor, false);
        }
        if is_back {
            self.replica.is_seen(key);
        }
    }

    /// What is known is too old to tell, or older than what the visitor was told elsewhere.
    fn must_hear_first(&self, now: Instant, asking: &Asking) -> bool {
        if asking.progress.heard || self.hears_anyway(asking.ask.wish) {
            return false;
        }
        let newer = asking.ask.shown.is_some_and(|shown| {
            shown.edition > self.replica.edition()
                || (shown.edition == self.replica.edition() && shown.row > self.replica.have())
        });
        // A lane that is not known here may have come just now.
        let lacks_lane = takes_number(asking.ask.wish)
            && self.ticket_of(asking.ask.visitor).is_none()
            && self.lacks_lane(&asking.ask);
        newer || lacks_lane || self.must_look(now)
    }

    /// Whether the wish goes to the room by itself, whatever is known.
    const fn hears_anyway(&self, wish: Wish) -> bool {
        matches!(
            wish,
            Wish::Renew(_)
                | Wish::Check(_)
                | Wish::Release(_)
                | Wish::Extend { .. }
                | Wish::Carry { .. }
        )
    }

    /// Whether what the room last said is too old to tell a visitor who asks.
    pub(super) fn must_look(&self, now: Instant) -> bool {
        self.heard_at
            .is_none_or(|at| now.since_ms(at) >= LOOK_AFTER_MS)
    }

    /// The visitor's living ticket in this lobby. O(log tickets).
    #[must_use]
    pub fn ticket_of(&self, visitor: VisitorId) -> Option<&Ticket> {
        self.replica.of_key(self.holder_of(visitor).key)
    }

    pub(super) fn holder_of(&self, visitor: VisitorId) -> Holder {
        match self.guests.get(visitor) {
            Some(Guest { holder, .. }) => *holder,
            None => self.last_holder.of(self.replica.salt(), visitor),
        }
    }

    fn step(&self, now: Instant, asking: &Asking) -> Step {
        let Asking { ask, progress, .. } = asking;
        let ticket = self.ticket_of(ask.visitor).copied();
        let held = ticket.map(|ticket| Held {
            number: ticket.number,
            key: ticket.holder.key,
        });
        let is_answered = progress.asked || progress.at.is_some() || progress.unspent.is_some();
        match (ask.wish, ticket.zip(held)) {
            _ if is_answered => Step::Tell,
            (Wish::Arrive { .. } | Wish::Join | Wish::Attend, None) => self.step_in(now, asking),
            (Wish::Join | Wish::Attend, Some((ticket, _)))
                if !progress.joined && self.is_better(ask, &ticket) =>
            {
                Step::Want(Want::Join)
            }
            // Only the room answers who does not show the place: its holder may have left it for another in another lobby.
            (Wish::Arrive { .. } | Wish::Join | Wish::Attend, Some((ticket, _)))
                if !progress.joined
                    && !progress.walked
                    && (!shows(ask, &ticket) || self.is_news_of_account(ask, &ticket)) =>
            {
                Step::Want(Want::Join)
            }
            (Wish::Arrive { .. } | Wish::Claim, Some((ticket, held))) => match ticket.phase {
                // A walk-in that this very ask made: whoever walks in has shown no cookie back yet.
                _ if progress.walked => Step::Tell,
                Phase::Called { fence, .. } => Step::Want(Want::Claim(held, fence)),
                Phase::Admitted { fence, .. } => Step::Want(Want::Renew(fence)),
                Phase::Waiting { .. } => Step::Tell,
            },
            (Wish::Leave, Some((_, held))) => Step::Want(Want::Leave(held)),
            (Wish::Check(fence), _) if !progress.checked => Step::Check(fence),
            // A check that came to nothing: the answer to a renewal says what became of the ticket.
            (Wish::Renew(fence) | Wish::Check(fence), _) => Step::Want(Want::Renew(fence)),
            (Wish::Release(fence), _) => Step::Want(Want::Release(fence)),
            (Wish::Extend { fence, by_ms }, ticket) => {
                let extended_ms = match ticket.map(|(ticket, _)| ticket.phase) {
                    Some(Phase::Admitted {
                        fence: own,
                        extended_ms,
                        ..
                    }) if own == fence => extended_ms,
                    _ => 0,
                };
                Step::Want(Want::Extend {
                    fence,
                    total_ms: extended_ms.saturating_add(by_ms),
                })
            }
            (Wish::Carry { place, key }, _) if place.edition == self.replica.edition() => {
                Step::Want(Want::Carry {
                    place: Held {
                        number: place.number,
                        key,
                    },
                    row: place.row,
                })
            }
            (Wish::Status { wait_ms }, Some((ticket, _))) if wait_ms > 0 => match ticket.phase {
                Phase::Waiting { .. } if !ticket.number.is_entry() => Step::Hold(wait_ms),
                _ => Step::Tell,
            },
            _ => Step::Tell,
        }
    }

    /// Whether the room has not said yet that the ticket is the account's for which somebody asks.
    fn is_news_of_account(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let member = self.member_of(ask);
        member.is_some_and(|member| ticket.account != Some(member.account))
    }

    /// Somebody without a living ticket here wants in, or a number.
    fn step_in(&self, now: Instant, asking: &Asking) -> Step {
        let Asking { ask, progress, .. } = asking;
        let why = self.why_over(ask);
        if self.lacks_lane(ask) {
            return Step::Tell;
        }
        let gist = self.gist_of(self.lane_for(ask.lane));
        // An account's place may move here whatever the mode.
        let shut = !self.must_look(now) && !gist.mode.issues() && ask.account.is_none();
        match ask.wish {
            Wish::Arrive { walk_in, join } => {
                // Somebody who still shows an ended ticket is told once why it ended. The front then clears the ticket, so
                // that the next visit is a new one.
                if why.is_some_and(|why| why.is_none_or(Reason::is_news)) {
                    return Step::Tell;
                }
                let allowed = gist.walk_ins || gist.mode.passes();
                let full = self
                    .heard_at
                    .is_some_and(|at| now.since_ms(at) < self.config.tick_ms)
                    && !gist.walk_in;
                let tries = walk_in && allowed && !progress.walked && !progress.joined && !full;
                let may = gist.mode.passes() || ask.account.is_some();
                if tries && (may || self.may_walk_in(ask.visitor)) {
                    return Step::Want(Want::WalkIn);
                }
                if join && !shut && !gist.mode.passes() && !progress.joined {
                    return Step::Want(Want::Join);
                }
                Step::Tell
            }
            // A page opens sockets by itself, and whose place a reset ended is asked before taking another; any other end was told
            // to the socket before it.
            Wish::Attend if why == Some(Some(Reason::Reset)) => Step::Tell,
            Wish::Join | Wish::Attend if !progress.joined && !shut => Step::Want(Want::Join),
            _ => Step::Tell,
        }
    }

    /// Why the place that the visitor shows is over; see [`Replica::why_over`](super::replica::Replica::why_over).
    pub(super) fn why_over(&self, ask: &Ask) -> Option<Option<Reason>> {
        let key = self.holder_of(ask.visitor).key;
        ask.shown
            .and_then(|shown| self.replica.why_over(key, shown))
    }

    /// Holds a poll until something that matters happens, or its time is over. While it lasts the visitor is there.
    fn hold(&mut self, m: Moment, asker: Asker, visitor: VisitorId, wait_ms: u64) {
        let held = self
            .asks
            .iter()
            .filter(|(_, asking)| asking.stage == Stage::Held && asking.ask.visitor == visitor);
        let held: Vec<Asker> = held.map(|(asker, _)| *asker).collect();
        // The oldest is answered for a new one.
        if held.len() >= POLLS_PER_TICKET_MAX
            && let Some(oldest) = held.first()
        {
            self.poll_ends(m, *oldest);
        }
        self.holds_poll(m.now, visitor);
        self.waits_for(asker, Stage::Held);
        self.timers.cancel(Timer::Patience(asker));
        self.timers.set(Timer::Poll(asker), m.now.plus_ms(wait_ms));
    }

    /// A held poll is answered.
    pub(super) fn poll_ends(&mut self, m: Moment, asker: Asker) {
        let Some(asking) = self
            .asks
            .get(&asker)
            .filter(|asking| asking.stage == Stage::Held)
        else {
            return;
        };
        let visitor = asking.ask.visitor;
        self.poll_is_over(m.now, visitor);
        self.waits_for(asker, Stage::News);
        self.answer(m, asker, None);
    }

    /// Answers every poll of these visitors, who are in order.
    pub(super) fn polls_end(&mut self, m: Moment, told: &[VisitorId]) {
        let is_told = |asking: &Asking| told.binary_search(&asking.ask.visitor).is_ok();
        let held = self
            .asks
            .iter()
            .filter(|(_, asking)| asking.stage == Stage::Held && is_told(asking));
        let held: Vec<Asker> = held.map(|(asker, _)| *asker).collect();
        for asker in held {
            self.poll_ends(m, asker);
        }
    }

    /// Tells an asker how things are.
    pub(super) fn answer(&mut self, m: Moment, asker: Asker, limited: Option<Limited>) {
        let Some(asking) = self.asks.remove(&asker) else {
            return;
        };
        self.timers.cancel(Timer::Patience(asker));
        self.timers.cancel(Timer::Poll(asker));
        let told = self.told(m, &asking, limited);
        self.effects
            .push_back(Effect::Answer(asker, Some(Box::new(told))));
    }

    fn told(&mut self, m: Moment, asking: &Asking, limited: Option<Limited>) -> Told {
        let Asking { ask, progress, .. } = asking;
        let mut status = self.status(m, ask.visitor, ask.shown, ask.lane);
        let ticket = self.ticket_of(ask.visitor);
        let better = ticket.is_some_and(|ticket| self.is_better(ask, ticket));
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
        let mut lease = progress
            .lease
            .map(|lease| aged(lease, since_asked_ms(m.now, progress)));
        if planted::is(Bug::PassFromAnOlderAnswer) && lease.is_none() {
            lease = self.lease_known(m.now, ask);
        }
        Told {
            issued: progress.issued && status.state != State::None,
            lease,
            full: progress.refused == Some(NoTicket::Full),
            no_walk_in: !everybody.mode.passes() && !everybody.walk_in,
            wants_health: self.wants_health(),
            limited,
            carry,
            at: progress.at,
            account: progress.account,
            unspent: progress.unspent,
            no_lane,
            status,
        }
    }

    /// Whether this lobby holds as many tickets as it may, those on their way included. O(1).
    fn is_full(&self) -> bool {
        let coming = self.queue.len() + self.flight.as_ref().map_or(0, Flight::len);
        self.replica.living() + coming >= self.config.tickets_max
    }

    fn is_refused(&mut self, m: Moment, asker: Asker, why: NoTicket) {
        if let Some(asking) = self.asks.get_mut(&asker) {
            asking.progress.refused = Some(why);
        }
        self.answer(m, asker, None);
    }

    /// For a planted bug only: the lease as the replica has it, of which no pass may be made.
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

/// Whether the visitor shows this very place.
fn shows(ask: &Ask, ticket: &Ticket) -> bool {
    ask.shown.is_some_and(|shown| shown.number == ticket.number)
}

/// For how long what the room said of a lease may have been true already: it is not older than the question.
fn since_asked_ms(now: Instant, progress: &Progress) -> u64 {
    if planted::is(Bug::LeaseToldLonger) {
        0
    } else {
        now.since_ms(progress.lease_at)
    }
}

/// A lease as it is told so much later.
const fn aged(lease: LeaseTold, by_ms: u64) -> LeaseTold {
    LeaseTold {
        idle_in_ms: lease.idle_in_ms.saturating_sub(by_ms),
        hard_in_ms: lease.hard_in_ms.saturating_sub(by_ms),
        ..lease
    }
}

/// Whether the wish leads to a number.
pub(super) const fn takes_number(wish: Wish) -> bool {
    matches!(wish, Wish::Join | Wish::Attend | Wish::Arrive { .. })
}

const fn counts_as_seen(wish: Wish) -> bool {
    matches!(
        wish,
        Wish::Join
            | Wish::Attend
            | Wish::Arrive { .. }
            | Wish::Status { .. }
            | Wish::Claim
            | Wish::Offer
            | Wish::Carry { .. }
    )
}
