//! What the tests of the planner share: from words to an event.

use baton_tools::flags::Wish;
use baton_tools::plan::event::Event;
use baton_tools::plan::flags::{self, Wanted};
use baton_tools::plan::said::{Said, Wrong};

/// Nobody gives up, sleeps or walks off, and nothing takes time but the shop.
pub const PLAIN: &str = "--gives-up 0 --sleeps 0 --walks-off 0 --page 0 --round 0 --lease-idle-s 80000 --lease-max-s 80000 --until 7d";

/// What a line of flags asks for.
pub fn wanted(line: &str) -> Wanted {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match flags::parse(&words) {
        Ok(Wish::Do(wanted)) => wanted,
        other => panic!("{line}: {other:?}"),
    }
}

/// The event that was asked for, or all that is wrong, a line each. `files`: name and text of those that there are.
pub fn tried(said: &Said, files: &[(&str, &str)]) -> Result<Event, String> {
    let read = |asked: &str| {
        let found = files.iter().find(|(name, _)| *name == asked);
        found
            .map(|(_, text)| (*text).to_owned())
            .ok_or_else(|| "there is no such file".to_owned())
    };
    Event::new(said, &read).map_err(all)
}

/// All that is wrong, a line each.
pub fn all(wrong: Vec<Wrong>) -> String {
    let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    texts.join("\n")
}
