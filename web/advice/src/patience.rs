//! How fast people give up, from those whose turn has come and gone, and from the gaps in the line.
//!
//! A gap says less than it seems: some who are away come back, even after their turn, and are let in then. So of the gaps only a
//! part counts, another one in each future.

use crate::chance::Chance;
use baton::room::outlook::Outlook;

/// At least so many of those who are away in the line are gone for good.
const GONE_MIN: f64 = 0.35;
/// And at most.
const GONE_MAX: f64 = 0.95;
/// At most so many of those who were passed over and still have a place come back.
const BACK_MAX: f64 = 0.4;

/// Who leaves the line. Exposures are person-milliseconds of waiting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// So many of those whose turn has come are gone.
    gone: f64,
    /// So many still have a place and may come back.
    passed_over: f64,
    /// They and the others waited so long together.
    waited_ms: f64,
    /// In the line: so many numbers are without anybody present.
    gaps: f64,
    /// Those in the line have waited so long together.
    waiting_ms: f64,
    /// Numbers in the line, anybody there or not.
    issued: f64,
    /// People present in the line.
    present: f64,
}

/// One guess of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// So many of those who wait leave in a millisecond.
    pub per_ms: f64,
    /// For each person present in the line so many are to be let in or to leave: some who are away come back.
    pub load: f64,
}

impl Patience {
    /// From the aggregates. O(points).
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
            // Who is gone left some time in between.
            seen.waiting_ms += age_ms * (present + gaps / 2.0);
            seen.issued += issued;
            seen.present += present;
        }
        let front = outlook.line.first().map_or(1, |point| point.number);
        let (called, waited_ms) = (outlook.waited.0 as f64, outlook.waited.1 as f64);
        let admitted = (outlook.claimed + outlook.walked_in + u64::from(outlook.called)) as f64;
        let over = front.saturating_sub(1) as f64 - admitted;
        seen.passed_over =
            (outlook.passed_over as f64 - f64::from(outlook.called)).clamp(0.0, over.max(0.0));
        seen.gone = (over - seen.passed_over).max(0.0);
        let mean_wait_ms = waited_ms / called.max(1.0);
        let waited = outlook.claimed as f64 + over.max(0.0) / 2.0;
        seen.waited_ms = mean_wait_ms * waited;
        seen
    }

    /// Draws a guess. `deviation`: how far people may change, as the deviation of a logarithm. O(1).
    pub fn guess(&self, deviation: f64, chance: &mut Chance) -> Leaving {
        let gone_share = GONE_MIN + (GONE_MAX - GONE_MIN) * chance.unit();
        let back_share = BACK_MAX * chance.unit();
        let gone = self.gone + self.passed_over * (1.0 - back_share);
        let left = gone + self.gaps * gone_share;
        let exposure_ms = self.waited_ms + self.waiting_ms;
        let deviation = deviation.hypot(1.0 / (left + 4.0).sqrt());
        let per_ms = left / exposure_ms.max(1.0) * chance.factor(deviation);
        // Who is away and not gone: as many as the numbers issued, less those who have left by now, less those who are there.
        let living = self.issued - self.gaps * gone_share;
        Leaving {
            per_ms,
            load: (living / self.present.max(1.0)).clamp(1.0, 3.0),
        }
    }

    /// The middle guess of how many leave in a millisecond, of those who wait.
    #[must_use]
    pub fn per_ms(&self) -> f64 {
        let gone_share = (GONE_MIN + GONE_MAX) / 2.0;
        let gone = self.gone + self.passed_over * (1.0 - BACK_MAX / 2.0);
        (gone + self.gaps * gone_share) / (self.waited_ms + self.waiting_ms).max(1.0)
    }
}
