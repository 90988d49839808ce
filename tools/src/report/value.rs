//! The report as one value: what the program prints, and what web/report/ makes a page and tables of. Times are of the wall clock,
//! Unix ms; durations are of the room's clock, ms.

use super::Asked;
use super::acts::{Acts, Settings, settings};
use super::counts::{Arrivals, Counted, Counts, Head, Inside, Most, People, PermitTime, Stretch};
use super::durations::{self, Durations};
use super::forecasts::Forecasts;
use super::lanes;
use super::spans::{Group, groups};
use crate::audit::{Fault, Fingerprint, Ledger};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::proofs::ProofChecks;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the form.
pub const FORM: u8 = 1;
/// The most points of a chart.
const POINTS_MAX: u64 = 240;
/// The most rows of the table of waits.
const ARRIVALS_MAX: u64 = 40;
/// The most groups of numbers in the chart of who was called when.
const NUMBERS_MAX: u64 = 200;
/// The fewest people of a group in public.
pub const PUBLIC_MIN: u64 = 10;

/// What happened in one edition of a room.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`FORM`].
    pub baton_report: u8,
    /// The room's name.
    pub room: String,
    /// Whether groups of fewer than ten people are merged.
    pub is_public: bool,
    /// The edition that it covers.
    pub edition: u32,
    /// The number of editions in the journal.
    pub editions: u32,
    /// The time of the first row that it counts.
    pub from_ms: u64,
    /// The time of the last row that it counts.
    pub to_ms: u64,
    /// The audit's verdict on the whole journal.
    pub verdict: Verdict,
    /// What became of people.
    pub people: People,
    /// What became of the people inside.
    pub inside: Inside,
    /// What else was counted.
    pub counted: Counted,
    /// Permits in force and their time.
    pub permits: Permits,
    /// The most tickets in line after any row.
    pub longest_line: Most,
    /// The most entries in the hall after any row.
    pub fullest_hall: Most,
    /// The most people inside after any row.
    pub most_inside: Most,
    /// The time from the number, or from the draw, to the first call.
    pub waits: durations::Told,
    /// The same cut into twentieths of the people: what each did not exceed. Empty if a twentieth would be too few.
    pub wait_twentieths_ms: Vec<u64>,
    /// The same for people whose number was drawn.
    pub drawn_waits: durations::Told,
    /// The time from the call until the visitor came.
    pub claims: durations::Told,
    /// The time from going in to giving the permit back.
    pub stays: durations::Told,
    /// The length of one stretch of `course`.
    pub course_ms: u64,
    /// What happened, stretch by stretch. A stretch in which nobody was there is left out.
    pub course: Vec<Course>,
    /// Waits by when people came, without those of a draw.
    pub arrivals: Vec<Came>,
    /// What each lane was given, in the order in which they were first used; empty if the room had one line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<lanes::Told>,
    /// Who was called when, by number, lane after lane.
    pub numbers: Vec<Called>,
    /// The origin's answers.
    pub origin: Origin,
    /// The seats left, as the shop said; `None` if it never said.
    pub stock: Option<Stock>,
    /// How the shop's check judged proofs, by verdict; empty if it never told.
    pub proofs: BTreeMap<&'static str, u64>,
    /// How good the outlook was; left out in public, and if nobody worked it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecasts: Option<Forecasts>,
    /// What was done, and when.
    #[serde(flatten)]
    pub acts: Acts,
    /// The last row of each minute, or of longer stretches in a long sale.
    pub heads: Vec<Head>,
    /// The settings at the end of the journal, by their names in the configuration.
    pub settings: Settings,
}

/// The audit's verdict on the whole journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether every law holds to the last row.
    pub is_sound: bool,
    /// The number of rows found sound.
    pub rows: u64,
    /// The hash of the last of them.
    pub fingerprint: Fingerprint,
    /// What is wrong with the next row.
    pub fault: Option<Wrong>,
}

/// The first thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// The row.
    pub row: u64,
    /// The law that it breaks.
    pub law: &'static str,
    /// What was seen.
    pub what: String,
}

/// Permits in force, and what became of their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Permits {
    /// The fewest in force.
    pub fewest: u64,
    /// The most in force.
    pub most: u64,
    /// What became of their time.
    #[serde(flatten)]
    pub time: PermitTime,
}

