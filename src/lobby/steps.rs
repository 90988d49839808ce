//! What a visitor's wish leads to next: an answer from what the lobby knows, or a question to the room, and which. Nothing here changes anything.

use super::Moment;
use super::asking::{Progress, Want, takes_number};
use super::guests::Guests;
use super::picture::Picture;
use super::replica::Replica;
use super::ticket::{Phase, Ticket};
use facts::command::Command;
use facts::enter::{Enter, Enters, Person};
use facts::holder::{Comes, Held, Holder, Key, Member, Shown};
use facts::lane_name::LaneName;
use facts::message::Gist;
use facts::units::{Fence, Instant};
use facts::voucher::Spend;
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

/// One ask as the lobby sees it: who asks, with which ticket, and what is known around it. It only looks.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    ask: &'a Ask,
    key: Key,
    ticket: Option<&'a Ticket>,
    guests: &'a Guests,
    replica: &'a Replica,
    picture: &'a Picture,
}

impl<'a> Case<'a> {
    /// O(log tickets).
    pub fn of(ask: &'a Ask, guests: &'a Guests, replica: &'a Replica, picture: &'a Picture) -> Self {
        let key = guests.holder_of(ask.visitor).key;
        Self {
            ask,
            key,
            ticket: replica.of_key(key),
            guests,
            replica,
            picture,
        }
    }

