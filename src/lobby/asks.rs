//! What a visitor's wish leads to: an answer from what is known, or a question to the room.

use super::answers::Outcome;
use super::{Lobby, Phase, Ticket, Waiter, Want, event::LobbyEvent};
use crate::planted::{self, Bug};
use crate::units::{Fence, Instant, Number, Version, VisitorId};
use crate::wire::{Ask, LeaseTold, Reason, Shown, Told, Wish};

/// What an ask leads to.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This.
    Now(Box<Told>),
    /// Ask again, with the outcome noted in the [`Progress`], when this waiter is answered.
    Later(Waiter),
}

/// What was already done for an ask: each question goes to the room once.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    outcomes: Vec<Outcome>,
}

impl Progress {
    /// Notes what a waiter was answered.
    pub fn note(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    pub(super) fn did(&self, want: Want) -> bool {
        self.outcomes.iter().any(|outcome| outcome.want == want)
    }

    fn issued(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.issued)
    }

    /// Whether the place that was asked for by this number is the visitor's by now.
    pub(super) fn moved(&self, number: Number) -> bool {
        let mut outcomes = self.outcomes.iter();
        outcomes.any(|outcome| outcome.moved && outcome.want == Want::Carry(number))
    }

    fn refused(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.line_full)
    }
}

/// What to do next for an ask.
pub(super) enum Step {
    Tell,
    Want(Want),
}

impl Lobby {
    /// Answers a visitor's ask, or says for whom to wait. `wall_ms` is Unix time, for the
    /// instants in the status only. O(log tickets).
    pub fn ask(&mut self, now: Instant, wall_ms: u64, ask: &Ask, progress: &Progress) -> Answer {
        let visitor = ask.visitor;
        if progress.outcomes.is_empty() {
            self.adopt(now, ask);
            if takes_number(ask.wish) && !self.has_permit(visitor) {
                self.pressure.rises(now);
            }
        }
        if self.must_pass_on(now, visitor, ask.wish) {
            return Answer::Now(Box::new(Told {
                full: true,
                ..self.told(now, wall_ms, ask, progress)
            }));
        }
        if let Some(want) = self.is_to_hear(visitor)
            && !progress.did(want)
        {
            return Answer::Later(self.wait_for(now, visitor, want));
        }
        self.touch(now, visitor);
        if let Wish::Carry { place, hash } = ask.wish
            && self.is_here(place)
        {
            self.take_up(now, visitor, place.number, &hash);
        }
        let step = match self.stale(visitor) {
            Some(want) if !progress.did(want) && self.asks_first(ask) => Step::Want(want),
            _ => self.step(now, ask, progress),
        };
        match step {
            Step::Want(want) if !progress.did(want) => {
                let want = self
                    .number_on_its_way(visitor, want, progress)
                    .unwrap_or(want);
                match self.limited(now, visitor, want) {
                    Some(limited) => Answer::Now(Box::new(Told {
                        limited: Some(limited),
                        ..self.told(now, wall_ms, ask, progress)
                    })),
                    None => Answer::Later(self.wait_for(now, visitor, want)),
                }
            }
            Step::Want(_) | Step::Tell => {
                let carry = self.carry_told(now, ask, progress);
                let told = self.told(now, wall_ms, ask, progress);
                Answer::Now(Box::new(Told { carry, ..told }))
            }
        }
    }

    /// A signed number that this lobby does not know: its storage is younger than the ticket.
    /// The room knows better; [`stale`](Self::stale) makes sure it is asked. One of another edition is over.
    fn adopt(&mut self, now: Instant, ask: &Ask) {
        let Some(shown) = ask.shown else { return };
        let (visitor, Shown { edition, number }) = (ask.visitor, shown);
        if self.book.tickets.contains_key(&visitor) {
            return;
        }
        // The room has been asked, and knows of no such edition: it is not the one that issued this.
        if edition > self.book.edition {
            return;
        }
        if !self.is_here(shown) {
            let outdated = LobbyEvent::Outdated {
                visitor,
                edition,
                number,
            };
            return self.record(now, outdated);
        }
        if !self.book.by_number.contains_key(&number)
            && !matches!(
                ask.wish,
                Wish::Renew(_) | Wish::Check(_) | Wish::Release(_) | Wish::Extend { .. }
            )
        {
            self.record(
                now,
                LobbyEvent::Stands {
                    visitor,
                    number,
                    phase: Phase::Waiting {
                        away: true,
                        missed: false,
                    },
                    ahead: None,
                    version: Version(0),
                },
            );
            // Another cookie may show the same place by its number: there must be one holder before anything is done by the
            // entry.
            if number.is_entry() {
                self.want(visitor, Want::Number);
            }
        }
    }

