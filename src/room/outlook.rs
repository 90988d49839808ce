//! The outlook: what a forecast needs to know of a room, in at most 16 KB: who waits and since when, how long people stay, the last hour.
//!
//! The room makes no forecast; the desk's browser does (`web/advice/`). Everything here is measured for other purposes anyway, so an outlook costs
//! nothing until an operator asks for one.

use super::Room;
use super::health::Condition;
use super::lanes::Lane;
use super::measured::Measured;
use super::permits::Stage;
use super::ramp::{Ramp, Ramps};
use super::tickets::Tickets;
use super::times::Times;
use super::times::histogram::{Histogram, Sliding};
use super::times::hour::Sample;
use facts::config::Mode;
use facts::units::{Instant, Number};

use facts::few::FewMap;
use serde::{Deserialize, Serialize};

/// The format written here. A reader refuses any other.
pub const FORMAT: u32 = 1;
/// The number of points of the line, not counting its end. More would say more of old arrivals than a forecast can use.
const POINTS: u64 = 32;
/// Minimum number of recent claims to tell instead of all claims.
const RECENT_MIN: u64 = 50;

/// Makes a struct travel as the tuple of its fields: names would take most of the 16 KB.
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

/// The aggregates. Durations and instants are in milliseconds, instants on the room's clock unless they say otherwise.
///
/// At most 16 KB as JSON: 60 minutes of up to 60 bytes, 160 buckets of stays of up to 32, 160 of claims of up to 20, 33 points of up to 40, and a
/// head below 1 KB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outlook {
    /// The format: [`FORMAT`].
    pub format: u32,
    /// The room's time.
    pub now_ms: u64,
    /// The mode in force for everybody.
    pub mode: Mode,
    /// The number of permits.
    pub permits: u32,
    /// The ramp that the permits are on, if any.
    pub permits_ramp: Option<Ramp>,
    /// Admissions a second, times 1,000; 0 if there is no cap.
    pub admissions_milli_per_s: u64,
    /// The ramp that this cap is on, if any.
    pub admissions_ramp: Option<Ramp>,
    /// How long a called visitor has to come.
    pub claim_within_ms: u64,
    /// How long a lease lasts after its last activity if nobody ends it.
    pub lease_idle_ms: u64,
    /// The shortest time between two turns of the usher.
    pub tick_ms: u64,
    /// Whether people walk straight in while nobody waits.
    pub walk_in: bool,
    /// Tickets in line that are present and not called.
    pub present: u64,
    /// Tickets in line that are away and keep their places.
    pub away: u64,
    /// Tickets that are called and have not come yet.
    pub called: u32,
    /// Permits in use.
    pub inside: u32,
    /// People in the hall.
    pub in_hall: u64,
    /// When the room opens, Unix ms; `None` if it is open or that is not known.
    pub opens_at_ms: Option<u64>,
    /// Calls that were answered since the edition began.
    pub claimed: u64,
    /// Calls that nobody answered since the edition began.
    pub missed: u64,
    /// Walk-ins since the edition began.
    pub walked_in: u64,
    /// The number of people called for the first time since the edition began, and the sum of their waits, ms.
    pub waited: (u64, u64),
    /// Living tickets ahead of the first point of the line, mostly of people who were away when their turn came.
    pub passed_over: u64,
    /// How long people stay.
    pub stays: Vec<Stays>,
    /// Times from call to claim: the end of each bucket in ms, and how many lie in it.
    pub claims: Vec<(u64, u64)>,
    /// The line by age, the oldest point first. The last point is the next number to be issued, as of now.
    pub line: Vec<Point>,
    /// The last hour by minutes, the oldest first.
    pub hour: Vec<Minute>,
    /// Seats left, as the shop last reported.
    pub stock: Option<u32>,
    /// The state in which the room takes the origin to be.
    pub origin: Condition,
}

/// The stays whose length lies in one bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u64, u64)", into = "(u64, u64, u64, u64)")]
pub struct Stays {
    /// The end of the bucket, ms.
    pub to_ms: u64,
    /// Visits that ended since the edition began.
    pub ended: u64,
    /// Of these, visits that ended in the last five to ten minutes.
    pub ended_lately: u64,
    /// People who have been inside for so long.
    pub inside: u64,
}

as_tuple!(Stays {
    to_ms: u64,
    ended: u64,
    ended_lately: u64,
    inside: u64
});

