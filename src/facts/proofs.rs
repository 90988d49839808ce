//! How the shop's own check judged the proofs of requests that Baton forwarded, counted by verdict.

use serde::{Deserialize, Serialize};

/// So many requests a verdict. A check that only reports lets through what it counts here as refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofChecks {
    /// The proof is good.
    pub ok: u64,
    /// There is no proof.
    pub missing: u64,
    /// It is not of the form of a proof.
    pub malformed: u64,
    /// It names no host that the shop knows to be its own.
    pub host: u64,
    /// It was not made for this request, or not with this secret.
    pub mac: u64,
    /// The shop's clock is too far from Baton's.
    pub time: u64,
    /// The signed path or query is not the one that the application sees.
    pub target: u64,
    /// The proof was taken before.
    pub replay: u64,
    /// It is of a room that this path is not meant for.
    pub room: u64,
}

impl ProofChecks {
    /// Every verdict: `ok`, and the closed list of reasons to refuse.
    pub const VERDICTS: [&str; 9] = [
        "ok",
        "missing",
        "malformed",
        "host",
        "mac",
        "time",
        "target",
        "replay",
        "room",
    ];

    /// One request of this verdict. None: there is no such verdict.
    #[must_use]
    pub fn one(verdict: &str) -> Option<Self> {
        let at = Self::VERDICTS.iter().position(|known| *known == verdict)?;
        let mut counts = [0; Self::VERDICTS.len()];
        *counts.get_mut(at)? = 1;
        Some(Self::of_counts(counts))
    }

    /// From counts in the order of [`Self::VERDICTS`].
    #[must_use]
    pub const fn of_counts(counts: [u64; Self::VERDICTS.len()]) -> Self {
        let [
            ok,
            missing,
            malformed,
            host,
            mac,
            time,
            target,
            replay,
            room,
        ] = counts;
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

    /// Both together.
    #[must_use]
    pub fn plus(&self, more: &Self) -> Self {
        let mut counts = self.counts();
        for (count, more) in counts.iter_mut().zip(more.counts()) {
            *count = count.saturating_add(more);
        }
        Self::of_counts(counts)
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.counts() == [0; Self::VERDICTS.len()]
    }

    /// Whether some proof was refused.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.counts().iter().skip(1).any(|count| *count > 0)
    }
}
