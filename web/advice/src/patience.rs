//! How fast people who wait give up, from the line itself: of the numbers that were issued so long ago, how many still wait.

use baton::room::outlook::Outlook;

/// How sure it is beforehand that everybody who got a number waited at first: the weight of so many people.
const PRIOR: f64 = 400.0;

/// Who leaves the line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// The share of people who stay in the line after their first moment.
    pub stays: f64,
    /// Of those who wait, so many leave in a millisecond.
    pub leave_per_ms: f64,
    /// How many had left when it was measured: few say little.
    pub left: f64,
}

impl Patience {
    /// From the points of the line: the logarithm of the share that still waits falls straight with age. Weighted least squares;
    /// O(points).
    #[must_use]
    pub fn of(outlook: &Outlook) -> Self {
        let mut sums = Sums {
            weight: PRIOR,
            ..Sums::default()
        };
        let mut left = 0.0;
        for (one, next) in outlook.line.iter().zip(outlook.line.iter().skip(1)) {
            let issued = next.number.saturating_sub(one.number) as f64;
            let waits = next.present.saturating_sub(one.present) as f64;
            if issued < 1.0 {
                continue;
            }
            left += (issued - waits).max(0.0);
            let middle_ms = (one.at_ms + next.at_ms) / 2;
            let age_ms = outlook.now_ms.saturating_sub(middle_ms) as f64;
            let share = ((waits + 0.5) / (issued + 0.5)).min(1.0);
            sums.add(issued * share, age_ms, share.ln());
        }
        let (level, slope) = sums.line();
        Self {
            stays: level.exp().clamp(0.05, 1.0),
            leave_per_ms: (-slope).max(0.0),
            left,
        }
    }
}

/// The sums of a straight line's fit.
#[derive(Default)]
struct Sums {
    weight: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Sums {
    fn add(&mut self, weight: f64, x: f64, y: f64) {
        self.weight += weight;
        self.x += weight * x;
        self.y += weight * y;
        self.xx += weight * x * x;
        self.xy += weight * x * y;
    }

    /// Level and slope of the line, 0 where nothing says more.
    fn line(&self) -> (f64, f64) {
        let spread = self.weight * self.xx - self.x * self.x;
        if spread <= 0.0 {
            return (0.0, 0.0);
        }
        let slope = (self.weight * self.xy - self.x * self.y) / spread;
        ((self.y - slope * self.x) / self.weight, slope)
    }
}
