//! What a visitor's wish leads to next: an answer from what the lobby knows, or a question to the room. Nothing here changes anything.

use super::Lobby;
use super::asking::{Asking, Want, takes_number};
use super::ticket::{Phase, Ticket};
use facts::holder::{Held, Shown};
use facts::message::Gist;
use facts::units::{Fence, Instant};
use facts::wire::{Ask, Reason, Wish};

/// What to do next for an ask.
pub(super) enum Step {
    Tell,
    /// Tell that the line is full.
    Full,
    Hold(u64),
    Check(Fence),
    Want(Want),
}

impl Lobby {
    /// Whether the lobby must first hear from the room: what it knows is too old to tell, or older than what the visitor was told elsewhere.
    pub(super) fn must_hear_first(&self, now: Instant, asking: &Asking) -> bool {
        if asking.progress.heard || hears_anyway(asking.ask.wish) {
            return false;
        }
        let shown = asking.ask.shown;
        let newer = shown.is_some_and(|shown| shown.row > self.replica.have());
        // A lane that the lobby does not know may have been added just now.
        let lacks_lane =
            takes_number(asking.ask.wish) && self.ticket_of(asking.ask.visitor).is_none() && self.picture.lanes().lack_one_for(&asking.ask);
        newer || lacks_lane || self.picture.must_look(now)
    }

    /// Decides what to do next for an ask.
    ///
    /// Long because it has an arm for each wish.
    pub(super) fn step(&self, now: Instant, asking: &Asking) -> Step {
        let Asking { ask, progress, .. } = asking;
        let ticket = self.ticket_of(ask.visitor).copied();
        let held = ticket.map(|ticket| ticket.held());
        let is_answered = progress.asked || progress.at.is_some() || progress.unspent.is_some();
        match (ask.wish, ticket.zip(held)) {
            // Before anything else: nothing may be told or done that rests on the place's being over.
            _ if let Some(shown) = self.doubted(asking, ticket.as_ref()) => Step::Want(Want::Shows(shown)),
            _ if is_answered => Step::Tell,
            (Wish::Arrive { .. } | Wish::Join | Wish::Attend, None) => self.step_in(now, asking),
            (Wish::Join | Wish::Attend, Some((ticket, _)))
                if !progress.joined && (self.picture.lanes().have_better(ask, &ticket) || self.picture.lanes().may_raise(ask, &ticket)) =>
            {
                Step::Want(Want::Join)
            }
            // Only the room can answer a visitor who does not show this place: its holder may have left it for a place in another lobby.
            (Wish::Arrive { .. } | Wish::Join | Wish::Attend, Some((ticket, _)))
                if !progress.joined && !progress.walked && (!shows(ask, &ticket) || self.is_news_of_account(ask, &ticket)) =>
            {
                Step::Want(Want::Join)
            }
            (Wish::Arrive { .. } | Wish::Claim, Some((ticket, held))) => match ticket.phase {
                // This very ask made the walk-in. A visitor who walks in has shown no cookie back yet.
                _ if progress.walked => Step::Tell,
                Phase::Called { fence, .. } => Step::Want(Want::Claim(held, fence)),
                Phase::Admitted { fence, .. } => Step::Want(Want::Renew(fence)),
                Phase::Waiting { .. } => Step::Tell,
            },
            (Wish::Leave, Some((_, held))) => Step::Want(Want::Leave(held)),
            (Wish::Check(fence), _) if !progress.checked => Step::Check(fence),
            // The check came to nothing. The answer to a renewal says what became of the ticket.
            (Wish::Renew(fence) | Wish::Check(fence), _) => Step::Want(Want::Renew(fence)),
            (Wish::Release(fence), _) => Step::Want(Want::Release(fence)),
            (Wish::Extend { fence, by_ms }, held) => Step::Want(extension(fence, by_ms, held.map(|(ticket, _)| ticket))),
            (Wish::Carry { place, key }, _) if place.edition == self.replica.edition() => Step::Want(Want::Carry {
                place: Held { number: place.number, key },
                row: place.row,
            }),
            // Any call of its own brings a walk-in's cookies back, which is the proof that the room waits for.
            (Wish::Status { .. } | Wish::Join | Wish::Attend | Wish::Offer, Some((ticket, _))) if let Some(fence) = ticket.unproven() => {
                Step::Want(Want::Renew(fence))
            }
            (Wish::Status { wait_ms }, Some((ticket, _))) if wait_ms > 0 => match ticket.phase {
                Phase::Waiting { .. } if !ticket.number.is_entry() => Step::Hold(wait_ms),
                _ => Step::Tell,
            },
            _ => Step::Tell,
        }
    }

