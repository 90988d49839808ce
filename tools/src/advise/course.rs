//! What came of a sale, whoever played it: what a forecast is held against.

use baton::facts::units::Number;
use baton::room::outlook::Outlook;

/// How often the line is written down.
pub const LOOK_MS: u64 = 30_000;

/// What the room told at a moment while somebody waited.
#[derive(Clone, Debug)]
pub struct Asked {
    /// When, ms since the sale began.
    pub after_ms: u64,
    /// The wall clock then, Unix ms.
    pub wall_ms: u64,
    /// The edition.
    pub edition: u32,
    /// What it told.
    pub outlook: Outlook,
    /// The next number to be issued then, in everybody's lane where there are lanes.
    pub next: Number,
}

/// A sale from beginning to end. Instants in ms since it began.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The moments at which forecasts are made.
    pub asked: Vec<Asked>,
    /// People who were there and waited, each [`LOOK_MS`].
    pub waiting: Vec<u64>,
    /// When nobody waited any more: the first moment of each such time.
    pub empty_ms: Vec<u64>,
    /// Who was called, and when.
    pub calls: Vec<(Number, u64)>,
    /// When the operator, or the hours, changed what the room does: a forecast does not hold beyond.
    pub changed_ms: Vec<u64>,
    /// For how long it was watched; `u64::MAX`: until everybody was gone.
    pub watched_ms: u64,
}

impl Course {
    /// How long after this moment nobody waited any more, ms. O(log n).
    #[must_use]
    pub fn line_ends_ms(&self, asked: &Asked) -> Option<u64> {
        let at = self.empty_ms.partition_point(|at| *at < asked.after_ms);
        let ended = self.empty_ms.get(at)?;
        self.holds(asked, *ended)
    }

    /// How long after this moment somebody who came then was called, or could walk in, ms. O(calls).
    #[must_use]
    pub fn newcomer_ms(&self, asked: &Asked) -> Option<u64> {
        let is_newcomers = |(number, at): &&(Number, u64)| {
            number.lane() == asked.next.lane() && *number >= asked.next && *at >= asked.after_ms
        };
        let called = self.calls.iter().find(is_newcomers).map(|(_, at)| *at);
        let at = self.empty_ms.partition_point(|at| *at < asked.after_ms);
        let empty = self.empty_ms.get(at).copied();
        self.holds(asked, called.into_iter().chain(empty).min()?)
    }

    /// How many waited so long after this moment; `None`: the line had ended, or something was changed.
    #[must_use]
    pub fn waiting_ms(&self, asked: &Asked, later_ms: u64) -> Option<u64> {
        let at = asked.after_ms + later_ms;
        self.holds(asked, at)?;
        if self
            .line_ends_ms(asked)
            .is_some_and(|ended| ended <= later_ms)
        {
            return None;
        }
        let look = usize::try_from(at / LOOK_MS).ok()?;
        self.waiting.get(look).copied()
    }

    /// Whether it was watched for so long after this moment, and nothing was changed in that time.
    #[must_use]
    pub fn is_watched(&self, asked: &Asked, for_ms: u64) -> bool {
        let at = asked.after_ms.saturating_add(for_ms);
        at <= self.watched_ms && self.holds(asked, at).is_some()
    }

    /// The time from the moment to `at`, if nothing was changed in between.
    fn holds(&self, asked: &Asked, at: u64) -> Option<u64> {
        let changed = self.changed_ms.iter();
        let mut between = changed.filter(|changed| (asked.after_ms..at).contains(changed));
        between.next().is_none().then(|| at - asked.after_ms)
    }
}
