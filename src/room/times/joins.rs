//! When the numbers that still wait were issued, near enough, without a word per ticket.
//!
//! Numbers are issued in order, so their instants never fall: a table of (first number, instant) says it for all. Numbers of
//! one grain share an entry. When the table is full the grain doubles and what is nearer than that becomes one; it halves
//! again as the line empties. So a wait is never told too short, and too long by less than two grains: half a second, until the
//! line holds people from more than a quarter of an hour of steady joining.

use crate::facts::units::{Instant, Number};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Entries kept at most: at 16 bytes each 64 KB of the object's 128 MB, whatever the line's length.
const ENTRIES_MAX: usize = 4_096;
/// The finest grain, in milliseconds.
const GRAIN_MS: u64 = 250;

/// The table.
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
    /// Numbers from `first` on were issued at `at`; nobody below `living` waits any more. O(1) amortised.
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

    /// Leaves the entry in which `living` is, and later ones.
    fn forget_below(&mut self, living: Number) {
        while self
            .entries
            .get(1)
            .is_some_and(|(second, _)| *second <= living)
        {
            self.entries.pop_front();
        }
        if self.entries.len() <= ENTRIES_MAX / 4 {
            self.grain_ms = (self.grain_ms / 2).max(GRAIN_MS);
        }
    }

    /// Makes room for at least a quarter. A lull stays a gap: who came after it is never told to have come before.
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

    /// When a waiting number was issued, or less than two grains earlier. O(log entries).
    #[must_use]
    pub fn issued_at(&self, number: Number) -> Option<Instant> {
        let after = self.entries.partition_point(|(first, _)| *first <= number);
        let (_, at) = self.entries.get(after.checked_sub(1)?)?;
        Some(*at)
    }
}
