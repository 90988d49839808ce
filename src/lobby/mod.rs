//! A lobby: a shard of a room's visitors.
//!
//! It knows which visitor has which number, who is there, and gathers wishes into batches for
//! the room. **It orders nobody.** Like the room it is pure: time comes in, what must be stored
//! and sent goes out, and the object around it does both.
//!
//! What it must never forget, for whom a number was asked, it journals before the room is. What the
//! room can tell it again (the number itself, until the next is asked for; calls, leases, who has left) it journals
//! when that is cheap, and asks again after a restart: the first word of a visitor in each life of the lobby
//! asks the room where the ticket stands.

mod answers;
mod asks;
mod batches;
mod carry;
mod checks;
mod draw;
pub mod event;
mod limits;
mod line_end;
mod origin;
mod presence;
mod pressure;
mod reset;
mod standings;
mod status;

pub use answers::{Delivered, Outcome};
pub use asks::{Answer, Progress};
pub use checks::CHECKS_WAITING_MAX;
pub use limits::Limits;

use crate::ordered::filled;
use crate::planted::{self, Bug};
use crate::room::command::{Batch, Gist, LineEnd, Notice};
use crate::room::frame::Frame;
use crate::units::{Edition, Fence, Instant, LobbyId, Number, Version, VisitorId};
use crate::wire::Reason;
use carry::Carrying;
use event::LobbyEvent;
use limits::Rates;
use origin::Answered;
use presence::Presence;
use pressure::Pressure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Living tickets of one lobby, unless set otherwise. A lobby is meant for 10,000 (see `crowd`),
/// but visitors are spread by hash: six standard deviations above that is 10,600. Two sockets
/// each stay below the platform's 32,768 sockets of one object.
pub const TICKETS_MAX: usize = 16_000;
/// Visitors remembered whose ticket is over or who were passed on: then the oldest are forgotten.
pub const REMEMBERED_MAX: usize = 32_000;
/// Unsaved notices after which a row is written for them alone.
pub const UNSAVED_MAX: usize = 64;
/// Unsaved notices are written after this, sooner than the object hibernates (10 s).
pub const SAVE_AFTER_MS: u64 = 5_000;
/// What the room said is good for this long; then somebody's question makes the lobby look.
pub const LOOK_AFTER_MS: u64 = 5_000;

/// What a lobby needs to know of its room's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyConfig {
    /// The room's name, for the status.
    pub room: String,
    /// Not seen for this long is away.
    pub linger_ms: u64,
    /// Frames are sent at most this often; the room says so anew when it changes.
    pub tick_ms: u64,
    /// A lease ends after this long without activity; the room says so anew when it changes.
    pub lease_idle_ms: u64,
    /// Most living tickets.
    pub tickets_max: usize,
    /// What one address and one visitor may take.
    pub limits: Limits,
}

/// A visitor's ticket as this lobby knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The place.
    pub number: Number,
    /// Of which edition.
    pub edition: Edition,
    /// How far it has come.
    pub phase: Phase,
    /// The least people in front that were ever known.
    ahead: u64,
    /// The room's version that said so: the highest wins.
    version: Version,
}

/// How far a ticket has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// In the line.
    Waiting {
        /// The room was told that the visitor is away.
        away: bool,
        /// A first call was missed.
        missed: bool,
    },
    /// A permit is there to be taken.
    Called {
        /// Under this fence.
        fence: Fence,
        /// Until then, on the lobby's clock.
        claim_by: Instant,
    },
    /// Inside.
    Admitted {
        /// Under this fence.
        fence: Fence,
        /// The idle end, on the lobby's clock, never later than the room's.
        idle_end: Instant,
        /// The hard end, likewise.
        hard_end: Instant,
        /// A walk-in whose cookie has not come back yet.
        provisional: bool,
    },
    /// Over.
    Over(Reason),
}

impl Ticket {
    /// Whether it is an entry of the hall, and lives.
    const fn is_entry(&self) -> bool {
        self.number.is_entry() && self.phase.living()
    }

