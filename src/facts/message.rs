//! What a room and its lobbies say to each other: *list and watch*.
//!
//! A lobby begins a life with [`Hello`], is brought up to date by a [`Welcome`] and keeps up by [`Message`]s, which say how things
//! *are* and overlap. It asks for changes in a [`Batch`]. The protocol is told in ARCHITECTURE.md, *The book and its replicas*.

use super::command::Command;
use super::config::Mode;
use super::event::WhyEnded;
use super::hall::Draw;
use super::holder::{Holder, Salt};
use super::lane_name::LaneName;
use super::reply::{Reply, Standing};
use super::rhythm::CallTime;
use super::units::{Edition, Fence, LANES_MAX, LaneId, LobbyId, Number, Version};
use serde::{Deserialize, Serialize};

/// The form of the messages written here. Every message begins with it as one byte.
pub const WIRE: u8 = 1;

/// Which stretch of a room's history a version is of. Another one begins with a reset and with a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomLife(pub u64);

/// Which stretch of a room's memory of one lobby: a nonce, drawn anew each time the room comes to know a life. What was meant for an
/// earlier one is not taken, however long it was on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomMemory(pub u64);

/// Which life of a lobby: a nonce, drawn anew each time it comes into memory or is deposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LobbyLife(pub u64);

/// What a lobby asks of its room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToRoom {
    /// A life begins, or wants to be told anew.
    Hello(Hello),
    /// The next page of a list.
    More(More),
    /// Commands, or none: how are things?
    Batch(Batch),
    /// Which of these leases live? At most [`CHECKS_MAX`](super::limits::CHECKS_MAX). Writes nothing.
    Check(Vec<Fence>),
    /// Batches of several lobbies, as a porter brings them: one turn takes them in this order. At most
    /// [`BUNDLE_BATCHES_MAX`](super::limits::BUNDLE_BATCHES_MAX).
    Bundle(Vec<Batch>),
}

/// What a room answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromRoom {
    /// To a Hello.
    Welcome(Box<Welcome>),
    /// To a Hello, while many lists are asked for: come again in so many milliseconds.
    Later(u64),
    /// To [`ToRoom::More`].
    Page(Page),
    /// To a batch.
    Answer(Box<Answer>),
    /// To a check, in order: the ticket and where it stands.
    Leases(Vec<(Number, Standing)>),
    /// Why not: try as it says.
    Refused(Refusal),
    /// To a bundle, in order: what each batch alone would be answered.
    Bundle(Vec<Taken>),
}

/// What came of a batch.
pub type Taken = Result<Box<Answer>, Refusal>;

impl From<Taken> for FromRoom {
    fn from(taken: Taken) -> Self {
        match taken {
            Ok(answer) => Self::Answer(answer),
            Err(refusal) => Self::Refused(refusal),
        }
    }
}

/// A lobby's life begins, or goes on after a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Whose.
    pub lobby: LobbyId,
    /// Which life.
    pub life: LobbyLife,
    /// Counts up with each Hello of that life. Both sides ignore any but the last.
    pub number: u32,
    /// What the lobby knows already.
    pub knows: Option<Known>,
}

/// A state of the room that a lobby knows whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The room's life.
    pub life: RoomLife,
    /// Up to which row.
    pub version: Version,
}

/// What a Hello is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The Hello that is answered.
    pub number: u32,
    /// Who answers it: batches must name this.
    pub memory: RoomMemory,
    /// With what the lobby makes keys.
    pub salt: Salt,
    /// Everything of the lobby's, if the room can't say what has changed since.
    pub list: Option<Page>,
    /// Where there is no list: whom of the lobby's waiting the room takes for away, in order. Presence is no change that is told:
    /// another life of the lobby may have spoken of it in between.
    pub away: Vec<Number>,
    /// How things are; what has changed, where there is no list.
    pub message: Message,
}

/// Asks for the rest of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct More {
    /// Whose.
    pub lobby: LobbyId,
    /// Which life of it.
    pub life: LobbyLife,
    /// Which Hello began the list.
    pub hello: u32,
    /// From this number on.
    pub from: Number,
}

/// A part of a list: living tickets of a lobby, in order of their numbers; entries of the hall behind the line's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The Hello that began the list.
    pub hello: u32,
    /// How things were when this page was made.
    pub version: Version,
    /// The tickets.
    pub tickets: Vec<Listed>,
    /// Where the next page begins; `None`: this is the last.
    pub next: Option<Number>,
}

/// A living ticket of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its number.
    pub number: Number,
    /// Whose it is.
    pub holder: Holder,
    /// Where it stands.
    pub standing: Standing,
}

/// A lobby's commands. One batch of a lobby is out at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Whose.
    pub lobby: LobbyId,
    /// Which life of it.
    pub life: LobbyLife,
    /// Which life of the room it knows.
    pub room: RoomLife,
    /// Who has taken its Hello.
    pub memory: RoomMemory,
    /// Counts up within the life, gaps allowed. A late one is refused.
    pub number: u64,
    /// The lobby knows everything up to this row, and its sockets were told.
    pub since: Version,
    /// Join attempts since the last batch, repeats included.
    pub attempts: u32,
    /// In order. None: the lobby only looks.
    pub commands: Vec<Command>,
}

/// What a batch is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// One for each command, of the book as it is when the turn ends.
    pub replies: Vec<Reply>,
    /// How things are.
    pub message: Message,
}

