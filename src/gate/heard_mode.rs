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

/// When an isolate heard of a room's mode, and asked for it. Times are Unix ms; what lies in the future was before the clock was set back, and is old.
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
    /// Notes at `now_ms` an answer to a question of `asked_ms`. Returns true if it is news: the isolate has heard nothing younger.
    pub fn heard(&mut self, asked_ms: u64, now_ms: u64) -> bool {
        self.unheard_since_ms = None;
        let is_news = self.heard_ms.is_none_or(|at_ms| at_ms <= asked_ms || now_ms < at_ms);
        if is_news {
            self.heard_ms = Some(asked_ms);
        }
        is_news
    }

    /// Notes at `now_ms` that a question failed.
    pub const fn failed(&mut self, now_ms: u64) {
        self.asked_ms = Some(now_ms);
    }

    /// Returns true if a request may pass by the mode: the isolate heard it less than two seconds ago.
    #[must_use]
    pub fn is_known(&self, now_ms: u64) -> bool {
        is_within(UNKNOWN_AFTER_MS, self.heard_ms, now_ms)
    }

    /// Returns true if a request that the mode lets pass must ask first. It waits for [`MODE_PATIENCE_MS`] at most. While the room gives no answer, requests
    /// wait in the first two seconds of every thirty.
    pub fn asks_first(&mut self, now_ms: u64) -> bool {
        if self.is_known(now_ms) {
            return false;
        }
        if !is_within(WAITS_AGAIN_AFTER_MS, self.unheard_since_ms, now_ms) {
            self.unheard_since_ms = Some(now_ms);
        }
        is_within(MODE_PATIENCE_MS, self.unheard_since_ms, now_ms)
    }

    /// Returns true if a request should ask beside its answer: it tells one request a second to.
    pub fn asks_beside(&mut self, now_ms: u64) -> bool {
        let asks = [self.heard_ms, self.asked_ms]
            .into_iter()
            .all(|at_ms| !is_within(ASKED_AFTER_MS, at_ms, now_ms));
        if asks {
            self.asked_ms = Some(now_ms);
        }
        asks
    }
}

/// Returns true if `at_ms` is less than so many ms ago, and not in the future.
fn is_within(ms: u64, at_ms: Option<u64>, now_ms: u64) -> bool {
    at_ms.and_then(|at_ms| now_ms.checked_sub(at_ms)).is_some_and(|age_ms| age_ms < ms)
}
