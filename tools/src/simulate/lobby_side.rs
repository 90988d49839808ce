//! A lobby object as its platform keeps it: its lives, its alarm, its clock. `acts/lobby` drives it.

use super::builds::Skew;
use super::people::who;
use super::room_side::wall;
use super::slab::Id;
use baton::facts::units::LaneId;
use baton::living::LivingLobby;
use baton::lobby::{Asker, Limits, LobbyConfig};
use std::collections::BTreeMap;

/// A lobby object.
pub struct LobbySide {
    /// The life to which the platform sends events.
    pub living: Option<Box<Living>>,
    /// An isolate that goes on although another life has begun.
    pub old: Option<Box<Living>>,
    pub offset_ms: i64,
    /// When the lobby last looked at its clock.
    pub looked_at: u64,
    /// By how much the host's clock was ahead of the world's time, ms, each from when on.
    pub offsets: Vec<(u64, i64)>,
    pub config: LobbyConfig,
    /// When the object's alarm rings, on the host's clock; `None` if none is set.
    pub alarm: Option<u64>,
    /// Until then nothing that the room says arrives.
    pub deaf_until: u64,
    /// Which of its messages cannot be read, and until when.
    pub skew: Skew,
}

/// A lobby in memory, and the askers who wait for its answers.
pub struct Living {
    pub id: u64,
    pub core: LivingLobby,
    pub askers: BTreeMap<Asker, Id>,
    /// When its timer goes off; `None` if none is set.
    pub(super) timer: Option<u64>,
}

impl LobbySide {
    /// Makes a lobby that was never woken.
    #[must_use]
    pub fn new(tickets_max: usize, spread_ms: u64, porter: bool) -> Self {
        Self {
            living: None,
            old: None,
            deaf_until: 0,
            skew: Skew::default(),
            offset_ms: 0,
            looked_at: 0,
            offsets: vec![],
            config: LobbyConfig {
                room: "onsale".into(),
                linger_ms: 5_000,
                spread_ms,
                tickets_max,
                limits: Limits::default(),
                porter,
            },
            alarm: None,
        }
    }

    /// Returns what the host's clock read at a time.
    #[must_use]
    pub fn read_at(&self, time: u64) -> u64 {
        let set = self.offsets.iter().rev().find(|(since, _)| *since <= time);
        wall(time, set.map_or(0, |(_, offset_ms)| *offset_ms))
    }

    /// Returns whether another life has taken over from this one.
    #[must_use]
    pub fn is_old(&self, id: u64) -> bool {
        self.old.as_ref().is_some_and(|old| old.id == id)
    }

    /// Returns whether a lane's frame is for this visitor.
    pub(super) fn shows(&mut self, id: u64, lane: LaneId, visitor: usize) -> bool {
        let living = self.slot(id).and_then(|living| living.as_deref());
        living.is_none_or(|living| living.core.lobby.shows_frame(lane, who(visitor)))
    }

    /// Returns where a life is kept, or `None` if it has ended.
    pub fn slot(&mut self, id: u64) -> Option<&mut Option<Box<Living>>> {
        let is = |living: &Option<Box<Living>>| living.as_ref().is_some_and(|living| living.id == id);
        if is(&self.living) {
            Some(&mut self.living)
        } else if is(&self.old) {
            Some(&mut self.old)
        } else {
            None
        }
    }

    pub(super) fn keep(&mut self, is_old: bool, living: Box<Living>) {
        let slot = if is_old { &mut self.old } else { &mut self.living };
        *slot = Some(living);
    }
}
