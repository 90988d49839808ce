//! Limits how fast permits are given out: a token bucket that fills lazily, so that it needs no timer. Whole numbers only.

use facts::config::RoomConfig;
use facts::limits::ADMISSION_MICRO;
use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// The bucket. A rate of `r` thousandths of an admission a second adds exactly `r` millionths of an admission each millisecond.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    micro: u64,
    filled_at: Instant,
}

impl Pace {
    /// Returns the most that is saved up: one tick's worth, but at least one admission.
    fn capacity(config: &RoomConfig) -> u64 {
        config.admissions_milli_per_s.saturating_mul(config.tick_ms).max(ADMISSION_MICRO)
    }

    fn level(&self, now: Instant, config: &RoomConfig) -> u64 {
        let gained = now.since_ms(self.filled_at).saturating_mul(config.admissions_milli_per_s);
        self.micro.saturating_add(gained).min(Self::capacity(config))
    }

    /// Returns how many may be admitted now; `u64::MAX` without a cap. O(1).
    #[must_use]
    pub fn allows(&self, now: Instant, config: &RoomConfig) -> u64 {
        if config.admissions_milli_per_s == 0 {
            return u64::MAX;
        }
        self.level(now, config) / ADMISSION_MICRO
    }

    /// Returns when the next admission is allowed: `now` if one already is. O(1).
    #[must_use]
    pub fn ready_at(&self, now: Instant, config: &RoomConfig) -> Instant {
        if self.allows(now, config) > 0 {
            return now;
        }
        let missing = ADMISSION_MICRO.saturating_sub(self.level(now, config));
        now.plus_ms(missing.div_ceil(config.admissions_milli_per_s.max(1)))
    }

    /// Counts one admission. O(1).
    pub fn spend(&mut self, now: Instant, config: &RoomConfig) {
        if config.admissions_milli_per_s > 0 {
            self.micro = self.level(now, config).saturating_sub(ADMISSION_MICRO);
            self.filled_at = now;
        }
    }

    /// Changes the rate. What was saved up stays, as far as the bucket now holds it, so a rate that is changed again and again admits nobody beyond
    /// it. If there was no cap before, the bucket starts full. O(1).
    pub fn change(&mut self, now: Instant, before: &RoomConfig, config: &RoomConfig) {
        let full = Self::capacity(config);
        self.micro = match before.admissions_milli_per_s {
            0 => full,
            _ => self.level(now, before).min(full),
        };
        self.filled_at = now;
    }
}
