//! When the numbers that still wait were issued, near enough, without a word of memory per ticket.
//!
//! Numbers are issued in order, so their instants never fall: a table of (first number, instant) is enough. Numbers issued within one grain share
//! an entry. When the table is full the grain doubles, and entries closer than that become one; the grain halves again as the line empties. So a
//! wait is never told too short, and too long by less than two grains. That is half a second until the line holds people from more than a quarter
//! of an hour of steady joining.

use facts::units::{Instant, Number};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The most entries kept: at 16 bytes each 64 KB of the object's 128 MB, whatever the line's length.
const ENTRIES_MAX: usize = 4_096;
/// The finest grain, in milliseconds.
const GRAIN_MS: u64 = 250;

/// The table of first numbers and their instants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joins {
    entries: VecDeque<(Number, Instant)>,
    grain_ms: u64,
}

impl Default for Joins {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            grain_ms: GRAIN_MS,
        }
    }
}

impl Joins {
    /// Records that numbers from `first` on were issued at `at`. Nobody below `living` waits any more. O(1) amortised.
    pub fn joined(&mut self, first: Number, at: Instant, living: Number) {
        self.forget_below(living);
        let last = self.entries.back();
        if last.is_some_and(|(_, last)| at.since_ms(*last) < self.grain_ms) {
            return;
        }
        if self.entries.len() >= ENTRIES_MAX {
            self.thin();
        }
        self.entries.push_back((first, at));
    }

    /// Forgets the entries before the one that `living` is in.
    fn forget_below(&mut self, living: Number) {
        while self.entries.get(1).is_some_and(|(second, _)| *second <= living) {
            self.entries.pop_front();
        }
        if self.entries.len() <= ENTRIES_MAX / 4 {
            self.grain_ms = (self.grain_ms / 2).max(GRAIN_MS);
        }
    }

    /// Frees at least a quarter of the entries. A lull stays a gap: a number issued after it is never taken for one from before it.
    fn thin(&mut self) {
        while self.entries.len() > ENTRIES_MAX / 4 * 3 {
            self.grain_ms = self.grain_ms.saturating_mul(2);
            let grain_ms = self.grain_ms;
            let mut kept: Option<Instant> = None;
            self.entries.retain(|(_, at)| {
                let stays = kept.is_none_or(|kept| at.since_ms(kept) >= grain_ms);
                if stays {
                    kept = Some(*at);
                }
                stays
            });
        }
    }

    /// Returns when a waiting number was issued, or an instant less than two grains earlier; `None` if no entry covers it. O(log entries).
    #[must_use]
    pub fn issued_at(&self, number: Number) -> Option<Instant> {
        let after = self.entries.partition_point(|(first, _)| *first <= number);
        let (_, at) = self.entries.get(after.checked_sub(1)?)?;
        Some(*at)
    }
}
