//! Work for the core, in portions that a caller can time: `prepare` once, then `work` again and again.
//!
//! The same code runs natively (`main.rs`) and as wasm (`bench/core.mjs` calls the exports). It reads no clock. All
//! chance comes from one small generator, so both do the very same work.

use baton::room::Room;
use baton::room::command::{Batch, Command, Reply};
use baton::room::config::RoomConfig;
use baton::units::{Fence, Instant, LobbyId, Number, Version};

/// Xorshift64*, as in Vigna, *An experimental exploration of Marsaglia's xorshift generators* (2016).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % end
    }
}

/// A room with a line, and what it takes to go on working on it.
pub struct Bench {
    room: Room,
    dice: Dice,
    now: Instant,
    sequence: u64,
    issued: u64,
}

const PERMITS: u32 = 1_000;
const HOUR_MS: u64 = 3_600_000;

impl Bench {
    /// `waiting` people in line with `holes` in a hundred gone at random, every permit in use.
    pub fn new(waiting: u64, holes: u64) -> Self {
        let mut bench = Self {
            room: Room::new(),
            dice: Dice(0x9E37_79B9_7F4A_7C15),
            now: Instant(1_000_000_000),
            sequence: 0,
            issued: 0,
        };
        bench.configure(PERMITS);
        bench.join_all(u64::from(PERMITS));
        for number in bench.call_all() {
            bench.batch(vec![Command::Claim(number)]);
        }
        // Portion by portion, so that never more than `waiting` are in line: a room takes `LINE_MAX`.
        let mut left = waiting * 100 / (100 - holes);
        while left > 0 {
            let some = left.min(10_000);
            let first = bench.issued + 1;
            bench.join_all(some);
            for number in first..first + some {
                if bench.dice.below(100) < holes {
                    bench.perform(&Command::Leave(Number(number)));
                }
            }
            left -= some;
        }
        bench
    }

    fn configure(&mut self, permits: u32) {
        let config = RoomConfig {
            permits,
            walk_in: false,
            grace_ms: HOUR_MS,
            lease_idle_ms: 10 * HOUR_MS,
            lease_max_ms: 20 * HOUR_MS,
            ..RoomConfig::default()
        };
        let mut row = self.room.open_row(self.now);
        self.room.configure(&config, &mut row);
    }

    fn perform(&mut self, command: &Command) -> Reply {
        let mut row = self.room.open_row(self.now);
        self.room.perform(self.now, command, LobbyId(0), &mut row)
    }

    /// As lobbies do it: one batch, one row.
    fn batch(&mut self, commands: Vec<Command>) -> Vec<Reply> {
        self.sequence += 1;
        let batch = Batch {
            lobby: LobbyId(0),
            epoch: 1,
            sequence: self.sequence,
            attempts: 0,
            edition: self.room.edition(),
            acknowledged: self.room.version(),
            roster: Vec::new(),
            commands,
        };
        let mut row = self.room.open_row(self.now);
        let message = self.room.receive(self.now, &batch, &mut row);
        message.map(|message| message.replies).unwrap_or_default()
    }

    fn join_all(&mut self, count: u64) {
        let mut left = count;
        while left > 0 {
            let some = left.min(10_000) as u32;
            self.batch(vec![Command::Join { count: some }]);
            left -= u64::from(some);
        }
        self.issued += count;
    }

    /// The usher's turns until every free permit is given; whom it called.
    fn call_all(&mut self) -> Vec<Number> {
        let mut row = self.room.open_row(self.now);
        self.room.take_turn(self.now, &mut row);
        let called = self.room.permits().out();
        called
            .filter(|(_, grant)| matches!(grant.stage, baton::room::permits::Stage::Called { .. }))
            .map(|(_, grant)| grant.number)
            .collect()
    }

    /// `batches` batches of `size` joins each; how many joined, by the room's own count.
    pub fn join(&mut self, batches: u64, size: u32) -> u64 {
        let before = self.waiting();
        for _ in 0..batches {
            self.batch(vec![Command::Join { count: size }]);
            self.issued += u64::from(size);
        }
        self.waiting() - before
    }

    /// So many look-ups of people ahead, of random numbers; a sum, so that nothing is left out.
    pub fn ahead(&mut self, count: u64) -> u64 {
        let mut sum = 0_u64;
        for _ in 0..count {
            let number = Number(self.dice.below(self.issued) + 1);
            sum = sum.wrapping_add(self.room.ahead(number).0);
        }
        sum
    }

