//! How many people come, and how that goes on: as it fell lately it falls, and it never grows.
//!
//! Nobody can know of the message that brings the next thousand. A forecast that let a rise go on would promise a line without
//! end in the first minute of every sale.

use baton::room::outlook::Outlook;

const MINUTE_MS: f64 = 60_000.0;
/// The two stretches that are compared last so long each, at most.
const STRETCH_MS: f64 = 300_000.0;
/// Arrivals never fall faster than this: to half in about three minutes.
const FALL_MAX_PER_MS: f64 = 0.25 / MINUTE_MS;

/// What is known of arrivals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// People a millisecond, now.
    pub per_ms: f64,
    /// The part of itself by which that falls in a millisecond.
    pub fall_per_ms: f64,
    /// How many people that was measured by.
    pub seen: f64,
}

impl Arrivals {
    /// From when numbers were issued, and before that from the last hour. O(points + minutes).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let came = Came::of(outlook);
        let now = outlook.now_ms as f64;
        let stretch = ((now - came.since()) / 2.0).min(STRETCH_MS);
        if stretch < MINUTE_MS / 6.0 {
            return Self::default();
        }
        let last = came.between(now - stretch, now);
        let before = came.between(now - 2.0 * stretch, now - stretch);
        let fall = ((before + 1.0) / (last + 1.0)).ln() / stretch;
        let fall_per_ms = fall.clamp(0.0, FALL_MAX_PER_MS);
        Self {
            per_ms: last / stretch * (-fall_per_ms * stretch / 2.0).exp(),
            fall_per_ms,
            seen: last,
        }
    }
}

/// How many had come by when.
struct Came(Vec<(f64, f64)>);

impl Came {
    fn of(outlook: &Outlook) -> Self {
        let points = outlook.line.iter();
        let mut came: Vec<(f64, f64)> = points.map(|p| (p.at_ms as f64, p.number as f64)).collect();
        let now = outlook.now_ms as f64;
        let (first_at, first) = came.first().copied().unwrap_or((now, 0.0));
        // Before the oldest who still waits: whoever was let in, and by how much the line grew.
        let known = |at: f64| outlook.hour.iter().find(|minute| minute.at_ms as f64 >= at);
        if let Some(there) = known(first_at).or(outlook.hour.last()) {
            let sum = |waiting: u64, admitted: u64| waiting as f64 + admitted as f64;
            let base = sum(there.waiting, there.admitted);
            let earlier = outlook.hour.iter().filter(|m| (m.at_ms as f64) < first_at);
            let mut before: Vec<(f64, f64)> = earlier
                .map(|m| (m.at_ms as f64, first - base + sum(m.waiting, m.admitted)))
                .collect();
            before.append(&mut came);
            came = before;
        }
        Self(came)
    }

    /// From when on anything is known, ms.
    fn since(&self) -> f64 {
        self.0.first().map_or(f64::MAX, |(at, _)| *at)
    }

    fn by(&self, at: f64) -> f64 {
        let after = self.0.partition_point(|(when, _)| *when <= at);
        let before = after.checked_sub(1).and_then(|before| self.0.get(before));
        match (before, self.0.get(after)) {
            (Some((t0, n0)), Some((t1, n1))) if t1 > t0 => n0 + (n1 - n0) * (at - t0) / (t1 - t0),
            (Some((_, n)), _) | (None, Some((_, n))) => *n,
            (None, None) => 0.0,
        }
    }

    fn between(&self, from: f64, to: f64) -> f64 {
        (self.by(to) - self.by(from)).max(0.0)
    }
}