    /// Decides what to do for a visitor without a living ticket here who wants in, or wants a number.
    fn step_in(&self, now: Instant, asking: &Asking) -> Step {
        let Asking { ask, progress, .. } = asking;
        let why = self.why_over(ask);
        if self.picture.lanes().lack_one_for(ask) {
            return Step::Tell;
        }
        let gist = self.picture.lanes().gist_of(self.picture.lanes().of_newcomer(ask.lane));
        // An account's place may move here in any mode.
        let shut = !self.picture.must_look(now) && !gist.mode.issues() && ask.account.is_none();
        match ask.wish {
            Wish::Arrive { walk_in, join } => {
                // A visitor who still shows an ended ticket is told once why it ended. The front then clears the
                // ticket, so that the next visit is a new one.
                if why.is_some_and(|why| why.is_none_or(Reason::is_news)) {
                    return Step::Tell;
                }
                let allowed = gist.walk_ins || gist.mode.passes();
                let none_free = self.picture.has_just_heard(now) && !gist.walk_in;
                let tries = walk_in && allowed && !progress.walked && !progress.joined && !none_free;
                let may = gist.mode.passes() || ask.account.is_some();
                if tries && (may || self.may_walk_in(ask)) {
                    return Step::Want(Want::WalkIn);
                }
                if join && !shut && !gist.mode.passes() && !progress.joined {
                    return self.step_join(now, ask, gist);
                }
                Step::Tell
            }
            // A page opens sockets by itself, so a visitor whose place a reset ended is asked before taking another. Any
            // other end was already told to the earlier socket.
            Wish::Attend if why == Some(Some(Reason::Reset)) => Step::Tell,
            Wish::Join | Wish::Attend if !progress.joined && !shut => self.step_join(now, ask, gist),
            _ => Step::Tell,
        }
    }

    /// Decides a join. The lobby itself answers that the line is full, if the room said so just now: people who are turned away must not be a load on it.
    /// Only the room knows whether an account has a place, and into which lane a voucher leads.
    fn step_join(&self, now: Instant, ask: &Ask, gist: Gist) -> Step {
        let is_plain = ask.account.is_none() && ask.spend.is_none();
        if gist.full && is_plain && self.picture.has_just_heard(now) {
            Step::Full
        } else {
            Step::Want(Want::Join)
        }
    }

    /// Returns the place that the visitor shows, if the lobby has no ticket of the visitor and does not know what became of it, or if it is newer
    /// than what the lobby knows: the room's data may have lost it.
    fn doubted(&self, asking: &Asking, ticket: Option<&Ticket>) -> Option<Shown> {
        let shown = asking.ask.shown.filter(|_| !asking.progress.showed)?;
        let is_newer = (shown.edition, shown.row) > (self.replica.edition(), self.replica.have());
        let key = self.guests.holder_of(asking.ask.visitor).key;
        // An entry became a number when it was drawn.
        let lacks = ticket.is_none() && !shown.number.is_entry();
        let is_doubtful = is_newer || (lacks && self.replica.knows_no_end(key, shown));
        is_doubtful.then_some(shown)
    }

    /// Whether the ask names an account and the room has not yet said that the ticket is that account's.
    fn is_news_of_account(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let member = self.member_of(ask);
        member.is_some_and(|member| ticket.account != Some(member.account))
    }

    /// Returns why the place that the visitor shows is over; see [`Replica::why_over`](super::replica::Replica::why_over).
    fn why_over(&self, ask: &Ask) -> Option<Option<Reason>> {
        let key = self.guests.holder_of(ask.visitor).key;
        ask.shown.and_then(|shown| self.replica.why_over(key, shown))
    }
}

/// Whether the wish goes to the room in any case, whatever the lobby knows.
const fn hears_anyway(wish: Wish) -> bool {
    matches!(
        wish,
        Wish::Renew(_) | Wish::Check(_) | Wish::Release(_) | Wish::Extend { .. } | Wish::Carry { .. }
    )
}

/// Returns the wish to extend a lease by `by_ms` beyond its extensions so far. It names the total, so that a repeat adds nothing.
fn extension(fence: Fence, by_ms: u64, ticket: Option<Ticket>) -> Want {
    let extended_ms = match ticket.map(|ticket| ticket.phase) {
        Some(Phase::Admitted { fence: own, extended_ms, .. }) if own == fence => extended_ms,
        _ => 0,
    };
    Want::Extend {
        fence,
        total_ms: extended_ms.saturating_add(by_ms),
    }
}

/// Whether the visitor shows this very place.
fn shows(ask: &Ask, ticket: &Ticket) -> bool {
    ask.shown.is_some_and(|shown| shown.number == ticket.number)
}
