//! What can happen in a world.

use super::faults::Kind;
use super::slab::Id;
use baton::facts::message::{FromRoom, Heard, ToRoom};
use baton::facts::wire::{Status, Told};
use baton::lobby::CallId;
use baton::lobby::porter::BundleId;
use baton::room::courier::Push;
use std::rc::Rc;

/// An object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The room.
    Room,
    /// A lobby.
    Lobby(usize),
}

/// One life of a lobby in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// Which lobby.
    pub lobby: usize,
    /// Which life of it.
    pub id: u64,
}

/// Whoever asks the room something and waits for the answer.
#[derive(Clone, Copy, Debug)]
pub enum Caller {
    /// A life of a lobby, by this call.
    Lobby(Life, CallId),
    /// A porter, in this process of it, with this bundle.
    Porter(usize, u64, BundleId),
}

/// Something that happens.
#[derive(Debug)]
pub enum Event {
    /// An alarm rings. With `again` it rings a second time, without having been set.
    Alarm { object: Object, due: u64, again: bool },
    /// A fault that comes with time is due.
    Strikes(Kind),
    /// A lobby is told how the origin answers, again and again until `until`.
    OriginAnswers { lobby: usize, until: u64 },
    /// An event reaches every object.
    Poke,
    /// A call reaches the room.
    RoomHears { from: Caller, said: Rc<ToRoom> },
    /// A lobby's batch reaches a porter.
    PorterHears {
        porter: usize,
        life: Life,
        call: CallId,
        said: Rc<ToRoom>,
    },
    /// The room's answer reaches a porter; `None` if it failed or came too late.
    PorterIsAnswered {
        porter: usize,
        process: u64,
        bundle: BundleId,
        answer: Option<Rc<FromRoom>>,
    },
    /// The room's answer reaches the lobby; `None` if it failed.
    LobbyHears {
        life: Life,
        call: CallId,
        answer: Option<Rc<FromRoom>>,
    },
    /// A push reaches a lobby.
    PushArrives { id: Id, push: Rc<Push> },
    /// The room hears how its push went, or gives up.
    PushEnded { id: Id, heard: Option<Heard> },
    /// A timer of the room in memory goes off.
    RoomTimer(u64),
    /// A timer of a lobby in memory goes off.
    LobbyTimer { life: Life, at: u64 },
    /// The rest of the objects get the build that the room (`None`) or this lobby got first.
    Deployed(Option<usize>),
    /// An isolate whose time is over ends.
    OldEnds(Life),
    /// A visitor's ask reaches a lobby.
    AskArrives(Id),
    /// An asker no longer waits.
    AskerGone(Id),
    /// A visitor is answered, or gives up.
    Heard { ask: Id, told: Option<Box<Told>> },
    /// A socket brings a visitor something.
    SocketSays { socket: Id, status: Box<Status> },
    /// A page says that it is awake.
    SocketWord(Id),
    /// A socket is gone for the other side too.
    SocketGone { socket: Id, by_visitor: bool },
    /// A visitor does something.
    Acts(usize),
}
