//! A room's schedule: what changes when, by itself, on the wall clock.

use serde::{Deserialize, Serialize};

/// A change of one key: its new value as JSON, or `None` to go back to the file's.
pub type Change = (String, Option<String>);

/// By whom a step of the schedule is done, where an operator's change has a name.
pub const BY_SCHEDULE: &str = "schedule";

/// One step: at this moment the room takes these live values, as if an operator had set them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When, Unix ms: the wall clock rules, not the room's. No two steps of a schedule share one.
    pub at_ms: u64,
    /// What changes, by key. A ramp stands here as it was written; where and when it begins is known when the step is carried out.
    pub set: Vec<Change>,
}

/// How the room has dealt with a step. Each step is dealt with once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// Its values are live values since.
    Done,
    /// Its values could not be set then: why. Nothing changed.
    Refused(String),
    /// Its time was over before the room knew of it. Nothing changed.
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
