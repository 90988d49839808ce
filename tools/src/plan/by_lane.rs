//! Gathers what a plan shows of each lane: who came, got in or did not, how long they waited, and how long nobody of the lane was called.

use super::bands::{Band, Waits, three, waits_of};
use super::event::Event;
use super::lanes::Group;
use super::seen::{LaneSeen, Seen};
use serde::Serialize;

/// One lane of one run in figures. The names are those of [`Run`](super::forecast::Run).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LaneRun {
    /// The number of people who came.
    pub came: u64,
    /// The number who got in.
    pub entered: u64,
    /// The number who bought.
    pub bought: u64,
    /// The median wait of those who got in.
    pub wait_p50_ms: f64,
    /// Nine of ten waited less.
    pub wait_p90_ms: f64,
    /// Ninety-nine of a hundred waited less.
    pub wait_p99_ms: f64,
    /// The number who gave up.
    pub gave_up: u64,
    /// The number who missed two calls.
    pub lost_calls: u64,
    /// The number who waited until all was sold.
    pub in_vain: u64,
    /// The number who came when all was sold.
    pub turned_away: u64,
    /// The number whose end was not seen.
    pub unseen: u64,
    /// The longest time in which somebody present waited and nobody was called.
    pub pause_ms: f64,
}

impl LaneRun {
    fn of(seen: &LaneSeen) -> Self {
        let waits = seen.waits.iter().map(|ms| f64::from(*ms)).collect();
        let [wait_p50_ms, wait_p90_ms, wait_p99_ms] = three(waits);
        Self {
            came: seen.came,
            entered: seen.waits.len() as u64,
            bought: seen.outcomes.bought,
            wait_p50_ms,
            wait_p90_ms,
            wait_p99_ms,
            gave_up: seen.outcomes.gave_up,
            lost_calls: seen.outcomes.missed,
            in_vain: seen.outcomes.in_vain,
            turned_away: seen.outcomes.turned_away,
            unseen: seen.outcomes.unseen,
            pause_ms: seen.pause_ms.into(),
        }
    }
}

/// What the planner keeps of one lane of a run.
pub(super) struct LaneDigest {
    run: LaneRun,
    entered_at: Vec<u32>,
}

/// Returns the lanes of a run, in the order of the list.
pub(super) fn digests_of(seen: &Seen) -> Vec<LaneDigest> {
    let digest = |lane: &LaneSeen| LaneDigest {
        run: LaneRun::of(lane),
        entered_at: lane.entered_at.clone(),
    };
    seen.lanes.iter().map(digest).collect()
}

/// How many people of a lane had got in by a moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LaneMoment {
    /// The moment, ms after the opening.
    pub at_ms: i64,
    /// The number of people.
    pub entered: Band,
}

/// What many runs say together about one lane.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaneForecast {
    /// Its name.
    pub name: String,
    /// The share of the people who have it.
    pub people: f64,
    /// Calls in a row when its turn comes; `None` if the room of this plan has no lanes.
    pub share: Option<u32>,
    /// How long those of its people wait who get in; `None` if none ever does.
    pub waits: Option<Waits>,
    /// How many had got in, at the moments of [`Forecast::curve`](super::forecast::Forecast::curve).
    pub curve: Vec<LaneMoment>,
    /// Each run.
    pub runs: Vec<LaneRun>,
}

/// Returns what the runs say together about each lane. `lanes` has each run's lanes, in the order of the list. `moments` names the samples that are
/// shown, each with its time.
pub(super) fn together(event: &Event, lanes: &[&Vec<LaneDigest>], moments: &[(usize, i64)]) -> Vec<LaneForecast> {
    let forecast = |(at, group): (usize, &Group)| {
        let lane: Vec<&LaneDigest> = lanes.iter().filter_map(|run| run.get(at)).collect();
        let runs: Vec<LaneRun> = lane.iter().map(|lane| lane.run).collect();
        let waits = runs.iter().filter(|run| run.entered > 0);
        let waits = waits.map(|run| [run.wait_p50_ms, run.wait_p90_ms, run.wait_p99_ms]);
        LaneForecast {
            name: group.name.clone(),
            people: group.people,
            share: event.room.core.lanes.get(at).map(|lane| lane.share),
            waits: waits_of(waits.collect()),
            curve: curve_of(&lane, moments),
            runs,
        }
    };
    event.groups.iter().enumerate().map(forecast).collect()
}

fn curve_of(lane: &[&LaneDigest], moments: &[(usize, i64)]) -> Vec<LaneMoment> {
    // A run that is over stays as it ended.
    let entered = |run: &LaneDigest, sample: usize| {
        let at = run.entered_at.get(sample).or(run.entered_at.last());
        at.map_or(0.0, |entered| f64::from(*entered))
    };
    let moment = |(sample, at_ms): &(usize, i64)| {
        let values = lane.iter().map(|run| entered(run, *sample));
        LaneMoment {
            at_ms: *at_ms,
            entered: Band::of(values.collect()).unwrap_or_default(),
        }
    };
    moments.iter().map(moment).collect()
}
