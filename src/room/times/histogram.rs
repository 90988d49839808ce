//! How often each size of something was seen, in few bytes: a log-linear histogram.
//!
//! The buckets are those of HdrHistogram with eight to an octave, fixed at compile time: sizes below eight have a bucket
//! each, and from there on every doubling is cut into eight equal parts. So a bucket is never wider than an eighth of what
//! is in it, and each octave's end is the bound of a classic Prometheus bucket, exactly.

use crate::facts::units::Instant;
use serde::{Deserialize, Serialize};

/// Parts of an octave, a power of two.
const PARTS: u64 = 8;
const PARTS_BITS: u32 = PARTS.trailing_zeros();
/// The largest size that is told from larger ones: 2²², 18 hours in units of 1/64 s, 40 times the permits a room may have.
const UNITS_MAX: u64 = 1 << 22;
/// All buckets; one more holds what is larger. At 8 bytes each a full histogram takes 1.3 KB.
const BUCKETS: usize = ((22 - PARTS_BITS as usize) + 1) * PARTS as usize;
/// A duration's unit is 1/64 s: both octaves of it and milliseconds are whole.
const UNITS_PER_S: u64 = 64;

/// Sizes seen, each with a weight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// By bucket, up to the last that holds something.
    weights: Vec<u64>,
    count: u64,
    sum: u64,
}

/// The bucket of a size, counted in units that began. O(1).
const fn bucket(units: u64) -> usize {
    if units < PARTS {
        return units as usize;
    }
    if units >= UNITS_MAX {
        return BUCKETS;
    }
    let octave = units.ilog2() - PARTS_BITS;
    let part = (units >> octave) & (PARTS - 1);
    ((octave as u64 + 1) * PARTS + part) as usize
}

/// The end of a bucket in units: nothing in it is larger. A value past the last bucket ends nowhere.
const fn end(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket >= BUCKETS as u64 {
        return u64::MAX;
    }
    if bucket < PARTS {
        return bucket + 1;
    }
    (PARTS + bucket % PARTS + 1) << (bucket / PARTS - 1)
}

impl Histogram {
    /// A duration was seen. O(1).
    pub fn add_ms(&mut self, ms: u64) {
        // The unit that ends at or after it: 1,000 ms are in the bucket that ends at 1 s.
        let units = ms.saturating_mul(UNITS_PER_S).saturating_sub(1) / 1_000;
        self.add(units, 1);
        self.sum = self.sum.saturating_add(ms);
    }

    /// A level of at least 1 held for a while, which is its weight. O(1).
    pub fn add_level(&mut self, level: u64, ms: u64) {
        self.add(level.saturating_sub(1), ms);
    }

    fn add(&mut self, units: u64, weight: u64) {
        let at = bucket(units);
        if self.weights.len() <= at {
            self.weights.resize(at + 1, 0);
        }
        if let Some(kept) = self.weights.get_mut(at) {
            *kept = kept.saturating_add(weight);
        }
        self.count = self.count.saturating_add(weight);
    }

    /// The weight of all that was seen.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The durations together, in milliseconds.
    #[must_use]
    pub const fn sum_ms(&self) -> u64 {
        self.sum
    }

    /// Takes in what another has seen. O(buckets).
    pub fn merge(&mut self, other: &Self) {
        let longer = self.weights.len().max(other.weights.len());
        self.weights.resize(longer, 0);
        for (kept, more) in self.weights.iter_mut().zip(&other.weights) {
            *kept = kept.saturating_add(*more);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// The end of the bucket up to which at least so many thousandths of the weight lie: never too small, at most an
    /// eighth too large. `None` when nothing was seen. O(buckets).
    fn quantile(&self, thousandths: u64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let wanted = u128::from(self.count) * u128::from(thousandths.min(1_000));
        let mut below = 0_u128;
        let found = self.weights.iter().position(|weight| {
            below += u128::from(*weight) * 1_000;
            *weight > 0 && below >= wanted
        });
        found.map(end)
    }

    /// The duration that so many thousandths do not exceed, in milliseconds: never too short, at most an eighth or 16 ms
    /// too long. O(buckets).
    #[must_use]
    pub fn quantile_ms(&self, thousandths: u64) -> Option<u64> {
        let units = self.quantile(thousandths)?;
        Some(units.saturating_mul(1_000).div_ceil(UNITS_PER_S))
    }

    /// The level that held for so many thousandths of the time or was lower: never too low, at most an eighth too high.
    /// O(buckets).
    #[must_use]
    pub fn quantile_level(&self, thousandths: u64) -> Option<u64> {
        self.quantile(thousandths)
    }

    /// The highest level at which, or above which, at least `ms` were spent: the end of its bucket. O(buckets).
    #[must_use]
    pub fn level_held(&self, ms: u64) -> Option<u64> {
        let mut above = 0_u64;
        let mut from_the_top = self.weights.iter().enumerate().rev();
        let found = from_the_top.find(|(_, weight)| {
            above = above.saturating_add(**weight);
            **weight > 0 && above >= ms
        });
        found.map(|(at, _)| end(at))
    }

    /// The buckets that hold something, the smallest first: the end of each in milliseconds, rounded up, and what lies in it.
    /// A value above the last bucket is told as that one's end. O(buckets).
    pub fn buckets_ms(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let weights = self.weights.iter().enumerate();
        weights
            .filter(|(_, weight)| **weight > 0)
            .map(|(at, weight)| {
                let units = end(at).min(UNITS_MAX);
                ((units * 1_000).div_ceil(UNITS_PER_S), *weight)
            })
    }

    /// What lies in each octave from 1/64 s on, by its end in 64ths of a second; larger ones are left to
    /// [`count`](Self::count). Up to the last that holds something. O(buckets).
    #[must_use]
    pub fn octaves(&self) -> Vec<(u64, u64)> {
        let ends = (0..=22).map(|octave| 1_u64 << octave);
        let last = self.weights.len();
        let mut from = 0;
        let mut octaves = Vec::new();
        for units in ends {
            let to = bucket(units).min(last);
            let within = self.weights.get(from..to).unwrap_or_default();
            octaves.push((units, within.iter().sum()));
            from = to;
            if from == last {
                break;
            }
        }
        octaves
    }
}

/// How long the newer of the two halves of what is recent lasts: so the recent is the last five to ten minutes.
pub const WINDOW_MS: u64 = 300_000;

/// Durations since the room began, and those of the last minutes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sliding {
    all: Histogram,
    /// Which window `newer` is of.
    window: u64,
    newer: Histogram,
    older: Histogram,
}

const fn window(at: Instant) -> u64 {
    at.0 / WINDOW_MS
}

impl Sliding {
    /// A duration was seen at `at`. O(1), at the end of a window O(buckets).
    pub fn add_ms(&mut self, at: Instant, ms: u64) {
        let now = window(at);
        if now > self.window {
            let last = core::mem::take(&mut self.newer);
            self.older = if now == self.window + 1 {
                last
            } else {
                Histogram::default()
            };
            self.window = now;
        }
        self.newer.add_ms(ms);
        self.all.add_ms(ms);
    }

    /// All of them.
    #[must_use]
    pub const fn all(&self) -> &Histogram {
        &self.all
    }

    /// Those of the last five to ten minutes before `now`. O(buckets).
    #[must_use]
    pub fn recent(&self, now: Instant) -> Histogram {
        match window(now).saturating_sub(self.window) {
            0 => {
                let mut both = self.newer.clone();
                both.merge(&self.older);
                both
            }
            1 => self.newer.clone(),
            _ => Histogram::default(),
        }
    }
}
