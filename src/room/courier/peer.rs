//! What the room knows of one lobby: its life, what it has acknowledged and what it has been shown.

use crate::Room;
use facts::message::{LobbyLife, RoomMemory};
use facts::units::{Instant, LaneId, LobbyId, Version};

/// A lobby, as the room knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// The life that said Hello last.
    pub(super) life: Option<Life>,
    /// True if the lobby must say Hello: the room does not know what it knows, and it has people to tell.
    pub(super) untold: bool,
    /// Everything up to this version was told in answers, or in pushes that the lobby answered.
    pub(super) said: Version,
    pub(super) in_flight: bool,
    /// When the next push may go out, or by when the one in flight must have ended.
    pub(super) not_before: Instant,
    pub(super) failures: u32,
    /// True if somebody there watches the line.
    pub(super) watches: bool,
    /// The lanes in which the lobby said last that it has tickets, as bits; `None` if it may have got tickets in others since.
    pub(super) lanes: Option<u8>,
    /// The row of the frames that the lobby has; `None` if it may have none.
    pub(super) shown: Option<Version>,
    /// The row of the settings and of the operator's words that the lobby has.
    pub(super) announced: Version,
    /// When the lobby may have its long list; `None` if it waits for none.
    pub(super) list_at: Option<Instant>,
    /// The row up to which the courier has looked whether somebody is called at a lobby that waits for its list.
    pub(super) looked: Version,
}

/// A life of a lobby.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub(super) life: LobbyLife,
    /// New with each Hello of this life. Batches must name it, so that one from before a Hello is never taken for a new one.
    pub(super) memory: RoomMemory,
    pub(super) hello: u32,
    /// The number of the last batch of this life.
    pub(super) batch: u64,
    /// The row of the list that this life was given or, without a list, the row that it knew. What it acknowledges must not be older.
    pub(super) floor: Version,
    /// What this life acknowledged last; `None` if nothing yet.
    pub(super) acknowledged: Option<Version>,
}

impl Peer {
    /// Returns the lobby's life and what that life acknowledged last, or `None` if the room does not know both.
    pub(super) fn acknowledged(&self) -> Option<(LobbyLife, Version)> {
        let life = self.life?;
        Some((life.life, life.acknowledged?))
    }

    /// Returns true if the lobby has something to hear other than a frame.
    pub(super) fn lacks_news(&self, room: &Room, lobby: LobbyId) -> bool {
        match self.life {
            None => self.untold,
            // The lobby has said Hello, and nothing shows yet that the answer arrived.
            Some(Life { acknowledged: None, .. }) => true,
            Some(_) => room.book().newest_change(lobby) > self.said || (self.watches && room.announced > self.announced),
        }
    }

    /// Returns true if somebody there watches, and the lobby was not shown the frames of row `current`.
    pub(super) fn lacks_picture(&self, current: Option<Version>) -> bool {
        self.watches && current > self.shown && self.acknowledged().is_some()
    }

    /// Returns true if the lobby waits for its list, and tickets of it have changed since the courier looked who is called there.
    pub(super) fn waits_changed(&self, room: &Room, lobby: LobbyId) -> bool {
        self.list_at.is_some() && room.book().newest_change(lobby) > self.looked
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