/// One stretch of time. People and permits are means over the time that the journal covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Course {
    /// When it begins.
    pub at_ms: u64,
    /// Came into the hall.
    pub entered: u64,
    /// Got a number and waited.
    pub joined: u64,
    /// Went straight in.
    pub walked_in: u64,
    /// Got in, walk-ins included.
    pub got_in: u64,
    /// Attempts to join.
    pub attempts: u64,
    /// Calls that nobody answered.
    pub missed: u64,
    /// Gave the place up, were away too long, or missed two calls.
    pub dropped_out: u64,
    /// People in the hall.
    pub hall: f64,
    /// People present in line.
    pub present: f64,
    /// People away.
    pub away: f64,
    /// People inside.
    pub inside: f64,
    /// Permits given out and not yet taken.
    pub called: f64,
    /// Permits free while somebody waited.
    pub idle: f64,
    /// Permits in force; null if nobody was there.
    pub permits: Option<f64>,
    /// Seats left, as the shop said last.
    pub stock: Option<u32>,
    /// Answers of the origin that are timed.
    pub answers: u64,
    /// The median of them, about.
    pub half_ms: Option<u64>,
    /// Nineteen of twenty took at most this long, about.
    pub most_ms: Option<u64>,
    /// Requests that the origin failed: by its times, or by its health if that is counted.
    pub failed: u64,
}

/// People who came in one stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Came {
    /// The beginning.
    pub from_ms: u64,
    /// The end.
    pub to_ms: u64,
    /// The number who took a number and waited.
    pub joined: u64,
    /// The number who went straight in.
    pub walked_in: u64,
    /// How long those of them waited who were called; its count says how many were.
    pub waits: durations::Told,
}

/// A group of neighbouring numbers, and when they were first called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Called {
    /// The lane, if the room has lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// The first number of the group.
    pub first: u64,
    /// The last number of the group.
    pub last: u64,
    /// How many of them were issued.
    pub issued: u64,
    /// How many were called, or walked in.
    pub called: u64,
    /// When the first of them was called or walked in; `None` if nobody was, or if the group is too small to tell.
    pub from_ms: Option<u64>,
    /// When the last of them was.
    pub to_ms: Option<u64>,
}

/// The origin's answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// Answers whose time is known.
    pub answers: u64,
    /// The median, about.
    pub half_ms: Option<u64>,
    /// Nineteen of twenty took at most this long, about.
    pub most_ms: Option<u64>,
    /// Requests that it failed, among those that were timed.
    pub failed: u64,
    /// Answers that count for its health; 0 if that is off.
    pub good: u64,
    /// Failures that count for its health.
    pub bad: u64,
}

/// Seats left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stock {
    /// When the shop first said so.
    pub first_ms: u64,
    /// How many it said then.
    pub first: u32,
    /// How many it said last.
    pub last: u32,
}

fn of_times(times: &AnswerTimes) -> (u64, Option<u64>, Option<u64>) {
    let quantile = |thousandths| times.quantile_ms(thousandths);
    (times.count(), quantile(500), quantile(950))
}

fn course(at_ms: u64, stretch: &Stretch) -> Course {
    let Stretch {
        people,
        counted,
        crowd,
        permit_time,
        ..
    } = stretch;
    // To a hundredth of a person, which is more than a chart can show.
    let mean = |sum_ms: u64| {
        let hundredths = (sum_ms as f64 / crowd.covered_ms.max(1) as f64 * 100.0).round();
        hundredths / 100.0
    };
    let (answers, half_ms, most_ms) = of_times(&stretch.times);
    Course {
        at_ms,
        entered: people.entered,
        joined: people.joined,
        walked_in: people.walked_in,
        got_in: people.got_in,
        attempts: counted.attempts,
        missed: counted.missed,
        dropped_out: people.gave_up + people.lost + people.missed_out,
        hall: mean(crowd.hall_ms),
        present: mean(crowd.present_ms),
        away: mean(crowd.away_ms),
        inside: mean(permit_time.used_ms),
        called: mean(permit_time.called_ms),
        idle: mean(permit_time.idle_ms),
        permits: (crowd.covered_ms > 0).then(|| mean(crowd.permits_ms)),
        stock: stretch.stock,
        answers,
        half_ms,
        most_ms,
        failed: stretch.bad.max(stretch.times.failed),
    }
}

