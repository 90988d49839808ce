//! Work for the core, in portions that a caller can time: the caller prepares a [`Bench`] once, then calls its methods again and again.
//!
//! The same code runs natively (`main.rs`) and as wasm (`bench/core.mjs` calls the exports). It reads no clock. One small generator provides all
//! randomness, so both do exactly the same work.

mod kept;
mod object;
mod snapshots;

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::hall::Draw;
use baton::facts::holder::{Comes, Held, Holder, Key, Member, Tag};
use baton::facts::hours::Period;
use baton::facts::reply::Reply;
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::journal::Journal;
use baton::room::Room;
use baton::room::hall::Lots;
use kept::Kept;
use object::Object;

/// A xorshift64* generator, after Vigna, *An experimental exploration of Marsaglia's xorshift generators* (2016).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % end
    }
}

/// A room with a line, and the state that is needed to go on working on it.
pub struct Bench {
    room: Room,
    dice: Dice,
    now: Instant,
    issued: u64,
    people: u64,
    /// Whether everybody joins for an account.
    accounts: bool,
    kept: Kept,
    journal: Option<Journal<Kept>>,
    object: Option<Object>,
}

const PERMITS: u32 = 1_000;
const LOBBIES: u16 = 100;
const HOUR_MS: u64 = 3_600_000;

impl Bench {
    /// Makes a room with `waiting` people in line, with `holes` percent of the numbers gone at random and every permit in use.
    pub fn new(waiting: u64, holes: u64) -> Self {
        Self::made(waiting, holes, false)
    }

    /// Makes the same room, where everybody has an account.
    pub fn with_accounts(waiting: u64, holes: u64) -> Self {
        Self::made(waiting, holes, true)
    }

    fn made(waiting: u64, holes: u64, accounts: bool) -> Self {
        let mut bench = Self {
            room: Room::new(),
            dice: Dice(0x9E37_79B9_7F4A_7C15),
            now: Instant(1_000_000_000),
            issued: 0,
            people: 0,
            accounts,
            kept: Kept::default(),
            journal: None,
            object: None,
        };
        bench.configure(PERMITS);
        bench.join_all(u64::from(PERMITS));
        for number in bench.call_all() {
            let claim = bench.claim(number);
            bench.perform(&claim);
        }
        // Joins and leaves alternate in portions: a room takes at most `LINE_MAX`, so the line must not grow far beyond `waiting`.
        let mut left = waiting * 100 / (100 - holes);
        while left > 0 {
            let some = left.min(10_000);
            let first = bench.issued + 1;
            bench.join_all(some);
            for number in first..first + some {
                if bench.dice.below(100) < holes {
                    let leave = Command::Leave(bench.held(Number(number)));
                    bench.perform(&leave);
                }
            }
            left -= some;
        }
        bench
    }

    /// Makes a room with a full hall: `entries` people who hold entries, each for an account if `accounts`. The line opens at [`HOUR_MS`], Unix ms.
    pub fn hall(entries: u64, accounts: bool) -> Self {
        let mut bench = Self::made(0, 0, accounts);
        bench.room = Room::new();
        let config = RoomConfig {
            hall_ms: HOUR_MS,
            draw: Draw::Shuffle,
            periods: vec![Period {
                opens_at_ms: HOUR_MS,
                closes_at_ms: u64::MAX,
            }],
            ..RoomConfig::default()
        };
        let mut row = bench.room.open_row(bench.now);
        bench.room.configure(&config, &mut row);
        bench.room.keep_hours(1, &Lots::default(), &mut row);
        bench.join_all(entries);
        bench
    }

