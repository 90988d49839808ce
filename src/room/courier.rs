//! Which lobby must be told something, and when: the room's outgoing side, without the sending.
//!
//! Nothing here is stored. A courier that is lost with its room starts anew, and the first
//! message to a lobby states everything unacknowledged again. At most one push is in flight to a
//! lobby; no reply and no alarm ever waits for one.

use super::Room;
use super::command::Message;
use super::frame::Frame;
use crate::units::{Instant, LobbyId, Version};
use std::collections::BTreeMap;

/// A push without an answer is given up after this.
pub const PUSH_TIMEOUT_MS: u64 = 3_000;
/// After a push failed the next to that lobby waits this long, twice as long after each further
/// failure up to 2⁵ times, so that a hung lobby is not hammered.
pub const RETRY_MS: u64 = 1_000;

#[derive(Clone, Debug)]
struct Route {
    /// Notices up to here were delivered to this life of the lobby.
    delivered: Version,
    in_flight: bool,
    /// When the next may go out, or the one in flight must have ended.
    not_before: Instant,
    failures: u32,
    /// Somebody there watches the line, or may: nobody has said otherwise in this life of the room.
    watches: bool,
    /// The frame it has.
    shown: Option<Version>,
    /// The settings and the operator's words that it has are of this row.
    announced: Version,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            delivered: Version(0),
            in_flight: false,
            not_before: Instant(0),
            failures: 0,
            watches: true,
            shown: None,
            announced: Version(0),
        }
    }
}

impl Route {
    /// Whether there is something to say that the lobby was not told yet: a notice, settings that changed while
    /// somebody looks on, or that its tickets are of an earlier edition. O(notices of the lobby).
    fn lacks_news(&self, room: &Room, lobby: LobbyId) -> bool {
        let newest = room.newest_notice(lobby);
        newest.is_some_and(|version| version > self.delivered)
            || ((self.watches || room.is_behind(lobby)) && room.announced() > self.announced)
    }

    /// Whether somebody looks on who was not shown the frame of this version.
    fn lacks_picture(&self, current: Option<Version>) -> bool {
        self.watches && current > self.shown
    }
}

/// The outgoing side of one room.
#[derive(Clone, Debug, Default)]
pub struct Courier {
    routes: BTreeMap<LobbyId, Route>,
    frame: Frame,
    /// `None` before the first.
    framed_at: Option<Instant>,
    /// The room's version when the frame was last compared.
    looked: Version,
}

/// One push to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// To whom.
    pub lobby: LobbyId,
    /// What.
    pub message: Message,
}

impl Courier {
    /// A lobby spoke, and its answer carries every notice and what was `announced`: it is there, and
    /// watches. O(log n).
    pub fn heard_from(&mut self, lobby: LobbyId, answered_through: Version, announced: Version) {
        let route = self.routes.entry(lobby).or_default();
        route.watches = true;
        route.delivered = route.delivered.max(answered_through);
        route.announced = route.announced.max(announced);
    }

    /// The pushes that must go out now. Marks them as in flight: call
    /// [`finished`](Self::finished) for each. O(lobbies), plus a new frame once a tick at most.
    pub fn pushes(&mut self, room: &Room, now: Instant) -> Vec<Push> {
        let lobbies: Vec<LobbyId> = room.lobbies().collect();
        for lobby in &lobbies {
            self.routes.entry(*lobby).or_default();
        }
        self.draw(room, now);
        lobbies
            .into_iter()
            .filter_map(|lobby| self.push_to(room, now, lobby))
            .collect()
    }

    fn push_to(&mut self, room: &Room, now: Instant, lobby: LobbyId) -> Option<Push> {
        let current = self.framed_at.map(|_| Version(self.frame.version));
        let route = self.routes.entry(lobby).or_default();
        let picture = route.lacks_picture(current);
        let wants = picture || route.lacks_news(room, lobby);
        if route.in_flight || now < route.not_before || !wants {
            return None;
        }
        route.in_flight = true;
        route.not_before = now.plus_ms(PUSH_TIMEOUT_MS + RETRY_MS);
        let mut message = room.message(now, lobby);
        if picture {
            route.shown = current;
            message.frame = Some(self.frame.encode());
        }
        Some(Push { lobby, message })
    }

    /// A push came to its end. `watchers` is what the lobby answered: how many sockets it holds;
    /// `None` when it did not answer. O(log lobbies).
    pub fn finished(&mut self, now: Instant, push: &Push, watchers: Option<u64>) {
        let route = self.routes.entry(push.lobby).or_default();
        route.in_flight = false;
        match watchers {
            Some(count) => {
                route.not_before = now;
                route.delivered = route.delivered.max(push.message.noticed);
                route.announced = route.announced.max(push.message.version);
                route.watches = count > 0;
                route.failures = 0;
            }
            None => {
                route.not_before = now.plus_ms(RETRY_MS << route.failures.min(5));
                route.failures += 1;
                if push.message.frame.is_some() {
                    route.shown = None;
                }
            }
        }
    }

    /// Lobbies whose last push failed: they are tried again until one arrives. O(lobbies).
    #[must_use]
    pub fn unreached(&self) -> u32 {
        let failing = self.routes.values().filter(|route| route.failures > 0);
        u32::try_from(failing.count()).unwrap_or(u32::MAX)
    }

    /// Draws the frame anew, once a tick at most, and only when the room has changed.
    fn draw(&mut self, room: &Room, now: Instant) {
        let stale = self.looked < room.version() && self.frame_due_at(room) <= now;
        if stale && self.routes.values().any(|route| route.watches) {
            let frame = Frame::of(room, now);
            self.looked = room.version();
            if self.framed_at.is_none() || !frame.shows_the_same(&self.frame) {
                self.frame = frame;
                self.framed_at = Some(now);
            }
        }
    }

    fn frame_due_at(&self, room: &Room) -> Instant {
        self.framed_at
            .map_or(Instant(0), |at| at.plus_ms(room.config().tick_ms))
    }

    /// When the courier wants to look again: a frame that waits for its tick, or a push that
    /// waits to be tried again. `None` when there is nothing to send. O(lobbies · notices).
    #[must_use]
    pub fn due_at(&self, room: &Room) -> Option<Instant> {
        let watched = self
            .routes
            .values()
            .any(|route| route.watches && !route.in_flight);
        let frame = (watched && self.looked < room.version()).then(|| self.frame_due_at(room));
        let current = self.framed_at.map(|_| Version(self.frame.version));
        let waiting = |(lobby, route): (&LobbyId, &Route)| {
            let wants = route.lacks_picture(current) || route.lacks_news(room, *lobby);
            // After a reset nothing else may ever wake the room: what a crash cuts off is said again.
            let waits = !route.in_flight || room.is_behind(*lobby);
            (waits && wants).then_some(route.not_before)
        };
        self.routes.iter().filter_map(waiting).chain(frame).min()
    }
}
