//! How old a front's copy of the house may be. A change holds everywhere within [`BOUND_MS`]: a copy is used without a question
//! while it is fresh, with one beside the answer when it is not, and never when it is stale and the house answers.

/// Up to this age a copy is used and nobody is asked, ms.
pub const FRESH_MS: u64 = 2_000;
/// From this age on a request waits for a newer one, ms.
pub const STALE_MS: u64 = 4_000;
/// How long it waits, ms.
pub const WAIT_MS: u64 = 1_000;
/// How long a data centre keeps the answer of the house for all its isolates, s.
pub const CACHED_S: u64 = 1;
/// A change of the house holds everywhere after so long, while the house answers: a copy is as old as the question that brought it,
/// the data centre's too, and none is used that is older than [`STALE_MS`] but by a request that has waited for a newer one.
pub const BOUND_MS: u64 = STALE_MS + WAIT_MS;
/// So long the operators of the house may go on while it does not answer, ms: fifteen minutes. Its rooms run without it, so whoever steers a
/// sale must not be shut out by its absence; and whoever was removed just before must not stay in for as long as it lasts.
pub const OPERATORS_MS: u64 = 900_000;
/// A question beside an answer that has not ended by then was cut off with its request; and so long nobody asks a house again that
/// did not answer, ms.
const ASKED_MS: u64 = 2_000;

/// What a front does before it uses its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// It asks beside the answer.
    Beside,
    /// It waits for a newer one, [`WAIT_MS`] at most, and goes on with the old one if none comes.
    First,
}

/// When a copy came, and when somebody last set out for a newer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Unix ms; none: there is no copy.
    at_ms: Option<u64>,
    /// As of when the copy is right, also while it is known to be old. Unix ms.
    as_of_ms: Option<u64>,
    asked_at_ms: Option<u64>,
    /// When the house last did not answer.
    failed_at_ms: Option<u64>,
}

impl Copied {
    /// What is due now. Of many requests in the same moment one asks beside its answer. O(1).
    #[must_use]
    pub fn due(&self, now_ms: u64) -> Due {
        let lately = |at: Option<u64>| at.is_some_and(|at| now_ms.abs_diff(at) < ASKED_MS);
        let age_ms = self.at_ms.map_or(u64::MAX, |at| now_ms.abs_diff(at));
        if age_ms < FRESH_MS || lately(self.failed_at_ms) {
            Due::Nothing
        } else if age_ms >= STALE_MS {
            Due::First
        } else if lately(self.asked_at_ms) {
            Due::Nothing
        } else {
            Due::Beside
        }
    }

    /// The house did not answer. For a while nobody waits for it again: a house that is away costs one request its patience, and not
    /// every one.
    pub const fn failed(&mut self, now_ms: u64) {
        (self.asked_at_ms, self.failed_at_ms) = (None, Some(now_ms));
    }

    /// Whether the copy may still say who operates. O(1).
    #[must_use]
    pub fn vouches(&self, now_ms: u64) -> bool {
        self.as_of_ms
            .is_some_and(|at| now_ms.abs_diff(at) < OPERATORS_MS)
    }

    /// It is known to be old: the next one that needs it waits for a newer one.
    pub const fn is_old(&mut self) {
        self.at_ms = None;
    }

    /// Somebody sets out to ask.
    pub const fn asked(&mut self, now_ms: u64) {
        self.asked_at_ms = Some(now_ms);
    }

    /// The answer has come. `as_of_ms`: when somebody asked the house for it.
    pub fn came(&mut self, as_of_ms: u64) {
        self.at_ms = self.at_ms.max(Some(as_of_ms));
        self.as_of_ms = self.as_of_ms.max(self.at_ms);
        (self.asked_at_ms, self.failed_at_ms) = (None, None);
    }
}
