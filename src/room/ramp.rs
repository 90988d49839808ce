//! A value on its way from one number to another, such as permits that rise from 10 to 200 over five minutes.
//!
//! It says what is in force when, and when it next moves; it moves nothing. The room turns at its steps and stores each as
//! the settings that it leads to, so that replay, audit and laws see nothing but changes of settings.

use crate::facts::config::RoomConfig;
use crate::facts::units::Instant;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One value's way. Whole numbers, exact: after a part of the time it has gone that part of the way, rounded towards where
/// it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ramp {
    /// Where it began.
    pub from: u64,
    /// Where it ends, and stays.
    pub to: u64,
    /// When it began.
    pub since: Instant,
    /// How long it takes; it is there within a tick more.
    pub over_ms: u64,
}

impl Ramp {
    /// What is in force at `now`. It moves on a grid of ticks from its beginning, so never twice in a tick. O(1).
    #[must_use]
    pub fn at(&self, now: Instant, tick_ms: u64) -> u64 {
        if self.is_over(now, tick_ms) {
            return self.to;
        }
        let elapsed_ms = now.since_ms(self.since);
        let gone = self.gone(elapsed_ms - elapsed_ms % tick_ms.max(1));
        if self.to > self.from {
            self.from.saturating_add(gone)
        } else {
            self.from.saturating_sub(gone)
        }
    }

    /// When it next moves, always on the grid; `None`: it has ended. O(1).
    #[must_use]
    pub fn next_step(&self, now: Instant, tick_ms: u64) -> Option<Instant> {
        let way = u128::from(self.from.abs_diff(self.to));
        if way == 0 || self.is_over(now, tick_ms) {
            return None;
        }
        let tick_ms = tick_ms.max(1);
        let elapsed_ms = now.since_ms(self.since);
        let gone = self.gone(elapsed_ms - elapsed_ms % tick_ms);
        let needed = (u128::from(gone) + 1) * u128::from(self.over_ms);
        let needed = u64::try_from(needed.div_ceil(way)).unwrap_or(u64::MAX);
        let on_grid = needed.div_ceil(tick_ms).saturating_mul(tick_ms);
        Some(self.since.plus_ms(on_grid.min(self.end_ms(tick_ms))))
    }

    /// Whether it has arrived.
    #[must_use]
    pub fn is_over(&self, now: Instant, tick_ms: u64) -> bool {
        now.since_ms(self.since) >= self.end_ms(tick_ms)
    }

    /// The first tick of the grid at which all of the time is over.
    const fn end_ms(&self, tick_ms: u64) -> u64 {
        let tick_ms = if tick_ms == 0 { 1 } else { tick_ms };
        self.over_ms.div_ceil(tick_ms).saturating_mul(tick_ms)
    }

    fn gone(&self, elapsed_ms: u64) -> u64 {
        let way = u128::from(self.from.abs_diff(self.to));
        let gone = way * u128::from(elapsed_ms) / u128::from(self.over_ms.max(1));
        u64::try_from(gone).unwrap_or(u64::MAX)
    }
}

/// The values of a room that may be on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ramps {
    /// Of [`RoomConfig::permits`].
    pub permits: Option<Ramp>,
    /// Of [`RoomConfig::admissions_milli_per_s`].
    pub admissions_milli_per_s: Option<Ramp>,
}

impl Ramps {
    /// The settings in force at `now`: `config` with what is on its way. O(1).
    #[must_use]
    pub fn in_force<'c>(&self, config: &'c RoomConfig, now: Instant) -> Cow<'c, RoomConfig> {
        let mut config = Cow::Borrowed(config);
        let tick_ms = config.tick_ms;
        if let Some(ramp) = self.permits {
            config.to_mut().permits = u32::try_from(ramp.at(now, tick_ms)).unwrap_or(u32::MAX);
        }
        if let Some(ramp) = self.admissions_milli_per_s {
            config.to_mut().admissions_milli_per_s = ramp.at(now, tick_ms);
        }
        config
    }

    /// When something next moves; `None`: nothing is on its way. O(1).
    #[must_use]
    pub fn next_step(&self, now: Instant, tick_ms: u64) -> Option<Instant> {
        let ramps = [self.permits, self.admissions_milli_per_s];
        let steps = ramps.into_iter().flatten();
        steps.filter_map(|ramp| ramp.next_step(now, tick_ms)).min()
    }
}
