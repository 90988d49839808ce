//! How a life of a lobby begins: the courier answers its Hello and gives it the list, page by page.

use super::Courier;
use super::peer::{Life, Peer};
use super::pushes::PUSH_TIMEOUT_MS;
use crate::Room;
use facts::holder::Salt;
use facts::limits::{LOBBIES_MAX, sizes};
use facts::message::{FromRoom, Hello, Known, More, Page, Refusal, RoomMemory, Welcome};
use facts::planted::{self, Bug};
use facts::units::{Instant, LobbyId, Number};

/// The least time between two long lists, in ms: ten lobbies a second, since a list takes a few ms of the room's time. A lobby with a called
/// ticket need not wait for it, and a lobby that waits is poked when a ticket of it is called.
pub const LIST_EVERY_MS: u64 = 100;

impl Courier {
    /// Answers a Hello, by which a lobby's life begins or asks to be told anew. O(list).
    pub fn hello(&mut self, room: &Room, now: Instant, salt: Salt, hello: &Hello) -> FromRoom {
        if hello.lobby.0 >= LOBBIES_MAX {
            return FromRoom::Refused(Refusal::Malformed);
        }
        let before = self.peers.get(&hello.lobby).and_then(|peer| peer.life);
        let same = before.filter(|before| before.life == hello.life);
        if same.is_some_and(|same| hello.number < same.hello) {
            return FromRoom::Refused(Refusal::Late);
        }
        let since = hello.knows.filter(|knows| self.may_resume(room, now, hello.lobby, *knows));
        let list = match since {
            Some(_) => None,
            None => {
                let page = Self::page_of(room, now, hello.lobby, hello.number, Number(0));
                if let Some(wait_ms) = self.waits_for_list(room, now, hello.lobby, &page) {
                    return FromRoom::Later(wait_ms);
                }
                Some(page)
            }
        };
        let version = since.map_or(room.version(), |knows| knows.version);
        // The answer says who is away. A batch from before this Hello must not be taken after the answer, so a new memory makes the room refuse it.
        let memory = match same {
            Some(same) if same.hello == hello.number => same.memory,
            _ => self.greets(),
        };
        let peer = self.peers.or_default(hello.lobby);
        peer.life = Some(Life {
            life: hello.life,
            memory,
            hello: hello.number,
            batch: same.map_or(0, |same| same.batch),
            floor: version,
            // A Hello acknowledges nothing: only what the lobby says after the answer shows that the answer arrived.
            acknowledged: same.and_then(|same| same.acknowledged).filter(|_| list.is_none()),
        });
        peer.list_at = None;
        peer.untold = false;
        peer.failures = 0;
        peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS);
        peer.shown = None;
        let message = self.message(room, now, hello.lobby, hello.life, version);
        let resumes = list.is_none() && !planted::is(Bug::ResumedWithoutPresence);
        let away = resumes.then(|| room.tickets().away_of(hello.lobby));
        FromRoom::Welcome(Box::new(Welcome {
            away: away.unwrap_or_default(),
            number: hello.number,
            memory,
            salt,
            list,
            message: message.unwrap_or_default(),
        }))
    }

    /// Returns whether a lobby that knows this needs no list. Whoever knows a later row than the last one knows it from before a roll-back.
    fn may_resume(&self, room: &Room, now: Instant, lobby: LobbyId, knows: Known) -> bool {
        let is_later = knows.version > room.version() && !planted::is(Bug::LaterRowResumed);
        let changes = room.book().changes_since(room.tickets(), now, lobby, knows.version);
        knows.life == self.life && changes.is_some() && !is_later
    }

    /// Returns a new name for what the room knows of a life from this Hello on. It differs each time, even if the room has
    /// forgotten that life meanwhile.
    fn greets(&mut self) -> RoomMemory {
        self.greetings += 1;
        RoomMemory(self.memory.0.wrapping_add(self.greetings))
    }

    /// Returns how long the lobby must wait for a long list while others get theirs, or `None` if it may have its list now. A lobby with a
    /// called ticket never waits.
    fn waits_for_list(&mut self, room: &Room, now: Instant, lobby: LobbyId, page: &Page) -> Option<u64> {
        let peer = self.peers.or_default(lobby);
        if page.tickets.len() <= sizes().list_long || room.permits().has_called(lobby) {
            return None;
        }
        let at = match peer.list_at.take() {
            Some(at) => at,
            None => {
                let at = self.list_at.max(now);
                self.list_at = at.plus_ms(LIST_EVERY_MS);
                at
            }
        };
        if at <= now {
            return None;
        }
        peer.list_at = Some(at);
        peer.looked = room.version();
        peer.not_before = at.plus_ms(PUSH_TIMEOUT_MS);
        Some(at.since_ms(now))
    }

    /// Lets the lobbies come at once that wait for their lists and have had somebody called meanwhile: they are poked. O(lobbies), plus
    /// O(permits) if tickets of such a lobby have changed.
    pub(super) fn hurries_called(&mut self, room: &Room, now: Instant) {
        let waits = |(lobby, peer): &(&LobbyId, &mut Peer)| !peer.in_flight && peer.waits_changed(room, **lobby);
        let mut waiting = self.peers.iter_mut().filter(waits).peekable();
        if waiting.peek().is_none() {
            return;
        }
        let called = room.permits().lobbies_called();
        for (lobby, peer) in waiting {
            peer.looked = room.version();
            if called.contains(lobby) {
                // Whatever life the room knows, the lobby has said that it lacks what came before.
                (peer.life, peer.untold) = (None, true);
                peer.not_before = now;
            }
        }
    }

    fn page_of(room: &Room, now: Instant, lobby: LobbyId, hello: u32, from: Number) -> Page {
        let (tickets, next) = room.tickets().list(now, lobby, from);
        Page {
            hello,
            version: room.version(),
            tickets,
            next,
        }
    }

    /// Answers with the next page of a list. O(page).
    pub fn more(&mut self, room: &Room, now: Instant, more: &More) -> FromRoom {
        let Some(peer) = self.peers.get_mut(&more.lobby) else {
            return FromRoom::Refused(Refusal::Unknown);
        };
        match peer.life {
            None => FromRoom::Refused(Refusal::Unknown),
            Some(life) if life.life != more.life => FromRoom::Refused(Refusal::Deposed),
            Some(life) if life.hello != more.hello => FromRoom::Refused(Refusal::Late),
            Some(_) => {
                // The lobby is there and at work, so the next push can wait.
                peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS);
                FromRoom::Page(Self::page_of(room, now, more.lobby, more.hello, more.from))
            }
        }
    }
}
