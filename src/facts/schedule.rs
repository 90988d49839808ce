//! A room's schedule: what the room changes by itself, and when, on the wall clock.

use serde::{Deserialize, Serialize};

/// A change of one key: its new value as JSON, or `None` to go back to the file's value.
pub type Change = (String, Option<String>);

/// The name that the room records for a step of the schedule, where an operator's change records the operator's name.
pub const BY_SCHEDULE: &str = "schedule";

/// One step: at this moment the room takes these live values, as if an operator had set them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When the step is due, in Unix ms: the wall clock rules, not the room's. No two steps of a schedule share a moment.
    pub at_ms: u64,
    /// What changes, by key. A ramp stands here as it was written; where and when it begins is known only when the room carries out the step.
    pub set: Vec<Change>,
}

/// How the room dealt with a step. It deals with each step once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// The room took the step's values as live values.
    Done,
    /// The room could not set the step's values, for this reason. Nothing changed.
    Refused(String),
    /// The step's time was over before the room knew of it. Nothing changed.
    Passed,
}

impl StepEnd {
    /// The word for it in reports and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused(_) => "refused",
            Self::Passed => "passed",
        }
    }
}
