//! A room in memory, and its turn: decide, apply, write, arm, and only then speak.

use super::{Alarm, BEHIND_MS, Chance, Fault, Stay, StepJudge, wound};
use crate::clock::{Bell, Clock, REACH_MS, TIMER_REACH_MS};
use facts::config::RoomConfig;
use facts::event::Row;
use facts::holder::Salt;
use facts::limits::{BUNDLE_BATCHES_MAX, CHECKS_MAX};
use facts::message::{Batch, FromRoom, Heard, Hello, Refusal, RoomLife, Taken, ToRoom};
use facts::planted::{self, Bug};
use facts::units::{Edition, Fence, Instant};
use journal::{Damage, Journal, Store};
use lobby::{QUIET_MS, QUIET_SPREAD_MS};
use room::courier::{Courier, Push, Slept};
use room::hall::Lots;
use room::ramp::Ramps;
use room::{Room, laws};
use std::rc::Rc;

/// Turns after a restart in which the room only answers, and enters nobody in its index. Whoever comes first has waited for the memory already, and in
/// a process that has just begun a slice takes five times as long: its code is not compiled, nor its memory touched.
const RESTS: u8 = 16;

/// The operator's settings of a room that the room itself needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomOptions {
    /// The configuration by which the core decides once every ramp has ended.
    pub config: RoomConfig,
    /// The ramps on their way to that configuration.
    pub ramps: Ramps,
    /// How long rows that are in a snapshot are kept at least, in ms. When nothing has happened for as long and nobody has a place, all rows go.
    pub journal_keep_ms: u64,
    /// What the draws of its halls follow from.
    pub lots: Lots,
}

/// A room in memory.
#[derive(Clone, Debug)]
pub struct LivingRoom<S> {
    /// The core.
    pub(super) room: Room,
    /// Decides which lobby is told what, and when.
    pub(super) courier: Courier,
    pub(super) options: RoomOptions,
    pub(super) judge: Option<Rc<dyn StepJudge>>,
    journal: Journal<S>,
    clock: Clock,
    /// Up to when the last turn kept the schedule, Unix ms. After a restart: when the last row was written, or 0 if there is none.
    pub(super) turned_wall_ms: u64,
    alarm: Alarm,
    /// When the driver's timer rings; `None` if none is set.
    timer: Option<Instant>,
    stay: Stay,
    last_row: Row,
    last_taken: Vec<bool>,
    /// How many turns are left that only answer.
    rests: u8,
    /// The edition, and the salt with which the room's lobbies make keys in it.
    pub(super) salt: (Edition, Salt),
    chance: Chance,
    /// The edition in which a room that has no row begins.
    first_edition: Edition,
}

