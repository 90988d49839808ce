//! Visitors' calls to Baton itself, by the front's own `Call`; and links that carry places.

use super::front::{here, identity};
use crate::simulate::faults::Kind as Fault;
use crate::simulate::front::{Cookie, Why};
use crate::simulate::world::World;
use baton::facts::holder::Shown;
use baton::facts::wire::State;
use baton::gate::{Call, CarryCall, Errand, Keeps, Outcome, Verdict};
use baton::token::Carry;
use baton_advice::chance::Chance;

/// How many links are remembered, to be opened again.
const LINKS_MAX: usize = 8;

impl World {
    /// Calls with the cookies that the browser has.
    pub fn calls(&mut self, visitor: usize, errand: Errand) {
        self.calls_with(visitor, self.people[visitor].ticket, errand);
    }

    /// Calls with this ticket.
    pub(super) fn calls_with(&mut self, visitor: usize, ticket: Option<(Shown, usize)>, errand: Errand) {
        let cookie = self.reads_cookie(visitor, false);
        let identity = identity(visitor, ticket, cookie);
        let step = Call::begin(identity, errand, &here(self.time));
        let why = match errand {
            Errand::Claim => Why::Claim,
            _ => Why::Call,
        };
        self.goes_on(visitor, step, why);
    }

    /// Takes in what a call came to.
    pub(super) fn call_ends(&mut self, visitor: usize, verdict: &Verdict, why: Why) {
        // A lobby that waits for the room in vain says what it knows.
        let state = verdict.asked.as_ref().map(|asked| asked.told.status.state);
        if self.is_settled() && why == Why::Claim && state == Some(State::Called) {
            self.flaw("a called visitor who claims is called no more", format!("{verdict:?}"));
        }
        if let Outcome::Offered(link) = verdict.outcome {
            self.link_travels(link);
        }
        let person = &mut self.people[visitor];
        match (verdict.keeps, verdict.outcome) {
            (Keeps::ToldWithPass(_), Outcome::In(pass, _)) => person.cookie = Some(Cookie::Pass(pass)),
            (Keeps::ToldWithoutPass(_), _) => person.drops_pass(),
            (Keeps::Nothing, _) => person.drops_ticket(),
            _ => {}
        }
        let keeps_pass = matches!(person.cookie, Some(Cookie::Pass(_)));
        if verdict.outcome == Outcome::Left && keeps_pass {
            self.flaw("whoever leaves keeps no pass", format!("{:?}", verdict.keeps));
        }
    }

    /// Keeps a new link for later, and lets two visitors open it now.
    fn link_travels(&mut self, link: Carry) {
        if self.links.len() >= LINKS_MAX {
            self.links.remove(0);
        }
        self.links.push(link);
        let mut rng = Chance::of(self.seed, link.key.0 ^ link.row.0);
        for _ in 0..2 {
            let taker = rng.below(self.people.len() as u64) as usize;
            self.opens_link(taker, link);
        }
    }

    /// Lets a visitor take over the place of a link, however old the link is.
    pub(super) fn opens_link(&mut self, taker: usize, link: Carry) {
        if !self.people[taker].gone {
            self.note(Fault::Carry);
            self.calls(taker, Errand::Carry(CarryCall::Take, Some(link)));
        }
    }
}
