//! The room's side of its lobbies: which life of each it knows, what that has acknowledged, and which one must be told what, when. Without
//! the sending.
//!
//! Nothing here is stored. A room that comes into memory knows no lobby's life: each that has living tickets counts as *untold* and is
//! poked until it says [`Hello`]. A message counts from what the lobby acknowledged last, never from what was sent last. At
//! most one push is in flight to a lobby; no reply and no alarm ever waits for one.

//!
//! | file | what |
//! |---|---|
//! | `mod` | lives of the room, batches, and the message that all of it is told in |
//! | `peer` | what the room knows of a lobby |
//! | `greeting` | Hello and lists |
//! | `pushes` | what goes out unasked, and when |
//! | `pictures` | the frames, as they are shown |

mod greeting;
mod peer;
mod pictures;
mod pushes;

pub use greeting::LIST_EVERY_MS;
pub use pushes::{PUSH_TIMEOUT_MS, Push, RETRY_MS};

use super::Room;
use super::frame::Frame;
use crate::facts::limits::{BATCH_COMMANDS_MAX, LOBBIES_MAX};
use crate::facts::message::{
    Answer, Batch, LobbyLife, Message, Refusal, RoomLife, RoomMemory, Taken,
};
use crate::facts::units::{Instant, LobbyId, Version};
use crate::planted::{self, Bug};
use peer::Peer;
use pictures::Pictures;
use std::collections::BTreeMap;

/// The outgoing side of one room.
#[derive(Clone, Debug, Default)]
pub struct Courier {
    life: RoomLife,
    memory: RoomMemory,
    /// Lives that this stretch of memory came to know.
    greetings: u64,
    peers: BTreeMap<LobbyId, Peer>,
    /// When the next long list may be given.
    list_at: Instant,
    pictures: Pictures,
    /// The longest wait after a failed push, as of the last look at the room.
    retry_ms_max: u64,
}

impl Courier {
    /// The room has come into memory: every lobby that has somebody is untold. O(lobbies · chunks).
    #[must_use]
    pub fn woken(room: &Room, life: RoomLife, memory: RoomMemory) -> Self {
        let mut courier = Self {
            life,
            memory,
            ..Self::default()
        };
        for lobby in room.lobbies() {
            let peer = courier.peers.entry(lobby).or_default();
            peer.untold = room.has_living(lobby) && !planted::is(Bug::UntoldForgotten);
        }
        courier
    }

    /// The room is in this life. After a reset or a draw nobody's life is known any more. O(lobbies) then.
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

    /// Whether a batch may be taken; then it counts as the last of its life. O(log lobbies).
    ///
    /// # Errors
    /// Why not: nothing of it must be done.
    pub fn admit(&mut self, room: &Room, batch: &Batch) -> Result<(), Refusal> {
        if batch.lobby.0 >= LOBBIES_MAX || batch.commands.len() > BATCH_COMMANDS_MAX + 8 {
            return Err(Refusal::Malformed);
        }
        let ignores = planted::is(Bug::OldLifeTaken);
        let peer = self.peers.entry(batch.lobby).or_default();
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
        if room.forgets(batch.lobby, batch.since) {
            return Err(Refusal::Unknown);
        }
        life.batch = life.batch.max(batch.number);
        peer.heard_up_to(batch.since);
        peer.failures = 0;
        // It is there: what happens next is told at once, whatever was waited for.
        if !peer.in_flight {
            peer.not_before = Instant(0);
        }
        Ok(())
    }

    /// The answer to a batch that was taken, of the book as it is now. O(commands · log n).
    ///
    /// # Errors
    /// [`Refusal::Unknown`] when more has changed than is told in one message; the batch was taken all the same.
    pub fn answer(&mut self, room: &Room, now: Instant, batch: &Batch) -> Taken {
        let replies = room.answers(now, batch.lobby, &batch.commands);
        let message = self.message(room, now, batch.lobby, batch.life, batch.since);
        let mut message = message.ok_or(Refusal::Unknown)?;
        // Who only looks has nothing better to go by.
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

    fn message(
        &self,
        room: &Room,
        now: Instant,
        lobby: LobbyId,
        to: LobbyLife,
        since: Version,
    ) -> Option<Message> {
        Some(Message {
            to,
            life: self.life,
            version: room.version(),
            since,
            changes: room.changes_since(now, lobby, since)?,
            gist: room.gist(now),
            message: room.config().message.clone(),
            lanes: room.lane_gists(now),
            frames: Vec::new(),
        })
    }
}
