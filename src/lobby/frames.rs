//! The frames: pictures of a lane's line, of which each page works out its own place.

use super::Effect;
use super::ticket::Ticket;
use super::timers::{Timer, Timers};
use facts::few::FewMap;
use facts::units::{Instant, LaneId, Number};
use room::frame::Frame;
use std::collections::VecDeque;

/// The most frames sent to sockets in a second. One send costs some 60 µs (`npm run bench -- --only frames`),
/// so two thousand take an eighth of a core's second.
const FRAMES_PER_S: u64 = 2_000;

/// The newest frame of each lane. While one is fresh, [`Timer::Frame`] says when it goes out.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    by_lane: FewMap<LaneId, LaneFrame>,
    frame_sent_at: Instant,
}

/// The newest frame of a lane.
#[derive(Clone, Debug)]
struct LaneFrame {
    frame: Frame,
    /// Whether the sockets have yet to be sent it.
    is_fresh: bool,
}

impl LaneFrame {
    /// Returns the frame as pages are told it, with how long they spread a return of all. Early pages learn by it that many have come since.
    /// O(points).
    fn told(&mut self, spread_s: u8) -> Vec<u8> {
        self.frame.spread_s = spread_s;
        self.frame.encode()
    }
}

impl Frames {
    /// Keeps a frame that is newer than the lane's. It goes out a tick after the one before, or later if there are many sockets. O(points).
    pub fn take(&mut self, now: Instant, lane: LaneId, bytes: &[u8], tick_ms: u64, sockets: u64, timers: &mut Timers) {
        let Some(frame) = Frame::decode(bytes) else {
            return;
        };
        let known = self.by_lane.get(&lane).map(|known| known.frame.version);
        if known.is_none_or(|known| known < frame.version) {
            let is_fresh = true;
            self.by_lane.insert(lane, LaneFrame { frame, is_fresh });
            let wait_ms = tick_ms.max(sockets * 1_000 / FRAMES_PER_S);
            timers.set_once(Timer::Frame, self.frame_sent_at.plus_ms(wait_ms).max(now));
        }
    }

    /// Sends the newest frames to the sockets of their lanes. O(lanes · points).
    pub fn send(&mut self, now: Instant, spread_s: u8, effects: &mut VecDeque<Effect>) {
        for (lane, known) in self.by_lane.iter_mut() {
            if core::mem::take(&mut known.is_fresh) {
                effects.push_back(Effect::Frame(*lane, known.told(spread_s)));
                self.frame_sent_at = now;
            }
        }
    }

    /// Returns the frame that a socket of this ticket hears first, or `None` if it is older than the ticket. O(points).
    pub fn first(&mut self, ticket: &Ticket, spread_s: u8) -> Option<Vec<u8>> {
        let known = self.by_lane.get_mut(&ticket.number.lane())?;
        (known.frame.version >= ticket.row.0).then(|| known.told(spread_s))
    }

    /// Returns how many people the lane's newest frame has in front of a ticket, or `u64::MAX` without a frame as new as the ticket: an older one may
    /// not know everybody in front of it. O(log points).
    pub fn ahead(&self, ticket: &Ticket) -> u64 {
        let known = self.by_lane.get(&ticket.number.lane());
        let known = known.filter(|known| known.frame.version >= ticket.row.0);
        known.map_or(u64::MAX, |known| known.frame.ahead(Number(ticket.number.within())).0)
    }

    pub fn clear(&mut self) {
        self.by_lane.clear();
    }
}
