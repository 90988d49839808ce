//! What a request to a gated path comes to that no pass lets in, as far as the front can tell before it asks a lobby. Most requests of a crowd end here, so
//! the reasons stand in the order in which they count, and nothing is asked of anybody for one that a later reason would refuse.

use super::{Answer, Barred, Identity, Intent};
use facts::config::Mode;
use facts::wire::Wish;
use settings::RoomSettings;
use token::Ticket;

/// A request without a pass that counts.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Who asks, by the visitor's own name: whom only an ended pass names arrives like anybody else.
    pub identity: &'a Identity,
    /// The room.
    pub room: &'a RoomSettings,
    /// The room's mode as last heard. The lobby may know better.
    pub mode: Mode,
    /// What the request wants.
    pub intent: Intent,
}

/// What comes first for a visit that may walk in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// It goes in: nobody is kept waiting.
    Free,
    /// It gets no number and no way in, for this reason.
    TurnedAway(Barred),
    /// It gets the question whether it is a machine.
    Challenged,
    /// It gets the page, and asks again with the name that it is given now.
    Named,
    /// The lobby is asked on these terms.
    Ask(Terms),
}

/// On which terms a lobby is asked for a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// What is asked for.
    pub wish: Wish,
    /// Why the visitor may take no number.
    pub barred: Option<Barred>,
    /// Whether the front has only so many of these asks a second, so that strangers cost a full room nothing.
    pub is_probe: bool,
    /// Whether the ask counts against the limit on asking for numbers.
    pub counts: bool,
}

/// What comes to a request that walks nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// It goes in: nobody is kept waiting.
    Free,
    /// It gets the waiting answer and no cookie.
    Bare,
    /// It gets nothing, for this reason.
    TurnedAway(Barred),
    /// It gets the waiting answer, unless the room fails open: with the place of this ticket on it, or without a place.
    Waits(Option<Ticket>),
}

impl Arrival<'_> {
    /// Returns what comes first for a visit that may walk in: it claims, resumes, walks in or joins, whichever is possible. `is_full` says whether the room
    /// lately let nobody walk in.
    #[must_use]
    pub fn first(&self, is_full: impl FnOnce() -> bool) -> First {
        let Self { identity, mode, .. } = *self;
        if mode == Mode::Bypass {
            return First::Free;
        }
        let barred = identity.barred().filter(|_| !mode.passes());
        if let Some(barred) = barred
            && identity.shown().is_none()
        {
            return First::TurnedAway(barred);
        }
        let is_unproven = !mode.passes() && identity.is_unproven(self.room);
        if is_unproven && identity.ticket.is_none() {
            return First::Challenged;
        }
        // Nobody is enrolled without the cookie: a stranger can only ask to walk in, and the front may know already that nobody can.
        let is_stranger = identity.visitor.is_none();
        let lets_walk_in = matches!(mode, Mode::Open | Mode::Observe) && !is_unproven;
        // A visitor whom the shop knows may have a place on another device. A link that is merely opened must
        // not move it here, nor spend an invitation.
        let is_known = identity.has_account() || identity.voucher().is_some();
        // A frame without the cookie may be hidden on another site. Only the host itself may frame the page that asks next.
        let is_hidden = self.intent.is_framed && !mode.passes();
        if is_stranger && (!lets_walk_in || is_known || is_hidden || is_full()) {
            return First::Named;
        }
        let may_join = !is_stranger && !is_unproven && barred.is_none();
        First::Ask(Terms {
            wish: Wish::Arrive {
                walk_in: barred.is_none(),
                join: may_join && !mode.passes() && self.intent.joins,
            },
            barred,
            is_probe: is_stranger,
            counts: identity.ticket.is_none() && !mode.passes(),
        })
    }

    /// Returns what comes to a request that walks nobody in: without a pass it gets nothing. A visitor in the line who gets a page sees the place on it.
    #[must_use]
    pub fn other(&self) -> Other {
        if self.mode.passes() {
            return Other::Free;
        }
        if self.intent.takes_nothing() || self.intent.answer == Answer::Link {
            return Other::Bare;
        }
        match self.identity.barred() {
            Some(barred) if self.identity.shown().is_none() => Other::TurnedAway(barred),
            _ => Other::Waits(self.identity.ticket.filter(|_| self.shows_page())),
        }
    }

    /// Whether a newcomer among the others needs a name: the page opens a socket, also for somebody who sent a form, or whose service worker fetched it.
    #[must_use]
    pub fn needs_name(&self) -> bool {
        self.shows_page() && self.identity.visitor.is_none()
    }

    fn shows_page(&self) -> bool {
        self.intent.answer == Answer::Page
    }
}
