//! Decides whether a visitor without a lease is let in while the room cannot be reached: never, or so many a second for so long. Each
//! isolate keeps one [`Outage`] for each room. The clock is an argument.

use settings::OpenPolicy;

/// How much may come at once: a second's worth, or one request if that is more.
const BURST_US: u64 = 1_000_000;

/// Which request found the room out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// This one.
    Now,
    /// An earlier one, if any; this one asks nothing.
    Before,
}

/// What an isolate knows of a room's outage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outage {
    /// The first failure of the outage, Unix ms. `None` if the room has not failed yet.
    since_ms: Option<u64>,
    /// The last failure, Unix ms.
    last_ms: u64,
    /// Whether the room has answered since the last failure.
    healed: bool,
    /// Until when the requests that were let in are paid for, Unix µs (the generic cell rate algorithm).
    paid_until_us: u64,
}

impl Outage {
    /// Records that the room could not be reached. A room that comes and goes has one outage: the outage ends when the room has answered
    /// and has then not failed for as long as the policy lets people in.
    pub fn failed(&mut self, now_ms: u64, policy: &OpenPolicy) {
        let quiet_ms = now_ms.saturating_sub(self.last_ms);
        if self.since_ms.is_none() || (self.healed && quiet_ms >= policy.for_ms) {
            self.since_ms = Some(now_ms);
        }
        self.last_ms = now_ms;
        self.healed = false;
    }

    /// Records that the room answered.
    pub const fn heal(&mut self) {
        self.healed = true;
    }

    /// Returns whether the room has failed and has not answered since.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.since_ms.is_some() && !self.healed
    }

    /// Returns whether one request is let in now, and counts it if so.
    pub fn lets_in(&mut self, now_ms: u64, policy: &OpenPolicy) -> bool {
        let in_time = |since_ms: u64| now_ms.checked_sub(since_ms).is_some_and(|age_ms| age_ms < policy.for_ms);
        let cost_us = 1_000_000_000_u64.checked_div(policy.milli_per_s);
        let (Some(cost_us), true) = (cost_us, self.is_on() && self.since_ms.is_some_and(in_time)) else {
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
