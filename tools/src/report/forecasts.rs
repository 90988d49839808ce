//! How good the outlook's forecasts were, as the report tells it. `advise/afterwards.rs` works it out, which the desk's browser does
//! not have: this is the form alone.

use serde::Serialize;

/// Forecasts of one thing are judged from so many on. If each was a trial of its own, an outlook as good as it means to be would
/// have fewer than six of ten in its bands once in thirty sales, but fewer than four of five once in four.
pub const JUDGED_FROM: usize = 10;

/// What the outlook would have said during the sale, and what came.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Forecasts {
    /// One was made so often, ms.
    pub every_ms: u64,
    /// Moments at which somebody waited.
    pub moments: usize,
    /// Of these, those at which nothing was said.
    pub silent: usize,
    /// [`JUDGED_FROM`].
    pub judged_from: usize,
    /// How good they were, a row for each thing that is forecast.
    pub scores: Vec<Scored>,
    /// Each that can be held against what came.
    pub said: Vec<Said>,
}

/// How good the forecasts of one thing were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// Of what: its name says the unit.
    pub of: &'static str,
    /// How many.
    pub count: usize,
    /// So many came to lie in the band of four in five.
    pub within: usize,
    /// So many came to lie below it.
    pub below: usize,
    /// Whether these are enough to judge by.
    pub is_judged: bool,
    /// Half of the bands were no wider, in percent of what came.
    pub width_percent: Option<f64>,
    /// Half of the middles were no further off, in percent of what came.
    pub miss_percent: Option<f64>,
}

/// A forecast, and what came. In ms from then, or people; `None`: later than the outlook looked, or than the journal goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// When: wall clock, Unix ms.
    pub at_ms: u64,
    /// Of what.
    pub of: &'static str,
    /// One in ten futures was below.
    pub low: Option<u64>,
    /// Half were.
    pub middle: Option<u64>,
    /// Nine in ten were.
    pub high: Option<u64>,
    /// What came.
    pub came: Option<u64>,
    /// Whether that lies in the band.
    pub is_within: bool,
}
