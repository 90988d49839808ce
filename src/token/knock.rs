//! The token with which an app's page opens its socket: browsers let a page set no header there, only protocols, and those are
//! written where addresses are. So it is no credential, opens a socket only, and is over in half a minute.

use super::TokenError;
use super::codec::Reader;
use super::kinds::{Kind, Ticket, Token, not_over, sealed};
use crate::facts::units::{Edition, LobbyId, Number, Version, VisitorId};

/// Whose socket is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knock {
    /// Who.
    pub visitor: VisitorId,
    /// The place that is watched, if there is one; the visitor's.
    pub ticket: Option<Ticket>,
    /// Unix ms.
    pub ends_at_ms: u64,
}

impl sealed::Sealed for Knock {}

impl Token for Knock {
    const KIND: Kind = Kind::Knock;
    const PAYLOAD_BYTES: usize = 16 + 8 + 4 + 2 + 8 + 8 + 8;
    const BOUND_TO_ROOM: bool = true;
    /// No ticket is number 0, which no place has.
    fn write(&self, out: &mut Vec<u8>) {
        let none = Ticket {
            number: Number(0),
            edition: Edition(0),
            lobby: LobbyId(0),
            visitor: self.visitor,
            row: Version(0),
            issued_at_ms: 0,
        };
        let ticket = self.ticket.unwrap_or(none);
        out.extend_from_slice(&self.visitor.0);
        out.extend_from_slice(&ticket.number.0.to_be_bytes());
        out.extend_from_slice(&ticket.edition.0.to_be_bytes());
        out.extend_from_slice(&ticket.lobby.0.to_be_bytes());
        out.extend_from_slice(&ticket.row.0.to_be_bytes());
        out.extend_from_slice(&ticket.issued_at_ms.to_be_bytes());
        out.extend_from_slice(&self.ends_at_ms.to_be_bytes());
    }
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let visitor = VisitorId(r.take()?);
        let ticket = Ticket {
            number: Number(r.u64()?),
            edition: Edition(r.u32()?),
            lobby: LobbyId(r.u16()?),
            visitor,
            row: Version(r.u64()?),
            issued_at_ms: r.u64()?,
        };
        Some(Self {
            visitor,
            ticket: (ticket.number != Number(0)).then_some(ticket),
            ends_at_ms: r.u64()?,
        })
    }
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}
