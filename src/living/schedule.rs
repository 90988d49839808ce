//! Carries out the room's schedule: each step once, when it is due, as an operator's change.

use super::{LivingRoom, RoomOptions};
use facts::event::Row;
use facts::planted::{self, Bug};
use facts::schedule::{BY_SCHEDULE, Change, Step, StepEnd};
use facts::units::Instant;
use journal::Store;
use room::{Room, live, schedule};

/// Works out what a step of the schedule comes to. The core cannot: it reads no settings.
pub trait StepJudge: core::fmt::Debug {
    /// Returns what changes with these values and the options that follow, just as if an operator had set them at `now`.
    /// `options` and the room's configuration are those in force.
    ///
    /// # Errors
    /// Returns why the values cannot be set. Nothing changes then.
    fn judge(&self, room: &Room, options: &RoomOptions, now: Instant, set: &[Change]) -> Result<(Vec<Change>, RoomOptions), String>;
}

impl<S: Store> LivingRoom<S> {
    /// Carries out the steps of the schedule that are due by `to_ms` (Unix ms), in order, each as an operator's change. The wall clock rules, as
    /// with opening dates. A step that was due by the last turn and is still open was not in the schedule then, so it is passed over. Thus a room
    /// that slept since a deploy carries out late what the deploy had set, and no change of a schedule reaches into the past.
    pub(super) fn keep_schedule(&mut self, now: Instant, to_ms: u64, row: &mut Row) {
        let Some(judge) = self.judge.clone() else {
            return;
        };
        let known_ms = self.turned_wall_ms.min(to_ms);
        let passed = self.room.schedule().passed(self.room.config(), known_ms);
        self.room.commit(passed, row);
        let due = self.room.schedule().ahead(self.room.config());
        let due: Vec<Step> = due.take_while(|step| step.at_ms <= to_ms).cloned().collect();
        let skipped = due.len().saturating_sub(1);
        let skipped = if planted::is(Bug::StepsSkipped) { skipped } else { 0 };
        for step in due.into_iter().skip(skipped) {
            let end = match judge.judge(&self.room, &self.options, now, &step.set) {
                Ok((changes, options)) => {
                    self.options = options;
                    self.configure(now, row);
                    if !changes.is_empty() {
                        self.room.commit([live::adjusted(BY_SCHEDULE, changes)], row);
                    }
                    StepEnd::Done
                }
                Err(why) => StepEnd::Refused(why),
            };
            self.room.commit([schedule::ended(step.at_ms, end)], row);
        }
    }
}
