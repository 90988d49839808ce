//! How many may be called while the origin fails, once more and plainly: the model keeps everything that was counted, with its time.

use super::Model;
use baton::facts::units::Instant;
use baton::room::health::{ANSWERS_MIN, WINDOW_PARTS};

impl Model {
    /// Takes in how the origin answered, and stops calls if too many answers were errors.
    pub(super) fn origin_seen(&mut self, now: Instant, good: u32, bad: u32) {
        let window_ms = self.config().origin_errors_window_ms;
        let part = |at: Instant| at.0 / (window_ms / WINDOW_PARTS).max(1);
        self.origin.push((now, u64::from(good), u64::from(bad)));
        let lately = self.origin.iter();
        let lately = lately.filter(|(at, ..)| part(*at) + WINDOW_PARTS > part(now));
        let (good, bad) = lately.fold((0, 0), |(g, b), (_, good, bad)| (g + good, b + bad));
        let percent = u64::from(self.config().origin_errors_max_percent);
        if good + bad >= ANSWERS_MIN && bad * 100 > (good + bad) * percent {
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
