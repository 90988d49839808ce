//! One living ticket as a lobby knows it. Only the replica may write one.

use facts::holder::{Held, Holder, Key};
use facts::message::Ended;
use facts::reply::Standing;
use facts::units::{Fence, Instant, Number, Version};
use facts::wire::Reason;

/// A living ticket as the room last told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub number: Number,
    /// Its holder.
    pub holder: Holder,
    /// The account it is for, if its holder joined for one in this life of the lobby. The room then need not be asked again.
    pub account: Option<Key>,
    /// How far it has come.
    pub phase: Phase,
    /// Whether the room takes its holder for away. `None` if the ticket does not wait, or while a word about it is not answered.
    pub away: Option<bool>,
    /// Whether its holder has asked or said something since this lobby learned of a missed call.
    pub spoke: bool,
    /// Since when its holder has not been there, as far as this life of the lobby knows: at the earliest since the ticket was listed to it. `None`
    /// while the holder is there.
    pub unseen_since: Option<Instant>,
    /// Whether its holder has come back after joining, or may have in an earlier life of the lobby.
    pub returned: bool,
    /// The fewest people in front that the lobby has known of.
    pub ahead: u64,
    /// The row as of which the lobby first knew it. An older frame does not know everybody in front of it.
    pub row: Version,
}

/// A [`Standing`] with deadlines on the lobby's clock instead of remaining times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// In the line, or in the hall.
    Waiting {
        /// Whether a first call was missed.
        missed: bool,
    },
    /// Has a permit to come for.
    Called {
        /// The call's fence.
        fence: Fence,
        /// Until when its holder may come.
        claim_by: Instant,
    },
    /// Inside.
    Admitted {
        /// The lease's fence.
        fence: Fence,
        /// The idle end; never later than the one that the room knows.
        idle_end: Instant,
        /// The hard end; never later than the one that the room knows.
        hard_end: Instant,
        /// By how much the origin has moved the hard end, in ms.
        extended_ms: u64,
        /// Whether it is a walk-in whose cookie has not come back yet.
        provisional: bool,
    },
}

impl Phase {
    /// Returns the phase of a standing whose remaining times count from `since`, or `None` if the ticket is over.
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

    /// Whether the holder must be told of this phase after `before`. A new deadline alone is no news.
    pub(super) fn is_news_after(self, before: Self) -> bool {
        match (before, self) {
            (Self::Waiting { missed: was }, Self::Waiting { missed }) => was != missed,
            (Self::Called { fence: was, .. }, Self::Called { fence, .. }) | (Self::Admitted { fence: was, .. }, Self::Admitted { fence, .. }) => {
                was != fence
            }
            _ => true,
        }
    }
}

impl Ticket {
    pub(super) const fn waits_not(&self) -> bool {
        !matches!(self.phase, Phase::Waiting { .. })
    }

    /// The ticket with its holder.
    pub(super) const fn held(&self) -> Held {
        Held {
            number: self.number,
            key: self.holder.key,
        }
    }

    /// The fence of a walk-in whose cookie has not come back, or `None` if it is anything else.
    pub(super) const fn unproven(&self) -> Option<Fence> {
        match self.phase {
            Phase::Admitted {
                fence, provisional: true, ..
            } => Some(fence),
            _ => None,
        }
    }
}

/// What the holders named at one address, or in one network, have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtAddress {
    /// Living tickets.
    pub tickets: u32,
    /// Of these, leases.
    pub leases: u32,
    /// Of these, leases of walk-ins whose cookie has not come back.
    pub unproven: u32,
}

impl AtAddress {
    /// What one ticket adds.
    pub(super) fn by(ticket: &Ticket) -> Self {
        let (leases, unproven) = match ticket.phase {
            Phase::Admitted { provisional, .. } => (1, u32::from(provisional)),
            Phase::Waiting { .. } | Phase::Called { .. } => (0, 0),
        };
        Self {
            tickets: 1,
            leases,
            unproven,
        }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            tickets: self.tickets + other.tickets,
            leases: self.leases + other.leases,
            unproven: self.unproven + other.unproven,
        }
    }
}

/// Returns `phase`, with the call's deadline no later than known before: a message that was long on its way must not prolong it.
pub(super) fn earlier(before: Option<Phase>, phase: Phase) -> Phase {
    match (before, phase) {
        (Some(Phase::Called { fence: was, claim_by: known }), Phase::Called { fence, claim_by }) if was == fence => Phase::Called {
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
        // Told only if the new place is over as well; nothing else is known of that one.
        Ended::Moved => Reason::Left,
    }
}
