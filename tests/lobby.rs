//! The lobby's pure core: who asks what, what goes to the room, what is told.
//!
//! The room in these stories is a real one, played by [`Hall`]: batch → `receive` → message →
//! `delivered`. What is saved is folded into a second book, which is what a new life begins with.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "lobby/carry.rs"]
mod carry;
#[path = "lobby/draw.rs"]
mod draw;
#[path = "lobby/line_end.rs"]
mod line_end;
#[path = "lobby/reset.rs"]
mod reset;

use baton::lobby::event::LobbyEvent;
use baton::lobby::{
    Answer, Book, Delivered, Limits, Lobby, LobbyConfig, Progress, REMEMBERED_MAX, SAVE_AFTER_MS,
    Waiter,
};
use baton::room::command::{Batch, Command, Message, Standing};
use baton::room::config::{Mode, RoomConfig};
use baton::room::event::Row;
use baton::room::frame::Frame;
use baton::room::{Room, laws};
use baton::units::{Edition, Fence, Instant, LobbyId, Number, Version, VisitorId};
use baton::wire::{Ask, LeaseTold, Reason, Shown, State, Told, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WALL_MS: u64 = 1_700_000_000_000;
const LINGER_MS: u64 = 10_000;
const STATUS: Wish = Wish::Status { wait_ms: 0 };
const ARRIVE: Wish = Wish::Arrive {
    walk_in: true,
    join: true,
};

fn who(visitor: u32) -> VisitorId {
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
struct Hall {
    room: Room,
    lobby: Lobby,
    config: LobbyConfig,
    stored: Book,
    now: Instant,
    asked: Vec<Asked>,
    told: Vec<VisitorId>,
}

impl Hall {
    fn new(permits: u32) -> Self {
        Self::with(permits, false, 1_000)
    }

    fn with(permits: u32, walk_in: bool, tickets_max: usize) -> Self {
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

    fn configure(&mut self, permits: u32, walk_in: bool, mode: Mode) {
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

    fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        laws::check_row(&before, &self.room, &row)
            .and_then(|()| laws::check_state(&self.room, self.now))
            .unwrap_or_else(|violation| panic!("{violation}"));
        result
    }

    fn wait(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    /// Writes what is unsaved, as the object does before it sends or tells.
    fn save(&mut self) {
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
    fn change_ends(&mut self) {
        if self.lobby.must_save_first() || self.lobby.must_save(self.now) {
            self.save();
        }
    }

    fn begin_as(&mut self, visitor: u32, number: Option<u64>, wish: Wish) -> usize {
        let edition = Edition::FIRST;
        let shown = number.map(Number).map(|number| Shown { edition, number });
        self.begin_with(visitor, shown, wish)
    }

    fn begin_with(&mut self, visitor: u32, shown: Option<Shown>, wish: Wish) -> usize {
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

    fn begin(&mut self, visitor: u32, wish: Wish) -> usize {
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

    fn answer(&self, index: usize) -> Option<Told> {
        self.asked[index].told.clone()
    }

    fn ask_as(&mut self, visitor: u32, number: Option<u64>, wish: Wish) -> Told {
        let index = self.begin_as(visitor, number, wish);
        for _ in 0..6 {
            if let Some(told) = self.answer(index) {
                return told;
            }
            self.round();
        }
        panic!("visitor {visitor} is never answered {wish:?}");
    }

    fn ask(&mut self, visitor: u32, wish: Wish) -> Told {
        self.ask_as(visitor, None, wish)
    }

    fn join(&mut self, visitor: u32) -> u64 {
        self.ask(visitor, Wish::Join)
            .status
            .number
            .expect("a number")
            .0
    }

    /// Takes the batch to send, stored if it must be.
    fn batch(&mut self) -> Option<Batch> {
        let batch = self.lobby.next_batch(self.now);
        self.change_ends();
        batch
    }

    fn receive(&mut self, batch: &Batch) -> Message {
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

    fn deliver(&mut self, message: &Message) {
        let delivered = self.lobby.delivered(self.now, message);
        self.take(delivered);
    }

    /// One batch there and back.
    fn round(&mut self) -> Option<Batch> {
        let batch = self.batch()?;
        let message = self.receive(&batch);
        self.deliver(&message);
        Some(batch)
    }

    fn usher(&mut self) {
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    fn message(&self) -> Message {
        let frame = Some(Frame::of(&self.room, self.now).encode());
        Message {
            frame,
            ..self.room.message(self.now, LobbyId(0))
        }
    }

    fn pushed(&mut self, message: &Message) {
        let delivered = self.lobby.pushed(self.now, message);
        self.take(delivered);
    }

    fn push(&mut self) {
        let message = self.message();
        self.pushed(&message);
    }

    /// The usher turns and the lobby hears of it.
    fn usher_and_push(&mut self) {
        self.usher();
        self.push();
    }

    fn tick(&mut self) {
        self.lobby.tick(self.now);
        self.change_ends();
    }

    /// The memory is gone; a new life begins from what is stored.
    fn dies(&mut self) {
        self.asked.clear();
        self.lobby = Lobby::wake(
            LobbyId(0),
            self.config.clone(),
            self.stored.clone(),
            self.now,
        );
    }

    fn state(&mut self, visitor: u32) -> State {
        self.lobby.status(self.now, WALL_MS, who(visitor)).state
    }

    fn ahead(&mut self, visitor: u32) -> Option<u64> {
        self.lobby.status(self.now, WALL_MS, who(visitor)).ahead
    }

    fn open(&mut self, visitor: u32) {
        self.lobby.socket_opened(self.now, who(visitor));
        self.change_ends();
    }

    fn close(&mut self, visitor: u32) {
        self.lobby.socket_closed(self.now, who(visitor));
        self.change_ends();
    }

    /// Joins, is called and claims.
    fn admit(&mut self, visitor: u32) -> LeaseTold {
        self.join(visitor);
        self.usher_and_push();
        self.ask(visitor, Wish::Claim).lease.expect("a lease")
    }

    /// Everything the lobby has to send goes, and the usher turns.
    fn settle(&mut self) {
        while self.round().is_some() {}
        self.usher_and_push();
    }
}

fn joins(batch: &Batch) -> Vec<u32> {
    let count = |command: &Command| match command {
        Command::Join { count } => Some(*count),
        _ => None,
    };
    batch.commands.iter().filter_map(count).collect()
}

fn bytes(batch: &Batch) -> Vec<u8> {
    postcard::to_allocvec(batch).unwrap()
}

// Joining and batches.

#[test]
fn set_if_absent_with_expiry() {
    let mut hall = Hall::new(1);
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    let again = hall.ask(1, Wish::Join);
    assert_eq!(
        (again.status.number, again.issued),
        (Some(Number(1)), false)
    );
    // Gone for longer than the grace, the place is free to be taken anew.
    hall.wait(LINGER_MS);
    hall.tick();
    hall.settle();
    hall.wait(700_000);
    hall.settle();
    let after = hall.ask(1, STATUS);
    assert_eq!(
        (after.status.state, after.status.reason),
        (State::Over, Some(Reason::Away))
    );
    assert_eq!(hall.join(1), 3);
}

#[test]
fn who_asks_while_a_join_waits_or_flies_shares_its_ticket() {
    let mut hall = Hall::new(1);
    let queued = [hall.begin(1, Wish::Join), hall.begin(1, Wish::Join)];
    let batch = hall.batch().unwrap();
    let flying = hall.begin(1, Wish::Join);
    assert_eq!(joins(&batch), [1]);
    let message = hall.receive(&batch);
    hall.deliver(&message);
    for index in [queued[0], queued[1], flying] {
        assert_eq!(hall.answer(index).unwrap().status.number, Some(Number(1)));
    }
    assert!(hall.batch().is_none());
    assert_eq!(hall.room.line().alive(), 1);
}

#[test]
fn a_thousand_joins_are_one_command() {
    let mut hall = Hall::new(1);
    let asked: Vec<usize> = (0..1_000)
        .map(|visitor| hall.begin(visitor, Wish::Join))
        .collect();
    let batch = hall.round().unwrap();
    assert_eq!((batch.commands.len(), joins(&batch)), (1, vec![1_000]));
    assert_eq!(batch.attempts, 1_000);
    for (place, index) in asked.iter().enumerate() {
        let told = hall.answer(*index).unwrap();
        assert_eq!(told.status.number, Some(Number(place as u64 + 1)));
        assert_eq!(told.status.ahead, Some(place as u64));
        assert!(told.issued);
    }
}

/// A crowd that only reloads still shows: its attempts reach the room within ten seconds.
#[test]
fn repeats_are_counted_even_when_nobody_joins_anew() {
    let mut hall = Hall::new(0);
    hall.begin(1, Wish::Join);
    hall.settle();
    hall.open(1);
    assert_eq!(hall.room.totals().attempts, 1);
    for _ in 0..7 {
        hall.ask(1, Wish::Join);
        hall.ask(1, ARRIVE);
    }
    assert!(hall.batch().is_none(), "no hurry");
    let due = hall.lobby.due_at().expect("the alarm is set");
    assert!(due.since_ms(hall.now) <= 10_000, "{due}");
    hall.wait(10_000);
    hall.tick();
    let batch = hall.round().expect("a batch of its own");
    assert_eq!((batch.commands.len(), batch.attempts), (0, 14));
    assert_eq!(hall.room.totals().attempts, 15);
    assert!(hall.batch().is_none());
}

#[test]
fn one_batch_flies_and_the_next_grows_meanwhile() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    let first = hall.batch().unwrap();
    for visitor in 2..50 {
        hall.begin(visitor, Wish::Join);
        assert_eq!(
            bytes(&hall.batch().unwrap()),
            bytes(&first),
            "nothing newer before"
        );
    }
    // The answer is lost, and so is a repeat's.
    let lost = hall.receive(&first);
    let again = hall.batch().unwrap();
    assert_eq!(bytes(&again), bytes(&first));
    let message = hall.receive(&again);
    assert_eq!(message.replies, lost.replies);
    hall.deliver(&message);
    let second = hall.round().unwrap();
    assert_eq!((second.sequence, joins(&second)), (2, vec![48]));
    assert_eq!(hall.room.line().next(), Number(50));
    assert!(hall.batch().is_none());
}

/// Two tabs at once, one on the gated path and one with a socket, are one visitor.
#[test]
fn a_walk_in_and_a_join_of_one_visitor_never_make_two_tickets() {
    for (first, second) in [(ARRIVE, Wish::Join), (Wish::Join, ARRIVE)] {
        let mut hall = Hall::with(1, true, 1_000);
        let (a, b) = (hall.begin(1, first), hall.begin(1, second));
        while hall.round().is_some() {}
        assert_eq!(
            hall.room.line().next(),
            Number(2),
            "{first:?} and {second:?}"
        );
        let numbers = [a, b].map(|index| hall.answer(index).unwrap().status.number);
        assert_eq!(numbers, [Some(Number(1)); 2]);
    }
}

#[test]
fn a_walk_in_denied_joins() {
    let mut hall = Hall::with(1, true, 1_000);
    let first = hall.ask(1, ARRIVE);
    assert!(first.issued && first.lease.is_some_and(|lease| lease.provisional));
    let second = hall.ask(2, ARRIVE);
    assert!(second.issued && second.lease.is_none() && second.no_walk_in);
    assert_eq!(
        (second.status.state, second.status.number),
        (State::Waiting, Some(Number(2)))
    );
    let third = hall.ask(
        3,
        Wish::Arrive {
            walk_in: true,
            join: false,
        },
    );
    assert_eq!((third.status.state, third.no_walk_in), (State::None, true));
}

// New lives.

#[test]
fn a_new_life_sends_the_outstanding_batch_first_and_its_answer_makes_the_tickets() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    hall.begin(2, Wish::Join);
    let batch = hall.batch().unwrap();
    let epoch = hall.lobby.epoch();
    hall.receive(&batch);
    hall.dies();
    assert_eq!(hall.lobby.epoch(), epoch + 1);
    // Asked again before the answer is there: the same ticket is waited for.
    let again = hall.begin(1, Wish::Join);
    let third = hall.begin(3, Wish::Join);
    let resent = hall.batch().unwrap();
    assert_eq!(bytes(&resent), bytes(&batch));
    let message = hall.receive(&resent);
    hall.deliver(&message);
    while hall.round().is_some() {}
    assert_eq!(hall.answer(again).unwrap().status.number, Some(Number(1)));
    assert_eq!(hall.answer(third).unwrap().status.number, Some(Number(3)));
    assert_eq!((hall.join(2), hall.join(1)), (2, 1));
    assert_eq!(hall.room.line().alive(), 3);
}

#[test]
fn a_batch_of_an_earlier_life_that_is_refused_lets_everybody_ask_again() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    hall.batch().unwrap();
    hall.dies();
    let asked = hall.begin(1, Wish::Join);
    assert!(hall.lobby.has_batch() && !hall.lobby.flies_in_this_life());
    hall.lobby.refused(hall.now);
    while hall.round().is_some() {}
    assert_eq!(hall.answer(asked).unwrap().status.number, Some(Number(1)));
}

/// Whose a number is stands in the row of the next batch. Until then the batch that issued it is stored, and
/// the room answers it the same once more.
#[test]
fn a_number_that_was_told_and_not_written_is_the_same_in_the_next_life() {
    let mut hall = Hall::new(1);
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    let written = hall.lobby.clone().take_unsaved();
    let whose = |event: &LobbyEvent| {
        matches!(
            event,
            LobbyEvent::Joined {
                first: Number(2),
                ..
            }
        )
    };
    assert!(
        written.iter().any(whose)
            && written.iter().all(|event| !matches!(
                event,
                LobbyEvent::Joined {
                    first: Number(1),
                    ..
                }
            ))
    );
    hall.dies();
    let third = hall.begin(3, Wish::Join);
    let shown = hall.ask_as(2, Some(2), STATUS).status;
    assert_eq!(
        (shown.state, shown.number),
        (State::Waiting, Some(Number(2)))
    );
    while hall.round().is_some() {}
    assert_eq!(hall.answer(third).unwrap().status.number, Some(Number(3)));
    assert_eq!((hall.join(2), hall.join(1)), (2, 1));
    assert_eq!(hall.room.line().alive(), 3);
}

/// The next batch may settle nothing by itself, and still what it would make the room forget is written before.
#[test]
fn numbers_are_written_before_any_batch_that_follows() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.usher_and_push();
    hall.begin(1, Wish::Claim);
    let batch = hall.batch().unwrap();
    assert!(joins(&batch).is_empty());
    hall.receive(&batch);
    hall.dies();
    assert_eq!(
        hall.ask_as(1, Some(1), STATUS).status.state,
        State::Admitted
    );
    assert_eq!(hall.join(1), 1);
}

/// A life that only asked how a ticket stands has spoken to the room: the next life must not
/// speak in its name, or the room would take its first batch for a repeat.
#[test]
fn two_lives_never_share_an_epoch_once_one_has_spoken() {
    let mut hall = Hall::with(2, true, 1_000);
    hall.admit(1);
    hall.dies();
    assert!(hall.ask(1, STATUS).status.state == State::Admitted);
    hall.dies();
    let other = hall.ask(2, ARRIVE);
    assert_eq!(
        other.status.number,
        Some(Number(2)),
        "visitor 2 is not visitor 1"
    );
    assert!(other.issued);
}

/// The room says of who left that it is so until that is written. A page that is open beside must not
/// show the line for ever because the lobby lost its memory before the answer.
#[test]
fn who_left_has_left_also_in_the_next_life() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.join(2);
    hall.save();
    hall.begin(1, Wish::Release(lease.fence));
    hall.begin(2, Wish::Leave);
    let batch = hall.lobby.next_batch(hall.now).unwrap();
    assert!(
        !hall.lobby.must_save_first(),
        "a permit is handed on without a row of the lobby"
    );
    hall.receive(&batch);
    hall.dies();
    hall.open(1);
    hall.open(2);
    while hall.round().is_some() {}
    let reason =
        |hall: &mut Hall, visitor| hall.lobby.status(hall.now, WALL_MS, who(visitor)).reason;
    assert_eq!(reason(&mut hall, 1), Some(Reason::Released));
    assert_eq!(reason(&mut hall, 2), Some(Reason::Left));
    assert!(hall.told.contains(&who(2)));
}

/// What was not answered may never have come to the room, and by the time it can be reached this life may be over.
#[test]
fn who_left_while_the_room_was_out_of_reach_is_sent_by_the_next_life() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.join(2);
    hall.save();
    hall.begin(1, Wish::Release(lease.fence));
    hall.begin(2, Wish::Leave);
    let batch = hall.batch().unwrap();
    hall.lobby.unanswered(hall.now);
    hall.change_ends();
    hall.lobby.unanswered(hall.now);
    assert!(hall.lobby.take_unsaved().is_empty(), "noted once");
    hall.dies();
    assert_eq!(bytes(&hall.round().unwrap()), bytes(&batch));
    assert_eq!(
        (hall.room.line().alive(), hall.room.permits().leased()),
        (0, 0)
    );
    assert_eq!((hall.state(1), hall.state(2)), (State::Over, State::Over));
}

/// Of a batch that asks for nothing that must not be forgotten no row is written, answered or not.
#[test]
fn an_unanswered_question_is_not_noted() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.save();
    hall.begin(1, Wish::Renew(lease.fence));
    hall.batch().unwrap();
    hall.lobby.unanswered(hall.now);
    assert!(hall.lobby.take_unsaved().is_empty());
}

/// A claim before its time rode in a batch that never arrived. By when it is sent again the visitor has been called,
/// and is inside: nothing but the answer says so.
#[test]
fn a_claim_that_an_earlier_life_sent_is_heard_of() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(9);
    hall.join(1);
    hall.begin(1, Wish::Claim);
    hall.begin(2, Wish::Join);
    let batch = hall.batch().unwrap();
    hall.dies();
    hall.open(1);
    hall.turn(|room, now, row| room.perform(now, &Command::Release(lease.fence), LobbyId(0), row));
    hall.push();
    assert_eq!(hall.state(1), State::Called);
    let again = hall.batch().unwrap();
    assert_eq!(bytes(&again), bytes(&batch));
    let message = hall.receive(&again);
    hall.configure(1, false, Mode::SoldOut);
    hall.push();
    assert_ne!(
        hall.state(1),
        State::Over,
        "whoever may be inside is not over"
    );
    hall.deliver(&message);
    while hall.round().is_some() {}
    assert_eq!(hall.ask(1, STATUS).status.state, State::Admitted);
}

/// The answer that carried a call died with the life it was for. The next asks, though no page
/// does.
#[test]
fn a_life_that_finds_sockets_speaks_first() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.save();
    hall.usher();
    hall.dies();
    assert!(!hall.lobby.has_batch(), "nobody is there");
    hall.open(1);
    assert!(hall.round().unwrap().commands.is_empty());
    assert_eq!(hall.state(1), State::Called);
    assert!(!hall.lobby.has_batch());
}

