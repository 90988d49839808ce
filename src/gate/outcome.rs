//! What a lobby's answer comes to, in one reading for everybody who shows it: the page, a JSON call, an app's one call, a socket. They differ in how they
//! say it and never in what it is.
//!
//! What counts first, and why:
//!
//! | what | before | because |
//! |---|---|---|
//! | a lease | all else | the permit is taken: whoever is told anything else would keep it from the next |
//! | a mode that lets everybody pass | what is refused | who only wants to go in need not wait for a number, an invitation or a lane |
//! | a share that is used up | the account, the lane | the visitor may ask again soon |
//! | the account's place on another device | an own place | only a pressed button chooses between the two |
//! | an own place | what the token or voucher lacks | a place stays its holder's, whatever was shown with this visit |
//! | the end of a place | what the token or voucher lacks | it is said once, to who came to go in; who asks for a number asks for a new one |

use super::Barred;
use crate::wire::{AccountTold, LeaseTold, Limited, State, Told};

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To go in, by a permit or without one.
    Entry,
    /// A number.
    Number,
    /// The permit of a visitor who is called.
    Permit,
}

/// What a lobby's answer comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The visitor holds this lease.
    In(LeaseTold),
    /// Nobody is kept waiting.
    Free,
    /// The visitor or its address has had its share of numbers.
    Limited(Limited),
    /// The account's place is on another device, and stays there until the visitor presses the button.
    Elsewhere,
    /// The visitor has a place, in the hall, in the line or called.
    Placed,
    /// The place that the visitor showed is over.
    Over,
    /// There is no number for the visitor, for this reason.
    Barred(Barred),
    /// The visitor's voucher gave no place, for this reason, and there is none without it.
    Unspent(Barred),
    /// The visitor has no place, and none was refused.
    Nothing,
}

impl Outcome {
    /// Reads a lobby's answer. `barred` says why the visitor may take no number, as far as the front can tell.
    #[must_use]
    pub fn of(told: &Told, wanted: Wanted, barred: Option<Barred>) -> Self {
        let status = &told.status;
        let is_over = status.state == State::Over;
        let lacks_lane = told.no_lane.then_some(Barred::NO_LANE);
        if let (Some(lease), Wanted::Entry | Wanted::Permit) = (told.lease, wanted) {
            return Self::In(lease);
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
            return Self::Placed;
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
