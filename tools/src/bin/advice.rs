//! `advice check`, `advice replay EXPORT`: measures how good the desk's forecasts are. Only files, streams and exit codes are here; the work is done
//! in `baton_tools::advise`.

use baton_tools::advise::flags::{Check, Question, Replay, Task};
use baton_tools::advise::rerun::Pace;
use baton_tools::advise::score::{Pair, Score, TARGETS, Table};
use baton_tools::advise::{check, replay, report};
use baton_tools::flags::read;
use baton_tools::lines::each_line;
use baton_tools::program::{Failure, in_threads, print, run};
use std::convert::Infallible;
use std::process::ExitCode;

const OUT_OF_BOUNDS: u8 = 1;

fn main() -> ExitCode {
    run("advice", read, |Task { question }| match question {
        Question::Check(asked) => checked(&asked),
        Question::Replay(asked) => replayed(&asked),
    })
}

/// Plays the sales in two threads.
fn checked(asked: &Check) -> Result<(), Failure> {
    let seeds = asked.seed..asked.seed + asked.sales;
    let Ok(pairs) = in_threads(seeds, 2, |seed| Ok::<_, Infallible>(check(seed)));
    let mut pairs: Vec<Pair> = pairs.into_iter().flatten().collect();
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