    /// Opens the line, which draws the hall. Returns how many people are in line then.
    pub fn draw(&mut self) -> u64 {
        let mut row = self.room.open_row(self.now);
        self.room.keep_hours(HOUR_MS, &Lots::default(), &mut row);
        self.room.line().alive()
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

    /// Performs one command in the name of the lobby that has the ticket.
    fn perform(&mut self, command: &Command) {
        let number = match command {
            Command::Claim { place, .. } | Command::Leave(place) => place.number,
            _ => Number(0),
        };
        let lobby = self.room.tickets().lobby_of(number).unwrap_or_default();
        let mut row = self.room.open_row(self.now);
        self.room.perform(self.now, command, lobby, &mut row);
    }

    /// Takes one batch as the room does for a lobby: one row, and the answers.
    fn batch(&mut self, lobby: LobbyId, commands: &[Command]) -> Vec<Reply> {
        self.room.look_for(commands.iter());
        let mut row = self.room.open_row(self.now);
        self.room.take(self.now, lobby, commands, 0, &mut row);
        self.room.case(self.now).answers(lobby, commands)
    }

    /// Returns the join of `count` newcomers. Their keys are spread as hashes are.
    fn newcomers(&mut self, count: u32) -> Command {
        let first = self.people;
        self.people += u64::from(count);
        let holder = |person: u64| Holder {
            key: Key(person.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            tag: Tag(person as u32),
        };
        let people = first..self.people;
        if !self.accounts {
            return Command::join(people.map(holder).collect::<Vec<_>>());
        }
        let member = |person: u64| Member {
            holder: holder(person),
            account: Key(person.wrapping_add(1).wrapping_mul(0xD1B5_4A32_D192_ED03)),
            comes: Comes::Anew,
        };
        Command::join(people.map(member).collect::<Vec<_>>())
    }

    fn held(&self, number: Number) -> Held {
        let key = self.room.tickets().holder(number).map_or(Key(0), |holder| holder.key);
        Held { number, key }
    }

    fn claim(&self, number: Number) -> Command {
        let fence = self.room.permits().of_number(number).map_or(Fence(0), |(fence, _)| fence);
        Command::Claim {
            place: self.held(number),
            fence,
        }
    }

    /// Joins `count` people. The lobbies take turns, a hundred people each time.
    fn join_all(&mut self, count: u64) {
        let mut left = count;
        while left > 0 {
            let some = left.min(100) as u32;
            let lobby = LobbyId((self.people / 100 % u64::from(LOBBIES)) as u16);
            let join = self.newcomers(some);
            self.batch(lobby, &[join]);
            left -= u64::from(some);
        }
        self.issued += count;
    }

    /// Runs the usher's turn, which gives out every free permit, and returns the numbers that are called.
    fn call_all(&mut self) -> Vec<Number> {
        let mut row = self.room.open_row(self.now);
        self.room.take_turn(self.now, &mut row);
        let called = self.room.permits().out();
        called
            .filter(|(_, grant)| matches!(grant.stage, baton::room::permits::Stage::Called { .. }))
            .map(|(_, grant)| grant.number)
            .collect()
    }

    /// Joins `batches` batches of `size` people each. Returns how many joined, by the room's own count.
    pub fn join(&mut self, batches: u64, size: u32) -> u64 {
        let before = self.waiting();
        for _ in 0..batches {
            let join = self.newcomers(size);
            self.batch(LobbyId(1), &[join]);
            self.issued += u64::from(size);
        }
        self.waiting() - before
    }

    /// Begins another room, as its object runs it, in which `waiting` people have joined, and writes `batches` more batches of `size` people each for it
    /// to [`hear`](Self::hear). Returns 1, or 0 if the room refused.
    pub fn object(&mut self, waiting: u64, batches: u64, size: u32) -> u64 {
        let Some(mut object) = Object::new() else { return 0 };
        let before = waiting.div_ceil(1_000);
        let begun = object.write(before, || self.newcomers(1_000));
        if begun.is_none() || (object.hear(before) == 0 && before > 0) {
            return 0;
        }
        let written = object.write(batches, || self.newcomers(size));
        self.object = Some(object);
        written.is_some().into()
    }

    /// Hears the next `batches` of those batches. Returns the bytes of the answers, or 0 if one was refused.
    pub fn hear(&mut self, batches: u64) -> u64 {
        self.object.as_mut().map_or(0, |object| object.hear(batches))
    }

    /// Asks `count` times how many are ahead of a random number. Returns a sum, so that the compiler cannot drop the work.
    pub fn ahead(&mut self, count: u64) -> u64 {
        let mut sum = 0_u64;
        for _ in 0..count {
            let number = Number(self.dice.below(self.issued) + 1);
            sum = sum.wrapping_add(self.room.lanes().ahead(number).0);
        }
        sum
    }

    /// Runs `count` cycles in batches of a hundred: permits come back, the baton calls the next tickets, and they claim. Returns how many cycles ran.
    pub fn cycles(&mut self, count: u64) -> u64 {
        let mut done = 0;
        while done < count {
            let some = (count - done).min(100);
            let out = self.room.permits().out().map(|(fence, _)| fence);
            let releases = out.take(some as usize).map(Command::Release).collect();
            let releases: Vec<Command> = releases;
            self.batch(LobbyId(0), &releases);
            let newest = self.room.permits().last_fence().0;
            let called = (newest + 1 - some..=newest).filter_map(|fence| Some(self.room.permits().grant(Fence(fence))?.number));
            let claims: Vec<Command> = called.map(|number| self.claim(number)).collect();
            if claims.is_empty() {
                break;
            }
            for claim in &claims {
                self.perform(claim);
            }
            done += claims.len() as u64;
        }
        done
    }

    /// Makes the `away` people at the head of the line away: the `first` of them run out of grace together and soonest. Then frees `calls` permits.
    /// The next [`turn`](Self::turn) has all of that to do.
    pub fn prepare_turn(&mut self, away: u64, first: u64, calls: u32) {
        let head: Vec<Number> = self.room.line().living().map(|(number, _)| number).take(away as usize).collect();
        let (soon, later) = head.split_at((first as usize).min(head.len()));
        self.all_away(soon);
        self.now = self.now.plus_ms(HOUR_MS / 2);
        self.all_away(later);
        self.now = self.now.plus_ms(HOUR_MS / 2 + HOUR_MS / 14 + 1);
        self.configure(PERMITS + calls);
    }

    /// Each lobby reports its own people.
    fn all_away(&mut self, numbers: &[Number]) {
        for lobby in (0..LOBBIES).map(LobbyId) {
            let own = numbers.iter().filter(|number| self.room.tickets().lobby_of(**number) == Some(lobby));
            let away: Vec<Held> = own.map(|number| self.held(*number)).collect();
            let as_of = self.room.version();
            let here = Vec::new();
            self.batch(lobby, &[Command::Presence { as_of, here, away }]);
        }
    }

    /// Reads every page of a random lobby's list. Returns the number of tickets on them.
    pub fn list(&mut self) -> u64 {
        let lobby = LobbyId(self.dice.below(u64::from(LOBBIES)) as u16);
        let (mut from, mut listed) = (Some(Number(0)), 0);
        while let Some(first) = from {
            let (tickets, next) = self.room.tickets().list(self.now, lobby, first);
            listed += tickets.len() as u64;
            from = next;
        }
        listed
    }

    /// Returns the bytes that the room takes for the holders of its tickets and for their index.
    pub fn book_bytes(&self) -> u64 {
        self.room.book().bytes(self.room.tickets()) as u64
    }

    /// Runs the usher's turn. Returns how many people are still in line.
    pub fn turn(&mut self) -> u64 {
        let mut row = self.room.open_row(self.now);
        self.room.take_turn(self.now, &mut row);
        self.room.line().alive()
    }

    /// Enters the next slice of the index, after a [`restore`](Self::restore). Returns 1, or 0 if the index is whole.
    pub fn index_slice(&mut self) -> u64 {
        let left = !self.room.book().is_indexed();
        self.room.index_slice();
        left.into()
    }

    /// Returns the number of entries in the hall.
    pub fn entries(&self) -> u64 {
        self.room.hall().line().alive()
    }

    /// Returns the number of people in line.
    pub fn waiting(&self) -> u64 {
        self.room.line().alive()
    }

    /// Returns the number of rows so far.
    pub fn version(&self) -> Version {
        self.room.version()
    }
}

/// The same work for `bench/core.mjs`, which times the calls from outside. There is one bench at a time.
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

    /// `accounts` is not 0 if everybody has one.
    #[unsafe(no_mangle)]
    pub extern "C" fn hall(entries: f64, accounts: f64) -> f64 {
        BENCH.set(Some(Bench::hall(entries as u64, accounts != 0.0)));
        with(|bench| bench.entries())
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn draw() -> f64 {
        with(Bench::draw)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn join(batches: f64, size: f64) -> f64 {
        with(|bench| bench.join(batches as u64, size as u32))
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn object(waiting: f64, batches: f64, size: f64) -> f64 {
        with(|bench| bench.object(waiting as u64, batches as u64, size as u32))
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn hear(batches: f64) -> f64 {
        with(|bench| bench.hear(batches as u64))
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
    pub extern "C" fn list() -> f64 {
        with(Bench::list)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn book_bytes() -> f64 {
        with(|bench| bench.book_bytes())
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn pages() -> f64 {
        with(Bench::pages)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn snapshot() -> f64 {
        with(Bench::snapshot)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn snapshot_turn() -> f64 {
        with(Bench::snapshot_turn)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn stir() -> f64 {
        with(Bench::stir)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn restore() -> f64 {
        with(Bench::restore)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn index_slice() -> f64 {
        with(Bench::index_slice)
    }
}
