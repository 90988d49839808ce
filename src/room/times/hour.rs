//! The last hour of a room, one sample a minute, so that whoever opens the desk sees how the line came about.

use facts::units::Instant;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const MINUTE_MS: u64 = 60_000;
/// Samples kept: an hour. At 80 bytes each they take 5 KB.
pub const SAMPLES_MAX: usize = 60;

/// How the room stood when a minute of its clock ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The minute's end, on the room's clock.
    pub at_ms: u64,
    /// People in the lines of all lanes.
    pub waiting: u64,
    /// Permits in use.
    pub inside: u32,
    /// Permits in hand and tray.
    pub free: u32,
    /// Admissions since the edition began.
    pub admitted: u64,
    /// Join attempts since the edition began.
    pub attempts: u64,
    /// People in the halls of all lanes.
    pub in_hall: u64,
    /// Half of the origin's answers of the last five to ten minutes took no longer, ms. `None` without answers.
    pub answer_p50_ms: Option<u64>,
    /// 95 of 100 of them took no longer, ms.
    pub answer_p95_ms: Option<u64>,
}

/// The samples of the last hour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hour {
    samples: VecDeque<Sample>,
}

impl Hour {
    /// Records a sample for each minute that ended between `from` and `to`, while the room stood like this. After a long sleep it records the last
    /// hour only. O(minutes), at most an hour's.
    pub fn pass(&mut self, from: Instant, to: Instant, stands: impl FnOnce() -> Sample) {
        let (last, minute) = (from.0 / MINUTE_MS, to.0 / MINUTE_MS);
        if minute == last {
            return;
        }
        let sample = stands();
        let first = last.max(minute.saturating_sub(SAMPLES_MAX as u64));
        for ended in first..minute {
            if self.samples.len() >= SAMPLES_MAX {
                self.samples.pop_front();
            }
            self.samples.push_back(Sample {
                at_ms: (ended + 1) * MINUTE_MS,
                ..sample
            });
        }
    }

    /// Returns the samples, the oldest first. O(minutes).
    #[must_use]
    pub fn samples(&self) -> Vec<Sample> {
        self.samples.iter().copied().collect()
    }
}
