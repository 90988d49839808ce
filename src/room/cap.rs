//! How many more people may come: by the operator's cap of the line (`line_max`), and by Baton's own limits.

use super::lanes::Lanes;
use facts::limits::{HALL_MAX, LINE_MAX, NUMBERS_MAX};
use facts::units::{LaneId, Number};

impl Lanes {
    /// Returns how many more people may join from this number on.
    pub(super) fn room_left(&self, next: Number, line_max: u32) -> usize {
        let by_cap = self.places_left(next.lane(), line_max);
        let most = self.tickets_left(next).min(by_cap.unwrap_or(u64::MAX));
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// Returns how many more places `line_max` leaves in a lane; `None` if it says nothing of the lane. A place counts from its number, or its entry of
    /// the hall, until its holder is inside or it ends, so a draw and a missed call change no count.
    #[must_use]
    pub fn places_left(&self, lane: LaneId, line_max: u32) -> Option<u64> {
        let most = u64::from(line_max);
        let counts = most > 0 && lane == self.everybody();
        let alive = self.lane(lane).alive();
        counts.then(|| most.saturating_sub(alive))
    }

    /// Returns how many more tickets may be issued from this number on.
    pub(super) fn tickets_left(&self, next: Number) -> u64 {
        let mut most = LINE_MAX.saturating_sub(self.alive());
        if next.is_entry() {
            most = most.min(HALL_MAX.saturating_sub(self.in_hall()));
        }
        most.min(numbers_left(next))
    }
}

/// Returns how many numbers are left from this one on.
pub(super) const fn numbers_left(next: Number) -> u64 {
    NUMBERS_MAX.saturating_sub(next.within())
}
