//! How many pages without a number come to each room, and what its lobbies said of it: what [`crate::gate::Pace`] goes by.

use super::{change_room, heard};
use crate::gate::{Load, Report};

/// So long it is believed that people can walk in, ms. Whoever finds out that they cannot is heard by all.
const WALKS_IN_MS: u64 = 10_000;

/// One more page without a number is filled: how long it waits, ms.
pub fn wait_ms(room: &str, now_ms: u64, lobbies: u16, die: u64) -> u64 {
    change_room(room, |known| known.pace.wait_ms(now_ms, lobbies, die))
}

/// What a lobby is told of it. Whoever takes it tells it.
pub fn take_report(room: &str, now_ms: u64) -> Option<Report> {
    change_room(room, |known| known.pace.report(now_ms))
}

/// Whether somebody should set out to tell it, since nobody asks anything.
pub fn is_untold(room: &str, now_ms: u64) -> bool {
    change_room(room, |known| known.pace.is_untold(now_ms))
}

/// A lobby's answer to a report; none: it had too much to do.
pub fn hear_load(room: &str, to: Report, load: Option<Load>, lobbies: u16) {
    change_room(room, |known| match load {
        Some(load) => known.pace.hear(to, load, lobbies),
        None => known.pace.refused(to),
    });
}

/// Whether a stranger may ask if it can walk in. Where people lately could all may, else a few for all.
pub fn may_probe(room: &str, now_ms: u64) -> bool {
    let walks_in = heard(room)
        .is_some_and(|heard| !heard.no_walk_in && now_ms.abs_diff(heard.at_ms) < WALKS_IN_MS);
    walks_in || change_room(room, |known| known.pace.may_probe(now_ms))
}
