//! Whether somebody without a lease is let in while the room cannot be reached: never, or so many a second for so long. One
//! such state a room and isolate; the clock is an argument.

use crate::settings::OpenPolicy;

/// A second's worth may come at once, or one request where that is more.
const BURST_US: u64 = 1_000_000;

/// What an isolate knows of a room that fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outage {
    /// The first failure, Unix ms; none: there was none yet.
    since_ms: Option<u64>,
    /// The last one.
    last_ms: u64,
    /// The room has answered after it.
    healed: bool,
    /// The requests let in so far are paid for until then: the generic cell rate algorithm. Unix µs.
    paid_until_us: u64,
}

impl Outage {
    /// The room could not be reached. A room that comes and goes has one outage: it ends when the room has answered and
    /// has then not failed for as long as the policy lets people in.
    pub fn failed(&mut self, now_ms: u64, policy: &OpenPolicy) {
        let quiet_ms = now_ms.saturating_sub(self.last_ms);
        if self.since_ms.is_none() || (self.healed && quiet_ms >= policy.for_ms) {
            self.since_ms = Some(now_ms);
        }
        self.last_ms = now_ms;
        self.healed = false;
    }

    /// The room answered.
    pub const fn heal(&mut self) {
        self.healed = true;
    }

    /// Whether the room failed last and has not answered since.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.since_ms.is_some() && !self.healed
    }

    /// Whether one request is let in now; counts it if so.
    pub fn lets_in(&mut self, now_ms: u64, policy: &OpenPolicy) -> bool {
        let in_time = |since_ms: u64| {
            now_ms
                .checked_sub(since_ms)
                .is_some_and(|age_ms| age_ms < policy.for_ms)
        };
        let cost_us = 1_000_000_000_u64.checked_div(policy.milli_per_s);
        let (Some(cost_us), true) = (cost_us, self.is_on() && self.since_ms.is_some_and(in_time))
        else {
            return false;
        };
        let now_us = now_ms.saturating_mul(1_000);
        let next_us = self.paid_until_us.max(now_us).saturating_add(cost_us);
        let lets = next_us - now_us <= BURST_US.max(cost_us);
        if lets {
            self.paid_until_us = next_us;
        }
        lets
    }
}
