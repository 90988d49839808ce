//! The room: one protected part of a site, with an exact number of permits and its own line, or one line for each lane.
//!
//! `Room` is pure. It has no clock, no randomness and no I/O; time comes in as a parameter.
//!
//! - [`Case`] is the room as a decision looks at it; it can change nothing.
//! - [`Room::apply`] changes the state and decides nothing; [`Room::commit`] also writes down what it applies.
//!
//! Between them stand the [`Event`]s: the facts, which are what is stored. The state is their fold.
//!
//! Each part owns its data and borrows a neighbour for one call: the tickets know who is where, the book finds them, the allowance says how many may
//! come, the schedule and the vouchers say what follows from an operator's wish; nothing follows from what is measured. The room keeps what follows
//! from what.
//!
//! | file | what |
//! |---|---|
//! | `decide`, `apply`, `endings` | what follows from a command; what each fact does to the state; what the ending ones do |
//! | `cap` | how many more people may come |
//! | `tickets/` | the tickets that live, in lines, halls and inside: what facts do to them (`fold`), what is stored in pages, what lobbies are told |
//! | `usher` | the periodic turn, and when the next is due |
//! | `allowance`, `pace` | how many may be admitted now; how fast permits may go out (a token bucket in whole numbers) |
//! | `rollback`, `lost` | what follows when somebody shows that the room's data is older than what people were told; what is remembered of it |
//! | `stock` | up to which number a seat can be expected: batch means of the visits that are over |
//! | `health` | how the origin answers, and how many may be called while it fails (a circuit breaker with a slow start) |
//! | `line/` | who waits, in which order: 4,096 numbers a chunk as bits (`plane`, `chunk`), sums over chunks (`chunks`, `sums`) |
//! | `permits` | the books: hand, tray, called, leased, debt |
//! | `in_order`, `by_number` | an ordered map for keys that nearly come in order: fences, ends of leases; the fence of a number's permit |
//! | `live`, `operate` | what the operator changes while the room runs, and what else an operator does: ends a ticket, begins an edition |
//! | `ramp` | a value on its way from one number to another: what is in force when, and when it next moves |
//! | `hours`, `hall` | what the dates say of a moment; who waits for an opening, and the order of the draw |
//! | `seats` | up to which number a seat can be expected |
//! | `lanes/` | the lanes and their slots (`table`), which lane is next (`rule`), hours and draws (`hours`), moves to a better lane (`moves`), what is told of them (`gist`) |
//! | `schedule` | which step of the schedule is next, and how each was dealt with |
//! | `book`, `index`, `unindexed`, `seen` | which ticket a key has, one living place a key; from a key to its number, and what of that is not built yet; which key of a batch comes again |
//! | `admit` | how people come in, for an account or not, with a voucher or not, into whichever lane |
//! | `accounts` | whose tickets are, one living place an account |
//! | `vouchers/` | sheets of vouchers, what of them is spent (`sheet`), what follows when somebody joins with one (`spend`) |
//! | `answer` | what commands are answered: of the book as it is when the turn ends |
//! | `changes/`, `courier/` | what changed of each lobby's tickets lately; which life of each lobby is known, what it acknowledged, what it must be told and when |
//! | `frame/`, `rhythm` | the moving picture of the line, read and made (`make`); how often people are called, measured |
//! | `varint` | whole numbers in few bytes, as frames and stored changes have them |
//! | `measured`, `times/` | what the room counts and measures of itself, and decides nothing by: waits, holds, dead permit-time, the last hour, an observed crowd |
//! | `laws/` | the promises as functions; the two that cost nothing also run before each write |
//! | `report`, `tale` | the room in numbers, for operators and metrics; what the journal says of one ticket |
//! | `absent` | whose turn comes while they are away, for webhooks that ask for it |
//! | `fold` | how a room is folded from its journal, row by row and page by page |
//! | `outlook` | what a forecast needs to know of the room, in 16 KB |
//!
//! # Fairness
//! Within a lane, permits go strictly in order of number to those who are present. A permit that comes back goes to the first present ticket in the
//! same turn (the *baton*). A released permit of tokio's `batch_semaphore` does the same: it goes to the waiter at the front before it touches the
//! counter. Newcomers never barge: nobody walks in while anybody present waits.

#![warn(unused_crate_dependencies)]

