//! The harness: one room and one lobby, and everything between them by hand.

use baton::lobby::{Answer, Book, Delivered, Limits, Lobby, LobbyConfig, Progress, Waiter};
use baton::room::command::{Batch, Command, Message, Standing};
use baton::room::config::{Mode, RoomConfig};
use baton::room::event::Row;
use baton::room::frame::Frame;
use baton::room::{Room, laws};
use baton::units::{Edition, Fence, Instant, LobbyId, Number, VisitorId};
use baton::wire::{Ask, LeaseTold, Reason, Shown, State, Status, Told, Wish};

pub const WALL_MS: u64 = 1_700_000_000_000;
pub const LINGER_MS: u64 = 10_000;
pub const STATUS: Wish = Wish::Status { wait_ms: 0 };
pub const ARRIVE: Wish = Wish::Arrive {
    walk_in: true,
    join: true,
};

pub fn who(visitor: u32) -> VisitorId {
    let mut id = [0; 16];
    id[..4].copy_from_slice(&visitor.to_be_bytes());
    VisitorId(id)
}

/// An ask under way.
struct Asked {
    ask: Ask,
    progress: Progress,
    waiter: Option<Waiter>,
    told: Option<Told>,
}

/// One room, one lobby, and everything between them by hand.
pub struct Hall {
    pub room: Room,
    pub lobby: Lobby,
    pub config: LobbyConfig,
    pub stored: Book,
    pub now: Instant,
    asked: Vec<Asked>,
    pub told: Vec<VisitorId>,
}

impl Hall {
    pub fn new(permits: u32) -> Self {
        Self::with(permits, false, 1_000)
    }

