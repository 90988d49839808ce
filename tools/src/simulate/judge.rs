//! Judges every turn of the room: each fact on the state before it, the state that the facts lead to, the laws, the audit, and the book.
//!
//! The laws of `room::laws` are written for any two states and cost O(n · facts). The judge learns the same step by step: it keeps the state before
//! (the *shadow*), checks each fact on it and applies the fact to it. What a recount would find, it finds by comparing every place, count and rank
//! with the [`Model`], which is the audit's book. [`Depth::Both`] runs both forms and fails if only one of them objects.

mod picture;

use super::greetings::Greeted;
use super::law::{broken, require};
use super::model::Model;
use super::watch::Watch;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::message::{Batch, FromRoom, ToRoom};
use baton::facts::units::{Instant, LobbyId};
use baton::lobby::Replica;
use baton::room::Room;
use baton::room::courier::Push;
use baton::room::laws::{self, Check};

/// How much is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// Nothing, to measure what checking costs.
    Off,
    /// Every law after every step, in the cheapest form; every 64th written turn in full too.
    #[default]
    Every,
    /// Every law after every step, in both forms.
    Both,
}

/// Why a turn was made.
#[derive(Clone, Debug)]
pub enum Cause<'a> {
    /// The batches of lobbies that the room took, in order.
    Batches(Vec<&'a Batch>),
    /// The usher's turn.
    Ring,
    /// Another: the operator, a Hello, a check, a look, or the end of a push.
    Other,
}

/// The room's judge.
#[derive(Debug, Default)]
pub struct Judge {
    /// The room as it is stored.
    pub shadow: Room,
    /// The book as the facts make it.
    pub model: Model,
    /// Judges what its lobbies are told.
    pub watch: Watch,
    now: Instant,
    depth: Depth,
    /// Turns that wrote a row.
    pub rows: u64,
    /// Turns after which every law was checked in full.
    pub recounts: u64,
}

/// One in this many written turns is checked in the full form too.
const RECOUNT_EVERY: u64 = 64;

impl Judge {
    /// Makes the judge of a room that nobody has seen yet.
    #[must_use]
    pub fn new(depth: Depth) -> Self {
        Self { depth, ..Self::default() }
    }

    /// Judges a room that came back from its store.
    ///
    /// # Errors
    /// Returns the broken law if it is not the room that was stored.
    pub fn restored(&self, room: &Room) -> Check {
        let comes_back = self.depth == Depth::Off || self.shadow == *room;
        require("what is stored comes back (9)", comes_back, || format!("{room:?}\nnot {:?}", self.shadow))
    }

    /// Judges a turn that is durable, made at `now` and `wall_ms`, after which the settings in force must be `wanted`.
    ///
    /// # Errors
    /// Returns the first law that is broken.
    pub fn turned(&mut self, room: &Room, row: &Row, (now, wall_ms): (Instant, u64), cause: Cause<'_>, wanted: &RoomConfig) -> Check {
        if self.depth == Depth::Off {
            return Ok(());
        }
        self.now = now;
        let writes = !row.events.is_empty();
        let full = self.depth == Depth::Both || (writes && self.rows.is_multiple_of(RECOUNT_EVERY));
        let in_full = if full { self.in_full(room, row, now) } else { Ok(()) };
        // The fast form has nothing of this, so it is no part of what the two must agree on.
        let twice = if full { done_twice(room, now, &cause) } else { Ok(()) };
        let first = self.fast(room, row, (now, wall_ms), cause, wanted);
        self.watch.turned(row);
        self.rows += u64::from(writes);
        self.recounts += u64::from(full);
        match (&in_full, &first) {
            (Err(law), Ok(())) => broken("both forms of the laws agree", || format!("only the full form says: {law}")),
            (_, Err(_)) => first,
            (Ok(()), Ok(())) => twice,
        }
    }

    fn in_full(&self, room: &Room, row: &Row, now: Instant) -> Check {
        laws::check_row(&self.shadow, room, row)?;
        laws::check_state(room, now)?;
        laws::turn_is_idempotent(room, now)
    }

    fn fast(&mut self, room: &Room, row: &Row, (now, wall_ms): (Instant, u64), cause: Cause<'_>, wanted: &RoomConfig) -> Check {
        let batches = match &cause {
            Cause::Batches(batches) => batches.as_slice(),
            Cause::Ring | Cause::Other => &[],
        };
        self.back_in_time(batches, row)?;
        if row.events.is_empty() {
            let same = room.version() == self.shadow.version();
            require("a turn that writes nothing changes nothing (9)", same, || format!("{}", room.version()))?;
        } else {
            self.fold(room, row)?;
            self.model.turned(row, wall_ms)?;
            self.picture(room)?;
        }
        self.slid(batches, now)?;
        let config = self.model.config();
        require("the settings in force are those that are wanted", config == Some(wanted), || {
            format!("{config:?}\nnot {wanted:?}")
        })?;
        laws::conserved(room, now)?;
        laws::leases_bounded(room, now)?;
        laws::debt_means_nothing_free(room, now)?;
        laws::no_permit_forgotten(room, now)?;
        laws::bounded(room, now)?;
        laws::vouchers_agree(room, now)?;
        self.next_turn(room, now)
    }