pub mod absent;
mod accounts;
mod admit;
mod allowance;
mod answer;
mod apply;
pub mod book;
mod by_number;
mod cap;
mod changes;
pub mod courier;
mod decide;
mod endings;
mod fold;
pub mod frame;
pub mod hall;
pub mod health;
pub mod hours;
pub mod in_order;
mod index;
pub mod lanes;
pub mod laws;
pub mod line;
pub mod live;
mod lost;
mod measured;
mod operate;
pub mod outlook;
pub mod pace;
pub mod permits;
pub mod ramp;
pub mod report;
pub mod rhythm;
mod rollback;
pub mod schedule;
mod seats;
mod seen;
pub mod stock;
pub mod tale;
pub mod tickets;
pub mod times;
mod unindexed;
mod usher;
mod varint;
pub mod vouchers;

use admit::Entrance;
use allowance::Allowance;
use book::Book;
pub use decide::Case;
use facts::command::Command;
use facts::config::RoomConfig;
use facts::event::{Event, Row};
use facts::holder::Key;
use facts::message::LineEnd;
use facts::units::{Edition, Instant, LaneId, LobbyId, Number, Version};
use hall::Hall;
use lanes::Lanes;
use line::Line;
use live::Live;
use lost::Lost;
use measured::Measured;
pub use measured::Totals;
use permits::Permits;
use schedule::Schedule;
use serde::{Deserialize, Serialize};
use stock::Stock;
use tickets::Tickets;
use vouchers::Vouchers;

/// Everything one room knows. See the module documentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    config: RoomConfig,
    configured: bool,
    tickets: Tickets,
    allowance: Allowance,
    stock: Stock,
    book: Book,
    vouchers: Vouchers,
    measured: Measured,
    version: Version,
    /// When the last row was written.
    now: Instant,
    /// When the usher last took a turn that changed something.
    turned_at: Instant,
    live: Live,
    schedule: Schedule,
    /// The last row with news for everybody: settings, live values, a door, a draw or an edition. Every lobby must hear of it at once.
    announced: Version,
    ended: Option<LineEnd>,
    edition: Edition,
    /// The row of the last reset, draw or roll-back; 0 before any. Only what changed after it can be told one by one.
    told_from: Version,
    lost: Lost,
}

impl Default for Room {
    fn default() -> Self {
        Self::new()
    }
}

impl Room {
    /// Creates a room before its first configuration: no permits, nobody in line. O(1).
    #[must_use]
    pub fn new() -> Self {
        Self {
            config: RoomConfig {
                permits: 0,
                ..RoomConfig::default()
            },
            configured: false,
            tickets: Tickets::default(),
            allowance: Allowance::default(),
            stock: Stock::default(),
            book: Book::default(),
            vouchers: Vouchers::default(),
            measured: Measured::default(),
            version: Version::default(),
            now: Instant::default(),
            turned_at: Instant::default(),
            live: Live::default(),
            schedule: Schedule::default(),
            announced: Version::default(),
            ended: None,
            edition: Edition::FIRST,
            told_from: Version::default(),
            lost: Lost::default(),
        }
    }

    /// The settings in force.
    #[must_use]
    pub const fn config(&self) -> &RoomConfig {
        &self.config
    }

    /// Whether the room has ever been configured.
    #[must_use]
    pub const fn configured(&self) -> bool {
        self.configured
    }

    /// The tickets that live: in which line, with which permit, whose.
    #[must_use]
    pub const fn tickets(&self) -> &Tickets {
        &self.tickets
    }

    /// The book beside them.
    #[must_use]
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// The room's lanes.
    #[must_use]
    pub const fn lanes(&self) -> &Lanes {
        self.tickets.lanes()
    }

    /// The line of the first lane, which is the only one in a room without lanes.
    #[must_use]
    pub fn line(&self) -> &Line {
        self.lanes().lane(LaneId::FIRST).line()
    }

    /// The hall of the first lane, which is the only one in a room without lanes.
    #[must_use]
    pub fn hall(&self) -> &Hall {
        self.lanes().lane(LaneId::FIRST).hall()
    }

    /// The books of the room's permits.
    #[must_use]
    pub const fn permits(&self) -> &Permits {
        self.tickets.permits()
    }

    /// The live values: what the operator has changed while the room runs.
    #[must_use]
    pub const fn live(&self) -> &Live {
        &self.live
    }

    /// The room's sheets of vouchers.
    #[must_use]
    pub const fn vouchers(&self) -> &Vouchers {
        &self.vouchers
    }

    /// How far the room has come in its schedule.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What the room has counted and measured of itself, as of the last row.
    #[must_use]
    pub const fn measured(&self) -> &Measured {
        &self.measured
    }

    /// What the room has counted and measured of itself, as of `now`: the time since the last row counts too. O(minutes + measurements).
    #[must_use]
    pub fn measured_at(&self, now: Instant) -> Measured {
        let mut measured = self.measured.clone();
        measured.pass(self.now, now, self.config.mode, &self.tickets);
        measured
    }

