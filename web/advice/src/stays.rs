//! Estimates how long people stay, from visits that ended and from visits that go on.
//!
//! Early in a sale only short visits have ended. So a visit that goes on counts as at least that long (Kaplan and Meier, *Nonparametric
//! Estimation from Incomplete Observations*, 1958). Once permits have changed hands often, only the visits that ended lately count: the shop
//! may be slower than it was.

use crate::chance::Chance;
use room::outlook::{Outlook, Stays};

/// The number of visits for each permit in use after which the visits that ended lately are a fair sample.
const GENERATIONS: u64 = 5;
/// The fewest visits that ended lately to go by them alone.
const LATELY_MIN: u64 = 60;
/// The width of a bucket as a share of its end, about: it is from a ninth to a sixteenth.
const WIDTH: f64 = 1.0 / 12.0;

/// The visits of one range of lengths, those that ended and those that go on.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    from_ms: f64,
    to_ms: f64,
    ended: f64,
    goes_on: f64,
}

/// What is known about stays.
#[derive(Clone, Debug)]
pub struct Seen {
    buckets: Vec<Bucket>,
    /// The number of ended visits among those that count.
    ended: f64,
    /// How long the people inside have been there, as (middle of a bucket in ms, how many).
    ages: Vec<(f64, u64)>,
    /// How long after its beginning a visit is taken for over if the visitor never says so, ms.
    silent_ms: f64,
}

impl Seen {
    /// Reads the aggregates. O(buckets).
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

    /// The number of visits that ended and count.
    #[must_use]
    pub const fn ended(&self) -> f64 {
        self.ended
    }

    /// How long the people inside have been there: ms, and how many.
    #[must_use]
    pub fn ages(&self) -> &[(f64, u64)] {
        &self.ages
    }

    /// Draws a curve that agrees with what was seen: each bucket's count is drawn anew. O(buckets).
    #[must_use]
    pub fn curve(&self, chance: &mut Chance) -> Curve {
        let drawn = |bucket: &Bucket| Bucket {
            ended: (bucket.ended + bucket.ended.sqrt() * chance.normal()).max(bucket.ended * 0.1),
            ..*bucket
        };
        let buckets: Vec<Bucket> = self.buckets.iter().map(drawn).collect();
        Curve::of(&buckets, self.silent_ms)
    }

    /// Returns the curve of what was seen, as it is. O(buckets).
    #[must_use]
    pub fn best(&self) -> Curve {
        Curve::of(&self.buckets, self.silent_ms)
    }
}

/// The share of visits that last longer, step by step.
#[derive(Clone, Debug)]
pub struct Curve {
    /// From and to (ms), and the share that lasts beyond `to`.
    steps: Vec<(f64, f64, f64)>,
    /// How much longer visits last on average beyond the last step, ms.
    tail_ms: f64,
}

impl Curve {
    fn of(buckets: &[Bucket], silent_ms: f64) -> Self {
        let mut at_risk: f64 = buckets.iter().map(|b| b.ended + b.goes_on).sum();
        let ended: f64 = buckets.iter().map(|b| b.ended).sum();
        let spent: f64 = buckets.iter().map(|b| (b.ended + b.goes_on) * b.to_ms * (1.0 - WIDTH / 2.0)).sum();
        let mut share = 1.0;
        let mut steps = Vec::with_capacity(buckets.len());
        for bucket in buckets {
            let exposed = (at_risk - bucket.goes_on / 2.0).max(bucket.ended).max(1e-9);
            share *= 1.0 - bucket.ended / exposed;
            at_risk -= bucket.ended + bucket.goes_on;
            steps.push((bucket.from_ms, bucket.to_ms, share));
        }
        // A visitor who has been there longer than anybody who has left will mostly never say so: the lease ends the visit.
        let last_ms = steps.last().map_or(0.0, |(_, to_ms, _)| *to_ms);
        let tail_ms = (spent / ended.max(1.0)).max(silent_ms - last_ms);
        Self { steps, tail_ms }
    }

    /// Returns the length that this share of visits exceeds, ms; `None` if it lies beyond the last step.
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

    /// Returns the share of visits that last longer than this.
    fn share_beyond(&self, ms: f64) -> f64 {
        let at = self.steps.partition_point(|(_, to_ms, _)| *to_ms <= ms);
        match at.checked_sub(1).and_then(|before| self.steps.get(before)) {
            Some((_, _, share)) => *share,
            None => 1.0,
        }
    }

    /// Draws the length of a visit, ms. O(log buckets).
    pub fn draw(&self, chance: &mut Chance) -> f64 {
        self.draw_longer(0.0, chance)
    }

    /// Draws the length of a visit that has lasted for `age_ms` already, ms. O(log buckets).
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

    /// Returns the mean length, ms. O(buckets).
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
