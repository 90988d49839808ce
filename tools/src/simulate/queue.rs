//! What is going to happen, and when: the earliest first, and within one moment in the order in which it was planned.

use super::faults::Kind;
use super::slab::Id;
use baton::facts::message::{FromRoom, Heard, ToRoom};
use baton::lobby::CallId;
use baton::porter::BundleId;
use baton::room::courier::Push;
use baton::wire::{Status, Told};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
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
    Alarm {
        object: Object,
        due: u64,
        again: bool,
    },
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

/// A place in the heap. It is small because a heap moves its elements about; the event itself stays where it is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    at: u64,
    turn: u64,
    slot: u32,
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.turn).cmp(&(self.at, self.turn))
    }
}

/// Everything that is planned.
#[derive(Default)]
pub struct Queue {
    heap: BinaryHeap<Entry>,
    events: Vec<Option<Event>>,
    free: Vec<u32>,
    turns: u64,
}

impl Queue {
    /// Plans an event. O(log planned).
    pub fn push(&mut self, at: u64, event: Event) {
        self.turns += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.events[slot as usize] = Some(event);
                slot
            }
            None => {
                self.events.push(Some(event));
                self.events.len() as u32 - 1
            }
        };
        let turn = self.turns;
        self.heap.push(Entry { at, turn, slot });
    }

    /// When the next event happens; `None` if nothing is planned.
    #[must_use]
    pub fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|entry| entry.at)
    }

    /// Takes out the next event, with its time. O(log planned).
    pub fn pop(&mut self) -> Option<(u64, Event)> {
        let Entry { at, slot, .. } = self.heap.pop()?;
        self.free.push(slot);
        Some((at, self.events[slot as usize].take()?))
    }
}
