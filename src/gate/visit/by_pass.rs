//! What a visit comes to by the pass that it shows: a lease, or the farewell that is left of one. With at most one question.

use super::{Keeps, Otherwise, OutOfReach, Silenced, Step, Then, Visit};
use crate::{Asked, ByPass, Ended, Failed, Held, Here, Outcome, PassShown, Question, Silence, Unheard, Wanted};
use facts::config::Mode;
use facts::planted::{self, Bug};
use facts::wire::Wish;
use token::{Farewell, Freshness, Pass};

impl Visit {
    pub(super) fn goes_by_pass(self: Box<Self>, here: &Here<'_>) -> Step {
        let (now_ms, pass_ttl_ms) = (here.now_ms, here.room.pass_ttl_ms);
        let facts = &self.facts;
        let farewell = self.asker.identity.farewell();
        if let Some(farewell) = farewell.filter(|farewell| farewell.loads(now_ms, pass_ttl_ms)) {
            return self.goes_by_farewell(farewell, here);
        }
        let Some(pass) = self.asker.identity.lease() else {
            return self.goes_without_pass(here);
        };
        let shown = PassShown {
            standing: pass.freshness(now_ms, pass_ttl_ms),
            is_strict: facts.is_strict,
            is_bypass: facts.mode == Mode::Bypass,
            has_newer: facts.newer.is_some(),
            is_speculative: facts.intent.is_speculative,
        };
        if shown.is_checked() {
            let question = Question::about(&pass, Wish::Check(pass.fence));
            return self.asks(question, Then::Checked(pass, shown));
        }
        self.goes_on(pass, shown, here)
    }

    /// Judges the passes anew after a question: a lease may have ended while nobody answered, or while the answer was on its way.
    fn judges_anew(&mut self, pass: &Pass, shown: PassShown, here: &Here<'_>) -> PassShown {
        if planted::is(Bug::PassJudgedOnce) {
            return shown;
        }
        let standing = |pass: &Pass| pass.freshness(here.now_ms, here.room.pass_ttl_ms);
        self.facts.newer = self.facts.newer.filter(|newer| standing(newer) != Freshness::LeaseEnded);
        PassShown {
            standing: standing(pass),
            has_newer: self.facts.newer.is_some(),
            ..shown
        }
    }

    pub(super) fn checked(mut self: Box<Self>, pass: Pass, shown: PassShown, answer: Result<Asked, Silence>, here: &Here<'_>) -> Step {
        let shown = self.judges_anew(&pass, shown, here);
        match answer {
            Ok(asked) if lives(&pass, &asked) || planted::is(Bug::DeniedCheckPasses) => self.goes_on(pass, shown, here),
            Ok(asked) => self.lease_is_over(&pass, asked, here),
            Err(_) if planted::is(Bug::UnheardCheckPasses) => self.goes_on(pass, shown, here),
            Err(_) if shown.is_speculative => self.goes_without_pass(here),
            Err(_) => self.out_of_reach(pass, here),
        }
    }

    fn goes_on(self: Box<Self>, pass: Pass, shown: PassShown, here: &Here<'_>) -> Step {
        match (shown.goes_on(), self.facts.newer) {
            (ByPass::Newer, Some(newer)) => self.goes_in(newer, Held::Older),
            (ByPass::Newer, None) | (ByPass::Nothing, _) => self.goes_without_pass(here),
            (ByPass::AsItIs, _) => self.goes_in(pass, Held::Shown),
            (ByPass::RenewedBeside, _) => self.goes_in(pass, Held::RenewedBeside),
            // An earlier request has waited in vain. This one asks beside, and the first answer ends it.
            (ByPass::RenewedFirst, _) if shown.may_stay() && self.facts.is_away => self.goes_in(pass, Held::RenewedBeside),
            (ByPass::RenewedFirst, _) => {
                let question = Question::about(&pass, Wish::Renew(pass.fence));
                self.asks(question, Then::Renewed(pass, shown))
            }
        }
    }

