//! What fronts hear from the origin: how it answered people inside, added up, and how many seats it has left, the newest.
//! It travels with the next batch; errors and seats, when there is none for a while, with one of their own. What a
//! lobby loses of it with its memory is lost: it is a measurement and no promise.

use crate::room::command::Command;
use crate::units::Instant;

/// Errors and seats that no batch took along are told after this long, in milliseconds: at most one row a second
/// for an origin that fails or sells while nothing else happens.
pub const TOLD_AFTER_MS: u64 = 1_000;

/// What this lobby has counted and not told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Answered {
    good: u32,
    bad: u32,
    /// Seats left, and when the shop said so, Unix ms by its clock.
    stock: Option<(u32, u64)>,
    /// Since when there is something to tell that is not to wait.
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

    /// The shop has so many seats left, as of then by its clock. Something older than what is known says nothing.
    pub fn stock(&mut self, now: Instant, left: u32, reported_at_ms: u64) {
        if self.stock.is_none_or(|(_, at_ms)| at_ms < reported_at_ms) {
            self.stock = Some((left, reported_at_ms));
            self.since.get_or_insert(now);
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
    pub fn take(&mut self) -> Vec<Command> {
        let Self {
            good, bad, stock, ..
        } = core::mem::take(self);
        let counts = (good > 0 || bad > 0).then_some(Command::Origin { good, bad });
        let stock = stock.map(|(left, reported_at_ms)| Command::Stock {
            left,
            reported_at_ms,
        });
        counts.into_iter().chain(stock).collect()
    }
}
