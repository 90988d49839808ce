//! What people of the model ask of a lobby, and the effects that a lobby wants carried out.

use super::words::*;

/// A number that somebody was shown, and the row in which it was given. The page's ticket and the socket have it.
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
    /// The link names the number and the row in which it was made, and the number's holder.
    Carry(Shown, Key),
}

impl Ask {
    /// Returns the kind of the answer to it.
    pub fn kind(&self) -> Kind {
        match self {
            Ask::Join => Kind::Join,
            Ask::Leave(_) => Kind::Leave,
            Ask::Claim(_) => Kind::Claim,
            Ask::Carry(..) => Kind::Carry,
        }
    }

    /// Returns the edition that the ask is about, or `None` for a join, which is about any.
    pub fn edition(&self) -> Option<u8> {
        match self {
            Ask::Join => None,
            Ask::Leave(shown) | Ask::Claim(shown) | Ask::Carry(shown, _) => Some(shown.edition),
        }
    }

    /// Returns the command that the lobby sends to the room for it.
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

/// Something that a lobby wants carried out.
#[derive(Clone, Debug)]
pub enum Effect {
    Send(ToRoom),
    /// Tell a socket how its ticket stands at a row. `fresh` means that the replica is new, so that the page must answer again.
    Tell {
        key: Key,
        shown: Shown,
        standing: Standing,
        row: Row,
        fresh: bool,
    },
    /// Answer an asker. `row` is the row that the answer was made from.
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
