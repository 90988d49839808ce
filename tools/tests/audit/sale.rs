//! Makes sales to audit: the real room takes random commands as its object would, and the real exporter writes its rows.

#[path = "lane_sale.rs"]
pub mod lane_sale;

use baton::facts::answer_times::AnswerTimes;
use baton::facts::command::Command;
use baton::facts::config::{Change, Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::hall::Draw;
use baton::facts::holder::{Comes, Held, Holder, Key, Member, Salt, Tag};
use baton::facts::hours::{NEVER_MS, Period};
use baton::facts::live::Ramped;
use baton::facts::origin::OriginAnswers;
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::journal::export;
use baton::journal::{Hash, seal};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::live;
use std::ops::Range;

/// The clock at the first row, Unix ms: Thursday, 21 November 2024, 03:00 UTC.
pub const OPENS_MS: u64 = 1_732_158_000_000;
pub const ROOM: &str = "onsale";
pub const LOBBIES: u16 = 3;
/// The salt that the rows are sealed with. An export does not show it.
const SALT: Salt = Salt([0x5a; 16]);

/// A room and all rows that it has written.
pub struct Sale {
    pub rng: fastrand::Rng,
    pub room: Room,
    pub now: Instant,
    pub rows: Vec<Row>,
    pub keeps: Keeps,
}

/// Returns the seed of `BATON_SEED`, or else these.
pub fn seeds(seeds: impl IntoIterator<Item = u64>) -> Vec<u64> {
    match option_env!("BATON_SEED").and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => seeds.into_iter().collect(),
    }
}

