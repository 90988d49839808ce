//! How long the origin took to answer people inside: since the room began, and lately, which is of now and of the window before.

use super::histogram::WINDOW_MS;
use crate::facts::answer_times::AnswerTimes;
use crate::facts::units::Instant;
use serde::{Deserialize, Serialize};

/// Counts since the room began, and of two windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginTimes {
    all: AnswerTimes,
    /// Which window since the room's time began.
    window: u64,
    now: AnswerTimes,
    before: AnswerTimes,
}

impl OriginTimes {
    /// Fronts counted so many. O(octaves).
    pub fn seen(&mut self, at: Instant, times: &AnswerTimes) {
        self.all = self.all.plus(times);
        (self.now, self.before) = self.windows(at);
        self.window = at.0 / WINDOW_MS;
        self.now = self.now.plus(times);
    }

    /// What was counted since the room began.
    #[must_use]
    pub const fn all(&self) -> &AnswerTimes {
        &self.all
    }

    /// What was counted in the last five to ten minutes. O(octaves).
    #[must_use]
    pub fn recent(&self, at: Instant) -> AnswerTimes {
        let (now, before) = self.windows(at);
        now.plus(&before)
    }

    /// This window and the one before, as of `at`.
    fn windows(&self, at: Instant) -> (AnswerTimes, AnswerTimes) {
        match (at.0 / WINDOW_MS).saturating_sub(self.window) {
            0 => (self.now, self.before),
            1 => (AnswerTimes::default(), self.now),
            _ => Default::default(),
        }
    }
}
