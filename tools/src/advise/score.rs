//! Compares forecasts with what came.

use super::course::{Asked, Course};
use baton_advice::{Band, Forecast, Question, forecast};
use core::fmt;

/// What is forecast, and how far ahead.
pub const TARGETS: [&str; 4] = [
    "the line's end",
    "a newcomer's wait",
    "people waiting 10 min later",
    "people waiting 30 min later",
];
const MINUTE_MS: u64 = 60_000;

/// The targets by the names that a report uses, which say the unit: ms until then, or people.
pub const NAMES: [&str; 4] = ["line_ends_ms", "newcomer_ms", "waiting_in_10_min", "waiting_in_30_min"];

/// One forecast of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The index in [`TARGETS`].
    pub target: usize,
    /// The band that was forecast.
    pub band: Band,
    /// What came; `None` if it did not come while the sale was watched.
    pub came: Option<u64>,
}

impl Pair {
    /// Returns true if what came lies in the band.
    #[must_use]
    pub fn is_within(&self) -> bool {
        let came = self.came.unwrap_or(u64::MAX);
        self.band.p10.unwrap_or(u64::MAX) <= came && came <= self.band.p90.unwrap_or(u64::MAX)
    }

    /// Returns true if what came is earlier or less than the band.
    #[must_use]
    pub fn is_below(&self) -> bool {
        self.came.unwrap_or(u64::MAX) < self.band.p10.unwrap_or(u64::MAX)
    }
}

/// Returns the forecast at one moment, and for each target what came. O(a forecast).
#[must_use]
pub fn pairs(course: &Course, asked: &Asked, futures: u32) -> (Forecast, Vec<Pair>) {
    let question = Question {
        outlook: asked.outlook.clone(),
        permits: None,
        futures: Some(futures),
    };
    let said = forecast(&question);
    let mut pairs = Vec::new();
    if said.silence.is_some() {
        return (said, pairs);
    }
    // What did not come is known to come later only if the sale was watched beyond the band and nothing was changed.
    let is_later = |band: &Band| course.is_watched(asked, band.p90.unwrap_or(u64::MAX));
    let mut pair = |target, band: Band, came: Option<u64>| {
        if came.is_some() || is_later(&band) {
            pairs.push(Pair { target, band, came });
        }
    };
    pair(0, said.line_ends, course.line_ends_ms(asked));
    pair(1, said.newcomer, course.newcomer_ms(asked));
    for (target, after_min) in [(2, 10), (3, 30)] {
        let later_ms = after_min * MINUTE_MS;
        if let (Some(band), Some(came)) = (waiting_after(&said, later_ms), course.waiting_ms(asked, later_ms)) {
            pair(target, band, Some(came));
        }
    }
    (said, pairs)
}

/// Returns the band of people waiting `after_ms` after the forecast, interpolated between the points of its curve.
fn waiting_after(said: &Forecast, after_ms: u64) -> Option<Band> {
    let at = said.waiting.partition_point(|later| later.after_ms < after_ms);
    let next = said.waiting.get(at)?;
    let before = said.waiting.get(at.checked_sub(1)?)?;
    let part = (after_ms - before.after_ms) as f64 / (next.after_ms - before.after_ms).max(1) as f64;
    let between = |from: Option<u64>, to: Option<u64>| {
        let (from, to) = (from? as f64, to? as f64);
        Some((from + (to - from) * part).round() as u64)
    };
    Some(Band {
        p10: between(before.waiting.p10, next.waiting.p10),
        p50: between(before.waiting.p50, next.waiting.p50),
        p90: between(before.waiting.p90, next.waiting.p90),
    })
}

/// How often the forecasts of one target were right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The number of forecasts.
    pub count: usize,
    /// How many of the outcomes lay in their band.
    pub within: usize,
    /// How many lay below it.
    pub below: usize,
    /// The median width of the bands, as a share of what came.
    pub width: f64,
    /// The median distance of the middle values, as a share of what came.
    pub miss: f64,
}

impl Score {
    /// Scores all forecasts of one target.
    #[must_use]
    pub fn of(pairs: &[Pair], target: usize) -> Self {
        let mine: Vec<&Pair> = pairs.iter().filter(|pair| pair.target == target).collect();
        let share = |part: &dyn Fn(&Pair) -> Option<f64>| {
            let mut all: Vec<f64> = mine.iter().filter_map(|pair| part(pair)).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
        };
        let came = |pair: &Pair| pair.came.map(|came| came.max(1) as f64);
        let width = |pair: &Pair| {
            let (low, high) = (pair.band.p10? as f64, pair.band.p90? as f64);
            Some((high - low) / came(pair)?)
        };
        let miss = |pair: &Pair| Some((pair.band.p50? as f64 - came(pair)?).abs() / came(pair)?);
        Self {
            count: mine.len(),
            within: mine.iter().filter(|pair| pair.is_within()).count(),
            below: mine.iter().filter(|pair| pair.is_below()).count(),
            width: share(&width),
            miss: share(&miss),
        }
    }

    /// Returns the share of outcomes that lay in their band, in percent.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        100.0 * self.within as f64 / self.count.max(1) as f64
    }
}

/// A table with a row for each target.
pub struct Table<'p>(pub &'p [Pair]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| forecast of | forecasts | in the band | earlier or fewer | width | middle off by |")?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (target, name) in TARGETS.iter().enumerate() {
            let score = Score::of(self.0, target);
            let below = 100.0 * score.below as f64 / score.count.max(1) as f64;
            writeln!(
                f,
                "| {name} | {} | {:.0} % | {below:.0} % | {:.0} % | {:.0} % |",
                score.count,
                score.coverage(),
                score.width * 100.0,
                score.miss * 100.0,
            )?;
        }
        Ok(())
    }
}
