//! What a forecast needs to know of a room, in at most 16 KB: who waits and since when, how long people stay, the last hour.
//!
//! The room only tells. The desk's browser makes the forecast (`web/advice/`). Everything here was measured for other ends
//! already, so a look costs nothing until somebody looks.

use super::Room;
use super::health::Condition;
use super::lanes::Lane;
use super::permits::Stage;
use super::ramp::{Ramp, Ramps};
use super::times::histogram::{Histogram, Sliding};
use crate::facts::config::Mode;
use crate::facts::units::{Instant, Number};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form that is written here. A reader refuses another.
pub const FORMAT: u32 = 1;
/// Points of the line. More would say more of old arrivals than a forecast can use.
const POINTS: u64 = 32;
/// What is recent speaks for the stays from so many on.
const RECENT_MIN: u64 = 50;

/// A struct as the tuple of its fields, as which it travels: names would take most of the 16 KB.
macro_rules! as_tuple {
    ($name:ident { $($field:ident: $kind:ty),+ }) => {
        impl From<($($kind,)+)> for $name {
            fn from(($($field,)+): ($($kind,)+)) -> Self {
                Self { $($field),+ }
            }
        }

        impl From<$name> for ($($kind,)+) {
            fn from(value: $name) -> Self {
                ($(value.$field,)+)
            }
        }
    };
}

/// The aggregates. Durations and instants in milliseconds, instants on the room's clock.
///
/// At most 16 KB as JSON: 60 minutes of up to 60 bytes, 160 buckets of stays of up to 32, 160 of claims of up to 20, 33 points
/// of up to 40, and a head below 1 KB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outlook {
    /// [`FORMAT`].
    pub format: u32,
    /// The room's clock.
    pub now_ms: u64,
    /// The mode.
    pub mode: Mode,
    /// How many may be inside.
    pub permits: u32,
    /// Where the permits are on their way to.
    pub permits_ramp: Option<Ramp>,
    /// Admissions a second, times 1,000; 0: no cap.
    pub admissions_milli_per_s: u64,
    /// Where that is on its way to.
    pub admissions_ramp: Option<Ramp>,
    /// How long a called visitor has to come.
    pub claim_within_ms: u64,
    /// A visit of whose end nobody says anything lasts about so long beyond its last sign.
    pub lease_idle_ms: u64,
    /// The usher turns at most this often.
    pub tick_ms: u64,
    /// Whether people walk straight in while nobody waits.
    pub walk_in: bool,
    /// Seen lately and not called.
    pub present: u64,
    /// Away, keeping their places.
    pub away: u64,
    /// Called, not come yet.
    pub called: u32,
    /// Permits in use.
    pub inside: u32,
    /// People in the hall.
    pub in_hall: u64,
    /// When the room opens, Unix ms, while it is not open and that is known.
    pub opens_at_ms: Option<u64>,
    /// Calls that were answered since the edition began.
    pub claimed: u64,
    /// Calls that nobody answered.
    pub missed: u64,
    /// People who never waited, since the edition began.
    pub walked_in: u64,
    /// People called for the first time since the room began, and how long all of them had waited, ms.
    pub waited: (u64, u64),
    /// Living tickets in front of the first point of the line: mostly of people who were away when it was their turn.
    pub passed_over: u64,
    /// How long people stay.
    pub stays: Vec<Stays>,
    /// From the call to the claim: the end of a bucket, and how many.
    pub claims: Vec<(u64, u64)>,
    /// The line by age, the oldest first; the last is the next number to be issued, now.
    pub line: Vec<Point>,
    /// The last hour, a minute each, the oldest first.
    pub hour: Vec<Minute>,
    /// Seats left, as the shop last reported.
    pub stock: Option<u32>,
    /// How the origin is taken to be doing.
    pub origin: Condition,
}

/// Stays in one bucket: their longest, how many such visits ended since the room began, of these in the last five to ten
/// minutes, and how many people are inside for so long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u64, u64)", into = "(u64, u64, u64, u64)")]
pub struct Stays {
    /// The end of the bucket, ms.
    pub to_ms: u64,
    /// Ended since the room began.
    pub ended: u64,
    /// Ended lately.
    pub ended_lately: u64,
    /// Inside.
    pub inside: u64,
}

as_tuple!(Stays {
    to_ms: u64,
    ended: u64,
    ended_lately: u64,
    inside: u64
});

/// A point of the line: when a number was issued, and how many present people have a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u64)", into = "(u64, u64, u64)")]
pub struct Point {
    /// When, ms.
    pub at_ms: u64,
    /// The number.
    pub number: u64,
    /// Present people in front.
    pub present: u64,
}

as_tuple!(Point {
    at_ms: u64,
    number: u64,
    present: u64
});

