//! Decides how many permits may go out while the origin fails. None go out while more of its answers within the window are errors than may be, nor
//! for one window after. Then one goes out in a window, two in the next, and twice as many in each that follows, until as many as there are permits.
//! A window ends with the current tenth of it.

use baton::facts::config::RoomConfig;

/// The fewest answers to judge by.
const ANSWERS_MIN: u128 = 10;

/// The origin's answers within the window, and the permits given out since it failed.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// Which tenth of a window, and the good and bad answers in it.
    seen: Vec<(u64, u32, u32)>,
    stopped_until_ms: Option<u64>,
    given_at_ms: Vec<u64>,
}

impl Health {
    /// Counts the origin's answers, good and bad.
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

    /// Until when nobody may be called, ms of the room's time; `None` if the origin never failed.
    pub const fn stopped_until_ms(&self) -> Option<u64> {
        self.stopped_until_ms
    }

    /// Returns where the slow start stands: when its current window began, and how many permits that window has. Returns `None` if
    /// it is over or never began.
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

    /// Returns true if one more permit may go out.
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

    /// Counts a permit that went out.
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
