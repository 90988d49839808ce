//! Measures how often people are called, so that an estimate is a fact about this line and widens when little is known.

use facts::rhythm::CallTime;
use facts::units::Instant;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Calls older than this say nothing about now.
const WINDOW_MS: u64 = 600_000;
/// Most moments remembered. All calls of one moment count as one, so memory is bounded.
const MOMENTS_MAX: usize = 64;
/// Minimum number of measured calls for an estimate.
const CALLS_MIN: u64 = 4;

/// The moments of the last calls, and how many people were called at each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rhythm {
    moments: VecDeque<(Instant, u32)>,
}

impl Rhythm {
    /// Notes one call. O(1).
    pub fn called(&mut self, now: Instant) {
        while self.moments.front().is_some_and(|(at, _)| now.since_ms(*at) > WINDOW_MS) {
            self.moments.pop_front();
        }
        match self.moments.back_mut() {
            Some((at, count)) if *at == now => *count = count.saturating_add(1),
            _ => self.moments.push_back((now, 1)),
        }
        if self.moments.len() > MOMENTS_MAX {
            self.moments.pop_front();
        }
    }

    /// Forgets everything, after the line was empty: its pauses say nothing about waiting. O(1).
    pub fn clear(&mut self) {
        self.moments.clear();
    }

    /// Returns how many calls the last `ms` milliseconds saw, as far as they are remembered. O(moments).
    #[must_use]
    pub fn calls_within(&self, now: Instant, ms: u64) -> u64 {
        let lately = self.moments.iter().rev();
        let lately = lately.take_while(|(at, _)| now.since_ms(*at) <= ms);
        lately.map(|(_, count)| u64::from(*count)).sum()
    }

    /// Returns the measured time between calls as of `now`. The silence since the last call counts, so the range grows when calls stop. O(moments).
    ///
    /// The spread is two standard errors of a Poisson count: 2 ÷ √calls of the mean.
    #[must_use]
    pub fn call_time(&self, now: Instant) -> CallTime {
        let Some((first_at, first_count)) = self.moments.front() else {
            return CallTime::default();
        };
        let all: u64 = self.moments.iter().map(|(_, count)| u64::from(*count)).sum();
        // The calls of the first moment opened the span; they did not happen within it.
        let calls = all.saturating_sub(u64::from(*first_count));
        let span_us = now.since_ms(*first_at).saturating_mul(1_000);
        if calls < CALLS_MIN {
            return CallTime::default();
        }
        let mean = (span_us / calls).max(1);
        let spread = mean.saturating_mul(2) / calls.isqrt().max(1);
        CallTime {
            low_us: mean.saturating_sub(spread.min(mean / 2)).max(1),
            high_us: mean.saturating_add(spread),
        }
    }
}