    /// Checks each fact on the state before it, then the state that they lead to, and that numbers and fences grow.
    fn fold(&mut self, room: &Room, row: &Row) -> Check {
        let next = (self.shadow.edition(), self.shadow.line().next());
        let fence = self.shadow.permits().last_fence();
        let before = self.shadow.version();
        require("rows follow each other (9)", row.version.0 == before.0 + 1, || {
            format!("{} after {before}", row.version)
        })?;
        for event in &row.events {
            laws::fact_is_lawful(&self.shadow, row.at, event)?;
            self.shadow.apply(row.version, row.at, event);
            if matches!(event, Event::Reset { .. }) {
                laws::begins_clean(&self.shadow)?;
            }
        }
        require("state is the fold of the facts (9)", self.shadow == *room, || {
            format!("{room:?}\nnot {:?}", self.shadow)
        })?;
        let grow = next <= (room.edition(), room.line().next()) && fence <= room.permits().last_fence();
        require("numbers and fences grow (2)", grow, || "a counter ran back".to_owned())
    }

    /// Checks that a report which is older than a missed call brings nobody back.
    fn back_in_time(&self, batches: &[&Batch], row: &Row) -> Check {
        let back = row.events.iter().flat_map(|event| match event {
            Event::CameBack(numbers) => numbers.as_slice(),
            _ => &[],
        });
        for number in back {
            let missed_in = self.model.missed_in(*number);
            let mut commands = batches.iter().flat_map(|batch| &batch.commands);
            let is_later = commands.any(|command| match command {
                Command::Presence { as_of, here, .. } => {
                    let names = here.iter().any(|held| held.number == *number);
                    names && missed_in.is_none_or(|row| row <= *as_of)
                }
                _ => false,
            });
            require("a report from before a missed call brings nobody back", is_later, || {
                format!("{number}, which missed it in {missed_in:?}: {batches:?}")
            })?;
        }
        Ok(())
    }

    /// Checks that a lease which is renewed has its whole idle time before it.
    fn slid(&self, batches: &[&Batch], now: Instant) -> Check {
        for command in batches.iter().flat_map(|batch| &batch.commands) {
            if let Command::Renew(fence) = command
                && self.model.is_unslid(now, *fence)
            {
                return broken("a renewed lease slides", || format!("{fence} at {now}"));
            }
        }
        Ok(())
    }

    /// Checks that a second turn would do nothing more than the next.
    fn next_turn(&self, room: &Room, now: Instant) -> Check {
        if room.case(now).decide_turn().is_empty() {
            Ok(())
        } else {
            laws::turn_is_idempotent(room, now)
        }
    }

    /// Notes that a call reaches the room and brings these batches.
    pub fn hears(&mut self, batches: &[Batch]) {
        self.watch.hears(batches, self.model.told_from());
    }

    /// Judges what the room answers a lobby; `skewed` says whether builds differ now.
    ///
    /// # Errors
    /// Returns the broken law if the book says something else, or the room should have answered otherwise.
    pub fn says(&mut self, said: &ToRoom, answer: &FromRoom, skewed: bool) -> Check {
        if self.depth == Depth::Off {
            return Ok(());
        }
        self.watch.says(&self.model, self.now, said, answer, skewed)
    }

    /// Returns what came of Hellos, up to now.
    pub fn greeted(&mut self) -> Greeted {
        self.watch.greetings.remain(&self.model, self.now);
        self.watch.greetings.greeted
    }

    /// Judges what the room says unasked.
    ///
    /// # Errors
    /// Returns the broken law if the book says something else.
    pub fn pushes(&mut self, push: &Push) -> Check {
        if self.depth == Depth::Off {
            return Ok(());
        }
        self.watch.pushes(&self.model, self.now, push)
    }

    /// Checks that a replica says what the book says, if it is whole and as new as the book.
    ///
    /// # Errors
    /// Returns the broken law if it does not.
    pub fn replica_agrees(&self, lobby: LobbyId, is_whole: bool, replica: &Replica) -> Check {
        let current = replica.have() == self.shadow.version() && self.watch.is_current(replica.life());
        if self.depth == Depth::Off || !is_whole || !current {
            return Ok(());
        }
        self.watch.replica_agrees(&self.model, self.now, lobby, replica)
    }
}

/// The last command of a turn may come again.
fn done_twice(room: &Room, now: Instant, cause: &Cause<'_>) -> Check {
    let Cause::Batches(batches) = cause else {
        return Ok(());
    };
    let last = batches.last().and_then(|batch| Some((batch.lobby, batch.commands.last()?)));
    last.map_or(Ok(()), |(lobby, command)| laws::done_twice_is_done_once(room, now, command, lobby))
}
