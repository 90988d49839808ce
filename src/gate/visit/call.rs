//! What a visitor's call to Baton itself begins with, and what it comes to before a lobby is asked.
//!
//! Six places decided about calls, and differed. What holds now (`tests/gate/call_steps.rs`, `tokens.rs`):
//!
//! | what | for | because |
//! |---|---|---|
//! | a token that proves nothing is cleared, and what a lobby told is kept | all | the pages did so, and the calls some of it |
//! | Turnstile's question comes before a number | *take* too | an account would get a number without it |
//! | who has no account is told why, and counted | *take* too | it was told that a token is missing, whatever was wrong with it |
//! | who may not join moves to no better lane | *enter* too | a better lane is a new number |
//! | a room that lets everybody pass opens for nobody | *enter* too | the count is of people whom the room would have kept waiting |
//! | a pass is cleared only where the lobby told of a place | *take* too | where nothing moved, the pass that is there is still good |
//! | whoever had the share of guesses has not tried the code | all | the page would offer the better lane no more |

use super::{Asker, Connecting, Counted, Counting, Keeps, Step};
use crate::{Answer, Arrival, Barred, CarryCall, First, Here, Identity, Intent, Outcome, Press, Question, VisitKind};
use facts::config::Mode;
use facts::planted::{self, Bug};
use facts::units::VisitorId;
use facts::wire::{Ask, Wish};
use token::Carry;

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// A number.
    Join,
    /// How things are, as soon as that changes.
    Status {
        /// How long to wait for a change, ms.
        wait_ms: u64,
    },
    /// The permit of a visitor who is called.
    Claim,
    /// To give the place up.
    Leave,
    /// To go in, or a place, in a room of this mode as last heard.
    Enter(Mode),
    /// The account's place, wherever it is.
    Take,
    /// A number, for the code that the visitor has just shown.
    Code,
    /// A link that carries the place to another device.
    Offer,
    /// A socket.
    Socket {
        /// Whether the call says that it takes no number.
        resumes: bool,
        /// Whether a token opens it, whose page cannot read what comes with the answer.
        by_token: bool,
    },
    /// Something that the front gives to a visitor whom it knows.
    Own,
    /// The place of a link, if the link is good.
    Carry(CarryCall, Option<Carry>),
}

impl Errand {
    /// Whether the call gives a number to a visitor without a ticket.
    const fn takes_number(self) -> bool {
        matches!(
            self,
            Self::Join | Self::Take | Self::Code | Self::Enter(_) | Self::Socket { resumes: false, .. }
        )
    }

    const fn press(self) -> Press {
        match self {
            Self::Take => Press::Take,
            _ => Press::None,
        }
    }
}

/// A call under way.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) asker: Asker,
    pub(super) errand: Errand,
    /// What the lobby is asked for.
    pub(super) wish: Wish,
}

/// What an app's call wants: what a navigation wants.
const ENTERS: Intent = Intent {
    visit: VisitKind::Resource,
    answer: Answer::Json,
    walks_in: true,
    joins: true,
    is_click: false,
    router: None,
    is_speculative: false,
    is_part: false,
    is_foreign: false,
    is_framed: false,
};
const LOOK: Wish = Wish::Status { wait_ms: 0 };

impl Call {
    /// Begins a call of whoever the request shows.
    #[must_use]
    pub fn begin(identity: Identity, errand: Errand, here: &Here<'_>) -> Step {
        let is_ahead_of_us = identity.is_ahead_of_us;
        let call = Box::new(Self {
            asker: Asker::new(identity),
            errand,
            wish: LOOK,
        });
        match errand {
            _ if is_ahead_of_us => call.ends(Outcome::Unheard, Keeps::AsItIs),
            Errand::Enter(mode) => call.enters(mode, here),
            Errand::Carry(act, link) => call.comes_by_link(act, link, here),
            _ => call.comes_by_name(here),
        }
    }

    pub(super) const fn identity(&self) -> &Identity {
        &self.asker.identity
    }

    fn comes_by_name(self: Box<Self>, here: &Here<'_>) -> Step {
        let (identity, errand) = (self.identity(), self.errand);
        if let Some(barred) = identity.barred()
            && identity.by_name().shown().is_none()
            && errand.takes_number()
        {
            return self.ends(Outcome::Barred(barred), Keeps::Proven);
        }
        let Some(visitor) = identity.visitor else {
            return self.is_strange(here);
        };
        if identity.bad_ticket {
            return self.ends(Outcome::NoTicket, Keeps::Proven);
        }
        if identity.is_unproven(here.room) && identity.ticket.is_none() && errand.takes_number() {
            return self.ends(Outcome::Challenged, Keeps::Proven);
        }
        match errand {
            Errand::Own => self.ends(Outcome::Known, Keeps::AsItIs),
            Errand::Take if !identity.has_account() => {
                let barred = identity.barred().unwrap_or(Barred::MISSING);
                self.ends(Outcome::Barred(barred), Keeps::Proven)
            }
            _ => self.comes_known(visitor, here),
        }
    }

