//! The operator's schedules in force, and what should come of them: each step once, in order, at the first turn after its time, whatever crashes and
//! clocks do in between.

use crate::simulate::law::require;
use crate::simulate::queue::Object;
use crate::simulate::room_side::RoomSide;
use crate::simulate::schedule::comes_to;
use crate::simulate::world::World;
use baton::facts::config::{Change, Mode};
use baton::facts::event::{Event as Fact, Row};
use baton::facts::live::Ramped;
use baton::facts::schedule::{Step, StepEnd};
use baton::facts::units::Instant;
use baton::journal::Store;
use baton::living::LivingRoom;
use baton::room::laws::Check;

/// How long before or after the present a schedule begins at most, ms.
const PLANNED_BEFORE_MS: u64 = 5_000;
/// How long its steps go on at most, without the last one, ms.
const PLANNED_MAX_MS: u64 = 45_000;
/// A value that no room of these worlds accepts.
const IMPOSSIBLE: Change = Change::TickMs(Some(0));

impl RoomSide {
    fn ahead(&self) -> impl Iterator<Item = &Step> {
        let last = self.plans.dealt.last().copied().unwrap_or(0);
        let steps = self.options.config.schedule.iter();
        steps.filter(move |step| step.at_ms > last)
    }

    /// Makes what should come of the schedule in a turn at `now`, when the room's clock has seen `wall_ms` on the wall, what the operator wants. One thing the room alone says: whether it passes over a step that was over when it was set, because the room may
    /// have slept since before the step's time.
    pub fn follow(&mut self, row: &Row, now: Instant, wall_ms: u64) {
        let steps: Vec<Step> = self.ahead().cloned().collect();
        for step in steps.into_iter().filter(|step| step.at_ms <= wall_ms) {
            let at_ms = step.at_ms;
            let end = StepEnd::Passed;
            let passed = Fact::Scheduled { at_ms, end };
            let was_over = at_ms <= self.plans.known_ms && row.events.contains(&passed);
            let permits = self.wanted_at(now).permits;
            let mut options = self.options.clone();
            if !was_over && comes_to(&mut options, &step.set, now, permits).is_ok() {
                self.options = options;
            }
            self.plans.dealt.insert(at_ms);
        }
    }

    /// Checks that no step is due before the room's alarm, and that the room goes by what its steps have led to.
    ///
    /// # Errors
    /// Returns the broken law if the room would sleep through a step, or goes by something else.
    pub fn steps_come_on_time<S: Store>(&self, living: &LivingRoom<S>) -> Check {
        let next = self.ahead().next().map(|step| step.at_ms);
        let next = next.map(|at_ms| living.clock().at_wall_ms(at_ms));
        let armed = living.rings_at();
        let is_late = next.is_some_and(|next| armed.is_none_or(|at| at > next));
        require("a step of the schedule comes on time (4)", !is_late, || {
            format!("due at {next:?}, awake at {armed:?}")
        })?;
        require("a step leads to what it says", *living.options() == self.options, || {
            format!("{:?}\nnot {:?}", living.options(), self.options)
        })
    }
}

impl World {
    /// Sets a schedule of up to four steps, some of them perhaps over already, and one that opens the room at the end.
    pub fn operator_plans(&mut self, which: u64, size: u64) {
        let wall_ms = self.wall_of(Object::Room);
        let begins_ms = wall_ms - PLANNED_BEFORE_MS + size % PLANNED_BEFORE_MS * 2;
        let few = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let permits = |count: u64| Change::Permits(Some(Ramped::At(few(count))));
        let step = |at_ms: u64, change: Change| Step {
            at_ms,
            offset_s: 0,
            set: vec![change],
        };
        let values = [
            Change::Mode(Some(Mode::Paused)),
            permits(1 + size % 9),
            Change::Permits(Some(Ramped::Ramp {
                from: None,
                to: few(1 + size % 7),
                over_ms: 1_000 + size % 15_000,
                since: None,
            })),
            IMPOSSIBLE,
            Change::Mode(Some(Mode::SoldOut)),
            Change::Mode(Some(Mode::Drain)),
            Change::Mode(Some(Mode::Open)),
            permits(3),
        ];
        let gaps = [1, 700, 3_000, PLANNED_MAX_MS / 4];
        let mut at_ms = begins_ms;
        let mut steps = vec![];
        for nth in 0..1 + which % 4 {
            let digit = which >> (8 + 6 * nth);
            at_ms += gaps[(digit / 8 % 4) as usize];
            steps.push(step(at_ms, values[(digit % 8) as usize].clone()));
        }
        let at_ms = at_ms.max(wall_ms) + 1 + size % 3_000;
        steps.push(step(at_ms, Change::Mode(Some(Mode::Open))));
        self.room.plans.known_ms = wall_ms;
        self.operator_sets(|options| options.config.schedule = steps);
    }
}
