//! What a room and its lobbies say to each other: *list and watch*.
//!
//! A lobby begins a life with [`Hello`], catches up by a [`Welcome`] and keeps up by [`Message`]s, which say how things *are* and overlap. It asks
//! for changes in a [`Batch`]. ARCHITECTURE.md explains the protocol in *The book and its replicas*.

use super::command::Command;
use super::config::Mode;
use super::event::WhyEnded;
use super::hall::Draw;
use super::holder::{Holder, Salt};
use super::lane_name::LaneName;
use super::notice::Notice;
use super::reply::{Reply, Standing};
use super::rhythm::CallTime;
use super::units::{Edition, Fence, LANES_MAX, LaneId, LobbyId, Number, Version};
use serde::{Deserialize, Serialize};

/// The form in which this build writes messages. Every message begins with it as one byte.
pub const WIRE: u8 = 1;

/// The stretch of a room's history that a version belongs to. A reset and a draw each begin another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomLife(pub u64);

/// A stretch of a room's memory of one lobby: a nonce, new each time the room comes to know a life. The room refuses what was meant for an earlier
/// one, however long it was on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomMemory(pub u64);

/// A life of a lobby: a nonce, chosen anew each time the lobby comes into memory or is deposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LobbyLife(pub u64);

/// What a lobby asks of its room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToRoom {
    /// A life begins, or goes on after a gap.
    Hello(Hello),
    /// Asks for the next page of a list.
    More(More),
    /// Brings commands; without any, it asks how things are.
    Batch(Batch),
    /// Asks which of these leases live. At most [`CHECKS_MAX`](super::limits::CHECKS_MAX). The room writes nothing for it.
    Check(Vec<Fence>),
    /// Brings the batches of several lobbies, from a porter. One turn takes them in this order. At most
    /// [`BUNDLE_BATCHES_MAX`](super::limits::BUNDLE_BATCHES_MAX).
    Bundle(Vec<Batch>),
}

/// What a room answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromRoom {
    /// To a Hello.
    Welcome(Box<Welcome>),
    /// To a Hello, while many lobbies ask for lists: come again in this many milliseconds.
    Later(u64),
    /// To [`ToRoom::More`].
    Page(Page),
    /// To a batch.
    Answer(Box<Answer>),
    /// To a check, in order: each ticket, and where it stands.
    Leases(Vec<(Number, Standing)>),
    /// The room refuses; the reason says what to do.
    Refused(Refusal),
    /// To a bundle, in order: the answer that each batch alone would get.
    Bundle(Vec<Taken>),
}

/// The answer to a batch, or why the room refused it.
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
    /// The lobby.
    pub lobby: LobbyId,
    /// The life that it is in.
    pub life: LobbyLife,
    /// Counts up with each Hello of that life. Both sides ignore any but the last.
    pub number: u32,
    /// The state that the lobby already knows whole, if any.
    pub knows: Option<Known>,
}

/// A state of the room that a lobby knows whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The room's life.
    pub life: RoomLife,
    /// The row up to which the lobby knows it.
    pub version: Version,
}

/// The answer to a Hello.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The number of the Hello.
    pub number: u32,
    /// The room's memory that answers. Batches must name it.
    pub memory: RoomMemory,
    /// The salt with which the lobby makes keys.
    pub salt: Salt,
    /// The first page of all the lobby's tickets, if the room cannot say what has changed since.
    pub list: Option<Page>,
    /// Without a list: the lobby's waiting tickets whose holders the room considers away, in order. Presence is not told as a change, because
    /// another life of the lobby may have spoken of it in between.
    pub away: Vec<Number>,
    /// How things are; without a list, also what has changed.
    pub message: Message,
}

/// Asks for the rest of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct More {
    /// The lobby.
    pub lobby: LobbyId,
    /// The life that it is in.
    pub life: LobbyLife,
    /// The Hello that began the list.
    pub hello: u32,
    /// The number from which to go on.
    pub from: Number,
}

/// A part of a list: living tickets of a lobby, in order of their numbers, entries of the hall after the places in the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The Hello that began the list.
    pub hello: u32,
    /// The row that this page reflects.
    pub version: Version,
    /// The tickets.
    pub tickets: Vec<Listed>,
    /// The number with which the next page begins; `None` if this is the last.
    pub next: Option<Number>,
}

/// A living ticket of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its number.
    pub number: Number,
    /// Its holder.
    pub holder: Holder,
    /// Where it stands.
    pub standing: Standing,
}

/// A lobby's commands. Each lobby has one batch out at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The lobby.
    pub lobby: LobbyId,
    /// The life that it is in.
    pub life: LobbyLife,
    /// The life of the room that it knows.
    pub room: RoomLife,
    /// The room's memory that has taken its Hello.
    pub memory: RoomMemory,
    /// Counts up within the life, gaps allowed. The room refuses a late batch.
    pub number: u64,
    /// The row up to which the lobby knows everything and has told its sockets.
    pub since: Version,
    /// Join attempts since the last batch, repeats included.
    pub attempts: u32,
    /// The commands, in order. Without any, the lobby only looks.
    pub commands: Vec<Command>,
}

/// The answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// One reply for each command, of the book as it is when the turn ends.
    pub replies: Vec<Reply>,
    /// How things are.
    pub message: Message,
}

