//! Works out from `stock.rs` which number is the last that can expect a seat.

use super::Room;
use facts::units::Number;

impl Room {
    /// Returns the last number that can expect a seat; 0 if there may be none left for anybody who waits. Returns `None` if the shop reports
    /// no stock, if too little was measured, or if the room has several lanes, each of which depends on the others. Rounded down if the line
    /// is long. O(log n).
    #[must_use]
    pub fn seats_to(&self) -> Option<Number> {
        let is_told = self.config.stock_line && !self.tickets.lanes().are_several();
        let reach = self.stock.reach().filter(|_| is_told)?;
        let line = self.tickets.lanes().lane(self.tickets.lanes().everybody()).line();
        let admitted = self.measured.totals.admitted();
        // Some people who come in later are done sooner and take their seats first: about half as many as are inside at once (exactly half
        // if stays are exponential).
        let sooner = u64::from(self.tickets.permits().leased()).div_ceil(2);
        let enough = reach.saturating_sub(admitted).saturating_sub(sooner);
        let Some(last) = enough.checked_sub(1) else {
            return Some(Number(0));
        };
        let next = line.next();
        let beyond = last.saturating_sub(line.alive());
        let number = line.nth(last).map_or(next.within().saturating_add(beyond), Number::within);
        let first = line.nth(0).unwrap_or(next).within();
        Some(Number(rounded_down(number, number.saturating_sub(first))))
    }
}

/// Rounds down to a multiple of a power of ten that is at most a twentieth of the way there: "about 18,200".
const fn rounded_down(number: u64, way: u64) -> u64 {
    let mut step = 1;
    while step <= way / 200 {
        step *= 10;
    }
    number - number % step
}
