//! An object's clock. It follows the wall clock, but never runs back and never leaps past what the object slept for.
//!
//! A host that sets its clock an hour forward must not end every lease at once, and one that sets it back must not make leases last for ever. So
//! time advances by what the wall clock advanced, clamped to the time until the armed alarm plus [`SLACK_MS`]: a long sleep before a far alarm is
//! no jump, a leap past a near one is.

use crate::facts::units::Instant;
use crate::planted::{self, Bug};

/// How late an alarm may ring without being taken for a jump of the clock, in ms.
pub const SLACK_MS: u64 = 60_000;

/// A clock that follows the wall clock within these bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    now: Instant,
    wall_ms: u64,
}

impl Clock {
    /// Starts a clock at Unix time, so that its instants look familiar.
    #[must_use]
    pub const fn new(wall_ms: u64) -> Self {
        Self {
            now: Instant(wall_ms),
            wall_ms,
        }
    }

    /// Resumes a clock that read `now` when the wall clock read `wall_ms`.
    #[must_use]
    pub const fn resume(now: Instant, wall_ms: u64) -> Self {
        Self { now, wall_ms }
    }

    /// The time at the last look.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// What the wall clock read at the last look, Unix ms.
    #[must_use]
    pub const fn wall_ms(&self) -> u64 {
        self.wall_ms
    }

    /// Looks at the wall clock and advances. `armed` is the moment for which the object's alarm is armed; without one nothing is pending, and the
    /// clock believes a sleep of any length. O(1).
    pub fn advance(&mut self, wall_ms: u64, armed: Option<Instant>) -> Instant {
        let elapsed_ms = wall_ms.saturating_sub(self.wall_ms);
        let most_ms = armed.map_or(u64::MAX, |at| {
            at.since_ms(self.now).saturating_add(SLACK_MS)
        });
        let most_ms = if planted::is(Bug::ClockLeaps) {
            u64::MAX
        } else {
            most_ms
        };
        self.now = self.now.plus_ms(elapsed_ms.min(most_ms));
        self.wall_ms = wall_ms;
        self.now
    }

    /// Returns the wall clock's reading at an instant of this clock, Unix ms.
    #[must_use]
    pub const fn to_wall_ms(&self, at: Instant) -> u64 {
        self.wall_ms.saturating_add(at.since_ms(self.now))
    }

    /// Returns this clock's instant at a reading of the wall clock.
    #[must_use]
    pub const fn at_wall_ms(&self, wall_ms: u64) -> Instant {
        self.now.plus_ms(wall_ms.saturating_sub(self.wall_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_back_stands_still() {
        let mut clock = Clock::new(10_000_000);
        assert_eq!(
            clock.advance(10_000_000 - 3_600_000, None),
            Instant(10_000_000)
        );
        assert_eq!(
            clock.advance(10_000_000 - 3_599_000, None),
            Instant(10_001_000)
        );
    }

    #[test]
    fn a_jump_forward_stops_a_minute_past_the_alarm() {
        let mut clock = Clock::new(10_000_000);
        let armed = Some(Instant(10_005_000));
        assert_eq!(clock.advance(13_600_000, armed), Instant(10_065_000));
    }

    #[test]
    fn a_long_sleep_before_a_far_alarm_is_no_jump() {
        let mut clock = Clock::new(10_000_000);
        assert_eq!(
            clock.advance(13_600_000, Some(Instant(13_600_000))),
            Instant(13_600_000)
        );
        assert_eq!(clock.advance(99_000_000, None), Instant(99_000_000));
    }
}
