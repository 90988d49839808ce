//! What the aggregates say about people, and one draw from that: a world that agrees with what was measured.

use crate::arrivals::Arrivals;
use crate::chance::Chance;
use crate::patience::{Leaving, Patience};
use crate::stays::{Curve, Seen};
use room::outlook::Outlook;

/// How much stays may change while the forecast runs, as the deviation of a logarithm. Measured with `check-advice`.
const STAYS_CHANGE: f64 = 0.13;
/// The mean of that logarithm. Shops get slower more often than faster, and most of what is not known makes a line longer.
const STAYS_LONGER: f64 = 0.01;
/// How much arrivals may change, in the same way.
const ARRIVALS_CHANGE: f64 = 0.2;
/// How much patience may change, in the same way.
const PATIENCE_CHANGE: f64 = 0.35;
/// The share of futures in which the crowd comes to its end, and by how much more at most it then falls a minute from now on.
const CROWD_ENDS: (f64, f64) = (0.2, 0.3);
/// The weight of the prior: the number of calls assumed to have been answered before any was.
const CALLS_PRIOR: f64 = 20.0;

/// What is known about people.
#[derive(Clone, Debug)]
pub struct Beliefs {
    /// About stays.
    pub stays: Seen,
    /// About arrivals.
    pub arrivals: Arrivals,
    /// About giving up.
    pub patience: Patience,
    claims: Vec<(f64, u64)>,
    claimed: f64,
    missed: f64,
}

/// One draw of what is known.
#[derive(Clone, Debug)]
pub struct World {
    /// How long people stay.
    pub stays: Curve,
    /// The factor by which stays are longer.
    pub slower: f64,
    /// Arrivals a millisecond, now.
    pub arrive_per_ms: f64,
    /// The share by which that falls in a millisecond.
    pub fall_per_ms: f64,
    /// Who gives up.
    pub leaving: Leaving,
    /// The share of calls that nobody answers.
    pub missed: f64,
    claims: Vec<(f64, u64)>,
}

impl Beliefs {
    /// Reads the aggregates. O(their size).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let claims = outlook.claims.iter();
        Self {
            stays: Seen::of(outlook),
            arrivals: Arrivals::of(outlook),
            patience: Patience::of(outlook),
            claims: claims.map(|(ms, count)| (*ms as f64, *count)).collect(),
            claimed: outlook.claimed as f64,
            missed: outlook.missed as f64,
        }
    }

    /// Draws a world. O(buckets).
    #[must_use]
    pub fn world(&self, chance: &mut Chance) -> World {
        let Self { arrivals, patience, .. } = self;
        let arrivals_deviation = (ARRIVALS_CHANGE.powi(2) + 1.0 / (arrivals.seen + 1.0)).sqrt();
        let calls = self.claimed + self.missed + CALLS_PRIOR;
        let (ends, faster) = CROWD_ENDS;
        let ends = if chance.unit() < ends { faster * chance.unit() } else { 0.0 };
        let fall = arrivals.fall.0 + arrivals.fall.1 * chance.normal() + ends;
        let missed = (self.missed + 0.5) / calls;
        let missed_deviation = (missed * (1.0 - missed) / calls).sqrt();
        World {
            stays: self.stays.curve(chance),
            slower: STAYS_LONGER.exp() * chance.factor(STAYS_CHANGE),
            arrive_per_ms: arrivals.per_ms * chance.factor(arrivals_deviation),
            fall_per_ms: fall.max(0.0) / 60_000.0,
            leaving: patience.guess(PATIENCE_CHANGE, chance),
            missed: (missed + missed_deviation * chance.normal()).clamp(0.0, 0.9),
            claims: self.claims.clone(),
        }
    }
}

impl World {
    /// Draws how long a called visitor takes to come, ms. O(buckets).
    pub fn claim_ms(&self, chance: &mut Chance) -> f64 {
        let all: u64 = self.claims.iter().map(|(_, count)| count).sum();
        let mut rank = (chance.unit() * all as f64) as u64;
        for (ms, count) in &self.claims {
            if rank < *count {
                return *ms;
            }
            rank -= count;
        }
        0.0
    }

    /// Draws how long a visit lasts, ms.
    pub fn stay_ms(&self, chance: &mut Chance) -> f64 {
        self.slower * self.stays.draw(chance)
    }

    /// Draws how much longer a visit lasts that has lasted for `age_ms`, ms.
    pub fn rest_ms(&self, age_ms: f64, chance: &mut Chance) -> f64 {
        let age_ms = age_ms / self.slower;
        self.slower * (self.stays.draw_longer(age_ms, chance) - age_ms)
    }

    /// Draws how long somebody waits before giving up, ms; `None` if nobody gives up.
    pub fn patience_ms(&self, chance: &mut Chance) -> Option<u64> {
        let rate = self.leaving.per_ms;
        (rate > 0.0).then(|| (chance.wait() / rate) as u64)
    }

    /// Draws when the next person comes after `from_ms`, if `share` of everybody is played. Returns `None` if nobody comes any more.
    pub fn next_arrival_ms(&self, from_ms: f64, share: f64, chance: &mut Chance) -> Option<f64> {
        let now_rate = self.arrive_per_ms * share * (-self.fall_per_ms * from_ms).exp();
        if now_rate <= 0.0 {
            return None;
        }
        let work = chance.wait() / now_rate;
        if self.fall_per_ms <= 0.0 {
            return Some(from_ms + work);
        }
        let left = 1.0 - work * self.fall_per_ms;
        (left > 0.0).then(|| from_ms - left.ln() / self.fall_per_ms)
    }
}
