//! The room object's platform: its process, its alarm, its calls. The turn itself is [`LivingRoom`], the same as in `edge/room_object`.

use crate::simulate::builds::Way;
use crate::simulate::disk::Disk;
use crate::simulate::faults::Kind;
use crate::simulate::judge::Cause;
use crate::simulate::queue::{Caller, Event, Object};
use crate::simulate::room_side::wall;
use crate::simulate::schedule::PlainSteps;
use crate::simulate::slab::Id;
use crate::simulate::world::World;
use baton::facts::message::{Batch, FromRoom, Heard, ToRoom};
use baton::facts::units::Instant;
use baton::journal::{Damage, Store};
use baton::living::{Fault, LivingRoom, Turned};
use baton::room::courier::{PUSH_TIMEOUT_MS, Push};
use std::rc::Rc;

/// How long after it failed the platform tries an alarm again, ms.
const ALARM_AGAIN_MS: u64 = 1_000;

impl World {
    pub(super) fn wake_room(&mut self) {
        if self.room.living.is_some() {
            return;
        }
        let wall_ms = wall(self.time, self.room.offset_ms);
        let disk = self.room.disk.clone();
        let alarm = disk.alarm();
        disk.begin(wall_ms);
        let chance = self.room.chance();
        let options = self.room.options.clone();
        match LivingRoom::restore(disk.clone(), options, chance, wall_ms, alarm) {
            Ok(mut living) => {
                // Nothing but a newly minted salt can be staged here.
                disk.commit();
                living.set_judge(Rc::new(PlainSteps));
                living.set_stay(self.stay);
                living.journal_mut().rows_per_snapshot = self.room.rows_per_snapshot;
                self.holds(self.judge.restored(living.room()));
                self.judge.watch.forgets_lobbies();
                self.room.living = Some(Box::new(living));
            }
            // The next event tries again.
            Err(Fault::Damage(Damage::Store(_))) => disk.undo(),
            Err(fault) => self.flaw("what is stored can be read (9)", fault.to_string()),
        }
    }

