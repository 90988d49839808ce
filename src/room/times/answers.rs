//! How long the origin took to answer people inside: since the edition began, and lately.

use super::late::Late;
use facts::answer_times::AnswerTimes;
use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// Counts since the edition began, and of two windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginTimes {
    all: AnswerTimes,
    late: Late<AnswerTimes>,
}

impl OriginTimes {
    /// Adds what fronts counted. O(octaves).
    pub fn seen(&mut self, at: Instant, times: &AnswerTimes) {
        self.all = self.all.plus(times);
        self.late.seen(at, times);
    }

    /// What was counted since the edition began.
    #[must_use]
    pub const fn all(&self) -> &AnswerTimes {
        &self.all
    }

    /// Returns what was counted in the last five to ten minutes. O(octaves).
    #[must_use]
    pub fn recent(&self, at: Instant) -> AnswerTimes {
        self.late.recent(at)
    }
}
