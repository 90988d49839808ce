//! One living ticket as a lobby knows it. Only the replica writes one.

use crate::facts::holder::{Holder, Key};
use crate::facts::message::Ended;
use crate::facts::reply::Standing;
use crate::facts::units::{Fence, Instant, Number, Version};
use crate::wire::Reason;

/// A living ticket as the room last told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub number: Number,
    /// Whose it is.
    pub holder: Holder,
    /// For which account it is, if somebody has joined for that in this life of the lobby: the room need not be asked again.
    pub account: Option<Key>,
    /// How far it has come.
    pub phase: Phase,
    /// Whether the room takes its holder for away; `None`: it was told something about that and has not answered.
    pub away: Option<bool>,
    /// Its holder has asked or said something since this lobby learned that a call was missed.
    pub spoke: bool,
    /// Since when its holder, who joined in this life of the lobby, was not seen again; `None`: was, or joined before.
    pub unseen_since: Option<Instant>,
    /// The least people in front that were ever known.
    pub ahead: u64,
    /// As of which row this lobby knows it: an older frame does not know everybody in front.
    pub row: Version,
}

/// A [`Standing`] with deadlines on the lobby's clock instead of remaining times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// In the line, or in the hall.
    Waiting {
        /// A first call was missed.
        missed: bool,
    },
    /// A permit is there to be taken.
    Called {
        /// Under this fence.
        fence: Fence,
        /// Until then.
        claim_by: Instant,
    },
    /// Inside.
    Admitted {
        /// Under this fence.
        fence: Fence,
        /// The idle end, never later than the room's.
        idle_end: Instant,
        /// The hard end, likewise.
        hard_end: Instant,
        /// By how much the origin has moved the hard end.
        extended_ms: u64,
        /// A walk-in whose cookie has not come back yet.
        provisional: bool,
    },
}

impl Phase {
    /// What a standing means when its times count from `since`; `None`: it is over.
    pub(super) fn of(standing: Standing, since: Instant) -> Option<Self> {
        Some(match standing {
            Standing::Waiting { missed, .. } => Self::Waiting { missed },
            Standing::Called { fence, claim_in_ms } => Self::Called {
                fence,
                claim_by: since.plus_ms(claim_in_ms),
            },
            Standing::Admitted {
                fence,
                idle_in_ms,
                hard_in_ms,
                extended_ms,
                provisional,
            } => Self::Admitted {
                fence,
                idle_end: since.plus_ms(idle_in_ms),
                hard_end: since.plus_ms(hard_in_ms),
                extended_ms,
                provisional,
            },
            Standing::Over => return None,
        })
    }

    /// Whether its holder must be told when this comes after `before`. Deadlines alone are no news.
    pub(super) fn is_news_after(self, before: Self) -> bool {
        match (before, self) {
            (Self::Waiting { missed: was }, Self::Waiting { missed }) => was != missed,
            (Self::Called { fence: was, .. }, Self::Called { fence, .. })
            | (Self::Admitted { fence: was, .. }, Self::Admitted { fence, .. }) => was != fence,
            _ => true,
        }
    }
}

impl Ticket {
    pub(super) const fn waits_not(&self) -> bool {
        !matches!(self.phase, Phase::Waiting { .. })
    }
}

/// A call's deadline is never later than it was known to be: a message that was long on its way does not prolong it.
pub(super) fn earlier(before: Option<Phase>, phase: Phase) -> Phase {
    match (before, phase) {
        (
            Some(Phase::Called {
                fence: was,
                claim_by: known,
            }),
            Phase::Called { fence, claim_by },
        ) if was == fence => Phase::Called {
            fence,
            claim_by: claim_by.min(known),
        },
        _ => phase,
    }
}

pub(super) const fn reason(why: Ended) -> Reason {
    match why {
        Ended::Left => Reason::Left,
        Ended::Missed => Reason::Missed,
        Ended::Away => Reason::Away,
        Ended::Released => Reason::Released,
        Ended::Expired => Reason::Expired,
        // Told only where the new place is over as well: of that nothing else is known.
        Ended::Moved => Reason::Left,
    }
}
