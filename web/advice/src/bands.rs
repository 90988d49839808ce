//! The answer: many futures, told as bands in which four of five lie.

use crate::beliefs::Beliefs;
use crate::chance::Chance;
use crate::future::{LOOK_MS, Scale, Start, Story, play};
use crate::measured::Measured;
use facts::config::Mode;
use room::outlook::{FORMAT, Outlook};
use serde::{Deserialize, Serialize};

/// The number of futures of one forecast, unless the question says otherwise.
const FUTURES: u32 = 60;
/// The number of people played in each future, about.
const PLAYED: f64 = 800.0;
/// How far ahead a forecast looks at most.
const HORIZON_MAX_MS: u64 = 6 * 3_600_000;
/// How far ahead it looks at least.
const HORIZON_MIN_MS: u64 = 30 * 60_000;
/// The number of points of the curve.
const POINTS: usize = 24;
/// The fewest ended visits to forecast from.
const VISITS_MIN: f64 = 20.0;

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    /// What the room told.
    pub outlook: Outlook,
    /// The permits to assume; `None` for the room's own.
    #[serde(default)]
    pub permits: Option<u32>,
    /// The number of futures; `None` for 60.
    #[serde(default)]
    pub futures: Option<u32>,
}

/// Why there is no forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// The aggregates are of another form.
    Format,
    /// The mode calls nobody.
    Mode,
    /// Nobody waits.
    Nobody,
    /// Too few visits have ended.
    Little,
    /// This number of permits was never tried.
    NotMeasured,
}

/// Four of five futures lie from `p10` to `p90`. In ms from now, or people; `None` if not within the horizon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Band {
    /// One in ten is below this.
    pub p10: Option<u64>,
    /// Half are below this.
    pub p50: Option<u64>,
    /// Nine in ten are below this.
    pub p90: Option<u64>,
}

/// How many people wait after a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Later {
    /// How long after now, ms.
    pub after_ms: u64,
    /// The number of people who wait then.
    pub waiting: Band,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Why there is no forecast; `None` if there is one.
    pub silence: Option<Silence>,
    /// The room's time when it was asked.
    pub at_ms: u64,
    /// The permits that it assumes.
    pub permits: u32,
    /// What was tried.
    pub measured: Measured,
    /// When the line is empty, from now.
    pub line_ends: Band,
    /// How long somebody who comes now waits for a call.
    pub newcomer: Band,
    /// How many people wait, over time.
    pub waiting: Vec<Later>,
    /// How far ahead it looked, ms.
    pub horizon_ms: u64,
    /// The mean length of a visit on which it rests, ms.
    pub stay_ms: u64,
    /// The arrivals an hour on which it rests, now.
    pub arrivals_per_h: u64,
    /// How many of a hundred people who wait give up in ten minutes.
    pub give_up_percent: u64,
}

/// Answers a question. The same question gets the same answer. O(futures · people played).
#[must_use]
pub fn forecast(question: &Question) -> Forecast {
    let Question { outlook, permits, .. } = question;
    let measured = Measured::of(outlook);
    let aim = outlook.permits_ramp.map_or(u64::from(outlook.permits), |ramp| ramp.to);
    let mut answer = Forecast {
        at_ms: outlook.now_ms,
        permits: permits.unwrap_or(u32::try_from(aim).unwrap_or(u32::MAX)),
        measured,
        ..Forecast::default()
    };
    if outlook.format != FORMAT {
        answer.silence = Some(Silence::Format);
        return answer;
    }
    let beliefs = Beliefs::of(outlook);
    answer.rests_on(&beliefs);
    answer.silence = silence(outlook, *permits, &measured, &beliefs);
    if answer.silence.is_some() {
        return answer;
    }
    let scale = scale(outlook, answer.permits, &beliefs);
    let start = Start::of(outlook, *permits, scale);
    let futures = question.futures.unwrap_or(FUTURES).clamp(1, 1_000);
    let stories = (0..futures).map(|at| {
        let mut chance = Chance::of(u64::from(at), 0);
        let world = beliefs.world(&mut chance);
        play(&start, &world, beliefs.stays.ages(), &mut chance)
    });
    answer.tell(&stories.collect::<Vec<_>>(), scale.horizon_ms);
    answer
}

