//! Join attempts: a counter whose rise shows the pressure. They travel with the next batch; when
//! there is none for a while, because everybody who asks is in line already, with one of their
//! own.

use crate::units::Instant;

/// Attempts that no batch took along are told after this long, in milliseconds: at most one row
/// in ten seconds for a crowd that only reloads.
pub const TOLD_AFTER_MS: u64 = 10_000;

/// What this lobby has counted and not told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pressure {
    attempts: u32,
    since: Option<Instant>,
    overdue: bool,
}

impl Pressure {
    /// One more.
    pub const fn rises(&mut self, now: Instant) {
        self.attempts = self.attempts.saturating_add(1);
        if self.since.is_none() {
            self.since = Some(now);
        }
    }

    /// When it must be told.
    pub fn due_at(&self) -> Option<Instant> {
        let since = self.since.filter(|_| !self.overdue);
        since.map(|at| at.plus_ms(TOLD_AFTER_MS))
    }

    /// Looks whether it is time.
    pub fn tick(&mut self, now: Instant) {
        self.overdue |= self.due_at().is_some_and(|at| at <= now);
    }

    /// Whether it is worth a batch of its own.
    pub const fn overdue(&self) -> bool {
        self.overdue
    }

    /// What a batch takes along.
    pub fn take(&mut self) -> u32 {
        core::mem::take(self).attempts
    }
}
