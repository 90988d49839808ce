//! What people ask of a lobby, and what a lobby wants done.

use super::words::*;

/// A number that somebody was shown, and the row it was given in. Stands in the page's ticket and at the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    pub edition: u8,
    pub number: Number,
    pub row: Row,
}

/// What somebody asks of a lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    Join,
    Leave(Shown),
    Claim(Shown),
    /// The link names the number, its holder, and the row it was made in.
    Carry(Shown, Key),
}

impl Ask {
    /// The kind of its answer.
    pub fn kind(&self) -> Kind {
        match self {
            Ask::Join => Kind::Join,
            Ask::Leave(_) => Kind::Leave,
            Ask::Claim(_) => Kind::Claim,
            Ask::Carry(..) => Kind::Carry,
        }
    }

    /// The edition that the ask is about. A join is about any.
    pub fn edition(&self) -> Option<u8> {
        match self {
            Ask::Join => None,
            Ask::Leave(shown) | Ask::Claim(shown) | Ask::Carry(shown, _) => Some(shown.edition),
        }
    }

    /// What the lobby asks of the room for it.
    pub fn command(&self, key: Key) -> Command {
        match *self {
            Ask::Join => Command::Join { key },
            Ask::Leave(Shown { number, .. }) => Command::Leave { number, key },
            Ask::Claim(Shown { number, .. }) => Command::Claim { number, key },
            Ask::Carry(Shown { number, row, .. }, from) => Command::Carry {
                number,
                key: from,
                new_key: key,
                row,
            },
        }
    }
}

/// Something that a lobby wants done.
#[derive(Clone, Debug)]
pub enum Effect {
    Send(ToRoom),
    /// Tell a socket how its ticket stands at a row. `fresh`: the replica is new, so the page must answer again.
    Tell {
        key: Key,
        shown: Shown,
        standing: Standing,
        row: Row,
        fresh: bool,
    },
    /// Answer an asker. The row is the one that the answer was made from.
    Reply {
        key: Key,
        what: What,
        edition: u8,
        row: Row,
    },
    /// Tell an asker to try again.
    Fail {
        key: Key,
    },
}