/// The row was written, and then the memory was lost before anybody was told of it.
#[test]
fn what_an_earlier_life_stored_and_did_not_tell_is_told() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.join(2);
    hall.join(3);
    hall.ask(2, Wish::Leave);
    hall.usher_and_push();
    hall.save();
    hall.dies();
    for visitor in 1..=3 {
        hall.open(visitor);
    }
    hall.told.clear();
    hall.round();
    assert_eq!(
        hall.told,
        [who(1), who(2)],
        "called and over, not who just waits"
    );
}

/// That the visitor is in was not stored yet. The release still ends the ticket, by its name.
#[test]
fn who_is_done_is_done_though_the_claim_was_forgotten() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.save();
    hall.usher_and_push();
    let lease = hall.ask(1, Wish::Claim).lease.unwrap();
    hall.dies();
    let told = hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(
        (told.status.state, told.status.reason),
        (State::Over, Some(Reason::Released))
    );
}

/// One tab joins while another still shows an old number: two answers in one batch, about two
/// tickets.
#[test]
fn the_end_of_an_old_number_does_not_end_a_new_ticket_of_the_same_batch() {
    let mut hall = Hall::new(0);
    hall.begin(9, Wish::Join);
    let blocked = hall.batch().unwrap();
    hall.begin(1, Wish::Join);
    hall.begin_as(1, Some(77), Wish::Join);
    let message = hall.receive(&blocked);
    hall.deliver(&message);
    while hall.round().is_some() {}
    assert_eq!((hall.state(1), hall.join(1)), (State::Waiting, 2));
}

