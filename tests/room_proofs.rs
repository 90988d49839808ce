//! How the shop's check judged proofs: counted for good, and of the last minutes, so that an operator sees a report turn green.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::overheard::Overheard;
use baton::facts::proofs::ProofChecks;
use baton::facts::units::{Instant, LobbyId};
use baton::room::Room;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const MINUTE_MS: u64 = 60_000;

/// A room that was told so many good and so many refused proofs at these minutes, and its rows.
fn told(minutes: &[(u64, u64, u64)]) -> (Room, Vec<Row>) {
    let mut room = Room::new();
    let mut rows = vec![];
    let mut row = room.open_row(Instant(0));
    room.configure(&RoomConfig::default(), &mut row);
    rows.push(row);
    for (minute, ok, mac) in minutes {
        let now = Instant(minute * MINUTE_MS);
        let mut row = room.open_row(now);
        let command = wishes::overheard(Overheard {
            proofs: checks(*ok, *mac),
            ..Overheard::default()
        });
        wishes::say(&mut room, now, &command, LobbyId(0), &mut row);
        if !row.events.is_empty() {
            rows.push(row);
        }
    }
    (room, rows)
}

fn checks(ok: u64, mac: u64) -> ProofChecks {
    ProofChecks {
        ok,
        mac,
        ..ProofChecks::default()
    }
}

#[test]
fn what_was_refused_and_is_mended_is_forgotten_within_ten_minutes_and_stays_counted() {
    let (room, _) = told(&[(1, 0, 3), (6, 4, 0), (7, 1, 0), (11, 2, 0)]);
    let recent = |minute| room.report(Instant(minute * MINUTE_MS)).proofs;
    assert_eq!(recent(11), checks(7, 0), "the refusals are older");
    assert_eq!(recent(15), checks(2, 0));
    assert_eq!(recent(20), checks(0, 0));
    assert_eq!(room.measured().totals.proofs, checks(7, 3));
    let (room, _) = told(&[(1, 0, 3), (6, 4, 0)]);
    assert_eq!(room.report(Instant(9 * MINUTE_MS)).proofs, checks(4, 3));
    assert_eq!(room.report(Instant(10 * MINUTE_MS)).proofs, checks(4, 0));
}

#[test]
fn nothing_judged_is_no_fact_and_every_row_replays() {
    let (room, rows) = told(&[(1, 0, 0), (2, 5, 1), (9, 1, 0)]);
    assert_eq!(rows.len(), 3);
    let mut again = Room::new();
    for row in &rows {
        again.replay(row).expect("the next row");
    }
    assert_eq!(again, room);
}

#[test]
fn a_count_never_overflows() {
    let (room, _) = told(&[(1, u64::MAX, 1), (1, 1, u64::MAX)]);
    assert_eq!(room.measured().totals.proofs, checks(u64::MAX, u64::MAX));
}
