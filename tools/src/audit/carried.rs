//! Measures what a room's origin carried, window by window: how many people were inside, and how long the origin took. It uses the export alone,
//! which it audits on the way.

use super::ledger::Ledger;
use super::{Audit, Moment, Stop, Watch};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::event::Event;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The windows of an export so far.
#[derive(Debug)]
pub struct Carried {
    audit: Audit,
    watcher: Watcher,
}

#[derive(Debug)]
struct Watcher {
    span_ms: u64,
    /// The wall clock at the last fact. Operators do not know the room's own clock.
    until_ms: Option<u64>,
    inside: u64,
    /// The windows, by the time at which they begin.
    windows: BTreeMap<u64, Window>,
}

/// One window of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Window {
    /// How much of it the journal covers, ms.
    covered_ms: u64,
    /// People inside times milliseconds.
    inside_ms: u64,
    times: AnswerTimes,
}

impl Carried {
    /// Begins before the first line. `span_ms` is the length of a window, at least 1.
    #[must_use]
    pub fn new(span_ms: u64) -> Self {
        Self {
            audit: Audit::of_room(),
            watcher: Watcher {
                span_ms: span_ms.max(1),
                until_ms: None,
                inside: 0,
                windows: BTreeMap::new(),
            },
        }
    }

    /// Takes the next line. Costs what [`Audit::line`] costs, plus O(windows that have passed).
    ///
    /// # Errors
    /// Returns the first thing that is wrong with the export. The caller must not pass another line after that.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.audit.watched_line(text, &mut self.watcher)?;
        // What the last fact of the row did counts from now on.
        self.watcher.inside = self.audit.ledger.leased();
        Ok(())
    }

    /// Ends the export. Returns one object for each window in which somebody was inside or answers were timed, in order.
    ///
    /// # Errors
    /// Returns [`Stop`] if the export holds no row.
    pub fn finish(self) -> Result<Vec<Value>, Stop> {
        self.audit.finish()?;
        let is_worth = |window: &Window| window.inside_ms > 0 || !window.times.is_none();
        let windows = self.watcher.windows.into_iter();
        let worth = windows.filter(|(_, window)| is_worth(window) && window.covered_ms > 0);
        Ok(worth.map(|(at, window)| told(at, &window)).collect())
    }
}

fn told(from_ms: u64, window: &Window) -> Value {
    let octaves: Vec<u64> = window.times.octaves().map(|(_, count)| count).collect();
    json!({
        "from_ms": from_ms,
        "span_ms": window.covered_ms,
        "inside": window.inside_ms as f64 / window.covered_ms as f64,
        "bad": window.times.failed,
        "octaves": octaves,
        "answers": window.times.count(),
        "sum_ms": window.times.sum_ms,
    })
}

impl Watcher {
    /// Returns when the window begins that ends at this moment or goes on: what is told at a moment happened before it.
    fn begins_ms(&self, wall_ms: u64) -> u64 {
        let before_ms = wall_ms.saturating_sub(1);
        before_ms - before_ms % self.span_ms
    }

    /// Lets time pass to `wall_ms` while as many people are inside as before. A clock that was set back lets no time pass.
    fn pass(&mut self, wall_ms: u64) {
        let from_ms = self.until_ms.unwrap_or(wall_ms);
        let last_ms = self.begins_ms(wall_ms);
        let mut at_ms = from_ms;
        while at_ms < wall_ms {
            let begins_ms = at_ms - at_ms % self.span_ms;
            let until_ms = wall_ms.min(begins_ms.saturating_add(self.span_ms));
            // Nobody is inside. Such a stretch may last weeks.
            if self.inside == 0 && at_ms == begins_ms && begins_ms < last_ms {
                at_ms = last_ms;
                continue;
            }
            let ms = until_ms - at_ms;
            let window = self.windows.entry(begins_ms).or_default();
            window.covered_ms += ms;
            window.inside_ms = window.inside_ms.saturating_add(ms.saturating_mul(self.inside));
            at_ms = until_ms;
        }
        self.until_ms = Some(wall_ms.max(from_ms));
    }
}

impl Watch for Watcher {
    fn before(&mut self, ledger: &Ledger, moment: Moment, event: &Event) {
        self.pass(moment.wall_ms);
        self.inside = ledger.leased();
        if let Event::Overheard(heard) = event {
            let begins_ms = self.begins_ms(self.until_ms.unwrap_or(moment.wall_ms));
            let window = self.windows.entry(begins_ms).or_default();
            window.times = window.times.plus(&heard.times);
        }
    }
}
