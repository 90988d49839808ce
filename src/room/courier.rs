//! The room's side of its lobbies: which life of each it knows, what that has acknowledged, and which one must be told what, when. Without
//! the sending.
//!
//! Nothing here is stored. A room that comes into memory knows no lobby's life: each that has living tickets counts as *untold* and is
//! poked until it says [`Hello`]. What a message tells counts from what the lobby acknowledged last, never from what was sent last. At
//! most one push is in flight to a lobby; no reply and no alarm ever waits for one.

use super::Room;
use super::frame::Frame;
use crate::facts::holder::Salt;
use crate::facts::limits::{BATCH_COMMANDS_MAX, LOBBIES_MAX, sizes};
use crate::facts::message::{
    Answer, Batch, FromRoom, Heard, Hello, LobbyLife, Message, More, Page, Refusal, RoomLife,
    RoomMemory, Taken, ToLobby, Welcome,
};
use crate::facts::units::{Instant, LaneId, LobbyId, Number, Version};
use crate::planted::{self, Bug};
use std::collections::BTreeMap;

/// A push without an answer is given up after this, in ms; a lobby that was poked has as long to say Hello.
pub const PUSH_TIMEOUT_MS: u64 = 3_000;
/// After a push failed the next to that lobby waits this long, in ms, twice as long after each further
/// failure up to 2⁴ times, so that a hung lobby is not hammered. It never waits longer than half of what a called visitor has to come:
/// a lobby that is back is told before a call has run out.
pub const RETRY_MS: u64 = 1_000;
const RETRY_DOUBLINGS_MAX: u32 = 4;
/// Between two long lists, in ms, unless somebody of the lobby's is called: ten lobbies a second, and a list is a few ms of the room's time.
pub const LIST_EVERY_MS: u64 = 100;

/// What the room knows of a lobby.
#[derive(Clone, Debug, Default)]
struct Peer {
    /// Which life said Hello last.
    life: Option<Life>,
    /// It must say Hello: it is not known what it knows, and it has people to tell.
    untold: bool,
    /// Everything up to this version was said in answers and in pushes that were answered.
    said: Version,
    in_flight: bool,
    /// When the next may go out, or the one in flight must have ended.
    not_before: Instant,
    failures: u32,
    /// Somebody there watches the line.
    watches: bool,
    /// In which lanes it has tickets, as bits, as it said last; `None`: it may have got others since.
    lanes: Option<u8>,
    /// The frames that it has are of this row.
    shown: Option<Version>,
    /// The settings and the operator's words that it has are of this row.
    announced: Version,
    /// When it may have its list.
    list_at: Option<Instant>,
}

/// A life of a lobby.
#[derive(Clone, Copy, Debug)]
struct Life {
    life: LobbyLife,
    /// Drawn with each Hello of this life: batches must name it, so that one from before is never taken for a new one.
    memory: RoomMemory,
    hello: u32,
    /// The last batch of this life.
    batch: u64,
    /// The list that it was given is of this row: what it acknowledges must not be older.
    floor: Version,
    /// What it acknowledged last; `None`: nothing yet.
    acknowledged: Option<Version>,
}

impl Peer {
    /// What the lobby acknowledged last, if it is known and has.
    fn acknowledged(&self) -> Option<(LobbyLife, Version)> {
        let life = self.life?;
        Some((life.life, life.acknowledged?))
    }

    /// Whether the lobby has something to hear that is no picture.
    fn lacks_news(&self, room: &Room, lobby: LobbyId) -> bool {
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
    fn lacks_picture(&self, current: Option<Version>) -> bool {
        self.watches && current > self.shown && self.acknowledged().is_some()
    }

    fn is_in(&self, lane: LaneId) -> bool {
        self.lanes.is_none_or(|lanes| lanes >> lane.0 & 1 == 1)
    }

    fn heard_up_to(&mut self, version: Version) {
        if let Some(life) = &mut self.life
            && version >= life.floor
        {
            life.acknowledged = life.acknowledged.max(Some(version));
        }
    }
}

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
    /// The frames of the lanes, each as of when its picture last changed.
    frames: Vec<(LaneId, Frame)>,
    /// `None` before the first.
    framed_at: Option<Instant>,
    /// The room's version when the frame was last compared.
    looked: Version,
    /// The longest wait after a failed push, as of the last look at the room.
    retry_ms_max: u64,
}

/// The row of the newest frame that is for a lobby.
fn newest(frames: &[(LaneId, Frame)], peer: &Peer) -> Option<Version> {
    let own = frames.iter().filter(|(lane, _)| peer.is_in(*lane));
    own.map(|(_, frame)| Version(frame.version)).max()
}

