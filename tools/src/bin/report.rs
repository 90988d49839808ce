//! `report EXPORT`: prints what happened in a sale and how good its forecasts were, as one JSON object. Only files, streams and exit codes are here;
//! the work is done in `baton_tools::report` and `baton_tools::advise`.

use baton_tools::advise::afterwards::Afterwards;
use baton_tools::flags::Wish;
use baton_tools::lines::{Unread, each_line};
use baton_tools::report::Report;
use baton_tools::report::flags::{self, Task};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

const NOT_SOUND: u8 = 1;
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    match flags::parse(&arguments) {
        Ok(Wish::Help(text)) => print(&text, ExitCode::SUCCESS),
        Ok(Wish::Do(task)) => match made(&task) {
            Ok(report) => told(&report),
            Err(why) => refused(&why),
        },
        Err(why) => refused(&why),
    }
}

fn made(task: &Task) -> Result<Report, String> {
    let mut report = Afterwards::new(task.asked());
    match each_line(&task.export, |line| report.line(line)) {
        Err(Unread::File(why)) => Err(why),
        Err(Unread::Stopped(stop)) => Err(stop.to_string()),
        Ok(_) => report.finish().map_err(|stop| stop.to_string()),
    }
}

fn told(report: &Report) -> ExitCode {
    let code = if report.verdict.is_sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOT_SOUND)
    };
    match serde_json::to_string(report) {
        Ok(text) => print(&format!("{text}\n"), code),
        Err(why) => refused(&why.to_string()),
    }
}

fn refused(why: &str) -> ExitCode {
    eprintln!("report: {why}");
    ExitCode::from(BAD_INPUT)
}

/// Prints on standard output. A reader may stop reading (`| head`); that is no failure.
fn print(text: &str, code: ExitCode) -> ExitCode {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => refused(&format!("cannot print: {error}")),
        _ => code,
    }
}
