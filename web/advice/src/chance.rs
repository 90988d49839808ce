//! Chance from a seed: the same numbers for ever, on every machine, whatever a library does. Forecasts, plans, simulated sales and worlds use it.
//!
//! SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014). Each purpose has a stream of its own, so leaving
//! one thing out does not shuffle all others.

use core::f64::consts::TAU;

/// One stream of chance.
#[derive(Clone, Debug)]
pub struct Chance(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Chance {
    /// Makes the stream with this name under this seed.
    #[must_use]
    pub const fn of(seed: u64, stream: u64) -> Self {
        Self(mix(seed.wrapping_mul(GOLDEN) ^ mix(stream.wrapping_add(GOLDEN))))
    }

    /// Draws any number.
    pub const fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Draws a number below `end`; 0 if `end` is 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        ((self.u64() as u128 * end as u128) >> 64) as u64
    }

    /// Draws a number from `from` to `to`, both included.
    pub const fn within(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from) + 1)
    }

    /// Returns true in this many of a thousand cases.
    pub const fn chance(&mut self, of_thousand: u32) -> bool {
        self.below(1_000) < of_thousand as u64
    }

    /// Draws one of these values; there must be one.
    #[allow(clippy::indexing_slicing, reason = "the index is below the length")]
    pub const fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// Draws a number from 0 to below 1, in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws from the standard normal distribution (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// Draws a factor around 1: its logarithm is normal with this standard deviation.
    pub fn factor(&mut self, deviation: f64) -> f64 {
        (deviation * self.normal()).exp()
    }

    /// Draws an exponential value with mean 1.
    pub fn wait(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }
}
