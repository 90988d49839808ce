//! What the tokens say: one typed struct and one fixed layout for each kind. Decides from the time it is
//! given; signs nothing.

use super::{TokenError, codec::Reader};
use crate::facts::holder::{Key, Shown};
use crate::facts::units::{Edition, Fence, LobbyId, Number, Version, VisitorId};
use crate::wire::LeaseTold;

/// The last instant that a token may carry: the end of the year 9999, Unix ms. Everything above is an
/// overflow or −1 read as unsigned, and a token that never ends is refused rather than honoured.
pub const AT_MS_MAX: u64 = 253_402_300_799_999;

/// The kinds of token. The numbers are on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// [`Visitor`]
    Visitor = 1,
    /// [`Ticket`]
    Ticket = 2,
    /// [`Pass`]
    Pass = 3,
    /// [`Farewell`]
    Farewell = 4,
    /// [`Carry`]
    Carry = 5,
    /// [`Human`]
    Human = 6,
    /// [`Desk`]
    Desk = 7,
    /// [`Knock`](super::Knock)
    Knock = 8,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Visitor,
        Self::Ticket,
        Self::Pass,
        Self::Farewell,
        Self::Carry,
        Self::Human,
        Self::Desk,
        Self::Knock,
    ];

    /// The byte on the wire.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// The label that the kind's subkey is made with.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Visitor => "baton-visitor-v1",
            Self::Ticket => "baton-ticket-v1",
            Self::Pass => "baton-pass-v1",
            Self::Farewell => "baton-farewell-v1",
            Self::Carry => "baton-carry-v1",
            Self::Human => "baton-human-v1",
            Self::Desk => "baton-desk-v1",
            Self::Knock => "baton-knock-v1",
        }
    }
}

pub(super) mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Visitor {}
    impl Sealed for super::Ticket {}
    impl Sealed for super::Pass {}
    impl Sealed for super::Farewell {}
    impl Sealed for super::Carry {}
    impl Sealed for super::Human {}
    impl Sealed for super::Desk {}
}

/// What can be signed. Sealed: these kinds are all there are.
pub trait Token: Sized + sealed::Sealed {
    /// Which kind this is.
    const KIND: Kind;
    /// Exact length of the payload in bytes.
    const PAYLOAD_BYTES: usize;
    /// Whether the MAC covers the room. Only what is the visitor's own, and no room's, is valid in every
    /// room of a host.
    const BOUND_TO_ROOM: bool;
    #[doc(hidden)]
    fn write(&self, out: &mut Vec<u8>);
    #[doc(hidden)]
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
    /// Whether the values make sense at `now_ms` (Unix ms).
    ///
    /// # Errors
    /// [`TokenError::OutOfRange`] for an instant beyond [`AT_MS_MAX`]; [`TokenError::Expired`] when
    /// nothing can come of it any more.
    fn check(&self, now_ms: u64) -> Result<(), TokenError>;
}

fn plausible(instants: &[u64]) -> Result<(), TokenError> {
    if instants.iter().all(|at_ms| *at_ms <= AT_MS_MAX) {
        Ok(())
    } else {
        Err(TokenError::OutOfRange)
    }
}

/// For tokens that end by themselves.
pub(super) fn not_over(now_ms: u64, ends_at_ms: u64) -> Result<(), TokenError> {
    plausible(&[ends_at_ms])?;
    if now_ms >= ends_at_ms {
        Err(TokenError::Expired)
    } else {
        Ok(())
    }
}

/// Who somebody is: a random name, given before there is a ticket. Bound to the host, not to a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visitor {
    /// 16 random bytes.
    pub id: VisitorId,
    /// Unix ms.
    pub issued_at_ms: u64,
}

impl Token for Visitor {
    const KIND: Kind = Kind::Visitor;
    const PAYLOAD_BYTES: usize = 16 + 8;
    const BOUND_TO_ROOM: bool = false;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        out.extend_from_slice(&self.issued_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            id: VisitorId(r.take()?),
            issued_at_ms: r.u64()?,
        })
    }
    /// Has no end of its own: the cookie's age limits it.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.issued_at_ms])
    }
}

/// The proof that somebody at the desk showed an operator's token. Bound to the host, and to that token by its
/// [`fingerprint`](super::Operator::fingerprint) in the place of a room: who is no operator any more has none either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Desk {
    /// Unix ms.
    pub ends_at_ms: u64,
}

impl Token for Desk {
    const KIND: Kind = Kind::Desk;
    const PAYLOAD_BYTES: usize = 8;
    const BOUND_TO_ROOM: bool = true;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.ends_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            ends_at_ms: r.u64()?,
        })
    }
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// The proof that a visitor was found to be no machine. Bound to the host, and worth something only beside the cookie of
/// the same visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Human {
    /// Who was.
    pub visitor: VisitorId,
    /// Unix ms.
    pub ends_at_ms: u64,
}

impl Token for Human {
    const KIND: Kind = Kind::Human;
    const PAYLOAD_BYTES: usize = 16 + 8;
    const BOUND_TO_ROOM: bool = false;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.visitor.0);
        out.extend_from_slice(&self.ends_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            visitor: VisitorId(r.take()?),
            ends_at_ms: r.u64()?,
        })
    }
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// A numbered place in a room's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The place.
    pub number: Number,
    /// Of which edition the number is.
    pub edition: Edition,
    /// The lobby that knows it.
    pub lobby: LobbyId,
    /// Whose it is. A ticket without the same visitor's token is worth nothing.
    pub visitor: VisitorId,
    /// The room's row as of which it was told: nothing older is said of it.
    pub row: Version,
    /// Unix ms.
    pub issued_at_ms: u64,
}

