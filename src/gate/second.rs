//! Counts what an isolate lets through in each second.

const SECOND_MS: u64 = 1_000;

/// What was let through in this second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Second {
    since_ms: u64,
    count: u32,
}

impl Second {
    /// Returns whether one more may pass, at most `most` in a second, and counts it if so. A clock that was set back begins another second.
    pub fn lets_pass(&mut self, now_ms: u64, most: u32) -> bool {
        self.begins(now_ms);
        let may = self.count < most;
        self.count += u32::from(may);
        may
    }

    /// Returns whether another second begins now, and begins it if so.
    pub(crate) const fn begins(&mut self, now_ms: u64) -> bool {
        let begins = now_ms.abs_diff(self.since_ms) >= SECOND_MS;
        if begins {
            self.since_ms = now_ms;
            self.count = 0;
        }
        begins
    }
}
