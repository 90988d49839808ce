//! Visits without an entry token that counts: how many and why, for the operator.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod wishes;

use baton::facts::config::RoomConfig;
use baton::facts::entry::{EntryRefusal, EntryRefusals};
use baton::facts::event::Row;
use baton::facts::overheard::Overheard;
use baton::facts::units::{Instant, LobbyId};
use baton::room::Room;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A room that was told of these, a turn each, and its rows.
fn told(all: &[EntryRefusals]) -> (Room, Vec<Row>) {
    let mut room = Room::new();
    let mut rows = vec![];
    let mut row = room.open_row(Instant(0));
    room.configure(&RoomConfig::default(), &mut row);
    rows.push(row);
    for refusals in all {
        let now = Instant(1_000);
        let mut row = room.open_row(now);
        let command = wishes::overheard(Overheard {
            entry: *refusals,
            ..Overheard::default()
        });
        wishes::say(&mut room, now, &command, LobbyId(0), &mut row);
        if !row.events.is_empty() {
            rows.push(row);
        }
    }
    (room, rows)
}

#[test]
fn they_are_counted_by_reason_and_come_back_with_the_journal() {
    let [missing, late] = [EntryRefusal::Missing, EntryRefusal::Late].map(EntryRefusals::one);
    let (room, rows) = told(&[missing, EntryRefusals::default(), late.plus(&missing)]);
    assert_eq!(rows.len(), 3, "nobody refused is no fact");
    let entry = room.report(Instant(2_000)).totals.entry;
    assert_eq!((entry.missing, entry.late, entry.early), (2, 1, 0));
    let mut again = Room::new();
    for row in &rows {
        again.replay(row).expect("the next row");
    }
    assert_eq!(again, room);
}

#[test]
fn a_count_never_overflows() {
    let many = EntryRefusals {
        key: u64::MAX,
        ..EntryRefusals::default()
    };
    let (room, _) = told(&[many, EntryRefusals::one(EntryRefusal::Key)]);
    assert_eq!(room.measured().totals.entry, many);
}