    /// The visitor's living ticket here, or `None` without one.
    pub const fn ticket(&self) -> Option<&'a Ticket> {
        self.ticket
    }

    /// Whether the lobby must first hear from the room: what it knows is too old to tell, or older than what the visitor was told elsewhere.
    pub fn must_hear_first(&self, m: Moment, progress: &Progress) -> bool {
        if progress.heard || hears_anyway(self.ask.wish) {
            return false;
        }
        let newer = self.ask.shown.is_some_and(|shown| shown.row > self.replica.have());
        // A lane that the lobby does not know may have been added just now.
        let lacks_lane = takes_number(self.ask.wish) && self.ticket.is_none() && self.picture.lanes().lack_one_for(self.ask);
        newer || lacks_lane || self.picture.must_look(m)
    }

    /// Decides what to do next for an ask that has come so far. `may_walk_in`: whether the address may have one more walk-in.
    ///
    /// Long because it has an arm for each wish.
    pub fn step(&self, m: Moment, progress: &Progress, may_walk_in: impl Fn() -> bool) -> Step {
        let ask = self.ask;
        let ticket = self.ticket.copied();
        let held = ticket.map(|ticket| ticket.held());
        let is_answered = progress.asked || progress.at.is_some() || progress.unspent.is_some();
        match (ask.wish, ticket.zip(held)) {
            // Before anything else: nothing may be told or done that rests on the place's being over.
            _ if let Some(shown) = self.doubted(progress) => Step::Want(Want::Shows(shown)),
            _ if is_answered => Step::Tell,
            (Wish::Arrive { .. } | Wish::Join | Wish::Attend, None) => self.step_in(m, progress, may_walk_in),
            (Wish::Join | Wish::Attend, Some((ticket, _)))
                if !progress.joined && (self.picture.lanes().have_better(ask, &ticket) || self.picture.lanes().may_raise(ask, &ticket)) =>
            {
                Step::Want(Want::Join)
            }
            // Only the room can answer a visitor who does not show this place: its holder may have left it for a place in another lobby.
            (Wish::Arrive { .. } | Wish::Join | Wish::Attend, Some((ticket, _)))
                if !progress.joined && !progress.walked && (!shows(ask, &ticket) || self.is_news_of_account(&ticket)) =>
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
    fn step_in(&self, m: Moment, progress: &Progress, may_walk_in: impl Fn() -> bool) -> Step {
        let ask = self.ask;
        let why = self.why_over();
        if self.picture.lanes().lack_one_for(ask) {
            return Step::Tell;
        }
        let gist = self.picture.lanes().gist_of(self.picture.lanes().of_newcomer(ask.lane));
        // An account's place may move here in any mode.
        let shut = !self.picture.must_look(m) && !gist.mode.issues() && ask.account.is_none();
        match ask.wish {
            Wish::Arrive { walk_in, join } => {
                // A visitor who still shows an ended ticket is told once why it ended. The front then clears the
                // ticket, so that the next visit is a new one.
                if why.is_some_and(|why| why.is_none_or(Reason::is_news)) {
                    return Step::Tell;
                }
                let allowed = gist.walk_ins || gist.mode.passes();
                let none_free = self.picture.has_just_heard(m.now) && !gist.walk_in;
                let tries = walk_in && allowed && !progress.walked && !progress.joined && !none_free;
                let may = gist.mode.passes() || ask.account.is_some();
                if tries && (may || may_walk_in()) {
                    return Step::Want(Want::WalkIn);
                }
                if join && !shut && !gist.mode.passes() && !progress.joined {
                    return self.step_join(m.now, gist);
                }
                Step::Tell
            }
            // A page opens sockets by itself, so a visitor whose place a reset ended is asked before taking another. Any
            // other end was already told to the earlier socket.
            Wish::Attend if why == Some(Some(Reason::Reset)) => Step::Tell,
            Wish::Join | Wish::Attend if !progress.joined && !shut => self.step_join(m.now, gist),
            _ => Step::Tell,
        }
    }

    /// Decides a join. The lobby itself answers that the line is full, if the room said so just now: people who are turned away must not be a load on it.
    /// Only the room knows whether an account has a place, and into which lane a voucher leads.
    fn step_join(&self, now: Instant, gist: Gist) -> Step {
        let is_plain = self.ask.account.is_none() && self.ask.spend.is_none();
        if gist.full && is_plain && self.picture.has_just_heard(now) {
            Step::Full
        } else {
            Step::Want(Want::Join)
        }
    }

    /// Returns the place that the visitor shows, if the lobby has no ticket of the visitor and does not know what became of it, or if it is newer
    /// than what the lobby knows: the room's data may have lost it.
    fn doubted(&self, progress: &Progress) -> Option<Shown> {
        let shown = self.ask.shown.filter(|_| !progress.showed)?;
        let is_newer = (shown.edition, shown.row) > (self.replica.edition(), self.replica.have());
        // An entry became a number when it was drawn.
        let lacks = self.ticket.is_none() && !shown.number.is_entry();
        let is_doubtful = is_newer || (lacks && self.replica.knows_no_end(self.key, shown));
        is_doubtful.then_some(shown)
    }

    /// Whether the ask names an account and the room has not yet said that the ticket is that account's.
    fn is_news_of_account(&self, ticket: &Ticket) -> bool {
        let member = self.member();
        member.is_some_and(|member| ticket.account != Some(member.account))
    }

    /// Returns why the place that the visitor shows is over; see [`Replica::why_over`].
    fn why_over(&self) -> Option<Option<Reason>> {
        self.ask.shown.and_then(|shown| self.replica.why_over(self.key, shown))
    }

    /// Returns what asks the room for this.
    pub fn command(&self, want: Want) -> Command {
        match want {
            Want::Join => Command::Enter(self.enter(Enters::Join)),
            Want::WalkIn => Command::Enter(self.enter(Enters::WalkIn)),
            Want::Claim(place, fence) => Command::Claim { place, fence },
            Want::Renew(fence) => Command::Renew(fence),
            Want::Extend { fence, total_ms } => Command::Extend { fence, total_ms },
            Want::Release(fence) => Command::Release(fence),
            Want::Shows(shown) => Command::Shows { key: self.key, shown },
            Want::Leave(place) => Command::Leave(place),
            Want::Carry { place, row } => Command::Carry {
                place,
                row,
                to: self.holder(),
            },
        }
    }

    /// Returns how this ask comes in, alone. A voucher leads to its own lane.
    fn enter(&self, how: Enters) -> Enter {
        let person = self.member().map_or_else(|| self.holder().into(), Person::from);
        let spend = self.spend();
        Enter {
            how,
            lane: self.lane().filter(|_| spend.is_none()),
            who: Person { spend, ..person }.into(),
        }
    }

    /// The holder that the ask makes of its visitor.
    pub fn holder(&self) -> Holder {
        self.guests.holder_by(self.ask)
    }

    /// Returns the member as which this ask joins for its account, or `None` if it names none.
    pub fn member(&self) -> Option<Member> {
        let asked = self.ask.account?;
        let is_back = |edition| edition == self.replica.edition();
        Some(Member {
            holder: self.holder(),
            account: self.guests.account_of(asked.id),
            comes: match self.ask.shown {
                _ if asked.take => Comes::ByButton,
                Some(shown) if is_back(shown.edition) => Comes::Back,
                _ => Comes::Anew,
            },
        })
    }

    /// The voucher that this wish spends. A visitor who has a place and only looks at a page spends none.
    fn spend(&self) -> Option<Spend> {
        self.ask.spend.filter(|_| self.ask.account.is_none() && !self.only_looks())
    }

    /// The lane into which this wish brings the visitor. A visitor who has a place and only looks at a page is moved nowhere.
    fn lane(&self) -> Option<LaneName> {
        let named = self.ask.lane.filter(|_| !self.only_looks())?;
        self.picture.lanes().named(named).map(|lane| lane.name)
    }

    fn only_looks(&self) -> bool {
        matches!(self.ask.wish, Wish::Arrive { .. }) && self.ticket.is_some()
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