    pub fn with(permits: u32, walk_in: bool, tickets_max: usize) -> Self {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: LINGER_MS,
            tick_ms: 1_000,
            lease_idle_ms: 60_000,
            tickets_max,
            limits: Limits::default(),
        };
        let now = Instant(1_000_000);
        let lobby = Lobby::wake(LobbyId(0), config.clone(), Book::default(), now);
        let mut hall = Self {
            room: Room::new(),
            lobby,
            config,
            stored: Book::default(),
            now,
            asked: vec![],
            told: vec![],
        };
        hall.configure(permits, walk_in, Mode::Open);
        hall
    }

    pub fn configure(&mut self, permits: u32, walk_in: bool, mode: Mode) {
        let config = RoomConfig {
            permits,
            walk_in,
            mode,
            claim_within_ms: 30_000,
            grace_ms: 600_000,
            lease_idle_ms: 60_000,
            lease_max_ms: 300_000,
            lease_extend_max_ms: 60_000,
            ..RoomConfig::default()
        };
        self.turn(|room, _, row| room.configure(&config, row));
    }

    pub fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        laws::check_row(&before, &self.room, &row)
            .and_then(|()| laws::check_state(&self.room, self.now))
            .unwrap_or_else(|violation| panic!("{violation}"));
        result
    }

    pub fn wait(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    /// Writes what is unsaved, as the object does before it sends or tells.
    pub fn save(&mut self) {
        for event in self.lobby.take_unsaved() {
            self.stored.apply(&event);
        }
        assert_eq!(
            self.stored,
            *self.lobby.book(),
            "what is stored is what is known"
        );
    }

    /// As the object does at the end of every change.
    pub fn change_ends(&mut self) {
        if self.lobby.must_save_first() || self.lobby.must_save(self.now) {
            self.save();
        }
    }

    pub fn begin_as(&mut self, visitor: u32, number: Option<u64>, wish: Wish) -> usize {
        let edition = Edition::FIRST;
        let shown = number.map(Number).map(|number| Shown { edition, number });
        self.begin_with(visitor, shown, wish)
    }

    pub fn begin_with(&mut self, visitor: u32, shown: Option<Shown>, wish: Wish) -> usize {
        let ask = Ask {
            visitor: who(visitor),
            shown,
            wish,
        };
        self.asked.push(Asked {
            ask,
            progress: Progress::default(),
            waiter: None,
            told: None,
        });
        let index = self.asked.len() - 1;
        self.go_on(index);
        index
    }

    pub fn begin(&mut self, visitor: u32, wish: Wish) -> usize {
        self.begin_as(visitor, None, wish)
    }

    fn go_on(&mut self, index: usize) {
        let asked = &mut self.asked[index];
        match self
            .lobby
            .ask(self.now, WALL_MS, &asked.ask, &asked.progress)
        {
            Answer::Now(told) => (asked.told, asked.waiter) = (Some(*told), None),
            Answer::Later(waiter) => asked.waiter = Some(waiter),
        }
        self.change_ends();
    }

    pub fn answer(&self, index: usize) -> Option<Told> {
        self.asked[index].told.clone()
    }

    pub fn ask_as(&mut self, visitor: u32, number: Option<u64>, wish: Wish) -> Told {
        let index = self.begin_as(visitor, number, wish);
        for _ in 0..6 {
            if let Some(told) = self.answer(index) {
                return told;
            }
            self.round();
        }
        panic!("visitor {visitor} is never answered {wish:?}");
    }

    pub fn ask(&mut self, visitor: u32, wish: Wish) -> Told {
        self.ask_as(visitor, None, wish)
    }

    pub fn join(&mut self, visitor: u32) -> u64 {
        self.ask(visitor, Wish::Join)
            .status
            .number
            .expect("a number")
            .0
    }

    /// Takes the batch to send, stored if it must be.
    pub fn batch(&mut self) -> Option<Batch> {
        let batch = self.lobby.next_batch(self.now);
        self.change_ends();
        batch
    }

    pub fn receive(&mut self, batch: &Batch) -> Message {
        self.turn(|room, now, row| room.receive(now, batch, row))
            .expect("the batch is taken")
    }

    fn take(&mut self, delivered: Delivered) {
        self.change_ends();
        self.told.extend(&delivered.changed);
        for (waiter, outcome) in delivered.outcomes {
            for index in 0..self.asked.len() {
                if self.asked[index].waiter == Some(waiter) {
                    self.asked[index].progress.note(outcome);
                    self.go_on(index);
                }
            }
        }
    }

    pub fn deliver(&mut self, message: &Message) {
        let delivered = self.lobby.delivered(self.now, message);
        self.take(delivered);
    }

    /// This batch there, and its answer back.
    pub fn there_and_back(&mut self, batch: &Batch) {
        let message = self.receive(batch);
        self.deliver(&message);
    }

    /// One batch there and back.
    pub fn round(&mut self) -> Option<Batch> {
        let batch = self.batch()?;
        self.there_and_back(&batch);
        Some(batch)
    }

    /// Everything the lobby has to send goes.
    pub fn rounds(&mut self) {
        while self.round().is_some() {}
    }

    /// A command comes to the room without this lobby's having sent it.
    pub fn perform(&mut self, command: &Command, from: LobbyId) {
        self.turn(|room, now, row| room.perform(now, command, from, row));
    }

    pub fn usher(&mut self) {
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    pub fn message(&self) -> Message {
        let frame = Some(Frame::of(&self.room, self.now).encode());
        Message {
            frame,
            ..self.room.message(self.now, LobbyId(0))
        }
    }

    pub fn pushed(&mut self, message: &Message) {
        let delivered = self.lobby.pushed(self.now, message);
        self.take(delivered);
    }

    pub fn push(&mut self) {
        let message = self.message();
        self.pushed(&message);
    }

    /// The notices come without a frame.
    pub fn push_bare(&mut self) {
        let bare = Message {
            frame: None,
            ..self.message()
        };
        self.pushed(&bare);
    }

    /// The usher turns and the lobby hears of it.
    pub fn usher_and_push(&mut self) {
        self.usher();
        self.push();
    }

    pub fn tick(&mut self) {
        self.lobby.tick(self.now);
        self.change_ends();
    }

    /// The memory is gone; a new life begins from what is stored.
    pub fn dies(&mut self) {
        self.asked.clear();
        self.lobby = Lobby::wake(
            LobbyId(0),
            self.config.clone(),
            self.stored.clone(),
            self.now,
        );
    }

    /// What this visitor is told without the room being asked.
    pub fn status(&mut self, visitor: u32) -> Status {
        self.lobby.status(self.now, WALL_MS, who(visitor))
    }

    pub fn state(&mut self, visitor: u32) -> State {
        self.status(visitor).state
    }

    /// How far this visitor has come, and why it is over.
    pub fn stands(&mut self, visitor: u32) -> (State, Option<Reason>) {
        let status = self.status(visitor);
        (status.state, status.reason)
    }

    pub fn ahead(&mut self, visitor: u32) -> Option<u64> {
        self.status(visitor).ahead
    }

    pub fn open(&mut self, visitor: u32) {
        self.lobby.socket_opened(self.now, who(visitor));
        self.change_ends();
    }

    pub fn close(&mut self, visitor: u32) {
        self.lobby.socket_closed(self.now, who(visitor));
        self.change_ends();
    }

    /// Joins, is called and claims.
    pub fn admit(&mut self, visitor: u32) -> LeaseTold {
        self.join(visitor);
        self.usher_and_push();
        self.ask(visitor, Wish::Claim).lease.expect("a lease")
    }

    /// Everything the lobby has to send goes, and the usher turns.
    pub fn settle(&mut self) {
        self.rounds();
        self.usher_and_push();
    }

    /// The room's answer to a check, as the lobby tells it on.
    pub fn check(&mut self, visitor: u32, fence: Fence) -> Option<Told> {
        let standing = self.room.check(self.now, fence);
        self.hears_of(visitor, fence, self.now, &standing)
    }

    pub fn hears_of(
        &mut self,
        visitor: u32,
        fence: Fence,
        asked_at: Instant,
        standing: &Standing,
    ) -> Option<Told> {
        let times = (self.now, WALL_MS, asked_at);
        let told = self.lobby.checked(times, who(visitor), fence, standing);
        self.change_ends();
        told
    }
}

/// Why it is over; `None` while it is not.
pub fn over(status: &Status) -> Option<Reason> {
    status.reason.filter(|_| status.state == State::Over)
}

pub fn joins(batch: &Batch) -> Vec<u32> {
    let count = |command: &Command| match command {
        Command::Join { count } => Some(*count),
        _ => None,
    };
    batch.commands.iter().filter_map(count).collect()
}

pub fn bytes(batch: &Batch) -> Vec<u8> {
    postcard::to_allocvec(batch).unwrap()
}
