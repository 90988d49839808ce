//! What was counted lately, in the current window and the one before. A fault that is mended is forgotten within ten minutes.

use super::histogram::WINDOW_MS;
use facts::answer_times::AnswerTimes;
use facts::proofs::ProofChecks;
use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// Counts that can be added up.
pub trait Counts: Copy + Default {
    /// Returns the sum of both.
    #[must_use]
    fn plus(&self, more: &Self) -> Self;
}

impl Counts for ProofChecks {
    fn plus(&self, more: &Self) -> Self {
        self.plus(more)
    }
}

impl Counts for AnswerTimes {
    fn plus(&self, more: &Self) -> Self {
        self.plus(more)
    }
}

/// The counts of two windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Late<T> {
    /// The current window, counted since the room's time began.
    window: u64,
    now: T,
    before: T,
}

impl<T: Counts> Late<T> {
    /// Adds counts. O(1) but for the counts' own length.
    pub fn seen(&mut self, at: Instant, counts: &T) {
        *self = self.as_of(at);
        self.now = self.now.plus(counts);
    }

    /// Returns what was counted in the last five to ten minutes. O(1) but for the counts' own length.
    #[must_use]
    pub fn recent(&self, at: Instant) -> T {
        let late = self.as_of(at);
        late.now.plus(&late.before)
    }

    fn as_of(&self, at: Instant) -> Self {
        let window = at.0 / WINDOW_MS;
        match window.saturating_sub(self.window) {
            0 => *self,
            1 => Self {
                window,
                now: T::default(),
                before: self.now,
            },
            _ => Self { window, ..Self::default() },
        }
    }
}
