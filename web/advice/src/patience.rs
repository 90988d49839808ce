//! Estimates how fast people give up, from tickets whose turn has come and gone, and from the gaps in the line.
//!
//! A gap says less than it seems to. Some people who are away come back, even after their turn, and are let in then. So only a share of the gaps
//! counts, a different one in each future.

use crate::chance::Chance;
use room::outlook::Outlook;

/// The smallest share of the away tickets in the line that are gone for good.
const GONE_MIN: f64 = 0.35;
/// The largest share.
const GONE_MAX: f64 = 0.95;
/// The largest share of those who come back, among tickets that were passed over and still have a place.
const BACK_MAX: f64 = 0.4;

/// Who leaves the line. Exposures are person-milliseconds of waiting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// The number of tickets that are gone, among those whose turn has come.
    gone: f64,
    /// The number that still have a place and may come back.
    passed_over: f64,
    /// How long all tickets whose turn has come waited together.
    waited_ms: f64,
    /// The number of numbers in the line without anybody present.
    gaps: f64,
    /// How long the people in the line have waited together.
    waiting_ms: f64,
    /// The number of numbers in the line, with or without anybody present.
    issued: f64,
    /// The number of people present in the line.
    present: f64,
}

/// One guess.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// The share of waiting people who leave in a millisecond.
    pub per_ms: f64,
    /// How many are to be let in or to leave for each person present in the line: more than one, because some who are away come back.
    pub load: f64,
}

impl Patience {
    /// Reads the aggregates. O(points).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let mut seen = Self::default();
        for (one, next) in outlook.line.iter().zip(outlook.line.iter().skip(1)) {
            let issued = next.number.saturating_sub(one.number) as f64;
            let present = next.present.saturating_sub(one.present) as f64;
            let middle_ms = (one.at_ms + next.at_ms) / 2;
            let age_ms = outlook.now_ms.saturating_sub(middle_ms) as f64;
            let gaps = (issued - present).max(0.0);
            seen.gaps += gaps;
            // People who are gone left some time in between.
            seen.waiting_ms += age_ms * (present + gaps / 2.0);
            seen.issued += issued;
            seen.present += present;
        }
        let front = outlook.line.first().map_or(1, |point| point.number);
        let (called, waited_ms) = (outlook.waited.0 as f64, outlook.waited.1 as f64);
        let admitted = (outlook.claimed + outlook.walked_in + u64::from(outlook.called)) as f64;
        let over = front.saturating_sub(1) as f64 - admitted;
        seen.passed_over = (outlook.passed_over as f64 - f64::from(outlook.called)).clamp(0.0, over.max(0.0));
        seen.gone = (over - seen.passed_over).max(0.0);
        let mean_wait_ms = waited_ms / called.max(1.0);
        let waited = outlook.claimed as f64 + over.max(0.0) / 2.0;
        seen.waited_ms = mean_wait_ms * waited;
        seen
    }

    /// Draws a guess. `deviation` says how far people may change, as the deviation of a logarithm. O(1).
    pub fn guess(&self, deviation: f64, chance: &mut Chance) -> Leaving {
        let gone_share = GONE_MIN + (GONE_MAX - GONE_MIN) * chance.unit();
        let back_share = BACK_MAX * chance.unit();
        let gone = self.gone + self.passed_over * (1.0 - back_share);
        let left = gone + self.gaps * gone_share;
        let exposure_ms = self.waited_ms + self.waiting_ms;
        let deviation = deviation.hypot(1.0 / (left + 4.0).sqrt());
        let per_ms = left / exposure_ms.max(1.0) * chance.factor(deviation);
        // The living: all numbers issued, less those who have left by now.
        let living = self.issued - self.gaps * gone_share;
        Leaving {
            per_ms,
            load: (living / self.present.max(1.0)).clamp(1.0, 3.0),
        }
    }

    /// The middle guess of the share of waiting people who leave in a millisecond.
    #[must_use]
    pub fn per_ms(&self) -> f64 {
        let gone_share = (GONE_MIN + GONE_MAX) / 2.0;
        let gone = self.gone + self.passed_over * (1.0 - BACK_MAX / 2.0);
        (gone + self.gaps * gone_share) / (self.waited_ms + self.waiting_ms).max(1.0)
    }
}
