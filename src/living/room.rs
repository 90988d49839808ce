//! A room in memory and its turn: decide, apply, write, arm, and only then speak.

use super::{Alarm, Chance, Fault, StepJudge, wound};
use crate::clock::Clock;
use crate::facts::config::RoomConfig;
use crate::facts::event::Row;
use crate::facts::holder::Salt;
use crate::facts::limits::{BUNDLE_BATCHES_MAX, CHECKS_MAX};
use crate::facts::message::{Batch, FromRoom, Heard, Refusal, RoomLife, Taken, ToRoom};
use crate::facts::units::{Edition, Instant, Number};
use crate::journal::{Damage, Journal, Store};
use crate::planted::{self, Bug};
use crate::room::courier::{Courier, Push};
use crate::room::hall::Lots;
use crate::room::outlook::Outlook;
use crate::room::ramp::Ramps;
use crate::room::report::Report;
use crate::room::times::hour::Sample;
use crate::room::{Room, laws};
use std::rc::Rc;

/// What the operator set on a room, as far as it lives by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomOptions {
    /// What the core decides by, once nothing is on its way any more.
    pub config: RoomConfig,
    /// What is on its way there.
    pub ramps: Ramps,
    /// Rows that are in a snapshot are kept at least this long, in milliseconds; when nothing has happened for as long, and nobody has a
    /// place, all of them go.
    pub journal_keep_ms: u64,
    /// What the draws of its halls follow from.
    pub lots: Lots,
}

