//! How long after a failure a message is tried again: twice as long each time, and never quite at the same moment as other messages.

use sha2::{Digest, Sha256};

/// Maximum pause after the first failure, ms.
pub const SHORTEST_MS: u64 = 5_000;
/// Maximum pause between two tries, ms: some 33 tries in a day.
pub const LONGEST_MS: u64 = 3_600_000;

/// Returns the pause after this many failures, 1 or more: between half of the bound and the bound, drawn from the seed. O(1).
#[must_use]
pub(super) fn pause_ms(seed: u64, seq: u64, failures: u32) -> u64 {
    let doubled = SHORTEST_MS.checked_shl(failures.saturating_sub(1).min(20));
    let bound = doubled.unwrap_or(LONGEST_MS).min(LONGEST_MS);
    let mut hash = Sha256::new();
    for part in [seed, seq, u64::from(failures)] {
        hash.update(part.to_be_bytes());
    }
    let [a, b, c, d, ..]: [u8; 32] = hash.finalize().into();
    let drawn = u64::from(u32::from_be_bytes([a, b, c, d]));
    let half = bound / 2;
    half + drawn * (bound - half) / u64::from(u32::MAX)
}
