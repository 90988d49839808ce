//! Keeps many durations in few bytes: a log-linear histogram with 64 buckets to an octave (HdrHistogram's), of which only those in use are kept. A
//! figure read from it is never too small, and at most a 64th too large.

use crate::sums::Sums;
use serde::Serialize;
use std::collections::BTreeMap;

const PARTS_BITS: u32 = 6;
const PARTS: u64 = 1 << PARTS_BITS;

/// Durations, in ms. At most 3,776 buckets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    buckets: BTreeMap<u16, u64>,
    count: u64,
    sum_ms: u128,
    longest_ms: u64,
}

/// Figures of many durations; `None` throughout if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The number of durations.
    pub count: u64,
    /// The median: half took at most this long.
    pub half_ms: Option<u64>,
    /// Nineteen of twenty took at most this long.
    pub most_ms: Option<u64>,
    /// The longest, exactly.
    pub longest_ms: Option<u64>,
    /// The mean, exactly, rounded down.
    pub mean_ms: Option<u64>,
}

fn bucket(ms: u64) -> u16 {
    if ms < PARTS {
        return ms as u16;
    }
    let octave = ms.ilog2() - PARTS_BITS;
    let part = (ms >> octave) & (PARTS - 1);
    ((u64::from(octave) + 1) * PARTS + part) as u16
}

/// Returns the longest duration in a bucket.
fn end_ms(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    if bucket < PARTS {
        return bucket;
    }
    let next = u128::from(PARTS + bucket % PARTS + 1) << (bucket / PARTS - 1);
    u64::try_from(next - 1).unwrap_or(u64::MAX)
}

impl Durations {
    /// Adds a duration. O(log buckets).
    pub fn add(&mut self, ms: u64) {
        *self.buckets.entry(bucket(ms)).or_default() += 1;
        self.count += 1;
        self.sum_ms += u128::from(ms);
        self.longest_ms = self.longest_ms.max(ms);
    }

    /// Returns the duration that this many of a thousand did not exceed. O(buckets).
    #[must_use]
    pub fn quantile_ms(&self, thousandths: u64) -> Option<u64> {
        let wanted = (u128::from(self.count) * u128::from(thousandths)).div_ceil(1_000);
        let mut below = 0_u128;
        for (bucket, count) in &self.buckets {
            below += u128::from(*count);
            if below >= wanted {
                return Some(end_ms(*bucket).min(self.longest_ms));
            }
        }
        None
    }

    /// Returns what each twentieth of them did not exceed, the shortest first. Returns nothing if there are fewer than `least`. O(buckets).
    #[must_use]
    pub fn twentieths_ms(&self, least: u64) -> Vec<u64> {
        if self.count < least.max(1) {
            return Vec::new();
        }
        let parts = (1..=20).map(|part| self.quantile_ms(part * 50));
        parts.flatten().collect()
    }

    /// Returns the figures. O(buckets).
    #[must_use]
    pub fn told(&self) -> Told {
        let mean_ms = self.sum_ms.checked_div(u128::from(self.count));
        Told {
            count: self.count,
            half_ms: self.quantile_ms(500),
            most_ms: self.quantile_ms(950),
            longest_ms: (self.count > 0).then_some(self.longest_ms),
            mean_ms: mean_ms.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX)),
        }
    }
}

impl Sums for Durations {
    fn take(&mut self, later: &Self) {
        for (bucket, count) in &later.buckets {
            *self.buckets.entry(*bucket).or_default() += count;
        }
        self.count += later.count;
        self.sum_ms += later.sum_ms;
        self.longest_ms = self.longest_ms.max(later.longest_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_what_it_says_and_is_narrow() {
        for ms in (0..200_000).chain([u64::MAX / 3, u64::MAX - 1, u64::MAX]) {
            let end = end_ms(bucket(ms));
            assert!(end >= ms, "{ms} ends at {end}");
            assert!(end - ms <= ms / PARTS, "{ms} ends at {end}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_list_to_a_64th() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut all: Vec<u64> = (0..5_000).map(|nth| rng.u64(0..2 << (nth % 30))).collect();
        let mut durations = Durations::default();
        all.iter().for_each(|ms| durations.add(*ms));
        all.sort_unstable();
        for thousandths in [1, 500, 950, 1_000] {
            let right = all.get((5 * thousandths - 1) as usize).copied().unwrap_or(0);
            let told = durations.quantile_ms(thousandths).unwrap_or(0);
            let near = told >= right && told - right <= right / PARTS;
            assert!(near, "{thousandths}: {told}, not {right}");
        }
        assert_eq!(durations.told().longest_ms, all.last().copied());
        let mean = all.iter().sum::<u64>() / 5_000;
        assert_eq!(durations.told().mean_ms, Some(mean));
        assert_eq!(Durations::default().told(), Told::default());
    }
}
