//! Estimates how many people can expect a seat, from the seats that the shop reports as left and from how fast seats went with those who were inside.
//! The purpose: nobody waits two hours for nothing, and nobody leaves who would have got a seat. Whole numbers only.
//!
//! Nobody can predict how many seats one visit takes, none or eight. What many visits take can be predicted. The room counts visits in *batches* that
//! follow each other, each with the seats that went meanwhile (batch means: Law, *Simulation Modeling and Analysis*, 9.5.3). All seats divided by all
//! visits is what a visit takes. How far the batches stray from it says how far the next visits may, so a prediction leaves two standard deviations
//! to spare: with [`BATCHES_MIN`] batches it is right in 19 of 20 cases by Student's t, if the next visitors are like the last.
//!
//! The estimate errs on the careful side. It assumes that everybody in front comes in, although some drop out; that those who came in lately have not
//! bought yet, since the shop's report is a moment old; and that whoever comes in is overtaken by some (`Room::seats_to`).

use facts::limits::STOCK_MAX;
use facts::units::Instant;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Minimum number of visits in a batch. With fewer, the seats of a purchase would fall into the next batch too often.
pub const BATCH_VISITS_MIN: u64 = 8;
/// Most visits in a batch. One with more spans a time in which the shop reported nothing, and does not count.
pub const BATCH_VISITS_MAX: u64 = 65_535;
/// Minimum number of batches to estimate from.
pub const BATCHES_MIN: usize = 8;
/// Most batches kept, 16 bytes each. Older ones are dropped: crowds change.
pub const BATCHES_MAX: usize = 32;
/// Minimum number of seats sold to estimate from.
pub const SEATS_MIN: u64 = 30;
/// The greatest age of a report of the shop when the room hears it, ms: a second in the front and one in the lobby.
pub const REPORT_AGE_MS: u64 = 2_000;

/// What the room knows of the stock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stock {
    left: u32,
    /// When the shop reported this, by its own clock, Unix ms; 0 if it never did. A report that is not newer is not news.
    reported_at_ms: u64,
    /// The beginning of the batch under way: the visits over by then, and the seats left.
    begun: Option<(u64, u32)>,
    batches: VecDeque<Batch>,
    /// Visits that were over at least [`REPORT_AGE_MS`] before the last report, which therefore counts their seats.
    settled: u64,
    /// A time, and the visits that were over by then. They become `settled` once the time is old enough.
    mark: (Instant, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Batch {
    visits: u64,
    seats: u64,
}

impl Stock {
    /// The seats left as last reported; `None` if the shop never reported.
    #[must_use]
    pub fn left(&self) -> Option<u32> {
        (self.reported_at_ms > 0).then_some(self.left)
    }

    /// Forgets the visits when an edition begins: visitors of a rehearsal are no sample of those to come. The shop's last report still holds.
    pub fn begin(&mut self) {
        *self = Self {
            left: self.left,
            reported_at_ms: self.reported_at_ms,
            ..Self::default()
        };
    }

    /// Returns whether a report of that time is newer than the last.
    #[must_use]
    pub const fn is_news(&self, reported_at_ms: u64) -> bool {
        reported_at_ms > self.reported_at_ms
    }

    /// Records a report that `left` seats are left; `over` visits have ended by now. O(1).
    pub fn seen(&mut self, now: Instant, left: u32, reported_at_ms: u64, over: u64) {
        self.left = left;
        self.reported_at_ms = reported_at_ms;
        if now.since_ms(self.mark.0) >= REPORT_AGE_MS {
            self.settled = self.mark.1;
            self.mark = (now, over);
        }
        let (visits, seats) = match self.begun {
            // In the other arm no batch has begun, or more seats are left than at its beginning: new ones were put on sale.
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

    /// Returns how many visits can expect a seat, counted from the first of the edition: those whose seats the last report counts, and as many more
    /// as the seats left are enough for. Returns `None` if too little is known. O(batches + log seats).
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

/// The batches, summed up to predict how many seats visits will take.
struct Prediction {
    visits: u128,
    seats: u128,
    /// The sum over batches of (seats · all visits − all seats · visits)² ÷ visits.
    spread: u128,
    freedom: u128,
}

impl Prediction {
    /// Sums up the batches: at most 2⁵ of them, of 2¹⁶ visits and 2²⁴ seats each.
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

    /// Returns whether `left` seats are enough for `k` visits, with two standard deviations to spare: `left ≥ k·m + 2·√(s²·(k + k²/n))`, where `n`
    /// visits took `m` each and `s²` is the variance of one. The code multiplies this by `n` and squares it, to avoid fractions. The right side
    /// may saturate, which refuses.
    fn allows(&self, left: u32, k: u64) -> bool {
        let k = u128::from(k);
        let Some(spare) = (u128::from(left) * self.visits).checked_sub(k * self.seats) else {
            return false;
        };
        let spare = spare.saturating_mul(spare).saturating_mul(self.freedom).saturating_mul(self.visits);
        let needed = self.spread.saturating_mul(4).saturating_mul(k * self.visits + k * k);
        spare >= needed && needed < u128::MAX
    }
}