fn came(group: &Group<Arrivals>, least: u64) -> Came {
    let Group { from, to, value } = group;
    let is_told = value.came() >= least;
    let none = Durations::default();
    Came {
        from_ms: *from,
        to_ms: *to,
        joined: value.joined,
        walked_in: value.walked_in,
        waits: if is_told { &value.waits } else { &none }.told(),
    }
}

/// Returns who was called when, in one lane.
fn called_of(lane: &lanes::OfLane, least: u64) -> Vec<Called> {
    let numbers = lane.numbers.coarse(NUMBERS_MAX);
    let numbers = groups(&numbers, least, |group| group.issued);
    let of_lane = |group| Called {
        lane: lane.name().cloned(),
        ..called(group, least)
    };
    numbers.iter().map(of_lane).collect()
}

fn called(group: &Group<lanes::Numbers>, least: u64) -> Called {
    let value = group.value;
    let when = value.called_ms.filter(|_| value.issued >= least);
    Called {
        lane: None,
        first: group.from + 1,
        last: group.to,
        issued: value.issued,
        called: value.called,
        from_ms: when.map(|(first, _)| first),
        to_ms: when.map(|(_, last)| last),
    }
}

fn permits(counts: &Counts) -> Permits {
    let (fewest, most) = counts.permits.unwrap_or_default();
    Permits {
        fewest,
        most,
        time: counts.total.permit_time,
    }
}

fn origin(total: &Stretch) -> Origin {
    let (answers, half_ms, most_ms) = of_times(&total.times);
    Origin {
        answers,
        half_ms,
        most_ms,
        failed: total.times.failed,
        good: total.good,
        bad: total.bad,
    }
}

fn stock(counts: &Counts) -> Option<Stock> {
    let (first_ms, first) = counts.first_stock?;
    Some(Stock {
        first_ms,
        first,
        last: counts.total.stock.unwrap_or(first),
    })
}

fn verdicts(checks: &ProofChecks) -> BTreeMap<&'static str, u64> {
    let counts = ProofChecks::VERDICTS.into_iter().zip(checks.counts());
    let all: BTreeMap<&str, u64> = counts.collect();
    if checks.is_none() { BTreeMap::new() } else { all }
}

impl Report {
    pub(super) fn new(asked: &Asked, room: &str, ledger: &Ledger, counts: Counts, verdict: Verdict) -> Self {
        let least = if asked.is_public { PUBLIC_MIN } else { 0 };
        let (from_ms, to_ms) = counts.wall_ms.unwrap_or_default();
        let coarse = counts.stretches.coarse(POINTS_MAX);
        let arrivals = groups(&counts.arrivals.coarse(ARRIVALS_MAX), least, Arrivals::came);
        let total = &counts.total;
        let people = total.people.before + counts.came();
        let told = |durations: &Durations| match people >= least {
            true => durations.told(),
            false => durations::Told::default(),
        };
        Self {
            baton_report: FORM,
            room: room.to_owned(),
            is_public: asked.is_public,
            edition: counts.edition,
            editions: ledger.edition(),
            from_ms,
            to_ms,
            verdict,
            people: total.people,
            inside: total.inside,
            counted: total.counted,
            permits: permits(&counts),
            longest_line: counts.longest_line,
            fullest_hall: counts.fullest_hall,
            most_inside: counts.most_inside,
            waits: told(&counts.waits),
            wait_twentieths_ms: counts.waits.twentieths_ms(20 * least.max(1)),
            drawn_waits: told(&counts.drawn_waits),
            claims: told(&counts.claims),
            stays: told(&counts.stays),
            course_ms: coarse.width(),
            course: coarse.iter().map(|(at, value)| course(at, value)).collect(),
            arrivals: arrivals.iter().map(|group| came(group, least)).collect(),
            lanes: counts.lanes.told(least),
            numbers: (counts.lanes.iter()).flat_map(|lane| called_of(lane, least)).collect(),
            origin: origin(total),
            stock: stock(&counts),
            proofs: verdicts(&counts.proofs),
            forecasts: None,
            acts: match asked.is_public {
                true => counts.acts.public(),
                false => counts.acts,
            },
            heads: counts.heads.iter().map(|(_, head)| *head).collect(),
            settings: ledger.config.as_ref().map(settings).unwrap_or_default(),
        }
    }
}

impl From<&Fault> for Wrong {
    fn from(fault: &Fault) -> Self {
        let (row, law) = (fault.row, fault.law);
        Self {
            row,
            law,
            what: fault.what.clone(),
        }
    }
}
