//! How many people may be admitted now, by the operator's pace and by the origin's health.

use super::health::{Condition, Health};
use super::pace::Pace;
use facts::config::RoomConfig;
use facts::origin::OriginAnswers;
use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// The two limits. Every admission counts for both, so what one allows beyond the other is not saved up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Allowance {
    pace: Pace,
    health: Health,
}

impl Allowance {
    /// Returns how many may be admitted now, by both. O(1).
    pub(crate) fn allows(&self, now: Instant, config: &RoomConfig) -> u64 {
        let by_health = self.health.allows(now, config);
        self.pace.allows(now, config).min(by_health)
    }

    /// Returns when both allow the next call. What either allows it goes on allowing until it is used, so this is the later of the two times. O(1).
    pub(crate) fn ready_at(&self, now: Instant, config: &RoomConfig) -> Instant {
        let by_health = self.health.ready_at(now, config);
        self.pace.ready_at(now, config).max(by_health)
    }

    /// Returns whether nobody is called because the origin fails. O(1).
    pub(crate) fn stops(&self, now: Instant, config: &RoomConfig) -> bool {
        self.health.stops(now, config)
    }

    /// Returns the state in which the room takes the origin to be. O(1).
    pub(crate) fn condition(&self, now: Instant, config: &RoomConfig) -> Condition {
        self.health.condition(now, config)
    }

    /// Counts one admission. O(1).
    pub(crate) fn spend(&mut self, now: Instant, config: &RoomConfig) {
        self.pace.spend(now, config);
        self.health.spend(now, config);
    }

    /// Takes in how the origin answered; see [`Health::seen`].
    pub(crate) fn seen(&mut self, now: Instant, answers: &OriginAnswers, config: &RoomConfig) {
        self.health.seen(now, answers, config);
    }

    /// Follows a change of settings. O(1).
    pub(crate) fn change(&mut self, now: Instant, before: &RoomConfig, config: &RoomConfig) {
        if before.admissions_milli_per_s != config.admissions_milli_per_s {
            self.pace.change(now, before, config);
        }
        self.health.restart_if_changed(before, config);
    }
}
