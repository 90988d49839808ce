//! A room with its courier, as the room object has them, and lobbies as far as a room sees them.

use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::Salt;
use baton::facts::message::{Batch, Change, FromRoom, Heard, Hello, Known, LobbyLife, Message, Refusal, RoomLife, RoomMemory, ToLobby, Welcome};
use baton::facts::reply::Standing;
use baton::facts::units::{Instant, LobbyId, Number, Version};
use baton::room::Room;
use baton::room::courier::{Courier, Push, Slept};
use std::collections::BTreeMap;

pub const TICK_MS: u64 = 1_000;
pub const SALT: Salt = Salt([7; 16]);

/// A lobby as far as the room sees it.
#[derive(Clone, Debug)]
pub struct Far {
    pub life: LobbyLife,
    pub room: RoomLife,
    pub memory: RoomMemory,
    pub hellos: u32,
    pub batches: u64,
    /// What it has acknowledged.
    pub since: Version,
}

pub struct Office {
    pub room: Room,
    pub courier: Courier,
    pub now: Instant,
    pub lobbies: BTreeMap<u16, Far>,
    /// How long the room is out of memory when it loses it.
    pub slept: Slept,
    memories: u64,
}

impl Office {
    pub fn new(permits: u32) -> Self {
        let mut office = Self {
            room: Room::new(),
            courier: Courier::default(),
            now: Instant(1_000_000),
            lobbies: BTreeMap::new(),
            slept: Slept::Briefly,
            memories: 0,
        };
        let config = RoomConfig {
            permits,
            walk_in: false,
            tick_ms: TICK_MS,
            ..RoomConfig::default()
        };
        office.turn(|room, _, row| room.configure(&config, row));
        office.wakes();
        office
    }

    pub fn claim_within_ms(&self) -> u64 {
        self.room.config().claim_within_ms
    }

    pub fn set_claim_within(&mut self, claim_within_ms: u64) {
        let config = RoomConfig {
            claim_within_ms,
            ..self.room.config().clone()
        };
        self.turn(|room, _, row| room.configure(&config, row));
    }

