//! Random walks over the room's core: after every command every law is checked, and every row is
//! folded into a copy of the state before it. A failure prints the seed that replays it:
//! `BATON_SEED=<seed> cargo test --test room_random`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

use baton::facts::answer_times::AnswerTimes;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::Row;
use baton::facts::holder::{Held, Holder};
use baton::facts::overheard::Overheard;
use baton::facts::proofs::ProofChecks;
use baton::facts::reply::Standing;
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

struct Walk {
    rng: fastrand::Rng,
    room: Room,
    now: Instant,
    last: Option<(LobbyId, Vec<Command>)>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let rng = fastrand::Rng::with_seed(seed);
        let mut walk = Self {
            rng,
            room: Room::new(),
            now: Instant(1_000_000),
            last: None,
        };
        let config = walk.config();
        walk.turn(|room, _, row| room.configure(&config, row));
        walk
    }

    fn config(&mut self) -> RoomConfig {
        RoomConfig {
            permits: self.rng.u32(0..6),
            mode: match self.rng.bool() {
                true => Mode::Open,
                false => *self.rng.choice(&Mode::ALL).unwrap(),
            },
            walk_in: self.rng.bool(),
            tick_ms: 1_000,
            claim_within_ms: 3_000,
            grace_ms: 20_000,
            lease_idle_ms: 8_000,
            lease_max_ms: 30_000,
            lease_extend_max_ms: 10_000,
            admissions_milli_per_s: *self.rng.choice(&[0, 0, 500, 3_000]).unwrap(),
            origin_errors_max_percent: *self.rng.choice(&[0, 40]).unwrap(),
            origin_errors_window_ms: *self.rng.choice(&[1_000, 5_000]).unwrap(),
            stock_line: self.rng.bool(),
            line_max: *self.rng.choice(&[0, 0, 5]).unwrap(),
            ..RoomConfig::default()
        }
    }

    fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        laws::check_row(&before, &self.room, &row)
            .and_then(|()| laws::check_state(&self.room, self.now))
            .and_then(|()| laws::turn_is_idempotent(&self.room, self.now))
            .unwrap_or_else(|violation| panic!("{violation}\nrow: {row:#?}"));
        result
    }

    fn number(&mut self) -> Number {
        Number(self.rng.u64(0..self.room.line().next().0 + 2))
    }

    fn fence(&mut self) -> Fence {
        let last = self.room.permits().last_fence().0;
        Fence(self.rng.u64(last.saturating_sub(6)..last + 2))
    }

    /// One of a few people, so that keys come again.
    fn person(&mut self) -> Holder {
        wishes::holder(self.rng.u64(0..40))
    }

    /// A number with whoever holds it, or with somebody else.
    fn held(&mut self) -> Held {
        let number = self.number();
        match self.rng.u8(0..6) {
            0 => Held {
                number,
                key: self.person().key,
            },
            _ => wishes::held(&self.room, number),
        }
    }

    fn some(&mut self) -> Vec<Held> {
        (0..self.rng.usize(0..4)).map(|_| self.held()).collect()
    }

    fn claim(&mut self) -> Command {
        let number = self.number();
        wishes::claim(&self.room, number)
    }

    fn command(&mut self) -> Command {
        match self.rng.u8(0..18) {
            0..3 => Command::join((0..self.rng.u32(1..5)).map(|_| self.person()).collect::<Vec<_>>()),
            3 | 4 => Command::walk_in(self.person()),
            5..8 => self.claim(),
            8 => Command::Renew(self.fence()),
            9 => Command::Extend {
                fence: self.fence(),
                total_ms: self.rng.u64(0..12_000),
            },
            10 | 11 => Command::Release(self.fence()),
            12 => Command::Leave(self.held()),
            14 => Command::Carry {
                place: self.held(),
                row: Version(self.rng.u64(0..=self.room.version().0)),
                to: self.person(),
            },
            16 => wishes::stock(self.rng.u32(0..100), self.rng.u64(0..1_000)),
            17 | 18 => wishes::overheard(Overheard {
                proofs: ProofChecks {
                    ok: self.rng.u64(0..3),
                    mac: self.rng.u64(0..2),
                    ..ProofChecks::default()
                },
                times: AnswerTimes::one(self.rng.u64(0..100_000)),
                ..Overheard::default()
            }),
            15 => wishes::origin(self.rng.u32(0..12), self.rng.u32(0..12)),
            _ => Command::Presence {
                as_of: Version(self.rng.u64(0..=self.room.version().0)),
                here: self.some(),
                away: self.some(),
            },
        }
    }

    fn step(&mut self) {
        match self.rng.u8(0..20) {
            0 => {
                let config = self.config();
                self.turn(|room, _, row| room.configure(&config, row));
            }
            8 => {
                let number = self.number();
                self.turn(|room, now, row| room.dismiss(now, number, "desk", row));
            }
            1..7 => {
                self.now = self.now.plus_ms(*self.rng.choice(&[0, 1, 200, 1_000, 4_000]).unwrap());
                self.turn(|room, now, row| room.take_turn(now, row));
            }
            7 => self.repeat(),
            _ => {
                self.now = self.now.plus_ms(self.rng.u64(0..300));
                let lobby = LobbyId(self.rng.u16(0..3));
                let commands: Vec<Command> = (0..self.rng.usize(0..5)).map(|_| self.command()).collect();
                self.each_is_done_once(lobby, &commands);
                self.turn(|room, now, row| room.take(now, lobby, &commands, 1, row));
                let replies = self.room.case(self.now).answers(lobby, &commands);
                assert_eq!(replies.len(), commands.len());
                self.last = Some((lobby, commands));
            }
        }
    }

    /// Whatever names what it means may come twice: right behind itself it changes nothing more. On a copy, since the commands that follow may give
    /// it something to do again.
    fn each_is_done_once(&self, lobby: LobbyId, commands: &[Command]) {
        let mut room = self.room.clone();
        for command in commands {
            let mut row = room.open_row(self.now);
            room.perform(self.now, command, lobby, &mut row);
            laws::done_twice_is_done_once(&room, self.now, command, lobby).unwrap_or_else(|violation| panic!("{violation}\nrow: {row:#?}"));
        }
    }

    /// A copy of the last batch comes long after it.
    fn repeat(&mut self) {
        let Some((lobby, commands)) = self.last.clone() else {
            return;
        };
        self.each_is_done_once(lobby, &commands);
        for command in &commands {
            self.turn(|room, now, row| room.perform(now, command, lobby, row));
        }
    }

    /// When faults and commands stop, everybody present is served in order, within the bound.
    fn drain(&mut self) {
        let config = RoomConfig {
            permits: 2,
            mode: Mode::Open,
            ..self.config()
        };
        self.turn(|room, _, row| room.configure(&config, row));
        // Somebody who was away then may have been called after whoever was behind.
        let called_before = self.room.permits().last_fence();
        let mut last_called = Number(0);
        for _ in 0..10_000 {
            if self.room.line().present() == 0 {
                return;
            }
            self.now = self.room.case(self.now).due_at().expect("work is pending").max(self.now);
            self.turn(|room, now, row| room.take_turn(now, row));
            let called: Vec<Number> = self
                .room
                .permits()
                .out()
                .filter(|(_, grant)| matches!(self.room.tickets().standing(self.now, grant.number), Standing::Called { .. }))
                .map(|(_, grant)| grant.number)
                .collect();
            for number in called {
                let (fence, _) = self.room.permits().of_number(number).expect("called");
                if fence > called_before {
                    assert!(number > last_called || self.room.line().missed(number));
                    last_called = last_called.max(number);
                }
                let lobby = self.room.tickets().lobby_of(number).expect("called");
                let commands = [wishes::claim(&self.room, number), Command::Release(fence)];
                for command in commands {
                    self.turn(|room, now, row| room.perform(now, &command, lobby, row));
                }
            }
        }
        panic!("{} still wait", self.room.line().present());
    }
}

fn seeds() -> Vec<u64> {
    match option_env!("BATON_SEED").and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..60).collect(),
    }
}

#[test]
fn every_law_holds_after_every_command() {
    for seed in seeds() {
        println!("BATON_SEED={seed} cargo test --test room_random");
        let mut walk = Walk::new(seed);
        for _ in 0..400 {
            walk.step();
        }
        walk.drain();
    }
}

#[test]
fn the_stored_form_round_trips() {
    for seed in seeds() {
        let mut walk = Walk::new(seed);
        for _ in 0..200 {
            walk.step();
        }
        let bytes = postcard::to_allocvec(&walk.room).expect("encodes");
        let back = wishes::come_back(&walk.room);
        assert_eq!(back, walk.room);
        laws::check_state(&back, walk.now).expect("lawful, and every key leads to its place");
        assert_eq!(postcard::to_allocvec(&back).expect("encodes"), bytes);
    }
}
