//! What a visit comes to that no pass lets in: it arrives if it may walk in, and otherwise it gets no more than a word.

use super::{Counted, Counting, Keeps, Otherwise, OutOfReach, Probing, Silenced, Step, Then, Visit};
use crate::{Arrival, Asked, Failed, First, Here, Intent, Other, Outcome, Press, Silence, Terms, VisitKind, Wanted};
use facts::config::Mode;
use facts::planted::{self, Bug};
use facts::units::VisitorId;
use facts::wire::Wish;
use token::Ticket;

impl Visit {
    pub(super) fn goes_without_pass(self: Box<Self>, here: &Here<'_>) -> Step {
        let facts = &self.facts;
        if facts.is_exception {
            return self.ends(Outcome::Nothing, Keeps::AsItIs);
        }
        // What is sent under a pass that has ended may be sent for the second time, so the visitor is told first.
        let is_navigation = facts.intent.visit == VisitKind::Navigation;
        let is_first = is_navigation || self.asker.identity.pass.is_none();
        let walks_in = facts.intent.walks_in || planted::is(Bug::LookArrives);
        match walks_in && is_first {
            true => self.arrives(here),
            false => self.is_told(here),
        }
    }

    fn arrival<'a>(&'a self, here: &Here<'a>) -> Arrival<'a> {
        let facts = &self.facts;
        Arrival {
            identity: &self.asker.identity,
            room: here.room,
            mode: facts.mode,
            intent: facts.intent,
        }
    }

    /// The visitor claims, resumes, walks in or joins, whichever is possible. A visit that begins anew takes no number.
    pub(super) fn arrives(mut self: Box<Self>, here: &Here<'_>) -> Step {
        self.asker.identity = self.asker.identity.by_name();
        let arrival = self.arrival(here);
        let intent = Intent {
            joins: arrival.intent.joins && (self.farewell.is_none() || planted::is(Bug::ThankedIntoTheLine)),
            ..arrival.intent
        };
        let arrival = Arrival { intent, ..arrival };
        match arrival.first(|| self.facts.is_full) {
            First::Free => self.ends_anew(Outcome::Free, Keeps::AsItIs, None, here),
            First::TurnedAway(barred) => self.ends_anew(Outcome::Barred(barred), Keeps::Proven, None, here),
            First::Challenged => self.kept_out(Outcome::Challenged, here),
            First::Named => self.kept_out(Outcome::Arriving, here),
            First::Ask(terms) if terms.is_probe => Step::Probe(Probing { visit: self, terms }),
            First::Ask(terms) => self.counts_first(terms, here),
        }
    }

    /// Ends a visit of which no lobby was told. A stranger is given a name.
    pub(super) fn kept_out(mut self: Box<Self>, outcome: Outcome, here: &Here<'_>) -> Step {
        let keeps = match self.asker.identity.visitor {
            Some(_) => Keeps::Proven,
            None => Keeps::Named(self.asker.named(here)),
        };
        self.ends_anew(outcome, keeps, None, here)
    }

    pub(super) fn counts_first(self: Box<Self>, terms: Terms, here: &Here<'_>) -> Step {
        match terms.counts {
            true => Step::Limit(Counting(Counted::Visit(self, terms))),
            false => self.asks_to_arrive(terms, here),
        }
    }

    pub(super) fn asks_to_arrive(mut self: Box<Self>, terms: Terms, here: &Here<'_>) -> Step {
        let visitor = self.asker.named(here);
        let identity = &self.asker.identity;
        let question = identity.question(visitor, terms.wish, Press::None, here);
        self.asks(question, Then::Arrived(visitor, terms))
    }

    /// Reads the answer to a visitor who arrived.
    pub(super) fn arrived(self: Box<Self>, visitor: VisitorId, terms: Terms, answer: Result<Asked, Silence>, here: &Here<'_>) -> Step {
        let asked = match answer {
            Ok(asked) => asked,
            Err(silence) => return self.unheard(visitor, silence, here),
        };
        let outcome = asked.outcome(Wanted::Entry, terms.barred, visitor, here.room);
        let keeps = match outcome {
            // The origin's answer stays one that caches may keep.
            Outcome::Free => Keeps::AsItIs,
            Outcome::Placed | Outcome::OfAnother | Outcome::Over | Outcome::Nothing => Keeps::ToldWithoutPass(visitor),
            _ => Keeps::Told(visitor),
        };
        self.ends_anew(outcome, keeps, Some(asked), here)
    }

    /// A room that only observes must keep nobody out when it fails.
    fn unheard(self: Box<Self>, visitor: VisitorId, why: Silence, here: &Here<'_>) -> Step {
        if self.facts.mode.passes() || planted::is(Bug::SilenceOpens) {
            return self.ends_anew(Outcome::Free, Keeps::AsItIs, None, here);
        }
        let keeps = match self.asker.identity.visitor {
            Some(_) => Keeps::AsItIs,
            None => Keeps::Named(visitor),
        };
        match why {
            Silence::Full => self.ends_anew(Outcome::Unheard, keeps, None, here),
            Silence::Unreachable => {
                let otherwise = Otherwise::Waits(keeps);
                let out = Silenced::Visit(self, Outcome::Free, otherwise);
                Step::FailOpen(Failed::Now, OutOfReach(out))
            }
        }
    }

    /// The visit walks nobody in: without a pass it gets a word at most. A visitor in the line who gets a page sees the place on it.
    fn is_told(mut self: Box<Self>, here: &Here<'_>) -> Step {
        self.asker.identity = self.asker.identity.by_name();
        match self.arrival(here).other() {
            Other::Free => {
                let observes = self.facts.mode == Mode::Observe;
                self.asker.notes.is_only_observed = observes && !self.facts.intent.takes_nothing();
                self.ends(Outcome::Free, Keeps::AsItIs)
            }
            Other::Bare => self.ends(Outcome::Arriving, Keeps::AsItIs),
            Other::TurnedAway(barred) => self.ends(Outcome::Barred(barred), Keeps::Proven),
            Other::Waits(ticket) => {
                let otherwise = Otherwise::Looks(ticket);
                let out = Silenced::Visit(self, Outcome::Free, otherwise);
                Step::FailOpen(Failed::Before, OutOfReach(out))
            }
        }
    }

    pub(super) fn looks(mut self: Box<Self>, ticket: Option<Ticket>, here: &Here<'_>) -> Step {
        if let Some(ticket) = ticket {
            let look = Wish::Status { wait_ms: 0 };
            let identity = &self.asker.identity;
            let question = identity.question(ticket.visitor, look, Press::None, here);
            return self.asks(question, Then::Looked(ticket.visitor));
        }
        let keeps = match self.arrival(here).needs_name() {
            true => Keeps::Named(self.asker.named(here)),
            false => Keeps::Proven,
        };
        self.ends(Outcome::Arriving, keeps)
    }

    pub(super) fn looked(self: Box<Self>, visitor: VisitorId, answer: Result<Asked, Silence>, here: &Here<'_>) -> Step {
        match answer {
            Ok(asked) => {
                let outcome = asked.outcome(Wanted::Word, None, visitor, here.room);
                self.asker.ends(outcome, Keeps::ToldWithoutPass(visitor), Some(asked))
            }
            Err(_) => self.ends(Outcome::Unheard, Keeps::Proven),
        }
    }
}