    /// Whether it waited when the room's line ended.
    const fn is_over_with(&self, end: LineEnd) -> bool {
        let waits = matches!(self.phase, Phase::Waiting { .. } | Phase::Called { .. });
        waits && end.covers(self.number)
    }
}

impl Phase {
    const fn living(self) -> bool {
        !matches!(self, Self::Over(_))
    }
}

/// What is stored: the fold of the lobby's events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    epoch: u64,
    tickets: BTreeMap<VisitorId, Ticket>,
    /// Of the edition that is known.
    by_number: BTreeMap<Number, VisitorId>,
    living: usize,
    /// How many of these are entries of the hall.
    entries: usize,
    /// Visitors whose ticket is over, or who were passed on to the next lobby, oldest first.
    remembered: VecDeque<VisitorId>,
    passed_on: BTreeSet<VisitorId>,
    /// Notices of the room's up to this version are in here.
    noticed: Version,
    /// The batch whose answer is not known. The same bytes go again.
    outstanding: Option<Outstanding>,
    /// The room's line ended once.
    ended: Option<LineEnd>,
    /// The room's edition, as far as it is known here: of that are the numbers of all who live.
    edition: Edition,
    /// The row in which it began: what the room said before is of another.
    began: Version,
    /// Places on their way to other devices.
    carrying: Carrying,
}

/// A batch on its way, with those who wait for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Outstanding {
    batch: Batch,
    /// For each command, whom it is for.
    visitors: Vec<Vec<VisitorId>>,
}

/// A batch that was handed out for sending, with what each command was wanted for.
#[derive(Clone, Debug)]
struct Flying {
    batch: Batch,
    wants: Vec<(Want, Vec<VisitorId>)>,
    /// When it was first handed out in this life: no message that answers it can be older.
    sent_at: Instant,
    /// When it was first handed out in any life: no reply to it can be older.
    asked_at: Instant,
}

/// Whoever waits for the room, in the object around this.
pub type Waiter = u64;

/// What somebody waits for. Whoever asks for the same shares the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Want {
    Join,
    WalkIn,
    Claim,
    Back,
    Leave,
    Renew(Fence),
    Release(Fence),
    Extend(Fence, u64),
    Away,
    /// The place of this number for oneself.
    Carry(Number),
    /// Nobody waits for it: how the origin answered.
    Origin,
    /// Away with this number, which is nobody's any more.
    Drop(Number),
    /// The number that the entry became.
    Number,
}

impl Want {
    /// Whether it names a number itself; the others mean whatever the visitor has when they are sent.
    const fn goes_by_number(self) -> bool {
        matches!(self, Self::Carry(_) | Self::Drop(_))
    }
}

/// One lobby of a room. See the module documentation.
#[derive(Clone, Debug)]
pub struct Lobby {
    id: LobbyId,
    config: LobbyConfig,
    book: Book,
    /// Applied and not yet written.
    unsaved: Vec<LobbyEvent>,
    unsaved_since: Option<Instant>,
    /// Notices up to here are written; the next batch acknowledges them.
    saved: Version,
    sequence: u64,
    /// The first batch of this life carries the roster.
    introduced: bool,
    /// Whose standing the room confirmed in this life.
    confirmed: BTreeSet<VisitorId>,
    presence: Presence,
    /// Who lingered out while the room has not confirmed to know it. Only then it is stored: a
    /// departure that is noted and never told would leave an empty place at the head of the line.
    leaving: BTreeSet<VisitorId>,
    /// The least people in front that were known of each ticket in this life.
    in_front: BTreeMap<Number, u64>,
    queue: VecDeque<(VisitorId, Want)>,
    waiters: BTreeMap<(VisitorId, Want), Vec<Waiter>>,
    next_waiter: Waiter,
    /// The batch that is out and not answered.
    flying: Option<Flying>,
    /// Notices for numbers that the answer still on its way will bring: a push really does
    /// overtake the answer of the same turn.
    early: BTreeMap<Number, (Instant, Version, Notice)>,
    pressure: Pressure,
    origin: Answered,
    rates: Rates,
    gist: Gist,
    /// What the operator tells everybody.
    message: String,
    gist_version: Version,
    /// When the room was last heard.
    heard_at: Option<Instant>,
    frame: Option<(Frame, Vec<u8>)>,
    frame_sent_at: Instant,
    frame_fresh: bool,
}

