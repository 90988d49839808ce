//! The pass, which proves a lease, and the farewell, which it becomes when the lease is given back.

use super::kinds::{Kind, Token, not_over, plausible};
use super::layout::{Field, layout};
use super::{TokenError, codec::Reader};
use facts::holder::Shown;
use facts::units::{Edition, Fence, LobbyId, Number, Version, VisitorId};
use facts::wire::LeaseTold;

/// Whether the client has already sent this lease's cookie back.
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
/// In what Baton signs, the three ends are ordered `fresh_until ≤ lease_ends ≤ hard_ends`. Reading does not rely on that order and takes
/// the earliest end that applies.
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
    /// The visitor whose lease it is.
    pub visitor: VisitorId,
    /// The end of the pass: until then it is honoured without asking anybody. Unix ms.
    pub fresh_until_at_ms: u64,
    /// The lease's end as known when this was signed, min(idle, hard). Until then the pass is honoured if the room cannot be reached. Unix ms.
    pub lease_ends_at_ms: u64,
    /// The lease's hard end: until then a renewal may be asked for. Unix ms.
    pub hard_ends_at_ms: u64,
    /// Whether the lease awaits its confirmation.
    pub provisional: Provisional,
    /// The row as of which the front was told of the lease: nothing older is said of its place.
    pub row: Version,
}

/// What a sound pass is good for at a given moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Forward the request; ask nobody.
    Fresh,
    /// Forward the request, and renew the pass while the origin answers.
    RenewSoon,
    /// Ask for a renewal first. If nobody can be reached, honour the pass: the lease that it carries has not ended.
    Ended,
    /// Ask for a renewal first. If nobody can be reached, the visitor waits.
    LeaseEnded,
}

impl Pass {
    /// Returns the place that the pass names.
    #[must_use]
    pub const fn shown(&self) -> Shown {
        Shown {
            edition: self.edition,
            number: self.number,
            row: self.row,
        }
    }

    /// Returns the farewell that the pass becomes when the origin is done with its holder.
    #[must_use]
    pub const fn farewell(&self, ends_at_ms: u64) -> Farewell {
        Farewell {
            number: self.number,
            edition: self.edition,
            lobby: self.lobby,
            visitor: self.visitor,
            ends_at_ms,
        }
    }

    /// Returns true if this lease is the pass's own. The fence alone does not show it: each room counts fences from 1.
    #[must_use]
    pub fn is_of(&self, lease: &LeaseTold) -> bool {
        (self.fence, self.number, self.edition) == (lease.fence, lease.number, lease.edition)
    }

    /// Makes the pass for a lease that a lobby told of, as of `row`. The pass is fresh for `pass_ttl_ms` and never outlives the lease: remaining
    /// times count from `asked_at_ms`, the signer's clock *before* it asked. O(1).
    #[must_use]
    pub fn of(lease: &LeaseTold, row: Version, lobby: LobbyId, visitor: VisitorId, asked_at_ms: u64, pass_ttl_ms: u64) -> Self {
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

    /// Returns what the pass is good for at `now_ms`. `pass_ttl_ms` is the room's `pass_ttl_s` in ms: a pass is to be renewed once at most half of it
    /// is left, and a provisional one at once. One that claims more time than that was signed by a clock that was ahead, or before a deploy shortened
    /// the time, so it does not count unasked. O(1).
    #[must_use]
    pub fn freshness(&self, now_ms: u64, pass_ttl_ms: u64) -> Freshness {
        let lease_ends = self.lease_ends_at_ms.min(self.hard_ends_at_ms);
        let fresh_until = self.fresh_until_at_ms.min(lease_ends);
        if now_ms >= lease_ends {
            Freshness::LeaseEnded
        } else if now_ms >= fresh_until || fresh_until - now_ms > pass_ttl_ms {
            Freshness::Ended
        } else if self.provisional == Provisional::UntilShown || fresh_until - now_ms <= pass_ttl_ms / 2 {
            Freshness::RenewSoon
        } else {
            Freshness::Fresh
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
    /// A pass expires at its *hard* end: before that a renewal may still bring a stale pass back.
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.fresh_until_at_ms, self.lease_ends_at_ms])?;
        not_over(now_ms, self.hard_ends_at_ms)
    }
}

/// What a pass becomes after its release, so that the thank-you page still loads. It is for GET and HEAD only, has no permit and is never renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Farewell {
    /// The ticket that the lease belonged to.
    pub number: Number,
    /// The edition of the number.
    pub edition: Edition,
    /// The lobby that knew the ticket.
    pub lobby: LobbyId,
    /// The visitor whose lease it was.
    pub visitor: VisitorId,
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

/// How long after its release a farewell may still load the page to which the order leads, ms: a redirect and a slow phone's next request.
const ORDERED_MS: u64 = 5_000;

impl Farewell {
    /// Whether the release was so lately that what loads may be the page to which the order leads. `pass_ttl_ms` is what [`loads`](Self::loads)
    /// takes: the farewell began so long before its end. O(1).
    #[must_use]
    pub const fn is_new(&self, now_ms: u64, pass_ttl_ms: u64) -> bool {
        let left_ms = self.ends_at_ms.saturating_sub(now_ms);
        left_ms.saturating_add(ORDERED_MS) > pass_ttl_ms
    }

    /// Whether pages still load with it at `now_ms`. `pass_ttl_ms` is the room's `pass_ttl_s` in ms; one that claims more time than that was signed
    /// by a clock that was ahead. O(1).
    #[must_use]
    pub const fn loads(&self, now_ms: u64, pass_ttl_ms: u64) -> bool {
        now_ms < self.ends_at_ms && self.ends_at_ms - now_ms <= pass_ttl_ms
    }
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
    /// The pass of a lease.
    Pass(Pass),
    /// The farewell of a lease that was given back.
    Farewell(Farewell),
}
