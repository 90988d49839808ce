//! What an isolate knows of something that it looks at when a request needs it: believed for a while, then looked at again, by one
//! request for all. The clock is an argument.

/// What a request does that needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look<T> {
    /// It goes by this.
    Known(T),
    /// It looks, and says what it saw by [`Looks::learn`] or [`Looks::fail`].
    Ask,
    /// Another request is looking: it comes again soon.
    Wait,
}

/// What is known, and who is looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looks<T> {
    /// When it was looked, Unix ms, and what was seen.
    known: Option<(u64, T)>,
    /// Since when somebody looks, Unix ms.
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

impl<T: Copy> Looks<T> {
    /// What a request is to do at `now_ms`. A look is believed for `believed_ms`; for as long nobody looks beside another, who
    /// may have been cut off. O(1).
    pub fn turn(&mut self, now_ms: u64, believed_ms: u64) -> Look<T> {
        let is_recent = |at_ms: u64| now_ms.abs_diff(at_ms) < believed_ms;
        if let Some((_, seen)) = self.known.filter(|(at_ms, _)| is_recent(*at_ms)) {
            return Look::Known(seen);
        }
        if self.looking_since_ms.is_some_and(is_recent) {
            return Look::Wait;
        }
        self.looking_since_ms = Some(now_ms);
        Look::Ask
    }

    /// Somebody who looked at `at_ms` has seen this. A later look stays.
    pub fn learn(&mut self, at_ms: u64, seen: T) {
        self.end(at_ms);
        if self.known.is_none_or(|(known_at, _)| known_at <= at_ms) {
            self.known = Some((at_ms, seen));
        }
    }

    /// A look since `at_ms` saw nothing: the next request looks.
    pub fn fail(&mut self, at_ms: u64) {
        self.end(at_ms);
    }

    /// Unless another looks meanwhile.
    fn end(&mut self, at_ms: u64) {
        self.looking_since_ms = self.looking_since_ms.filter(|since| *since > at_ms);
    }
}
