//! Joins wait for company. Under load a lobby sends some of them at once, in one batch and so one row of the room, where it sent each as
//! soon as the last batch was answered. The wait ends when nobody else seems to come. Nobody waits who could walk in, and a claim, a release or a word of presence waits for nothing.
//!
//! Their order stays that in which they came to this lobby. Against people of other lobbies the wait may move somebody back by
//! [`COMPANY_MS_MAX`] at most.

use super::Lobby;
use super::asking::Want;
use super::timers::Timer;
use crate::facts::units::Instant;

/// The longest wait, in ms: too short to be noticed on a page that asks for a number.
pub const COMPANY_MS_MAX: u64 = 250;
/// So many are company enough: more of them make a row hardly cheaper, and leave the lobby idle while they are out.
pub const COMPANY_ENOUGH: usize = 32;
/// So many times as long as joins usually are apart nobody has come: then nobody is expected.
const GAPS: u64 = 8;
/// Joins a second up to which nobody waits.
const QUIET_PER_S: u64 = 10;
/// Joins a second from which on the wait is as long as it gets.
const BUSY_PER_S: u64 = 100;
/// Joins are counted by the second.
const SECOND_MS: u64 = 1_000;

/// How many joins come, and whether any may wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Company {
    /// When the second began that is being counted.
    since: Instant,
    joins: u64,
    /// Joins of the second before it.
    before: u64,
    /// Until when the first of those who wait may be kept.
    latest: Option<Instant>,
    /// Something waits that may not.
    hurries: bool,
}

impl Company {
    /// Somebody joins. O(1).
    const fn count(&mut self, now: Instant) {
        let passed_ms = now.since_ms(self.since);
        if passed_ms >= SECOND_MS {
            self.before = if passed_ms < 2 * SECOND_MS {
                self.joins
            } else {
                0
            };
            self.joins = 0;
            self.since = now;
        }
        self.joins += 1;
    }

    /// Until when whoever has just come waits, unless somebody else comes; `None`: not at all, for it is quiet. O(1).
    fn waits_until(&mut self, now: Instant) -> Option<Instant> {
        let per_s = self.joins.max(self.before);
        let load = per_s.min(BUSY_PER_S).saturating_sub(QUIET_PER_S);
        let wait_ms = load * COMPANY_MS_MAX / (BUSY_PER_S - QUIET_PER_S);
        if wait_ms == 0 {
            return None;
        }
        let latest = *self.latest.get_or_insert(now.plus_ms(wait_ms));
        let nobody_comes = now.plus_ms(GAPS * SECOND_MS / per_s);
        Some(latest.min(nobody_comes))
    }

    /// What waits goes with the next batch, company or not.
    pub const fn hurry(&mut self) {
        self.hurries = true;
    }
}

impl Lobby {
    /// A wish has come into the queue. `may_walk_in`: of a join, whether its holder might be in at once. O(1).
    pub(super) fn meets_company(&mut self, now: Instant, want: Want, may_walk_in: bool) {
        if want != Want::Join || may_walk_in {
            return self.company.hurry();
        }
        self.company.count(now);
        match self.company.waits_until(now) {
            Some(until) => self.timers.set(Timer::Company, until),
            None => self.company.hurry(),
        }
    }

    /// What the queue held has gone out, but for what is too much for one batch.
    pub(super) fn company_leaves(&mut self) {
        self.company.hurries = !self.queue.is_empty();
        self.company.latest = None;
        self.timers.cancel(Timer::Company);
    }

    /// Whether all that the queue holds are joins that still wait for company. O(1).
    pub(super) fn waits_for_company(&self) -> bool {
        !self.company.hurries
            && self.timers.has(Timer::Company)
            && self.queue.len() < COMPANY_ENOUGH
    }
}
