//! `audit verify EXPORT`, `audit story EXPORT NUMBER`, `audit carried EXPORT`: audits the journal of a sale. Only files, streams, the stopwatch and
//! exit codes are here; the audit itself is `baton_tools::audit`.

#![allow(clippy::disallowed_methods, reason = "a tool at the command line may look at the clock")]

use baton_tools::audit::carried::Carried;
use baton_tools::audit::flags::{Crowd, Question, Story, Task, Verify};
use baton_tools::audit::story::Tale;
use baton_tools::audit::{Audit, Stop};
use baton_tools::flags::read;
use baton_tools::lines::{Unread, each_line};
use baton_tools::program::{BAD_INPUT, Failure, print, run};
use std::process::ExitCode;
use std::time::Instant;

const NOT_SOUND: u8 = 1;

fn main() -> ExitCode {
    run("audit", read, |Task { question, json }| match question {
        Question::Verify(asked) => verify(&asked, json),
        Question::Story(asked) => story(&asked, json),
        Question::Carried(asked) => carried(&asked, json),
    })
}

fn verify(asked: &Verify, json: bool) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut audit = Audit::new(asked.scope(), asked.fingerprint);
    let read = each_line(&asked.export, |line| audit.line(line));
    let bytes = read.map_err(|why| unread(why, json))?;
    let report = audit.finish().map_err(|stop| stopped(&stop, json))?;
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
    let fault = match each_line(&asked.export, |line| tale.line(line)) {
        Err(Unread::Stopped(stop @ Stop::Fault(_))) => Some(stop),
        read => read.map(|_| None).map_err(|why| unread(why, json))?,
    };
    let story = tale.finish(fault.as_ref()).map_err(|stop| stopped(&stop, json))?;
    print(&if json { format!("{}\n", story.json()) } else { story.to_string() })?;
    match fault {
        // The story says so already.
        Some(_) if json => Err(Failure(NOT_SOUND, String::new())),
        Some(stop) => Err(stopped(&stop, json)),
        None => Ok(()),
    }
}

fn carried(asked: &Crowd, json: bool) -> Result<(), Failure> {
    let mut carried = Carried::new(asked.span_s.saturating_mul(1_000));
    each_line(&asked.export, |line| carried.line(line)).map_err(|why| unread(why, json))?;
    let windows = carried.finish().map_err(|stop| stopped(&stop, json))?;
    let lines: String = windows.iter().map(|window| format!("{window}\n")).collect();
    print(&lines)
}

fn unread(why: Unread<Stop>, json: bool) -> Failure {
    match why {
        Unread::File(why) => why.into(),
        Unread::Stopped(stop) => stopped(&stop, json),
    }
}

/// Says why the audit stopped. With `json` it says so on standard output.
fn stopped(stop: &Stop, json: bool) -> Failure {
    let (code, text) = match stop {
        Stop::Fault(_) => (NOT_SOUND, format!("not sound: {stop}")),
        Stop::Unreadable { .. } => (BAD_INPUT, stop.to_string()),
    };
    if !json {
        return Failure(code, text);
    }
    match print(&format!("{}\n", stop.json())) {
        Ok(()) => Failure(code, String::new()),
        Err(failure) => failure,
    }
}
