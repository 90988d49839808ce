//! What the room measures of itself: how long people wait, take to come, and stay; how long permits were dead; the last hour; and, while it
//! only observes, the crowd.
//!
//! Everything here is folded from the facts, so it outlives restarts, and a replay gives the same. The room must never decide anything by it. It uses
//! whole numbers only, and every collection is bounded.

pub mod answers;
pub mod histogram;
pub mod hour;
pub mod idle;
pub mod joins;
pub mod late;
pub mod observed;

use answers::OriginTimes;
use facts::proofs::ProofChecks;
use facts::units::Instant;
use histogram::Sliding;
use hour::Hour;
use idle::Idle;
use late::Late;
use observed::Observed;
use serde::{Deserialize, Serialize};

/// Everything that is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// The free permits, and for how long each was dead.
    pub idle: Idle,
    /// A sample a minute.
    pub hour: Hour,
    /// The last observation.
    pub observed: Observed,
    /// From the issue of the number to the first call.
    pub wait: Sliding,
    /// From the call to the claim.
    pub claim: Sliding,
    /// From the claim, or the walk-in, to the release.
    pub released: Sliding,
    /// From the claim, or the walk-in, to the end of the lease.
    pub expired: Sliding,
    /// How long a permit was dead between two holders.
    pub handover: Sliding,
    /// How the shop's check judged proofs lately.
    pub proofs: Late<ProofChecks>,
    /// How long the origin took to answer people inside.
    pub answers: OriginTimes,
    /// Permit-milliseconds in which permits were dead.
    pub dead_ms: u64,
    /// Permit-milliseconds in which permits were in use.
    pub used_ms: u64,
}

impl Times {
    /// Records the first call of a ticket that was issued at `issued_at`. O(1).
    pub(super) fn called(&mut self, at: Instant, issued_at: Option<Instant>) {
        if let Some(issued_at) = issued_at {
            self.wait.add_ms(at, at.since_ms(issued_at));
        }
    }

    /// Records a claim. `dead_ms` says how long the permit had been dead when the call was made. O(1).
    pub(super) fn claimed(&mut self, at: Instant, called_at: Instant, dead_ms: u64) {
        let came_after_ms = at.since_ms(called_at);
        self.claim.add_ms(at, came_after_ms);
        let dead_ms = dead_ms.saturating_add(came_after_ms);
        self.handover.add_ms(at, dead_ms);
    }
}
