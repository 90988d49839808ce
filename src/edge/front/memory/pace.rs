//! How many pages without a number come to each room, and what its lobbies said of that: the input of [`gate::Pace`].

use super::{change_room, heard};
use gate::{Load, Report};

/// How long the isolate believes that people can walk in, ms. As soon as one request learns that they cannot, all know.
const WALKS_IN_MS: u64 = 10_000;

/// Counts one more page without a number and returns how long it waits, ms.
pub fn wait_ms(room: &str, now_ms: u64, lobbies: u16, die: u64) -> u64 {
    change_room(room, |known| known.pace.wait_ms(now_ms, lobbies, die))
}

/// Takes what a lobby is to be told. The request that takes it must tell it.
pub fn take_report(room: &str, now_ms: u64) -> Option<Report> {
    change_room(room, |known| known.pace.report(now_ms))
}

/// Whether a request should set out to tell a lobby, because nobody asks one anything.
pub fn is_untold(room: &str, now_ms: u64) -> bool {
    change_room(room, |known| known.pace.is_untold(now_ms))
}

/// Takes in a lobby's answer to a report. `None` means that the lobby had too much to do to answer.
pub fn hear_load(room: &str, to: Report, load: Option<Load>, lobbies: u16) {
    change_room(room, |known| match load {
        Some(load) => known.pace.hear(to, load, lobbies),
        None => known.pace.refused(to),
    });
}

/// Returns whether a stranger may ask to walk in, and counts it. Where people lately could, everybody may; elsewhere a few ask for all.
pub fn take_probe(room: &str, now_ms: u64) -> bool {
    let walks_in = heard(room).is_some_and(|heard| !heard.no_walk_in && now_ms.abs_diff(heard.at_ms) < WALKS_IN_MS);
    walks_in || change_room(room, |known| known.pace.take_probe(now_ms))
}
