//! The words of the model: tickets, commands, and the messages between a room and its lobbies. Data only.

/// How many visitors a world has. A visitor's index is the key that the room compares.
pub const VISITORS: usize = 2;
/// How many lobbies a world has.
pub const LOBBIES: usize = 2;
/// How many tickets a page of a list holds. One, so that two tickets make two pages.
pub const PAGE_TICKETS: usize = 1;

/// A visitor, and the key of its tickets.
pub type Key = usize;
/// A lobby's name.
pub type LobbyId = usize;
/// The book's version: how many rows it has.
pub type Row = u8;
/// A ticket's place in line. Starts again at 1 in each edition.
pub type Number = u8;
/// Names one grant of a permit, for ever.
pub type Fence = u8;
/// The name of one life of a lobby. The model counts them up; the protocol compares them for equality only.
pub type Nonce = u8;
/// The name of one life of the room.
pub type Life = u8;
/// The name of one acquaintance of the room with a lobby. Compared for equality only.
pub type Greeting = u8;

/// How a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// In line. `missed`: the ticket let a call pass and nobody said "here" since.
    Waiting { here: bool, missed: bool },
    /// Called; the permit is held for it.
    Called(Fence),
    /// In use.
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

/// What a lobby asks of the room. Each names a number and its key, or a fence, so it may come twice.
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
    /// `by` is for the judge alone; the room must not read it.
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

/// The kinds of command that somebody waits for.
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
    /// The key's living ticket, and the lobby that has it ("At" when that is another one).
    Place { lobby: LobbyId, number: Number },
    /// The ticket is in use under this fence.
    Pass { number: Number, fence: Fence },
    /// Nothing to hand over.
    Nothing,
}

/// Why the room did not take a call of a lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// The room does not know this life, or cannot say what changed since: say Hello.
    NewRoom,
    /// Another nonce is current: drop everything.
    Old,
}

/// Names the call that a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    Batch(u8),
    Page(Number),
}

/// Which acquaintance a message belongs to.
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

/// A part of a list: the living tickets from a number on. `next` is where the next page begins.
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
    More { bond: Bond, from: Number },
    /// The answer to a push: what the lobby has told its sockets.
    Heard { bond: Bond, since: Row },
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
    /// "I know you no more": say Hello.
    Poke,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    ToRoom(LobbyId, ToRoom),
    ToLobby(LobbyId, ToLobby),
}

impl Message {
    /// The one life that a message is for, when it is the answer to a call. Pushes are for whoever is there.
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
