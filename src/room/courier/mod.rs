//! The room's side of its lobbies: which life of each lobby it knows, what that life has acknowledged, and which lobby must be told what, and when.
//! The courier sends nothing itself.
//!
//! Nothing here is stored. A room that comes into memory knows no lobby's life: each lobby with living tickets counts as *untold* and is poked until
//! it says [`Hello`](facts::message::Hello). A message counts from what the lobby acknowledged last, never from what was sent last. At most
//! one push to a lobby is in flight; no reply and no alarm ever waits for one.
//!
//! | file | what |
//! |---|---|
//! | `mod` | lives of the room, batches, and the message that tells a lobby how things are |
//! | `peer` | what the room knows of a lobby |
//! | `greeting` | Hello and lists |
//! | `pushes` | what goes out unasked, and when |
//! | `pictures` | the frames as lobbies are shown them |

mod greeting;
mod peer;
mod pictures;
mod pushes;

pub use greeting::LIST_EVERY_MS;
pub use pushes::{PUSH_TIMEOUT_MS, Push, RETRY_MS};

use super::Room;
use super::frame::Frame;
use facts::few::FewMap;
use facts::limits::{BATCH_BESIDE_MAX, BATCH_COMMANDS_MAX, LOBBIES_MAX};
use facts::message::{Answer, Batch, LobbyLife, Message, Refusal, RoomLife, RoomMemory, Taken};
use facts::planted::{self, Bug};
use facts::units::{Instant, LobbyId, Version};
use peer::Peer;
use pictures::Pictures;

/// The outgoing side of one room.
#[derive(Clone, Debug, Default)]
pub struct Courier {
    life: RoomLife,
    memory: RoomMemory,
    /// How many Hellos were given a new memory since the room came into memory.
    greetings: u64,
    peers: FewMap<LobbyId, Peer>,
    /// When the next long list may be given.
    list_at: Instant,
    pictures: Pictures,
    /// The longest wait after a failed push, in ms, by the settings as of the last call of [`pushes`](Self::pushes).
    retry_ms_max: u64,
}

/// How long a room was out of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slept {
    /// Rows were written less than a lobby's quiet time ago, so a lobby may not have heard of them.
    Briefly,
    /// Since the last row every lobby with sockets has looked at the room by itself.
    Long,
}

impl Courier {
    /// Makes the courier of a room that has come into memory: every lobby with living tickets is untold. After a brief sleep so is every lobby
    /// that ever had a ticket, since nothing shows that it heard of the last rows. O(lobbies · chunks).
    #[must_use]
    pub fn woken(room: &Room, life: RoomLife, memory: RoomMemory, slept: Slept) -> Self {
        let mut courier = Self {
            life,
            memory,
            ..Self::default()
        };
        for lobby in room.book().lobbies() {
            let peer = courier.peers.or_default(lobby);
            let untold = slept == Slept::Briefly || room.tickets().has_living(lobby);
            peer.untold = untold && !planted::is(Bug::UntoldForgotten);
        }
        courier
    }

    /// Records which life the room is in. After a reset or a draw it is a new one, and the courier no longer knows any lobby's life. O(lobbies) then.
    pub fn lives(&mut self, life: RoomLife) {
        if self.life == life {
            return;
        }
        self.life = life;
        for peer in self.peers.values_mut() {
            let known = peer.life.is_some();
            *peer = Peer {
                untold: peer.untold || known,
                ..Peer::default()
            };
        }
    }

    /// Decides whether a batch may be taken. If so, it counts as the last one of its life. O(log lobbies).
    ///
    /// # Errors
    /// Returns why the batch is refused; then nothing of it may be done.
    pub fn admit(&mut self, room: &Room, batch: &Batch) -> Result<(), Refusal> {
        let most = BATCH_COMMANDS_MAX + BATCH_BESIDE_MAX;
        if batch.lobby.0 >= LOBBIES_MAX || batch.commands.len() > most {
            return Err(Refusal::Malformed);
        }
        let ignores = planted::is(Bug::OldLifeTaken);
        let peer = self.peers.or_default(batch.lobby);
        let life = peer.life.as_mut().ok_or(Refusal::Unknown)?;
        if life.life != batch.life && !ignores {
            return Err(Refusal::Deposed);
        }
        if batch.memory != life.memory && !ignores {
            return Err(Refusal::Unknown);
        }
        if batch.room != self.life {
            return Err(Refusal::Unknown);
        }
        if batch.number <= life.batch && !planted::is(Bug::LateBatchTaken) && !ignores {
            return Err(Refusal::Late);
        }
        if room.book().forgets(batch.lobby, batch.since) {
            return Err(Refusal::Unknown);
        }
        life.batch = life.batch.max(batch.number);
        peer.heard_up_to(batch.since);
        peer.failures = 0;
        // The lobby is there, so the courier tells it at once what happens next, whatever it was waiting for.
        if !peer.in_flight {
            peer.not_before = Instant(0);
        }
        Ok(())
    }

    /// Answers a batch that was taken, from the book as it is now. O(commands · log n).
    ///
    /// # Errors
    /// Returns [`Refusal::Unknown`] if more has changed than one message can tell; the batch was taken all the same.
    pub fn answer(&mut self, room: &Room, now: Instant, batch: &Batch) -> Taken {
        let replies = room.case(now).answers(batch.lobby, &batch.commands);
        let message = self.message(room, now, batch.lobby, batch.life, batch.since);
        let mut message = message.ok_or(Refusal::Unknown)?;
        // A batch without commands only looks and gets no replies: the frames are all that the lobby can go by.
        if batch.commands.is_empty() {
            let lanes = room.lanes().order().map(|(lane, _)| lane);
            let frame = |lane| (lane, Frame::of_lane(room, now, lane).encode());
            message.frames = lanes.map(frame).collect();
        }
        if let Some(peer) = self.peers.get_mut(&batch.lobby) {
            peer.lanes = None;
            peer.said = room.version();
            peer.announced = room.version();
            peer.watches = true;
        }
        Ok(Box::new(Answer { replies, message }))
    }

    fn message(&self, room: &Room, now: Instant, lobby: LobbyId, to: LobbyLife, since: Version) -> Option<Message> {
        Some(Message {
            to,
            life: self.life,
            version: room.version(),
            since,
            changes: room.book().changes_since(room.tickets(), now, lobby, since)?,
            gist: room.gist(now),
            message: room.config().message.clone(),
            lanes: room.case(now).lane_gists(),
            frames: Vec::new(),
        })
    }
}
