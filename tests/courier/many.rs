//! A room with its courier, a hundred real lobbies, and what travels between them, in simulated time.

use crate::office::SALT;
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::{Holder, Shown};
use baton::facts::message::{FromRoom, Heard, RoomLife, RoomMemory, ToRoom};
use baton::facts::units::{AddressTag, Edition, Instant, LobbyId, Version, VisitorId};
use baton::facts::wire::State;
use baton::lobby::{CallId, Effect, Limits, Lobby, LobbyConfig, Moment, keys};
use baton::room::Room;
use baton::room::courier::{Courier, Push, Slept};
use std::collections::BTreeMap;

pub const LOBBIES: u16 = 100;
pub const TICKETS: usize = 100_000;
/// The lobbies of those who are called.
pub const CALLED: [u16; 7] = [97, 3, 55, 12, 88, 41, 70];
/// Of whose the next one is.
pub const NEXT_CALLED: u16 = 90;
/// How many people of a lobby hold a socket; the others are on their way back.
const SOCKETS: u64 = 5;
/// How long a message is on its way.
pub const WAY_MS: u64 = 20;

/// What is on its way.
enum Way {
    Asks(LobbyId, CallId, ToRoom),
    Answers(LobbyId, CallId, FromRoom),
    Pushes(Push),
    Hears(Push, Heard),
}

/// What happened since the last restart, in order.
#[derive(Debug, Default)]
pub struct Seen {
    pub hellos: u32,
    pub laters: u32,
    /// When which lobby was given a list, or the first page of it.
    pub lists: Vec<(Instant, LobbyId)>,
    /// When which lobby was told what had changed instead.
    pub resumed: Vec<(Instant, LobbyId)>,
    /// When somebody of which lobby was told of a call.
    pub called: Vec<(Instant, LobbyId)>,
    /// The longest that the room was at one question, by the clock.
    pub longest: u64,
}

pub struct Scene {
    pub room: Room,
    pub courier: Courier,
    pub lobbies: Vec<Lobby>,
    pub now: Instant,
    pub seen: Seen,
    memories: u64,
    lives: u64,
    on_the_way: BTreeMap<(Instant, u64), Way>,
    sent: u64,
    /// What time it really is, in µs; it stands still unless somebody measures.
    pub clock: fn() -> u64,
}

/// The visitor of a lobby with this number there. Visitor 0 comes first of all.
fn visitor(lobby: u16, index: u64) -> VisitorId {
    let [high, low] = lobby.to_be_bytes();
    let tag = AddressTag([1, high, low, 0, 0, 0, 0, 0]);
    VisitorId::at(tag, index.to_be_bytes())
}

fn config() -> LobbyConfig {
    LobbyConfig {
        room: "onsale".into(),
        linger_ms: 30_000,
        spread_ms: 20_000,
        tickets_max: 16_000,
        limits: Limits::default(),
        porter: false,
    }
}

impl Scene {
    /// All have joined, every lobby has its list and watches, and one person of each of [`CALLED`] is called and has been told.
    pub fn open() -> Self {
        let mut scene = Self {
            room: Room::new(),
            courier: Courier::default(),
            lobbies: Vec::new(),
            now: Instant(1_000_000_000),
            seen: Seen::default(),
            memories: 0,
            lives: 0,
            on_the_way: BTreeMap::new(),
            sent: 0,
            clock: || 0,
        };
        let config = RoomConfig {
            walk_in: false,
            tick_ms: 1_000,
            claim_within_ms: 600_000,
            ..RoomConfig::default()
        };
        scene.turn(|room, _, row| room.configure(&config, row));
        for lobby in CALLED.into_iter().chain([NEXT_CALLED]) {
            scene.join(lobby, 0..1);
        }
        scene.join_all();
        scene.permits(CALLED.len() as u32);
        scene.room_restarts();
        scene.lobbies_restart();
        scene.run_for(15_000);
        assert!(scene.lobbies.iter().all(Lobby::is_whole));
        assert_eq!(scene.living(), TICKETS);
        assert_eq!(scene.seen.called.len(), CALLED.len());
        scene.seen = Seen::default();
        scene
    }

    /// Each lobby's people join a hundred at a time, and the lobbies take turns: so their numbers are mixed.
    fn join_all(&mut self) {
        let each = TICKETS as u64 / u64::from(LOBBIES);
        for first in (0..each).step_by(100) {
            for lobby in 0..LOBBIES {
                self.join(lobby, first..(first + 100).min(each));
            }
        }
    }

    fn join(&mut self, lobby: u16, indexes: core::ops::Range<u64>) {
        let of = |index| keys::holder(SALT, visitor(lobby, index));
        let holders: Vec<Holder> = indexes.map(of).collect();
        let join = Command::join(holders);
        self.turn(|room, now, row| room.perform(now, &join, LobbyId(lobby), row));
    }

