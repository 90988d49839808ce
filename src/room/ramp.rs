//! A ramp: a value on its way from one number to another, such as permits that rise from 10 to 200 over five minutes.
//!
//! A ramp says which value is in force when, and when it next moves; it moves nothing itself. The room takes a turn at each move and stores the
//! settings that result, so replay, audit and laws see only changes of settings.

use facts::config::{Change, RoomConfig};
use facts::live::Ramped;
use facts::units::Instant;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One value's ramp, in exact whole numbers: after a part of the time the value has gone that part of the way, rounded towards its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ramp {
    /// The value at the beginning.
    pub from: u64,
    /// The value at the end, where it stays.
    pub to: u64,
    /// When it began.
    pub since: Instant,
    /// How long it takes. The value arrives at most a tick later.
    pub over_ms: u64,
}

impl Ramp {
    /// Returns the ramp of a live value that has begun; `None` for a number, and for a ramp that has not begun.
    #[must_use]
    pub fn of<T: Copy + Into<u64>>(value: &Ramped<T>) -> Option<Self> {
        let Ramped::Ramp {
            from: Some(from),
            to,
            over_ms,
            since: Some(since),
        } = *value
        else {
            return None;
        };
        Some(Self {
            from: from.into(),
            to: to.into(),
            since,
            over_ms,
        })
    }

    /// Returns the value in force at `now`. It moves on a grid of ticks from the beginning, so never twice in a tick. O(1).
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

    /// Returns when the value next moves, always on the grid; `None` if it moves no more. O(1).
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

    /// Returns whether the value has arrived.
    #[must_use]
    pub fn is_over(&self, now: Instant, tick_ms: u64) -> bool {
        now.since_ms(self.since) >= self.end_ms(tick_ms)
    }

    /// Returns the first tick of the grid by which the whole time is over.
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
    /// The ramp of [`RoomConfig::permits`].
    pub permits: Option<Ramp>,
    /// The ramp of [`RoomConfig::admissions_milli_per_s`].
    pub admissions_milli_per_s: Option<Ramp>,
}

impl Ramps {
    /// Returns the ramps among these live values, running or over.
    #[must_use]
    pub fn of<'c>(live: impl IntoIterator<Item = &'c Change>) -> Self {
        let mut ramps = Self::default();
        for change in live {
            match change {
                Change::Permits(Some(value)) => ramps.permits = Ramp::of(value),
                Change::AdmissionsMilliPerS(Some(value)) => {
                    ramps.admissions_milli_per_s = Ramp::of(value);
                }
                _ => {}
            }
        }
        ramps
    }

    /// Returns the settings in force at `now`: `config` with the values that are on their way. O(1).
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

    /// Returns when a value next moves; `None` if none is on its way. O(1).
    #[must_use]
    pub fn next_step(&self, now: Instant, tick_ms: u64) -> Option<Instant> {
        let ramps = [self.permits, self.admissions_milli_per_s];
        let steps = ramps.into_iter().flatten();
        steps.filter_map(|ramp| ramp.next_step(now, tick_ms)).min()
    }
}
