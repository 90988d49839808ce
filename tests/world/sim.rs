//! The world's clock, its network and its faults. Everything happens as an [`Event`] at a time,
//! and all chance comes from one seed.

use crate::lobby_side::LobbySide;
use crate::oracle::Oracle;
use crate::people::{Asking, Visitor};
use crate::room_side::RoomSide;
use baton::lobby::Outcome;
use baton::room::command::{Batch, Message, Refusal};
use baton::room::config::RoomConfig;
use baton::room::courier::Push;
use baton::wire::{Status, Told};
use std::collections::BTreeMap;

/// How bad it is, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    pub lost: u32,
    pub twice: u32,
    pub slow: u32,
    pub write_fails: u32,
    pub alarm_late: u32,
    /// Mean time between crashes of something, 0: none.
    pub crash_every_ms: u64,
    /// Visitors do as they like.
    pub moody: bool,
}

/// What comes back from the room, if anything did in time.
pub type Answer = Result<Result<Message, Refusal>, ()>;

pub enum Event {
    Alarm {
        object: Object,
        due: u64,
    },
    Crash,
    /// A lobby's sending goes on.
    Loop {
        lobby: usize,
        process: u64,
        failures: u32,
    },
    BatchArrives {
        call: u64,
        batch: Batch,
    },
    Answered {
        call: u64,
        answer: Box<Answer>,
    },
    LookArrives {
        ask: u64,
    },
    Looked {
        ask: u64,
        message: Option<Box<Message>>,
    },
    PushArrives {
        push: u64,
    },
    PushEnded {
        push: u64,
        watchers: Option<u64>,
    },
    AskArrives {
        ask: u64,
    },
    AskGoesOn {
        ask: u64,
        turn: u32,
        outcome: Option<Outcome>,
    },
    PollEnds {
        ask: u64,
    },
    Heard {
        ask: u64,
        told: Option<Box<Told>>,
    },
    SocketSays {
        socket: u64,
        status: Box<Status>,
    },
    SocketWord {
        socket: u64,
    },
    SocketGone {
        socket: u64,
        by_visitor: bool,
    },
    Acts {
        visitor: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    Room,
    Lobby(usize),
}

/// A batch on its way.
pub struct Call {
    pub lobby: usize,
    pub process: u64,
    pub batch: Batch,
    pub failures: u32,
}

/// A visitor's socket, as the lobby's runtime keeps it.
pub struct Socket {
    pub visitor: usize,
    pub lobby: usize,
    /// What was sent first arrives first.
    pub last_at: u64,
}

pub struct World {
    pub rng: fastrand::Rng,
    pub wall: u64,
    pub weather: Weather,
    queue: BTreeMap<(u64, u64), Event>,
    ids: u64,
    pub config: RoomConfig,
    pub room: RoomSide,
    pub lobbies: Vec<LobbySide>,
    pub people: Vec<Visitor>,
    pub sockets: BTreeMap<u64, Socket>,
    pub calls: BTreeMap<u64, Call>,
    pub pushes: BTreeMap<u64, (Push, u64)>,
    pub asks: BTreeMap<u64, Asking>,
    pub oracle: Oracle,
    pub rows_per_snapshot: u64,
    pub crashes: u64,
}

impl World {
    pub fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let lobbies = rng.usize(1..=4);
        let visitors = rng.usize(5..=40);
        let tickets_max = *rng.choice(&[3, 1_000, 1_000]).unwrap();
        let config = RoomConfig {
            permits: rng.u32(1..5),
            walk_in: rng.bool(),
            claim_within_ms: 8_000,
            grace_ms: *rng.choice(&[60_000, 600_000]).unwrap(),
            lease_idle_ms: 20_000,
            lease_max_ms: 60_000,
            lease_extend_max_ms: 20_000,
            admissions_milli_per_s: *rng.choice(&[0, 0, 2_000]).unwrap(),
            ..RoomConfig::default()
        };
        let bad = rng.u32(0..4);
        let weather = Weather {
            lost: 20 * bad,
            twice: 20 * bad,
            slow: 30 * bad,
            write_fails: *rng.choice(&[0, 5, 30]).unwrap(),
            alarm_late: 50,
            crash_every_ms: *rng.choice(&[0, 8_000, 30_000]).unwrap(),
            moody: true,
        };
        let wall = 1_700_000_000_000;
        let mut world = Self {
            wall,
            weather,
            queue: BTreeMap::new(),
            ids: 0,
            config,
            room: RoomSide::default(),
            // The front finds a lobby with room in the end.
            lobbies: (1..=lobbies)
                .map(|index| LobbySide::new(if index == lobbies { 1_000 } else { tickets_max }))
                .collect(),
            people: (0..visitors)
                .map(|index| Visitor::new(index, index % lobbies))
                .collect(),
            sockets: BTreeMap::new(),
            calls: BTreeMap::new(),
            pushes: BTreeMap::new(),
            asks: BTreeMap::new(),
            oracle: Oracle::default(),
            rows_per_snapshot: rng.u64(3..40),
            crashes: 0,
            rng,
        };
        for visitor in 0..visitors {
            let at = world.rng.u64(0..15_000);
            world.after(at, Event::Acts { visitor });
        }
        if world.weather.crash_every_ms > 0 {
            world.after(world.weather.crash_every_ms, Event::Crash);
        }
        world
    }

