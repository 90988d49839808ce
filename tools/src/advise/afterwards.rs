//! The report after a sale, with how good the outlook's forecasts were.
//!
//! It is not in the desk's report: a forecast plays the room's core, which would make the desk's report two thirds larger to fetch.

use super::FUTURES;
use super::course::{Asked as Moment, Course};
use super::rerun::{Pace, Rerun};
use super::score::{NAMES, Pair, Score, pairs};
use crate::audit::Stop;
use crate::report::forecasts::{Forecasts, JUDGED_FROM, Said, Scored};
use crate::report::{Asked, Report, Reporter};

/// The desk asks twice a minute. Ten minutes apart, two forecasts are not the same one told twice.
const PACE: Pace = Pace {
    every_ms: 600_000,
    // Twelve hours; from there on one is made each 20 minutes, or 40. Each takes up to 0.1 s.
    most: 72,
};

/// A report under way.
#[derive(Debug)]
pub struct Afterwards {
    asked: Asked,
    reporter: Reporter,
    /// None in public: the forecasts were the operator's alone, and say nothing of how the line was kept.
    rerun: Option<Rerun>,
}

impl Afterwards {
    /// Before the first line.
    #[must_use]
    pub fn new(asked: Asked) -> Self {
        Self {
            asked,
            reporter: Reporter::new(asked),
            rerun: (!asked.is_public).then(|| Rerun::new(PACE)),
        }
    }

    /// Takes the next line in: [`Reporter::line`].
    ///
    /// # Errors
    /// When the line cannot be read. Nothing may be handed in after that.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        let Some(rerun) = &mut self.rerun else {
            return self.reporter.line(text);
        };
        let mut facts = Vec::new();
        if let Some(moment) = self.reporter.line_with(text, Some(&mut facts))? {
            rerun.row(moment, facts);
        }
        Ok(())
    }

    /// The export has ended. O(forecasts).
    ///
    /// # Errors
    /// Those of [`Reporter::finish`].
    pub fn finish(self) -> Result<Report, Stop> {
        let mut report = self.reporter.finish()?;
        let course = self.rerun.map(Rerun::finish);
        report.forecasts = course.map(|course| told(&course, &self.asked, report.edition));
        Ok(report)
    }
}

/// Of the moments that the report is of.
fn told(course: &Course, asked: &Asked, edition: u32) -> Forecasts {
    let is_counted = |moment: &&Moment| {
        moment.edition == edition && (asked.from_ms..asked.to_ms).contains(&moment.wall_ms)
    };
    let counted: Vec<&Moment> = course.asked.iter().filter(is_counted).collect();
    let next = counted.iter().skip(1);
    let apart_ms = (counted.iter().zip(next)).map(|(one, next)| next.after_ms - one.after_ms);
    let mut forecasts = Forecasts {
        judged_from: JUDGED_FROM,
        // Nobody waits for a while: then two are further apart.
        every_ms: apart_ms.min().unwrap_or(PACE.every_ms),
        moments: counted.len(),
        ..Forecasts::default()
    };
    let mut all: Vec<Pair> = Vec::new();
    for moment in counted {
        let (forecast, pairs) = pairs(course, moment, FUTURES);
        forecasts.silent += usize::from(forecast.silence.is_some());
        let told = pairs.iter().map(|pair| said(moment.wall_ms, pair));
        forecasts.said.extend(told);
        all.extend(pairs);
    }
    forecasts.scores = (0..NAMES.len())
        .filter_map(|target| scored(&all, target))
        .collect();
    forecasts
}

fn said(at_ms: u64, pair: &Pair) -> Said {
    Said {
        at_ms,
        of: NAMES.get(pair.target).copied().unwrap_or_default(),
        low: pair.band.p10,
        middle: pair.band.p50,
        high: pair.band.p90,
        came: pair.came,
        is_within: pair.is_within(),
    }
}

fn scored(pairs: &[Pair], target: usize) -> Option<Scored> {
    let score = Score::of(pairs, target);
    // To a tenth; no share where nothing came.
    let percent = |share: f64| share.is_finite().then(|| (share * 1_000.0).round() / 10.0);
    Some(Scored {
        of: NAMES.get(target)?,
        count: score.count,
        within: score.within,
        below: score.below,
        is_judged: score.count >= JUDGED_FROM,
        width_percent: percent(score.width),
        miss_percent: percent(score.miss),
    })
}
