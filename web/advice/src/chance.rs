//! Chance from a seed, in the few distributions that a forecast needs.

use fastrand::Rng;

/// A stream of chance. The same seed gives the same stream on every machine.
#[derive(Clone, Debug)]
pub struct Chance(Rng);

impl Chance {
    /// Begins the stream of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    /// Draws a number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        self.0.f64()
    }

    /// Draws a normal value with mean 0 and standard deviation 1 (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (core::f64::consts::TAU * self.unit()).cos()
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
