//! How long free permits have been dead: free while somebody present waited and the mode allowed calls.
//!
//! The wanted clock runs only while that is so. A free permit has a mark, the reading of that clock at which its dead time began, so its dead
//! time is one subtraction, however often the line was empty meanwhile. Permits are alike, so marks are kept as runs, and the permit that came
//! back first goes out first.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The most runs kept: at 16 bytes each 64 KB. Beyond that the two newest become one.
const RUNS_MAX: usize = 4_096;

/// The marks of the free permits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// The wanted clock, in milliseconds.
    wanted_ms: i64,
    /// Each run's mark and how many permits have it, the first to go out in front.
    runs: VecDeque<(i64, u32)>,
    free: u32,
}

impl Idle {
    /// Adds time in which free permits were wanted. O(1).
    pub const fn wanted(&mut self, ms: u64) {
        self.wanted_ms = self.wanted_ms.saturating_add_unsigned(ms);
    }

    /// Adds a permit that becomes free and has been dead for `dead_ms` already. O(1).
    pub fn give(&mut self, dead_ms: u64) {
        self.give_many(dead_ms, 1);
    }

    fn give_many(&mut self, dead_ms: u64, count: u32) {
        let mark = self.wanted_ms.saturating_sub_unsigned(dead_ms);
        self.free = self.free.saturating_add(count);
        let full = self.runs.len() >= RUNS_MAX;
        match self.runs.back_mut() {
            Some((last, held)) if *last == mark || full => *held = held.saturating_add(count),
            _ => self.runs.push_back((mark, count)),
        }
    }

    /// Takes the permit that goes out, and returns for how long it was dead, in milliseconds. O(1).
    pub fn take(&mut self) -> u64 {
        let Some((mark, held)) = self.runs.front_mut() else {
            return 0;
        };
        let dead_ms = self.wanted_ms.saturating_sub(*mark);
        *held = held.saturating_sub(1);
        if *held == 0 {
            self.runs.pop_front();
        }
        self.free = self.free.saturating_sub(1);
        u64::try_from(dead_ms).unwrap_or(0)
    }

    /// Sets the number of free permits, whatever changed it: adds new ones, or removes those that have been free longest. O(1) if
    /// nothing changed, else O(runs).
    pub fn note_free(&mut self, free: u32) {
        if free > self.free {
            self.give_many(0, free - self.free);
        }
        while self.free > free {
            let Some((_, held)) = self.runs.front_mut() else {
                break;
            };
            let gone = (*held).min(self.free - free);
            *held -= gone;
            self.free -= gone;
            if *held == 0 {
                self.runs.pop_front();
            }
        }
    }

    /// Returns how long the free permits have been dead so far, together, in milliseconds. O(runs); for tests.
    #[must_use]
    pub fn dead_ms(&self) -> u64 {
        let of_run = |(mark, held): &(i64, u32)| self.wanted_ms.abs_diff(*mark) * u64::from(*held);
        self.runs.iter().map(of_run).sum()
    }

    /// The number of free permits.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free
    }
}
