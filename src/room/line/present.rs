//! Who is present: by rank, and the first.

use super::{Line, number_at, split};
use facts::units::Number;

impl Line {
    /// Returns the first present ticket. O(1) while people are called in order, else O(log n).
    #[must_use]
    pub fn first_present(&self) -> Option<Number> {
        let (index, at) = split(self.present_from);
        let near = self.chunk_at(index).and_then(|of| of.first_present(at));
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
        let (index, at) = split(number);
        let within = self.chunk_at(index).map_or(0, |chunk| chunk.present_before(at));
        self.present_sums.before(self.position(index)) + within
    }

    /// Returns the present number that has `rank` present ones in front. O(log n).
    #[must_use]
    pub fn nth_present(&self, rank: u64) -> Option<Number> {
        let (position, before) = self.present_sums.find(rank)?;
        let index = self.sums_from + position as u64;
        let at = self.chunk_at(index)?.nth_present(rank - before)?;
        Some(number_at(index, at))
    }
}
