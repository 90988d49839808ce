//! A lobby: a shard of a room's visitors, as one endpoint without I/O.
//!
//! It holds sockets and polls, keeps a *replica* of its part of the room's book, and gathers wishes into batches for the room. **It orders
//! nobody**, and it stores nothing: the room can tell again all that a lobby knows, so a lobby may be thrown away at any time.
//!
//! The grammar is that of quinn-proto. Something happens ([`handle_ask`](Lobby::handle_ask) and its like), then the driver
//! carries out what [`poll_effect`](Lobby::poll_effect) yields, and comes back when [`poll_timeout`](Lobby::poll_timeout) says,
//! with [`handle_timeout`](Lobby::handle_timeout). Time and chance come in as parameters. The object in `src/edge` and the
//! simulator both drive this same code, and neither decides anything.
//!
//! Each part owns its data, says what always holds of it, and borrows a neighbour for one call; the lobby keeps what follows from what. No file calls
//! back into one that called it.
//!
//! | file | what |
//! |---|---|
//! | `link` | how a life begins, how a list comes, how either side finds out that a life is over |
//! | `replica`, `ticket` | the tickets as the room last told them, and one of them; only `replica` writes one |
//! | `asking`, `asks`, `steps` | the asks that are not answered yet; how one goes on; what it leads to next, as the lobby sees the case |
//! | `reach` | the way to the room: numbers of calls, the porter, when to try again |
//! | `batch`, `checks` | what goes to the room, and what comes back; strict rooms' questions beside the batches |
//! | `company` | how long joins wait for each other |
//! | `guests` | who is there; presence, levelled |
//! | `picture`, `frames`, `lanes` | what a visitor may know: what the room told of itself, of its lines and of its lanes |
//! | `sockets` | who gets a socket, what it hears first and later, whether it stays |
//! | `counts`, `limits` | what is counted for the room; what one address and one visitor may take |
//! | `keys`, `timers` | from a visitor's name, or an account's, to a key; every deadline |
//! | `porter` | what brings the room the batches of several lobbies at once |

#![warn(unused_crate_dependencies)]

mod asking;
mod asks;
mod batch;
mod checks;
mod company;
mod counts;
mod frames;
mod guests;
pub mod keys;
mod lanes;
mod limits;
mod link;
mod picture;
pub mod porter;
mod reach;
mod replica;
mod sockets;
mod steps;
mod ticket;
mod timers;

pub use checks::CHECKS_WAITING_MAX;
pub use company::{COMPANY_ENOUGH, COMPANY_MS_MAX};
pub use limits::{GIVES_WAY_AFTER_MS, Limits, WALK_INS_PER_IP_MIN};
pub use replica::Replica;
pub use sockets::{FirstWords, NoSocket, socket_for};
pub use ticket::{AtAddress, Phase, Ticket};

use asking::{Asks, counts_as_seen, takes_number};
use batch::Batches;
use checks::Checks;
use counts::Counts;
use facts::holder::Shown;
use facts::message::{FromRoom, Heard, Refusal, ToLobby, ToRoom};
use facts::overheard::Overheard;
use facts::planted::{self, Bug};
use facts::units::{Instant, LaneId, LobbyId, VisitorId};
use facts::wire::{Ask, Status, Told};
use guests::Guests;
use limits::Rates;
use link::Link;
use picture::Picture;
use reach::Reach;
use std::collections::VecDeque;
use timers::{Timer, Timers};

