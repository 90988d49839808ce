//! `advice check`, `advice replay EXPORT`: measures how good the desk's forecasts are. Only files, streams and exit codes are here; the work is done
//! in `baton_tools::advise`.

use baton_tools::advise::flags::{self, Check, Question, Replay, Task};
use baton_tools::advise::rerun::Pace;
use baton_tools::advise::score::{Score, TARGETS, Table};
use baton_tools::advise::{check, replay, report};
use baton_tools::lines::each_line;
use baton_tools::program::{Failure, print, run};
use std::process::ExitCode;

const OUT_OF_BOUNDS: u8 = 1;

fn main() -> ExitCode {
    run("advice", flags::parse, |Task { question }| match question {
        Question::Check(asked) => checked(&asked),
        Question::Replay(asked) => replayed(&asked),
    })
}

/// Runs two threads, each with half of the sales. The order of the pairs does not matter to a table.
fn checked(asked: &Check) -> Result<(), Failure> {
    let (from, half) = (asked.seed, asked.sales / 2);
    let (first, second) = (from..from + half, from + half..from + asked.sales);
    let mut pairs = std::thread::scope(|scope| {
        let other = scope.spawn(|| check(second));
        let mut pairs = check(first);
        let other = other.join();
        pairs.extend(other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        pairs
    });
    pairs.sort_by_key(|pair| pair.target);
    let is_good = (0..TARGETS.len()).all(|target| (70.0..=90.0).contains(&Score::of(&pairs, target).coverage()));
    print(&Table(&pairs).to_string())?;
    if is_good { Ok(()) } else { Err(Failure(OUT_OF_BOUNDS, String::new())) }
}

fn replayed(asked: &Replay) -> Result<(), Failure> {
    let mut replay = replay::Replay::new(Pace {
        every_ms: asked.every_min * 60_000,
        most: usize::MAX,
    });
    each_line(&asked.export, |line| replay.line(line))?;
    let played = replay.finish().map_err(|stop| stop.to_string())?;
    print(&report::text(&played))
}
