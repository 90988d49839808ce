//! The kinds of token, and for most of them a typed struct with a fixed layout (the others have files of their own, such as `pass.rs`). The caller
//! gives the time by which a token is judged; nothing is signed here.

use super::TokenError;
use super::layout::{Layout, layout};
use facts::holder::{Key, Shown};
use facts::units::{Edition, LobbyId, Number, Version, VisitorId};

/// The last instant that a token may carry: the end of the year 9999, Unix ms. Anything later is an overflow, or −1 read as unsigned. Baton refuses a
/// token that never ends rather than honour it.
pub const AT_MS_MAX: u64 = 253_402_300_799_999;

/// The kinds of token. The numbers are on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// [`Visitor`]
    Visitor = 1,
    /// [`Ticket`]
    Ticket = 2,
    /// [`Pass`](super::Pass)
    Pass = 3,
    /// [`Farewell`](super::Farewell)
    Farewell = 4,
    /// [`Carry`]
    Carry = 5,
    /// [`Human`]
    Human = 6,
    /// [`Desk`]
    Desk = 7,
    /// [`Rehearsal`]
    Rehearsal = 8,
    /// [`Knock`](super::Knock)
    Knock = 9,
    /// [`Entrant`](super::Entrant)
    Entrant = 10,
    /// [`Invitation`](super::Invitation)
    Invitation = 11,
    /// [`Staff`](super::Staff)
    Staff = 12,
    /// [`Login`](super::Login)
    Login = 13,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Visitor,
        Self::Ticket,
        Self::Pass,
        Self::Farewell,
        Self::Carry,
        Self::Human,
        Self::Desk,
        Self::Rehearsal,
        Self::Knock,
        Self::Entrant,
        Self::Invitation,
        Self::Staff,
        Self::Login,
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
            Self::Rehearsal => "baton-rehearsal-v1",
            Self::Knock => "baton-knock-v1",
            Self::Entrant => "baton-entrant-v1",
            Self::Invitation => "baton-invitation-v1",
            Self::Staff => "baton-staff-v1",
            Self::Login => "baton-login-v1",
        }
    }
}

/// What can be signed. Only the modules of `token` can name `Layout`, so these kinds are all there are.
pub trait Token: Layout {
    /// The token's kind.
    const KIND: Kind;
    /// The exact length of the payload in bytes.
    const PAYLOAD_BYTES: usize = Self::BYTES;
    /// Whether the MAC covers the room. It does not for what is a visitor's own in every room of a host, nor for tokens in links,
    /// which name their room themselves.
    const BOUND_TO_ROOM: bool;
    /// Checks that the values make sense at `now_ms` (Unix ms).
    ///
    /// # Errors
    /// Returns [`TokenError::OutOfRange`] for an instant beyond [`AT_MS_MAX`], and [`TokenError::Expired`] if nothing can come of the token any more.
    fn check(&self, now_ms: u64) -> Result<(), TokenError>;
}

pub(super) fn plausible(instants: &[u64]) -> Result<(), TokenError> {
    if instants.iter().all(|at_ms| *at_ms <= AT_MS_MAX) {
        Ok(())
    } else {
        Err(TokenError::OutOfRange)
    }
}

/// Checks a token that ends by itself.
pub(super) fn not_over(now_ms: u64, ends_at_ms: u64) -> Result<(), TokenError> {
    plausible(&[ends_at_ms])?;
    if now_ms >= ends_at_ms { Err(TokenError::Expired) } else { Ok(()) }
}

/// Who a visitor is: a random name, given before there is a ticket. Bound to the host, not to a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visitor {
    /// 16 random bytes.
    pub id: VisitorId,
    /// When it was issued, Unix ms.
    pub issued_at_ms: u64,
}

layout!(Visitor {
    id: VisitorId,
    issued_at_ms: u64,
});

impl Token for Visitor {
    const KIND: Kind = Kind::Visitor;
    const BOUND_TO_ROOM: bool = false;
    /// The token has no end of its own: the cookie's age limits it.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.issued_at_ms])
    }
}

/// The proof that somebody signed in at the desk as an operator. Bound to the host, and to the operator's
/// [`fingerprint`](super::Operator::fingerprint) in the place of a room: whoever is no operator any more has no proof either. It ends before its time
/// when its session is signed out, which an object remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Desk {
    /// Which session it is: random bytes.
    pub session: [u8; 8],
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Desk {
    session: [u8; 8],
    ends_at_ms: u64,
});

impl Token for Desk {
    const KIND: Kind = Kind::Desk;
    const BOUND_TO_ROOM: bool = true;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// What visitors of a rehearsal show with every request. Bound to the room that the rehearsal is for, and to the host at
/// which the operator asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rehearsal {
    /// The rehearsal's edition: another edition is another rehearsal.
    pub edition: Edition,
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Rehearsal {
    edition: Edition,
    ends_at_ms: u64,
});

impl Token for Rehearsal {
    const KIND: Kind = Kind::Rehearsal;
    const BOUND_TO_ROOM: bool = true;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// The proof that a visitor was found to be no machine. Bound to the host, and worth something only beside the same visitor's cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Human {
    /// The visitor.
    pub visitor: VisitorId,
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Human {
    visitor: VisitorId,
    ends_at_ms: u64,
});

impl Token for Human {
    const KIND: Kind = Kind::Human;
    const BOUND_TO_ROOM: bool = false;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

/// A numbered place in a room's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The number of the place.
    pub number: Number,
    /// The edition of the number.
    pub edition: Edition,
    /// The lobby that knows the place.
    pub lobby: LobbyId,
    /// The visitor whose ticket it is. Without the same visitor's token a ticket is worth nothing.
    pub visitor: VisitorId,
    /// The room's row as of which the visitor was told of it: nothing older is said of it.
    pub row: Version,
    /// When it was issued, Unix ms.
    pub issued_at_ms: u64,
}

impl Ticket {
    /// Returns the place that it names.
    #[must_use]
    pub const fn shown(&self) -> Shown {
        Shown {
            edition: self.edition,
            number: self.number,
            row: self.row,
        }
    }
}

layout!(Ticket {
    number: Number,
    edition: Edition,
    lobby: LobbyId,
    visitor: VisitorId,
    row: Version,
    issued_at_ms: u64,
});

impl Token for Ticket {
    const KIND: Kind = Kind::Ticket;
    const BOUND_TO_ROOM: bool = true;
    /// The token has no end of its own: the room knows whether the ticket lives.
    fn check(&self, _now_ms: u64) -> Result<(), TokenError> {
        plausible(&[self.issued_at_ms])
    }
}

/// Takes a place over, once, on whichever device shows it: it travels in a link, not in a cookie. It names the row in which it was made, and is void
/// if the place was carried after that row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carry {
    /// The number of the place.
    pub number: Number,
    /// The edition of the number.
    pub edition: Edition,
    /// The lobby that knows the place.
    pub lobby: LobbyId,
    /// The key that held the place when the link was made.
    pub key: Key,
    /// The room's row as of which the link was made.
    pub row: Version,
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Carry {
    number: Number,
    edition: Edition,
    lobby: LobbyId,
    key: Key,
    row: Version,
    ends_at_ms: u64,
});

impl Token for Carry {
    const KIND: Kind = Kind::Carry;
    const BOUND_TO_ROOM: bool = true;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

impl Carry {
    /// Returns the place that it names.
    #[must_use]
    pub const fn shown(&self) -> Shown {
        Shown {
            edition: self.edition,
            number: self.number,
            row: self.row,
        }
    }
}
