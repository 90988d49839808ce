//! The one alarm of an object.
//!
//! An alarm is armed in the same synchronous block as the row that makes it necessary, so both
//! commit together. It is never moved later: an alarm that comes too early finds nothing to do
//! and is armed anew, which is cheaper than a write each time a lease slides.

use crate::clock::Clock;
use crate::units::Instant;
use futures_util::FutureExt;
use worker::State;

/// An alarm that is this late was lost and is armed again.
const LOST_AFTER_MS: u64 = 5_000;

/// When the alarm is armed for, as far as this life of the object knows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alarm {
    armed: Option<Instant>,
}

impl Alarm {
    /// The alarm that is stored; `None` when it rings right now or there is none.
    pub async fn stored_wall_ms(state: &State) -> worker::Result<Option<u64>> {
        let wall_ms = state.storage().get_alarm().await?;
        Ok(wall_ms.and_then(|ms| u64::try_from(ms).ok()))
    }

    /// As it was stored.
    pub fn resume(clock: &Clock, wall_ms: Option<u64>) -> Self {
        Self {
            armed: wall_ms.map(|ms| clock.at_wall_ms(ms)),
        }
    }

    /// When it is armed for.
    pub const fn armed(&self) -> Option<Instant> {
        self.armed
    }

    /// It has rung.
    pub fn rang(&mut self) {
        self.armed = None;
    }

    /// Makes sure it rings at `due`, or sooner. Belongs into the block that writes.
    ///
    /// # Errors
    /// When the storage does not take it.
    pub fn arm(
        &mut self,
        state: &State,
        clock: &Clock,
        due: Option<Instant>,
    ) -> worker::Result<()> {
        let Some(due) = due else { return Ok(()) };
        let now = clock.now();
        let lost = self
            .armed
            .is_some_and(|at| now.since_ms(at) > LOST_AFTER_MS);
        if self.armed.is_some_and(|at| at <= due) && !lost {
            return Ok(());
        }
        let in_ms = i64::try_from(due.since_ms(now)).unwrap_or(i64::MAX);
        // The call itself happens when the future is first polled; its end says only what the
        // output gate guards anyway.
        if let Some(Err(error)) = state.storage().set_alarm(in_ms).now_or_never() {
            return Err(error);
        }
        self.armed = Some(due);
        Ok(())
    }
}