/// Nothing is made of what the room once answered in an earlier life, but for the numbers.
#[test]
fn an_old_answer_ends_no_new_ticket() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.ask(1, Wish::Leave);
    hall.join(1);
    hall.begin(1, Wish::Renew(lease.fence));
    hall.begin(2, Wish::Join);
    let batch = hall.batch().unwrap();
    hall.receive(&batch);
    hall.dies();
    hall.round();
    assert_eq!((hall.state(1), hall.join(1)), (State::Waiting, 2));
}

/// Remaining times in a repeated answer are as old as its first. A lease told too long would
/// outlive the room's.
#[test]
fn a_lease_from_an_earlier_life_is_never_told_longer_than_the_rooms() {
    let mut hall = Hall::with(1, true, 1_000);
    hall.begin(1, ARRIVE);
    let batch = hall.batch().unwrap();
    hall.receive(&batch);
    hall.wait(20_000);
    hall.dies();
    hall.round();
    let ends_at_ms = hall.lobby.status(hall.now, WALL_MS, who(1)).ends_at_ms;
    assert!(ends_at_ms <= Some(WALL_MS + 10_000), "{ends_at_ms:?}");
    let lease = hall.ask(1, ARRIVE).lease.expect("the walk-in still stands");
    let (_, grant) = hall.room.permits().of_number(Number(1)).unwrap();
    assert!(hall.now.plus_ms(lease.idle_in_ms) <= grant.due_at());
    assert_eq!(hall.room.line().next(), Number(2));
}

