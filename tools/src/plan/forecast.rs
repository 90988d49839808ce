//! Plays many runs and says what they show together: for each figure the middle, and a band that holds nine runs of ten.

use super::bands::{Band, Waits, quantile, three, waits_of};
use super::by_lane::{self, LaneDigest, LaneForecast};
use super::event::Event;
use super::keys::span_text;
use super::outcome::Outcomes;
use super::seen::{Counts, SPANS, Seen};
use super::world::{self, Bug};
use crate::program::in_threads;
use serde::Serialize;

/// The most points of a curve over time.
const POINTS_MAX: usize = 240;

/// The people who came in one span of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The beginning, ms after the opening; negative before it.
    pub from_ms: i64,
    /// The end.
    pub to_ms: i64,
    /// The number of them who got in.
    pub entered: Band,
    /// How long they waited; `None` if none got in.
    pub waits: Option<Waits>,
}

/// One run in figures. Times are in ms after the opening. The same fields are compared with a run on the real runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// The run's seed.
    pub seed: u64,
    /// The median wait of those who got in.
    pub wait_p50_ms: f64,
    /// Nine of ten of them waited less.
    pub wait_p90_ms: f64,
    /// Ninety-nine of a hundred of them waited less.
    pub wait_p99_ms: f64,
    /// The number who got in.
    pub entered: u64,
    /// The people by outcome.
    #[serde(flatten)]
    pub outcomes: Outcomes,
    /// When the last seat went; `None` if seats were left.
    pub seats_end_ms: Option<f64>,
    /// When the last person got in.
    pub last_in_ms: f64,
    /// When all was over.
    pub over_ms: f64,
    /// How long the run lasted from its beginning, ms.
    pub lasts_ms: f64,
    /// Seats sold.
    pub sold: u64,
    /// Calls that nobody answered.
    pub missed_calls: u64,
    /// The share of dead permit-time in all that was used, or dead while somebody waited.
    pub dead_share: f64,
    /// The dead permit-time, ms.
    pub dead_ms: f64,
    /// The median time by which people who waited in vain could know so before the end; `None` if nobody waited in vain or nobody was told.
    pub told_before_ms: Option<f64>,
    /// The share of people who waited in vain and were told before the end; `None` if nobody waited in vain.
    pub told_share: Option<f64>,
    /// What is billed, or leads to it.
    pub counts: Counts,
    /// The objects of this room: its lobbies and the room itself.
    pub objects: u64,
}

/// What many runs say together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The number of people who came, the same in each run.
    pub people: u64,
    /// The permits in force.
    pub permits: u32,
    /// The number of seats; `None` if they never end.
    pub seats: Option<u64>,
    /// When the sale opens, ms after the beginning.
    pub opens_ms: u64,
    /// Remarks on what is odd about the event, in sentences.
    pub notes: Vec<String>,
    /// How long people wait.
    pub waits: Option<Waits>,
    /// The lanes, in the order of the list.
    pub lanes: Vec<LaneForecast>,
    /// Entries and waits by the moment of coming.
    pub spans: Vec<Span>,
    /// At each moment: who is inside, who waits, what is left, who has got in so far.
    pub curve: Vec<Moment>,
    /// Each run.
    pub runs: Vec<Run>,
}

/// The whole at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// The moment, ms after the opening.
    pub at_ms: i64,
    /// The permits in use.
    pub inside: Band,
    /// The people with a place.
    pub waiting: Band,
    /// The seats left.
    pub seats_left: Band,
    /// The number who have got in so far.
    pub entered: Band,
}

/// Plays an event with `seeds` seeds from `first` on, in at most `threads` threads.
///
/// # Errors
/// Returns [`Bug`] if the room breaks one of its laws.
pub fn forecast(event: &Event, first: u64, seeds: usize, threads: usize) -> Result<Forecast, Bug> {
    let play = |seed| match world::play(event, seed) {
        Ok(seen) => Ok(Digest::of(event, seed, &seen)),
        Err(Bug(what)) => Err(Bug(format!("seed {seed}, {what}"))),
    };
    let digests = in_threads(first..first + seeds as u64, threads, play)?;
    Ok(together(event, digests))
}