impl Lobby {
    /// A new life of a lobby: the stored book, one epoch further. Write
    /// [`take_unsaved`](Self::take_unsaved) before anything else is done with it. O(tickets).
    #[must_use]
    pub fn wake(id: LobbyId, config: LobbyConfig, book: Book, now: Instant) -> Self {
        let presence = Presence::new();
        let mut lobby = Self {
            id,
            config,
            saved: book.noticed,
            book,
            unsaved: Vec::new(),
            unsaved_since: None,
            sequence: 0,
            introduced: false,
            confirmed: BTreeSet::new(),
            presence,
            leaving: BTreeSet::new(),
            in_front: BTreeMap::new(),
            queue: VecDeque::new(),
            waiters: BTreeMap::new(),
            next_waiter: 1,
            flying: None,
            early: BTreeMap::new(),
            pressure: Pressure::default(),
            origin: Answered::default(),
            rates: Rates::default(),
            gist: Gist::default(),
            message: String::new(),
            gist_version: Version(0),
            heard_at: None,
            frame: None,
            frame_sent_at: Instant(0),
            frame_fresh: false,
        };
        lobby.flying = lobby
            .book
            .outstanding
            .clone()
            .map(|old| Flying::of_earlier_life(now, old));
        // Whoever asks for a number again waits for the one that is on its way.
        let wants = lobby.flying.iter().flat_map(|flying| &flying.wants);
        let keys =
            wants.flat_map(|(want, visitors)| visitors.iter().map(|visitor| (*visitor, *want)));
        lobby.waiters = filled(keys.map(|key| (key, Vec::new())));
        // The first life ever begins at the time of day, so that a lobby whose storage was lost does
        // not speak under an epoch of its predecessor and get the answers meant for that.
        let epoch = if lobby.book.epoch == 0 {
            now.0
        } else {
            lobby.book.epoch
        };
        lobby.record(now, LobbyEvent::Woke { epoch: epoch + 1 });
        // Written before the first batch is sent. A life that sends nothing need not be remembered.
        lobby.unsaved_since = None;
        let waiting = lobby
            .book
            .tickets
            .iter()
            .filter(|(_, t)| Self::lingers(t.phase));
        let seen: Vec<VisitorId> = waiting.map(|(visitor, _)| *visitor).collect();
        for visitor in seen {
            lobby.presence.seen(now, visitor, lobby.config.linger_ms);
        }
        lobby.pursue();
        lobby
    }

    const fn lingers(phase: Phase) -> bool {
        matches!(phase, Phase::Waiting { away: false, .. })
    }

