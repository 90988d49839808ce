//! `advice check`, `advice replay EXPORT`: measures how good the desk's forecasts are. Only files, streams and exit codes are here; the work is done
//! in `baton_tools::advise`.

use baton_tools::advise::flags::{self, Check, Question, Replay, Task};
use baton_tools::advise::rerun::Pace;
use baton_tools::advise::score::{Score, TARGETS, Table};
use baton_tools::advise::{check, replay, report};
use baton_tools::flags::{Wish, arguments};
use baton_tools::lines::{self, Unread, each_line};
use std::process::ExitCode;

const OUT_OF_BOUNDS: u8 = 1;
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    match flags::parse(&arguments()) {
        Ok(Wish::Help(text)) => print(&text),
        Ok(Wish::Do(Task { question })) => match question {
            Question::Check(asked) => checked(&asked),
            Question::Replay(asked) => replayed(&asked),
        },
        Err(why) => refused(&why),
    }
}

/// Runs two threads, each with half of the sales. The order of the pairs does not matter to a table.
fn checked(asked: &Check) -> ExitCode {
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
    let said = print(&Table(&pairs).to_string());
    if is_good { said } else { ExitCode::from(OUT_OF_BOUNDS) }
}

fn replayed(asked: &Replay) -> ExitCode {
    let mut replay = replay::Replay::new(Pace {
        every_ms: asked.every_min * 60_000,
        most: usize::MAX,
    });
    let read = each_line(&asked.export, |line| replay.line(line));
    let played = match read {
        Err(Unread::File(why)) => return refused(&why),
        Err(Unread::Stopped(stop)) => return refused(&stop.to_string()),
        Ok(_) => replay.finish(),
    };
    match played {
        Ok(played) => print(&report::text(&played)),
        Err(stop) => refused(&stop.to_string()),
    }
}

fn refused(why: &str) -> ExitCode {
    eprintln!("advice: {why}");
    ExitCode::from(BAD_INPUT)
}

fn print(text: &str) -> ExitCode {
    match lines::print(text) {
        Err(why) => refused(&why),
        Ok(()) => ExitCode::SUCCESS,
    }
}
