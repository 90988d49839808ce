//! The counts of one edition. They are plain sums; `fold` knows what a fact means.

use super::acts::Acts;
use super::durations::Durations;
use super::lanes::Lanes;
use super::spans::{Kept, OF_MINUTES, OF_TIME, Spans};
use crate::audit::Fingerprint;
use crate::sums::{Sums, counts};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::proofs::ProofChecks;
use serde::Serialize;

counts! {
/// What became of people: everybody who was there before or came is in one of the others.
People {
    /// Waited when it began.
    before,
    /// Came into the hall, before an opening.
    entered,
    /// Got a number and waited. People from the hall are not counted again.
    joined,
    /// Went straight in.
    walked_in,
    /// Got in: came after a call, or walked in.
    got_in,
    /// Gave the place up, waiting or called.
    gave_up,
    /// Were away too long.
    lost,
    /// Missed two calls.
    missed_out,
    /// Waited when all was sold.
    sold_out,
    /// Were ended by the operator, waiting or called.
    dismissed,
    /// Waited when the operator began the next edition.
    reset,
    /// Waited at the end, called ones included.
    wait,
}
}

counts! {
/// What became of the people inside.
Inside {
    /// Were inside when it began.
    before,
    /// Gave their permit back.
    released,
    /// Kept it until it ran out.
    expired,
    /// Were ended by the operator.
    dismissed,
    /// Were inside when the operator began the next edition.
    reset,
    /// Were inside at the end.
    are,
}
}

counts! {
/// What else was counted.
Counted {
    /// Attempts to join, repeats included.
    attempts,
    /// Calls, second ones of a ticket included.
    calls,
    /// Calls that nobody answered.
    missed,
    /// How often somebody who waited went away.
    went_away,
    /// How often one of them came back.
    came_back,
    /// Places that were carried to another device.
    carried,
    /// Walk-ins whose permit ran out because they never showed the cookie: mostly programs.
    unproven,
    /// Leases that the site extended.
    extended,
}
}

counts! {
/// Permit-time, in ms times permits.
PermitTime {
    /// Time in which somebody was inside with it.
    used_ms,
    /// Time in which somebody was called with it and had not come yet.
    called_ms,
    /// Time in which it was free while somebody present waited and people were called.
    idle_ms,
}
}

counts! {
/// Time times people, and time times permits, in ms.
Crowd {
    /// How much time the journal covers while anybody was there.
    covered_ms,
    /// Present in line.
    present_ms,
    /// Away.
    away_ms,
    /// In the hall.
    hall_ms,
    /// Permits in force.
    permits_ms,
}
}

/// What was counted in a stretch of time, or in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    pub people: People,
    pub inside: Inside,
    pub counted: Counted,
    pub permit_time: PermitTime,
    pub crowd: Crowd,
    /// Answers of the origin that were not its own errors; those that were.
    pub good: u64,
    pub bad: u64,
    pub times: AnswerTimes,
    /// The seats left, as the shop said last.
    pub stock: Option<u32>,
}

impl Sums for Stretch {
    fn take(&mut self, later: &Self) {
        self.people.take(&later.people);
        self.inside.take(&later.inside);
        self.counted.take(&later.counted);
        self.permit_time.take(&later.permit_time);
        self.crowd.take(&later.crowd);
        self.good += later.good;
        self.bad += later.bad;
        self.times = self.times.plus(&later.times);
        self.stock = later.stock.or(self.stock);
    }
}

impl Kept for Stretch {
    const WIDTHS: &'static [u64] = OF_TIME;
    /// At some 400 bytes each.
    const MOST: usize = 2_048;
}

/// People who came in one stretch of time.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    pub joined: u64,
    pub walked_in: u64,
    /// The time from the number to the first call.
    pub waits: Durations,
}

impl Arrivals {
    pub const fn came(&self) -> u64 {
        self.joined + self.walked_in
    }
}

impl Sums for Arrivals {
    fn take(&mut self, later: &Self) {
        self.joined += later.joined;
        self.walked_in += later.walked_in;
        self.waits.take(&later.waits);
    }
}

impl Kept for Arrivals {
    const WIDTHS: &'static [u64] = OF_TIME;
    /// Each has a histogram.
    const MOST: usize = 512;
}

/// The head of the chain after a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Head {
    /// The wall clock at that row, Unix ms.
    pub at_ms: u64,
    /// The row.
    pub row: u64,
    /// The row's hash.
    pub hash: Fingerprint,
}

impl Sums for Head {
    fn take(&mut self, later: &Self) {
        *self = *later;
    }
}

impl Kept for Head {
    const WIDTHS: &'static [u64] = OF_MINUTES;
    /// One a minute for a day, then fewer.
    const MOST: usize = 1_440;
}

/// The highest number of people, and when it was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Most {
    /// How many.
    pub count: u64,
    /// When it was first reached: wall clock, Unix ms.
    pub at_ms: u64,
}

impl Most {
    pub const fn see(&mut self, count: u64, at_ms: u64) {
        if count > self.count {
            *self = Self { count, at_ms };
        }
    }
}

/// Everything of one edition so far.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub edition: u32,
    /// The wall clock at the first counted row and at the last, Unix ms; `None` before the first.
    pub wall_ms: Option<(u64, u64)>,
    pub total: Stretch,
    pub longest_line: Most,
    pub fullest_hall: Most,
    pub most_inside: Most,
    /// The fewest and the most permits in force.
    pub permits: Option<(u64, u64)>,
    /// The time from the number, or from the draw, to the first call.
    pub waits: Durations,
    /// The same for people whose number was drawn.
    pub drawn_waits: Durations,
    /// The time from the call to the claim.
    pub claims: Durations,
    /// The time from the claim, or the walk-in, to the release.
    pub stays: Durations,
    pub stretches: Spans<Stretch>,
    pub arrivals: Spans<Arrivals>,
    pub lanes: Lanes,
    pub heads: Spans<Head>,
    pub proofs: ProofChecks,
    /// When the shop first said what is left, and how much.
    pub first_stock: Option<(u64, u32)>,
    pub acts: Acts,
}

impl Counts {
    pub fn new(edition: u32) -> Self {
        Self { edition, ..Self::default() }
    }

    /// Adds to the total and to the stretch of this time. O(log stretches).
    pub fn count(&mut self, wall_ms: u64, add: impl Fn(&mut Stretch)) {
        add(&mut self.total);
        add(self.stretches.at(wall_ms));
    }

    /// The number of people who have come.
    pub const fn came(&self) -> u64 {
        let people = &self.total.people;
        people.entered + people.joined + people.walked_in
    }
}