    /// A full lobby passes new visitors to the next, and for good: a visitor who has a ticket
    /// there must not get another one here later.
    fn must_pass_on(&mut self, now: Instant, visitor: VisitorId, wish: Wish) -> bool {
        if self.is_living(visitor) || !takes_number(wish) {
            return false;
        }
        if self.book.passed_on.contains(&visitor) && !planted::is(Bug::PassedOnForgotten) {
            return true;
        }
        let joining = self.number_awaited(visitor).is_some();
        let full = !joining && self.book.living + self.joining() >= self.config.tickets_max;
        // Who has had its share is told so, and counted nowhere else.
        let passes = full && self.limited(now, visitor, Want::Join).is_none();
        if passes {
            self.count_number(now, visitor);
            self.record(now, LobbyEvent::PassedOn(visitor));
        }
        passes
    }

    /// Two tabs may want a number in two ways. Only one of them goes to the room: two would be two
    /// tickets. So would a number beside a place that is being carried here.
    fn number_on_its_way(
        &self,
        visitor: VisitorId,
        want: Want,
        progress: &Progress,
    ) -> Option<Want> {
        if matches!(want, Want::Join | Want::WalkIn)
            && let Some(carry) = self.carry_on_its_way(visitor)
            && !progress.did(carry)
        {
            return Some(carry);
        }
        let other = match want {
            Want::Join => Want::WalkIn,
            Want::WalkIn => Want::Join,
            _ => return None,
        };
        let asked = self.waiters.contains_key(&(visitor, other)) && !progress.did(other);
        asked.then_some(other)
    }

    /// The number that an earlier life asked for on the visitor's behalf: whether there is one, this life has yet to hear.
    fn is_to_hear(&self, visitor: VisitorId) -> Option<Want> {
        let of_earlier_life = self.flying.is_some() && !self.flies_in_this_life();
        if !of_earlier_life || self.is_living(visitor) {
            return None;
        }
        self.number_awaited(visitor)
    }

    /// How a number is asked for that the visitor waits for.
    fn number_awaited(&self, visitor: VisitorId) -> Option<Want> {
        let waits = |want: &Want| self.waiters.contains_key(&(visitor, *want));
        [Want::Join, Want::WalkIn].into_iter().find(waits)
    }

    fn joining(&self) -> usize {
        let wants = self.waiters.keys();
        wants
            .filter(|(_, want)| matches!(want, Want::Join | Want::WalkIn))
            .count()
    }

    pub(super) fn is_living(&self, visitor: VisitorId) -> bool {
        self.ticket(visitor)
            .is_some_and(|ticket| ticket.phase.living())
    }

    fn has_permit(&self, visitor: VisitorId) -> bool {
        self.ticket(visitor).is_some_and(|ticket| {
            matches!(ticket.phase, Phase::Called { .. } | Phase::Admitted { .. })
        })
    }

    pub(super) fn touch(&mut self, now: Instant, visitor: VisitorId) {
        let Some(ticket) = self.ticket(visitor).copied() else {
            return;
        };
        match ticket.phase {
            Phase::Waiting { .. } => self.presence.seen(now, visitor, self.config.linger_ms),
            // A provisional lease becomes a whole one when its pass is shown, never by the ask that made it.
            Phase::Admitted {
                fence,
                idle_end,
                provisional: false,
                ..
            } => {
                let fresh_ms = self.config.lease_idle_ms / 4 * 3;
                if idle_end.since_ms(now) < fresh_ms {
                    self.want(visitor, Want::Renew(fence));
                }
            }
            Phase::Admitted { .. } | Phase::Called { .. } | Phase::Over(_) => {}
        }
    }

    /// Whether the room is asked how a stale ticket stands before the wish is granted. Whoever is
    /// done must be known to be in: what an earlier life learned last may not be stored, and of a
    /// release the room says no more than that it is done.
    fn asks_first(&self, ask: &Ask) -> bool {
        let release =
            matches!(ask.wish, Wish::Release(_)) && !self.confirmed.contains(&ask.visitor);
        counts_as_seen(ask.wish) || release
    }

