//! A room in memory and its turn: decide, apply, write, arm, and only then speak.

use super::{Alarm, Fault, wound};
use crate::clock::Clock;
use crate::journal::{Journal, Store};
use crate::planted::{self, Bug};
use crate::room::command::{Batch, Message, Refusal, Standing};
use crate::room::config::{CHECKS_MAX, RoomConfig};
use crate::room::courier::{Courier, Push};
use crate::room::event::Row;
use crate::room::frame::Frame;
use crate::room::hall::Lots;
use crate::room::live::Change;
use crate::room::ramp::Ramps;
use crate::room::report::Report;
use crate::room::times::hour::Sample;
use crate::room::{Room, laws};
use crate::units::{Edition, Fence, Instant, Number};

/// What the operator set on a room, as far as it lives by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomOptions {
    /// What the core decides by, once nothing is on its way any more.
    pub config: RoomConfig,
    /// What is on its way there.
    pub ramps: Ramps,
    /// Rows that are in a snapshot are kept at least this long, in milliseconds.
    pub journal_keep_ms: u64,
    /// What the draws of its halls follow from.
    pub lots: Lots,
}

/// A room in memory.
#[derive(Clone, Debug)]
pub struct LivingRoom<S> {
    /// The core.
    room: Room,
    /// Who is told what, and when.
    courier: Courier,
    options: RoomOptions,
    journal: Journal<S>,
    clock: Clock,
    alarm: Alarm,
    last_row: Row,
}

impl<S: Store> LivingRoom<S> {
    /// Brings a room back from what is stored. `alarm_wall_ms`: when the stored alarm rings, if
    /// there is one and it is not the one that rings now. O(snapshot + rows).
    ///
    /// # Errors
    /// When what is stored is damaged.
    pub fn restore(
        store: S,
        options: RoomOptions,
        wall_ms: u64,
        alarm_wall_ms: Option<u64>,
    ) -> Result<Self, Fault> {
        let (journal, restored) = Journal::open::<Room>(store)?;
        let (clock, alarm) = wound(restored.clock, wall_ms, alarm_wall_ms);
        let last_row = restored.state.open_row(clock.now());
        Ok(Self {
            room: restored.state,
            courier: Courier::default(),
            options,
            journal,
            clock,
            alarm,
            last_row,
        })
    }

    /// The operator has set something else: the next turn configures it. O(1).
    pub fn set_options(&mut self, options: RoomOptions) {
        self.options = options;
    }

    /// The core, to look at.
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// The journal.
    pub const fn journal(&self) -> &Journal<S> {
        &self.journal
    }

    /// The journal, to set how often it takes a snapshot.
    pub const fn journal_mut(&mut self) -> &mut Journal<S> {
        &mut self.journal
    }

    /// The clock.
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// When the alarm is armed for.
    pub const fn armed(&self) -> Option<Instant> {
        self.alarm.armed()
    }

    /// What the last turn decided; no events when it had nothing to write.
    pub const fn last_row(&self) -> &Row {
        &self.last_row
    }

    /// When there is something to do again, `None`: nothing is pending. O(lobbies).
    pub fn due_at(&self) -> Option<Instant> {
        let now = self.clock.now();
        let tick_ms = self.options.config.tick_ms;
        let step = self.options.ramps.next_step(now, tick_ms);
        let hours = self.room.hours_due_ms().map(|at| self.clock.at_wall_ms(at));
        let due = [
            self.room.due_at(now),
            hours,
            self.courier.due_at(&self.room),
            step.filter(|_| !planted::is(Bug::RampForgotten)),
        ];
        due.into_iter().flatten().min()
    }