    /// The current edition. Numbers are unique within it.
    #[must_use]
    pub const fn edition(&self) -> Edition {
        self.edition
    }

    /// The row of the last reset, draw or roll-back; 0 before any. Only what changed after it can be told one by one.
    #[must_use]
    pub const fn told_from(&self) -> Version {
        self.told_from
    }

    /// The number of rows folded into this state.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The room's time as of the last row.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// Decides one command of a lobby, applies the events that follow and adds them to `row`. O(log n), plus what the command lists.
    pub fn perform(&mut self, now: Instant, command: &Command, from: LobbyId, row: &mut Row) {
        match command {
            Command::Enter(enter) => {
                let mut entrance = Entrance {
                    room: self,
                    now,
                    lobby: from,
                    row,
                };
                return entrance.admit(enter);
            }
            Command::Carry { place, row: made_in, to } => {
                // Two steps: the new device first leaves its own place, whose permit may go to the very place that is carried.
                if let Some(own) = self.case(now).left_by_carry(*place, *made_in, *to, from) {
                    self.step(now, &Command::Leave(own.0), own.1, row);
                }
            }
            _ => {}
        }
        self.step(now, command, from, row);
    }

    fn step(&mut self, now: Instant, command: &Command, from: LobbyId, row: &mut Row) {
        let decided = row.events.len();
        self.case(now).decide_into(&mut row.events, command, from);
        for event in row.events.iter().skip(decided) {
            self.apply(row.version, row.at, event);
        }
    }

    /// Carries out a lobby's commands in order and counts its join attempts. The replies are worked out later, from the book at the end of the turn;
    /// see [`Case::answers`]. O(commands · log n).
    pub fn take(&mut self, now: Instant, from: LobbyId, commands: &[Command], attempts: u32, row: &mut Row) {
        row.events.reserve(commands.len());
        for command in commands {
            self.perform(now, command, from, row);
        }
        let counted = (attempts > 0).then_some(Event::Attempted { count: attempts });
        self.commit(counted, row);
    }

    /// Applies facts and adds them to the row being written. They follow from the room as it stands: what decides is the [`Case`], or a part.
    pub fn commit(&mut self, events: impl IntoIterator<Item = Event>, row: &mut Row) {
        for event in events {
            self.apply(row.version, row.at, &event);
            row.events.push(event);
        }
    }

    /// Opens the row that a turn at `now` will write. It has no events yet: [`perform`](Self::perform), [`take_turn`](Self::take_turn) and
    /// their like add them.
    #[must_use]
    pub fn open_row(&self, now: Instant) -> Row {
        Row {
            version: Version(self.version.0 + 1),
            at: now,
            events: Vec::new(),
        }
    }

    /// Folds a stored row into the state.
    ///
    /// # Errors
    /// Returns the expected version if the row is not the next one.
    pub fn replay(&mut self, row: &Row) -> Result<(), Version> {
        let expected = Version(self.version.0 + 1);
        if row.version != expected {
            return Err(expected);
        }
        for event in &row.events {
            self.apply(row.version, row.at, event);
        }
        Ok(())
    }

    /// Returns the living ticket of a key. O(log permits) on average.
    #[must_use]
    pub fn living_of(&self, key: Key) -> Option<Number> {
        self.book.living_of(&self.tickets, key)
    }

    /// Returns the living ticket of an account. O(log permits) on average.
    #[must_use]
    pub fn living_of_account(&self, account: Key) -> Option<Number> {
        self.book.living_of_account(&self.tickets, account)
    }

    /// Enters the keys of the next [`INDEX_SLICE`](facts::limits::INDEX_SLICE) numbers in the indexes, if any are left. O(those).
    pub fn index_slice(&mut self) {
        self.book.index_slice(&mut self.tickets);
    }

    /// Looks for every key and every account of these commands among the numbers that the indexes do not have, and enters those that it finds. Does
    /// nothing once the indexes are whole. O(keys that are left).
    pub fn look_for<'a>(&mut self, commands: impl Iterator<Item = &'a Command>) {
        self.book.look_for(&mut self.tickets, commands);
    }

    /// Erases who held the places of the past, once nobody has a place any more. O(1).
    pub fn forget_holders(&mut self) {
        self.tickets.lanes_mut().lines_mut().for_each(Line::forget_holders);
    }

    /// Takes the usher's turn; see [`usher`](self). A second turn at the same `now` changes nothing.
    pub fn take_turn(&mut self, now: Instant, row: &mut Row) {
        let events = self.case(now).decide_turn();
        self.commit(events, row);
    }
}
