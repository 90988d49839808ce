//! What a call comes to by a lobby's answer.

use super::call::{Call, Errand};
use super::{Asking, Keeps, OutOfReach, Paused, Silenced, Step};
use crate::{Asked, Barred, Failed, Here, Outcome, Question, Silence, Wanted, is_nearer};
use facts::config::Mode;
use facts::planted::{self, Bug};
use facts::units::VisitorId;
use facts::wire::{CarryTold, State, Wish};
use token::Carry;

impl Call {
    pub(super) fn waits_for(self: Box<Self>, question: Question, visitor: VisitorId) -> Step {
        Step::Ask(question, Asking(Paused::Call(self, visitor)))
    }

    /// Goes on with a lobby's answer, or without one.
    pub(super) fn heard(mut self: Box<Self>, visitor: VisitorId, answer: Result<Asked, Silence>, here: &Here<'_>) -> Step {
        let asked = match answer {
            Ok(asked) => asked,
            Err(silence) => return self.unheard(silence),
        };
        let told = Keeps::Told(visitor);
        let reads = |wanted| asked.outcome(wanted, None, visitor, here.room);
        let (outcome, keeps) = match self.errand {
            Errand::Enter(mode) => return self.entered(visitor, mode, asked, here),
            Errand::Carry(_, Some(link)) => return self.followed_link(visitor, &link, asked, here),
            Errand::Claim => match reads(Wanted::Permit) {
                outcome @ Outcome::In(..) => (outcome, Keeps::ToldWithPass(visitor)),
                outcome => (outcome, told),
            },
            Errand::Leave => {
                let lease = self.identity().lease();
                self.asker.notes.over = lease.map(|pass| pass.fence);
                match planted::is(Bug::LeaverKeepsThePass) {
                    true => (Outcome::Left, told),
                    false => (Outcome::Left, Keeps::Nothing),
                }
            }
            Errand::Offer => (offered(&asked, here), told),
            Errand::Take => match reads(Wanted::Permit) {
                outcome @ Outcome::In(..) => (outcome, Keeps::ToldWithPass(visitor)),
                _ => match self.numbered(visitor, &asked, here) {
                    // The pass belongs to a place that the device had before.
                    (outcome @ (Outcome::Placed | Outcome::Over | Outcome::Nothing), _) => (outcome, Keeps::ToldWithoutPass(visitor)),
                    other => other,
                },
            },
            Errand::Code => {
                self.asker.notes.refused = asked.told.unspent.map(|why| Barred::by(why).why);
                match self.numbered(visitor, &asked, here) {
                    (outcome, Keeps::Told(_)) => (outcome, Keeps::ToldWithCode(visitor)),
                    other => other,
                }
            }
            Errand::Join => self.numbered(visitor, &asked, here),
            Errand::Status { .. } | Errand::Socket { .. } | Errand::Own | Errand::Carry(_, None) => (reads(Wanted::Word), told),
        };
        self.asker.ends(outcome, keeps, Some(asked))
    }

    /// Reads the answer to a visitor who asked for a number.
    fn numbered(&self, visitor: VisitorId, asked: &Asked, here: &Here<'_>) -> (Outcome, Keeps) {
        let identity = self.identity();
        match asked.outcome(Wanted::Number, identity.barred(), visitor, here.room) {
            Outcome::Nothing | Outcome::Over if identity.is_unproven(here.room) => (Outcome::Challenged, Keeps::Told(visitor)),
            // A mode that issues no numbers is an answer, not a failure.
            Outcome::Nothing | Outcome::Over if asked.told.status.mode.issues() => (Outcome::Unheard, Keeps::AsItIs),
            outcome => (outcome, Keeps::Told(visitor)),
        }
    }

    fn entered(mut self: Box<Self>, visitor: VisitorId, mode: Mode, asked: Asked, here: &Here<'_>) -> Step {
        // A visitor with a page moves when the page joins; an app has no other call than this one. Who may not join may not move.
        let may_join = matches!(self.wish, Wish::Arrive { join: true, .. });
        if asked.told.status.has_better_lane() && may_join {
            self.wish = Wish::Join;
            return self.asks(visitor, here);
        }
        let barred = self.identity().barred().filter(|_| !mode.passes());
        let outcome = asked.outcome(Wanted::Entry, barred, visitor, here.room);
        let keeps = match outcome {
            Outcome::In(..) => Keeps::ToldWithPass(visitor),
            Outcome::Placed | Outcome::OfAnother | Outcome::Over | Outcome::Nothing => Keeps::ToldWithoutPass(visitor),
            _ => Keeps::Told(visitor),
        };
        self.asker.ends(outcome, keeps, Some(asked))
    }

    /// Reads the answer about the device's own place, or about the link's.
    fn followed_link(self: Box<Self>, visitor: VisitorId, link: &Carry, asked: Asked, here: &Here<'_>) -> Step {
        if !matches!(self.wish, Wish::Carry { .. }) {
            return match is_nearer(&asked.told.status, link.shown()) {
                true => self.ends(Outcome::Nearer, Keeps::AsItIs),
                false => self.takes_over(visitor, link),
            };
        }
        if asked.told.carry != Some(CarryTold::Carried) {
            return self.ends(Outcome::LinkOver, Keeps::AsItIs);
        }
        let outcome = asked.outcome(Wanted::Permit, None, visitor, here.room);
        let keeps = match outcome {
            Outcome::In(..) => Keeps::ToldWithPass(visitor),
            // The pass belongs to a place that the device had before.
            _ => Keeps::ToldWithoutPass(visitor),
        };
        self.asker.ends(outcome, keeps, Some(asked))
    }

    /// Only a call to go in takes the way of a room that lets everybody pass, or that fails open.
    fn unheard(self: Box<Self>, why: Silence) -> Step {
        match (self.errand, why) {
            (Errand::Enter(mode), _) if mode.passes() => self.ends(Outcome::Free, Keeps::AsItIs),
            (Errand::Enter(_), Silence::Unreachable) => Step::FailOpen(Failed::Now, OutOfReach(Silenced::Call(self))),
            _ => self.ends(Outcome::Unheard, Keeps::AsItIs),
        }
    }

    /// Goes on with the answer to a call for a socket, and whether a socket came with it.
    pub(super) fn connected(self: Box<Self>, visitor: VisitorId, answer: Result<(Asked, bool), Silence>, here: &Here<'_>) -> Step {
        let (asked, is_open) = match answer {
            Ok(answer) => answer,
            Err(_) => return self.ends(Outcome::Unheard, Keeps::AsItIs),
        };
        if is_open {
            return self.asker.ends(Outcome::Connected, Keeps::Told(visitor), Some(asked));
        }
        let (outcome, keeps) = match self.numbered(visitor, &asked, here) {
            (Outcome::Placed | Outcome::OfAnother | Outcome::Over | Outcome::Nothing, _) => (Outcome::Unheard, Keeps::AsItIs),
            other => other,
        };
        self.asker.ends(outcome, keeps, Some(asked))
    }
}

/// Reads the answer to a visitor who wants to carry the place to another device.
fn offered(asked: &Asked, here: &Here<'_>) -> Outcome {
    let status = &asked.told.status;
    match (asked.told.carry, status.shown()) {
        (Some(CarryTold::Offered { key, row }), Some(place)) => Outcome::Offered(Carry {
            number: place.number,
            edition: place.edition,
            lobby: asked.lobby,
            key,
            row,
            ends_at_ms: asked.asked_at_ms.saturating_add(here.room.carry_within_ms),
        }),
        _ if status.state == State::None => Outcome::NoTicket,
        _ => Outcome::Over,
    }
}
