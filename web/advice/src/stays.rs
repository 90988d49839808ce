//! How long people stay, from visits that ended and from those that go on.
//!
//! Early in a sale only short visits have ended. So a visit that goes on counts as at least that long (Kaplan and Meier,
//! *Nonparametric Estimation from Incomplete Observations*, 1958). Once permits have changed hands often, the visits that ended
//! lately speak alone: the shop may be slower than it was.

use crate::chance::Chance;
use baton::room::outlook::{Outlook, Stays};

/// After so many visits for each permit in use, what ended lately is a fair sample.
const GENERATIONS: u64 = 5;
/// And from so many visits on.
const LATELY_MIN: u64 = 60;
/// A bucket is about so wide, as a share of its end: from a ninth to a sixteenth.
const WIDTH: f64 = 1.0 / 12.0;

/// A visit that ended, or goes on, by length.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    from_ms: f64,
    to_ms: f64,
    ended: f64,
    goes_on: f64,
}

/// What is known of stays.
#[derive(Clone, Debug)]
pub struct Seen {
    buckets: Vec<Bucket>,
    /// Visits that ended, among those that count.
    ended: f64,
    /// How long those inside have been there, ms, as (middle of a bucket, how many).
    ages: Vec<(f64, u64)>,
    /// Who never says to be done is taken for gone after so long, ms.
    silent_ms: f64,
}

impl Seen {
    /// From the aggregates. O(buckets).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let stays = &outlook.stays;
        let sum = |count: fn(&Stays) -> u64| stays.iter().map(count).sum::<u64>();
        let (all, lately, inside) = (sum(|s| s.ended), sum(|s| s.ended_lately), sum(|s| s.inside));
        let is_steady = lately >= LATELY_MIN && all >= inside.saturating_mul(GENERATIONS);
        let bucket = |stays: &Stays| {
            let to_ms = stays.to_ms as f64;
            let (ended, goes_on) = if is_steady {
                (stays.ended_lately, 0)
            } else {
                (stays.ended, stays.inside)
            };
            Bucket {
                from_ms: to_ms * (1.0 - WIDTH),
                to_ms,
                ended: ended as f64,
                goes_on: goes_on as f64,
            }
        };
        let buckets: Vec<Bucket> = stays.iter().map(bucket).collect();
        let ended = buckets.iter().map(|bucket| bucket.ended).sum();
        let inside = stays.iter().filter(|stays| stays.inside > 0);
        let ages = inside.map(|stays| (stays.to_ms as f64 * (1.0 - WIDTH / 2.0), stays.inside));
        Self {
            ended,
            ages: ages.collect(),
            buckets,
            silent_ms: outlook.lease_idle_ms as f64,
        }
    }

    /// Visits that ended and count.
    #[must_use]
    pub const fn ended(&self) -> f64 {
        self.ended
    }

    /// Those inside: for how long, ms, and how many.
    #[must_use]
    pub fn ages(&self) -> &[(f64, u64)] {
        &self.ages
    }

    /// One curve that agrees with what was seen: each bucket's count is drawn anew. O(buckets).
    #[must_use]
    pub fn curve(&self, chance: &mut Chance) -> Curve {
        let drawn = |bucket: &Bucket| Bucket {
            ended: (bucket.ended + bucket.ended.sqrt() * chance.normal()).max(bucket.ended * 0.1),
            ..*bucket
        };
        let buckets: Vec<Bucket> = self.buckets.iter().map(drawn).collect();
        Curve::of(&buckets, self.silent_ms)
    }

    /// The curve of what was seen, as it is. O(buckets).
    #[must_use]
    pub fn best(&self) -> Curve {
        Curve::of(&self.buckets, self.silent_ms)
    }
}

/// The share of visits that last longer, step by step.
#[derive(Clone, Debug)]
pub struct Curve {
    /// From, to (ms), and the share that lasts beyond `to`.
    steps: Vec<(f64, f64, f64)>,
    /// Beyond the last step visits go on for so long on average, ms.
    tail_ms: f64,
}

impl Curve {
    fn of(buckets: &[Bucket], silent_ms: f64) -> Self {
        let mut at_risk: f64 = buckets.iter().map(|b| b.ended + b.goes_on).sum();
        let ended: f64 = buckets.iter().map(|b| b.ended).sum();
        let spent: f64 = buckets
            .iter()
            .map(|b| (b.ended + b.goes_on) * b.to_ms * (1.0 - WIDTH / 2.0))
            .sum();
        let mut share = 1.0;
        let mut steps = Vec::with_capacity(buckets.len());
        for bucket in buckets {
            let exposed = (at_risk - bucket.goes_on / 2.0).max(bucket.ended).max(1e-9);
            share *= 1.0 - bucket.ended / exposed;
            at_risk -= bucket.ended + bucket.goes_on;
            steps.push((bucket.from_ms, bucket.to_ms, share));
        }
        // Who is longer there than anybody who has left is mostly one who will never say so: the lease ends it.
        let last_ms = steps.last().map_or(0.0, |(_, to_ms, _)| *to_ms);
        let tail_ms = (spent / ended.max(1.0)).max(silent_ms - last_ms);
        Self { steps, tail_ms }
    }

    /// The length that this share of visits exceeds, ms.
    fn longer_than(&self, share: f64) -> Option<f64> {
        let at = self.steps.partition_point(|(_, _, left)| *left > share);
        let (from_ms, to_ms, below) = *self.steps.get(at)?;
        let above = match at.checked_sub(1).and_then(|before| self.steps.get(before)) {
            Some((_, _, share)) => *share,
            None => 1.0,
        };
        let within = (above - share) / (above - below).max(1e-12);
        Some(from_ms + (to_ms - from_ms) * within)
    }

    /// The share of visits that last longer than this.
    fn share_beyond(&self, ms: f64) -> f64 {
        let at = self.steps.partition_point(|(_, to_ms, _)| *to_ms <= ms);
        match at.checked_sub(1).and_then(|before| self.steps.get(before)) {
            Some((_, _, share)) => *share,
            None => 1.0,
        }
    }

    /// One visit's length, ms. O(log buckets).
    pub fn draw(&self, chance: &mut Chance) -> f64 {
        self.draw_longer(0.0, chance)
    }

    /// The length of a visit that has lasted for so long already, ms. O(log buckets).
    pub fn draw_longer(&self, age_ms: f64, chance: &mut Chance) -> f64 {
        let share = self.share_beyond(age_ms) * (1.0 - chance.unit());
        match self.longer_than(share) {
            Some(ms) => ms.max(age_ms),
            None => {
                let last = self.steps.last().map_or(0.0, |(_, to_ms, _)| *to_ms);
                last.max(age_ms) + self.tail_ms * chance.wait()
            }
        }
    }

    /// The mean length, ms. O(buckets).
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        let (mut mean, mut above) = (0.0, 1.0);
        for (from_ms, to_ms, below) in &self.steps {
            mean += (above - below) * (from_ms + to_ms) / 2.0;
            above = *below;
        }
        let last = self.steps.last().map_or(0.0, |(_, to_ms, _)| *to_ms);
        mean + above * (last + self.tail_ms)
    }
}
