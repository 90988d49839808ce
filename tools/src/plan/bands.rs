//! Figures over many runs: bands in which most of them lie.

use serde::Serialize;

/// A figure over many runs, in its own unit: ms, people, …
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Band {
    /// One run of twenty is below this.
    pub low: f64,
    /// Half of the runs are below this.
    pub mid: f64,
    /// One run of twenty is above this.
    pub high: f64,
    /// The average.
    pub mean: f64,
}

impl Band {
    /// Returns the band of these values, or `None` if there are none. O(n · log n).
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        Some(Self {
            low: quantile(&values, 0.05),
            mid: quantile(&values, 0.5),
            high: quantile(&values, 0.95),
            mean: values.iter().sum::<f64>() / values.len() as f64,
        })
    }
}

/// Returns a quantile of sorted values, interpolated between two of them. Returns 0 if there are none.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1) as f64;
    let at = last * share;
    let below = at.floor();
    let value = |at: f64| sorted.get(at as usize).copied().unwrap_or(0.0);
    value(below) + (value(at.ceil()) - value(below)) * (at - below)
}

/// How long people waited who got in, ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Waits {
    /// Half waited less.
    pub p50_ms: Band,
    /// Nine of ten waited less.
    pub p90_ms: Band,
    /// Ninety-nine of a hundred waited less.
    pub p99_ms: Band,
}

/// Returns the quantiles of waits that are told of a run.
pub(super) fn three(mut waits: Vec<f64>) -> [f64; 3] {
    waits.sort_by(f64::total_cmp);
    [0.5, 0.9, 0.99].map(|share| quantile(&waits, share))
}

/// Returns the bands of these quantiles, a row for each run; `None` if nobody got in in any.
pub(super) fn waits_of(rows: Vec<[f64; 3]>) -> Option<Waits> {
    let band = |at: usize| Band::of(rows.iter().filter_map(|row| row.get(at).copied()).collect());
    Some(Waits {
        p50_ms: band(0)?,
        p90_ms: band(1)?,
        p99_ms: band(2)?,
    })
}
