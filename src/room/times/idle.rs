//! How long free permits have been dead: free while somebody present waited and the mode let call.
//!
//! The wanted clock runs only while that is so. A free permit carries its mark on that clock, so what it has been dead for
//! is one subtraction, however often the line was empty meanwhile. Permits are alike, so marks are kept as runs, and the
//! one that came back first goes out first.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Runs kept at most: at 16 bytes each 64 KB. Beyond that the two newest become one.
const RUNS_MAX: usize = 4_096;

/// The free permits' marks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// The wanted clock, in milliseconds.
    wanted_ms: i64,
    /// Mark and how many permits have it, the first to go out in front.
    runs: VecDeque<(i64, u32)>,
    free: u32,
}

impl Idle {
    /// So much time has passed in which free permits were wanted. O(1).
    pub const fn wanted(&mut self, ms: u64) {
        self.wanted_ms = self.wanted_ms.saturating_add_unsigned(ms);
    }

    /// A permit becomes free, dead for so long already. O(1).
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

    /// A free permit goes out: for how long it was dead, in milliseconds. O(1).
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

    /// There are so many free permits now, whatever made or took the others: new ones begin, and those that have
    /// been free longest vanish. O(1) when nothing changed, else O(runs).
    pub fn settle(&mut self, free: u32) {
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

    /// How long the free permits have been dead so far, together, in milliseconds. O(runs); for tests.
    #[must_use]
    pub fn dead_ms(&self) -> u64 {
        let of_run = |(mark, held): &(i64, u32)| self.wanted_ms.abs_diff(*mark) * u64::from(*held);
        self.runs.iter().map(of_run).sum()
    }

    /// How many permits are free.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free
    }
}
