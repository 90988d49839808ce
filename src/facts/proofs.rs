//! How the shop's own check judged the proofs of requests that Baton forwarded, counted by verdict.

use serde::{Deserialize, Serialize};

/// The number of requests by verdict. A check that only reports lets through the requests that it counts here as refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofChecks {
    /// The proof is good.
    pub ok: u64,
    /// There is no proof.
    pub missing: u64,
    /// The proof does not have the form of a proof.
    pub malformed: u64,
    /// The proof names no host that the shop knows as its own.
    pub host: u64,
    /// The proof was not made for this request, or not with this secret.
    pub mac: u64,
    /// The shop's clock is too far from Baton's.
    pub time: u64,
    /// The signed path or query is not the one that the application sees.
    pub target: u64,
    /// The proof was used before.
    pub replay: u64,
    /// The proof is for a room that this path is not meant for.
    pub room: u64,
}

impl ProofChecks {
    /// Every verdict: `ok`, and the closed list of reasons to refuse.
    pub const VERDICTS: [&str; 9] = ["ok", "missing", "malformed", "host", "mac", "time", "target", "replay", "room"];

    /// Counts one request with this verdict. Returns `None` if there is no such verdict.
    #[must_use]
    pub fn one(verdict: &str) -> Option<Self> {
        let at = Self::VERDICTS.iter().position(|known| *known == verdict)?;
        let mut counts = [0; Self::VERDICTS.len()];
        *counts.get_mut(at)? = 1;
        Some(Self::of_counts(counts))
    }

    /// Builds the counts from an array in the order of [`Self::VERDICTS`].
    #[must_use]
    pub const fn of_counts(counts: [u64; Self::VERDICTS.len()]) -> Self {
        let [ok, missing, malformed, host, mac, time, target, replay, room] = counts;
        Self {
            ok,
            missing,
            malformed,
            host,
            mac,
            time,
            target,
            replay,
            room,
        }
    }

    /// The counts in the order of [`Self::VERDICTS`].
    #[must_use]
    pub const fn counts(&self) -> [u64; Self::VERDICTS.len()] {
        [
            self.ok,
            self.missing,
            self.malformed,
            self.host,
            self.mac,
            self.time,
            self.target,
            self.replay,
            self.room,
        ]
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(&self, more: &Self) -> Self {
        let mut counts = self.counts();
        for (count, more) in counts.iter_mut().zip(more.counts()) {
            *count = count.saturating_add(more);
        }
        Self::of_counts(counts)
    }

    /// Returns whether nothing was counted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.counts() == [0; Self::VERDICTS.len()]
    }

    /// Returns whether the check refused any proof.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.counts().iter().skip(1).any(|count| *count > 0)
    }
}
