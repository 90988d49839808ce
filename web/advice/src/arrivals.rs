//! Estimates how many people come and how that goes on: arrivals go on falling as they fell lately, and never grow.
//!
//! Nobody can know of the message that brings the next thousand people. A forecast that let a rise go on would promise a line without end in the
//! first minute of every sale.

use room::outlook::Outlook;

const MINUTE_MS: f64 = 60_000.0;
/// The most minutes over which arrivals are counted.
const MINUTES: u32 = 15;
/// How much of the beginning is left out, ms: the first moments are a crowd at a door, not a rate.
const DOOR_MS: f64 = 20_000.0;
/// The fall a minute that is likely before anything was counted, and its deviation: 3 %, give or take 3.
const FALL_PRIOR: (f64, f64) = (0.03, 0.03);
/// The fastest fall of arrivals a minute.
const FALL_MAX: f64 = 0.25;

/// What is known of arrivals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// Arrivals a millisecond, now.
    pub per_ms: f64,
    /// The share by which that falls in a minute, and its deviation.
    pub fall: (f64, f64),
    /// The number of people that this was measured by.
    pub seen: f64,
}

impl Arrivals {
    /// Estimates arrivals from when numbers were issued, and before that from the last hour. The logarithm of the counts a minute falls in a straight
    /// line: weighted least squares, with a prior for the slope. O(points + minutes).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let came = Came::of(outlook);
        let now = outlook.now_ms as f64;
        let known_ms = now - came.since() - DOOR_MS;
        let span_ms = MINUTE_MS.min(known_ms / 3.0);
        if span_ms < MINUTE_MS / 12.0 {
            return Self::default();
        }
        let spans = ((known_ms / span_ms) as u32).clamp(1, MINUTES);
        let counts = (0..spans).map(|back| {
            let to = now - f64::from(back) * span_ms;
            came.between(to - span_ms, to)
        });
        let counts: Vec<f64> = counts.collect();
        let seen: f64 = counts.iter().sum();
        let fall = fall(&counts, span_ms / MINUTE_MS);
        // The rate now is that of the last minutes, carried on to their end.
        let near = counts.iter().take(5);
        let (people, minutes) = (near.clone().sum::<f64>(), near.len() as f64 * span_ms / MINUTE_MS);
        Self {
            per_ms: people / minutes * (-fall.0 * minutes / 2.0).exp() / MINUTE_MS,
            fall,
            seen,
        }
    }
}

/// Returns by how much counts fall a minute, and the deviation of that. The newest count comes first; each covers `minutes`.
fn fall(counts: &[f64], minutes: f64) -> (f64, f64) {
    let (mut weight, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (back, count) in counts.iter().enumerate() {
        // Crowds vary more than chance does: a count is never surer than one of 50 people would be by chance.
        let sure = 1.0 / (1.0 / (count + 0.5) + 0.02);
        let (age, level) = (back as f64 * minutes, (count + 0.5).ln());
        weight += sure;
        x += sure * age;
        y += sure * level;
        xx += sure * age * age;
        xy += sure * age * level;
    }
    let information = xx - x * x / weight.max(1e-9);
    let (prior, deviation) = FALL_PRIOR;
    let certainty = information + deviation.powi(-2);
    let slope = (xy - x * y / weight.max(1e-9) + prior * deviation.powi(-2)) / certainty;
    (slope.clamp(0.0, FALL_MAX), certainty.sqrt().recip())
}

/// How many people had come by which time.
struct Came(Vec<(f64, f64)>);

impl Came {
    fn of(outlook: &Outlook) -> Self {
        let points = outlook.line.iter();
        let mut came: Vec<(f64, f64)> = points.map(|p| (p.at_ms as f64, p.number as f64)).collect();
        let now = outlook.now_ms as f64;
        let (first_at, first) = came.first().copied().unwrap_or((now, 0.0));
        // Before the oldest ticket that still waits: who was let in, and by how much the line grew.
        let known = |at: f64| outlook.hour.iter().find(|minute| minute.at_ms as f64 >= at);
        if let Some(there) = known(first_at).or(outlook.hour.last()) {
            let sum = |waiting: u64, admitted: u64| waiting as f64 + admitted as f64;
            let base = sum(there.waiting, there.admitted);
            let earlier = outlook.hour.iter().filter(|m| (m.at_ms as f64) < first_at);
            let mut before: Vec<(f64, f64)> = earlier.map(|m| (m.at_ms as f64, first - base + sum(m.waiting, m.admitted))).collect();
            before.append(&mut came);
            came = before;
        }
        Self(came)
    }

    /// The time from which anything is known, ms.
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
