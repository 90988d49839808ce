//! Joins wait for company. Under load a lobby sends some of them at once, in one batch and so one row of the room, where it sent each as
//! soon as the last batch was answered. Nobody waits who could walk in, and a claim, a release or a word of presence waits for nothing.
//!
//! Their order stays that in which they came to this lobby. Against people of other lobbies the wait may move somebody back by
//! [`COMPANY_MS_MAX`] at most.

use super::Lobby;
use super::asking::Want;
use super::timers::Timer;
use crate::facts::units::Instant;

/// The longest wait, in ms: too short to be noticed on a page that asks for a number.
pub const COMPANY_MS_MAX: u64 = 250;
/// So many are company enough: more of them make a row hardly cheaper.
pub const COMPANY_ENOUGH: usize = 48;
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

    /// How long a join may wait, in ms: nothing when it is quiet, and longer the more come. O(1).
    fn wait_ms(&self) -> u64 {
        let per_s = self.joins.max(self.before).min(BUSY_PER_S);
        per_s.saturating_sub(QUIET_PER_S) * COMPANY_MS_MAX / (BUSY_PER_S - QUIET_PER_S)
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
        let wait_ms = self.company.wait_ms();
        if wait_ms == 0 {
            return self.company.hurry();
        }
        self.timers.set_once(Timer::Company, now.plus_ms(wait_ms));
    }

    /// What the queue held has gone out, but for what is too much for one batch.
    pub(super) fn company_leaves(&mut self) {
        self.company.hurries = !self.queue.is_empty();
        self.timers.cancel(Timer::Company);
    }

    /// Whether all that the queue holds are joins that still wait for company. O(1).
    pub(super) fn waits_for_company(&self) -> bool {
        !self.company.hurries
            && self.timers.has(Timer::Company)
            && self.queue.len() < COMPANY_ENOUGH
    }
}
