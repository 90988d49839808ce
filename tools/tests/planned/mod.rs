//! Shared by the tests of the planner: makes events from flags and files.

use baton_tools::flags::Wish;
use baton_tools::plan::event::Event;
use baton_tools::plan::flags::{self, Wanted};
use baton_tools::plan::forecast::{Forecast, forecast};
use baton_tools::plan::said::{Said, Wrong};

/// Flags for a plain sale: nobody gives up, sleeps or walks off, and only the visit takes time.
pub const PLAIN: &str = "--gives-up 0 --sleeps 0 --walks-off 0 --page 0 --round 0 --lease-idle-s 80000 --lease-max-s 80000 --until 7d";

/// Returns what a line of flags asks for.
pub fn wanted(line: &str) -> Wanted {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match flags::parse(&words) {
        Ok(Wish::Do(wanted)) => wanted,
        other => panic!("{line}: {other:?}"),
    }
}

/// The name and text of each file that exists.
const FILES: [(&str, &str); 3] = [
    ("two.csv", "at_ms,event,visitor,stay_ms\n0,arrive,ann,1000\n500,arrive,bob,\n"),
    ("ticks.csv", "at_ms,event,visitor\n0,arrive,ann\n5,tick,\n"),
    ("broken.csv", "at_ms,event,visitor\n0,arive,ann\n"),
];

/// Returns the event that was asked for, or every mistake on a line of its own.
pub fn tried(said: &Said) -> Result<Event, String> {
    let read = |asked: &str| {
        let found = FILES.iter().find(|(name, _)| *name == asked);
        found
            .map(|(_, text)| (*text).to_owned())
            .ok_or_else(|| "there is no such file".to_owned())
    };
    Event::new(said, &read).map_err(all)
}

/// Returns the event that a line of flags asks for.
pub fn event(line: &str) -> Event {
    tried(&wanted(line).said).unwrap_or_else(|wrong| panic!("{line}: {wrong}"))
}

/// Plays an event with this many seeds.
pub fn played(event: &Event, seeds: usize) -> Forecast {
    forecast(event, 1, seeds, 2).unwrap_or_else(|bug| panic!("{}", bug.0))
}

/// Writes every mistake on a line of its own.
pub fn all(wrong: Vec<Wrong>) -> String {
    let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    texts.join("\n")
}
