//! Measures how good the desk's forecasts are: against simulated sales, and against the journal of a real one.
//!
//! - [`sale`]: a sale with the real room and people whose habits are drawn from a seed;
//! - [`course`]: what happened in a sale, simulated or replayed;
//! - [`score`]: what was forecast, and what came;
//! - [`rerun`]: a journal played again, with forecasts on the way;
//! - [`replay`]: a rerun of an export, line by line;
//! - [`afterwards`]: a rerun beside the report after a sale.

pub mod afterwards;
pub mod course;
pub mod flags;
pub mod replay;
pub mod report;
pub mod rerun;
pub mod sale;
pub mod score;

/// Seeds from here on are held out: everything that was tuned was tuned with lower ones.
pub const HELD_OUT: u64 = 1_000_000;
/// When forecasts are made in a simulated sale, in minutes after its opening.
pub const MOMENTS_MIN: [u64; 5] = [5, 10, 20, 40, 80];
/// Futures of each forecast that is checked, as many as the desk plays.
pub const FUTURES: u32 = 60;

/// Returns every forecast in the simulated sale of this seed, and what came. O(people).
#[must_use]
pub fn check(seed: u64) -> Vec<score::Pair> {
    let course = sale::play(&sale::Habits::of(seed), &MOMENTS_MIN.map(|minutes| minutes * 60_000));
    let said = course.asked.iter();
    said.flat_map(|asked| score::pairs(&course, asked, FUTURES).1).collect()
}
