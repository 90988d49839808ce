//! How many permits may go out while the origin fails: none while more of its answers within the
//! window are errors than may be, and for a window after; then one in a window, two in the next, and
//! so on, until as many as there are permits. A window ends with the tenth of it that now is.

use baton::facts::config::RoomConfig;

/// Fewer answers say nothing.
const ANSWERS_MIN: u128 = 10;

/// What was counted of the origin's answers, and the permits given out since it failed.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// Of which tenth of a window; good; bad.
    seen: Vec<(u64, u32, u32)>,
    stopped_until_ms: Option<u64>,
    given_at_ms: Vec<u64>,
}

impl Health {
    /// The origin gave so many answers, good and bad.
    pub fn seen(&mut self, at_ms: u64, (good, bad): (u32, u32), config: &RoomConfig) {
        let window_ms = config.origin_errors_window_ms;
        let tenth = at_ms / (window_ms / 10).max(1);
        self.seen
            .retain(|(then, ..)| tenth.saturating_sub(*then) < 10);
        self.seen.push((tenth, good, bad));
        let bad: u128 = self.seen.iter().map(|(.., bad)| u128::from(*bad)).sum();
        let good: u128 = self.seen.iter().map(|(_, good, _)| u128::from(*good)).sum();
        let all = good + bad;
        if all >= ANSWERS_MIN && bad * 100 > all * u128::from(config.origin_errors_max_percent) {
            self.stopped_until_ms = Some(at_ms.saturating_add(window_ms));
            self.given_at_ms.clear();
        }
    }

    /// Until when nobody may be called: the room's time, ms. `None`: it never failed.
    pub const fn stopped_until_ms(&self) -> Option<u64> {
        self.stopped_until_ms
    }

    /// Where slow start stands: when this window of it began, and how many permits it has.
    fn window(&self, at_ms: u64, config: &RoomConfig) -> Option<(u64, u64)> {
        let mut begun_ms = self.stopped_until_ms?;
        let mut most = 1;
        while begun_ms.saturating_add(config.origin_errors_window_ms) <= at_ms {
            begun_ms = begun_ms.saturating_add(config.origin_errors_window_ms);
            most *= 2;
            if most >= u64::from(config.permits) {
                return None;
            }
        }
        (most < u64::from(config.permits)).then_some((begun_ms, most))
    }

    /// Whether one more may go in.
    pub fn allows(&self, at_ms: u64, config: &RoomConfig) -> bool {
        if self
            .stopped_until_ms
            .is_some_and(|until_ms| at_ms < until_ms)
        {
            return false;
        }
        self.window(at_ms, config).is_none_or(|(begun_ms, most)| {
            let given = self.given_at_ms.iter().filter(|at| **at >= begun_ms);
            (given.count() as u64) < most
        })
    }

    /// One has gone in.
    pub fn spend(&mut self, at_ms: u64, config: &RoomConfig) {
        let stopped = self
            .stopped_until_ms
            .is_some_and(|until_ms| at_ms < until_ms);
        if let Some((begun_ms, _)) = self.window(at_ms, config).filter(|_| !stopped) {
            self.given_at_ms.retain(|at| *at >= begun_ms);
            self.given_at_ms.push(at_ms);
        }
    }
}
