//! The frames of the lanes, as lobbies are shown them. They are made anew at most once a tick, and only if the room has changed.

use super::peer::Peer;
use crate::Room;
use crate::frame::Frame;
use facts::units::{Instant, LaneId, Version};

/// The frames as they were made last.
#[derive(Clone, Debug, Default)]
pub(super) struct Pictures {
    /// Each lane's frame, as of the row in which it last changed.
    frames: Vec<(LaneId, Frame)>,
    /// When a frame last changed; `None` before the first.
    framed_at: Option<Instant>,
    /// The room's version when the frames were last compared.
    looked: Version,
}

impl Pictures {
    /// Draws the frames anew, if they are due.
    pub(super) fn make(&mut self, room: &Room, now: Instant) {
        if self.due_at(room).is_none_or(|at| now < at) {
            return;
        }
        self.looked = room.version();
        self.frames.retain(|(known, _)| room.lanes().order().any(|(lane, _)| lane == *known));
        for (lane, _) in room.lanes().order() {
            self.make_lane(room, now, lane);
        }
    }

    fn make_lane(&mut self, room: &Room, now: Instant, lane: LaneId) {
        let frame = Frame::of_lane(room, now, lane);
        match self.frames.iter_mut().find(|(known, _)| *known == lane) {
            Some((_, known)) if frame.shows_the_same(known) => return,
            Some((_, known)) => *known = frame,
            None => self.frames.push((lane, frame)),
        }
        self.framed_at = Some(now);
    }

    /// Returns when the frames may be made anew, or `None` if the room has not changed.
    pub(super) fn due_at(&self, room: &Room) -> Option<Instant> {
        let tick_ms = room.config().tick_ms;
        let due_at = self.framed_at.map_or(Instant(0), |at| at.plus_ms(tick_ms));
        (self.looked < room.version()).then_some(due_at)
    }

    /// Returns the row of the newest frame that is for this lobby.
    pub(super) fn newest(&self, peer: &Peer) -> Option<Version> {
        let own = self.frames.iter().filter(|(lane, _)| peer.is_in(*lane));
        own.map(|(_, frame)| Version(frame.version)).max()
    }

    /// Returns the frames for this lobby that it was not shown, encoded.
    pub(super) fn unseen(&self, peer: &Peer) -> Vec<(LaneId, Vec<u8>)> {
        let lacks = |(lane, frame): &&(LaneId, Frame)| peer.is_in(*lane) && Some(Version(frame.version)) > peer.shown;
        let unseen = self.frames.iter().filter(lacks);
        unseen.map(|(lane, frame)| (*lane, frame.encode())).collect()
    }
}
