//! The data of the model: tickets, commands, and the messages between a room and its lobbies. It has no logic.

/// The number of visitors in a world. A visitor's index is the key that the room compares.
pub const VISITORS: usize = 2;
/// The number of lobbies in a world.
pub const LOBBIES: usize = 2;
/// The number of tickets on a page of a list. It is one, so that two tickets make two pages.
pub const PAGE_TICKETS: usize = 1;

/// A visitor, and the key of that visitor's tickets.
pub type Key = usize;
/// A lobby's name.
pub type LobbyId = usize;
/// The book's version: how many rows it has.
pub type Row = u8;
/// A ticket's number. Numbers start at 1 in each edition.
pub type Number = u8;
/// Names one grant of a permit, and is never used again.
pub type Fence = u8;
/// The name of one life of a lobby. The model counts nonces up; the protocol only compares them for equality.
pub type Nonce = u8;
/// The name of one life of the room.
pub type Life = u8;
/// The name that the room gives a lobby's life each time it comes to know it. Only compared for equality.
pub type Greeting = u8;

/// How a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// In line. `missed` means that the ticket missed a call and nobody has said "here" since.
    Waiting { here: bool, missed: bool },
    /// Called: the ticket has a permit that is not claimed yet.
    Called(Fence),
    /// The permit is in use.
    Leased(Fence),
    /// Ended, for whatever reason.
    Over,
}

/// What the room says of one ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    pub number: Number,
    pub key: Key,
    pub standing: Standing,
}

/// What a lobby asks of the room. Each command names a number and its key, or a fence, so that it may come twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Command {
    Join {
        key: Key,
    },
    Here {
        number: Number,
        key: Key,
    },
    Away {
        number: Number,
        key: Key,
    },
    Leave {
        number: Number,
        key: Key,
    },
    Claim {
        number: Number,
        key: Key,
    },
    /// `by` is for the judge alone; the room must not decide by it.
    Release {
        fence: Fence,
        by: Key,
    },
    /// `row` is the row in which the link was made.
    Carry {
        number: Number,
        key: Key,
        new_key: Key,
        row: Row,
    },
}

/// A kind of command that somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Join,
    Leave,
    Claim,
    Carry,
}

/// What the room answers to one asker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Answer {
    pub key: Key,
    pub kind: Kind,
    pub what: What,
}

/// The content of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// The key's living ticket and its lobby. If that is another lobby than the one that asked, this is the protocol's `At`.
    Place { lobby: LobbyId, number: Number },
    /// The permit is in use under this fence.
    Pass { number: Number, fence: Fence },
    /// The asker gets nothing.
    Nothing,
}

/// Why the room refused a lobby's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// The room does not know this life, or cannot say what has changed since: the lobby must say Hello.
    NewRoom,
    /// Another life of the lobby is current: this one must drop everything.
    Old,
}

/// Names the call that a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    Batch(u8),
    Page(Number),
}

/// The two lives that a message is between, and the room's greeting for the lobby's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bond {
    pub nonce: Nonce,
    pub greeting: Greeting,
    pub life: Life,
}

/// How the tickets of a lobby changed between two rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Changes {
    pub since: Row,
    pub version: Row,
    pub entries: Vec<Entry>,
}

/// A part of a list: the living tickets from a number on. `next` is where the next page begins; the last page has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Page {
    pub version: Row,
    pub entries: Vec<Entry>,
    pub next: Option<Number>,
}

/// The room's answer to a Hello.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Start {
    Resume(Changes),
    List(Page),
}

/// What a lobby sends to the room.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToRoom {
    Hello {
        nonce: Nonce,
        number: u8,
        known: Option<(Life, Row)>,
    },
    Batch {
        bond: Bond,
        number: u8,
        since: Row,
        commands: Vec<Command>,
    },
    /// Asks for the page of a list that begins at a number.
    More {
        bond: Bond,
        from: Number,
    },
    /// The answer to a push: the row of what the lobby has told its sockets.
    Heard {
        bond: Bond,
        since: Row,
    },
}

/// What the room sends to a lobby.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToLobby {
    Welcome {
        bond: Bond,
        number: u8,
        edition: u8,
        start: Start,
    },
    Answered {
        bond: Bond,
        number: u8,
        changes: Changes,
        answers: Vec<Answer>,
    },
    Page {
        bond: Bond,
        from: Number,
        page: Page,
    },
    Refused {
        nonce: Nonce,
        call: Call,
        why: Refusal,
    },
    Push {
        bond: Bond,
        changes: Changes,
    },
    /// The room no longer knows the lobby, which must say Hello.
    Poke,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    ToRoom(LobbyId, ToRoom),
    ToLobby(LobbyId, ToLobby),
}

impl Message {
    /// Returns the life that an answer to a call is for, or `None` for a push or a poke, which goes to whichever life is current.
    pub fn answers_nonce(&self) -> Option<Nonce> {
        match self {
            Message::ToLobby(_, ToLobby::Welcome { bond, .. })
            | Message::ToLobby(_, ToLobby::Answered { bond, .. })
            | Message::ToLobby(_, ToLobby::Page { bond, .. }) => Some(bond.nonce),
            Message::ToLobby(_, ToLobby::Refused { nonce, .. }) => Some(*nonce),
            _ => None,
        }
    }
}