/// Returns the holder with this number, always the same one.
pub fn holder(who: u64) -> Holder {
    Holder {
        key: Key(who.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        tag: Tag(7),
    }
}

/// How the room of a sale is set up.
#[derive(Clone)]
pub struct Keeps {
    pub permits: Range<u32>,
    pub grace_ms: Vec<u64>,
    pub claim_within_ms: u64,
    /// Most people join for an account.
    pub accounts: bool,
    /// The room has lanes most of the time.
    pub lanes: bool,
}

impl Default for Keeps {
    fn default() -> Self {
        Self {
            permits: 0..6,
            grace_ms: vec![0, 100, 20_000, 20_000],
            claim_within_ms: 3_000,
            accounts: false,
            lanes: false,
        }
    }
}

impl Sale {
    pub fn new(seed: u64, keeps: Keeps) -> Self {
        let mut sale = Self {
            rng: fastrand::Rng::with_seed(seed),
            room: Room::new(),
            now: Instant(OPENS_MS),
            rows: Vec::new(),
            keeps,
        };
        let config = sale.config();
        sale.set(&config);
        sale
    }

    /// Returns a room with these settings, in which nobody is yet.
    pub fn with(config: &RoomConfig) -> Self {
        let mut sale = Self::new(1, Keeps::default());
        (sale.room, sale.rows) = (Room::new(), vec![]);
        sale.set(config);
        sale
    }

    pub fn set(&mut self, config: &RoomConfig) {
        self.write(|room, _, row| {
            room.configure(config, row);
            room.keep_hours(wall_ms(row), &Lots::default(), row);
        });
    }

    /// Returns an open room without permits, in which nobody is yet.
    pub fn without_permits() -> Self {
        Self::with(&RoomConfig {
            permits: 0,
            ..RoomConfig::default()
        })
    }

    /// Returns the number of a living ticket with its holder's key.
    pub fn place(&self, number: Number) -> Held {
        let key = self.room.tickets().holder(number).unwrap().key;
        Held { number, key }
    }

    /// Returns the sale's rows and one more with these facts, whether the room could have written it or not.
    pub fn rows_and(&self, events: Vec<Event>) -> Vec<Row> {
        let mut rows = self.rows.clone();
        let version = Version(rows.len() as u64 + 1);
        rows.push(Row {
            version,
            at: self.now,
            events,
        });
        rows
    }

    /// Returns a random sale of this many rows.
    pub fn of(seed: u64, rows: usize, keeps: Keeps) -> Self {
        let mut sale = Self::new(seed, keeps);
        while sale.rows.len() < rows {
            sale.step();
        }
        sale
    }

    fn config(&mut self) -> RoomConfig {
        let (lanes, lanes_rule) = self.lanes();
        RoomConfig {
            lanes,
            lanes_rule,
            permits: self.rng.u32(self.keeps.permits.clone()),
            mode: match self.rng.u8(0..4) {
                0 => *self.rng.choice(&Mode::ALL).unwrap(),
                _ => Mode::Open,
            },
            walk_in: self.rng.u8(0..4) > 0,
            tick_ms: 1_000,
            claim_within_ms: self.keeps.claim_within_ms,
            grace_ms: *self.rng.choice(&self.keeps.grace_ms).unwrap(),
            lease_idle_ms: 8_000,
            lease_max_ms: 30_000,
            lease_extend_max_ms: 10_000,
            admissions_milli_per_s: *self.rng.choice(&[0, 0, 0, 500, 3_000]).unwrap(),
            origin_errors_max_percent: *self.rng.choice(&[0, 0, 0, 30]).unwrap(),
            origin_errors_window_ms: *self.rng.choice(&[1_000, 4_000]).unwrap(),
            stock_line: self.rng.u8(0..4) == 0,
            periods: self.periods(),
            hall_ms: *self.rng.choice(&[0, 3_000, 60_000, 60_000, 60_000]).unwrap(),
            draw: *self.rng.choice(&[Draw::Shuffle, Draw::Arrival]).unwrap(),
            ..RoomConfig::default()
        }
    }

    /// Returns hours that begin or end soon, or, more often, none.
    pub fn periods(&mut self) -> Vec<Period> {
        if self.rng.u8(0..5) > 1 {
            return Vec::new();
        }
        let opens_at_ms = self.now.0 + self.rng.u64(0..12_000);
        let closes_at_ms = match self.rng.bool() {
            true => NEVER_MS,
            false => opens_at_ms + self.rng.u64(1..12_000),
        };
        vec![Period { opens_at_ms, closes_at_ms }]
    }

    /// Runs one turn of the room, and keeps its row if anything happened.
    pub fn write(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        if !row.events.is_empty() {
            self.rows.push(row);
        }
    }

    /// Returns a number, mostly of a living ticket.
    fn number(&mut self) -> Number {
        if let Some(number) = self.number_of_any_lane() {
            return number;
        }
        let alive = self.room.line().alive();
        let hall = self.room.hall().line();
        if hall.alive() > 0 && self.rng.u8(0..3) == 0 {
            let rank = self.rng.u64(0..hall.alive().min(8));
            return hall.nth(rank).unwrap();
        }
        match self.rng.u8(0..10) {
            0 => Number(self.rng.u64(0..self.room.line().next().0 + 2)),
            1..7 if alive > 0 => {
                let rank = self.rng.u64(0..alive.min(8));
                self.room.line().nth(rank).unwrap()
            }
            _ => {
                let fence = self.fence();
                self.room.permits().grant(fence).map_or(Number(0), |g| g.number)
            }
        }
    }

    /// Returns a fence, mostly of a permit that is out.
    fn fence(&mut self) -> Fence {
        let out: Vec<Fence> = self.room.permits().out().map(|(fence, _)| fence).collect();
        match self.rng.choice(&out) {
            Some(fence) if self.rng.u8(0..8) > 0 => *fence,
            _ => Fence(self.rng.u64(0..self.room.permits().last_fence().0 + 2)),
        }
    }

    /// Returns one of 79 people, so that most of them come again and again.
    fn somebody(&mut self) -> Holder {
        holder(self.rng.u64(1..80))
    }

    /// Returns one of 79 devices with one of 29 accounts.
    fn member(&mut self) -> Member {
        let all = [Comes::Anew, Comes::Anew, Comes::Back, Comes::ByButton];
        Member {
            holder: self.somebody(),
            account: Key(self.rng.u64(1..30) << 40),
            comes: *self.rng.choice(&all).unwrap(),
        }
    }

    /// Returns a number and a key, mostly of a ticket of this lobby and its holder.
    fn held(&mut self, lobby: LobbyId) -> Held {
        let mut number = self.number();
        for _ in 0..6 {
            if self.room.tickets().lobby_of(number) == Some(lobby) {
                break;
            }
            number = self.number();
        }
        let held_by = self.room.tickets().holder(number).filter(|_| self.rng.u8(0..12) > 0);
        let key = held_by.unwrap_or_else(|| self.somebody()).key;
        Held { number, key }
    }

    fn command(&mut self, lobby: LobbyId) -> Command {
        let command = self.command_of_one_line(lobby);
        self.with_a_token(command)
    }

    /// How the origin answered many people, some of whom are heard of again.
    fn origin(&mut self) -> Command {
        let (good, bad) = (self.rng.u32(0..12), self.rng.u32(0..8));
        let mut answers = OriginAnswers::default();
        for nth in 0..good + bad {
            let is_bad = u32::from(nth >= good);
            let fence = Fence(self.now.0 / 500 * 20 + u64::from(nth));
            answers.count(fence, 1 - is_bad, is_bad);
        }
        // A front that counts the origin's answers also times them.
        let times = AnswerTimes::one(answers.sums().0 * 100);
        Command::Overheard(Box::new(Overheard {
            origin: answers,
            times,
            ..Overheard::default()
        }))
    }

    fn command_of_one_line(&mut self, lobby: LobbyId) -> Command {
        match self.rng.u8(0..22) {
            0..3 if self.keeps.accounts => Command::join((0..self.rng.u8(1..4)).map(|_| self.member()).collect::<Vec<_>>()),
            3 if self.keeps.accounts => Command::walk_in(self.member()),
            0..3 => Command::join((0..self.rng.u8(1..4)).map(|_| self.somebody()).collect::<Vec<_>>()),
            3 | 4 => Command::walk_in(self.somebody()),
            5..9 => {
                let place = self.held(lobby);
                let permit = self.room.permits().of_number(place.number);
                let fence = permit.map(|(fence, _)| fence);
                let fence = fence.unwrap_or_else(|| self.fence());
                Command::Claim { place, fence }
            }
            9 => Command::Renew(self.fence()),
            10 => Command::Extend {
                fence: self.fence(),
                total_ms: self.rng.u64(0..12_000),
            },
            11..14 => Command::Release(self.fence()),
            14 => Command::Leave(self.held(lobby)),
            16 => Command::Carry {
                place: self.held(lobby),
                row: Version(self.room.version().0 - self.rng.u64(0..3).min(self.room.version().0)),
                to: self.somebody(),
            },
            17 | 18 => self.origin(),
            19 => Command::Overheard(Box::new(Overheard {
                stock: Some(StockReport {
                    left: self.rng.u32(0..500),
                    at_ms: self.now.0 - self.rng.u64(0..500),
                }),
                ..Overheard::default()
            })),
            15 => Command::Presence {
                as_of: self.room.version(),
                here: vec![],
                away: (0..self.rng.usize(1..4)).map(|_| self.held(lobby)).collect(),
            },
            _ => Command::Presence {
                as_of: self.room.version(),
                here: (0..self.rng.usize(1..3)).map(|_| self.held(lobby)).collect(),
                away: (0..self.rng.usize(0..2)).map(|_| self.held(lobby)).collect(),
            },
        }
    }

    /// Runs one random turn. The object looks at its settings in every turn, so a change of them may come before anything else.
    fn step(&mut self) {
        let config = (self.rng.u8(0..16) == 0).then(|| self.config());
        let configure = |room: &mut Room, row: &mut Row| {
            if let Some(config) = &config {
                room.configure(config, row);
            }
            room.keep_hours(wall_ms(row), &Lots::default(), row);
        };
        match self.rng.u8(0..20) {
            0 => self.write(|room, _, row| configure(room, row)),
            8 => {
                let number = self.number();
                self.write(|room, now, row| {
                    configure(room, row);
                    room.dismiss(now, number, "desk", row);
                });
            }
            9 => {
                let value = (self.rng.bool()).then_some(Ramped::At(3));
                self.write(|room, _, row| {
                    configure(room, row);
                    room.commit([live::adjusted("desk", vec![Change::Permits(value)])], row);
                });
            }
            10 if self.rng.u8(0..3) == 0 => self.write(|room, _, row| {
                configure(room, row);
                room.reset("desk", row);
            }),
            1..8 => {
                let passed_ms = *self.rng.choice(&[0, 1, 200, 1_000, 4_000, 25_000]).unwrap();
                self.now = self.now.plus_ms(passed_ms);
                self.write(|room, now, row| {
                    configure(room, row);
                    room.take_turn(now, row);
                });
            }
            _ => {
                self.now = self.now.plus_ms(self.rng.u64(0..300));
                let count = self.rng.usize(0..5);
                let lobby = LobbyId(self.rng.u16(0..LOBBIES));
                let commands: Vec<Command> = (0..count).map(|_| self.command(lobby)).collect();
                let attempts = self.rng.u32(0..3);
                self.write(|room, now, row| {
                    configure(room, row);
                    room.take(now, lobby, &commands, attempts, row);
                });
            }
        }
    }

    pub fn export(&self) -> Vec<String> {
        export(&self.rows)
    }
}

/// Returns the wall clock at a row, Unix ms. Every 50th row finds it set back by a second.
pub fn wall_ms(row: &Row) -> u64 {
    row.at.0.saturating_add(7) - u64::from(row.version.0.is_multiple_of(50)) * 1_000
}

/// Returns the lines of an export, the header first, with correct hashes. Anybody who can compute SHA-256 can write them.
pub fn export(rows: &[Row]) -> Vec<String> {
    let header = export::header(ROOM, 0, &Hash::default()).unwrap();
    let rows = rows_after(&header, rows);
    [vec![header], rows].concat()
}

/// Returns the lines of rows that follow this line.
pub fn rows_after(line: &str, rows: &[Row]) -> Vec<String> {
    let fields: serde_json::Value = serde_json::from_str(line).unwrap();
    let hash = fields["hash"].as_str().or(fields["previous"].as_str());
    let hash = baton_tools::audit::Fingerprint::parse(hash.unwrap()).unwrap();
    let mut previous = Hash(hash.0);
    let line = |row: &Row| {
        let sealed = seal(&previous, &SALT, row.version.0, row.at, wall_ms(row), &row.events).unwrap();
        let line = export::line::<Event>(&previous, &sealed).unwrap();
        previous = sealed.hash;
        line
    };
    rows.iter().map(line).collect()
}
