//! What every program does: it reads its command line, prints, and ends with an exit code.

use crate::flags::{Wish, arguments};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

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