    /// The question that must go to the room before a ticket's standing may be told: the visitor
    /// was away, or this life of the lobby has not heard of the ticket yet.
    fn stale(&self, visitor: VisitorId) -> Option<Want> {
        let ticket = self
            .ticket(visitor)
            .filter(|ticket| ticket.phase.living())?;
        let away = matches!(ticket.phase, Phase::Waiting { away: true, .. })
            || self.leaving.contains(&visitor);
        (away || !self.confirmed.contains(&visitor)).then_some(Want::Back)
    }

    fn step(&self, now: Instant, ask: &Ask, progress: &Progress) -> Step {
        let ticket = self.ticket(ask.visitor).copied();
        let living = ticket.filter(|ticket| ticket.phase.living());
        match (ask.wish, living) {
            (Wish::Arrive { walk_in, join }, None) => {
                self.step_in(now, ask, ticket, (walk_in, join), progress)
            }
            // A walk-in that this very ask made: whoever walks in has shown no cookie back yet.
            (Wish::Arrive { .. }, Some(_)) if progress.issued() => Step::Tell,
            // The room has just said how the claim ended: asking again would be a second trip, and a second row.
            (Wish::Arrive { .. } | Wish::Claim, Some(_)) if progress.did(Want::Claim) => Step::Tell,
            (Wish::Arrive { .. }, Some(ticket)) => match ticket.phase {
                Phase::Called { .. } => Step::Want(Want::Claim),
                Phase::Admitted { fence, .. } => Step::Want(Want::Renew(fence)),
                Phase::Waiting { .. } | Phase::Over(_) => Step::Tell,
            },
            (Wish::Attend, None) if tell_the_reset(ask, ticket) => Step::Tell,
            (Wish::Join | Wish::Attend, None) if !progress.issued() && !self.is_shut(now) => {
                Step::Want(Want::Join)
            }
            (Wish::Claim, Some(ticket)) => match ticket.phase {
                Phase::Admitted { fence, .. } => Step::Want(Want::Renew(fence)),
                Phase::Called { .. } | Phase::Waiting { .. } => Step::Want(Want::Claim),
                Phase::Over(_) => Step::Tell,
            },
            (Wish::Leave, Some(_)) => Step::Want(Want::Leave),
            // A check that came to nothing: the answer to a renewal says what became of the ticket.
            (Wish::Renew(fence) | Wish::Check(fence), _) => Step::Want(Want::Renew(fence)),
            (Wish::Release(fence), _) => Step::Want(Want::Release(fence)),
            (Wish::Extend { fence, by_ms }, _) => Step::Want(Want::Extend(fence, by_ms)),
            (Wish::Carry { place, .. }, own) if self.is_here(place) => {
                self.step_of_carry(ask.visitor, own, place.number, progress)
            }
            (
                Wish::Join
                | Wish::Attend
                | Wish::Carry { .. }
                | Wish::Claim
                | Wish::Leave
                | Wish::Status { .. }
                | Wish::Offer { .. },
                _,
            ) => Step::Tell,
        }
    }

    /// Somebody without a living ticket came to the gated path.
    fn step_in(
        &self,
        now: Instant,
        ask: &Ask,
        over: Option<Ticket>,
        (walk_in, join): (bool, bool),
        progress: &Progress,
    ) -> Step {
        if progress.issued() || tell_the_end(ask, over) {
            return Step::Tell;
        }
        let allowed = self.heard_at.is_none() || self.gist.walk_ins || self.gist.mode.passes();
        let may_walk_in =
            walk_in && allowed && !progress.did(Want::WalkIn) && !self.lately_full(now);
        if may_walk_in && (self.gist.mode.passes() || self.may_walk_in(ask.visitor)) {
            return Step::Want(Want::WalkIn);
        }
        if join && !self.is_shut(now) && !self.gist.mode.passes() {
            Step::Want(Want::Join)
        } else {
            Step::Tell
        }
    }

    /// The room said lately that its mode issues no numbers.
    fn is_shut(&self, now: Instant) -> bool {
        !self.must_look(now) && !self.gist.mode.issues()
    }

