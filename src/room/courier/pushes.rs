//! What lobbies are told unasked: which of them must be told now, what became of each push, and when the courier must look again.

use super::Courier;
use super::peer::Peer;
use crate::Room;
use facts::message::{Heard, Message, ToLobby};
use facts::planted::{self, Bug};
use facts::units::{Instant, LobbyId};

/// A push without an answer is given up after this long, in ms. A lobby that was poked has as long to say Hello.
pub const PUSH_TIMEOUT_MS: u64 = 3_000;
/// How long the next push to a lobby waits after one failed, in ms. The wait doubles with each further failure, up to 2⁴ times as long, so that a
/// hung lobby is not hammered. It is never longer than half of the time that a called visitor has to come: a lobby that is back hears of a call
/// before the call has run out.
pub const RETRY_MS: u64 = 1_000;
const RETRY_DOUBLINGS_MAX: u32 = 4;

/// A push to one lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The lobby.
    pub lobby: LobbyId,
    /// What it is told.
    pub said: ToLobby,
}

impl Courier {
    /// Returns the pushes that must go out now and marks them as in flight: call [`finished`](Self::finished) for each. Lobbies with called people
    /// come first. O(lobbies + permits), plus new frames once a tick at most.
    pub fn pushes(&mut self, room: &Room, now: Instant) -> Vec<Push> {
        if self.peers.values().any(|peer| peer.watches) {
            self.pictures.make(room, now);
        }
        self.retry_ms_max = room.config().claim_within_ms / 2;
        self.hurries_called(room, now);
        let lobbies: Vec<LobbyId> = self.peers.keys().copied().collect();
        let push = |lobby| self.push_to(room, now, lobby);
        let pushes: Vec<Push> = lobbies.into_iter().filter_map(push).collect();
        if pushes.len() < 2 {
            return pushes;
        }
        let called = room.permits().lobbies_called();
        let is_called = |push: &Push| called.contains(&push.lobby);
        let (mut first, mut rest) = pushes.into_iter().partition::<Vec<_>, _>(is_called);
        first.append(&mut rest);
        first
    }

    fn push_to(&mut self, room: &Room, now: Instant, lobby: LobbyId) -> Option<Push> {
        let peer = self.peers.or_default(lobby);
        let current = self.pictures.newest(peer);
        let picture = peer.lacks_picture(current);
        let wants = picture || peer.lacks_news(room, lobby);
        if now < peer.not_before || !wants {
            return None;
        }
        if peer.in_flight {
            // The clock has leapt, or nobody has reported the end of the push yet. Looking again once in a while is enough.
            peer.not_before = now.plus_ms(RETRY_MS);
            return None;
        }
        peer.in_flight = true;
        peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS + RETRY_MS);
        let acknowledged = peer.acknowledged();
        let since_sent = planted::is(Bug::SinceAsSent).then_some(peer.said);
        let message = acknowledged.and_then(|(to, since)| {
            let from = since_sent.map_or(since, |said| said.max(since));
            let message = self.message(room, now, lobby, to, from)?;
            Some(Message { since, ..message })
        });
        let peer = self.peers.or_default(lobby);
        let Some(mut message) = message else {
            // More has changed than the room can tell, or nothing shows that the lobby has heard.
            peer.life = None;
            peer.untold = true;
            return Some(Push { lobby, said: ToLobby::Poke });
        };
        if since_sent.is_some() {
            peer.said = message.version;
        }
        if picture {
            message.frames = self.pictures.unseen(peer);
            peer.shown = current;
        }
        Some(Push {
            lobby,
            said: ToLobby::Push(Box::new(message)),
        })
    }

    /// Records the end of a push. `heard` is the lobby's answer; `None` if it gave none. O(log lobbies).
    pub fn finished(&mut self, now: Instant, push: &Push, heard: Option<Heard>) {
        let peer = self.peers.or_default(push.lobby);
        peer.in_flight = false;
        let Some(heard) = heard else {
            let wait_ms = RETRY_MS << peer.failures.min(RETRY_DOUBLINGS_MAX);
            peer.not_before = now.plus_ms(wait_ms.min(self.retry_ms_max));
            peer.failures += 1;
            peer.shown = None;
            return;
        };
        peer.failures = 0;
        peer.watches = heard.is_watched;
        let before = peer.lanes.replace(heard.lanes);
        if before.is_some_and(|before| heard.lanes & !before != 0) {
            // The lobby has seen no frame of the new lanes.
            peer.shown = None;
        }
        let is_known = peer.life.is_some_and(|life| life.life == heard.life);
        match (&push.said, heard.acknowledged) {
            (ToLobby::Push(message), Some(version)) if is_known => {
                peer.not_before = now;
                peer.heard_up_to(version);
                peer.said = peer.said.max(message.version);
                peer.announced = peer.announced.max(message.version);
            }
            // The lobby says Hello by itself, or has done so meanwhile.
            _ => peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS),
        }
    }

    /// The number of lobbies whose last push failed. The courier tries each again until a push arrives. O(lobbies).
    #[must_use]
    pub fn unreached(&self) -> u32 {
        let failing = self.peers.values().filter(|peer| peer.failures > 0);
        u32::try_from(failing.count()).unwrap_or(u32::MAX)
    }

    /// The number of lobbies that have not acknowledged what they must hear. O(lobbies).
    #[must_use]
    pub fn untold(&self, room: &Room) -> u32 {
        let lacks = |(lobby, peer): &(&LobbyId, &Peer)| peer.lacks_news(room, **lobby);
        let untold = self.peers.iter().filter(lacks);
        u32::try_from(untold.count()).unwrap_or(u32::MAX)
    }

    /// Returns when the courier must look again: for a frame that waits for its tick, for a push that waits to be sent, or for one in flight that may
    /// fail or be lost with the room's memory. Returns `None` if there is nothing to send. O(lobbies).
    #[must_use]
    pub fn due_at(&self, room: &Room) -> Option<Instant> {
        let watches = |peer: &Peer| peer.watches && !peer.in_flight;
        let watched = self.peers.values().any(watches);
        let frame = self.pictures.due_at(room).filter(|_| watched);
        let waiting = |(lobby, peer): (&LobbyId, &Peer)| {
            let news = peer.lacks_news(room, *lobby);
            let picture = !peer.in_flight && peer.lacks_picture(self.pictures.newest(peer));
            (news || picture).then_some(peer.not_before)
        };
        self.peers.iter().filter_map(waiting).chain(frame).min()
    }
}
