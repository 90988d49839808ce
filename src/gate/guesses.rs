//! Guesses at an operator's token: an address that fails too often is not heard for a while. This module is pure. The front keeps one [`Guesses`]
//! in each isolate, so an attacker gets [`GUESSES_MAX`] guesses a minute for each address and isolate, against tokens of at least 32 bytes.

use std::collections::BTreeMap;

use super::Address;

/// How many failures, each within [`SLOWED_MS`] of the one before, slow an address down.
pub const GUESSES_MAX: u32 = 10;
/// How long tokens from a slowed address are not looked at, in ms.
pub const SLOWED_MS: u64 = 60_000;
/// The most addresses that are counted at once, 40 bytes each: 160 KB of an isolate's 128 MB. When the table is full, a new address is
/// counted only after others have been quiet for [`SLOWED_MS`].
const ADDRESSES_MAX: usize = 4_096;

const SWEEP_EVERY_MS: u64 = 1_000;

/// The failures of one address.
#[derive(Debug, Clone, Copy)]
struct Tally {
    failed: u32,
    last_at_ms: u64,
}

/// Failures by address. All requests without a known address count as one address.
#[derive(Debug, Clone, Default)]
pub struct Guesses {
    tallies: BTreeMap<Option<Address>, Tally>,
    /// When the full table was last cleared of what can be forgotten, Unix ms. A flood must not cost a sweep for each failure.
    swept_at_ms: u64,
}

impl Guesses {
    /// Makes a table without failures.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            tallies: BTreeMap::new(),
            swept_at_ms: 0,
        }
    }

    /// Returns for how many more seconds this address is not heard. Returns `None` if it is heard. O(log addresses).
    #[must_use]
    pub fn slowed_s(&self, now_ms: u64, from: Option<Address>) -> Option<u64> {
        let tally = self.tallies.get(&from).filter(|tally| tally.failed >= GUESSES_MAX)?;
        let left_ms = (tally.last_at_ms + SLOWED_MS).saturating_sub(now_ms);
        (left_ms > 0).then(|| left_ms.div_ceil(1_000))
    }

    /// Records that somebody at this address showed a token that is nobody's. O(log addresses), and once a second O(addresses).
    pub fn fail(&mut self, now_ms: u64, from: Option<Address>) {
        let is_full = self.tallies.len() >= ADDRESSES_MAX;
        if is_full && now_ms >= self.swept_at_ms + SWEEP_EVERY_MS {
            self.swept_at_ms = now_ms;
            self.tallies.retain(|_, tally| now_ms < tally.last_at_ms + SLOWED_MS);
        }
        if self.tallies.len() >= ADDRESSES_MAX && !self.tallies.contains_key(&from) {
            return;
        }
        let tally = self.tallies.entry(from).or_insert(Tally {
            failed: 0,
            last_at_ms: now_ms,
        });
        if now_ms >= tally.last_at_ms + SLOWED_MS {
            tally.failed = 0;
        }
        tally.failed += 1;
        tally.last_at_ms = now_ms;
    }
}
