//! A log-linear histogram: how often each size of something was seen, kept in few bytes.
//!
//! The buckets are those of HdrHistogram with eight to an octave, fixed at compile time: sizes below eight have a bucket each, and from there on
//! every doubling is cut into eight equal parts. So a bucket is never wider than an eighth of what is in it, and each octave's end is exactly the
//! bound of a classic Prometheus bucket.

use facts::units::Instant;
use serde::{Deserialize, Serialize};

/// Parts of an octave, a power of two.
const PARTS: u64 = 8;
const PARTS_BITS: u32 = PARTS.trailing_zeros();
/// The largest size that is told apart from larger ones: 2²², which is 18 hours in units of 1/64 s, and 40 times the permits that a room may have.
const UNITS_MAX: u64 = 1 << 22;
/// The number of buckets; one more holds what is larger. At 8 bytes each a full histogram takes 1.3 KB.
const BUCKETS: usize = ((22 - PARTS_BITS as usize) + 1) * PARTS as usize;
/// A duration's unit is 1/64 s: a power of two, so that whole seconds and their doublings are ends of octaves.
const UNITS_PER_S: u64 = 64;

/// Sizes that were seen, each with a weight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// The weight in each bucket, up to the last bucket that holds something.
    weights: Vec<u64>,
    count: u64,
    sum: u64,
}

/// Returns the bucket of a size. `units` is the number of whole units below it. O(1).
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

/// Returns the bucket of a duration: by the number of whole units below it, so 1,000 ms are in the bucket that ends at 1 s. O(1).
const fn bucket_ms(ms: u64) -> usize {
    bucket(ms.saturating_mul(UNITS_PER_S).saturating_sub(1) / 1_000)
}

/// Returns the end of a bucket in units: nothing in it is larger. The bucket past the last has no end: `u64::MAX`.
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
    /// Records a duration. O(1).
    pub fn add_ms(&mut self, ms: u64) {
        self.add_in(bucket_ms(ms), ms);
    }

    /// Records a duration whose bucket is known. O(1).
    fn add_in(&mut self, bucket: usize, ms: u64) {
        self.add(bucket, 1);
        self.sum = self.sum.saturating_add(ms);
    }

    /// Records that a level of at least 1 held for `ms`, which is its weight. O(1).
    pub fn add_level(&mut self, level: u64, ms: u64) {
        self.add(bucket(level.saturating_sub(1)), ms);
    }

    fn add(&mut self, at: usize, weight: u64) {
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

    /// The sum of all durations, in milliseconds.
    #[must_use]
    pub const fn sum_ms(&self) -> u64 {
        self.sum
    }

    /// Adds what another histogram has seen. O(buckets).
    pub fn merge(&mut self, other: &Self) {
        let longer = self.weights.len().max(other.weights.len());
        self.weights.resize(longer, 0);
        for (kept, more) in self.weights.iter_mut().zip(&other.weights) {
            *kept = kept.saturating_add(*more);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// Returns the end of the bucket up to which at least `thousandths` of the weight lie: never too small, at most an eighth too large. Returns
    /// `None` if nothing was seen. O(buckets).
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

    /// Returns the duration that `thousandths` of the durations do not exceed, in milliseconds: never too short, at most an eighth or 16 ms too long.
    /// Returns `None` if nothing was seen. O(buckets).
    #[must_use]
    pub fn quantile_ms(&self, thousandths: u64) -> Option<u64> {
        let units = self.quantile(thousandths)?;
        Some(units.saturating_mul(1_000).div_ceil(UNITS_PER_S))
    }

    /// Returns the level that was not exceeded for `thousandths` of the time: never too low, at most an eighth too high. Returns `None` if
    /// nothing was seen. O(buckets).
    #[must_use]
    pub fn quantile_level(&self, thousandths: u64) -> Option<u64> {
        self.quantile(thousandths)
    }

    /// Returns the highest level that was reached or exceeded for at least `ms`, as the end of its bucket, or `None` if none was. O(buckets).
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

    /// Returns the buckets that hold something, the smallest first: the end of each in milliseconds, rounded up, and its weight. Values past the last
    /// bucket are given its end. O(buckets).
    pub fn buckets_ms(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let weights = self.weights.iter().enumerate();
        weights.filter(|(_, weight)| **weight > 0).map(|(at, weight)| {
            let units = end(at).min(UNITS_MAX);
            ((units * 1_000).div_ceil(UNITS_PER_S), *weight)
        })
    }

    /// Returns the end of each octave from 1/64 s on, in 64ths of a second, and its weight, up to the last octave that holds something. Larger sizes
    /// are only in [`count`](Self::count). O(buckets).
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

/// The length of a window, in ms. Recent means the current window and the one before: the last five to ten minutes.
pub const WINDOW_MS: u64 = 300_000;

/// Durations since the edition began, and those of the last minutes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sliding {
    all: Histogram,
    /// The window that `newer` belongs to.
    window: u64,
    newer: Histogram,
    older: Histogram,
}

const fn window(at: Instant) -> u64 {
    at.0 / WINDOW_MS
}

impl Sliding {
    /// Records a duration that was seen at `at`. O(1), at the end of a window O(buckets).
    pub fn add_ms(&mut self, at: Instant, ms: u64) {
        let now = window(at);
        if now > self.window {
            let last = core::mem::take(&mut self.newer);
            self.older = if now == self.window + 1 { last } else { Histogram::default() };
            self.window = now;
        }
        let bucket = bucket_ms(ms);
        self.newer.add_in(bucket, ms);
        self.all.add_in(bucket, ms);
    }

    /// All durations since the edition began.
    #[must_use]
    pub const fn all(&self) -> &Histogram {
        &self.all
    }

    /// Returns the durations of the last five to ten minutes before `now`. O(buckets).
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
