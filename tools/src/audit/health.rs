//! Decides how many permits may go out while the origin fails. None go out while more of its answers within the window are errors than may be, as the
//! mean over leases, nor for one window after. Then one goes out in a window, two in the next, and twice as many in each that follows, until as many as there are permits.
//! A window ends with the current tenth of it.

use baton::facts::config::RoomConfig;
use baton::facts::origin::OriginAnswers;
use baton::facts::units::Fence;
use std::collections::{BTreeMap, BTreeSet};

/// The fewest answers to judge by.
const ANSWERS_MIN: u128 = 10;

/// The fewest leases that meet with too many errors, or all permits if there are fewer.
const LEASES_MIN: usize = 3;
/// The most leases that count in a tenth of a window: those that come first.
const LEASES_MAX: usize = 100;

/// The origin's answers within the window, and the permits given out since it failed.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// By the tenth of a window: each lease with its good and bad answers in it.
    seen: BTreeMap<u64, BTreeMap<Fence, (u128, u128)>>,
    stopped_until_ms: Option<u64>,
    given_at_ms: Vec<u64>,
}

impl Health {
    /// Counts the origin's answers by lease.
    pub fn seen(&mut self, at_ms: u64, answers: &OriginAnswers, config: &RoomConfig) {
        let window_ms = config.origin_errors_window_ms;
        let tenth = at_ms / (window_ms / 10).max(1);
        self.seen.retain(|then, _| tenth.saturating_sub(*then) < 10);
        let here = self.seen.entry(tenth).or_default();
        for of in answers.iter() {
            if here.contains_key(&of.fence) || here.len() < LEASES_MAX {
                let (good, bad) = here.entry(of.fence).or_default();
                *good += u128::from(of.good);
                *bad += u128::from(of.bad);
            }
        }
        if self.is_failing(config) {
            self.stopped_until_ms = Some(at_ms.saturating_add(window_ms));
            self.given_at_ms.clear();
        }
    }

    /// Returns true if, as the mean over leases, more answers in the window are errors than may be, and several leases met with more.
    fn is_failing(&self, config: &RoomConfig) -> bool {
        let fences: BTreeSet<&Fence> = self.seen.values().flat_map(BTreeMap::keys).collect();
        let of = |fence: &Fence| {
            let here = self.seen.values().filter_map(|here| here.get(fence));
            here.fold((0, 0), |(g, b), (good, bad)| (g + good, b + bad))
        };
        let counts: Vec<(u128, u128)> = fences.iter().map(|fence| of(fence)).collect();
        // In thousandths.
        let shares = counts.iter().map(|(g, b)| b * 1_000 / (g + b).max(1));
        let shares: Vec<u128> = shares.collect();
        let most = u128::from(config.origin_errors_max_percent) * 10;
        let failing = shares.iter().filter(|share| **share > most).count();
        counts.iter().map(|(g, b)| g + b).sum::<u128>() >= ANSWERS_MIN
            && failing >= LEASES_MIN.min(config.permits as usize)
            && shares.iter().sum::<u128>() > most * shares.len() as u128
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
        if self.stopped_until_ms.is_some_and(|until_ms| at_ms < until_ms) {
            return false;
        }
        self.window(at_ms, config).is_none_or(|(begun_ms, most)| {
            let given = self.given_at_ms.iter().filter(|at| **at >= begun_ms);
            (given.count() as u64) < most
        })
    }

    /// Counts a permit that went out.
    pub fn spend(&mut self, at_ms: u64, config: &RoomConfig) {
        let stopped = self.stopped_until_ms.is_some_and(|until_ms| at_ms < until_ms);
        if let Some((begun_ms, _)) = self.window(at_ms, config).filter(|_| !stopped) {
            self.given_at_ms.retain(|at| *at >= begun_ms);
            self.given_at_ms.push(at_ms);
        }
    }
}
