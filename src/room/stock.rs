//! Up to which number a seat can be expected: from the seats that the shop reports as left and from how
//! fast they went with those who were inside. So that nobody waits for two hours for nothing, and nobody leaves
//! who would have got one. Whole numbers only.
//!
//! What one visit takes is anybody's guess, none or eight; what many take is not. Visits are counted in
//! *batches* that follow each other, each with the seats that went meanwhile (batch means: Law, *Simulation Modeling
//! and Analysis*, 9.5.3). Their ratio is the seats a visit takes. How far the batches stray from it says how far the
//! next visits may, and so a prediction leaves two standard deviations: with [`BATCHES_MIN`] batches that is
//! right in 19 of 20 cases by Student's t, if the next visitors are like the last.
//!
//! It errs on the careful side. Everybody in front is taken to come in, although some drop out; whoever came in
//! lately is taken not to have bought yet, since what the shop reports is a moment old; and who comes in is taken to be
//! overtaken by some (`Room::seats_to`).

use crate::facts::limits::STOCK_MAX;
use crate::facts::units::Instant;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A batch has so many visits at least. Fewer would make the seats of one purchase the next batch's too often.
pub const BATCH_VISITS_MIN: u64 = 8;
/// And at most: one with more spans a time in which the shop said nothing, and is not counted.
pub const BATCH_VISITS_MAX: u64 = 65_535;
/// The room concludes nothing from fewer batches.
pub const BATCHES_MIN: usize = 8;
/// Nor from older ones: crowds change. About 24 bytes each.
pub const BATCHES_MAX: usize = 32;
/// Nor of fewer seats sold.
pub const SEATS_MIN: u64 = 30;
/// What the shop reports is so old at most when it is heard, ms: a second in the front, one in the lobby.
pub const REPORT_AGE_MS: u64 = 2_000;

/// What the room knows of the stock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stock {
    left: u32,
    /// When the shop said so, by its own clock, Unix ms; 0: it never did. Older reports are not news.
    reported_at_ms: u64,
    /// When the batch under way began: visits over by then, seats left.
    begun: Option<(u64, u32)>,
    batches: VecDeque<Batch>,
    /// Visits that were over at a time at least [`REPORT_AGE_MS`] before the last report: their seats are in it.
    settled: u64,
    /// Becomes `settled` once it is old enough: when, and visits that were over.
    mark: (Instant, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Batch {
    visits: u64,
    seats: u64,
}

impl Stock {
    /// Seats left as last reported; none: never.
    #[must_use]
    pub fn left(&self) -> Option<u32> {
        (self.reported_at_ms > 0).then_some(self.left)
    }

    /// Those who were in so far are no sample of those who come: a rehearsal. The shop's last word is true all the same.
    pub fn begin(&mut self) {
        *self = Self {
            left: self.left,
            reported_at_ms: self.reported_at_ms,
            ..Self::default()
        };
    }

    /// Whether a report of that time says anything new.
    #[must_use]
    pub const fn is_news(&self, reported_at_ms: u64) -> bool {
        reported_at_ms > self.reported_at_ms
    }

    /// The shop has so many seats left, and `over` visits have ended. O(1).
    pub fn seen(&mut self, now: Instant, left: u32, reported_at_ms: u64, over: u64) {
        self.left = left;
        self.reported_at_ms = reported_at_ms;
        if now.since_ms(self.mark.0) >= REPORT_AGE_MS {
            self.settled = self.mark.1;
            self.mark = (now, over);
        }
        let (visits, seats) = match self.begun {
            // There are more than when the batch began: new ones were put on sale.
            Some((was_over, had)) if left <= had => (over.saturating_sub(was_over), had - left),
            _ => {
                self.begun = Some((over, left));
                return;
            }
        };
        if visits < BATCH_VISITS_MIN {
            return;
        }
        self.begun = Some((over, left));
        if visits <= BATCH_VISITS_MAX {
            if self.batches.len() >= BATCHES_MAX {
                self.batches.pop_front();
            }
            let seats = seats.into();
            self.batches.push_back(Batch { visits, seats });
        }
    }

    /// How many of those who came in, or will, can expect a seat among what is left, the `admitted` so far included from
    /// the first whose seats may not be counted yet; in all, since the room began. `None`: too little is known.
    /// O(batches + log seats).
    #[must_use]
    pub fn reach(&self) -> Option<u64> {
        let seats: u64 = self.batches.iter().map(|batch| batch.seats).sum();
        if self.batches.len() < BATCHES_MIN || seats < SEATS_MIN {
            return None;
        }
        let prediction = Prediction::of(&self.batches);
        let (mut enough, mut too_many) = (0, u64::from(STOCK_MAX));
        while enough < too_many {
            let more = enough + (too_many - enough).div_ceil(2);
            if prediction.allows(self.left, more) {
                enough = more;
            } else {
                too_many = more - 1;
            }
        }
        Some(self.settled.saturating_add(enough))
    }
}

/// What so many visits will take.
struct Prediction {
    visits: u128,
    seats: u128,
    /// The sum over batches of (seats · all visits − all seats · visits)² ÷ visits.
    spread: u128,
    freedom: u128,
}

impl Prediction {
    /// At most 2⁵ batches of 2¹⁶ visits and 2²⁴ seats each.
    fn of(batches: &VecDeque<Batch>) -> Self {
        let visits: u128 = batches.iter().map(|batch| u128::from(batch.visits)).sum();
        let seats: u128 = batches.iter().map(|batch| u128::from(batch.seats)).sum();
        let strays = batches.iter().map(|batch| {
            let (v, s) = (u128::from(batch.visits), u128::from(batch.seats));
            let stray = (s * visits).abs_diff(seats * v);
            stray.saturating_mul(stray).div_ceil(v.max(1))
        });
        Self {
            visits,
            seats,
            spread: strays.fold(0, u128::saturating_add),
            freedom: (batches.len() as u128).saturating_sub(1),
        }
    }

    /// Whether `left` seats are enough for so many visits, with two standard deviations to spare:
    /// `left ≥ k·m + 2·√(s²·(k + k²/n))`, where `n` visits took `m` each and `s²` is the spread of one. Times `n`,
    /// squared, and without fractions. The right side may saturate, which refuses.
    fn allows(&self, left: u32, k: u64) -> bool {
        let k = u128::from(k);
        let Some(spare) = (u128::from(left) * self.visits).checked_sub(k * self.seats) else {
            return false;
        };
        let spare = spare
            .saturating_mul(spare)
            .saturating_mul(self.freedom)
            .saturating_mul(self.visits);
        let needed = self
            .spread
            .saturating_mul(4)
            .saturating_mul(k * self.visits + k * k);
        spare >= needed && needed < u128::MAX
    }
}