    /// What is stored of it, for a snapshot.
    #[must_use]
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// The number of this life.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.book.epoch
    }

    /// A visitor's ticket. O(log tickets).
    #[must_use]
    pub fn ticket(&self, visitor: VisitorId) -> Option<&Ticket> {
        self.book.tickets.get(&visitor)
    }

    /// Tickets that are not over.
    #[must_use]
    pub const fn living(&self) -> usize {
        self.book.living
    }

    /// Applies an event and keeps it for the next row.
    fn record(&mut self, now: Instant, event: LobbyEvent) {
        self.book.apply(&event);
        self.unsaved.push(event);
        self.unsaved_since.get_or_insert(now);
    }

    /// What must be written now, in one row. Once it is, everything told so far may be
    /// acknowledged.
    #[must_use]
    pub fn take_unsaved(&mut self) -> Vec<LobbyEvent> {
        self.saved = self.book.noticed;
        self.unsaved_since = None;
        core::mem::take(&mut self.unsaved)
    }

    /// Whether something is unwritten that must be written before anybody is told or sent anything: a batch
    /// that issues numbers, and that this life has spoken. The rest the room can tell again.
    ///
    /// So it can whose the numbers in an answer are: until the next batch of its kind is stored, the one before is, and
    /// the room answers that the same once more, whatever else came in between. Nobody who joins, and nobody who is
    /// called by baton because somebody else leaves, waits for a second row. But of an earlier life it knows only until
    /// this one speaks.
    #[must_use]
    pub fn must_save_first(&self) -> bool {
        self.unsaved.iter().any(|event| match event {
            LobbyEvent::Sent { .. } => !planted::is(Bug::SendsBeforeTheWrite),
            LobbyEvent::PassedOn(_)
            | LobbyEvent::Offered { .. }
            | LobbyEvent::TakenUp { .. }
            | LobbyEvent::Carried { .. }
            | LobbyEvent::Numbered { .. } => true,
            LobbyEvent::LineEnded { .. }
            | LobbyEvent::Begun { .. }
            | LobbyEvent::Outdated { .. } => false,
            LobbyEvent::Joined { .. } | LobbyEvent::Settled => {
                self.flying.is_some() && self.sequence == 1
            }
            // Two lives that speak to the room under one epoch would be taken for one: the first
            // batch of the second would be answered as a repeat of the first's.
            LobbyEvent::Woke { .. } => self.introduced,
            LobbyEvent::Stands { .. } | LobbyEvent::Noticed(_) | LobbyEvent::Dropped(_) => false,
        })
    }

    /// Whether unwritten events have waited long enough to be written alone.
    #[must_use]
    pub fn must_save(&self, now: Instant) -> bool {
        let late = self
            .unsaved_since
            .is_some_and(|at| now.since_ms(at) >= SAVE_AFTER_MS);
        late || self.unsaved.len() >= UNSAVED_MAX
    }

    /// When the object must look again: somebody may have gone away, a lease may need to slide,
    /// events wait to be written, a frame waits to be sent. `None`: nothing to do. O(1).
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        let save = self.unsaved_since.map(|at| at.plus_ms(SAVE_AFTER_MS));
        let frame = (self.frame_fresh && self.presence.sockets() > 0).then(|| self.frame_due_at());
        let told = [self.pressure.due_at(), self.origin.due_at()];
        let told = told.into_iter().flatten().min();
        [save, frame, self.presence.due_at(), told]
            .into_iter()
            .flatten()
            .min()
    }

    /// A front has counted how the origin answered people inside. Forgotten where the room has said
    /// that it does not want to know.
    pub fn origin_answered(&mut self, now: Instant, good: u32, bad: u32) {
        if self.wants_health() != Some(false) {
            self.origin.add(now, good, bad);
        }
    }

    /// A front has heard from the shop how many seats are left, as of then by the shop's clock, Unix ms.
    pub fn stock_reported(&mut self, now: Instant, left: u32, reported_at_ms: u64) {
        self.origin.stock(now, left, reported_at_ms);
    }

    /// Whether the room wants to know how the origin answers; `None`: it was not heard in this life.
    fn wants_health(&self) -> Option<bool> {
        self.heard_at.map(|_| self.gist.wants_health)
    }

    fn want(&mut self, visitor: VisitorId, want: Want) {
        let key = (visitor, want);
        if let std::collections::btree_map::Entry::Vacant(entry) = self.waiters.entry(key) {
            entry.insert(Vec::new());
            self.queue.push_back(key);
        }
    }

    fn wait_for(&mut self, now: Instant, visitor: VisitorId, want: Want) -> Waiter {
        if limits::takes_number(want) && !self.waiters.contains_key(&(visitor, want)) {
            self.count_number(now, visitor);
        }
        self.want(visitor, want);
        let waiter = self.next_waiter;
        self.next_waiter += 1;
        if let Some(waiters) = self.waiters.get_mut(&(visitor, want)) {
            waiters.push(waiter);
        }
        waiter
    }
}
