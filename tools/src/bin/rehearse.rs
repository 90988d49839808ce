//! `rehearse replay TRACE.csv`: plays a trace against the room and prints who is admitted. Only files, streams and exit codes are here; the rehearsal
//! itself is `baton_tools::rehearse`.

use baton_tools::program::{Failure, print, run};
use baton_tools::rehearse::flags::{self, Replay};
use baton_tools::rehearse::player::{self, HEADER, Seen};
use baton_tools::rehearse::{expected, trace};
use std::io::{self, Read};
use std::process::ExitCode;

const DIFFERS: u8 = 1;
const BUG: u8 = 3;

fn main() -> ExitCode {
    run("rehearse", flags::parse, |replay| played(&replay))
}

/// Reads and checks everything before it prints the first line.
fn played(replay: &Replay) -> Result<(), Failure> {
    let flawed = |flaw: baton_tools::rehearse::Flaw| Failure::from(flaw.to_string());
    let steps = trace::parse(&replay.trace, &read(&replay.trace)?).map_err(flawed)?;
    let wanted = match &replay.expected {
        Some(file) => Some(expected::parse(file, &read(file)?).map_err(flawed)?),
        None => None,
    };
    let seen = player::play(&replay.config, &steps).map_err(|bug| Failure(BUG, format!("this is a bug in Baton; please report it: {bug}")))?;
    print(&table(&seen))?;
    match wanted.and_then(|wanted| expected::difference(&wanted, &seen)) {
        Some(difference) => Err(Failure(DIFFERS, difference)),
        None => Ok(()),
    }
}

fn table(seen: &[Seen]) -> String {
    let mut text = format!("{HEADER}\n");
    for row in seen {
        text.push_str(&format!("{row}\n"));
    }
    text
}

fn read(file: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let outcome = if file == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(file).map(|read| bytes = read)
    };
    let cure = "give the path of a readable CSV file in UTF-8";
    outcome
        .map_err(|error| error.to_string())
        .and_then(|()| String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned()))
        .map_err(|why| format!("{file}: {why}\n  cure: {cure}").into())
}
