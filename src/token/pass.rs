//! The proof of a lease, and what it becomes when the lease is given back.

use super::kinds::{Kind, Token, not_over, plausible};
use super::layout::{Field, layout};
use super::{TokenError, codec::Reader};
use crate::facts::holder::Shown;
use crate::facts::units::{Edition, Fence, LobbyId, Number, Version, VisitorId};
use crate::wire::LeaseTold;

/// Whether the client has already shown this lease's cookie back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provisional {
    /// A walk-in whose client has not been seen to keep cookies: the lease lasts only `claim_within_s`.
    UntilShown,
    /// An ordinary lease.
    Confirmed,
}

impl Field for Provisional {
    const BYTES: usize = 1;
    fn write(self, out: &mut Vec<u8>) {
        out.push(match self {
            Self::Confirmed => 0,
            Self::UntilShown => 1,
        });
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        match reader.take()? {
            [0] => Some(Self::Confirmed),
            [1] => Some(Self::UntilShown),
            _ => None,
        }
    }
}

/// The proof of a lease.
///
/// The three ends are ordered `fresh_until ≤ lease_ends ≤ hard_ends` in what Baton signs; reading does not
/// rely on it and takes the least that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The ticket that the lease belongs to.
    pub number: Number,
    /// The edition of the number.
    pub edition: Edition,
    /// The lease's fence.
    pub fence: Fence,
    /// The lobby to ask for a renewal.
    pub lobby: LobbyId,
    /// Whose lease it is.
    pub visitor: VisitorId,
    /// The end of the pass: until then it is honoured without asking anybody. Unix ms.
    pub fresh_until_at_ms: u64,
    /// The lease's end as known when this was signed, min(idle, hard). Until then the pass is honoured
    /// when the coordinator cannot be reached. Unix ms.
    pub lease_ends_at_ms: u64,
    /// The lease's hard end: until then a renewal may be asked for. Unix ms.
    pub hard_ends_at_ms: u64,
    /// Whether the lease awaits its confirmation.
    pub provisional: Provisional,
    /// The row as of which the lease was told: nothing older is said of its place.
    pub row: Version,
}

/// What a sound pass is good for at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Forward; ask nobody.
    Fresh,
    /// Forward, and renew while the origin answers.
    RenewSoon,
    /// Ask for a renewal first; if nobody can be reached, honour it: the lease it carries has not ended.
    Ended,
    /// Ask for a renewal first; if nobody can be reached, wait.
    LeaseEnded,
}

impl Pass {
    /// The place.
    #[must_use]
    pub const fn shown(&self) -> Shown {
        Shown {
            edition: self.edition,
            number: self.number,
            row: self.row,
        }
    }

    /// The pass for a lease that a lobby told of. It never outlives the lease: what was told in remaining
    /// time counts from `asked_at_ms`, the signer's clock *before* it asked. Told as of `row`. Fresh for `pass_ttl_ms`. O(1).
    #[must_use]
    pub fn of(
        lease: &LeaseTold,
        row: Version,
        lobby: LobbyId,
        visitor: VisitorId,
        asked_at_ms: u64,
        pass_ttl_ms: u64,
    ) -> Self {
        let at_ms = |in_ms: u64| asked_at_ms.saturating_add(in_ms);
        let hard_ends_at_ms = at_ms(lease.hard_in_ms);
        let lease_ends_at_ms = at_ms(lease.idle_in_ms).min(hard_ends_at_ms);
        Self {
            number: lease.number,
            edition: lease.edition,
            fence: lease.fence,
            lobby,
            visitor,
            fresh_until_at_ms: at_ms(pass_ttl_ms).min(lease_ends_at_ms),
            lease_ends_at_ms,
            hard_ends_at_ms,
            provisional: if lease.provisional {
                Provisional::UntilShown
            } else {
                Provisional::Confirmed
            },
            row,
        }
    }

    /// What the pass is good for at `now_ms`. `pass_ttl_ms` is the room's `pass_ttl_s` in ms: past half of
    /// it (counted back from the end) a pass is to be renewed, and so is a provisional one at once. O(1).
    #[must_use]
    pub fn standing(&self, now_ms: u64, pass_ttl_ms: u64) -> Standing {
        let lease_ends = self.lease_ends_at_ms.min(self.hard_ends_at_ms);
        let fresh_until = self.fresh_until_at_ms.min(lease_ends);
        if now_ms >= lease_ends {
            Standing::LeaseEnded
        } else if now_ms >= fresh_until {
            Standing::Ended
        } else if self.provisional == Provisional::UntilShown
            || fresh_until - now_ms <= pass_ttl_ms / 2
        {
            Standing::RenewSoon
        } else {
            Standing::Fresh
        }
    }
}

layout!(Pass {
    number: Number,
    edition: Edition,
    fence: Fence,
    lobby: LobbyId,
    visitor: VisitorId,
    fresh_until_at_ms: u64,
    lease_ends_at_ms: u64,
    hard_ends_at_ms: u64,
    provisional: Provisional,
    row: Version,
});

impl Token for Pass {
    const KIND: Kind = Kind::Pass;
    const BOUND_TO_ROOM: bool = true;
    /// Expired at its *hard* end: before that a renewal may still bring a stale pass back.
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.fresh_until_at_ms, self.lease_ends_at_ms])?;
        not_over(now_ms, self.hard_ends_at_ms)
    }
}

/// What a pass becomes after its release: GET and HEAD only, no permit, never renewed, so that the
/// thank-you page still loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Farewell {
    /// The ticket that the lease belonged to.
    pub number: Number,
    /// The edition of the number.
    pub edition: Edition,
    /// The lobby that knew it.
    pub lobby: LobbyId,
    /// Whose it was.
    pub visitor: VisitorId,
    /// Unix ms.
    pub ends_at_ms: u64,
}

layout!(Farewell {
    number: Number,
    edition: Edition,
    lobby: LobbyId,
    visitor: VisitorId,
    ends_at_ms: u64,
});

impl Token for Farewell {
    const KIND: Kind = Kind::Farewell;
    const BOUND_TO_ROOM: bool = true;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// What the pass cookie may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassCookie {
    /// A lease.
    Pass(Pass),
    /// A lease that was given back.
    Farewell(Farewell),
}
