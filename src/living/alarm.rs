//! The one alarm of an object.
//!
//! It is armed in the same synchronous block as the row that makes it necessary, so both commit together. It is never moved later: an alarm that
//! rings too early finds nothing to do and is armed anew, which costs less than a write each time a lease slides.

use crate::clock::Clock;
use crate::facts::units::Instant;
use crate::journal::{Damage, Store};
use crate::planted::{self, Bug};

/// An armed alarm that is this late, in ms, counts as lost and is armed again.
pub const LOST_AFTER_MS: u64 = 5_000;

/// When the alarm will ring, as far as this life of the object knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alarm {
    armed: Option<Instant>,
}

impl Alarm {
    /// The alarm as stored, on the wall clock. `wall_ms` is `None` if it rings right now or none is set.
    #[must_use]
    pub fn resume(clock: &Clock, wall_ms: Option<u64>) -> Self {
        Self {
            armed: wall_ms.map(|ms| clock.at_wall_ms(ms)),
        }
    }

    /// When it will ring, or `None` if it is not armed.
    #[must_use]
    pub const fn armed(&self) -> Option<Instant> {
        self.armed
    }

    /// Notes that the alarm has rung.
    pub const fn rang(&mut self) {
        self.armed = None;
    }

    /// Makes sure that the alarm rings at `due` or sooner. Must be called in the synchronous block that writes.
    ///
    /// # Errors
    /// Returns [`Damage`] if the store does not take it.
    pub fn arm<S: Store>(
        &mut self,
        store: &S,
        clock: &Clock,
        due: Option<Instant>,
    ) -> Result<(), Damage> {
        let Some(due) = due else { return Ok(()) };
        let now = clock.now();
        let lost = self
            .armed
            .is_some_and(|at| now.since_ms(at) > LOST_AFTER_MS);
        if self.armed.is_some_and(|at| at <= due) && !lost {
            return Ok(());
        }
        if planted::is(Bug::AlarmAfterTheCommit) {
            self.armed = Some(due);
            return Ok(());
        }
        store
            .put_alarm(due.since_ms(now))
            .map_err(|error| Damage::Store(error.to_string()))?;
        self.armed = Some(due);
        Ok(())
    }
}
