//! How many may be called while the origin fails, once more and plainly: the model keeps everything that was counted, with its time.

use super::Model;
use baton::facts::limits::ORIGIN_LEASES_MAX;
use baton::facts::origin::OriginAnswers;
use baton::facts::units::{Fence, Instant};
use baton::room::health::{ANSWERS_MIN, LEASES_MIN, WINDOW_PARTS};
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    /// Takes in how the origin answered, and stops calls if too many answers were errors.
    pub(super) fn origin_seen(&mut self, now: Instant, answers: &OriginAnswers) {
        let window_ms = self.config().origin_errors_window_ms;
        let part = |at: Instant| at.0 / (window_ms / WINDOW_PARTS).max(1);
        for of in answers.iter() {
            let these = self.origin.iter();
            let these = these.filter(|(at, ..)| part(*at) == part(now));
            let leases: BTreeSet<Fence> = these.map(|(_, fence, ..)| *fence).collect();
            if leases.contains(&of.fence) || leases.len() < ORIGIN_LEASES_MAX {
                let (good, bad) = (u64::from(of.good), u64::from(of.bad));
                self.origin.push((now, of.fence, good, bad));
            }
        }
        let mut leases: BTreeMap<Fence, (u64, u64)> = BTreeMap::new();
        let mut answers = 0;
        for (at, fence, good, bad) in &self.origin {
            if part(*at) + WINDOW_PARTS > part(now) {
                let lease = leases.entry(*fence).or_default();
                *lease = (lease.0 + good, lease.1 + bad);
                answers += good + bad;
            }
        }
        // In thousandths of a lease's answers.
        let shares: Vec<u64> = leases
            .values()
            .map(|(g, b)| b * 1_000 / (g + b).max(1))
            .collect();
        let most = u64::from(self.config().origin_errors_max_percent) * 10;
        let failing = shares.iter().filter(|share| **share > most).count() as u64;
        let enough = failing >= LEASES_MIN.min(self.config().permits.into());
        let mean_is_more = shares.iter().sum::<u64>() > most * shares.len() as u64;
        if answers >= ANSWERS_MIN && enough && mean_is_more {
            self.resume_at = Some(now.plus_ms(window_ms));
            self.admitted.clear();
        }
    }

    /// Returns how many calls the present window of the slow start has, and when it began; `None` if the origin limits nothing.
    fn window(&self, now: Instant) -> Option<(u64, Instant)> {
        let window_ms = self.config().origin_errors_window_ms;
        let resume_at = self.resume_at?;
        let windows = now.since_ms(resume_at) / window_ms;
        let begun = resume_at.plus_ms(windows * window_ms);
        let most = (0..windows.min(20)).fold(1, |most, _| most * 2);
        (most < u64::from(self.config().permits)).then_some((most, begun))
    }

    /// Returns how many may be admitted now, as far as the origin is concerned.
    pub(super) fn origin_allows(&self, now: Instant) -> u64 {
        if self.resume_at.is_some_and(|at| now < at) {
            return 0;
        }
        let Some((most, begun)) = self.window(now) else {
            return u64::MAX;
        };
        let admitted = self.admitted.iter().filter(|at| **at >= begun).count() as u64;
        most.saturating_sub(admitted)
    }

    /// Counts a visitor who is admitted.
    pub(super) fn origin_spends(&mut self, now: Instant) {
        let begun = self.resume_at.is_some_and(|at| now >= at);
        if begun && self.window(now).is_some() {
            self.admitted.push(now);
        }
    }

    /// Forgets what was counted under other settings.
    pub(super) fn origin_forgotten(&mut self) {
        self.origin.clear();
        self.admitted.clear();
        self.resume_at = None;
    }
}