/// How things are, to one life of a lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The life of the lobby that the message is for.
    pub to: LobbyLife,
    /// The room's life.
    pub life: RoomLife,
    /// The row that this message reflects.
    pub version: Version,
    /// The row after which `changes` contains everything that changed in the lobby's tickets.
    pub since: Version,
    /// The changes, in order of their numbers, one for each number.
    pub changes: Vec<Change>,
    /// The state of the room at large.
    pub gist: Gist,
    /// What the operator tells everybody.
    pub message: Notice,
    /// The lanes: those of the list in its order, then those that have left it and still have people. Empty if the room has no lanes.
    pub lanes: Vec<LaneGist>,
    /// The frames of the lines that changed, at most one a lane; see `docs/client.md`.
    pub frames: Vec<(LaneId, Vec<u8>)>,
}

/// One lane of a room, as lobbies are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneGist {
    /// The lane, as the numbers of its tickets name it.
    pub id: LaneId,
    /// The name that tokens use.
    pub name: LaneName,
    /// The title that people are shown.
    pub title: String,
    /// Whether the lane is on the room's list, so that people may still come into it.
    pub is_listed: bool,
    /// The room's mode, as far as the lane's hours let it.
    pub mode: Mode,
    /// When it opens, in Unix ms, if it is not open and that is known.
    pub opens_at_ms: Option<u64>,
    /// How its next draw will be made.
    pub draw: Draw,
    /// The number of people in its line.
    pub waiting: u64,
    /// The number of people in its hall.
    pub in_hall: u64,
    /// Whether a walk-in would succeed now.
    pub walk_in: bool,
    /// How fast its people can expect to be called.
    pub pace: LanePace,
}

/// The basis of an estimate for a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LanePace {
    /// The measured time between its calls.
    Calls(CallTime),
    /// There is no estimate: somebody waits in a lane that goes first.
    Behind,
}

impl LanePace {
    /// Returns the measured time between the lane's calls. It is zero, as if not measured, while somebody waits in a lane that goes first.
    #[must_use]
    pub fn call_time(self) -> CallTime {
        match self {
            Self::Calls(call_time) => call_time,
            Self::Behind => CallTime::default(),
        }
    }
}

/// Where a ticket of the lobby stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It lives.
    Lives(Listed),
    /// It is over.
    Over(Number, Ended),
}

impl Change {
    /// The number of the ticket.
    #[must_use]
    pub const fn number(&self) -> Number {
        match self {
            Self::Lives(listed) => listed.number,
            Self::Over(number, _) => *number,
        }
    }
}

/// Why a ticket ended, if the room tells its end one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// Its holder gave the place up.
    Left,
    /// Its holder missed the second call.
    Missed,
    /// Its holder was away for too long.
    Away,
    /// Its holder or the operator gave the lease back.
    Released,
    /// The lease reached its end.
    Expired,
    /// It moved to another lane, where it has another number.
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

/// What a lobby answers to a [`ToLobby`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// The life that has heard it.
    pub life: LobbyLife,
    /// The row up to which it knows everything, after its sockets were told; `None` if it knows nothing yet and will say Hello by itself.
    pub acknowledged: Option<Version>,
    /// Whether anybody is there, so that the room goes on telling how the line moves.
    pub is_watched: bool,
    /// The lanes in which the lobby has living tickets, a bit for each [`LaneId`].
    pub lanes: u8,
}

/// Why a room does not answer. Asking again is safe, whatever the room may have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The room does not know this life, the lobby does not know this life of the room, or too much has changed: say Hello.
    Unknown,
    /// Another life of this lobby has said Hello: be silent.
    Deposed,
    /// A later batch or Hello came before.
    Late,
    /// More lobbies, commands or numbers than the limits allow, or bytes that are no message.
    Malformed,
    /// The room does not read this form of messages: try again, both are being deployed.
    Version,
}

/// What every message of a room carries. The room computes it once for all lobbies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gist {
    /// The mode.
    pub mode: Mode,
    /// The number of permits.
    pub permits: u32,
    /// The number of people in the line.
    pub waiting: u64,
    /// Whether a walk-in would succeed now.
    pub walk_in: bool,
    /// The measured time between calls.
    pub call_time: CallTime,
    /// Whether walk-ins are allowed at all.
    pub walk_ins: bool,
    /// The least time between two turns of the usher, in ms.
    pub tick_ms: u64,
    /// How long a lease lasts without activity, in ms.
    pub lease_idle_ms: u64,
    /// How the line last ended, if it did: everybody who waited then is over.
    pub ended: Option<LineEnd>,
    /// Whether the room wants to know how the origin answers.
    pub wants_health: bool,
    /// The number up to which a seat can be expected; 0 if perhaps nobody who waits can expect one.
    pub seats_to: Option<Number>,
    /// The number of people in the hall.
    pub in_hall: u64,
    /// When the room opens, in Unix ms, if it is not open and that is known.
    pub opens_at_ms: Option<u64>,
    /// How the next draw will be made.
    pub draw: Draw,
    /// The edition that the room is in. Every ticket of an earlier one is over.
    pub edition: Edition,
    /// Whether everybody's line is as long as the operator lets it be, so that a newcomer gets no place in it.
    pub full: bool,
}

/// The end of the line: everybody who waited is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEnd {
    /// How far the end reaches in each lane, by [`LaneId`].
    pub lanes: [LaneEnd; LANES_MAX],
    /// The row in which it happened.
    pub version: Version,
    /// Why.
    pub why: WhyEnded,
}

/// How far the end of the line reaches in one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneEnd {
    /// Whoever had a number within the lane below this, and no lease, is over.
    pub below: u64,
    /// Whoever had an entry of its hall below this is over.
    pub entries_below: u64,
}

impl LineEnd {
    /// Returns whether whoever waited with this number or entry is over.
    #[must_use]
    pub fn covers(&self, number: Number) -> bool {
        let end = self.lanes.get(usize::from(number.lane().0));
        end.is_some_and(|end| match number.entry() {
            Some(entry) => entry < end.entries_below,
            None => number.within() < end.below,
        })
    }
}
