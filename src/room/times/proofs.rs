//! How the shop's check judged proofs lately: of now and of the window before, so that what was wrong and is mended is
//! forgotten within ten minutes.

use super::histogram::WINDOW_MS;
use crate::facts::proofs::ProofChecks;
use crate::facts::units::Instant;
use serde::{Deserialize, Serialize};

/// Counts of two windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateProofs {
    /// Which window since the room's time began.
    window: u64,
    now: ProofChecks,
    before: ProofChecks,
}

impl LateProofs {
    /// The shop judged so many. O(1).
    pub fn seen(&mut self, at: Instant, checks: &ProofChecks) {
        *self = self.as_of(at);
        self.now = self.now.plus(checks);
    }

    /// What was counted in the last five to ten minutes. O(1).
    #[must_use]
    pub fn recent(&self, at: Instant) -> ProofChecks {
        let late = self.as_of(at);
        late.now.plus(&late.before)
    }

    fn as_of(&self, at: Instant) -> Self {
        let window = at.0 / WINDOW_MS;
        match window.saturating_sub(self.window) {
            0 => self.clone(),
            1 => Self {
                window,
                now: ProofChecks::default(),
                before: self.now,
            },
            _ => Self {
                window,
                ..Self::default()
            },
        }
    }
}
