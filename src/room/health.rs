//! Judges how the origin is doing and limits how many people are called while it fails: sending more people to a failing origin helps nobody. Off
//! unless the operator sets `origin_errors_max_percent`. Whole numbers only.
//!
//! People are counted and not answers: each lease weighs as much as any other, whatever it asks for and how often. So one person inside, whose
//! every request fails, stops nobody else.
//!
//! It is a circuit breaker (M. Nygard, *Release It!*) that closes by slow start (RFC 5681, 3.1):
//! - While too large a share of the answers in the last window are errors, as the mean over leases, and for one window after that was last seen,
//!   nobody is called.
//! - Then one call is allowed in the first window and twice as many in each window after it, until there are as many as permits. From then on
//!   nobody is held up.

use facts::config::RoomConfig;
use facts::origin::OriginAnswers;
use facts::units::{Fence, Instant};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The number of parts in a window, which slides by one part at a time.
pub const WINDOW_PARTS: u64 = 10;
/// Minimum number of answers in a window to judge from: three errors of four may be one visitor's page.
pub const ANSWERS_MIN: u64 = 10;
/// Minimum number of leases in a window that meet with too many errors. A room with fewer permits needs all of them, or it would call people to a dead
/// origin for ever. Permits count and not people inside: the only one inside a large room must not stop it.
pub const LEASES_MIN: u64 = 3;
/// A share of one lease is told in thousandths.
const PER_MILLE: u64 = 1_000;
/// Doublings after which a window allows more calls than any room has permits: 2^17 > 100,000.
const DOUBLINGS_MAX: u64 = 17;

/// The state in which the room takes the origin to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Nobody is held up.
    #[default]
    Well,
    /// Nobody is called.
    Failing,
    /// A few are called, twice as many in each window as in the one before.
    Recovering,
}

/// What the room knows of the origin's answers. At most [`WINDOW_PARTS`] parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    parts: VecDeque<Part>,
    /// When calling begins again: one window after too many errors were last seen.
    resume_at: Option<Instant>,
    /// The window, counted from `resume_at`, in which `spent` counts admissions.
    step: u64,
    spent: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    /// The room's time, counted in parts of a window.
    at: u64,
    answers: OriginAnswers,
}

impl Health {
    const fn is_on(config: &RoomConfig) -> bool {
        config.origin_errors_max_percent > 0
    }

    /// Counts answers of the origin, and stops calls if too many are errors. O(leases in the window · log leases).
    pub fn seen(&mut self, now: Instant, answers: &OriginAnswers, config: &RoomConfig) {
        if !Self::is_on(config) {
            return;
        }
        let at = now.0 / (config.origin_errors_window_ms / WINDOW_PARTS).max(1);
        self.parts.retain(|part| part.at + WINDOW_PARTS > at);
        if self.parts.back().is_none_or(|part| part.at != at) {
            let answers = OriginAnswers::default();
            self.parts.push_back(Part { at, answers });
        }
        if let Some(part) = self.parts.back_mut() {
            part.answers.add(answers);
        }
        if self.fails(config) {
            self.resume_at = Some(now.plus_ms(config.origin_errors_window_ms));
            self.step = 0;
            self.spent = 0;
        }
    }

    /// Whether too many of the answers in the window are errors, and several leases met with too many.
    fn fails(&self, config: &RoomConfig) -> bool {
        let mut leases: BTreeMap<Fence, (u64, u64)> = BTreeMap::new();
        for of in self.parts.iter().flat_map(|part| part.answers.iter()) {
            let (all, bad) = leases.entry(of.fence).or_default();
            *all += u64::from(of.good) + u64::from(of.bad);
            *bad += u64::from(of.bad);
        }
        let most = PER_MILLE * u64::from(config.origin_errors_max_percent) / 100;
        let shares = leases.values().map(|(all, bad)| (bad * PER_MILLE).checked_div(*all).unwrap_or(0));
        let (failing, sum) = shares.fold((0, 0), |(failing, sum), share| (failing + u64::from(share > most), sum + share));
        let answers: u64 = leases.values().map(|(all, _)| all).sum();
        answers >= ANSWERS_MIN && failing >= LEASES_MIN.min(config.permits.into()) && sum > most * leases.len() as u64
    }

    /// Returns the current window of slow start and how many calls it allows in all, or `None` if nobody is held up. Before calling begins again this
    /// is the first window, so callers must ask [`stops`](Self::stops) first.
    fn start(&self, now: Instant, config: &RoomConfig) -> Option<(u64, u64)> {
        let resume_at = self.resume_at.filter(|_| Self::is_on(config))?;
        let step = now.since_ms(resume_at) / config.origin_errors_window_ms.max(1);
        let most = 1_u64 << step.min(DOUBLINGS_MAX);
        (most < u64::from(config.permits)).then_some((step, most))
    }

    /// Returns whether nobody is called because the origin fails. O(1).
    #[must_use]
    pub fn stops(&self, now: Instant, config: &RoomConfig) -> bool {
        Self::is_on(config) && self.resume_at.is_some_and(|resume_at| now < resume_at)
    }

    /// Returns how many may be admitted now; `u64::MAX` while the origin is well. O(1).
    #[must_use]
    pub fn allows(&self, now: Instant, config: &RoomConfig) -> u64 {
        if self.stops(now, config) {
            return 0;
        }
        match self.start(now, config) {
            None => u64::MAX,
            Some((step, most)) if step == self.step => most.saturating_sub(self.spent),
            Some((_, most)) => most,
        }
    }

    /// Returns when the next admission is allowed: `now` if one already is. O(1).
    #[must_use]
    pub fn ready_at(&self, now: Instant, config: &RoomConfig) -> Instant {
        if self.allows(now, config) > 0 {
            return now;
        }
        let resume_at = self.resume_at.unwrap_or(now);
        let step = now.since_ms(resume_at) / config.origin_errors_window_ms.max(1);
        let next = step.saturating_add(1);
        if now < resume_at {
            resume_at
        } else {
            resume_at.plus_ms(next.saturating_mul(config.origin_errors_window_ms))
        }
    }

    /// Counts one admission. O(1).
    pub fn spend(&mut self, now: Instant, config: &RoomConfig) {
        if self.stops(now, config) {
            return;
        }
        if let Some((step, _)) = self.start(now, config) {
            if step != self.step {
                self.step = step;
                self.spent = 0;
            }
            self.spent = self.spent.saturating_add(1);
        }
    }

    /// Returns the state in which the room takes the origin to be. O(1).
    #[must_use]
    pub fn condition(&self, now: Instant, config: &RoomConfig) -> Condition {
        if self.stops(now, config) {
            Condition::Failing
        } else if self.start(now, config).is_some() {
            Condition::Recovering
        } else {
            Condition::Well
        }
    }

    /// Forgets everything if the settings changed: what was seen under the old ones says nothing.
    pub(super) fn restart_if_changed(&mut self, before: &RoomConfig, config: &RoomConfig) {
        let set = |c: &RoomConfig| (c.origin_errors_max_percent, c.origin_errors_window_ms);
        if set(before) != set(config) {
            *self = Self::default();
        }
    }
}
