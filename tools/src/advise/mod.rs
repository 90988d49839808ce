//! How good the desk's forecasts are: against sales that nobody has seen, and against the journal of one that was.
//!
//! - [`sale`]: a sale with the real room and people whose habits are drawn from a seed;
//! - [`course`]: what came of a sale, whoever played it;
//! - [`score`]: what was forecast at some moments, and what came;
//! - [`rerun`]: the same from a journal that is played again;
//! - [`replay`]: that from an export;
//! - [`afterwards`]: that for the report after a sale.

pub mod afterwards;
pub mod course;
pub mod flags;
pub mod replay;
pub mod report;
pub mod rerun;
pub mod sale;
pub mod score;

/// Seeds from here on are held out: whatever was tuned was tuned by lower ones.
pub const HELD_OUT: u64 = 1_000_000;
/// When forecasts are made in a simulated sale, minutes after its opening.
pub const MOMENTS_MIN: [u64; 5] = [5, 10, 20, 40, 80];
/// Futures of a forecast that is checked: as many as the desk's.
pub const FUTURES: u32 = 60;

/// Every forecast in these simulated sales, and what came. O(sales · people).
#[must_use]
pub fn check(seeds: core::ops::Range<u64>) -> Vec<score::Pair> {
    let moments = MOMENTS_MIN.map(|minutes| minutes * 60_000);
    let sale = |seed| {
        let course = sale::play(&sale::Habits::of(seed), &moments);
        let said = course.asked.iter();
        said.flat_map(|asked| score::pairs(&course, asked, FUTURES).1)
            .collect::<Vec<_>>()
    };
    seeds.flat_map(sale).collect()
}
