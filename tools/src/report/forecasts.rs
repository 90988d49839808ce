//! How good the outlook's forecasts were, as the report tells it. This is the form only: `advise/afterwards.rs` works it out, which the
//! desk's browser does not have.

use serde::Serialize;

/// The fewest forecasts of one target to judge by. If each were a trial of its own, a good outlook would have fewer than six of ten in its bands once
/// in thirty sales, but fewer than four of five once in four.
pub const JUDGED_FROM: usize = 10;

/// What the outlook would have said during the sale, and what came.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Forecasts {
    /// The time between two forecasts, ms.
    pub every_ms: u64,
    /// The number of moments at which somebody waited and a forecast was made.
    pub moments: usize,
    /// How many of these said nothing.
    pub silent: usize,
    /// [`JUDGED_FROM`].
    pub judged_from: usize,
    /// How good they were, a row for each target.
    pub scores: Vec<Scored>,
    /// Each forecast that can be compared with what came.
    pub said: Vec<Said>,
}

/// How good the forecasts of one target were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// The target; its name says the unit.
    pub of: &'static str,
    /// The number of forecasts.
    pub count: usize,
    /// How many outcomes lay in the band of four in five.
    pub within: usize,
    /// How many lay below it.
    pub below: usize,
    /// Whether there are enough to judge by.
    pub is_judged: bool,
    /// The median width of the bands, in percent of what came.
    pub width_percent: Option<f64>,
    /// The median distance of the middles, in percent of what came.
    pub miss_percent: Option<f64>,
}

/// A forecast, and what came. In ms from then, or people; `None` if later than the outlook looked or the journal goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// When it was made: wall clock, Unix ms.
    pub at_ms: u64,
    /// The target.
    pub of: &'static str,
    /// One in ten futures was below this.
    pub low: Option<u64>,
    /// Half were below this.
    pub middle: Option<u64>,
    /// Nine in ten were below this.
    pub high: Option<u64>,
    /// What came.
    pub came: Option<u64>,
    /// Whether that lies in the band.
    pub is_within: bool,
}
