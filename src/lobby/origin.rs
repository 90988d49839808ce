//! How the origin answered people inside: counts of the fronts, added up. They travel with the next
//! batch; errors, when there is none for a while, with one of their own. What a lobby loses of them
//! with its memory is lost: it is a measurement and no promise.

use crate::room::command::Command;
use crate::units::Instant;

/// Errors that no batch took along are told after this long, in milliseconds: at most one row a second
/// for an origin that fails while nothing else happens.
pub const TOLD_AFTER_MS: u64 = 1_000;

/// What this lobby has counted and not told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Answered {
    good: u32,
    bad: u32,
    /// Since when there is an error among them.
    since: Option<Instant>,
    overdue: bool,
}

impl Answered {
    /// So many more.
    pub const fn add(&mut self, now: Instant, good: u32, bad: u32) {
        self.good = self.good.saturating_add(good);
        self.bad = self.bad.saturating_add(bad);
        if bad > 0 && self.since.is_none() {
            self.since = Some(now);
        }
    }

    /// When they must be told.
    pub fn due_at(&self) -> Option<Instant> {
        let since = self.since.filter(|_| !self.overdue);
        since.map(|at| at.plus_ms(TOLD_AFTER_MS))
    }

    /// Looks whether it is time.
    pub fn tick(&mut self, now: Instant) {
        self.overdue |= self.due_at().is_some_and(|at| at <= now);
    }

    /// Whether they are worth a batch of their own.
    pub const fn overdue(&self) -> bool {
        self.overdue
    }

    /// What a batch takes along, if there is something.
    pub fn take(&mut self) -> Option<Command> {
        let Self { good, bad, .. } = core::mem::take(self);
        (good > 0 || bad > 0).then_some(Command::Origin { good, bad })
    }
}