/// What the planner keeps of a run.
struct Digest {
    run: Run,
    lanes: Vec<LaneDigest>,
    /// By span: how many got in, and their waits at 50, 90 and 99 of a hundred.
    spans: Vec<Option<(u64, [f64; 3])>>,
    samples: Vec<[u64; 4]>,
    sample_ms: u32,
}

impl Digest {
    fn of(event: &Event, seed: u64, seen: &Seen) -> Self {
        let span = event.span_ms().max(1);
        let mut by_span: Vec<Vec<f64>> = vec![Vec::new(); SPANS];
        let mut all = Vec::with_capacity(seen.waits.len());
        for (comes_ms, wait_ms) in &seen.waits {
            let at = (u64::from(*comes_ms) * SPANS as u64 / span).min(SPANS as u64 - 1);
            let wait = f64::from(*wait_ms);
            all.push(wait);
            if let Some(waits) = by_span.get_mut(at as usize) {
                waits.push(wait);
            }
        }
        let spans = by_span.into_iter().map(|waits| {
            let count = waits.len() as u64;
            (count > 0).then(|| (count, three(waits)))
        });
        Self {
            run: run_of(event, seed, seen, three(all)),
            lanes: by_lane::digests_of(seen),
            spans: spans.collect(),
            samples: seen.samples.clone(),
            sample_ms: seen.sample_ms,
        }
    }
}

fn median(values: &[u64]) -> Option<f64> {
    let mut values: Vec<f64> = values.iter().map(|ms| *ms as f64).collect();
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then(|| quantile(&values, 0.5))
}

fn run_of(event: &Event, seed: u64, seen: &Seen, waits: [f64; 3]) -> Run {
    let opens = event.opens_ms() as f64;
    let after = |ms: u32| f64::from(ms) - opens;
    let wanted = (seen.dead_ms + seen.used_ms).max(1) as f64;
    let told = seen.told_before_ms.len() as f64;
    let vain = seen.in_vain_count() as f64;
    let [wait_p50_ms, wait_p90_ms, wait_p99_ms] = waits;
    Run {
        seed,
        wait_p50_ms,
        wait_p90_ms,
        wait_p99_ms,
        entered: seen.entered(),
        outcomes: seen.outcomes,
        seats_end_ms: seen.seats_end_ms.map(after),
        last_in_ms: after(seen.last_in_ms),
        over_ms: after(seen.over_ms),
        lasts_ms: f64::from(seen.over_ms),
        sold: seen.sold,
        missed_calls: seen.missed,
        dead_share: seen.dead_ms as f64 / wanted,
        dead_ms: seen.dead_ms as f64,
        told_before_ms: median(&seen.told_before_ms),
        told_share: (vain > 0.0).then(|| told / vain),
        counts: seen.counts,
        objects: u64::from(event.room.lobbies()) + 1,
    }
}

fn together(event: &Event, digests: Vec<Digest>) -> Forecast {
    let waits = digests.iter().filter(|digest| digest.run.entered > 0);
    let waits = waits.map(|digest| {
        let run = digest.run;
        [run.wait_p50_ms, run.wait_p90_ms, run.wait_p99_ms]
    });
    let moments = moments_of(event, &digests);
    let lanes: Vec<&Vec<LaneDigest>> = digests.iter().map(|digest| &digest.lanes).collect();
    Forecast {
        people: event.people(),
        permits: event.room.core.permits,
        seats: event.seats,
        opens_ms: event.opens_ms(),
        notes: event.notes.clone(),
        waits: waits_of(waits.collect()),
        lanes: by_lane::together(event, &lanes, &moments),
        spans: (0..SPANS).map(|at| span_of(event, &digests, at)).collect(),
        curve: curve_of(&digests, &moments),
        runs: digests.into_iter().map(|digest| digest.run).collect(),
    }
}

fn span_of(event: &Event, digests: &[Digest], at: usize) -> Span {
    let (opens, span) = (event.opens_ms() as i64, event.span_ms() as i64);
    let edge = |at: usize| span * at as i64 / SPANS as i64 - opens;
    let seen: Vec<_> = digests.iter().map(|digest| digest.spans.get(at).copied().flatten()).collect();
    let entered = seen.iter().map(|span| span.map_or(0.0, |(count, _)| count as f64));
    Span {
        from_ms: edge(at),
        to_ms: edge(at + 1),
        entered: Band::of(entered.collect()).unwrap_or_default(),
        waits: waits_of(seen.iter().flatten().map(|(_, waits)| *waits).collect()),
    }
}

