//! What the room knows of a lobby: its life, what it has acknowledged, what it has been shown.

use crate::facts::message::{LobbyLife, RoomMemory};
use crate::facts::units::{Instant, LaneId, LobbyId, Version};
use crate::room::Room;

/// What the room knows of a lobby.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// Which life said Hello last.
    pub(super) life: Option<Life>,
    /// It must say Hello: it is not known what it knows, and it has people to tell.
    pub(super) untold: bool,
    /// Everything up to this version was said in answers and in pushes that were answered.
    pub(super) said: Version,
    pub(super) in_flight: bool,
    /// When the next may go out, or the one in flight must have ended.
    pub(super) not_before: Instant,
    pub(super) failures: u32,
    /// Somebody there watches the line.
    pub(super) watches: bool,
    /// In which lanes it has tickets, as bits, as it said last; `None`: it may have got others since.
    pub(super) lanes: Option<u8>,
    /// The frames that it has are of this row.
    pub(super) shown: Option<Version>,
    /// The settings and the operator's words that it has are of this row.
    pub(super) announced: Version,
    /// When it may have its list.
    pub(super) list_at: Option<Instant>,
}

/// A life of a lobby.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub(super) life: LobbyLife,
    /// Drawn with each Hello of this life: batches must name it, so that one from before is never taken for a new one.
    pub(super) memory: RoomMemory,
    pub(super) hello: u32,
    /// The last batch of this life.
    pub(super) batch: u64,
    /// The list that it was given is of this row: what it acknowledges must not be older.
    pub(super) floor: Version,
    /// What it acknowledged last; `None`: nothing yet.
    pub(super) acknowledged: Option<Version>,
}

impl Peer {
    /// What the lobby acknowledged last, if it is known and has.
    pub(super) fn acknowledged(&self) -> Option<(LobbyLife, Version)> {
        let life = self.life?;
        Some((life.life, life.acknowledged?))
    }

    /// Whether the lobby has something to hear that is no picture.
    pub(super) fn lacks_news(&self, room: &Room, lobby: LobbyId) -> bool {
        match self.life {
            None => self.untold,
            // It has said Hello, and nothing shows that the answer came.
            Some(Life {
                acknowledged: None, ..
            }) => true,
            Some(_) => {
                room.newest_change(lobby) > self.said
                    || (self.watches && room.announced() > self.announced)
            }
        }
    }

    /// Whether somebody looks on who was not shown the frame of this version.
    pub(super) fn lacks_picture(&self, current: Option<Version>) -> bool {
        self.watches && current > self.shown && self.acknowledged().is_some()
    }

    pub(super) fn is_in(&self, lane: LaneId) -> bool {
        self.lanes.is_none_or(|lanes| lanes >> lane.0 & 1 == 1)
    }

    pub(super) fn heard_up_to(&mut self, version: Version) {
        if let Some(life) = &mut self.life
            && version >= life.floor
        {
            life.acknowledged = life.acknowledged.max(Some(version));
        }
    }
}