    /// So many cycles, by batches of a hundred: permits come back, the baton calls the next ones, who claim them.
    /// How many were.
    pub fn cycles(&mut self, count: u64) -> u64 {
        let mut done = 0;
        while done < count {
            let some = (count - done).min(100);
            let out = self.room.permits().out().map(|(fence, _)| fence);
            let releases = out.take(some as usize).map(Command::Release).collect();
            self.batch(releases);
            let newest = self.room.permits().last_fence().0;
            let called = (newest + 1 - some..=newest)
                .filter_map(|fence| Some(self.room.permits().grant(Fence(fence))?.number));
            let claims: Vec<Command> = called.map(Command::Claim).collect();
            if claims.is_empty() {
                break;
            }
            done += self.batch(claims).len() as u64;
        }
        done
    }

    /// Puts `away` people at the head of the line away, `first` of them so that they run out of grace together and
    /// soonest, and frees `calls` permits. The next [`turn`](Self::turn) has all of that to do.
    pub fn prepare_turn(&mut self, away: u64, first: u64, calls: u32) {
        let head: Vec<Number> = self
            .room
            .line()
            .living()
            .map(|(number, _)| number)
            .take(away as usize)
            .collect();
        let (soon, later) = head.split_at((first as usize).min(head.len()));
        for numbers in soon.chunks(10_000) {
            self.perform(&Command::Away(numbers.to_vec()));
        }
        self.now = self.now.plus_ms(HOUR_MS / 2);
        for numbers in later.chunks(10_000) {
            self.perform(&Command::Away(numbers.to_vec()));
        }
        self.now = self.now.plus_ms(HOUR_MS / 2 + HOUR_MS / 14 + 1);
        self.configure(PERMITS + calls);
    }

    /// The usher's turn; how many people are still in line.
    pub fn turn(&mut self) -> u64 {
        let mut row = self.room.open_row(self.now);
        self.room.take_turn(self.now, &mut row);
        self.room.line().alive()
    }

    /// The room's snapshot, then the room made of it again; bytes.
    pub fn restore(&mut self) -> u64 {
        use baton::journal::{self, Hash};
        let Ok(snapshot) =
            journal::snapshot(self.room.version().0, self.now, 0, &Hash::default(), &self.room)
        else {
            return 0;
        };
        let bytes = snapshot.parts.iter().map(Vec::len).sum::<usize>() as u64;
        let store = Kept(snapshot);
        match journal::restore::<Room, _>(&store) {
            Ok(restored) if restored.version == self.room.version().0 => {
                self.room = restored.state;
                bytes
            }
            _ => 0,
        }
    }

    /// People in line.
    pub fn waiting(&self) -> u64 {
        self.room.line().alive()
    }

    /// Rows so far.
    pub fn version(&self) -> Version {
        self.room.version()
    }
}

/// A store that holds one snapshot.
struct Kept(baton::journal::Snapshot);

impl baton::journal::Store for Kept {
    type Error = core::convert::Infallible;

    fn put_row(&self, _: baton::journal::Sealed) -> Result<(), Self::Error> {
        Ok(())
    }

    fn rows_after(&self, _: u64) -> Result<Vec<baton::journal::Sealed>, Self::Error> {
        Ok(Vec::new())
    }

    fn put_snapshot(&self, _: baton::journal::Snapshot, _: u64) -> Result<(), Self::Error> {
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<baton::journal::Snapshot>, Self::Error> {
        Ok(Some(self.0.clone()))
    }

    fn put_alarm(&self, _: u64) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The same for `bench/core.mjs`, which times the calls from outside. One bench at a time.
#[cfg(target_arch = "wasm32")]
mod exports {
    use super::Bench;
    use std::cell::RefCell;

    thread_local! {
        static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
    }

    fn with(act: impl FnOnce(&mut Bench) -> u64) -> f64 {
        BENCH.with_borrow_mut(|bench| bench.as_mut().map_or(0, act)) as f64
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn prepare(waiting: f64, holes: f64) -> f64 {
        BENCH.set(Some(Bench::new(waiting as u64, holes as u64)));
        with(|bench| bench.waiting())
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn join(batches: f64, size: f64) -> f64 {
        with(|bench| bench.join(batches as u64, size as u32))
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn ahead(count: f64) -> f64 {
        with(|bench| bench.ahead(count as u64))
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn cycles(count: f64) -> f64 {
        with(|bench| bench.cycles(count as u64))
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn prepare_turn(away: f64, first: f64, calls: f64) {
        with(|bench| {
            bench.prepare_turn(away as u64, first as u64, calls as u32);
            0
        });
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn turn() -> f64 {
        with(Bench::turn)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn restore() -> f64 {
        with(Bench::restore)
    }
}