    /// The room said within the last tick that nobody can walk in.
    fn lately_full(&self, now: Instant) -> bool {
        let heard = self
            .heard_at
            .is_some_and(|at| now.since_ms(at) < self.config.tick_ms);
        heard && !self.gist.walk_in
    }

    /// The whole answer, from what is known.
    fn told(&mut self, now: Instant, wall_ms: u64, ask: &Ask, progress: &Progress) -> Told {
        let phase = self
            .ticket(ask.visitor)
            .map(|ticket| (ticket.number, ticket.edition, ticket.phase));
        let lease = match phase {
            Some((
                number,
                edition,
                Phase::Admitted {
                    fence,
                    idle_end,
                    hard_end,
                    provisional,
                },
            )) if concerns(ask.wish, fence) && !self.gives_back(ask.visitor, fence) => {
                Some(LeaseTold {
                    number,
                    edition,
                    fence,
                    idle_in_ms: idle_end.since_ms(now),
                    hard_in_ms: hard_end.since_ms(now),
                    provisional,
                })
            }
            _ => None,
        };
        Told {
            status: self.status(now, wall_ms, ask.visitor),
            issued: progress.issued(),
            lease,
            full: progress.refused(),
            no_walk_in: !self.gist.mode.passes() && !self.gist.walk_in,
            wants_health: self.wants_health(),
            limited: None,
            carry: None,
        }
    }

    /// Whether the permit is on its way back, or to another device: a lease that the room may have ended is told to nobody, or a pass
    /// made of it would outlive the release by more than its own life.
    pub(super) fn gives_back(&self, visitor: VisitorId, fence: Fence) -> bool {
        let waits = |want| self.waiters.contains_key(&(visitor, want));
        waits(Want::Release(fence)) || waits(Want::Leave) || self.goes_elsewhere(visitor)
    }

    /// The number a visitor holds or held, unless it was carried on to another. O(log tickets).
    pub(super) fn own_number(&self, visitor: VisitorId) -> Option<Number> {
        let number = self.number(visitor)?;
        (self.book.by_number.get(&number) == Some(&visitor)).then_some(number)
    }

    /// The number a visitor holds or held. O(log tickets).
    #[must_use]
    pub fn number(&self, visitor: VisitorId) -> Option<Number> {
        self.ticket(visitor).map(|ticket| ticket.number)
    }
}

/// A lease is told only to somebody who means it: a renewal of an old fence gets none.
fn concerns(wish: Wish, fence: Fence) -> bool {
    match wish {
        Wish::Renew(asked)
        | Wish::Check(asked)
        | Wish::Release(asked)
        | Wish::Extend { fence: asked, .. } => asked == fence,
        Wish::Arrive { .. }
        | Wish::Join
        | Wish::Attend
        | Wish::Status { .. }
        | Wish::Claim
        | Wish::Leave
        | Wish::Offer { .. }
        | Wish::Carry { .. } => true,
    }
}

const fn takes_number(wish: Wish) -> bool {
    matches!(wish, Wish::Join | Wish::Attend | Wish::Arrive { .. })
}

const fn counts_as_seen(wish: Wish) -> bool {
    matches!(
        wish,
        Wish::Join | Wish::Attend | Wish::Arrive { .. } | Wish::Status { .. } | Wish::Offer { .. }
    )
}

/// Somebody who still shows an ended ticket is told once why it ended. The front then clears the ticket, so that the next
/// visit is a new one.
fn tell_the_end(ask: &Ask, over: Option<Ticket>) -> bool {
    reason_shown(ask, over).is_some_and(Reason::is_news)
}

/// Likewise when a socket is opened, where only a reset is told: any other end was told to the socket before it.
fn tell_the_reset(ask: &Ask, over: Option<Ticket>) -> bool {
    reason_shown(ask, over) == Some(Reason::Reset)
}

/// Why the very ticket that is shown is over.
fn reason_shown(ask: &Ask, over: Option<Ticket>) -> Option<Reason> {
    let shown = ask.shown?;
    let ticket = over.filter(|ticket| {
        let same = ticket.number == shown.number || shown.number.is_entry();
        same && ticket.edition == shown.edition
    })?;
    match ticket.phase {
        Phase::Over(reason) => Some(reason),
        _ => None,
    }
}
