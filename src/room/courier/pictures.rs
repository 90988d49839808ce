//! The frames of the lanes, as lobbies are shown them: drawn anew once a tick at most, and only when the room has changed.

use super::peer::Peer;
use crate::facts::units::{Instant, LaneId, Version};
use crate::room::Room;
use crate::room::frame::Frame;

/// See the file's documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Pictures {
    /// Each as of when its picture last changed.
    frames: Vec<(LaneId, Frame)>,
    /// `None` before the first.
    framed_at: Option<Instant>,
    /// The room's version when the frames were last compared.
    looked: Version,
}

impl Pictures {
    /// Draws the frames anew, if it is time.
    pub(super) fn draw(&mut self, room: &Room, now: Instant) {
        if self.due_at(room).is_none_or(|at| now < at) {
            return;
        }
        self.looked = room.version();
        self.frames
            .retain(|(known, _)| room.lanes().order().any(|(lane, _)| lane == *known));
        for (lane, _) in room.lanes().order() {
            self.draw_lane(room, now, lane);
        }
    }

    fn draw_lane(&mut self, room: &Room, now: Instant, lane: LaneId) {
        let frame = Frame::of_lane(room, now, lane);
        match self.frames.iter_mut().find(|(known, _)| *known == lane) {
            Some((_, known)) if frame.shows_the_same(known) => return,
            Some((_, known)) => *known = frame,
            None => self.frames.push((lane, frame)),
        }
        self.framed_at = Some(now);
    }

    /// When they may be drawn anew; none: the room has not changed.
    pub(super) fn due_at(&self, room: &Room) -> Option<Instant> {
        let tick_ms = room.config().tick_ms;
        let due_at = self.framed_at.map_or(Instant(0), |at| at.plus_ms(tick_ms));
        (self.looked < room.version()).then_some(due_at)
    }

    /// The row of the newest that is for a lobby.
    pub(super) fn newest(&self, peer: &Peer) -> Option<Version> {
        let own = self.frames.iter().filter(|(lane, _)| peer.is_in(*lane));
        own.map(|(_, frame)| Version(frame.version)).max()
    }

    /// Those that are for a lobby and that it was not shown.
    pub(super) fn unseen(&self, peer: &Peer) -> Vec<(LaneId, Vec<u8>)> {
        let lacks = |(lane, frame): &&(LaneId, Frame)| {
            peer.is_in(*lane) && Some(Version(frame.version)) > peer.shown
        };
        let unseen = self.frames.iter().filter(lacks);
        unseen
            .map(|(lane, frame)| (*lane, frame.encode()))
            .collect()
    }
}
