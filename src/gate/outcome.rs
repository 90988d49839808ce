//! What a visit comes to, in one reading for everybody who shows it: the page, a JSON call, an app's one call, a socket. They differ in how they say it
//! and never in what it is.
//!
//! What counts first in a lobby's answer, and why:
//!
//! | what | before | because |
//! |---|---|---|
//! | a lease | all else | the permit is taken: whoever is told anything else would keep it from the next |
//! | a mode that lets everybody pass | what is refused | who only wants to go in need not wait for a number, an invitation or a lane |
//! | a share that is used up | the account, the lane | the visitor may ask again soon |
//! | the account's place on another device | an own place | only a pressed button chooses between the two |
//! | an own place | what the token or voucher lacks | a place stays its holder's, whatever was shown with this visit |
//! | the end of a place | what the token or voucher lacks | it is said once, to who came to go in; who asks for a number asks for a new one |

use super::{Asked, Barred};
use facts::planted::{self, Bug};
use facts::units::VisitorId;
use facts::wire::{AccountTold, LeaseTold, Limited, State, Told};
use settings::RoomSettings;
use token::{Carry, Farewell, Pass};

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To go in, by a permit or without one.
    Entry,
    /// A number.
    Number,
    /// The permit of a visitor who is called.
    Permit,
    /// To know how things are.
    Word,
}

/// Whether the client has the pass by which it goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The client showed it.
    Shown,
    /// The client showed it. It is to be renewed beside the answer, which takes the new one along if that comes in time.
    RenewedBeside,
    /// The client showed an older one of the same lease.
    Older,
    /// The client has none yet.
    New,
}

/// What a visit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The visitor holds a lease, and goes in by this pass.
    In(Pass, Held),
    /// The lease was given back; the thank-you page still loads.
    Farewell(Farewell),
    /// Nobody is kept waiting.
    Free,
    /// The visitor or its address has had its share of numbers.
    Limited(Limited),
    /// The account's place is on another device, and stays there until the visitor presses the button.
    Elsewhere,
    /// The visitor has a place, in the hall, in the line or called.
    Placed,
    /// The same, and it is the place of another account than the one that the visitor shows. It stays that account's.
    OfAnother,
    /// The place that the visitor showed is over.
    Over,
    /// There is no number for the visitor, for this reason.
    Barred(Barred),
    /// The visitor's voucher gave no place, for this reason, and there is none without it.
    Unspent(Barred),
    /// The visitor has no place, and none was refused.
    Nothing,
    /// The visitor must first show that it is no machine.
    Challenged,
    /// Nobody was asked for the visitor yet: a page asks next.
    Arriving,
    /// Nobody can say now what becomes of the visitor, whose place is kept.
    Unheard,
    /// The ticket that was shown is nobody's, or not this visitor's.
    NoTicket,
    /// The visitor is known by name, and no lobby need be asked.
    Known,
    /// The visitor has no place any more, by the visitor's own wish.
    Left,
    /// The socket is open.
    Connected,
    /// The visitor's place may be taken over by whoever shows this.
    Offered(Carry),
    /// The link was used already, or is too old.
    LinkOver,
    /// The device has a nearer place than the link's, and keeps it.
    Nearer,
}

impl Outcome {
    /// Reads a lobby's answer. `barred` says why the visitor may take no number, as far as the front can tell; `pass` makes the pass of a lease.
    #[must_use]
    pub fn of(told: &Told, wanted: Wanted, barred: Option<Barred>, pass: impl FnOnce(&LeaseTold) -> Pass) -> Self {
        let status = &told.status;
        let is_over = status.state == State::Over;
        let lacks_lane = told.no_lane.then_some(Barred::NO_LANE);
        let is_line_first = planted::is(Bug::LineBeforeLease) && status.state.is_place();
        if let (Some(lease), Wanted::Entry | Wanted::Permit, false) = (&told.lease, wanted, is_line_first) {
            return Self::In(pass(lease), Held::New);
        }
        if wanted == Wanted::Entry && status.mode.passes() {
            return Self::Free;
        }
        if let Some(limited) = told.limited {
            return Self::Limited(limited);
        }
        if matches!(told.account, Some(AccountTold::Elsewhere(_))) {
            return Self::Elsewhere;
        }
        if status.state.is_place() {
            let is_of_another = told.account == Some(AccountTold::Another);
            return if is_of_another { Self::OfAnother } else { Self::Placed };
        }
        if is_over && wanted != Wanted::Number {
            return Self::Over;
        }
        match (barred.or(lacks_lane), told.unspent) {
            (Some(barred), _) => Self::Barred(barred),
            (None, Some(why)) => Self::Unspent(Barred::by(why)),
            (None, None) if is_over => Self::Over,
            (None, None) => Self::Nothing,
        }
    }
}

impl Asked {
    /// Reads the answer to the visitor of this name.
    #[must_use]
    pub fn outcome(&self, wanted: Wanted, barred: Option<Barred>, visitor: VisitorId, room: &RoomSettings) -> Outcome {
        let pass = |lease: &LeaseTold| self.pass(lease, visitor, room.pass_ttl_ms);
        Outcome::of(&self.told, wanted, barred, pass)
    }
}
