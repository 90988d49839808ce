//! The token with which an app's page opens its socket. Browsers let a page set no header there, only protocols, and those are written wherever
//! addresses are. So a knock is no credential: it opens a socket only, and is over in half a minute.

use super::TokenError;
use super::codec::Reader;
use super::kinds::{Kind, Ticket, Token, not_over};
use super::layout::{Layout, layout};
use facts::units::{Edition, LobbyId, Number, Version, VisitorId};

/// The visitor whose socket is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knock {
    /// The visitor.
    pub visitor: VisitorId,
    /// The visitor's ticket that the socket watches, if there is one.
    pub ticket: Option<Ticket>,
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

/// A knock as it is written: the ticket's fields stand beside its own. Number 0, which no place has, means that there is no ticket.
struct Written {
    visitor: VisitorId,
    number: Number,
    edition: Edition,
    lobby: LobbyId,
    row: Version,
    issued_at_ms: u64,
    ends_at_ms: u64,
}

layout!(Written {
    visitor: VisitorId,
    number: Number,
    edition: Edition,
    lobby: LobbyId,
    row: Version,
    issued_at_ms: u64,
    ends_at_ms: u64,
});

impl Layout for Knock {
    const BYTES: usize = Written::BYTES;
    fn write(&self, out: &mut Vec<u8>) {
        let ticket = self.ticket.as_ref();
        let written = Written {
            visitor: self.visitor,
            number: ticket.map_or(Number(0), |ticket| ticket.number),
            edition: ticket.map_or(Edition(0), |ticket| ticket.edition),
            lobby: ticket.map_or(LobbyId(0), |ticket| ticket.lobby),
            row: ticket.map_or(Version(0), |ticket| ticket.row),
            issued_at_ms: ticket.map_or(0, |ticket| ticket.issued_at_ms),
            ends_at_ms: self.ends_at_ms,
        };
        written.write(out);
    }
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let written = Written::read(reader)?;
        let ticket = Ticket {
            number: written.number,
            edition: written.edition,
            lobby: written.lobby,
            visitor: written.visitor,
            row: written.row,
            issued_at_ms: written.issued_at_ms,
        };
        Some(Self {
            visitor: written.visitor,
            ticket: (ticket.number != Number(0)).then_some(ticket),
            ends_at_ms: written.ends_at_ms,
        })
    }
}

impl Token for Knock {
    const KIND: Kind = Kind::Knock;
    const BOUND_TO_ROOM: bool = true;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}