/// Fifty thousand pages come back after a restart: the roster says who has a socket, and nobody
/// is put away for not having one *yet*.
#[test]
fn the_roster_lists_held_tickets_and_puts_nobody_away() {
    let mut hall = Hall::new(0);
    for visitor in 1..=4 {
        hall.join(visitor);
    }
    hall.save();
    hall.dies();
    hall.open(2);
    hall.open(3);
    hall.wait(1_000);
    hall.begin(4, STATUS);
    let batch = hall.round().unwrap();
    assert_eq!(batch.roster, [Number(2), Number(3)]);
    assert_eq!((batch.sequence, hall.room.line().present()), (1, 4));
    hall.begin(5, Wish::Join);
    assert!(
        hall.round().unwrap().roster.is_empty(),
        "only the first of a life"
    );
    // Not seen for the linger of this life: away now.
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    assert_eq!(hall.room.line().present(), 2);
}

/// A page that slept through a call sleeps on, whatever wakes its lobby.
#[test]
fn a_new_life_does_not_call_back_who_missed_a_call_with_an_open_socket() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.usher_and_push();
    hall.wait(30_000);
    hall.usher_and_push();
    hall.save();
    hall.dies();
    hall.open(1);
    hall.join(2);
    assert_eq!(hall.room.line().first_present(), Some(Number(2)));
    hall.ask(1, STATUS);
    assert_eq!(hall.room.line().first_present(), Some(Number(1)));
}

// Presence.

#[test]
fn who_is_not_seen_for_the_linger_is_away_and_keeps_the_place() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS - 1);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.wait(1);
    hall.tick();
    let batch = hall.round().unwrap();
    assert_eq!(batch.commands, [Command::Away(vec![Number(1)])]);
    assert_eq!(
        (hall.room.line().present(), hall.room.line().alive()),
        (0, 1)
    );
    let back = hall.ask(1, STATUS);
    assert_eq!(
        (back.status.state, back.status.number),
        (State::Waiting, Some(Number(1)))
    );
    assert_eq!(hall.room.line().present(), 1);
}

#[test]
fn departures_share_a_command() {
    let mut hall = Hall::new(0);
    for visitor in 1..=20 {
        hall.begin(visitor, Wish::Join);
    }
    hall.round();
    hall.wait(LINGER_MS);
    hall.tick();
    let batch = hall.round().unwrap();
    assert_eq!(batch.commands.len(), 1);
    assert_eq!(hall.room.line().present(), 0);
}

#[test]
fn re_entrance() {
    // A refresh: the socket closes and opens within the linger.
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.open(1);
    hall.wait(60_000);
    hall.tick();
    hall.close(1);
    hall.wait(LINGER_MS - 1);
    hall.tick();
    hall.open(1);
    hall.wait(60_000);
    hall.tick();
    assert!(hall.batch().is_none());
    // A second tab: the place goes away only with the last.
    hall.open(1);
    hall.close(1);
    hall.wait(60_000);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.close(1);
    hall.wait(LINGER_MS + LINGER_MS / 10);
    hall.tick();
    assert_eq!(
        hall.round().unwrap().commands,
        [Command::Away(vec![Number(1)])]
    );
}

#[test]
fn bank_window() {
    // A held poll is as good as a socket while it lasts.
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.lobby.hold(hall.now, who(1));
    hall.wait(LINGER_MS * 3);
    hall.tick();
    assert!(hall.batch().is_none() && hall.lobby.holds(who(1)));
    hall.lobby.unhold(hall.now, who(1));
    hall.wait(LINGER_MS - 1);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.wait(1);
    hall.tick();
    assert!(hall.batch().is_some());
}

#[test]
fn a_poll_of_an_earlier_life_is_not_taken_for_a_socket() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.open(1);
    hall.lobby.hold(hall.now, who(1));
    hall.save();
    hall.dies();
    hall.open(1);
    hall.lobby.unhold(hall.now, who(1));
    assert!(hall.lobby.holds(who(1)), "the socket outlived the memory");
}

/// The room could not be reached for longer than the linger: who came back and vanished again
/// meanwhile must still be told away.
#[test]
fn who_vanishes_while_coming_back_goes_away_again() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    hall.begin(1, STATUS);
    let batch = hall.batch().unwrap();
    hall.wait(LINGER_MS);
    hall.tick();
    let message = hall.receive(&batch);
    hall.deliver(&message);
    assert_eq!(hall.room.line().present(), 1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    assert_eq!(hall.room.line().present(), 0);
}

