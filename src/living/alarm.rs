//! The one alarm of an object.
//!
//! It is armed in the same synchronous block as the row that makes it necessary, so both commit together. It is never moved later: an alarm that
//! rings too early finds nothing to do and is armed anew, which costs less than a write each time a lease slides.
//!
//! The platform rings by the wall clock. So this knows an alarm by what the wall clock will read, and arms it anew in each turn that finds that the
//! object's time and the wall clock have come apart.

use crate::clock::{Bell, Clock};
use facts::planted::{self, Bug};
use facts::units::Instant;
use journal::{Damage, Store};

/// An armed alarm that is this late, in ms, counts as lost and is armed again.
pub const LOST_AFTER_MS: u64 = 5_000;

/// When the alarm will ring, as far as this life of the object knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alarm {
    /// Unix ms.
    rings_at_ms: Option<u64>,
    /// What the wall clock read when it was armed, or a reading from before that, Unix ms.
    from_ms: u64,
}

impl Alarm {
    /// The alarm as stored, on the wall clock. `wall_ms` is `None` if none is set. It was not armed before the wall clock read `from_ms`.
    #[must_use]
    pub const fn resume(wall_ms: Option<u64>, from_ms: u64) -> Self {
        Self {
            rings_at_ms: wall_ms,
            from_ms,
        }
    }

    /// When it will ring by this clock, or should have rung, or `None` if it is not armed.
    #[must_use]
    pub fn armed(&self, clock: &Clock) -> Option<Instant> {
        let at_ms = self.rings_at_ms?;
        let late_ms = clock.wall_ms().saturating_sub(at_ms);
        let at = clock.at_wall_ms(at_ms);
        Some(Instant(at.0.saturating_sub(late_ms)))
    }

    /// The alarm as what bounds a clock.
    #[must_use]
    pub fn bell(&self) -> Option<Bell> {
        let from_ms = self.from_ms;
        self.rings_at_ms.map(|at_ms| Bell::Alarm { from_ms, at_ms })
    }

    /// Notes that the alarm has rung.
    pub const fn rang(&mut self) {
        self.rings_at_ms = None;
    }

    /// Returns in how many ms the alarm must ring, or `None` if it rings by then anyway. Counts on its being set so.
    pub fn set_for(&mut self, clock: &Clock, due: Option<Instant>) -> Option<u64> {
        let in_ms = due?.since_ms(clock.now());
        let due_ms = clock.wall_ms().saturating_add(in_ms);
        let rings_by = |at_ms: u64| {
            let is_lost = clock.wall_ms() > at_ms.saturating_add(LOST_AFTER_MS);
            at_ms <= due_ms && !is_lost
        };
        if self.rings_at_ms.is_some_and(rings_by) {
            return None;
        }
        self.rings_at_ms = Some(due_ms);
        self.from_ms = clock.wall_ms();
        Some(in_ms)
    }

    /// Makes sure that the alarm rings at `due` or sooner. Must be called in the synchronous block that writes.
    ///
    /// # Errors
    /// Returns [`Damage`] if the store does not take it.
    pub fn arm<S: Store>(&mut self, store: &S, clock: &Clock, due: Option<Instant>) -> Result<(), Damage> {
        let Some(in_ms) = self.set_for(clock, due) else {
            return Ok(());
        };
        if planted::is(Bug::AlarmAfterTheCommit) {
            return Ok(());
        }
        store.put_alarm(in_ms).map_err(|error| Damage::Store(error.to_string()))
    }
}