/// A point of the line: when a number was issued, and how many present tickets are ahead of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u64)", into = "(u64, u64, u64)")]
pub struct Point {
    /// When the number was issued, ms.
    pub at_ms: u64,
    /// The number.
    pub number: u64,
    /// Present tickets ahead of it.
    pub present: u64,
}

as_tuple!(Point {
    at_ms: u64,
    number: u64,
    present: u64
});

/// The state of the room at the end of a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u32, u64)", into = "(u64, u64, u32, u64)")]
pub struct Minute {
    /// The end of the minute, ms.
    pub at_ms: u64,
    /// People in the line.
    pub waiting: u64,
    /// Permits in use.
    pub inside: u32,
    /// Admissions since the edition began.
    pub admitted: u64,
}

as_tuple!(Minute {
    at_ms: u64,
    waiting: u64,
    inside: u32,
    admitted: u64
});

impl Room {
    /// Returns the aggregates as of `now`. `ramps` are the values on their way. O(permits out + points · log n + buckets).
    #[must_use]
    pub fn outlook(&self, now: Instant, ramps: &Ramps) -> Outlook {
        let config = self.config();
        let Measured { totals, times } = &self.measured;
        let everybody = self.tickets.lanes().lane(self.tickets.lanes().everybody());
        let line = line_by_age(everybody, now);
        let front = line.first().map_or(everybody.line.next(), |point| Number(point.number));
        Outlook {
            format: FORMAT,
            now_ms: now.0,
            mode: self.tickets.lanes().mode(self.config.mode),
            permits: config.permits,
            permits_ramp: under_way(ramps.permits, now, config.tick_ms),
            admissions_milli_per_s: config.admissions_milli_per_s,
            admissions_ramp: under_way(ramps.admissions_milli_per_s, now, config.tick_ms),
            claim_within_ms: config.claim_within_ms,
            lease_idle_ms: config.lease_idle_ms,
            tick_ms: config.tick_ms,
            walk_in: config.walk_in,
            present: self.tickets.lanes().present(),
            away: self.tickets.lanes().away(),
            called: self.tickets.permits().called(),
            inside: self.tickets.permits().leased(),
            in_hall: self.tickets.lanes().in_hall(),
            opens_at_ms: self.tickets.lanes().opens_at_ms(),
            claimed: totals.claimed,
            missed: totals.missed,
            walked_in: totals.walked_in,
            waited: (times.wait.all().count(), times.wait.all().sum_ms()),
            passed_over: everybody.line.ahead(front).0,
            stays: stays(&self.tickets, times, now),
            claims: lately(&times.claim, now).buckets_ms().collect(),
            line,
            hour: minutes(&self.measured_at(now).times.hour.samples()),
            stock: self.stock.left(),
            origin: self.allowance.condition(now, config),
        }
    }
}

/// Returns how long people stay, by buckets.
fn stays(tickets: &Tickets, times: &Times, now: Instant) -> Vec<Stays> {
    let mut inside = Histogram::default();
    for (_, grant) in tickets.permits().out() {
        if let Stage::Leased(lease) = grant.stage {
            inside.add_ms(now.since_ms(lease.begun_at));
        }
    }
    let (released, expired) = (&times.released, &times.expired);
    let mut by_bucket: FewMap<u64, Stays> = FewMap::new();
    let mut add = |histogram: &Histogram, count: fn(&mut Stays) -> &mut u64| {
        for (to_ms, weight) in histogram.buckets_ms() {
            let kept = by_bucket.or_default(to_ms);
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

fn minutes(samples: &[Sample]) -> Vec<Minute> {
    let minutes = samples.iter().map(|sample| Minute {
        at_ms: sample.at_ms,
        waiting: sample.waiting,
        inside: sample.inside,
        admitted: sample.admitted,
    });
    minutes.collect()
}

/// Returns points at even distances from a number near the head to the next number to be issued. Skips the first fiftieth of those present: a few who
/// came back stand far ahead of all others.
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

/// Returns the ramp unless it has arrived.
fn under_way(ramp: Option<Ramp>, now: Instant, tick_ms: u64) -> Option<Ramp> {
    ramp.filter(|ramp| !ramp.is_over(now, tick_ms))
}

/// Returns what was seen lately, or everything if that is too little.
fn lately(seen: &Sliding, now: Instant) -> Histogram {
    let recent = seen.recent(now);
    if recent.count() < RECENT_MIN { seen.all().clone() } else { recent }
}