    /// Asks the lobby, or first whether the visitor may ask for a number.
    fn comes_known(mut self: Box<Self>, visitor: VisitorId, here: &Here<'_>) -> Step {
        let (identity, errand) = (self.identity(), self.errand);
        let is_new = identity.ticket.is_none();
        // A visitor who has a ticket is told about it and gets no other.
        let may_join = !identity.is_unproven(here.room) && identity.barred().is_none();
        let (wish, counts) = match errand {
            Errand::Status { wait_ms } => (Wish::Status { wait_ms }, false),
            Errand::Claim if planted::is(Bug::ClaimOnlyLooks) => (LOOK, false),
            Errand::Claim => (Wish::Claim, false),
            Errand::Leave => (Wish::Leave, false),
            Errand::Offer => (Wish::Offer, false),
            Errand::Join if may_join => (Wish::Join, is_new),
            Errand::Take => (Wish::Join, true),
            // Sending a code is pressing a button, and the room counts guesses.
            Errand::Code if identity.barred().is_none() => (Wish::Join, false),
            // A page that opens the socket by token cannot read this answer, so a new ticket on it would be lost.
            Errand::Socket { resumes, by_token } if may_join && !resumes && !by_token => (Wish::Attend, is_new),
            _ => (LOOK, errand == Errand::Join && is_new),
        };
        self.wish = wish;
        match counts {
            true => Step::Limit(Counting(Counted::Call(self, visitor))),
            false => self.asks(visitor, here),
        }
    }

    /// Asks for what the call is for, as it stands.
    pub(super) fn asks(self: Box<Self>, visitor: VisitorId, here: &Here<'_>) -> Step {
        let errand = self.errand;
        let question = self.identity().question(visitor, self.wish, errand.press(), here);
        match errand {
            Errand::Socket { .. } => Step::Connect(question, Connecting { call: self, visitor }),
            _ => self.waits_for(question, visitor),
        }
    }

    /// Goes in or takes a place, whichever is possible, as a navigation does. Nobody is let in who shows no name: an app keeps what it is given.
    fn enters(mut self: Box<Self>, mode: Mode, here: &Here<'_>) -> Step {
        let identity = self.identity();
        let arrival = Arrival {
            identity,
            room: here.room,
            mode,
            intent: ENTERS,
        };
        let terms = match (arrival.first(|| true), identity.visitor) {
            (First::Free, _) => return self.ends(Outcome::Free, Keeps::AsItIs),
            (First::TurnedAway(barred), _) => return self.ends(Outcome::Barred(barred), Keeps::Proven),
            (_, None) | (First::Named, _) => return self.is_strange(here),
            (First::Challenged, _) => return self.ends(Outcome::Challenged, Keeps::Proven),
            (First::Ask(terms), Some(visitor)) => (terms, visitor),
        };
        let (terms, visitor) = terms;
        self.wish = terms.wish;
        match terms.counts {
            true => Step::Limit(Counting(Counted::Call(self, visitor))),
            false => self.asks(visitor, here),
        }
    }

    /// Whoever opens a link is given a name, so that a browser which keeps none is found out before the place moves.
    fn comes_by_link(mut self: Box<Self>, act: CarryCall, link: Option<Carry>, here: &Here<'_>) -> Step {
        self.asker.identity = self.asker.identity.by_name();
        let keeps = match self.identity().visitor {
            Some(_) => Keeps::AsItIs,
            None => Keeps::Named(self.asker.named(here)),
        };
        let outcome = match (link, act, self.identity().visitor) {
            (None, _, _) => Outcome::LinkOver,
            (Some(_), CarryCall::Look, _) | (Some(_), CarryCall::Take, None) => Outcome::Arriving,
            // The device may have a place already, and the link may be a stranger's trap.
            (Some(_), CarryCall::Take, Some(visitor)) if self.identity().shown().is_some() => return self.asks(visitor, here),
            (Some(link), CarryCall::Take, Some(visitor)) => return self.takes_over(visitor, &link),
        };
        self.ends(outcome, keeps)
    }

    pub(super) fn takes_over(mut self: Box<Self>, visitor: VisitorId, link: &Carry) -> Step {
        self.wish = Wish::Carry {
            place: link.shown(),
            key: link.key,
        };
        let ask = Ask::plain(visitor, None, self.wish);
        self.waits_for(Question::new(link.lobby, ask), visitor)
    }

    /// Ends the call of a client that shows no visitor's name. No lobby is asked.
    fn is_strange(mut self: Box<Self>, here: &Here<'_>) -> Step {
        let outcome = match self.errand {
            Errand::Leave => return self.ends(Outcome::Left, Keeps::Nothing),
            Errand::Status { .. } => Outcome::Nothing,
            _ => Outcome::Arriving,
        };
        let keeps = Keeps::Named(self.asker.named(here));
        self.ends(outcome, keeps)
    }

    pub(super) fn ends(self: Box<Self>, outcome: Outcome, keeps: Keeps) -> Step {
        self.asker.ends(outcome, keeps, None)
    }
}