    pub fn id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    pub fn after(&mut self, ms: u64, event: Event) {
        let key = (self.wall + ms, self.id());
        self.queue.insert(key, event);
    }

    /// True in so many of a thousand cases.
    pub fn chance(&mut self, of_thousand: u32) -> bool {
        self.rng.u32(0..1_000) < of_thousand
    }

    /// How long something travels.
    pub fn travel_ms(&mut self) -> u64 {
        if self.chance(self.weather.slow) {
            self.rng.u64(100..12_000)
        } else {
            self.rng.u64(1..60)
        }
    }

    /// Something travels: not at all, once or twice, sooner or later than what was sent before.
    pub fn transmit(&mut self, event: impl Fn() -> Event) {
        if self.chance(self.weather.lost) {
            return;
        }
        let times = 1 + u32::from(self.chance(self.weather.twice));
        for _ in 0..times {
            let ms = self.travel_ms();
            self.after(ms, event());
        }
    }

    /// The next event, if there is one before `until`.
    pub fn step(&mut self, until: u64) -> bool {
        let Some(entry) = self.queue.first_entry() else {
            return false;
        };
        if entry.key().0 > until {
            return false;
        }
        let ((at, _), event) = entry.remove_entry();
        self.wall = at;
        self.happens(event);
        true
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Alarm {
                object: Object::Room,
                due,
            } => self.room_rings(due),
            Event::Alarm {
                object: Object::Lobby(lobby),
                due,
            } => self.lobby_rings(lobby, due),
            Event::Crash => self.something_crashes(),
            Event::Loop {
                lobby,
                process,
                failures,
            } => self.sends(lobby, process, failures),
            Event::BatchArrives { call, batch } => self.room_takes(call, &batch),
            Event::Answered { call, answer } => self.answered(call, *answer),
            Event::LookArrives { ask } => self.room_is_looked_at(ask),
            Event::Looked { ask, message } => self.looked(ask, message.as_deref()),
            Event::PushArrives { push } => self.push_arrives(push),
            Event::PushEnded { push, watchers } => self.push_ended(push, watchers),
            Event::AskArrives { ask } => self.ask_arrives(ask),
            Event::AskGoesOn { ask, turn, outcome } => self.ask_goes_on(ask, turn, outcome),
            Event::PollEnds { ask } => self.poll_ends(ask),
            Event::Heard { ask, told } => self.heard(ask, told.map(|told| *told)),
            Event::SocketSays { socket, status } => self.socket_says(socket, &status),
            Event::SocketWord { socket } => self.socket_word(socket),
            Event::SocketGone { socket, by_visitor } => self.socket_gone(socket, by_visitor),
            Event::Acts { visitor } => self.acts(visitor),
        }
    }

    fn something_crashes(&mut self) {
        if self.weather.crash_every_ms == 0 {
            return;
        }
        self.crashes += 1;
        if option_env!("BATON_SEED").is_some() {
            println!("{} a crash", self.wall);
        }
        let index = self.rng.usize(0..self.lobbies.len());
        match self.rng.u8(0..4) {
            0 => self.room_crashes(),
            1 => self.lobby_crashes(index),
            _ => self.lobby_forgets(index),
        }
        let ms = self.rng.u64(1..self.weather.crash_every_ms * 2);
        self.after(ms, Event::Crash);
    }
}