/// The departure is still waiting when the visitor is back, whose word shares a question that was
/// asked before it: what the room hears last is that the visitor is there.
#[test]
fn a_departure_that_was_overtaken_by_a_return_does_not_stand() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.save();
    hall.dies();
    hall.begin(2, Wish::Join);
    let blocked = hall.batch().unwrap();
    hall.begin(1, STATUS);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.begin(1, STATUS);
    hall.open(1);
    let message = hall.receive(&blocked);
    hall.deliver(&message);
    while hall.round().is_some() {}
    assert_eq!(hall.room.line().first_present(), Some(Number(1)));
}

/// The room never heard of a departure that a dead lobby had noted.
#[test]
fn a_departure_that_died_with_its_lobby_is_told_by_the_next_life() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.save();
    hall.batch();
    hall.dies();
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    assert_eq!(hall.room.line().present(), 0);
}

#[test]
fn leaving_ends_it_for_all_tabs() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.open(1);
    hall.open(1);
    let told = hall.ask(1, Wish::Leave);
    assert_eq!(
        (told.status.state, told.status.reason),
        (State::Over, Some(Reason::Left))
    );
    assert!(hall.told.contains(&who(1)), "the other tab is told");
    assert_eq!(hall.ask(1, Wish::Leave).status.state, State::Over);
    assert_eq!(hall.room.line().alive(), 0);
    assert_eq!(hall.join(1), 2);
}

// What the room says unasked.

#[test]
fn c48_a_push_that_overtakes_its_answer_is_kept_and_not_acknowledged_before_it_is_applied() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    hall.usher_and_push();
    let (lobby, stored) = (hall.lobby.clone(), hall.stored.clone());
    assert_eq!(hall.state(1), State::None);
    hall.deliver(&answer);
    assert_eq!(hall.state(1), State::Called);
    // The life ended before the answer came: the room tells it again.
    (hall.lobby, hall.stored) = (lobby, stored);
    hall.save();
    hall.dies();
    let resent = hall.batch().unwrap();
    assert_eq!(resent.acknowledged, Version(0));
    let message = hall.receive(&resent);
    hall.deliver(&message);
    assert_eq!(hall.state(1), State::Called);
}

#[test]
fn an_older_version_changes_nothing() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.usher();
    let called = hall.message();
    hall.pushed(&called);
    hall.ask(1, Wish::Claim).lease.expect("in");
    let known = *hall.lobby.ticket(who(1)).unwrap();
    hall.pushed(&called);
    assert_eq!(*hall.lobby.ticket(who(1)).unwrap(), known);
}

#[test]
fn a_notice_is_acknowledged_only_once_it_is_saved() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.save();
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
    assert!(!hall.lobby.must_save_first(), "the room can tell it again");
    assert_eq!(
        hall.lobby.due_at(),
        Some(hall.now.plus_ms(SAVE_AFTER_MS)),
        "but soon"
    );
    // A batch that is not stored acknowledges nothing new.
    hall.begin(1, Wish::Claim);
    let unsaved = hall.batch().unwrap();
    assert_eq!(unsaved.acknowledged, Version(0));
    hall.save();
    let message = hall.receive(&unsaved);
    hall.deliver(&message);
    hall.begin(2, Wish::Join);
    assert!(hall.batch().unwrap().acknowledged > Version(0));
}

#[test]
fn a_missed_call_makes_away_though_the_socket_is_open_and_the_next_word_brings_back() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
    hall.wait(30_000);
    hall.usher_and_push();
    let status = hall.lobby.status(hall.now, WALL_MS, who(1));
    assert_eq!((status.state, status.missed), (State::Waiting, true));
    assert_eq!(hall.room.line().present(), 0);
    hall.ask(1, STATUS);
    assert_eq!(hall.room.line().present(), 1);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
    hall.wait(30_000);
    hall.usher_and_push();
    let status = hall.lobby.status(hall.now, WALL_MS, who(1));
    assert_eq!(
        (status.state, status.reason),
        (State::Over, Some(Reason::Missed))
    );
}

/// Whoever comes a moment too late has come: the place is there, and so is its holder.
#[test]
fn a_claim_too_late_is_a_word_too() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.usher_and_push();
    hall.wait(30_000);
    hall.usher();
    // The lobby has not heard of it yet.
    let told = hall.ask(1, Wish::Claim);
    assert_eq!(
        (told.status.state, told.status.missed),
        (State::Waiting, true)
    );
    while hall.round().is_some() {}
    hall.push();
    while hall.round().is_some() {}
    assert_eq!(hall.room.line().present(), 1, "in the room as in the lobby");
    hall.wait(1_000);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
}

/// The same, and the call died with the life that had heard of it.
/// The room heard from the life before that somebody went away, and this life did not. A claim brings nobody back,
/// so its answer must not be taken for the room's word that the visitor is there. Found by the simulator, 250 million
/// steps in.
#[test]
fn who_claims_in_a_new_life_is_brought_back_as_well() {
    let mut hall = Hall::new(0);
    hall.begin(1, Wish::Join);
    hall.settle();
    hall.save();
    hall.wait(LINGER_MS);
    hall.tick();
    let away = hall.batch().expect("away");
    hall.receive(&away);
    assert_eq!(hall.room.line().present(), 0);
    hall.dies();
    // Somebody else is the first to speak in this life.
    hall.begin(2, Wish::Join);
    hall.settle();
    hall.begin(1, Wish::Claim);
    hall.settle();
    hall.open(1);
    hall.settle();
    assert_eq!(hall.room.line().present(), 2);
}

/// A life that knows of a call, but not of the claim and the lease's end that came after it.
#[test]
fn a_lease_that_ended_while_the_lobby_was_dead_is_told_as_expired() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    hall.settle();
    hall.save();
    assert_eq!(hall.state(1), State::Called);
    // The claim is taken by the room, and the answer dies with the lobby.
    hall.begin(1, Wish::Claim);
    let batch = hall.batch().expect("the claim");
    hall.receive(&batch);
    hall.dies();
    hall.wait(400_000);
    hall.usher();
    let told = hall.ask(1, STATUS);
    assert_eq!(told.status.state, State::Over);
    assert_eq!(told.status.reason, Some(Reason::Expired));
}

#[test]
fn a_claim_too_late_after_a_forgotten_call_is_a_word_too() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.save();
    hall.usher_and_push();
    hall.dies();
    hall.open(1);
    hall.wait(30_000);
    hall.usher();
    hall.ask(1, Wish::Claim);
    while hall.round().is_some() {}
    assert_eq!(hall.room.line().present(), 1, "in the room as in the lobby");
}

// Ends and numbers.