/// The most living tickets of one lobby, unless set otherwise. A lobby is meant for 10,000 (see `crowd`), but visitors are spread by hash: six
/// standard deviations above that is 10,600. Two sockets each stay below the platform's 32,768 sockets of one object.
pub const TICKETS_MAX: usize = 16_000;
/// How long the lobby trusts what the room said, in ms. After that, the next ask of a visitor makes it look at the room.
pub const LOOK_AFTER_MS: u64 = 5_000;
/// How long it trusts a mode that lets everybody pass, in ms: a front lets in whom it tells of that mode, without another word from the room.
pub const LOOK_AFTER_PASSING_MS: u64 = 1_000;
/// The longest that a visitor waits for the room, in ms. Then the visitor is told that the room can't be reached. The wish
/// may still come true, and the next ask then finds it done.
pub const PATIENCE_MS: u64 = 6_000;
/// How long a call to the room waits for its answer before it is given up, in ms.
pub const CALL_TIMEOUT_MS: u64 = 5_000;
/// How long a batch waits for a porter to bring its answer, in ms. Then it goes to the room directly.
pub const PORTER_PATIENCE_MS: u64 = 1_500;
/// How long a lobby goes past its porter once that patience has run out, in ms.
pub const PORTER_REST_MS: u64 = 10_000;
/// The wait before the first repeat of a failed call, in ms; each further failure doubles it.
pub const AGAIN_MS: u64 = 200;
/// The most doublings: up to 0.8 s, below the shortest time that a called visitor can be given to come (`claim_within_s`).
pub const AGAIN_DOUBLINGS_MAX: u32 = 2;
/// The most polls held on one ticket, as many as sockets: tabs, and a phone beside a laptop. A new one makes the lobby answer the oldest.
pub const POLLS_PER_TICKET_MAX: usize = 6;
/// How long a lobby with sockets waits before it looks at the room by itself, in ms. Up to [`QUIET_SPREAD_MS`] are added.
pub const QUIET_MS: u64 = 20_000;
/// See [`QUIET_MS`].
pub const QUIET_SPREAD_MS: u64 = 5_000;
/// A socket that has not pinged for this long is dead, in ms. A page pings every 25 s, and once a minute where the browser holds its timers back.
pub const SILENT_AFTER_MS: u64 = 80_000;
/// How long a lobby that something happens to goes without a search for sockets that have gone silent, in ms: while the line moves, nobody is called by
/// one that has been silent for much longer than its pings allow. A lobby to which nothing happens looks at each quiet time, so a dead socket is
/// closed within 80 + 25 s.
pub const LOOKS_EVERY_MS: u64 = 5_000;

/// The name of an asker, given by the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asker(pub u64);

/// The number of a call to the room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// How a call reaches the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Directly.
    Direct,
    /// In a porter's bundle ([`crate::porter`]).
    Porter,
}

/// The moment at which something happens: on the lobby's own clock, and on the wall clock for what is told as a time of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time on the lobby's clock.
    pub now: Instant,
    /// The time on the wall clock, Unix ms.
    pub wall_ms: u64,
}

/// What the driver must carry out, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the room this, in this way. Its answer goes to [`handle_answer`](Lobby::handle_answer).
    Call(CallId, Box<ToRoom>, Way),
    /// Answer an asker; `None` says that the room can't be reached.
    Answer(Asker, Option<Box<Told>>),
    /// Tell every socket of a visitor, and note on each socket which place it shows. After the last word the driver closes the
    /// sockets; the lobby has already counted them as closed.
    Tell {
        /// The visitor whose sockets are told.
        visitor: VisitorId,
        /// The status that they are told.
        status: Box<Status>,
        /// Whether they are closed after it.
        last: bool,
    },
    /// Send this lane's frame to the sockets that [`shows_frame`](Lobby::shows_frame) names; if the room has no
    /// lanes ([`has_lanes`](Lobby::has_lanes)), to every socket.
    Frame(LaneId, Vec<u8>),
    /// Close the sockets that have been silent for [`SILENT_AFTER_MS`], and report each to [`handle_socket_silent`](Lobby::handle_socket_silent).
    CloseSilent,
}

/// What a lobby needs to know of its room's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyConfig {
    /// The room's name for the status, as it stands in the file.
    pub room: String,
    /// A visitor who is not seen for this long is away, in ms.
    pub linger_ms: u64,
    /// How much longer than that people have to come back after a list, in ms, since their returns are spread.
    pub spread_ms: u64,
    /// The most living tickets.
    pub tickets_max: usize,
    /// What one address and one visitor may take.
    pub limits: Limits,
    /// Whether a porter brings the room this lobby's batches.
    pub porter: bool,
}

/// One lobby of a room. See the module documentation.
#[derive(Clone, Debug)]
pub struct Lobby {
    /// The most living tickets.
    tickets_max: usize,
    /// Whether a porter brings the room this lobby's batches.
    has_porter: bool,
    link: Link,
    replica: Replica,
    guests: Guests,
    asks: Asks,
    batches: Batches,
    reach: Reach,
    checks: Checks,
    counts: Counts,
    rates: Rates,
    timers: Timers,
    effects: VecDeque<Effect>,
    picture: Picture,
    /// When silent sockets were last looked for.
    looked_at: Instant,
}

impl Lobby {
    /// A lobby that knows nothing. `chance` is random; the lobby makes its lives of it. O(1).
    #[must_use]
    pub fn new(id: LobbyId, config: LobbyConfig, chance: u64) -> Self {
        Self {
            guests: Guests::new(config.linger_ms, config.spread_ms),
            picture: Picture::new(config.room, config.spread_ms),
            tickets_max: config.tickets_max,
            has_porter: config.porter,
            link: Link::new(id, chance),
            replica: Replica::default(),
            asks: Asks::default(),
            batches: Batches::default(),
            reach: Reach::default(),
            checks: Checks::default(),
            counts: Counts::default(),
            rates: Rates::new(config.limits),
            timers: Timers::default(),
            effects: VecDeque::new(),
            looked_at: Instant(0),
        }
    }

