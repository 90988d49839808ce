//! Makes the report after a sale, with a judgement of the outlook's forecasts.
//!
//! The desk's report has no such judgement: a forecast plays the room's core, which would make the code that the browser fetches two thirds larger.

use super::FUTURES;
use super::course::{Asked as Moment, Course};
use super::rerun::{Pace, Rerun};
use super::score::{NAMES, Pair, Score, pairs};
use crate::audit::Stop;
use crate::report::forecasts::{Forecasts, JUDGED_FROM, Said, Scored};
use crate::report::{Asked, Report, Reporter};

/// The desk asks for a forecast twice a minute. Two forecasts ten minutes apart are not the same one told twice.
const PACE: Pace = Pace {
    every_ms: 600_000,
    // Twelve hours. A longer sale has a forecast each 20 or 40 minutes. Each takes up to 0.1 s.
    most: 72,
};

/// A report under way.
#[derive(Debug)]
pub struct Afterwards {
    asked: Asked,
    reporter: Reporter,
    /// `None` for a public report: the forecasts were the operator's alone and do not show how the line was kept.
    rerun: Option<Rerun>,
}

impl Afterwards {
    /// Begins a report, before the first line.
    #[must_use]
    pub fn new(asked: Asked) -> Self {
        Self {
            asked,
            reporter: Reporter::new(asked),
            rerun: (!asked.is_public).then(|| Rerun::new(PACE)),
        }
    }

    /// Takes the next line, as [`Reporter::line`] does.
    ///
    /// # Errors
    /// Returns [`Stop`] if the line cannot be read. The caller must not pass another line after that.
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

    /// Ends the export and returns the report. O(forecasts).
    ///
    /// # Errors
    /// As for [`Reporter::finish`].
    pub fn finish(self) -> Result<Report, Stop> {
        let mut report = self.reporter.finish()?;
        let course = self.rerun.map(Rerun::finish);
        report.forecasts = course.map(|course| told(&course, &self.asked, report.edition));
        Ok(report)
    }
}

/// Judges the forecasts of the moments that the report covers.
fn told(course: &Course, asked: &Asked, edition: u32) -> Forecasts {
    let is_counted = |moment: &&Moment| moment.edition == edition && (asked.from_ms..asked.to_ms).contains(&moment.wall_ms);
    let counted: Vec<&Moment> = course.asked.iter().filter(is_counted).collect();
    let next = counted.iter().skip(1);
    let apart_ms = (counted.iter().zip(next)).map(|(one, next)| next.after_ms - one.after_ms);
    let mut forecasts = Forecasts {
        judged_from: JUDGED_FROM,
        // Moments are further apart where nobody waited for a while.
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
    forecasts.scores = (0..NAMES.len()).filter_map(|target| scored(&all, target)).collect();
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
    // To a tenth of a percent; `None` if no forecast has an outcome.
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
