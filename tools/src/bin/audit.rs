//! `audit verify EXPORT`, `audit story EXPORT NUMBER`, `audit carried EXPORT`: audits the journal of a sale. Only files, streams, the stopwatch and
//! exit codes are here; the audit itself is `baton_tools::audit`.

#![allow(clippy::disallowed_methods, reason = "a tool at the command line may look at the clock")]

use baton_tools::audit::carried::Carried;
use baton_tools::audit::flags::{self, Crowd, Question, Story, Task, Verify};
use baton_tools::audit::story::Tale;
use baton_tools::audit::{Audit, Stop};
use baton_tools::flags::{Wish, arguments};
use baton_tools::lines::{self, Unread};
use std::process::ExitCode;
use std::time::Instant;

const NOT_SOUND: u8 = 1;
const BAD_INPUT: u8 = 2;

/// Why the program ends early.
enum Failure {
    /// The command line or the file is wrong; the text says what to do.
    Usage(String),
    /// The export is not sound or cannot be read.
    Stop(Stop),
    /// The export is not sound, and the output says so already.
    Said,
}

fn main() -> ExitCode {
    let (outcome, json) = match flags::parse(&arguments()) {
        Err(error) => (Err(Failure::Usage(error)), false),
        Ok(Wish::Help(text)) => (print(&text), false),
        Ok(Wish::Do(Task { question, json })) => match question {
            Question::Verify(asked) => (verify(&asked, json), json),
            Question::Story(asked) => (story(&asked, json), json),
            Question::Carried(asked) => (carried(&asked), json),
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure, json),
    }
}

fn verify(asked: &Verify, json: bool) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut audit = Audit::new(asked.scope(), asked.fingerprint);
    let bytes = each_line(&asked.export, |line| audit.line(line))?;
    let report = audit.finish().map_err(Failure::Stop)?;
    let seconds = begun.elapsed().as_secs_f64().max(0.001);
    if json {
        return print(&format!("{}\n", report.json()));
    }
    let per_s = report.rows as f64 / seconds;
    let mb_per_s = bytes as f64 / 1e6 / seconds;
    print(&format!(
        "{report}  speed       {} rows in {seconds:.2} s: {per_s:.0} rows/s, {mb_per_s:.0} MB/s\n",
        report.rows
    ))
}

fn story(asked: &Story, json: bool) -> Result<(), Failure> {
    let mut tale = Tale::new(asked.number, asked.lane, asked.edition);
    let read = each_line(&asked.export, |line| tale.line(line));
    let stopped = match read {
        Err(Failure::Stop(stop @ Stop::Fault(_))) => Some(stop),
        read => read.map(|_| None)?,
    };
    let story = tale.finish(stopped.as_ref()).map_err(Failure::Stop)?;
    print(&if json { format!("{}\n", story.json()) } else { story.to_string() })?;
    match stopped {
        Some(_) if json => Err(Failure::Said),
        Some(stop) => Err(Failure::Stop(stop)),
        None => Ok(()),
    }
}

fn carried(asked: &Crowd) -> Result<(), Failure> {
    let mut carried = Carried::new(asked.span_s.saturating_mul(1_000));
    each_line(&asked.export, |line| carried.line(line))?;
    let windows = carried.finish().map_err(Failure::Stop)?;
    let lines: String = windows.iter().map(|window| format!("{window}\n")).collect();
    print(&lines)
}

fn fail(failure: &Failure, json: bool) -> ExitCode {
    let (code, text) = match failure {
        Failure::Said => return ExitCode::from(NOT_SOUND),
        Failure::Usage(why) => (BAD_INPUT, why.clone()),
        Failure::Stop(stop @ Stop::Fault(_)) => (NOT_SOUND, format!("not sound: {stop}")),
        Failure::Stop(stop @ Stop::Unreadable { .. }) => (BAD_INPUT, stop.to_string()),
    };
    match failure {
        Failure::Stop(stop) if json => println!("{}", stop.json()),
        _ => eprintln!("audit: {text}"),
    }
    ExitCode::from(code)
}

fn each_line(export: &str, take: impl FnMut(&str) -> Result<(), Stop>) -> Result<u64, Failure> {
    lines::each_line(export, take).map_err(|why| match why {
        Unread::File(why) => Failure::Usage(why),
        Unread::Stopped(stop) => Failure::Stop(stop),
    })
}

fn print(text: &str) -> Result<(), Failure> {
    lines::print(text).map_err(Failure::Usage)
}
