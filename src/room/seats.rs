//! Up to which number a seat can be expected: what the room tells of `stock.rs`.

use super::Room;
use crate::facts::units::Number;

impl Room {
    /// Visits that are over: whoever was in and is no more.
    pub(super) fn visits_over(&self) -> u64 {
        let admitted = self.totals.claimed.saturating_add(self.totals.walked_in);
        admitted.saturating_sub(u64::from(self.permits.leased()))
    }

    /// Up to which number a seat can be expected, 0: in front of all who wait there may be none left. `None`: the shop
    /// reports no stock, or too little was measured, or the room has several lanes, of which each depends on the others.
    /// Rounded down where the line is long. O(log n).
    #[must_use]
    pub fn seats_to(&self) -> Option<Number> {
        let is_told = self.config.stock_line && !self.lanes.are_several();
        let reach = self.stock.reach().filter(|_| is_told)?;
        let line = self.lanes.lane(self.lanes.everybody()).line();
        let admitted = self.totals.claimed.saturating_add(self.totals.walked_in);
        // Of the people who come in later about half as many as are inside at once are done sooner (exactly so where
        // stays are exponential), and take theirs first.
        let sooner = u64::from(self.permits.leased()).div_ceil(2);
        let enough = reach.saturating_sub(admitted).saturating_sub(sooner);
        let Some(last) = enough.checked_sub(1) else {
            return Some(Number(0));
        };
        let next = line.next();
        let beyond = last.saturating_sub(line.alive());
        let number = line
            .nth(last)
            .map_or(next.within().saturating_add(beyond), Number::within);
        let first = line.nth(0).unwrap_or(next).within();
        Some(Number(rounded_down(number, number.saturating_sub(first))))
    }
}

/// Down to a power of ten that is at most a twentieth of the way there: "about 18,200".
const fn rounded_down(number: u64, way: u64) -> u64 {
    let mut step = 1;
    while step <= way / 200 {
        step *= 10;
    }
    number - number % step
}
