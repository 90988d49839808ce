//! Guesses at an operator's token: who has failed too often is not heard for a while. Pure; the front keeps one in each
//! isolate, so an attacker gets [`GUESSES_MAX`] a minute from each address and isolate, against tokens of 32 bytes and more.

use std::collections::BTreeMap;

use super::Address;

/// So many failures of one address, each within [`SLOWED_MS`] of the one before, and it is slowed.
pub const GUESSES_MAX: u32 = 10;
/// How long nothing of it is looked at then, in ms.
pub const SLOWED_MS: u64 = 60_000;
/// Addresses that are counted at once, 40 bytes each: 160 KB of an isolate's 128 MB. Beyond them nobody new is counted until
/// some have been quiet for [`SLOWED_MS`].
const ADDRESSES_MAX: usize = 4_096;

const SWEEP_EVERY_MS: u64 = 1_000;

/// What an address has tried.
#[derive(Debug, Clone, Copy)]
struct Tally {
    failed: u32,
    last_at_ms: u64,
}

/// Failures by address. Where no address is known all who come count as one.
#[derive(Debug, Clone, Default)]
pub struct Guesses {
    tallies: BTreeMap<Option<Address>, Tally>,
    /// When a full table is next looked through for what can be forgotten: a flood must not cost a look each.
    swept_at_ms: u64,
}

impl Guesses {
    /// None failed yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            tallies: BTreeMap::new(),
            swept_at_ms: 0,
        }
    }

    /// For how many seconds more the address is not heard; none: it is. O(log addresses).
    #[must_use]
    pub fn slowed_s(&self, now_ms: u64, from: Option<Address>) -> Option<u64> {
        let tally = self
            .tallies
            .get(&from)
            .filter(|tally| tally.failed >= GUESSES_MAX)?;
        let left_ms = (tally.last_at_ms + SLOWED_MS).saturating_sub(now_ms);
        (left_ms > 0).then(|| left_ms.div_ceil(1_000))
    }

    /// A token was shown that is nobody's. O(log addresses), once a second O(addresses).
    pub fn fail(&mut self, now_ms: u64, from: Option<Address>) {
        let is_full = self.tallies.len() >= ADDRESSES_MAX;
        if is_full && now_ms >= self.swept_at_ms + SWEEP_EVERY_MS {
            self.swept_at_ms = now_ms;
            self.tallies
                .retain(|_, tally| now_ms < tally.last_at_ms + SLOWED_MS);
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