/// How the room stood as a minute ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u32, u64)", into = "(u64, u64, u32, u64)")]
pub struct Minute {
    /// Its end, ms.
    pub at_ms: u64,
    /// People in the line.
    pub waiting: u64,
    /// Permits in use.
    pub inside: u32,
    /// Admissions since the room began.
    pub admitted: u64,
}

as_tuple!(Minute {
    at_ms: u64,
    waiting: u64,
    inside: u32,
    admitted: u64
});

impl Room {
    /// The aggregates as of `now`; `ramps`: what is on its way. O(permits out + points · log n + buckets).
    #[must_use]
    pub fn outlook(&self, now: Instant, ramps: &Ramps) -> Outlook {
        let config = self.config();
        let everybody = self.lanes.lane(self.lanes.everybody());
        let line = line_by_age(everybody, now);
        let front = line
            .first()
            .map_or(everybody.line.next(), |point| Number(point.number));
        Outlook {
            format: FORMAT,
            now_ms: now.0,
            mode: self.mode(),
            permits: config.permits,
            permits_ramp: under_way(ramps.permits, now, config.tick_ms),
            admissions_milli_per_s: config.admissions_milli_per_s,
            admissions_ramp: under_way(ramps.admissions_milli_per_s, now, config.tick_ms),
            claim_within_ms: config.claim_within_ms,
            lease_idle_ms: config.lease_idle_ms,
            tick_ms: config.tick_ms,
            walk_in: config.walk_in,
            present: self.lanes.present(),
            away: self.lanes.away(),
            called: self.permits.called(),
            inside: self.permits.leased(),
            in_hall: self.lanes.in_hall(),
            opens_at_ms: self.opens_at_ms(),
            claimed: self.totals.claimed,
            missed: self.totals.missed,
            walked_in: self.totals.walked_in,
            waited: (
                self.times.wait.all().count(),
                self.times.wait.all().sum_ms(),
            ),
            passed_over: everybody.line.ahead(front).0,
            stays: self.stays(now),
            claims: lately(&self.times.claim, now).buckets_ms().collect(),
            line,
            hour: self.minutes(now),
            stock: self.stock.left(),
            origin: self.health.condition(now, config),
        }
    }

    fn stays(&self, now: Instant) -> Vec<Stays> {
        let mut inside = Histogram::default();
        for (_, grant) in self.permits.out() {
            if let Stage::Leased(lease) = grant.stage {
                inside.add_ms(now.since_ms(lease.begun_at));
            }
        }
        let (released, expired) = (&self.times.released, &self.times.expired);
        let mut by_bucket: BTreeMap<u64, Stays> = BTreeMap::new();
        let mut add = |histogram: &Histogram, count: fn(&mut Stays) -> &mut u64| {
            for (to_ms, weight) in histogram.buckets_ms() {
                let kept = by_bucket.entry(to_ms).or_default();
                kept.to_ms = to_ms;
                *count(kept) += weight;
            }
        };
        for held in [released, expired] {
            add(held.all(), |stays| &mut stays.ended);
            add(&held.recent(now), |stays| &mut stays.ended_lately);
        }
        add(&inside, |stays| &mut stays.inside);
        by_bucket.into_values().collect()
    }

    fn minutes(&self, now: Instant) -> Vec<Minute> {
        let samples = self.hour(now).into_iter();
        let minutes = samples.map(|sample| Minute {
            at_ms: sample.at_ms,
            waiting: sample.waiting,
            inside: sample.inside,
            admitted: sample.admitted,
        });
        minutes.collect()
    }
}

/// Points at even distances between a number near the head and the next. A fiftieth of the people present is left out: a
/// few who came back stand far in front of all others.
fn line_by_age(lane: &Lane, now: Instant) -> Vec<Point> {
    let next = lane.line.next();
    let skipped = lane.line.present() / 50;
    let Some(first) = lane.line.nth_present(skipped) else {
        return Vec::new();
    };
    let between = next.0.saturating_sub(first.0);
    let points = POINTS.min(between);
    let numbers = (0..=points).map(|at| Number(first.0 + between * at / points.max(1)));
    let point = |number: Number| Point {
        at_ms: match lane.joins.issued_at(number) {
            Some(at) if number < next => at.0,
            _ => now.0,
        },
        number: number.0,
        present: lane.line.present_before(number),
    };
    numbers.map(point).collect()
}

/// A ramp that has not arrived.
fn under_way(ramp: Option<Ramp>, now: Instant, tick_ms: u64) -> Option<Ramp> {
    ramp.filter(|ramp| !ramp.is_over(now, tick_ms))
}

/// What was seen lately, or all of it where that is too little.
fn lately(seen: &Sliding, now: Instant) -> Histogram {
    let recent = seen.recent(now);
    if recent.count() < RECENT_MIN {
        seen.all().clone()
    } else {
        recent
    }
}