/// Returns which samples are shown, each with its time after the opening, ms.
fn moments_of(event: &Event, digests: &[Digest]) -> Vec<(usize, i64)> {
    let longest = digests.iter().map(|digest| digest.samples.len()).max().unwrap_or(0);
    let step = longest.div_ceil(POINTS_MAX).max(1);
    let opens = event.opens_ms() as i64;
    let sample_ms = digests.first().map_or(1, |digest| i64::from(digest.sample_ms));
    let samples = (0..longest).step_by(step);
    samples.map(|at| (at, at as i64 * sample_ms - opens)).collect()
}

fn curve_of(digests: &[Digest], moments: &[(usize, i64)]) -> Vec<Moment> {
    let moment = |(at, at_ms): &(usize, i64)| {
        // A run that is over stays as it ended, with nobody there.
        let at_end = |digest: &Digest, field: usize| {
            let last = digest.samples.last().copied().unwrap_or_default();
            let row = digest.samples.get(*at).copied().unwrap_or([0, 0, last[2], last[3]]);
            row.get(field).copied().unwrap_or(0) as f64
        };
        let band = |field: usize| {
            let values = digests.iter().map(|digest| at_end(digest, field));
            Band::of(values.collect()).unwrap_or_default()
        };
        Moment {
            at_ms: *at_ms,
            inside: band(0),
            waiting: band(1),
            seats_left: band(2),
            entered: band(3),
        }
    };
    moments.iter().map(moment).collect()
}

/// The result of a search for the number of permits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The least number that is enough; `None` if none up to `most` is.
    pub permits: Option<u32>,
    /// The highest number tried.
    pub most: u32,
    /// The wait that was asked for, ms.
    pub wait_max_ms: u64,
    /// The share of people for whom it must hold.
    pub share: f64,
    /// What was tried: permits, and the wait at that share which nine runs of ten do not exceed, ms.
    pub tried: Vec<(u32, f64)>,
}

/// Looks for the least permits with which, in nine runs of ten, 50, 90 or 99 of a hundred who get in wait at most `wait_max_ms`.
///
/// # Errors
/// Returns [`Bug`] if the room breaks one of its laws.
pub fn find_permits(event: &Event, wait_max_ms: u64, share: f64, seeds: (u64, usize), threads: usize) -> Result<Found, Bug> {
    let most = u32::try_from(event.people()).unwrap_or(u32::MAX);
    let most = most.clamp(1, baton::facts::limits::PERMITS_MAX);
    let mut tried = Vec::new();
    let mut wait_with = |permits: u32| -> Result<bool, Bug> {
        let mut event = event.clone();
        event.room.core.permits = permits;
        let forecast = forecast(&event, seeds.0, seeds.1, threads)?;
        let waits = forecast.runs.iter().map(|run| match share {
            share if share < 0.7 => run.wait_p50_ms,
            share if share < 0.95 => run.wait_p90_ms,
            _ => run.wait_p99_ms,
        });
        let mut waits: Vec<f64> = waits.collect();
        waits.sort_by(f64::total_cmp);
        let wait = quantile(&waits, 0.9);
        tried.push((permits, wait));
        Ok(wait <= wait_max_ms as f64)
    };
    let (mut too_few, mut enough) = (0, most);
    let found = wait_with(most)?;
    while found && enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if wait_with(middle)? {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    tried.sort_by_key(|(permits, _)| *permits);
    Ok(Found {
        permits: found.then_some(enough),
        most,
        wait_max_ms,
        share,
        tried,
    })
}

impl Found {
    /// Returns the answer in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let wait = span_text(self.wait_max_ms);
        let people = match self.share {
            share if share < 0.7 => "half of those who get in",
            share if share < 0.95 => "nine of ten who get in",
            _ => "99 of 100 who get in",
        };
        match self.permits {
            Some(permits) => format!(
                "With {permits} permits {people} wait at most {wait}, in nine runs of ten. Whether the shop takes so many only npm run find-permits can say."
            ),
            None => format!(
                "No number of permits does: {people} wait longer than {wait} even with {} permits.",
                self.most
            ),
        }
    }
}