/// A room in memory.
#[derive(Clone, Debug)]
pub struct LivingRoom<S> {
    /// The core.
    pub(super) room: Room,
    /// Who is told what, and when.
    courier: Courier,
    pub(super) options: RoomOptions,
    pub(super) judge: Option<Rc<dyn StepJudge>>,
    journal: Journal<S>,
    clock: Clock,
    /// Up to which moment of the wall clock the last turn kept the schedule, when the last row before this memory was written; 0: there was none.
    pub(super) turned_wall_ms: u64,
    alarm: Alarm,
    last_row: Row,
    last_taken: Vec<bool>,
    /// With what its lobbies make keys in this edition.
    pub(super) salt: (Edition, Salt),
    chance: Chance,
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
        chance: Chance,
        wall_ms: u64,
        alarm_wall_ms: Option<u64>,
    ) -> Result<Self, Fault> {
        let (journal, restored) = Journal::open::<Room>(store)?;
        let turned_wall_ms = restored.clock.map_or(0, |(_, wall_ms)| wall_ms);
        let (clock, alarm) = wound(restored.clock, wall_ms, alarm_wall_ms);
        let last_row = restored.state.open_row(clock.now());
        let mut living = Self {
            room: restored.state,
            courier: Courier::default(),
            options,
            judge: None,
            journal,
            clock,
            turned_wall_ms,
            alarm,
            last_row,
            last_taken: Vec::new(),
            salt: (Edition(0), Salt::default()),
            chance,
        };
        living.salts()?;
        living.courier = Courier::woken(&living.room, living.life(), chance.memory());
        Ok(living)
    }

    /// Makes sure that there is a salt for this edition. A new one is stored with whatever this turn writes.
    fn salts(&mut self) -> Result<(), Fault> {
        let edition = self.room.edition();
        if self.salt.0 == edition {
            return Ok(());
        }
        let stored = self.journal.store().salt(edition).map_err(Damage::store)?;
        match stored {
            Some(salt) => self.salt = (edition, salt),
            None => self.mint(edition)?,
        }
        Ok(())
    }

    fn mint(&mut self, edition: Edition) -> Result<(), Fault> {
        let salt = self.chance.salt(edition);
        let put = self.journal.store().put_salt(edition, salt);
        put.map_err(Damage::store)?;
        self.salt = (edition, salt);
        Ok(())
    }

    /// Which stretch of the room's history this is: another one begins with a reset and with a draw, and with another storage.
    fn life(&self) -> RoomLife {
        let [a, b, c, d, e, f, g, h, ..] = self.salt.1.0;
        let salt = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        RoomLife(salt.wrapping_add(self.room.told_from().0))
    }

    /// The operator has set something else: the next turn configures it. O(1).
    pub fn set_options(&mut self, options: RoomOptions) {
        self.options = options;
    }

    /// Who says what the steps of the schedule come to. Until somebody does, none is carried out.
    pub fn set_judge(&mut self, judge: Rc<dyn StepJudge>) {
        self.judge = Some(judge);
    }

    /// What the operator set, as far as the room lives by it: since the last step of the schedule, what that led to.
    pub const fn options(&self) -> &RoomOptions {
        &self.options
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

    /// Which batches the last turn that was brought some has taken, in their order.
    pub fn last_taken(&self) -> &[bool] {
        &self.last_taken
    }

    /// When there is something to do again, `None`: nothing is pending. O(lobbies).
    pub fn due_at(&self) -> Option<Instant> {
        let now = self.clock.now();
        let tick_ms = self.options.config.tick_ms;
        let step = self.options.ramps.next_step(now, tick_ms);
        let hours = self.room.hours_due_ms().map(|at| self.clock.at_wall_ms(at));
        let scheduled = self.room.step_due_ms().filter(|_| self.judge.is_some());
        let scheduled = scheduled.map(|at_ms| self.clock.at_wall_ms(at_ms));
        let due = [
            self.room.due_at(now),
            hours,
            scheduled.filter(|_| !planted::is(Bug::StepForgotten)),
            self.courier.due_at(&self.room),
            step.filter(|_| !planted::is(Bug::RampForgotten)),
            self.forgets_at(),
        ];
        due.into_iter().flatten().min()
    }

    /// When all that says who came goes, if nothing happens until then; `None`: somebody has a place, or nothing says it. O(1).
    pub fn forgets_at(&self) -> Option<Instant> {
        let is_over = self.journal.has_rows() && self.room.is_empty();
        is_over.then(|| self.room.now().plus_ms(self.options.journal_keep_ms))
    }

    /// Forgets who came, when it is time. Numbers, fences, settings and the hash chain go on; the salt is another from here on.
    fn forget(&mut self, wall_ms: u64) -> Result<(), Fault> {
        let now = self.clock.advance(wall_ms, self.alarm.armed());
        if self.forgets_at().is_none_or(|at| now < at) {
            return Ok(());
        }
        self.room.forget_holders();
        self.journal.forget(now, wall_ms, &self.room)?;
        self.chance = self.chance.next();
        self.mint(self.room.edition())?;
        // As if it came into memory now: no lobby holds anybody, so none has to be told.
        self.courier = Courier::woken(&self.room, self.life(), self.chance.memory());
        Ok(())
    }

    /// A lobby says something.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn hear(&mut self, wall_ms: u64, said: &ToRoom) -> Turned<FromRoom> {
        self.turn(wall_ms, |living, now, row| match said {
            ToRoom::Hello(hello) => living
                .courier
                .hello(&living.room, now, living.salt.1, hello),
            ToRoom::More(more) => living.courier.more(&living.room, now, more),
            ToRoom::Batch(batch) => living.takes_one(now, batch, row).into(),
            ToRoom::Bundle(batches) => FromRoom::Bundle(living.takes(now, batches, row)),
            ToRoom::Check(fences) => {
                let fences = fences.iter().take(CHECKS_MAX);
                FromRoom::Leases(fences.map(|fence| living.room.check(now, *fence)).collect())
            }
        })
    }

    fn takes_one(&mut self, now: Instant, batch: &Batch, row: &mut Row) -> Taken {
        let mut taken = self.takes(now, core::slice::from_ref(batch), row);
        taken.pop().unwrap_or(Err(Refusal::Malformed))
    }

    /// Takes batches one after the other, each or not, and only then answers: of the book as it is when the turn ends.
    fn takes(&mut self, now: Instant, batches: &[Batch], row: &mut Row) -> Vec<Taken> {
        if planted::is(Bug::BundleAnsweredInParts) && batches.len() > 1 {
            let each = batches.iter().map(|batch| self.takes_one(now, batch, row));
            return each.collect();
        }
        let mut refused = Vec::new();
        for (place, batch) in batches.iter().enumerate() {
            let admitted = if place < BUNDLE_BATCHES_MAX {
                self.courier.admit(&self.room, batch)
            } else {
                Err(Refusal::Malformed)
            };
            if admitted.is_ok() {
                self.room
                    .take(now, batch.lobby, &batch.commands, batch.attempts, row);
            }
            refused.push(admitted);
        }
        self.last_taken = refused.iter().map(Result::is_ok).collect();
        let answers = batches.iter().zip(refused).map(|(batch, admitted)| {
            admitted?;
            self.courier.answer(&self.room, now, batch)
        });
        answers.collect()
    }

    /// Makes sure that whatever the clock and the settings ask for is done. Writes what that is.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn look(&mut self, wall_ms: u64) -> Turned<()> {
        self.turn(wall_ms, |_, _, _| ())
    }

    /// The room in numbers. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn report(&mut self, wall_ms: u64) -> Turned<Report> {
        self.turn(wall_ms, |living, now, _| Report {
            unreached: living.courier.unreached(),
            untold: living.courier.untold(&living.room),
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

    /// What a forecast needs to know; see [`Room::outlook`]. Writes nothing.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn outlook(&mut self, wall_ms: u64) -> Turned<Outlook> {
        self.turn(wall_ms, |living, now, _| {
            living.room.outlook(now, &living.options.ramps)
        })
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

    /// A push has ended; `heard` is what the lobby answered, `None` when it did not.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn pushed(&mut self, wall_ms: u64, push: &Push, heard: Option<Heard>) -> Turned<()> {
        self.turn(wall_ms, |living, now, _| {
            living.courier.finished(now, push, heard);
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
        self.turn_to(wall_ms, wall_ms, act)
    }

    /// A turn that carries out steps of the schedule up to `steps_to_ms` only.
    pub(super) fn turn_to<T>(
        &mut self,
        wall_ms: u64,
        steps_to_ms: u64,
        act: impl FnOnce(&mut Self, Instant, &mut Row) -> T,
    ) -> Turned<T> {
        self.forget(wall_ms)?;
        let (now, mut row) = self.begin(wall_ms, steps_to_ms);
        let result = act(self, now, &mut row);
        let pushes = self.end(now, row)?;
        Ok((result, pushes))
    }

    /// What comes before anything else in a turn: what the clock and the operator's settings ask for.
    fn begin(&mut self, wall_ms: u64, steps_to_ms: u64) -> (Instant, Row) {
        let now = self.clock.advance(wall_ms, self.alarm.armed());
        let mut row = self.room.open_row(now);
        self.configure(now, &mut row);
        self.keep_schedule(now, steps_to_ms, &mut row);
        self.room.keep_hours(wall_ms, &self.options.lots, &mut row);
        self.turned_wall_ms = steps_to_ms;
        (now, row)
    }

    /// The settings in force are those of the options at `now`.
    pub(super) fn configure(&mut self, now: Instant, row: &mut Row) {
        let options = &self.options;
        let config = options.ramps.in_force(&options.config, now);
        self.room.configure(&config, row);
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
        self.salts()?;
        self.courier.lives(self.life());
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
        let salt = self.salt.1;
        self.journal.append(
            &salt,
            row.at,
            wall_ms,
            &row.events,
            &self.room,
            keep_from_ms,
        )?;
        Ok(())
    }
}

/// What a turn yields: its result, and what must be pushed once it is durable.
pub type Turned<T> = Result<(T, Vec<Push>), Fault>;
