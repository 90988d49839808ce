//! How often people are called, as the room tells it.

use serde::{Deserialize, Serialize};

/// Microseconds from one call to the next, as a range. `(0, 0)` if not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTime {
    /// The short end of the range.
    pub low_us: u64,
    /// The long end of the range.
    pub high_us: u64,
}

impl CallTime {
    /// Returns how long somebody with `ahead` people in front waits, as least and most whole seconds, both rounded up. Returns `None`
    /// if nothing was measured.
    #[must_use]
    pub const fn eta_s(&self, ahead: u64) -> Option<(u64, u64)> {
        if self.high_us == 0 {
            return None;
        }
        let calls = ahead.saturating_add(1);
        let least = calls.saturating_mul(self.low_us).div_ceil(1_000_000);
        let most = calls.saturating_mul(self.high_us).div_ceil(1_000_000);
        Some((least, most))
    }
}
