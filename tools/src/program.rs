//! What every program does: it reads its command line, prints, and ends with an exit code; and how it plays many seeds at once.

use crate::flags::{Wish, arguments};
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// The exit code for a command line or a file that is wrong.
pub const BAD_INPUT: u8 = 2;

/// Why a program ends early: its exit code, and what it says on standard error; nothing if its output says so already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub u8, pub String);

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self(BAD_INPUT, why)
    }
}

/// Runs a program: parses its arguments, does the task, and says what went wrong.
pub fn run<T>(name: &str, parse: impl FnOnce(&[String]) -> Result<Wish<T>, String>, act: impl FnOnce(T) -> Result<(), Failure>) -> ExitCode {
    let outcome = parse(&arguments()).map_err(Failure::from).and_then(|wish| match wish {
        Wish::Help(text) => print(&text),
        Wish::Do(task) => act(task),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(code, why)) => {
            if !why.is_empty() {
                eprintln!("{name}: {why}");
            }
            ExitCode::from(code)
        }
    }
}

/// Plays each seed, in so many threads at once, and returns what came of each, in order. After an error no other seed is begun.
///
/// # Errors
/// Returns the first error in order of the seeds.
pub fn in_threads<T: Send, E: Send>(seeds: Range<u64>, threads: usize, play: impl Fn(u64) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut done = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return done;
            }
            let played = play(seed);
            if played.is_err() {
                next.store(seeds.end, Ordering::Relaxed);
            }
            done.push((seed, played));
        }
    };
    let mut done: Vec<(u64, Result<T, E>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(seed, _)| *seed);
    done.into_iter().map(|(_, played)| played).collect()
}

/// Prints on standard output. A reader may stop reading (`| head`); that is no failure. O(bytes).
///
/// # Errors
/// Returns why the text cannot be printed.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot print: {error}").into()),
        _ => Ok(()),
    }
}
