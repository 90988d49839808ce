//! What a request comes to by the pass that it shows, when that is not simply fresh: which goes in at once, which is asked about first, and what follows
//! when the lease turns out to be over or nobody answers.

use super::{Outcome, VisitKind};
use facts::planted::{self, Bug};
use facts::wire::{Reason, Status};
use token::Freshness;

/// A pass that a request shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassShown {
    /// How fresh it is.
    pub standing: Freshness,
    /// Whether the room is asked before the request goes in, however fresh the pass is.
    pub is_strict: bool,
    /// Whether the room's mode is `bypass`.
    pub is_bypass: bool,
    /// Whether this isolate has a newer pass of the same lease.
    pub has_newer: bool,
    /// Whether the request looks ahead of a click. It never slides a lease.
    pub is_speculative: bool,
}

/// How a request goes on by its pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByPass {
    /// It goes in by the newer pass.
    Newer,
    /// It goes in by the pass as it is.
    AsItIs,
    /// It goes in, and the pass is renewed beside the origin's answer.
    RenewedBeside,
    /// The pass is renewed first.
    RenewedFirst,
    /// The pass decides nothing.
    Nothing,
}

/// What becomes of a request whose pass cannot be renewed, because nobody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unheard {
    /// It goes in: the lease that the pass carries has not ended.
    Stays,
    /// It goes in without a lease: nobody is kept waiting.
    Free,
    /// It waits, unless the room fails open.
    Waits,
}

impl PassShown {
    const fn is_good(self) -> bool {
        matches!(self.standing, Freshness::Fresh | Freshness::RenewSoon)
    }

    /// Whether the room is asked first if the lease lives.
    #[must_use]
    pub const fn is_checked(self) -> bool {
        self.is_strict && !self.is_bypass && (self.is_good() || self.has_newer)
    }

    /// Returns how the request goes on, after the check if there was one.
    #[must_use]
    pub fn goes_on(self) -> ByPass {
        match self.standing {
            _ if self.has_newer => ByPass::Newer,
            Freshness::LeaseEnded if planted::is(Bug::EndedLeaseGoesIn) => ByPass::AsItIs,
            Freshness::Fresh => ByPass::AsItIs,
            Freshness::RenewSoon if self.is_speculative => ByPass::AsItIs,
            Freshness::RenewSoon => ByPass::RenewedBeside,
            Freshness::Ended | Freshness::LeaseEnded => {
                if self.is_speculative || self.is_bypass {
                    ByPass::Nothing
                } else {
                    ByPass::RenewedFirst
                }
            }
        }
    }

    /// Whether a pass that has ended is honoured without an answer: the lease that it carries has not ended, and the room is not strict.
    #[must_use]
    pub fn may_stay(self) -> bool {
        self.standing == Freshness::Ended && !self.is_strict
    }

    /// Returns what becomes of the request if nobody answers the renewal, by how fresh the pass is then. `passes` says whether the room lets everybody in.
    #[must_use]
    pub fn unheard(self, passes: bool) -> Unheard {
        if self.may_stay() {
            return Unheard::Stays;
        }
        if passes {
            return Unheard::Free;
        }
        Unheard::Waits
    }
}

/// What follows when a pass's lease is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The request goes in: nobody is kept waiting.
    Free,
    /// The visitor arrives anew, since there is nothing to tell first.
    ArrivesAnew,
    /// The visitor is told.
    Told,
}

impl Ended {
    /// Reads what the lobby says of a lease that is over: what its answer comes to, and how things stand.
    #[must_use]
    pub fn of(outcome: Outcome, status: &Status, visit: VisitKind) -> Self {
        // Without a reason the front cannot know that the end is no news.
        let is_news = status.reason.is_none_or(Reason::is_news);
        let tells = outcome == Outcome::Over && is_news;
        let (passes, navigates) = (status.mode.passes(), visit == VisitKind::Navigation);
        match (passes, navigates) {
            (true, false) => Self::Free,
            (true, true) => Self::ArrivesAnew,
            (false, true) if !tells => Self::ArrivesAnew,
            (false, _) => Self::Told,
        }
    }
}