    /// One row. What is pushed is asked for separately.
    pub fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        self.courier.lives(self.life());
    }

    pub fn life(&self) -> RoomLife {
        RoomLife(self.room.told_from().0)
    }

    /// The room comes into memory.
    pub fn wakes(&mut self) {
        self.memories += 1;
        let memory = RoomMemory(self.memories);
        self.courier = Courier::woken(&self.room, self.life(), memory, self.slept);
    }

    /// A life of a lobby says Hello and takes in what it is answered. Its next batch acknowledges that.
    pub fn hello(&mut self, lobby: u16, life: u64, knows: Option<Version>) -> Welcome {
        let knows = knows.map(|version| Known { life: self.life(), version });
        let before = self.lobbies.get(&lobby);
        let before = before.filter(|far| far.life == LobbyLife(life)).cloned();
        let (hellos, batches) = before.map_or((0, 0), |far| (far.hellos, far.batches));
        let hello = Hello {
            lobby: LobbyId(lobby),
            life: LobbyLife(life),
            number: hellos + 1,
            knows,
        };
        let welcome = match self.says(&hello) {
            FromRoom::Welcome(welcome) => *welcome,
            other => panic!("{other:?}"),
        };
        let far = Far {
            life: hello.life,
            room: welcome.message.life,
            memory: welcome.memory,
            hellos: hello.number,
            batches,
            since: welcome.message.version,
        };
        self.lobbies.insert(lobby, far);
        welcome
    }

    pub fn says(&mut self, hello: &Hello) -> FromRoom {
        self.courier.hello(&self.room, self.now, SALT, hello)
    }

    /// The next batch of a lobby.
    pub fn next(&mut self, lobby: u16, commands: Vec<Command>) -> Batch {
        let far = self.lobbies.get_mut(&lobby).expect("it said Hello");
        far.batches += 1;
        Batch {
            lobby: LobbyId(lobby),
            life: far.life,
            room: far.room,
            memory: far.memory,
            number: far.batches,
            since: far.since,
            attempts: 0,
            commands,
        }
    }

    pub fn send(&mut self, batch: &Batch) -> Result<Message, Refusal> {
        self.courier.admit(&self.room, batch)?;
        self.turn(|room, now, row| room.take(now, batch.lobby, &batch.commands, 0, row));
        let answer = self.courier.answer(&self.room, self.now, batch)?;
        Ok(answer.message)
    }

    /// A lobby's batch and its answer, which it acknowledges with the next. A lobby that never spoke says Hello before.
    pub fn batch(&mut self, lobby: u16, commands: Vec<Command>) -> Message {
        if !self.lobbies.contains_key(&lobby) {
            self.hello(lobby, 1, None);
        }
        let batch = self.next(lobby, commands);
        let message = self.send(&batch).expect("taken");
        self.lobbies.get_mut(&lobby).expect("known").since = message.version;
        message
    }

    pub fn join(&mut self, lobby: u16, count: u32) {
        let join = wishes::join(&self.room, count);
        self.batch(lobby, vec![join]);
    }

    pub fn usher(&mut self) {
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    /// Somebody gives up the place, of which no lobby has said anything.
    pub fn leaves(&mut self, number: u64) {
        let leave = wishes::leave(&self.room, Number(number));
        let lobby = self.room.tickets().lobby_of(Number(number)).unwrap_or(LobbyId(0));
        self.turn(|room, now, row| room.perform(now, &leave, lobby, row));
    }

    pub fn wait(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    pub fn pushes(&mut self) -> Vec<Push> {
        self.courier.pushes(&self.room, self.now)
    }

    /// A push arrives at whatever life the lobby is in, which acknowledges it.
    pub fn arrives(&mut self, push: &Push, is_watched: bool) {
        let far = self.lobbies.get_mut(&push.lobby.0);
        let heard = match (&push.said, far) {
            (ToLobby::Push(message), Some(far)) if message.to == far.life => {
                far.since = message.version;
                Heard {
                    life: far.life,
                    acknowledged: Some(message.version),
                    is_watched,
                    lanes: u8::MAX,
                }
            }
            (_, far) => Heard {
                life: far.map_or(LobbyLife(0), |far| far.life),
                acknowledged: None,
                is_watched,
                lanes: u8::MAX,
            },
        };
        self.courier.finished(self.now, push, Some(heard));
    }

    pub fn arrived(&mut self, pushes: &[Push]) {
        pushes.iter().for_each(|push| self.arrives(push, true));
    }

    pub fn lost(&mut self, pushes: &[Push]) {
        for push in pushes {
            self.courier.finished(self.now, push, None);
        }
    }

    /// Sends whatever there is, so that only what comes after is seen.
    pub fn settle(&mut self) {
        let pushes = self.pushes();
        self.arrived(&pushes);
    }
}

pub fn lobbies(pushes: &[Push]) -> Vec<u16> {
    pushes.iter().map(|push| push.lobby.0).collect()
}

/// What a push says, in words: `poke`, or `1 called`, `2 over`.
pub fn said(push: &Push) -> Vec<String> {
    match &push.said {
        ToLobby::Poke => vec!["poke".to_owned()],
        ToLobby::Push(message) => words(&message.changes),
    }
}

pub fn words(changes: &[Change]) -> Vec<String> {
    let word = |change: &Change| {
        let what = match change {
            Change::Lives(listed) => match listed.standing {
                Standing::Waiting { missed: true, .. } => "missed",
                Standing::Waiting { .. } => "waits",
                Standing::Called { .. } => "called",
                Standing::Admitted { .. } => "in",
                Standing::Over => "nothing",
            },
            Change::Over(..) => "over",
        };
        format!("{} {what}", change.number())
    };
    changes.iter().map(word).collect()
}

/// The message of a push that is no poke.
pub fn message(push: &Push) -> &Message {
    match &push.said {
        ToLobby::Push(message) => message,
        ToLobby::Poke => panic!("a poke"),
    }
}
