//! A room's schedule: what the room changes by itself, and when, on the wall clock.

pub use super::config::{Change, Step};
use serde::{Deserialize, Serialize};

/// The name that the room records for a step of the schedule, where an operator's change records the operator's name.
pub const BY_SCHEDULE: &str = "schedule";

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
