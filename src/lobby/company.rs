//! Delays joins briefly under load, so that several share one batch, and so one row of the room. The delay ends when no further join is
//! expected. A join that could walk in never waits, nor does a claim, a release or a report of presence.
//!
//! Joins keep the order in which they came to this lobby. Against people of other lobbies, the wait may
//! move somebody back by [`COMPANY_MS_MAX`] at most.

use super::asking::Want;
use super::timers::{Timer, Timers};
use facts::units::Instant;

/// The longest wait, in ms: too short to notice on a page that asks for a number.
pub const COMPANY_MS_MAX: u64 = 250;
/// The number of waiting joins at which they leave. More would make a row hardly cheaper, and leave the lobby idle while they are out.
pub const COMPANY_ENOUGH: usize = 32;
/// After this many average gaps between joins without another join, nobody else is expected.
const GAPS: u64 = 8;
/// Up to this many joins a second, nobody waits.
const QUIET_PER_S: u64 = 10;
/// From this many joins a second on, the wait has its full length.
const BUSY_PER_S: u64 = 100;
/// The period over which joins are counted, in ms.
const SECOND_MS: u64 = 1_000;

/// How many joins come, and whether any of them may wait. While any does, [`Timer::Company`] says until when, never later than `latest`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Company {
    /// When the period that is being counted began.
    since: Instant,
    joins: u64,
    /// The joins of the previous period.
    before: u64,
    /// The latest time until which the joins that wait now may be kept.
    latest: Option<Instant>,
    /// Whether something waits that must not.
    hurries: bool,
}

impl Company {
    /// Counts a join. O(1).
    const fn count(&mut self, now: Instant) {
        let passed_ms = now.since_ms(self.since);
        if passed_ms >= SECOND_MS {
            self.before = if passed_ms < 2 * SECOND_MS { self.joins } else { 0 };
            self.joins = 0;
            self.since = now;
        }
        self.joins += 1;
    }

    /// Returns until when the newest join waits unless somebody else comes, or `None` if it is too quiet to wait at all. O(1).
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

    /// Sends everything that waits with the next batch, company or not.
    pub const fn hurry(&mut self) {
        self.hurries = true;
    }

    /// Delays a wish that came into the queue, or not. `may_walk_in`: whether the holder of a join could walk in at once. O(log deadlines).
    pub fn meet(&mut self, now: Instant, want: Want, may_walk_in: bool, timers: &mut Timers) {
        if want != Want::Join || may_walk_in {
            return self.hurry();
        }
        self.count(now);
        match self.waits_until(now) {
            Some(until) => timers.set(Timer::Company, until),
            None => self.hurry(),
        }
    }

    /// Ends the wait, since the queue has gone out except for what is too much for one batch.
    pub fn leave(&mut self, is_anybody_left: bool, timers: &mut Timers) {
        self.hurries = is_anybody_left;
        self.latest = None;
        timers.cancel(Timer::Company);
    }

    /// Whether a queue of this length holds only joins that are still delayed. O(log deadlines).
    pub fn is_waited_for(&self, queue: usize, timers: &Timers) -> bool {
        !self.hurries && timers.has(Timer::Company) && queue < COMPANY_ENOUGH
    }
}
