//! Reports how a room is doing, in numbers, for operators. The API answers the report, and metrics are made of it.

use super::health::Condition;
use super::lanes::LaneReport;
use super::schedule::StepTold;
use super::times::answers::OriginTimes;
use super::times::histogram::Sliding;
use super::times::observed::Observation;
use super::{Measured, Room, Totals};
use facts::config::Mode;
use facts::lanes::LanesRule;
use facts::proofs::ProofChecks;
use facts::units::{Instant, Number};
use serde::{Deserialize, Serialize};

/// A room in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The mode in force for everybody.
    pub mode: Mode,
    /// The number of permits.
    pub permits: u32,
    /// Tickets in line: present, away or called.
    pub waiting: u64,
    /// Of these, tickets that are present and not called.
    pub present: u64,
    /// Of these, tickets that are away and keep their places for the grace.
    pub away: u64,
    /// Of these, tickets that are called and have not come yet.
    pub called: u32,
    /// People in the hall, present or away.
    #[serde(default)]
    pub in_hall: u64,
    /// How many more places `line_max` leaves in everybody's line; `None` if there is no cap.
    #[serde(default)]
    pub places_left: Option<u64>,
    /// When the room opens, Unix ms; `None` if it is open or that is not known.
    #[serde(default)]
    pub opens_at_ms: Option<u64>,
    /// Permits in use.
    pub inside: u32,
    /// Of these, permits of the address that holds the most. A count alone: no address is kept.
    #[serde(default)]
    pub inside_of_one_address: u32,
    /// Permits in the usher's hand.
    pub hand: u32,
    /// Permits on the tray.
    pub tray: u32,
    /// Permits that vanish as they come back, because the room has fewer now.
    pub debt: u32,
    /// The edition: how many times the room has been begun. Numbers are unique within it.
    pub edition: u32,
    /// The number that the next ticket of everybody's lane gets.
    pub next_number: u64,
    /// Lobbies that have ever had a ticket.
    pub lobbies: u32,
    /// Rows that the room has written.
    pub version: u64,
    /// The counters since the edition began.
    pub totals: Totals,
    /// The state in which the room takes the origin to be.
    #[serde(default)]
    pub origin: Condition,
    /// Lobbies that have not acknowledged what they must hear. Counted by the courier.
    #[serde(default)]
    pub untold: u32,
    /// Lobbies whose last push failed. Counted by the courier since it came into memory.
    #[serde(default)]
    pub unreached: u32,
    /// How long things take.
    pub durations: Durations,
    /// Permit-milliseconds since the edition began in which a permit was called for and not yet taken, or was free while somebody present waited and
    /// the mode allowed calls.
    pub dead_permit_ms: u64,
    /// Permit-milliseconds since the edition began in which a permit was in use.
    pub used_permit_ms: u64,
    /// The result of the last observation; `None` if there was none.
    #[serde(default)]
    pub observation: Option<Observation>,
    /// Seats left, as the shop last reported; `None` if it never did.
    #[serde(default)]
    pub stock: Option<u32>,
    /// The last number that can expect a seat; 0 if perhaps nobody who waits can, `None` if that is not known.
    #[serde(default)]
    pub seats_to: Option<Number>,
    /// How the shop's check judged proofs in the last five to ten minutes. If the check only reports, the requests that count as
    /// refused were let through.
    #[serde(default)]
    pub proofs: ProofChecks,
    /// How long the origin took to answer people inside.
    #[serde(default)]
    pub answers: Answers,
    /// The steps of the schedule, in order of time, and how each stands.
    #[serde(default)]
    pub schedule: Vec<StepTold>,
    /// Requests that fronts let in while the room could not be reached. Counted by the object, not by the room's core, since it came into memory.
    #[serde(default)]
    pub opened: u64,
    /// How many proofs there were that the room's data is older than what people were told, since it was made.
    #[serde(default)]
    pub rolled_back: u64,
    /// The number of calls in the deepest chain between front, lobbies and room. Counted by the object since it came into memory.
    #[serde(default)]
    pub call_depth: u32,
    /// The lanes on the list, then those that have left it and still have people. Empty for a room without lanes.
    #[serde(default)]
    pub lanes: Vec<LaneReport>,
    /// The rule that says which lane is next.
    #[serde(default)]
    pub lanes_rule: LanesRule,
}

/// The histograms of a room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    /// From the issue of a number to its first call. Walk-ins have no wait.
    pub wait: Duration,
    /// From the call to the claim.
    pub claim: Duration,
    /// The time inside of visitors who gave their permit back.
    pub released: Duration,
    /// The time inside of visitors whose lease reached its end, without walk-ins that never showed their cookie.
    pub expired: Duration,
    /// For how long a permit had been dead since its last holder when it was claimed.
    pub handover: Duration,
}

