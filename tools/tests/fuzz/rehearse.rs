//! The targets for the rehearsal's tables and command line.

use super::{Read, text};
use baton::facts::config::RoomConfig;
use baton::facts::limits::PERMITS_MAX;
use baton_tools::flags::Wish;
use baton_tools::rehearse::flags;
use baton_tools::rehearse::player::{self, HEADER};
use baton_tools::rehearse::trace::{Act, Step};
use baton_tools::rehearse::{Flaw, expected, trace};

const AT_MS_MAX: u64 = 1 << 53;
/// The most steps of a trace that is played; a longer one is only read.
const STEPS_MAX: usize = 200;

/// Returns a field in quotes, even if it needs none.
fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

fn row(step: &Step) -> String {
    let at_ms = step.at_ms;
    match &step.act {
        Act::Arrive { visitor, stay_ms } => {
            let stay = stay_ms.map_or(String::new(), |ms| ms.to_string());
            format!("{at_ms},arrive,{},{stay}\n", quoted(visitor))
        }
        Act::Release(who) => format!("{at_ms},release,{}\n", quoted(who)),
        Act::Tick => format!("{at_ms},tick,\n"),
    }
}

/// Reads a table, or asserts that the flaw names its file.
fn read<T>(bytes: &[u8], parse: impl Fn(&str, &str) -> Result<T, Flaw>) -> Option<T> {
    let read = parse("t.csv", &text(bytes));
    read.map_err(|flaw| assert!(flaw.to_string().starts_with("t.csv"), "{flaw}")).ok()
}

/// Reads a trace: it reads the same when it is written again, it plays without breaking a law, and the table of what was seen reads as what was
/// seen.
pub fn trace(bytes: &[u8]) -> Read {
    let Some(steps) = read(bytes, trace::parse) else {
        return Read::No;
    };
    assert!(steps.is_sorted_by_key(|step| step.at_ms));
    assert!(steps.iter().all(|step| step.at_ms <= AT_MS_MAX));
    let again: String = steps.iter().map(row).collect();
    let again = trace::parse("again.csv", &format!("at_ms,event,visitor,stay_ms\n{again}"));
    assert_eq!(again.as_ref(), Ok(&steps));
    if steps.len() > STEPS_MAX {
        return Read::Yes;
    }
    for permits in [0, 1, 3] {
        let config = RoomConfig {
            permits,
            ..RoomConfig::default()
        };
        let seen = player::play(&config, &steps).unwrap_or_else(|bug| panic!("{bug}"));
        let rows: String = seen.iter().map(|seen| format!("{seen}\n")).collect();
        let wanted = expected::parse("out.csv", &format!("{HEADER}\n{rows}"));
        assert_eq!(wanted.as_ref(), Ok(&seen));
        assert_eq!(expected::difference(&seen, &seen), None);
    }
    Read::Yes
}

/// Reads an expectation: it reads the same when it is written again.
pub fn expected(bytes: &[u8]) -> Read {
    let Some(wanted) = read(bytes, expected::parse) else {
        return Read::No;
    };
    let rows: String = wanted.iter().map(|seen| format!("{seen}\n")).collect();
    let again = expected::parse("again.csv", &format!("{HEADER}\n{rows}"));
    assert_eq!(again.as_ref(), Ok(&wanted));
    Read::Yes
}

/// Reads a command line, one word a line.
pub fn flags(bytes: &[u8]) -> Read {
    let words: Vec<String> = text(bytes).lines().map(str::to_owned).collect();
    match flags::parse(&words) {
        Ok(Wish::Do(replay)) => {
            assert!(replay.config.permits <= PERMITS_MAX);
            assert!(replay.config.tick_ms > 0, "a tick of nothing");
            Read::Yes
        }
        Ok(Wish::Help(_)) => Read::Yes,
        Err(error) => {
            assert!(!error.is_empty());
            Read::No
        }
    }
}