/// Something to send to a lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// To whom.
    pub lobby: LobbyId,
    /// What.
    pub said: ToLobby,
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

    /// A lobby's life begins, or wants to be told anew. O(list).
    pub fn hello(&mut self, room: &Room, now: Instant, salt: Salt, hello: &Hello) -> FromRoom {
        if hello.lobby.0 >= LOBBIES_MAX {
            return FromRoom::Refused(Refusal::Malformed);
        }
        let before = self.peers.get(&hello.lobby).and_then(|peer| peer.life);
        let same = before.filter(|before| before.life == hello.life);
        if same.is_some_and(|same| hello.number < same.hello) {
            return FromRoom::Refused(Refusal::Late);
        }
        let knows = hello.knows.filter(|knows| knows.life == self.life);
        let since = knows.filter(|knows| {
            room.changes_since(now, hello.lobby, knows.version)
                .is_some()
        });
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
        // A batch from before this Hello must not come after its answer, which says who is away.
        let memory = match same {
            Some(same) if same.hello == hello.number => same.memory,
            _ => self.greets(),
        };
        let peer = self.peers.entry(hello.lobby).or_default();
        peer.life = Some(Life {
            life: hello.life,
            memory,
            hello: hello.number,
            batch: same.map_or(0, |same| same.batch),
            floor: version,
            // A Hello moves nothing: only a word that comes after the answer shows that it came.
            acknowledged: same
                .and_then(|same| same.acknowledged)
                .filter(|_| list.is_none()),
        });
        peer.untold = false;
        peer.failures = 0;
        peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS);
        peer.shown = None;
        let message = self.message(room, now, hello.lobby, hello.life, version);
        let resumes = list.is_none() && !planted::is(Bug::ResumedWithoutPresence);
        FromRoom::Welcome(Box::new(Welcome {
            away: if resumes {
                room.away_of(hello.lobby)
            } else {
                Vec::new()
            },
            number: hello.number,
            memory,
            salt,
            list,
            message: message.unwrap_or_default(),
        }))
    }

    /// The name of what it knows of a life from this Hello on: another one each time, also when it has forgotten that life meanwhile.
    fn greets(&mut self) -> RoomMemory {
        self.greetings += 1;
        RoomMemory(self.memory.0.wrapping_add(self.greetings))
    }

    /// How long a lobby waits for a long list while others have theirs. Who is called is told at once.
    fn waits_for_list(
        &mut self,
        room: &Room,
        now: Instant,
        lobby: LobbyId,
        page: &Page,
    ) -> Option<u64> {
        let peer = self.peers.entry(lobby).or_default();
        if page.tickets.len() <= sizes().list_long || room.has_called(lobby) {
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
        peer.not_before = at.plus_ms(PUSH_TIMEOUT_MS);
        Some(at.since_ms(now))
    }

    fn page_of(room: &Room, now: Instant, lobby: LobbyId, hello: u32, from: Number) -> Page {
        let (tickets, next) = room.list(now, lobby, from);
        Page {
            hello,
            version: room.version(),
            tickets,
            next,
        }
    }

    /// The next page of a list. O(page).
    pub fn more(&mut self, room: &Room, now: Instant, more: &More) -> FromRoom {
        let Some(peer) = self.peers.get_mut(&more.lobby) else {
            return FromRoom::Refused(Refusal::Unknown);
        };
        match peer.life {
            None => FromRoom::Refused(Refusal::Unknown),
            Some(life) if life.life != more.life => FromRoom::Refused(Refusal::Deposed),
            Some(life) if life.hello != more.hello => FromRoom::Refused(Refusal::Late),
            Some(_) => {
                // It is there, and at work.
                peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS);
                FromRoom::Page(Self::page_of(room, now, more.lobby, more.hello, more.from))
            }
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

    /// What must go out now. Marks it as in flight: call [`finished`](Self::finished) for each.
    /// O(lobbies), plus a new frame once a tick at most.
    pub fn pushes(&mut self, room: &Room, now: Instant) -> Vec<Push> {
        self.draw(room, now);
        self.retry_ms_max = room.config().claim_within_ms / 2;
        let lobbies: Vec<LobbyId> = self.peers.keys().copied().collect();
        let push = |lobby| self.push_to(room, now, lobby);
        lobbies.into_iter().filter_map(push).collect()
    }

    fn push_to(&mut self, room: &Room, now: Instant, lobby: LobbyId) -> Option<Push> {
        let peer = self.peers.entry(lobby).or_default();
        let current = newest(&self.frames, peer);
        let picture = peer.lacks_picture(current);
        let wants = picture || peer.lacks_news(room, lobby);
        if now < peer.not_before || !wants {
            return None;
        }
        if peer.in_flight {
            // The clock has leapt, or its end is late: a look at it once in a while is enough.
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
        let peer = self.peers.entry(lobby).or_default();
        let Some(mut message) = message else {
            // More has changed than the room remembers, or nothing shows that the lobby has heard.
            peer.life = None;
            peer.untold = true;
            return Some(Push {
                lobby,
                said: ToLobby::Poke,
            });
        };
        if since_sent.is_some() {
            peer.said = message.version;
        }
        if picture {
            let lacks = |(lane, frame): &&(LaneId, Frame)| {
                peer.is_in(*lane) && Some(Version(frame.version)) > peer.shown
            };
            let lacking = self.frames.iter().filter(lacks);
            message.frames = lacking
                .map(|(lane, frame)| (*lane, frame.encode()))
                .collect();
            peer.shown = current;
        }
        Some(Push {
            lobby,
            said: ToLobby::Push(Box::new(message)),
        })
    }

    /// A push came to its end. `heard` is what the lobby answered; `None` when it did not. O(log lobbies).
    pub fn finished(&mut self, now: Instant, push: &Push, heard: Option<Heard>) {
        let peer = self.peers.entry(push.lobby).or_default();
        peer.in_flight = false;
        let Some(heard) = heard else {
            let wait_ms = RETRY_MS << peer.failures.min(RETRY_DOUBLINGS_MAX);
            peer.not_before = now.plus_ms(wait_ms.min(self.retry_ms_max));
            peer.failures += 1;
            peer.shown = None;
            return;
        };
        peer.failures = 0;
        peer.watches = heard.watchers > 0;
        let before = peer.lanes.replace(heard.lanes);
        if before.is_some_and(|before| heard.lanes & !before != 0) {
            // Of these it has seen no frame.
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
            // It says Hello by itself, or has done so meanwhile.
            _ => peer.not_before = now.plus_ms(PUSH_TIMEOUT_MS),
        }
    }

    /// Lobbies whose last push failed: they are tried again until one arrives. O(lobbies).
    #[must_use]
    pub fn unreached(&self) -> u32 {
        let failing = self.peers.values().filter(|peer| peer.failures > 0);
        u32::try_from(failing.count()).unwrap_or(u32::MAX)
    }

    /// Lobbies that have not acknowledged what they must hear. O(lobbies).
    #[must_use]
    pub fn untold(&self, room: &Room) -> u32 {
        let lacks = |(lobby, peer): &(&LobbyId, &Peer)| peer.lacks_news(room, **lobby);
        let untold = self.peers.iter().filter(lacks);
        u32::try_from(untold.count()).unwrap_or(u32::MAX)
    }

    /// Draws the frame anew, once a tick at most, and only when the room has changed.
    fn draw(&mut self, room: &Room, now: Instant) {
        let stale = self.looked < room.version() && self.frame_due_at(room) <= now;
        if stale && self.peers.values().any(|peer| peer.watches) {
            self.looked = room.version();
            self.frames
                .retain(|(known, _)| room.lanes().order().any(|(lane, _)| lane == *known));
            for (lane, _) in room.lanes().order() {
                self.draw_lane(room, now, lane);
            }
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

    fn frame_due_at(&self, room: &Room) -> Instant {
        self.framed_at
            .map_or(Instant(0), |at| at.plus_ms(room.config().tick_ms))
    }

    /// When the courier wants to look again: a frame that waits for its tick, a push that waits to be sent, or one in flight that may
    /// come to nothing, also with the room's memory. `None` when there is nothing to send. O(lobbies).
    #[must_use]
    pub fn due_at(&self, room: &Room) -> Option<Instant> {
        let watches = |peer: &Peer| peer.watches && !peer.in_flight;
        let watched = self.peers.values().any(watches);
        let frame = (watched && self.looked < room.version()).then(|| self.frame_due_at(room));
        let waiting = |(lobby, peer): (&LobbyId, &Peer)| {
            let news = peer.lacks_news(room, *lobby);
            let picture = !peer.in_flight && peer.lacks_picture(newest(&self.frames, peer));
            (news || picture).then_some(peer.not_before)
        };
        self.peers.iter().filter_map(waiting).chain(frame).min()
    }
}