#[test]
fn the_end_is_told_once_to_who_shows_the_number_and_then_a_new_ticket() {
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.wait(60_000);
    hall.usher_and_push();
    let told = hall.ask_as(1, Some(1), ARRIVE);
    assert_eq!(
        (told.status.state, told.status.reason),
        (State::Over, Some(Reason::Expired))
    );
    assert!(told.lease.is_none() && !told.issued);
    // The front has cleared the ticket.
    let told = hall.ask(1, ARRIVE);
    assert_eq!((told.status.number, told.issued), (Some(Number(2)), true));
}

#[test]
fn a_signed_number_that_is_not_known_here_is_asked_for() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.join(9);
    hall.stored = Book::default();
    hall.wait(1);
    hall.dies();
    let told = hall.ask_as(1, Some(1), Wish::Join);
    assert_eq!(
        (told.status.state, told.status.number),
        (State::Waiting, Some(Number(1)))
    );
    assert!(!told.issued);
    let told = hall.ask_as(2, Some(77), Wish::Join);
    assert_eq!(
        told.status.number,
        Some(Number(3)),
        "the room never issued 77"
    );
    assert!(told.issued);
}

#[test]
fn segments() {
    // A full lobby passes visitors on to the next, and for good.
    let mut hall = Hall::with(0, false, 2);
    hall.join(1);
    hall.join(2);
    assert!(hall.ask(3, Wish::Join).full);
    assert!(!hall.ask(1, Wish::Join).full, "who has a ticket stays");
    hall.ask(1, Wish::Leave);
    assert!(
        hall.ask(3, Wish::Join).full,
        "has a ticket elsewhere by now"
    );
    hall.save();
    hall.dies();
    assert!(hall.ask(3, Wish::Join).full, "also in the next life");
    assert_eq!(hall.join(4), 3);
    assert!(!hall.ask(3, STATUS).full);
    // What is still in flight counts, and its own second ask is not passed on.
    let mut hall = Hall::with(1, true, 1);
    let first = hall.begin(1, ARRIVE);
    let second = hall.begin(1, ARRIVE);
    assert!(hall.ask(2, Wish::Join).full);
    while hall.round().is_some() {}
    for index in [first, second] {
        assert_eq!(hall.answer(index).map(|told| told.full), Some(false));
    }
}

#[test]
fn who_leaves_one_by_one_is_looked_at_together() {
    let mut hall = Hall::new(0);
    for visitor in 1..=100 {
        hall.join(visitor);
        hall.open(visitor);
    }
    let first_at = hall.now.plus_ms(10);
    for visitor in 1..=100 {
        hall.wait(10);
        hall.close(visitor);
    }
    hall.now = Instant(first_at.0 + LINGER_MS - 1);
    hall.tick();
    while hall.round().is_some() {}
    assert_eq!(hall.room.line().present(), 100, "nobody is away too soon");
    let last_at = Instant(first_at.0 + 990 + LINGER_MS + LINGER_MS / 10);
    let mut looks = 0;
    while let Some(due_at) = hall.lobby.due_at().filter(|due_at| *due_at <= last_at) {
        hall.now = hall.now.max(due_at);
        hall.tick();
        while hall.round().is_some() {}
        hall.save();
        looks += 1;
    }
    assert_eq!(hall.room.line().present(), 0);
    assert!(
        looks <= 3,
        "a hundred departures within a second: {looks} looks"
    );
}

// Leases.

#[test]
fn a_claim_twice_is_one_lease() {
    let mut hall = Hall::new(2);
    let first = hall.admit(1);
    hall.wait(1_000);
    let again = hall.ask(1, Wish::Claim).lease.unwrap();
    assert_eq!((again.number, again.fence), (first.number, first.fence));
    assert_eq!(hall.room.permits().leased(), 1);
    let arrived = hall.ask(1, ARRIVE).lease.unwrap();
    assert_eq!(arrived.fence, first.fence);
}

#[test]
fn a_landing_asks_the_room_once() {
    for wish in [ARRIVE, Wish::Claim] {
        let mut hall = Hall::new(1);
        hall.join(1);
        hall.usher_and_push();
        let landing = hall.begin(1, wish);
        let batch = hall.round().expect("a batch");
        assert_eq!(batch.commands, [Command::Claim(Number(1))], "{wish:?}");
        let told = hall.answer(landing).expect("told after one trip");
        assert!(told.lease.is_some(), "{wish:?}");
        assert_eq!(hall.round(), None, "{wish:?}");
    }
}

#[test]
fn a_renewal_of_an_old_fence_gets_no_lease() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    assert!(
        hall.ask(1, Wish::Renew(Fence(lease.fence.0 + 5)))
            .lease
            .is_none()
    );
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_some());
    hall.ask(1, Wish::Release(lease.fence));
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_none());
    let second = hall.admit(1);
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_none());
    assert!(
        hall.ask(
            1,
            Wish::Extend {
                fence: lease.fence,
                by_ms: 9
            }
        )
        .lease
        .is_none()
    );
    assert_eq!(
        hall.ask(1, Wish::Renew(second.fence)).lease.unwrap().fence,
        second.fence
    );
    assert_eq!(hall.state(1), State::Admitted);
}

#[test]
fn a_release_passes_the_permit_on() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.join(2);
    let told = hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(
        (told.status.state, told.status.reason),
        (State::Over, Some(Reason::Released))
    );
    hall.push();
    assert_eq!(hall.state(2), State::Called);
    hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(hall.room.permits().called(), 1);
}

#[test]
fn a_lease_on_its_way_back_is_told_to_nobody() {
    for back in [Wish::Leave, Wish::Release(Fence(1))] {
        let mut hall = Hall::new(1);
        assert_eq!(hall.admit(1).fence, Fence(1));
        hall.begin(1, back);
        let asked = hall.begin(1, Wish::Join);
        let told = hall.answer(asked).unwrap();
        assert_eq!((told.status.state, told.lease), (State::Admitted, None));
    }
}

#[test]
fn an_old_fence_confirms_no_new_ticket() {
    // Else a life that knows the ticket from its book alone takes the visitor for present, and the
    // room, which holds it for away, is never told.
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.ask(1, Wish::Release(lease.fence));
    let number = hall.join(1);
    hall.save();
    hall.dies();
    hall.ask(1, Wish::Renew(lease.fence));
    let asked = hall.begin(1, Wish::Join);
    assert!(hall.answer(asked).is_none());
    let commands = hall.batch().map(|batch| batch.commands);
    assert_eq!(commands, Some(vec![Command::Back(Number(number))]));
}

