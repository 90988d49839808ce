//! Records what one run showed: who got in when, who did not and why, and what was counted.

use super::crowd::Person;
use super::event::Event;
use super::outcome::{Outcome, Outcomes};
use super::parts::{State, Visit};
use baton::facts::units::Number;
use baton::room::Room;
use baton::room::report::Report;
use serde::Serialize;

/// The number of samples of the whole while people come, or fewer if they would be closer than [`SAMPLE_MS_MIN`].
const SAMPLES: u64 = 160;
/// The shortest time between two samples, ms.
const SAMPLE_MS_MIN: u64 = 1_000;
/// The number of spans of equal length by which moments of coming are told apart.
pub const SPANS: usize = 20;
/// How often a page pings (`PING_MS` of web/connection.js), ms.
const PING_MS: u64 = 25_000;

/// The whole at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The permits in use.
    pub inside: u32,
    /// The people with a place, in the hall or in line.
    pub waiting: u64,
    /// The seats left, if seats end.
    pub seats_left: Option<u64>,
    /// The number who have got in so far.
    pub entered: u64,
    /// The number up to which the room expects a seat.
    pub seats_to: Option<Number>,
}

/// What is billed, or leads to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Requests to the worker for the wait: pages, sockets, landings.
    pub worker: u64,
    /// Requests to the worker from inside.
    pub inside: u64,
    /// Requests from fronts to lobbies.
    pub lobby: u64,
    /// Batches at the room.
    pub batches: u64,
    /// Pushes to lobbies.
    pub pushes: u64,
    /// Alarms of the room that rang.
    pub alarms: u64,
    /// Alarms of the room that were set.
    pub alarms_set: u64,
    /// Rows of the room's journal.
    pub rows: u64,
    /// Pings.
    pub pings: u64,
    /// Pages loaded again by people who wait.
    pub reloads: u64,
    /// Visitors who never waited.
    pub walked_in: u64,
}

/// One lane in one run. Times are in ms from the beginning.
#[derive(Clone, Debug, Default)]
pub struct LaneSeen {
    /// The number of its people who came.
    pub came: u64,
    /// The wait of each person who got in.
    pub waits: Vec<u32>,
    /// Its people by outcome.
    pub outcomes: Outcomes,
    /// The longest time in which somebody present waited and nobody was called.
    pub pause_ms: u32,
    /// How many had got in at each of [`Seen::samples`].
    pub(super) entered_at: Vec<u32>,
    /// Since when somebody present waits and nobody was called.
    since: Option<u32>,
}

impl LaneSeen {
    /// Records a call of somebody in the lane.
    pub(super) fn called(&mut self, now: u32) {
        self.paused(now);
        self.since = self.since.map(|_| now);
    }

    /// Records who has got in so far, at a sample.
    pub(super) fn sampled(&mut self) {
        self.entered_at.push(self.waits.len() as u32);
    }

    /// Records after a turn whether somebody present waits.
    pub(super) fn stands(&mut self, is_waited_in: bool, now: u32) {
        if !is_waited_in {
            self.paused(now);
        }
        self.since = is_waited_in.then(|| self.since.unwrap_or(now));
    }

    /// Ends a pause that lasted until now.
    pub(super) fn paused(&mut self, now: u32) {
        let ms = self.since.map_or(0, |since| now.saturating_sub(since));
        self.pause_ms = self.pause_ms.max(ms);
    }
}

/// Everything seen in one run. Times are in ms from the beginning.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// For each person who got in: when they came, and how long it took from then or from the opening, whichever was later.
    pub waits: Vec<(u32, u32)>,
    /// The whole, every `sample_ms`: inside, waiting, seats left, number who got in.
    pub samples: Vec<[u64; 4]>,
    /// The time between samples.
    pub sample_ms: u32,
    /// The number up to which a seat was expected, at each sample.
    seats_to: Vec<u64>,
    /// People who waited in vain: number, since when, until when.
    vain: Vec<(Number, u32, u32)>,
    opens_ms: u32,
    reloads_per_ms: f64,
    reloads: f64,
    /// When the last seat went.
    pub seats_end_ms: Option<u32>,
    /// When the last person got in.
    pub last_in_ms: u32,
    /// When everything was over.
    pub over_ms: u32,
    /// Seats sold.
    pub sold: u64,
    /// What was counted.
    pub counts: Counts,
    /// The people by outcome.
    pub outcomes: Outcomes,
    /// Calls that nobody answered.
    pub missed: u64,
    /// The permit-time that was dead while somebody waited, ms.
    pub dead_ms: u64,
    /// The permit-time that was used, ms.
    pub used_ms: u64,
    /// The same by lane, in the order of the list.
    pub lanes: Vec<LaneSeen>,
    /// For each person who waited in vain and was told before the end: how long before, ms.
    pub told_before_ms: Vec<u64>,
}

