//! The one alarm of an object.
//!
//! It is armed in the same synchronous block as the row that makes it necessary, so both commit
//! together. It is never moved later: an alarm that comes too early finds nothing to do and is
//! armed anew, which is cheaper than a write each time a lease slides.

use crate::clock::Clock;
use crate::facts::units::Instant;
use crate::journal::{Damage, Store};
use crate::planted::{self, Bug};

/// An alarm that is this late was lost and is armed again.
pub const LOST_AFTER_MS: u64 = 5_000;

/// When the alarm is armed for, as far as this life of the object knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alarm {
    armed: Option<Instant>,
}

impl Alarm {
    /// As it was stored, on the wall clock; `None` when it rings right now or there is none.
    #[must_use]
    pub fn resume(clock: &Clock, wall_ms: Option<u64>) -> Self {
        Self {
            armed: wall_ms.map(|ms| clock.at_wall_ms(ms)),
        }
    }

    /// When it is armed for.
    #[must_use]
    pub const fn armed(&self) -> Option<Instant> {
        self.armed
    }

    /// It has rung.
    pub const fn rang(&mut self) {
        self.armed = None;
    }

    /// Makes sure it rings at `due`, or sooner. Belongs into the block that writes.
    ///
    /// # Errors
    /// When the store does not take it.
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