/// One histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duration {
    /// How many were measured since the edition began.
    pub count: u64,
    /// Their sum.
    pub sum_ms: u64,
    /// How many lie in each octave, by its end in 64ths of a second. Those longer than the last octave are left out.
    pub octaves: Vec<(u64, u64)>,
    /// Half of all were no longer than this.
    pub p50_ms: Option<u64>,
    /// Nine of ten were no longer than this.
    pub p90_ms: Option<u64>,
    /// Those of the last five to ten minutes.
    pub recent: Recent,
}

/// How long the origin took to answer people inside, from the request sent to the headers received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// Answers since the edition began, without errors.
    pub count: u64,
    /// Their sum.
    pub sum_ms: u64,
    /// Errors of the origin's own (5xx), or no answer at all, since the edition began. They have no time.
    pub failed: u64,
    /// How many answers lie in each octave, by its end in ms. Those longer than the last octave are left out.
    pub octaves: Vec<(u64, u64)>,
    /// Those of the last five to ten minutes.
    pub recent: RecentAnswers,
}

/// How long the origin took lately. The quantiles are interpolated within an octave, so their error is less than a factor of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentAnswers {
    /// Answers, without errors.
    pub count: u64,
    /// Errors.
    pub failed: u64,
    /// Half took no longer than this; 65,536 means that or more.
    pub p50_ms: Option<u64>,
    /// Nineteen of twenty took no longer than this; 65,536 means that or more.
    pub p95_ms: Option<u64>,
}

impl Answers {
    fn of(times: &OriginTimes, now: Instant) -> Self {
        let (all, recent) = (times.all(), times.recent(now));
        Self {
            count: all.count(),
            sum_ms: all.sum_ms,
            failed: all.failed,
            octaves: all.octaves().collect(),
            recent: RecentAnswers {
                count: recent.count(),
                failed: recent.failed,
                p50_ms: recent.quantile_ms(500),
                p95_ms: recent.quantile_ms(950),
            },
        }
    }
}

/// What was seen lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// How many were measured.
    pub count: u64,
    /// Half were no longer than this.
    pub p50_ms: Option<u64>,
    /// Nine of ten were no longer than this.
    pub p90_ms: Option<u64>,
}

impl Duration {
    fn of(sliding: &Sliding, now: Instant) -> Self {
        let (all, recent) = (sliding.all(), sliding.recent(now));
        Self {
            count: all.count(),
            sum_ms: all.sum_ms(),
            octaves: all.octaves(),
            p50_ms: all.quantile_ms(500),
            p90_ms: all.quantile_ms(900),
            recent: Recent {
                count: recent.count(),
                p50_ms: recent.quantile_ms(500),
                p90_ms: recent.quantile_ms(900),
            },
        }
    }
}

impl Room {
    /// Returns the room in numbers as of `now`. O(lobbies + lanes + steps · log steps + measurements + permits · log permits).
    #[must_use]
    pub fn report(&self, now: Instant) -> Report {
        let Measured { totals, times } = self.measured_at(now);
        Report {
            mode: self.tickets.lanes().mode(self.config.mode),
            permits: self.config.permits,
            waiting: self.tickets.lanes().waiting(),
            present: self.tickets.lanes().present(),
            away: self.tickets.lanes().away(),
            called: self.tickets.permits().called(),
            in_hall: self.tickets.lanes().in_hall(),
            places_left: self.tickets.lanes().places_left(self.tickets.lanes().everybody(), self.config.line_max),
            opens_at_ms: self.tickets.lanes().opens_at_ms(),
            inside: self.tickets.permits().leased(),
            inside_of_one_address: self.tickets.permits().leases_of_one_address(),
            hand: self.tickets.permits().hand(),
            tray: self.tickets.permits().tray(),
            debt: self.tickets.permits().debt(),
            edition: self.edition.0,
            next_number: self.tickets.lanes().lane(self.tickets.lanes().everybody()).line().next().within(),
            lobbies: u32::try_from(self.book.lobbies().count()).unwrap_or(u32::MAX),
            version: self.version.0,
            totals,
            origin: self.allowance.condition(now, &self.config),
            untold: 0,
            unreached: 0,
            durations: Durations {
                wait: Duration::of(&times.wait, now),
                claim: Duration::of(&times.claim, now),
                released: Duration::of(&times.released, now),
                expired: Duration::of(&times.expired, now),
                handover: Duration::of(&times.handover, now),
            },
            dead_permit_ms: times.dead_ms,
            used_permit_ms: times.used_ms,
            observation: times.observed.told(),
            stock: self.stock.left(),
            seats_to: self.seats_to(),
            proofs: times.proofs.recent(now),
            answers: Answers::of(&times.answers, now),
            schedule: self.schedule.told(&self.config),
            opened: 0,
            rolled_back: self.rolled_back(),
            call_depth: 0,
            lanes: self.tickets.lanes().reports(now, self.config.mode),
            lanes_rule: self.tickets.lanes().rule(),
        }
    }
}