/// How things are, to one life of a lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// To which life of the lobby.
    pub to: LobbyLife,
    /// The room's life.
    pub life: RoomLife,
    /// As of this row.
    pub version: Version,
    /// `changes` has all that changed of the lobby's tickets after this row.
    pub since: Version,
    /// In order of the numbers, each once.
    pub changes: Vec<Change>,
    /// The state of the room at large.
    pub gist: Gist,
    /// What the operator tells everybody.
    pub message: String,
    /// The lanes: those of the list in its order, then those that have left it and still have people. None: a room without lanes.
    pub lanes: Vec<LaneGist>,
    /// The moving pictures of the lines that changed, at most one a lane; see `docs/client.md`.
    pub frames: Vec<(LaneId, Vec<u8>)>,
}

/// One lane of a room, to lobbies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneGist {
    /// Which: its tickets' numbers say so.
    pub id: LaneId,
    /// What tokens call it.
    pub name: LaneName,
    /// What people are shown.
    pub title: String,
    /// Whether people may still come into it: it is on the room's list.
    pub is_listed: bool,
    /// The room's mode, as far as the lane's hours let it.
    pub mode: Mode,
    /// While it is not open: when it opens, Unix ms, if that is known.
    pub opens_at_ms: Option<u64>,
    /// How its next draw will be.
    pub draw: Draw,
    /// People in its line.
    pub waiting: u64,
    /// People in its hall.
    pub in_hall: u64,
    /// Whether a walk-in would succeed now.
    pub walk_in: bool,
    /// How its people can expect to be called.
    pub pace: LanePace,
}

/// What an estimate for a lane goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LanePace {
    /// The measured time between its calls.
    Calls(CallTime),
    /// None: somebody waits in a lane that goes first.
    Behind,
}

/// Where a ticket of the lobby's stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It lives.
    Lives(Listed),
    /// It is over.
    Over(Number, Ended),
}

impl Change {
    /// Which ticket.
    #[must_use]
    pub const fn number(&self) -> Number {
        match self {
            Self::Lives(listed) => listed.number,
            Self::Over(number, _) => *number,
        }
    }
}

/// Why a ticket ended, as far as it is told one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// The place was given up.
    Left,
    /// The second call was missed.
    Missed,
    /// Its holder was away for too long.
    Away,
    /// The lease was given back, by its holder or by the operator.
    Released,
    /// The lease reached its end.
    Expired,
    /// It went to another lane, where it has another number.
    Moved,
}

/// What a room says to a lobby unasked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToLobby {
    /// The room does not know this lobby's life: say Hello, if anybody is there.
    Poke,
    /// How things are.
    Push(Box<Message>),
}

/// What a lobby answers to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Which life has heard.
    pub life: LobbyLife,
    /// What it knows whole, after its sockets were told; `None`: nothing yet, it will say Hello by itself.
    pub acknowledged: Option<Version>,
    /// Somebody is there, so the room goes on telling how the line moves.
    pub is_watched: bool,
    /// In which lanes these are: bit by [`LaneId`].
    pub lanes: u8,
}

/// Why a room does not answer. Asking again is safe, whatever it may have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The room does not know this life, or the lobby not this life of the room, or too much has changed: say Hello.
    Unknown,
    /// Another life of this lobby has said Hello: be silent.
    Deposed,
    /// A later batch or Hello was here already.
    Late,
    /// More lobbies, commands or numbers than the limits allow, or bytes that are no message.
    Malformed,
    /// A form of messages that this room does not read: try again, both are being deployed.
    Version,
}

/// What every message of a room carries: one computes, all share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gist {
    /// The mode.
    pub mode: Mode,
    /// People in the line.
    pub waiting: u64,
    /// Whether a walk-in would succeed now.
    pub walk_in: bool,
    /// Measured time between calls.
    pub call_time: CallTime,
    /// Whether walk-ins are allowed at all.
    pub walk_ins: bool,
    /// The least time between two turns of the usher.
    pub tick_ms: u64,
    /// A lease ends after this long without activity.
    pub lease_idle_ms: u64,
    /// Everybody who waited when the line ended is over, and why.
    pub ended: Option<LineEnd>,
    /// The room wants to know how the origin answers.
    pub wants_health: bool,
    /// Up to which number a seat can be expected; 0: perhaps none for anybody who waits.
    pub seats_to: Option<Number>,
    /// People in the hall.
    pub in_hall: u64,
    /// While the room is not open: when it opens, Unix ms, if that is known.
    pub opens_at_ms: Option<u64>,
    /// How the next draw will be.
    pub draw: Draw,
    /// Which edition the room is in: every ticket of an earlier one is over.
    pub edition: Edition,
}

/// Everybody who waited is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEnd {
    /// Up to where, by [`LaneId`].
    pub lanes: [LaneEnd; LANES_MAX],
    /// In which row.
    pub version: Version,
    /// Why.
    pub why: WhyEnded,
}

/// Up to where all of one lane are over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneEnd {
    /// Who had a number within the lane below this and no lease.
    pub below: u64,
    /// Who had an entry of its hall below this.
    pub entries_below: u64,
}

impl LineEnd {
    /// Whether who waited under this number, or entry, is over.
    #[must_use]
    pub fn covers(&self, number: Number) -> bool {
        let end = self.lanes.get(usize::from(number.lane().0));
        end.is_some_and(|end| match number.entry() {
            Some(entry) => entry < end.entries_below,
            None => number.within() < end.below,
        })
    }
}