    pub(super) fn renewed(mut self: Box<Self>, pass: Pass, shown: PassShown, answer: Result<Asked, Silence>, here: &Here<'_>) -> Step {
        let shown = self.judges_anew(&pass, shown, here);
        let Ok(asked) = answer else {
            return match shown.unheard(self.facts.mode.passes()) {
                Unheard::Stays => self.goes_in(pass, Held::Shown),
                Unheard::Free => self.ends(Outcome::Free, Keeps::AsItIs),
                Unheard::Waits => self.out_of_reach(pass, here),
            };
        };
        match asked.renewal(&pass, here.room) {
            Some(renewed) => self.goes_in(renewed, Held::Older),
            None => self.lease_is_over(&pass, asked, here),
        }
    }

    fn lease_is_over(mut self: Box<Self>, pass: &Pass, asked: Asked, here: &Here<'_>) -> Step {
        self.asker.notes.over = Some(pass.fence);
        let outcome = asked.outcome(Wanted::Word, None, pass.visitor, here.room);
        match Ended::of(outcome, &asked.told.status, self.facts.intent.visit) {
            Ended::Free => self.ends(Outcome::Free, Keeps::AsItIs),
            Ended::ArrivesAnew => self.goes_without_pass(here),
            Ended::Told => {
                let keeps = Keeps::ToldWithoutPass(pass.visitor);
                self.asker.ends(outcome, keeps, Some(asked))
            }
        }
    }

    /// A farewell loads pages. A click that does not follow from the order begins anew if somebody can walk in now, so that the next purchase is not filled
    /// in under a farewell, which submits nothing. Nobody is put into line for looking at the page.
    fn goes_by_farewell(mut self: Box<Self>, farewell: Farewell, here: &Here<'_>) -> Step {
        let is_click = self.facts.intent.is_click;
        let follows = farewell.is_new(here.now_ms, here.room.pass_ttl_ms);
        if !is_click || follows || self.facts.is_full || self.facts.is_exception {
            return self.rests_on(farewell, here);
        }
        self.farewell = Some(farewell);
        self.arrives(here)
    }

    /// Ends a visit that arrived. One that began anew and came to no lease rests on its farewell.
    pub(super) fn ends_anew(mut self: Box<Self>, outcome: Outcome, keeps: Keeps, asked: Option<Asked>, here: &Here<'_>) -> Step {
        match self.farewell.take() {
            Some(farewell) if !matches!(outcome, Outcome::In(..)) => self.rests_on(farewell, here),
            _ => self.asker.ends(outcome, keeps, asked),
        }
    }

    fn rests_on(self: Box<Self>, farewell: Farewell, here: &Here<'_>) -> Step {
        match self.facts.intent.visit.only_reads() {
            true => self.ends(Outcome::Farewell(farewell), Keeps::AsItIs),
            false => self.goes_without_pass(here),
        }
    }

    fn goes_in(self: Box<Self>, pass: Pass, held: Held) -> Step {
        self.ends(Outcome::In(pass, held), Keeps::AsItIs)
    }

    /// The visit waits, unless the room fails open: then it goes in by its lease if that has not ended.
    fn out_of_reach(self: Box<Self>, pass: Pass, here: &Here<'_>) -> Step {
        let outcome = match (self.facts.newer, pass.freshness(here.now_ms, here.room.pass_ttl_ms)) {
            (Some(newer), _) => Outcome::In(newer, Held::Older),
            (None, Freshness::LeaseEnded) => Outcome::Free,
            (None, _) => Outcome::In(pass, Held::Shown),
        };
        let otherwise = Otherwise::Waits(Keeps::Proven);
        let out = Silenced::Visit(self, outcome, otherwise);
        Step::FailOpen(Failed::Now, OutOfReach(out))
    }
}

fn lives(pass: &Pass, asked: &Asked) -> bool {
    asked.told.lease.is_some_and(|lease| pass.is_of(&lease))
}