impl Seen {
    pub(super) fn new(event: &Event) -> Self {
        let sample_ms = (event.span_ms() / SAMPLES).max(SAMPLE_MS_MIN);
        Self {
            sample_ms: sample_ms as u32,
            opens_ms: event.opens_ms() as u32,
            reloads_per_ms: event.reloads / 3_600_000.0,
            lanes: vec![LaneSeen::default(); event.groups.len()],
            ..Self::default()
        }
    }

    /// Returns true if a sample is due by `at`.
    pub(super) fn is_sample_due(&self, at: u32) -> bool {
        self.samples.len() as u64 * u64::from(self.sample_ms) <= u64::from(at)
    }

    pub(super) fn sampled(&mut self, sample: Sample) {
        self.lanes.iter_mut().for_each(LaneSeen::sampled);
        self.samples
            .push([sample.inside.into(), sample.waiting, sample.seats_left.unwrap_or(0), sample.entered]);
        self.seats_to.push(sample.seats_to.map_or(u64::MAX, |number| number.0));
    }

    pub(super) fn gets_in(&mut self, person: &Person, now: u32) {
        let comes_ms = person.comes_ms;
        let wait_ms = now.saturating_sub(comes_ms.max(self.opens_ms));
        self.waits.push((comes_ms, wait_ms));
        if let Some(lane) = self.lanes.get_mut(usize::from(person.lane)) {
            lane.waits.push(wait_ms);
        }
        self.last_in_ms = now;
    }

    /// Records that somebody's page was open from then to now.
    pub(super) fn note_open(&mut self, since_ms: u32, now: u32) {
        let ms = u64::from(now.saturating_sub(since_ms));
        self.counts.pings += ms / PING_MS;
        self.reloads += ms as f64 * self.reloads_per_ms;
    }

    /// Records that something happened to people, so the run was not over before.
    pub(super) fn goes_on(&mut self, now: u32) {
        self.over_ms = self.over_ms.max(now);
    }

    pub(super) fn in_vain(&mut self, number: Number, since_ms: u32, until_ms: u32) {
        self.vain.push((number, since_ms, until_ms));
    }

    /// The number who waited until all was sold.
    #[must_use]
    pub const fn in_vain_count(&self) -> usize {
        self.vain.len()
    }

    pub(super) fn finish(&mut self, room: &Room, report: &Report, visits: &[Visit]) {
        self.counts.reloads = self.reloads.round() as u64;
        self.missed = room.measured().totals.missed;
        self.dead_ms = report.dead_permit_ms;
        self.used_ms = report.used_permit_ms;
        for visit in visits {
            let outcome = match visit.state {
                State::Over(outcome) => Some(outcome),
                State::Gone => Some(Outcome::GaveUp),
                _ => None,
            };
            self.outcomes.note(outcome);
            if let Some(lane) = self.lanes.get_mut(usize::from(visit.person.lane)) {
                lane.came += 1;
                lane.outcomes.note(outcome);
            }
        }
        self.tell_early();
    }

    /// Works out when each person who waited in vain could know: from the first moment on at which the room expected no seat for that
    /// number and never again did.
    fn tell_early(&mut self) {
        let mut most = 0;
        for reach in self.seats_to.iter_mut().rev() {
            most = most.max(*reach);
            *reach = most;
        }
        for (number, since_ms, until_ms) in &self.vain {
            let at = self.seats_to.partition_point(|reach| *reach >= number.0);
            let told_ms = (at as u64 * u64::from(self.sample_ms)).max(u64::from(*since_ms));
            if told_ms < u64::from(*until_ms) {
                self.told_before_ms.push(u64::from(*until_ms) - told_ms);
            }
        }
    }

    /// The number who got in, whatever came of it.
    #[must_use]
    pub fn entered(&self) -> u64 {
        self.waits.len() as u64
    }
}