fn silence(outlook: &Outlook, permits: Option<u32>, measured: &Measured, beliefs: &Beliefs) -> Option<Silence> {
    if !matches!(outlook.mode, Mode::Open | Mode::Drain) {
        Some(Silence::Mode)
    } else if outlook.present == 0 {
        Some(Silence::Nobody)
    } else if beliefs.stays.ended() < VISITS_MIN {
        Some(Silence::Little)
    } else if permits.is_some_and(|n| n != outlook.permits && (n < measured.from || n > measured.to)) {
        Some(Silence::NotMeasured)
    } else {
        None
    }
}

/// Returns how far to look, and how many people each person who is played stands for.
fn scale(outlook: &Outlook, permits: u32, beliefs: &Beliefs) -> Scale {
    let stay_ms = beliefs.stays.best().mean_ms().max(1.0);
    let by_permits = f64::from(permits.max(1)) / stay_ms;
    let by_pace = match outlook.admissions_milli_per_s {
        0 => f64::MAX,
        rate => rate as f64 / 1e6,
    };
    let per_ms = by_permits.min(by_pace);
    let line_ms = outlook.present as f64 / per_ms;
    let horizon_ms = (4.0 * line_ms) as u64;
    let horizon_ms = horizon_ms.clamp(HORIZON_MIN_MS, HORIZON_MAX_MS);
    let come = beliefs.arrivals.per_ms * (2.0 * line_ms).min(horizon_ms as f64);
    let people = f64::from(outlook.inside) + outlook.present as f64 + come;
    Scale {
        people: (people / PLAYED).max(1.0),
        horizon_ms,
    }
}

impl Forecast {
    fn rests_on(&mut self, beliefs: &Beliefs) {
        if beliefs.stays.ended() > 0.0 {
            self.stay_ms = beliefs.stays.best().mean_ms() as u64;
        }
        self.arrivals_per_h = (beliefs.arrivals.per_ms * 3_600_000.0).round() as u64;
        let gone = 1.0 - (-beliefs.patience.per_ms() * 600_000.0).exp();
        self.give_up_percent = (gone * 100.0).round() as u64;
    }

    fn tell(&mut self, stories: &[Story], horizon_ms: u64) {
        self.line_ends = band(stories.iter().map(|story| story.line_ends_ms));
        self.newcomer = band(stories.iter().map(|story| story.newcomer_ms));
        // A future that was cut short says nothing about what came later.
        let played = |story: &Story| match story.line_ends_ms {
            Some(_) => horizon_ms,
            None => story.until_ms,
        };
        let known_ms = stories.iter().map(played).min().unwrap_or(0);
        let end_ms = self.line_ends.p90.unwrap_or(known_ms);
        self.horizon_ms = (end_ms + end_ms / 8).min(known_ms);
        let looks = (self.horizon_ms / LOOK_MS).max(1);
        let points = POINTS.min(usize::try_from(looks).unwrap_or(POINTS));
        let after = (0..=points as u64).map(|at| looks * at / points as u64);
        self.waiting = after.map(|look| later(stories, look)).collect();
    }
}

fn later(stories: &[Story], look: u64) -> Later {
    let at = usize::try_from(look).unwrap_or(usize::MAX);
    // After the line's end nobody waits.
    let waiting = stories.iter().map(|story| story.waiting.get(at).copied().unwrap_or(0.0));
    Later {
        after_ms: look * LOOK_MS,
        waiting: band(waiting.map(|count| Some(count.round() as u64))),
    }
}

/// Returns the band of these values. What did not happen counts as later than everything that did.
fn band(values: impl Iterator<Item = Option<u64>>) -> Band {
    let mut sorted: Vec<Option<u64>> = values.collect();
    sorted.sort_by_key(|value| value.unwrap_or(u64::MAX));
    let at = |share: f64| {
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied().flatten()
    };
    Band {
        p10: at(0.1),
        p50: at(0.5),
        p90: at(0.9),
    }
}