    /// So many people at the head are called, one of each of these lobbies.
    pub fn permits(&mut self, permits: u32) {
        let config = RoomConfig {
            permits,
            ..self.room.config().clone()
        };
        self.turn(|room, now, row| {
            room.configure(&config, row);
            room.take_turn(now, row);
        });
    }

    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        self.courier.lives(self.life());
    }

    fn life(&self) -> RoomLife {
        RoomLife(self.room.told_from().0)
    }

    fn moment(&self) -> Moment {
        Moment {
            now: self.now,
            wall_ms: self.now.0,
        }
    }

    /// The number of tickets that the lobbies know of.
    pub fn living(&self) -> usize {
        let replicas = self.lobbies.iter().map(Lobby::replica);
        replicas.map(baton::lobby::Replica::living).sum()
    }

    /// The room comes into memory from what it has stored. What was on its way to it is lost.
    pub fn room_restarts(&mut self) {
        self.room = wishes::come_back(&self.room);
        self.memories += 1;
        let memory = RoomMemory(self.memories);
        self.courier = Courier::woken(&self.room, self.life(), memory, Slept::Briefly);
        self.on_the_way.clear();
    }

    /// Every lobby comes into memory and finds its sockets, the later ones first: no order of theirs helps anybody.
    pub fn lobbies_restart(&mut self) {
        let m = self.moment();
        self.on_the_way.clear();
        self.lobbies.clear();
        for lobby in 0..LOBBIES {
            self.lives += 1;
            let mut new = Lobby::new(LobbyId(lobby), config(), self.lives);
            for index in 0..SOCKETS {
                let visitor = visitor(lobby, index);
                let key = keys::holder(SALT, visitor).key;
                let number = self.room.living_of(key).expect("has a place");
                let shown = Shown {
                    edition: Edition(1),
                    number,
                    row: Version(1),
                };
                new.handle_socket_opened(m, visitor, Some(shown));
            }
            self.lobbies.push(new);
        }
    }

    /// Everything that happens in this time.
    pub fn run_for(&mut self, ms: u64) {
        let until = self.now.plus_ms(ms);
        loop {
            self.departs();
            let Some(next) = self.next().filter(|next| *next <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(next);
            self.arrives();
            let m = self.moment();
            for lobby in &mut self.lobbies {
                let due = [lobby.poll_timeout(), lobby.poll_alarm()];
                if due.into_iter().flatten().any(|at| at <= m.now) {
                    lobby.handle_timeout(m);
                }
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        let way = self.on_the_way.keys().next().map(|(at, _)| *at);
        let timers = self.lobbies.iter();
        let timers = timers.flat_map(|lobby| [lobby.poll_timeout(), lobby.poll_alarm()]);
        let courier = self.courier.due_at(&self.room);
        timers.chain([way, courier]).flatten().min()
    }

    fn goes(&mut self, what: Way) {
        self.sent += 1;
        let arrives = self.now.plus_ms(WAY_MS);
        self.on_the_way.insert((arrives, self.sent), what);
    }

    /// What the room and the lobbies have to say sets out.
    fn departs(&mut self) {
        for push in self.courier.pushes(&self.room, self.now) {
            self.goes(Way::Pushes(push));
        }
        for lobby in (0..LOBBIES).rev() {
            while let Some(effect) = self.lobbies[usize::from(lobby)].poll_effect() {
                match effect {
                    Effect::Call(call, said, _) => self.goes(Way::Asks(LobbyId(lobby), call, *said)),
                    Effect::Tell { status, .. } if status.state == State::Called => {
                        self.seen.called.push((self.now, LobbyId(lobby)));
                    }
                    _ => {}
                }
            }
        }
    }

    fn arrives(&mut self) {
        let m = self.moment();
        while let Some(entry) = self.on_the_way.first_entry()
            && entry.key().0 <= m.now
        {
            match entry.remove() {
                Way::Asks(lobby, call, said) => {
                    let from = (self.clock)();
                    let answer = self.room_hears(lobby, &said);
                    let took = (self.clock)() - from;
                    self.seen.longest = self.seen.longest.max(took);
                    self.goes(Way::Answers(lobby, call, answer));
                }
                Way::Answers(lobby, call, answer) => {
                    self.lobbies[usize::from(lobby.0)].handle_answer(m, call, Some(answer));
                }
                Way::Pushes(push) => {
                    let lobby = &mut self.lobbies[usize::from(push.lobby.0)];
                    let heard = lobby.handle_push(m, &push.said);
                    self.goes(Way::Hears(push, heard));
                }
                Way::Hears(push, heard) => self.courier.finished(self.now, &push, Some(heard)),
            }
        }
    }

    fn room_hears(&mut self, lobby: LobbyId, said: &ToRoom) -> FromRoom {
        let now = self.now;
        match said {
            ToRoom::Hello(hello) => {
                self.seen.hellos += 1;
                let answer = self.courier.hello(&self.room, now, SALT, hello);
                match &answer {
                    FromRoom::Welcome(welcome) if welcome.list.is_some() => {
                        self.seen.lists.push((now, lobby));
                    }
                    FromRoom::Welcome(_) => self.seen.resumed.push((now, lobby)),
                    FromRoom::Later(_) => self.seen.laters += 1,
                    other => panic!("{other:?}"),
                }
                answer
            }
            ToRoom::More(more) => self.courier.more(&self.room, now, more),
            ToRoom::Batch(batch) => {
                if let Err(refusal) = self.courier.admit(&self.room, batch) {
                    return FromRoom::Refused(refusal);
                }
                self.turn(|room, now, row| {
                    room.take(now, batch.lobby, &batch.commands, batch.attempts, row);
                });
                self.courier.answer(&self.room, now, batch).into()
            }
            ToRoom::Check(_) | ToRoom::Bundle(_) => panic!("nobody asks that here: {said:?}"),
        }
    }
}
