//! Keeps the schedule: the room deals with each step that is in the settings in force once, and in order. `steps` says what a step may change.

use super::{Check, require};
use baton::facts::config::{Change, LiveKey};
use baton::facts::schedule::Step;
use std::collections::BTreeMap;

pub(super) const LAW: &str = "the schedule is kept";

/// The last step that was dealt with, and the live values that the operator or the schedule set.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    dealt_to_ms: u64,
    pub(super) live: BTreeMap<LiveKey, Change>,
}

impl Schedule {
    /// Returns the first of these steps that was not dealt with.
    pub(super) fn next<'s>(&self, steps: &'s [Step]) -> Option<&'s Step> {
        let ahead = steps.iter().filter(|step| step.at_ms > self.dealt_to_ms);
        ahead.min_by_key(|step| step.at_ms)
    }

    /// Takes changes of live values.
    pub fn adjust(&mut self, values: &[Change]) {
        for change in values {
            if change.is_set() {
                self.live.insert(change.key(), change.clone());
            } else {
                self.live.remove(&change.key());
            }
        }
    }

    /// Records that a step was dealt with.
    ///
    /// # Errors
    /// Returns the broken law if it is not the next step.
    pub fn end(&mut self, steps: &[Step], at_ms: u64) -> Check {
        let next = self.next(steps).map(|step| step.at_ms);
        require(LAW, next == Some(at_ms), || {
            format!("the step of {at_ms} was dealt with, {next:?} is next")
        })?;
        self.dealt_to_ms = at_ms;
        Ok(())
    }
}