impl<S: Store> LivingRoom<S> {
    /// Brings a room back from what is stored. `alarm_wall_ms` is when the stored alarm rings, or for which it rings right now, Unix ms; `None` if
    /// there is none. O(snapshot + rows).
    ///
    /// # Errors
    /// Returns [`Fault`] if what is stored is damaged.
    pub fn restore(store: S, options: RoomOptions, chance: Chance, wall_ms: u64, alarm_wall_ms: Option<u64>) -> Result<Self, Fault> {
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
            timer: None,
            stay: Stay::Sleeps,
            last_row,
            last_taken: Vec::new(),
            rests: RESTS,
            salt: (Edition(0), Salt::default()),
            chance,
            first_edition: Edition::FIRST,
        };
        living.salts()?;
        let unheard = wall_ms.saturating_sub(turned_wall_ms) < QUIET_MS + QUIET_SPREAD_MS;
        let slept = if unheard { Slept::Briefly } else { Slept::Long };
        living.courier = Courier::woken(&living.room, living.life(), chance.memory(), slept);
        Ok(living)
    }

    /// Makes sure that this edition has a salt. A new one is stored together with what this turn writes.
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

    /// The room's life: the stretch of its history that versions belong to. Another one begins with a reset, a draw or a roll-back, and with another storage.
    fn life(&self) -> RoomLife {
        let [a, b, c, d, e, f, g, h, ..] = self.salt.1.0;
        let salt = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        RoomLife(salt.wrapping_add(self.room.told_from().0))
    }

    /// Replaces the options; the next turn applies them. O(1).
    pub fn set_options(&mut self, options: RoomOptions) {
        self.options = options;
    }

    /// Sets who judges what steps of the schedule come to. Without a judge no step is carried out.
    pub fn set_judge(&mut self, judge: Rc<dyn StepJudge>) {
        self.judge = Some(judge);
    }

    /// Sets what the room does about its memory while something is pending.
    pub const fn set_stay(&mut self, stay: Stay) {
        self.stay = stay;
    }

    /// Makes every later fence greater than this one ([`Room::mint_above`]). A room that has not begun yet begins in this edition.
    pub fn follow(&mut self, fence: Fence, edition: Edition) {
        self.room.mint_above(fence);
        self.first_edition = edition;
    }

    /// The options in force: those that were set, or those that the last step of the schedule led to.
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

    /// When the alarm will ring, or `None` if it is not armed.
    pub fn armed(&self) -> Option<Instant> {
        self.alarm.armed(&self.clock)
    }

    /// What bounds the clock: the timer that is set, else the alarm.
    pub fn bell(&self) -> Option<Bell> {
        self.timer.map(Bell::Timer).or_else(|| self.alarm.bell())
    }

    /// What the last turn decided; it has no events if there was nothing to write.
    pub const fn last_row(&self) -> &Row {
        &self.last_row
    }

    /// For each batch of the last turn that brought any: whether the room took it.
    pub fn last_taken(&self) -> &[bool] {
        &self.last_taken
    }

    /// When the room next has something to do, or `None` if nothing is pending. O(lobbies).
    pub fn due_at(&self) -> Option<Instant> {
        let now = self.clock.now();
        let tick_ms = self.options.config.tick_ms;
        let step = self.options.ramps.next_step(now, tick_ms);
        let hours = self.room.lanes().hours_due_ms(self.room.config()).map(|at| self.clock.at_wall_ms(at));
        let scheduled = self.room.schedule().due_ms(self.room.config()).filter(|_| self.judge.is_some());
        let scheduled = scheduled.map(|at_ms| self.clock.at_wall_ms(at_ms));
        let timed = [
            self.room.case(now).due_at(),
            self.courier.due_at(&self.room),
            step.filter(|_| !planted::is(Bug::RampForgotten)),
        ];
        let timed = timed.into_iter().flatten().min();
        let due = [
            timed.map(|at| at.min(now.plus_ms(REACH_MS))),
            hours,
            scheduled.filter(|_| !planted::is(Bug::StepForgotten)),
            self.forgets_at(),
        ];
        due.into_iter().flatten().min()
    }

    /// Returns in how many ms the driver's timer must ring, or `None` if it need not be set anew: the room sleeps, or nobody is there and what is due is
    /// far, or the timer rings by then anyway. Counts on its being set so, in place of the one before.
    pub fn timer_in_ms(&mut self) -> Option<u64> {
        let now = self.clock.now();
        let due_in_ms = self.due_at()?.since_ms(now);
        let in_ms = due_in_ms.min(TIMER_REACH_MS);
        let rings_by = |at: Instant| at <= now.plus_ms(in_ms);
        // Whoever waits for an hour is told of it soon after the wall clock jumped past it: the platform's alarm does not jump.
        let matters = due_in_ms <= REACH_MS || !self.room.tickets().is_empty();
        if self.stay == Stay::Sleeps || !matters || self.timer.is_some_and(rings_by) {
            return None;
        }
        self.timer = Some(now.plus_ms(in_ms));
        Some(in_ms)
    }

    /// When the timer or the alarm will ring, whichever is first, or `None` if neither will.
    pub fn rings_at(&self) -> Option<Instant> {
        [self.timer, self.armed()].into_iter().flatten().min()
    }

    /// When the room forgets who came if nothing happens until then, or `None` if somebody has a place or there is nothing to forget. O(1).
    pub fn forgets_at(&self) -> Option<Instant> {
        let is_over = self.journal.has_rows() && self.room.tickets().is_empty();
        is_over.then(|| self.room.now().plus_ms(self.options.journal_keep_ms))
    }

    /// Forgets who came, if it is time. Numbers, fences, settings and the hash chain go on; the salt is a new one.
    fn forget(&mut self, wall_ms: u64) -> Result<(), Fault> {
        let now = self.clock.follow(wall_ms, self.bell(), &mut self.timer);
        if self.forgets_at().is_none_or(|at| now < at) {
            return Ok(());
        }
        self.room.forget_holders();
        self.journal.forget(now, wall_ms, &mut self.room)?;
        self.chance = self.chance.next();
        self.mint(self.room.edition())?;
        // As if the room came into memory now: no lobby has a ticket, so none must be told.
        let memory = self.chance.memory();
        self.courier = Courier::woken(&self.room, self.life(), memory, Slept::Long);
        Ok(())
    }

    /// Takes in what a lobby says, and returns the room's answer.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn hear(&mut self, wall_ms: u64, said: &ToRoom) -> Turned<FromRoom> {
        self.turn(wall_ms, |living, now, row| match said {
            ToRoom::Hello(hello) => living.greets(now, hello, row),
            ToRoom::More(more) => living.courier.more(&living.room, now, more),
            ToRoom::Batch(batch) => living.takes_one(now, batch, row).into(),
            ToRoom::Bundle(batches) => FromRoom::Bundle(living.takes(now, batches, row)),
            ToRoom::Check(fences) => {
                let fences = fences.iter().take(CHECKS_MAX);
                FromRoom::Leases(fences.map(|fence| living.room.case(now).check(*fence)).collect())
            }
        })
    }

    fn greets(&mut self, now: Instant, hello: &Hello, row: &mut Row) -> FromRoom {
        let life = self.life();
        if let Some(knows) = hello.knows.filter(|knows| knows.life == life) {
            let rolled_back = self.room.case(now).decide_known(knows.version);
            self.room.commit(rolled_back, row);
            self.courier.lives(self.life());
        }
        self.courier.hello(&self.room, now, self.salt.1, hello)
    }

    fn takes_one(&mut self, now: Instant, batch: &Batch, row: &mut Row) -> Taken {
        let mut taken = self.takes(now, core::slice::from_ref(batch), row);
        taken.pop().unwrap_or(Err(Refusal::Malformed))
    }

    /// Takes or refuses each batch in order, and answers only after the last: answers are of the book as it is when the turn ends.
    fn takes(&mut self, now: Instant, batches: &[Batch], row: &mut Row) -> Vec<Taken> {
        if planted::is(Bug::BundleAnsweredInParts) && batches.len() > 1 {
            let each = batches.iter().map(|batch| self.takes_one(now, batch, row));
            return each.collect();
        }
        self.room.look_for(batches.iter().flat_map(|batch| &batch.commands));
        let mut refused = Vec::new();
        for (place, batch) in batches.iter().enumerate() {
            let admitted = if place < BUNDLE_BATCHES_MAX {
                self.courier.admit(&self.room, batch)
            } else {
                Err(Refusal::Malformed)
            };
            if admitted.is_ok() {
                self.room.take(now, batch.lobby, &batch.commands, batch.attempts, row);
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

    /// Does whatever the clock and the settings call for, and writes it.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn look(&mut self, wall_ms: u64) -> Turned<()> {
        self.turn(wall_ms, |_, _, _| ())
    }

    /// Runs the usher's turn, because the alarm rings.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped, and an alarm set anew.
    pub fn ring(&mut self, wall_ms: u64) -> Turned<()> {
        self.turn(wall_ms, |living, now, row| {
            living.alarm.rang();
            living.room.take_turn(now, row);
        })
    }

    /// Runs the usher's turn, because the driver's timer rings.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped, and an alarm set anew.
    pub fn timer_rang(&mut self, wall_ms: u64) -> Turned<()> {
        if let Some(at) = self.timer.take() {
            self.clock.ring(wall_ms, at);
        }
        self.turn(wall_ms, |living, now, row| {
            living.room.take_turn(now, row);
        })
    }

    /// Notes that a push has ended. `heard` is the lobby's answer, or `None` if there was none.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn pushed(&mut self, wall_ms: u64, push: &Push, heard: Option<Heard>) -> Turned<()> {
        self.turn(wall_ms, |living, now, _| {
            living.courier.finished(now, push, heard);
        })
    }

    /// Runs one turn: writes what `act` does to the room, together with the alarm that it makes necessary.
    /// Returns the pushes to send once that is durable.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn turn<T>(&mut self, wall_ms: u64, act: impl FnOnce(&mut Self, Instant, &mut Row) -> T) -> Turned<T> {
        self.forget(wall_ms)?;
        let (now, mut row) = self.begin(wall_ms);
        let result = act(self, now, &mut row);
        self.room.follow_proved_edition(&mut row);
        // Whoever was asked for on a damaged page was not found: nothing of this turn is written, or said.
        self.journal.whole()?;
        let pushes = self.end(now, row)?;
        self.journal.whole()?;
        Ok((result, pushes))
    }

    /// Does first in each turn what the clock and the operator's settings call for.
    fn begin(&mut self, wall_ms: u64) -> (Instant, Row) {
        let now = self.clock.follow(wall_ms, self.bell(), &mut self.timer);
        let mut row = self.room.open_row(now);
        self.room.begin_in(self.first_edition, &mut row);
        self.configure(now, &mut row);
        self.keep_schedule(now, wall_ms, &mut row);
        self.room.keep_hours(wall_ms, &self.options.lots, &mut row);
        self.turned_wall_ms = wall_ms;
        (now, row)
    }

    /// Brings the settings in force to what the options say at `now`.
    pub(super) fn configure(&mut self, now: Instant, row: &mut Row) {
        let options = &self.options;
        let config = options.ramps.in_force(&options.config, now);
        self.room.configure(&config, row);
    }

    /// Writes what the turn has decided, and arms the alarm.
    fn end(&mut self, now: Instant, row: Row) -> Result<Vec<Push>, Fault> {
        self.check(now)?;
        let unwritten = |fault| planted::is(Bug::SpeaksBeforeTheWrite).then_some(()).ok_or(fault);
        self.write(&row).or_else(unwritten)?;
        match self.rests.checked_sub(1) {
            Some(left) => self.rests = left,
            None => self.room.index_slice(),
        }
        self.salts()?;
        self.courier.lives(self.life());
        self.last_row = row;
        let pushes = self.courier.pushes(&self.room, now);
        let behind_ms = self.stay.pick(0, BEHIND_MS);
        let due = self.due_at().map(|at| {
            let has_timer = at.since_ms(now) <= REACH_MS;
            at.plus_ms(if has_timer { behind_ms } else { 0 })
        });
        self.alarm.arm(self.journal.store(), &self.clock, due)?;
        Ok(pushes)
    }

    /// Checks the two laws that cost nothing. A broken law is a bug of ours, and nothing is written.
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
        self.journal.append(&salt, row.at, wall_ms, &row.events, &mut self.room, keep_from_ms)?;
        Ok(())
    }
}

/// What a turn returns: its result, and the pushes to send once it is durable.
pub type Turned<T> = Result<(T, Vec<Push>), Fault>;
