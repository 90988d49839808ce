//! What the room saw of a crowd that nobody held up (mode `observe`), and which settings follow from it.
//!
//! The recommendation is arithmetic on what was counted. It comes with every figure that went in, so that an operator can do it again by hand.
//! [`docs/operating.md`](../../../docs/operating.md) says why it is this and nothing else.

use super::histogram::Histogram;
use serde::{Deserialize, Serialize};

/// A level that the site carried for this long in all is one that it can carry.
pub const HELD_MS: u64 = 300_000;
/// A lease must outlast the visits of this many thousandths of the visitors, and their pauses.
const MOST: u64 = 990;
/// Fewer visits or pauses than this are too few for a recommendation.
pub const SEEN_MIN: u64 = 20;
/// Leases are recommended in whole minutes, and `crowd` is never below what one lobby takes.
const MINUTE_S: u64 = 60;
const CROWD_MIN: u64 = 10_000;
/// The settings' schema takes no `crowd` above this.
const CROWD_MAX: u64 = 2_560_000;

/// An observation: from when the mode became `observe` until it was left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// How long it has lasted so far.
    ms: u64,
    peak: u32,
    /// For how long each number of people was inside at once. Time in which nobody was inside does not count.
    levels: Histogram,
    /// From coming in to the release or the lease's hard end, or to the last activity of a visitor who left without a word.
    visits: Histogram,
    /// From one activity of a visitor to the next.
    pauses: Histogram,
    /// Leases that ran to their hard end: visits that were cut.
    cut: u64,
    /// Leases that reached their idle end: visits that ended without a word.
    silent: u64,
    /// Requests that could not have walked in.
    only: u64,
}

impl Observed {
    /// Records that so many people were inside for `ms`. O(1).
    pub fn pass(&mut self, ms: u64, inside: u32) {
        self.ms = self.ms.saturating_add(ms);
        if inside > 0 {
            self.levels.add_level(inside.into(), ms);
        }
    }

    /// Records that so many people are inside at this moment. O(1).
    pub fn stands(&mut self, inside: u32) {
        self.peak = self.peak.max(inside);
    }

    /// Records that somebody inside was active again after `ms`. O(1).
    pub fn active_after(&mut self, ms: u64) {
        self.pauses.add_ms(ms);
    }

    /// Records the end of a visit. O(1).
    pub fn visited(&mut self, ms: u64, end: VisitEnd) {
        self.visits.add_ms(ms);
        self.cut += u64::from(end == VisitEnd::Cut);
        self.silent += u64::from(end == VisitEnd::Silent);
    }

    /// Counts requests that went on and could not have walked in. O(1).
    pub const fn let_in(&mut self, count: u64) {
        self.only = self.only.saturating_add(count);
    }

    /// Returns what was seen and what follows from it, or `None` if nothing was observed yet. Pure. O(buckets).
    #[must_use]
    pub fn told(&self) -> Option<Observation> {
        if self.ms == 0 {
            return None;
        }
        let observation = Observation {
            observed_ms: self.ms,
            peak: self.peak,
            p90: self.level(self.levels.quantile_level(900)),
            held: self.level(self.levels.level_held(HELD_MS)),
            visits: self.visits.count(),
            visit_p99_ms: self.visits.quantile_ms(MOST),
            pauses: self.pauses.count(),
            pause_p99_ms: self.pauses.quantile_ms(MOST),
            cut: self.cut,
            silent: self.silent,
            only: self.only,
            recommended: None,
        };
        Some(Observation {
            recommended: observation.recommend(),
            ..observation
        })
    }

    /// Limits a level to the peak: a bucket's end may be past the highest level seen.
    fn level(&self, level: Option<u64>) -> u32 {
        level.map_or(0, |level| u32::try_from(level).unwrap_or(u32::MAX).min(self.peak))
    }
}

/// How a visit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitEnd {
    /// The site or the visitor said so.
    Said,
    /// By the lease's idle end.
    Silent,
    /// By the lease's hard end.
    Cut,
}

/// What an observation says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// How long the room observed.
    pub observed_ms: u64,
    /// The most people who were inside at once.
    pub peak: u32,
    /// The number of people that was not exceeded for nine tenths of the time in which anybody was inside.
    pub p90: u32,
    /// The most people who were inside for [`HELD_MS`] in all; 0 if nobody was for that long.
    pub held: u32,
    /// Visits that ended.
    pub visits: u64,
    /// 99 of 100 visits were no longer.
    pub visit_p99_ms: Option<u64>,
    /// Pauses between two activities of a visitor.
    pub pauses: u64,
    /// 99 of 100 pauses were no longer.
    pub pause_p99_ms: Option<u64>,
    /// Visits that the hard end of their lease cut.
    pub cut: u64,
    /// Visits that ended without a word, by the idle end of their lease.
    pub silent: u64,
    /// Requests without a pass that went on and could not have walked in if the room did more than observe.
    pub only: u64,
    /// The settings that follow; `None` if too little was seen.
    pub recommended: Option<Recommended>,
}

/// Settings that fit what was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommended {
    /// What the site carried for five minutes in all.
    pub permits: u32,
    /// Twice the pause that 99 of 100 did not exceed.
    pub lease_idle_s: u64,
    /// Twice the visit that 99 of 100 did not exceed.
    pub lease_max_s: u64,
    /// Twice the most people who were inside at once, as if all of them were in line.
    pub crowd: u64,
}

impl Observation {
    /// Returns the settings that follow, or `None` if too little was seen. O(1).
    fn recommend(&self) -> Option<Recommended> {
        if self.held == 0 || self.visits < SEEN_MIN {
            return None;
        }
        // With too few pauses nothing is known of them. No pause can be longer than the visit itself.
        let visit_ms = self.visit_p99_ms?;
        let pause_ms = self.pause_p99_ms.filter(|_| self.pauses >= SEEN_MIN);
        let pause_ms = pause_ms.unwrap_or(visit_ms);
        let lease_idle_s = twice_in_minutes(pause_ms);
        Some(Recommended {
            permits: self.held,
            lease_idle_s,
            lease_max_s: twice_in_minutes(visit_ms).max(lease_idle_s),
            crowd: (u64::from(self.peak) * 2).clamp(CROWD_MIN, CROWD_MAX),
        })
    }
}

/// Returns twice the time, rounded up to whole minutes, in seconds.
const fn twice_in_minutes(ms: u64) -> u64 {
    ms.saturating_mul(2).div_ceil(MINUTE_S * 1_000) * MINUTE_S
}