impl Ticket {
    /// The place.
    #[must_use]
    pub const fn shown(&self) -> Shown {
        Shown {
            edition: self.edition,
            number: self.number,
            row: self.row,
        }
    }
}

impl Token for Ticket {
    const KIND: Kind = Kind::Ticket;
    const PAYLOAD_BYTES: usize = 8 + 4 + 2 + 16 + 8 + 8;
    const BOUND_TO_ROOM: bool = true;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.0.to_be_bytes());
        out.extend_from_slice(&self.edition.0.to_be_bytes());
        out.extend_from_slice(&self.lobby.0.to_be_bytes());
        out.extend_from_slice(&self.visitor.0);
        out.extend_from_slice(&self.row.0.to_be_bytes());
        out.extend_from_slice(&self.issued_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            number: Number(r.u64()?),
            edition: Edition(r.u32()?),
            lobby: LobbyId(r.u16()?),
            visitor: VisitorId(r.take()?),
            row: Version(r.u64()?),
            issued_at_ms: r.u64()?,
        })
    }
    /// Has no end of its own: the room knows whether the ticket lives.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.issued_at_ms])
    }
}

/// Whether the client has already shown this lease's cookie back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provisional {
    /// A walk-in whose client has not been seen to keep cookies: the lease lasts only `claim_within_s`.
    UntilShown,
    /// An ordinary lease.
    Confirmed,
}

/// The proof of a lease.
///
/// The three ends are ordered `fresh_until ≤ lease_ends ≤ hard_ends` in what Baton signs; reading does not
/// rely on it and takes the least that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The ticket that the lease belongs to.
    pub number: Number,
    /// Of which edition the number is.
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

impl Token for Pass {
    const KIND: Kind = Kind::Pass;
    const PAYLOAD_BYTES: usize = 8 + 4 + 8 + 2 + 16 + 8 + 8 + 8 + 1 + 8;
    const BOUND_TO_ROOM: bool = true;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.0.to_be_bytes());
        out.extend_from_slice(&self.edition.0.to_be_bytes());
        out.extend_from_slice(&self.fence.0.to_be_bytes());
        out.extend_from_slice(&self.lobby.0.to_be_bytes());
        out.extend_from_slice(&self.visitor.0);
        out.extend_from_slice(&self.fresh_until_at_ms.to_be_bytes());
        out.extend_from_slice(&self.lease_ends_at_ms.to_be_bytes());
        out.extend_from_slice(&self.hard_ends_at_ms.to_be_bytes());
        out.push(match self.provisional {
            Provisional::Confirmed => 0,
            Provisional::UntilShown => 1,
        });
        out.extend_from_slice(&self.row.0.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            number: Number(r.u64()?),
            edition: Edition(r.u32()?),
            fence: Fence(r.u64()?),
            lobby: LobbyId(r.u16()?),
            visitor: VisitorId(r.take()?),
            fresh_until_at_ms: r.u64()?,
            lease_ends_at_ms: r.u64()?,
            hard_ends_at_ms: r.u64()?,
            provisional: match r.take()? {
                [0] => Provisional::Confirmed,
                [1] => Provisional::UntilShown,
                _ => return None,
            },
            row: Version(r.u64()?),
        })
    }
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
    /// Of which edition the number is.
    pub edition: Edition,
    /// The lobby that knew it.
    pub lobby: LobbyId,
    /// Whose it was.
    pub visitor: VisitorId,
    /// Unix ms.
    pub ends_at_ms: u64,
}

impl Token for Farewell {
    const KIND: Kind = Kind::Farewell;
    const PAYLOAD_BYTES: usize = 8 + 4 + 2 + 16 + 8;
    const BOUND_TO_ROOM: bool = true;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.0.to_be_bytes());
        out.extend_from_slice(&self.edition.0.to_be_bytes());
        out.extend_from_slice(&self.lobby.0.to_be_bytes());
        out.extend_from_slice(&self.visitor.0);
        out.extend_from_slice(&self.ends_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            number: Number(r.u64()?),
            edition: Edition(r.u32()?),
            lobby: LobbyId(r.u16()?),
            visitor: VisitorId(r.take()?),
            ends_at_ms: r.u64()?,
        })
    }
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// Takes a place over, once, wherever it is shown: it travels in a link, not in a cookie. It names the row in which it was made: once
/// the place was carried after that, it is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carry {
    /// The place.
    pub number: Number,
    /// Of which edition the number is.
    pub edition: Edition,
    /// The lobby that knows it.
    pub lobby: LobbyId,
    /// Whose it was when the link was made.
    pub key: Key,
    /// The room's row as of which it was made.
    pub row: Version,
    /// Unix ms.
    pub ends_at_ms: u64,
}

impl Token for Carry {
    const KIND: Kind = Kind::Carry;
    const PAYLOAD_BYTES: usize = 8 + 4 + 2 + 8 + 8 + 8;
    const BOUND_TO_ROOM: bool = true;
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.0.to_be_bytes());
        out.extend_from_slice(&self.edition.0.to_be_bytes());
        out.extend_from_slice(&self.lobby.0.to_be_bytes());
        out.extend_from_slice(&<[u8; 8]>::from(self.key));
        out.extend_from_slice(&self.row.0.to_be_bytes());
        out.extend_from_slice(&self.ends_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            number: Number(r.u64()?),
            edition: Edition(r.u32()?),
            lobby: LobbyId(r.u16()?),
            key: Key::from(r.take::<8>()?),
            row: Version(r.u64()?),
            ends_at_ms: r.u64()?,
        })
    }
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

impl Carry {
    /// The place.
    #[must_use]
    pub const fn shown(&self) -> Shown {
        Shown {
            edition: self.edition,
            number: self.number,
            row: self.row,
        }
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
