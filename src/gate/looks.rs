//! What an isolate knows of something that it looks at only when a request needs it. The isolate believes what it saw for a while; then one
//! request looks again for all. The clock is an argument.

/// What a request must do to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look<T> {
    /// The request uses this.
    Known(T),
    /// The request looks, and then calls [`Looks::learn`] or [`Looks::fail`].
    Ask,
    /// Another request is looking: this one comes back soon.
    Wait,
}

/// What is known, and whether a request is looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looks<T> {
    /// When the last look began, Unix ms, and what it saw.
    known: Option<(u64, T)>,
    /// When the request that is looking began, Unix ms.
    looking_since_ms: Option<u64>,
}

impl<T> Default for Looks<T> {
    fn default() -> Self {
        Self {
            known: None,
            looking_since_ms: None,
        }
    }
}

impl<T: Clone> Looks<T> {
    /// Decides what a request does at `now_ms`. What was seen is believed for `believed_ms`. For just as long no second request looks;
    /// after that, the first may have been cut off. O(1).
    pub fn turn(&mut self, now_ms: u64, believed_ms: u64) -> Look<T> {
        let is_recent = |at_ms: u64| now_ms.abs_diff(at_ms) < believed_ms;
        if let Some((at_ms, seen)) = &self.known
            && is_recent(*at_ms)
        {
            return Look::Known(seen.clone());
        }
        if self.looking_since_ms.is_some_and(is_recent) {
            return Look::Wait;
        }
        self.looking_since_ms = Some(now_ms);
        Look::Ask
    }

    /// Records what a look that began at `at_ms` saw. Keeps what a later look saw.
    pub fn learn(&mut self, at_ms: u64, seen: T) {
        self.end(at_ms);
        if self.known.as_ref().is_none_or(|(known_at, _)| *known_at <= at_ms) {
            self.known = Some((at_ms, seen));
        }
    }

    /// Records that a look that began at `at_ms` saw nothing. The next request looks.
    pub fn fail(&mut self, at_ms: u64) {
        self.end(at_ms);
    }

    /// Ends a look that began at `at_ms`, unless a later one is under way.
    fn end(&mut self, at_ms: u64) {
        self.looking_since_ms = self.looking_since_ms.filter(|since| *since > at_ms);
    }
}