#[test]
fn lock_with_a_watchdog() {
    // While a socket is open the lease slides by itself, up to its hard end.
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.open(1);
    let mut slid = 0;
    while hall.now < Instant(1_000_000 + 290_000) {
        hall.lobby.frame_to_send(hall.now);
        let Some(due) = hall.lobby.due_at() else {
            break;
        };
        hall.now = due.max(hall.now.plus_ms(1));
        hall.tick();
        while hall.round().is_some() {
            slid += 1;
        }
        hall.usher_and_push();
        assert_eq!(hall.state(1), State::Admitted, "at {}", hall.now);
    }
    assert!((5..40).contains(&slid), "{slid} renewals");
    assert!(
        hall.now > Instant(1_000_000 + 200_000),
        "asleep at {}",
        hall.now
    );
    hall.wait(100_000);
    hall.tick();
    hall.settle();
    assert_eq!(hall.state(1), State::Over);
    // Nobody there: it ends when it is idle.
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.wait(59_000);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.wait(1_000);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Over);
}

/// However often the page is opened anew, one lease needs one timer.
#[test]
fn reopening_does_not_multiply_the_renewals() {
    let mut hall = Hall::new(1);
    hall.admit(1);
    for _ in 0..50 {
        hall.wait(10);
        hall.open(1);
        hall.close(1);
    }
    hall.open(1);
    let mut renewals = 0;
    let end = hall.now.plus_ms(120_000);
    while let Some(due) = hall.lobby.due_at().filter(|at| *at < end) {
        hall.now = due.max(hall.now.plus_ms(1));
        hall.tick();
        hall.lobby.frame_to_send(hall.now);
        while hall.round().is_some() {
            renewals += 1;
        }
    }
    assert!(
        (3..10).contains(&renewals),
        "{renewals} renewals in two minutes"
    );
}

// Status.

#[test]
fn ahead_never_rises_whatever_the_order_of_frames_and_answers() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut hall = Hall::new(2);
        let mut kept: Vec<Message> = vec![];
        let mut least = [u64::MAX; 300];
        for visitor in 0..220 {
            hall.begin(visitor, Wish::Join);
        }
        hall.round();
        for step in 0..60 {
            hall.wait(rng.u64(0..4_000));
            match rng.u8(0..6) {
                0 => {
                    let visitor = 220 + step;
                    hall.begin(visitor, Wish::Join);
                    hall.round();
                }
                1 => hall.usher(),
                2 => {
                    let visitor = rng.u32(0..220);
                    hall.ask(visitor, Wish::Leave);
                }
                3 => {
                    let visitor = rng.u32(0..220);
                    hall.ask(visitor, STATUS);
                }
                _ => kept.push(hall.message()),
            }
            if !kept.is_empty() && rng.bool() {
                let message = kept.swap_remove(rng.usize(0..kept.len()));
                hall.pushed(&message);
            }
            for visitor in 0..300 {
                let Some(ahead) = hall.ahead(visitor) else {
                    continue;
                };
                let shown = &mut least[visitor as usize];
                assert!(
                    ahead <= *shown,
                    "seed {seed}: {visitor} had {shown}, has {ahead}"
                );
                *shown = ahead;
            }
        }
    }
}

#[test]
fn a_missed_call_raises_nobodys_ahead() {
    let mut hall = Hall::new(1);
    for visitor in 1..=5 {
        hall.join(visitor);
    }
    hall.push();
    hall.ask(1, Wish::Leave);
    hall.ask(2, Wish::Leave);
    hall.push();
    assert_eq!(hall.ahead(3), Some(0));
    hall.usher_and_push();
    assert_eq!(hall.state(3), State::Called);
    hall.wait(30_000);
    hall.usher();
    // The notice comes without a frame.
    let bare = Message {
        frame: None,
        ..hall.message()
    };
    hall.pushed(&bare);
    assert_eq!((hall.state(3), hall.ahead(3)), (State::Waiting, Some(0)));
}

/// What a frame showed is not stored: a new life does not fall back on what was.
#[test]
fn a_new_life_shows_no_ahead_but_the_rooms_own() {
    let mut hall = Hall::new(1);
    for visitor in 1..=5 {
        hall.join(visitor);
    }
    hall.save();
    hall.ask(1, Wish::Leave);
    hall.push();
    assert_eq!(hall.ahead(5), Some(3));
    hall.dies();
    assert_eq!(hall.ahead(5), None);
    // A notice confirms the ticket and says nothing of those in front.
    hall.usher();
    let bare = Message {
        frame: None,
        ..hall.message()
    };
    hall.pushed(&bare);
    hall.wait(30_000);
    hall.usher();
    let bare = Message {
        frame: None,
        ..hall.message()
    };
    hall.pushed(&bare);
    assert_eq!((hall.state(2), hall.ahead(2)), (State::Waiting, None));
    assert_eq!(hall.ask(5, STATUS).status.ahead, Some(3));
}

#[test]
fn a_frame_that_comes_late_to_a_new_life_shows_nobody_more_people_than_before() {
    let mut hall = Hall::new(1);
    for visitor in 1..=5 {
        hall.join(visitor);
    }
    hall.save();
    let late = hall.message();
    hall.ask(1, Wish::Leave);
    hall.push();
    assert_eq!(hall.ahead(5), Some(3));
    hall.dies();
    hall.pushed(&late);
    assert_eq!(hall.ahead(5), None);
    assert_eq!(hall.ask(5, STATUS).status.ahead, Some(3));
}

#[test]
fn the_wait_is_a_range_that_is_told_when_it_was_measured() {
    let mut hall = Hall::new(1);
    for visitor in 1..=12 {
        hall.join(visitor);
    }
    let before = hall.lobby.status(hall.now, WALL_MS, who(12));
    assert_eq!((before.eta_min_s, before.eta_max_s), (None, None));
    for visitor in 1..=6 {
        hall.wait(2_000);
        hall.usher_and_push();
        let fence = hall.ask(visitor, Wish::Claim).lease.unwrap().fence;
        hall.ask(visitor, Wish::Release(fence));
    }
    hall.push();
    let status = hall.lobby.status(hall.now, WALL_MS, who(12));
    let (least, most) = (status.eta_min_s.unwrap(), status.eta_max_s.unwrap());
    assert!(
        least >= 1 && least < most && most < 120,
        "{least} to {most}"
    );
    assert_eq!(status.poll_after_s, (least / 8).clamp(2, 20));
}

#[test]
fn the_room_is_looked_at_when_its_word_is_old() {
    let mut hall = Hall::new(1);
    assert!(hall.lobby.must_look(hall.now));
    hall.join(1);
    assert!(!hall.lobby.must_look(hall.now));
    hall.wait(4_999);
    assert!(!hall.lobby.must_look(hall.now));
    hall.wait(1);
    assert!(hall.lobby.must_look(hall.now));
    hall.push();
    assert!(!hall.lobby.must_look(hall.now));
}

