//! Decides how fast permits may go out: a bucket fills with the configured rate, holds one tick's worth (at least one admission) and loses one
//! admission with each permit given out.

use baton::facts::config::RoomConfig;

/// One admission, in units of what a rate of 0.001 a second adds in a millisecond.
const ADMISSION: u64 = 1_000_000;

/// The bucket.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    level: u64,
    as_of_ms: u64,
}

impl Pace {
    fn holds(config: &RoomConfig) -> u64 {
        let tick = config.admissions_milli_per_s.saturating_mul(config.tick_ms);
        tick.max(ADMISSION)
    }

    fn level(&self, at_ms: u64, config: &RoomConfig) -> u64 {
        let passed_ms = at_ms.saturating_sub(self.as_of_ms);
        let gained = passed_ms.saturating_mul(config.admissions_milli_per_s);
        self.level.saturating_add(gained).min(Self::holds(config))
    }

    /// Returns true if one more permit may go out. Always true if the room has no cap.
    pub fn allows(&self, at_ms: u64, config: &RoomConfig) -> bool {
        config.admissions_milli_per_s == 0 || self.level(at_ms, config) >= ADMISSION
    }

    /// Takes one admission from the bucket.
    pub fn spend(&mut self, at_ms: u64, config: &RoomConfig) {
        if config.admissions_milli_per_s > 0 {
            self.level = self.level(at_ms, config).saturating_sub(ADMISSION);
            self.as_of_ms = at_ms;
        }
    }

    /// Takes another rate. The bucket keeps its content, as far as the new size holds it; the first rate begins with a full bucket.
    pub fn changes(&mut self, at_ms: u64, before: Option<&RoomConfig>, config: &RoomConfig) {
        let capped = before.filter(|before| before.admissions_milli_per_s > 0);
        let kept = capped.map_or(u64::MAX, |before| self.level(at_ms, before));
        self.level = kept.min(Self::holds(config));
        self.as_of_ms = at_ms;
    }
}