    /// Takes a lobby's batch in.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn receive(&mut self, wall_ms: u64, batch: &Batch) -> Turned<Result<Message, Refusal>> {
        self.turn(wall_ms, |living, now, row| {
            let answer = living.room.receive(now, batch, row);
            if let Ok(message) = &answer {
                let announced = living.room.announced();
                living
                    .courier
                    .heard_from(batch.lobby, message.noticed, announced);
            }
            answer
        })
    }

    /// How things are, for a lobby whose own picture is old. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn look(&mut self, wall_ms: u64) -> Turned<Message> {
        self.turn(wall_ms, |living, now, _| Message {
            version: living.room.version(),
            gist: living.room.gist(now),
            message: living.room.config().message.clone(),
            frame: Some(Frame::of(&living.room, now).encode()),
            ..Message::default()
        })
    }

    /// Which of these leases live, in order. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn standings(&mut self, wall_ms: u64, fences: &[Fence]) -> Turned<Vec<Standing>> {
        self.turn(wall_ms, |living, now, _| {
            let fences = fences.iter().take(CHECKS_MAX);
            fences.map(|fence| living.room.check(now, *fence)).collect()
        })
    }

    /// The room in numbers. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn report(&mut self, wall_ms: u64) -> Turned<Report> {
        self.turn(wall_ms, |living, now, _| Report {
            unreached: living.courier.unreached(),
            ..living.room.report(now)
        })
    }

    /// Where a ticket stands, as a word, and how many are in front of one that waits. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn look_up(&mut self, wall_ms: u64, number: Number) -> Turned<(&'static str, Option<u64>)> {
        self.turn(wall_ms, |living, now, _| living.room.look_up(now, number))
    }

    /// The room's clock, and its last hour; see [`Room::hour`]. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn hour(&mut self, wall_ms: u64) -> Turned<(u64, Vec<Sample>)> {
        self.turn(wall_ms, |living, now, _| (now.0, living.room.hour(now)))
    }

    /// The operator changes live values: in force with `options`, which they lead to, from this
    /// turn on.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn adjust(
        &mut self,
        wall_ms: u64,
        by: &str,
        values: Vec<Change>,
        options: RoomOptions,
    ) -> Turned<()> {
        self.options = options;
        self.turn(wall_ms, |living, _, row| {
            living.room.adjust(by, values, row);
        })
    }

    /// The operator ends a ticket; false: it is not living.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn dismiss(&mut self, wall_ms: u64, number: Number, by: &str) -> Turned<bool> {
        self.turn(wall_ms, |living, now, row| {
            living.room.dismiss(now, number, by, row)
        })
    }

    /// The operator begins the room anew: a new edition.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn reset(&mut self, wall_ms: u64, by: &str) -> Turned<Edition> {
        self.turn(wall_ms, |living, _, row| living.room.reset(by, row))
    }

    /// The alarm rings: the usher's turn.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped, and an alarm set anew.
    pub fn ring(&mut self, wall_ms: u64) -> Turned<()> {
        self.turn(wall_ms, |living, now, row| {
            living.alarm.rang();
            living.room.take_turn(now, row);
        })
    }

    /// A push has ended; `watchers`: how many sockets the lobby holds, `None` when it did not
    /// take the push.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn pushed(&mut self, wall_ms: u64, push: &Push, watchers: Option<u64>) -> Turned<()> {
        self.turn(wall_ms, |living, now, _| {
            living.courier.finished(now, push, watchers);
        })
    }

    /// One turn: what `act` does to the room is written with the alarm that it makes necessary.
    /// Yields what must be pushed once that is durable.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn turn<T>(
        &mut self,
        wall_ms: u64,
        act: impl FnOnce(&mut Self, Instant, &mut Row) -> T,
    ) -> Turned<T> {
        let (now, mut row) = self.begin(wall_ms);
        let result = act(self, now, &mut row);
        let pushes = self.end(now, row)?;
        Ok((result, pushes))
    }

    /// What comes before anything else in a turn: what the clock and the operator's settings ask for.
    fn begin(&mut self, wall_ms: u64) -> (Instant, Row) {
        let now = self.clock.advance(wall_ms, self.alarm.armed());
        let mut row = self.room.open_row(now);
        let options = &self.options;
        let config = options.ramps.in_force(&options.config, now);
        self.room.configure(&config, &mut row);
        self.room.keep_hours(wall_ms, &options.lots, &mut row);
        (now, row)
    }

    /// Writes what the turn has decided, and arms the alarm.
    fn end(&mut self, now: Instant, row: Row) -> Result<Vec<Push>, Fault> {
        self.check(now)?;
        let unwritten = |fault| {
            planted::is(Bug::SpeaksBeforeTheWrite)
                .then_some(())
                .ok_or(fault)
        };
        self.write(&row).or_else(unwritten)?;
        self.last_row = row;
        let pushes = self.courier.pushes(&self.room, now);
        let due = self.due_at();
        self.alarm.arm(self.journal.store(), &self.clock, due)?;
        Ok(pushes)
    }

    /// The laws that cost nothing stay on. A broken one is our own bug: nothing is written.
    fn check(&self, now: Instant) -> Result<(), Fault> {
        laws::conserved(&self.room, now)
            .and_then(|()| laws::leases_bounded(&self.room, now))
            .map_err(Fault::Law)
    }

    fn write(&mut self, row: &Row) -> Result<(), Fault> {
        if row.events.is_empty() {
            return Ok(());
        }
        let wall_ms = self.clock.wall_ms();
        let keep_from_ms = wall_ms.saturating_sub(self.options.journal_keep_ms);
        self.journal
            .append(row.at, wall_ms, &row.events, &self.room, keep_from_ms)?;
        Ok(())
    }
}

/// What a turn yields: its result, and what must be pushed once it is durable.
pub type Turned<T> = Result<(T, Vec<Push>), Fault>;