    /// Runs one turn, and sends what it pushes.
    pub(super) fn turn<'c, T>(
        &mut self,
        cause: impl FnOnce(&T, &LivingRoom<Disk>) -> Cause<'c>,
        act: impl FnOnce(&mut LivingRoom<Disk>, u64) -> Turned<T>,
    ) -> Result<T, ()> {
        let (result, pushes) = self.turns(cause, act)?;
        pushes.into_iter().for_each(|push| self.send_push(push));
        Ok(result)
    }

    /// Runs one turn. With `Err` nobody hears of it, but it may be durable.
    fn turns<'c, T>(
        &mut self,
        cause: impl FnOnce(&T, &LivingRoom<Disk>) -> Cause<'c>,
        act: impl FnOnce(&mut LivingRoom<Disk>, u64) -> Turned<T>,
    ) -> Result<(T, Vec<Push>), ()> {
        let mut living = self.room.living.take().ok_or(())?;
        let wall_ms = wall(self.time, self.room.offset_ms);
        let (clock, bell, is_due) = (*living.clock(), living.bell(), living.due_at().is_some());
        self.room.disk.begin(wall_ms);
        let turned = act(&mut living, wall_ms);
        self.clock_is_sane(Object::Room, is_due, &clock, bell, living.clock());
        let (result, pushes) = match turned {
            Ok(turned) => turned,
            Err(fault) => {
                self.room.disk.undo();
                if let Fault::Law(violation) = fault {
                    self.holds(Err(violation));
                }
                return Err(());
            }
        };
        if self.room.disk.has_staged() && self.faults.borrow_mut().strikes(Kind::PowerBefore) {
            self.room.disk.undo();
            self.room_restarts();
            return Err(());
        }
        let staged = self.room.disk.has_staged();
        if let Some(due) = self.room.disk.commit() {
            self.arm(Object::Room, due);
        }
        if let Some(in_ms) = living.timer_in_ms() {
            let at = self.time + in_ms;
            self.room.timer = Some(at);
            self.rings_after(in_ms, Event::RoomTimer(at));
        }
        let cause = cause(&result, &living);
        self.room_is_judged(&living, cause);
        if staged && self.faults.borrow_mut().strikes(Kind::WriteUnsure) {
            return Err(());
        }
        if staged && self.faults.borrow_mut().strikes(Kind::PowerAfter) {
            self.room_restarts();
            return Err(());
        }
        if staged && self.dies_with_a_call(living.last_row()) {
            self.room_restarts();
            return Err(());
        }
        self.room.living = Some(living);
        Ok((result, pushes))
    }

    /// Has every judge judge a turn. Long because the judges are asked one after the other about the same row.
    fn room_is_judged(&mut self, living: &LivingRoom<Disk>, cause: Cause<'_>) {
        self.played.turns += 1;
        if !living.last_row().events.is_empty() {
            self.writes(|| format!("row {} {:?}", living.last_row().version, living.last_row().events));
        }
        let (room, row, now) = (living.room(), living.last_row(), living.clock().now());
        self.room.follow(row, now, living.clock().wall_ms());
        if !self.checks {
            return;
        }
        let was_empty = self.judge.shadow.tickets().is_empty();
        let salt = self.room.disk.salt(room.edition()).ok().flatten();
        if was_empty && self.oracle.is_another_salt(room.edition(), salt) {
            self.judge.watch.forgets_life();
        }
        let wanted = self.room.wanted_at(now);
        let rang = matches!(cause, Cause::Ring);
        self.holds(self.calls_are_kept(row));
        if let Cause::Batches(batches) = &cause {
            self.holds(self.oracle.takes(batches, row, &self.judge.shadow, room));
        }
        let judged = self.judge.turned(room, row, (now, living.clock().wall_ms()), cause, &wanted);
        self.holds(judged);
        let drawn = self.judge.model.drawn();
        let told = self.oracle.turned(row, &self.judge.shadow, drawn, self.time, salt, was_empty);
        self.holds(told);
        if !row.events.is_empty() && self.room.disk.version() != row.version.0 {
            self.flaw("nothing is said before it is stored (9)", format!("row {}", row.version));
        }
        self.holds(self.the_steady_are_present());
        self.holds(self.room.ramps_move_on_time(living));
        self.holds(self.room.steps_come_on_time(living));
        let due = living.due_at();
        if rang && due.is_some_and(|due| due <= now) {
            self.flaw(
                "an alarm does what it rang for (10)",
                format!("at {now:?} the room rang, and is due at {due:?} again"),
            );
        }
        // What is overdue rings at once.
        let by = due.map(|due| due.max(now));
        let armed = living.rings_at().is_some_and(|at| Some(at) <= by) && self.room.disk.alarm().is_some();
        if due.is_some() && !armed {
            let seen = format!("due {due:?}, armed {:?}, stored {:?}", living.rings_at(), self.room.disk.alarm());
            self.flaw("work pending is an alarm armed in the same commit (10)", seen);
        }
    }

    fn send_push(&mut self, push: Push) {
        let said = self.judge.pushes(&push);
        self.holds(said);
        let push = Rc::new(push);
        let id = self.room.pushes.insert((Rc::clone(&push), self.room.process));
        self.transmit(|| Event::PushArrives { id, push: Rc::clone(&push) });
        self.after(PUSH_TIMEOUT_MS, Event::PushEnded { id, heard: None });
    }

    /// Plans when an alarm that was set will ring. It may be late, or never ring.
    pub fn arm(&mut self, object: Object, due: u64) {
        let mut faults = self.faults.borrow_mut();
        if faults.strikes(Kind::AlarmLost) {
            return;
        }
        let late_ms = if faults.strikes(Kind::AlarmLate) {
            faults.chance_of(Kind::AlarmLate).below(20_000)
        } else {
            self.net.below(5)
        };
        drop(faults);
        let in_ms = due.saturating_sub(self.wall_of(object)) + late_ms;
        self.after(in_ms, Event::Alarm { object, due, again: false });
    }

    /// What the clock of an object's host says.
    #[must_use]
    pub fn wall_of(&self, object: Object) -> u64 {
        let offset_ms = match object {
            Object::Room => self.room.offset_ms,
            Object::Lobby(index) => self.lobbies[index].offset_ms,
        };
        wall(self.time, offset_ms)
    }

    /// When an object's alarm is set for, on its host's clock; `None` if it is not set.
    #[must_use]
    pub fn alarm_of(&self, object: Object) -> Option<u64> {
        match object {
            Object::Room => self.room.disk.alarm(),
            Object::Lobby(index) => self.lobbies[index].alarm,
        }
    }

    fn set_alarm(&mut self, object: Object, wall_ms: Option<u64>) {
        match object {
            Object::Room => self.room.disk.set_alarm(wall_ms),
            Object::Lobby(index) => self.lobbies[index].alarm = wall_ms,
        }
    }

    /// Rings an alarm that is due by the world's time, unless the host's clock says that it is not yet due.
    pub fn rings(&mut self, object: Object, due: u64, again: bool) {
        if !again && self.alarm_of(object) != Some(due) {
            return;
        }
        let wall_ms = self.wall_of(object);
        if wall_ms < due && !again {
            return self.after(due - wall_ms, Event::Alarm { object, due, again });
        }
        // It comes into memory while the platform still knows for when the alarm was set.
        match object {
            Object::Room => self.wake_room(),
            Object::Lobby(index) => {
                self.wake_lobby(index);
            }
        }
        if !again {
            self.set_alarm(object, None);
            if self.faults.borrow_mut().strikes(Kind::AlarmTwice) {
                let ms = self.net.below(3_000);
                self.after(ms, Event::Alarm { object, due, again: true });
            }
        }
        let rung = match object {
            Object::Room => self.room_rings(),
            Object::Lobby(index) => self.lobby_rings(index),
        };
        if rung.is_err() {
            // The platform sets the alarm anew. This may be sooner or later than the alarm that is stored.
            let due = self.wall_of(object) + ALARM_AGAIN_MS;
            self.set_alarm(object, Some(due));
            self.after(ALARM_AGAIN_MS, Event::Alarm { object, due, again: false });
        }
    }

    /// Lets the room's timer go off, if it is the one that is set.
    pub fn room_timer(&mut self, at: u64) {
        if self.room.timer == Some(at) && self.room.living.is_some() {
            self.room.timer = None;
            let _ = self.turn(|(), _| Cause::Ring, LivingRoom::timer_rang);
        }
    }

    fn room_rings(&mut self) -> Result<(), ()> {
        self.wake_room();
        self.turn(|(), _| Cause::Ring, LivingRoom::ring)
    }

    pub fn room_hears(&mut self, from: Caller, said: &ToRoom) {
        if self.is_unread_of(from, Way::ToRoom) {
            return self.room_refuses(from, said);
        }
        self.wake_room();
        let batches: &[Batch] = match said {
            ToRoom::Batch(batch) => std::slice::from_ref(batch),
            ToRoom::Bundle(batches) => batches,
            _ => &[],
        };
        self.judge.hears(batches);
        let heard = self.turns(
            |_, living| {
                let taken = batches.iter().zip(living.last_taken());
                let taken = taken.filter(|(_, taken)| **taken);
                Cause::Batches(taken.map(|(batch, _)| batch).collect())
            },
            |living, wall_ms| living.hear(wall_ms, said),
        );
        // An error is an answer too: the caller need not wait for a timeout.
        let answer = heard.ok().map(|(answer, pushes)| {
            let lawful = self.judge.says(said, &answer, false);
            self.holds(lawful);
            pushes.into_iter().for_each(|push| self.send_push(push));
            Rc::new(answer)
        });
        let is_read = !self.is_unread_of(from, Way::FromRoom);
        self.room_answers(from, answer.filter(|_| is_read));
    }

    /// Sends the room's answer to whoever asked; `None` if there is none.
    pub fn room_answers(&mut self, from: Caller, answer: Option<Rc<FromRoom>>) {
        match from {
            Caller::Lobby(life, call) => self.transmit(|| Event::LobbyHears {
                life,
                call,
                answer: answer.clone(),
            }),
            Caller::Porter(porter, process, bundle) => self.transmit(|| Event::PorterIsAnswered {
                porter,
                process,
                bundle,
                answer: answer.clone(),
            }),
        }
    }

    /// Tells the room how a push ended. It is told once, and only to the process that sent the push.
    pub fn push_ended(&mut self, id: Id, heard: Option<Heard>) {
        if let Some((push, process)) = self.room.pushes.remove(id)
            && process == self.room.process
        {
            let _ = self.turn(|(), _| Cause::Other, |living, wall_ms| living.pushed(wall_ms, &push, heard));
        }
    }

    /// Ends the room's process, whatever it was doing.
    pub fn room_restarts(&mut self) {
        self.judge.watch.greetings.room_ends(Instant(self.time));
        self.room.process += 1;
        self.room.living = None;
        self.room.timer = None;
    }
}
