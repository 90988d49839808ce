//! What happened in a sale, simulated or replayed. Forecasts are compared with it.

use baton::facts::units::Number;
use baton::room::outlook::Outlook;

/// How often the line's length is recorded.
pub const LOOK_MS: u64 = 30_000;

/// What the room told at a moment at which somebody waited.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The moment, ms since the sale began.
    pub after_ms: u64,
    /// The wall clock at that moment, Unix ms.
    pub wall_ms: u64,
    /// The edition.
    pub edition: u32,
    /// The outlook that the room told.
    pub outlook: Outlook,
    /// The next number to be issued at that moment; in everybody's lane, if the room has lanes.
    pub next: Number,
}

/// A sale from beginning to end. Times are in ms since it began.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The moments at which forecasts are made.
    pub asked: Vec<Asked>,
    /// The number of present people who waited, at every [`LOOK_MS`].
    pub waiting: Vec<u64>,
    /// When the line became empty: the beginning of each stretch of time in which nobody waited.
    pub empty_ms: Vec<u64>,
    /// Who was called, and when.
    pub calls: Vec<(Number, u64)>,
    /// When the operator or the hours changed what the room does. A forecast made before does not hold after it.
    pub changed_ms: Vec<u64>,
    /// How long the sale was watched; `u64::MAX` if it was watched until everybody was gone.
    pub watched_ms: u64,
}

impl Course {
    /// Returns how long after this moment the line was empty, ms. Returns `None` if it was not, or if something was changed before. O(log n).
    #[must_use]
    pub fn line_ends_ms(&self, asked: &Asked) -> Option<u64> {
        let at = self.empty_ms.partition_point(|at| *at < asked.after_ms);
        let ended = self.empty_ms.get(at)?;
        self.holds(asked, *ended)
    }

    /// Returns how long after this moment a person who came then was called or could walk in, ms. Returns `None` if nobody was, or if something was
    /// changed before. O(calls).
    #[must_use]
    pub fn newcomer_ms(&self, asked: &Asked) -> Option<u64> {
        let is_newcomers = |(number, at): &&(Number, u64)| number.lane() == asked.next.lane() && *number >= asked.next && *at >= asked.after_ms;
        let called = self.calls.iter().find(is_newcomers).map(|(_, at)| *at);
        let at = self.empty_ms.partition_point(|at| *at < asked.after_ms);
        let empty = self.empty_ms.get(at).copied();
        self.holds(asked, called.into_iter().chain(empty).min()?)
    }

    /// Returns how many people waited `later_ms` after this moment. Returns `None` if the line had ended by then or something was changed.
    #[must_use]
    pub fn waiting_ms(&self, asked: &Asked, later_ms: u64) -> Option<u64> {
        let at = asked.after_ms + later_ms;
        self.holds(asked, at)?;
        if self.line_ends_ms(asked).is_some_and(|ended| ended <= later_ms) {
            return None;
        }
        let look = usize::try_from(at / LOOK_MS).ok()?;
        self.waiting.get(look).copied()
    }

    /// Returns true if the sale was watched for `for_ms` after this moment, and nothing was changed in that time.
    #[must_use]
    pub fn is_watched(&self, asked: &Asked, for_ms: u64) -> bool {
        let at = asked.after_ms.saturating_add(for_ms);
        at <= self.watched_ms && self.holds(asked, at).is_some()
    }

    /// Returns the time from the moment to `at`, or `None` if something was changed in between.
    fn holds(&self, asked: &Asked, at: u64) -> Option<u64> {
        let changed = self.changed_ms.iter();
        let mut between = changed.filter(|changed| (asked.after_ms..at).contains(changed));
        between.next().is_none().then(|| at - asked.after_ms)
    }
}
