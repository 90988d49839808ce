//! How old what an isolate knows of a room's mode may be. Where a mode lets everybody pass, nobody is asked on the way in; so such a mode must not
//! outlive an operator's change for long, however few requests come. Decides when somebody asks. The clock is an argument.

/// The age at which one request asks beside its answer, ms: where no visitor asks anything, nothing else would show that the operator changed the mode.
const ASKED_AFTER_MS: u64 = 1_000;
/// The age from which nobody passes by a mode: a request asks first.
const UNKNOWN_AFTER_MS: u64 = 2_000;
/// How long a request that asks first waits for the answer, ms. Then it goes by what was last heard: a room that lets everybody pass must keep nobody
/// out when it fails. A new object in another part of the world answers within half of it.
pub const MODE_PATIENCE_MS: u64 = 2_000;
/// How long nobody waits again after so long without an answer, ms.
const WAITS_AGAIN_AFTER_MS: u64 = 30_000;

/// When an isolate heard of a room's mode, and asked for it. Times are Unix ms; a clock that is set back or on makes what was heard old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeardMode {
    /// When the question was asked whose answer was heard last.
    heard_ms: Option<u64>,
    /// When a request last set out to ask beside its answer, or failed to hear.
    asked_ms: Option<u64>,
    /// Since when requests have asked first and nobody has heard.
    unheard_since_ms: Option<u64>,
}

impl HeardMode {
    /// Notes an answer to a question that was asked at `asked_ms`.
    pub fn heard(&mut self, asked_ms: u64) {
        self.heard_ms = self.heard_ms.max(Some(asked_ms));
        self.unheard_since_ms = None;
    }

    /// Notes at `now_ms` that a question failed.
    pub const fn failed(&mut self, now_ms: u64) {
        self.asked_ms = Some(now_ms);
    }

    /// Whether what was heard is young enough to pass by.
    #[must_use]
    pub fn is_known(&self, now_ms: u64) -> bool {
        self.heard_ms.is_some_and(|at_ms| now_ms.abs_diff(at_ms) < UNKNOWN_AFTER_MS)
    }

    /// Whether a request that may pass by the mode must ask first, and wait for [`MODE_PATIENCE_MS`] at most. While the room gives no answer, a few do.
    pub fn asks_first(&mut self, now_ms: u64) -> bool {
        if self.is_known(now_ms) {
            return false;
        }
        let since_ms = self.unheard_since_ms.filter(|at_ms| now_ms.abs_diff(*at_ms) < WAITS_AGAIN_AFTER_MS);
        let since_ms = *self.unheard_since_ms.insert(since_ms.unwrap_or(now_ms));
        now_ms.abs_diff(since_ms) < MODE_PATIENCE_MS
    }

    /// Whether a request should ask beside its answer. Tells only one to, each time.
    pub fn asks_beside(&mut self, now_ms: u64) -> bool {
        let is_young = |at_ms: Option<u64>| at_ms.is_some_and(|at_ms| now_ms.abs_diff(at_ms) < ASKED_AFTER_MS);
        let asks = !is_young(self.heard_ms) && !is_young(self.asked_ms);
        if asks {
            self.asked_ms = Some(now_ms);
        }
        asks
    }
}
