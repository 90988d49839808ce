//! Who is present: by rank, and the first.

use super::{Line, number_at, split};
use facts::units::Number;

impl Line {
    /// Returns the first present ticket. O(1) while people are called in order, else O(log n).
    #[must_use]
    pub fn first_present(&self) -> Option<Number> {
        let (index, at) = split(self.present_from);
        let near = self.chunks.get(index).and_then(|of| of.first_present(at));
        near.map(|at| number_at(index, at)).or_else(|| self.nth_present(0))
    }

    /// Returns the first present ticket behind `number`. O(log n).
    #[must_use]
    pub fn next_present(&self, number: Number) -> Option<Number> {
        self.nth_present(self.present_before(number.plus(1)))
    }

    /// Returns how many present tickets are in front of a number. O(log n).
    #[must_use]
    pub fn present_before(&self, number: Number) -> u64 {
        self.chunks.present_before(number)
    }

    /// Returns the present number that has `rank` present ones in front. O(log n).
    #[must_use]
    pub fn nth_present(&self, rank: u64) -> Option<Number> {
        self.chunks.nth_present(rank)
    }
}