#[test]
fn nothing_to_do_means_no_alarm() {
    let mut hall = Hall::new(0);
    assert_eq!(hall.lobby.due_at(), None);
    hall.join(1);
    hall.open(1);
    hall.push();
    while let Some(due) = hall.lobby.due_at() {
        assert!(due < Instant(1_100_000), "ever and ever: {due}");
        hall.now = due.max(hall.now);
        hall.tick();
        hall.save();
        hall.lobby.frame_to_send(hall.now);
        while hall.round().is_some() {}
    }
    hall.close(1);
    assert!(hall.lobby.due_at().is_some(), "may go away");
}

#[test]
fn frames_go_out_once_a_tick_and_only_when_somebody_looks() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.push();
    assert_eq!(hall.lobby.frame_to_send(hall.now), None);
    hall.open(1);
    assert!(hall.lobby.frame_to_send(hall.now).is_some());
    hall.join(2);
    hall.push();
    assert_eq!(hall.lobby.frame_to_send(hall.now), None, "within the tick");
    hall.wait(1_000);
    assert!(hall.lobby.frame_to_send(hall.now).is_some());
    hall.wait(1_000);
    assert_eq!(hall.lobby.frame_to_send(hall.now), None, "nothing new");
}

#[test]
fn a_change_of_mode_is_told_to_everybody() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.configure(1, false, Mode::Paused);
    let message = hall.message();
    let delivered = hall.lobby.pushed(hall.now, &message);
    assert!(delivered.everybody);
    assert!(!hall.lobby.pushed(hall.now, &message).everybody, "once");
}

// Bounds.

#[test]
fn those_who_are_over_or_passed_on_are_forgotten_in_the_end() {
    let mut book = Book::default();
    for visitor in 0..REMEMBERED_MAX as u32 + 50 {
        book.apply(&LobbyEvent::PassedOn(who(visitor)));
    }
    let size = postcard::to_allocvec(&book).unwrap().len();
    for visitor in 0..200 {
        book.apply(&LobbyEvent::PassedOn(who(1_000_000 + visitor)));
    }
    assert_eq!(postcard::to_allocvec(&book).unwrap().len(), size);
    let now = Instant(5);
    let config = Hall::with(0, false, 9).config;
    let mut lobby = Lobby::wake(LobbyId(0), config, book, now);
    let ask = |visitor| Ask {
        visitor: who(visitor),
        shown: None,
        wish: Wish::Join,
    };
    let full = |answer| matches!(answer, Answer::Now(told) if told.full);
    assert!(full(lobby.ask(
        now,
        WALL_MS,
        &ask(1_000_100),
        &Progress::default()
    )));
    assert!(
        !full(lobby.ask(now, WALL_MS, &ask(0), &Progress::default())),
        "the oldest"
    );
}

/// A push that comes again and again while an answer is late is kept once.
#[test]
fn early_notices_do_not_pile_up() {
    let mut hall = Hall::new(3);
    for visitor in 1..=3 {
        hall.begin(visitor, Wish::Join);
    }
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    hall.usher();
    let push = hall.message();
    for _ in 0..1_000 {
        hall.pushed(&push);
    }
    let noticed = format!("{:?}", hall.lobby).matches("Called {").count();
    assert!(noticed <= 3, "{noticed} notices kept");
    hall.deliver(&answer);
    assert_eq!(
        (1..=3).map(|v| hall.state(v)).collect::<Vec<_>>(),
        [State::Called; 3]
    );
}

// Strict rooms: a look at the room before each request.

impl Hall {
    /// The room's answer to a check, as the lobby tells it on.
    fn check(&mut self, visitor: u32, fence: Fence) -> Option<Told> {
        let standing = self.room.check(self.now, fence);
        self.hears_of(visitor, fence, self.now, &standing)
    }

    fn hears_of(
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

#[test]
fn a_check_tells_the_lease_and_asks_for_nothing() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.settle();
    hall.wait(1_000);
    let (room, stored) = (hall.room.clone(), hall.stored.clone());
    let told = hall.check(1, lease.fence).expect("alive");
    assert_eq!(told.status.state, State::Admitted);
    let checked = told.lease.expect("the lease");
    assert_eq!((checked.number, checked.fence), (lease.number, lease.fence));
    assert_eq!(checked.idle_in_ms, lease.idle_in_ms - 1_000);
    assert_eq!(checked.hard_in_ms, lease.hard_in_ms - 1_000);
    assert!(!hall.lobby.has_batch(), "no batch follows");
    assert_eq!(
        (hall.room, hall.stored),
        (room, stored),
        "nothing is stored"
    );
}

#[test]
fn an_answer_that_took_long_tells_of_less() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    let asked_at = hall.now;
    let standing = hall.room.check(hall.now, lease.fence);
    hall.wait(5_000);
    let told = hall.hears_of(1, lease.fence, asked_at, &standing);
    let checked = told.and_then(|told| told.lease).expect("the lease");
    assert_eq!(checked.idle_in_ms, lease.idle_in_ms - 5_000);
}

#[test]
fn a_check_slides_a_lease_whose_idle_end_comes_near() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.settle();
    hall.wait(lease.idle_in_ms / 2);
    hall.check(1, lease.fence).expect("alive");
    let batch = hall.round().expect("a batch");
    assert_eq!(batch.commands, [Command::Renew(lease.fence)]);
}

#[test]
fn a_check_finds_no_lease_after_its_release_nor_while_that_is_on_its_way() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    let alive = hall.room.check(hall.now, lease.fence);
    hall.begin(1, Wish::Release(lease.fence));
    assert_eq!(
        hall.hears_of(1, lease.fence, hall.now, &alive),
        None,
        "the room said so before it heard of the release"
    );
    hall.settle();
    assert_eq!(hall.room.check(hall.now, lease.fence), Standing::Over);
    assert_eq!(hall.check(1, lease.fence), None);
    let told = hall.ask(1, Wish::Check(lease.fence));
    assert_eq!(told.lease, None);
    assert_eq!(told.status.reason, Some(Reason::Released));
}

#[test]
fn a_check_of_an_old_fence_finds_nothing_though_the_visitor_has_a_newer_lease() {
    let mut hall = Hall::new(1);
    let old = hall.admit(1);
    hall.ask(1, Wish::Release(old.fence));
    let new = hall.admit(1);
    assert_eq!(hall.check(1, old.fence), None);
    assert_eq!(hall.ask(1, Wish::Check(old.fence)).lease, None);
    assert!(hall.check(1, new.fence).is_some());
    let newer = hall.room.check(hall.now, new.fence);
    assert_eq!(hall.hears_of(1, old.fence, hall.now, &newer), None);
}