    /// The replica, to look at.
    #[must_use]
    pub const fn replica(&self) -> &Replica {
        &self.replica
    }

    /// Whether this life knows all of the lobby's part of the book.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.link.is_whole()
    }

    /// The number of open sockets.
    #[must_use]
    pub const fn sockets(&self) -> u64 {
        self.guests.sockets()
    }

    /// Returns the next effect that the driver must carry out, or `None` if there is none.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When the driver must come back while the object is in memory. What is pending there keeps the object awake. O(1).
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.timers.next_awake()
    }

    /// When the driver must come back even if the object sleeps meanwhile: its alarm. O(1).
    #[must_use]
    pub fn poll_alarm(&self) -> Option<Instant> {
        self.timers.next_kept()
    }

    /// Takes an ask that a front makes for a visitor. The answer is an [`Effect::Answer`], now or later. O(log tickets).
    pub fn handle_ask(&mut self, m: Moment, asker: Asker, ask: Ask) {
        let (visitor, wish) = (ask.visitor, ask.wish);
        let has_permit = self.ticket_of(visitor).is_some_and(Ticket::waits_not);
        if takes_number(wish) && !has_permit {
            self.counts.attempt(m.now, &mut self.timers);
        }
        self.asks.add(m.now, asker, ask, self.batches.last(), &mut self.timers);
        self.awake(m);
        // An ask is a word of the visitor only now, when it comes: once it goes on with the room's answer, it may be older than a missed call.
        if self.link.is_whole() && counts_as_seen(wish) {
            self.replica.speaks(self.guests.holder_of(visitor).key);
        }
        self.proceed(m, asker);
        self.settle(m);
    }

    /// Drops an ask whose asker no longer waits. The lobby does not repeat its wish to the room. O(log asks).
    pub fn handle_gone(&mut self, m: Moment, asker: Asker) {
        if !planted::is(Bug::JoinRepeatedForNobody) {
            self.drop_ask(m.now, asker);
        }
        self.settle(m);
    }

    /// Takes in the room's answer to a call, or that none came (`None`). Ignores an answer that nobody waits for any more.
    pub fn handle_answer(&mut self, m: Moment, call: CallId, answer: Option<FromRoom>) {
        if !self.reach.end(call, answer.is_some(), &mut self.timers) {
            return;
        }
        let way = self.batches.way_of(call);
        let is_batch = way.is_some();
        let is_check = self.checks.is_out(call);
        let is_hello = self.link.is_out(call);
        if answer.is_none() && way == Some(Way::Porter) {
            // What is still wanted goes to the room directly at once, and so does everything else for a while.
            self.reach.rest_porter(m.now);
            self.batches.lose(&mut self.asks, &mut self.replica);
            return self.settle(m);
        }
        match answer {
            Some(FromRoom::Answer(answer)) if is_batch => self.batch_answered(m, &answer),
            Some(FromRoom::Leases(leases)) if is_check => {
                let asked = self.checks.hear(self.replica.edition(), &leases, &mut self.asks);
                self.go_on(m, asked);
            }
            Some(FromRoom::Welcome(welcome)) if is_hello => {
                let come = self.link.welcome(m.now, *welcome);
                self.takes(m, come);
            }
            Some(FromRoom::Page(page)) if is_hello => {
                let come = self.link.page(page);
                self.takes(m, come);
            }
            Some(FromRoom::Refused(Refusal::Version)) if is_check && planted::is(Bug::RefusedCheckPasses) => {
                let asked = self.checks.pass(m.now, self.picture.lanes().gist().lease_idle_ms, &mut self.asks);
                self.go_on(m, asked);
            }
            Some(FromRoom::Later(wait_ms)) if is_hello => {
                self.link.greet_again();
                self.timers.set(Timer::Again, m.now.plus_ms(wait_ms));
            }
            Some(FromRoom::Refused(Refusal::Unknown)) if is_batch || is_hello => self.says_hello(m),
            Some(FromRoom::Refused(Refusal::Deposed)) if is_batch || is_hello => self.depose(m.now),
            _ => self.no_answer(m.now, is_batch, is_check, is_hello),
        }
        self.settle(m);
    }

    /// Takes in what the room says unasked. Returns the lobby's answer, to be sent once every effect was carried out.
    pub fn handle_push(&mut self, m: Moment, said: &ToLobby) -> Heard {
        match said {
            ToLobby::Poke if self.link.is_whole() => self.says_hello(m),
            // The room is there, and may want this lobby before the time that it told.
            ToLobby::Poke if self.link.must_greet() => self.timers.cancel(Timer::Again),
            ToLobby::Poke => {}
            ToLobby::Push(_) if !self.link.is_whole() => {}
            ToLobby::Push(message) if message.to == self.link.life() => {
                self.hears(m, message, m.now);
            }
            // The push is meant for another life: either that life is dead, or this one was deposed.
            ToLobby::Push(_) => self.says_hello(m),
        }
        self.awake(m);
        self.settle(m);
        Heard {
            life: self.link.life(),
            acknowledged: self.link.is_whole().then(|| self.replica.have()),
            is_watched: self.guests.are_there(),
            lanes: self.replica.lanes(),
        }
    }

    /// Notes that a visitor's socket opened, or was found when the object came into memory. `shown` is the place it shows. O(log guests).
    pub fn handle_socket_opened(&mut self, m: Moment, visitor: VisitorId, shown: Option<Shown>) {
        self.guests.open(m.now, visitor, shown, &mut self.replica, &mut self.timers);
        self.awake(m);
        self.settle(m);
    }

    /// Notes that a visitor's socket closed. The visitor is away only after the linger. O(log guests).
    pub fn handle_socket_closed(&mut self, m: Moment, visitor: VisitorId) {
        self.guests.close(m.now, visitor, false, &mut self.timers);
        self.settle(m);
    }

    /// Notes that a visitor's socket was closed because it had been silent for [`SILENT_AFTER_MS`]. Unless the visitor was seen meanwhile, so much of
    /// the linger is over. O(log guests).
    pub fn handle_socket_silent(&mut self, m: Moment, visitor: VisitorId) {
        self.guests.close(m.now, visitor, true, &mut self.timers);
        self.settle(m);
    }

    /// Notes that a socket was closed as the object came into memory, because it had been silent for [`SILENT_AFTER_MS`]. O(log sockets).
    pub fn handle_silent_found(&mut self, m: Moment, visitor: VisitorId) {
        self.guests.find_silent(visitor);
        self.awake(m);
        self.settle(m);
    }

    /// Takes a word from a visitor's page: the page is awake. O(log guests).
    pub fn handle_word(&mut self, m: Moment, visitor: VisitorId) {
        self.awake(m);
        self.guests.see(m.now, visitor, true, &mut self.replica, &mut self.timers);
        self.settle(m);
    }

    /// Adds what a front has overheard.
    pub fn handle_overheard(&mut self, m: Moment, heard: &Overheard) {
        self.awake(m);
        self.counts.overhear(m.now, heard, &mut self.timers);
        self.settle(m);
    }

    /// Does what is due. O(due · log tickets).
    pub fn handle_timeout(&mut self, m: Moment) {
        while let Some(timer) = self.timers.pop_due(m.now) {
            self.fire(m, timer);
        }
        self.settle(m);
    }

    fn fire(&mut self, m: Moment, timer: Timer) {
        match timer {
            Timer::Patience(asker) => self.gives_up(m.now, asker),
            Timer::Poll(asker) => self.poll_ends(m, asker),
            Timer::Linger(visitor) => self.guests.end_linger(m.now, visitor, &mut self.replica, &mut self.timers),
            Timer::Expected => self.guests.end_expected(&mut self.replica),
            Timer::Call(call) => {
                self.timers.set(Timer::Call(call), m.now);
                self.handle_answer(m, call, None);
            }
            Timer::Company => self.batches.hurry(),
            Timer::Counts => self.counts.mark_overdue(),
            Timer::Frame if self.guests.sockets() > 0 => self.picture.send_frames(m.now, self.replica.living(), &mut self.effects),
            Timer::Frame | Timer::Again => {}
            Timer::Slide(visitor) => {
                let fence = self.guests.slide(m.now, visitor, &self.replica, &mut self.timers);
                self.batches.slide(fence);
            }
            Timer::Quiet => {
                self.looks_for_silent(m.now);
                self.look_if_quiet(m);
            }
        }
    }

    fn looks_for_silent(&mut self, now: Instant) {
        self.looked_at = now;
        self.effects.push_back(Effect::CloseSilent);
    }

    /// Finishes whatever happened: tells the visitors it concerns, and sends what there is to say to the room.
    fn settle(&mut self, m: Moment) {
        self.tell_news(m);
        self.send_hello(m);
        let Self { reach, timers, effects, .. } = self;
        let call = |ask| reach.call(m.now, ask, Way::Direct, timers, effects);
        self.checks.send(m.now, self.replica.edition(), call);
        self.send(m);
        if self.guests.sockets() > 0 {
            let quiet_at = self.link.quiet_at(m.now);
            self.timers.set_once(Timer::Quiet, quiet_at);
            if m.now.since_ms(self.looked_at) >= LOOKS_EVERY_MS {
                self.looks_for_silent(m.now);
            }
        } else {
            self.timers.cancel(Timer::Quiet);
        }
    }
}
