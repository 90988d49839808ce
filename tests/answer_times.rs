//! How long the origin took to answer people inside: octaves, quantiles within them, what is forgotten and what stays, and that
//! every row replays.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

use baton::facts::answer_times::AnswerTimes;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::overheard::Overheard;
use baton::facts::units::{Instant, LobbyId};
use baton::room::Room;
use baton::room::report::RecentAnswers;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const MINUTE_MS: u64 = 60_000;

fn took(all: &[u64]) -> AnswerTimes {
    let times = all.iter().map(|ms| AnswerTimes::one(*ms));
    times.fold(AnswerTimes::default(), |all, one| all.plus(&one))
}

#[test]
fn an_octave_ends_at_a_power_of_two_and_includes_it() {
    let within = |ms| {
        let times = AnswerTimes::one(ms);
        let found = times.octaves().find(|(_, count)| *count == 1);
        found.map(|(end_ms, _)| end_ms)
    };
    let ends = [
        (0, 1),
        (1, 1),
        (2, 2),
        (3, 4),
        (4, 4),
        (5, 8),
        (240, 256),
        (256, 256),
        (257, 512),
        (65_536, 65_536),
    ];
    for (ms, end_ms) in ends {
        assert_eq!(within(ms), Some(end_ms), "{ms} ms");
    }
    for ms in [65_537, u64::MAX] {
        assert_eq!(within(ms), None, "{ms} ms");
        assert_eq!(AnswerTimes::one(ms).count(), 1);
        assert_eq!(AnswerTimes::one(ms).quantile_ms(500), Some(65_536));
    }
}

#[test]
fn quantiles_lie_where_answers_that_fill_an_octave_evenly_would_be() {
    let even = took(&(257..=512).collect::<Vec<_>>());
    assert_eq!(even.quantile_ms(500), Some(384));
    assert_eq!(even.quantile_ms(1_000), Some(512));
    let mixed = took(&[3, 4, 100, 120]);
    assert_eq!(mixed.quantile_ms(500), Some(4));
    assert_eq!(mixed.quantile_ms(750), Some(96));
    assert_eq!(AnswerTimes::one_failed().quantile_ms(500), None);
    for ms in 1..3_000 {
        let told = AnswerTimes::one(ms).quantile_ms(950).unwrap();
        assert!(told < 2 * ms + 1 && ms <= 2 * told, "{ms} told as {told}");
    }
}

#[test]
fn stored_and_back_it_is_the_same_and_short() {
    for times in [
        AnswerTimes::default(),
        AnswerTimes::one_failed(),
        took(&[240, 250, 300, 900]),
        took(&[0, 70_000]),
        AnswerTimes::one(u64::MAX).plus(&AnswerTimes::one(u64::MAX)),
    ] {
        let bytes = postcard::to_allocvec(&times).unwrap();
        assert_eq!(postcard::from_bytes(&bytes), Ok(times));
        let json = serde_json::to_string(&times).unwrap();
        assert_eq!(serde_json::from_str::<AnswerTimes>(&json).unwrap(), times);
    }
    let typical = postcard::to_allocvec(&took(&[240, 250, 300, 900])).unwrap();
    assert!(typical.len() <= 8, "{} bytes", typical.len());
}

#[test]
fn what_is_not_in_the_one_form_of_it_is_refused() {
    let read = |first: u8, counts: &[u64]| {
        let bytes = postcard::to_allocvec(&(first, counts, 5_u64, 0_u64)).unwrap();
        postcard::from_bytes::<AnswerTimes>(&bytes).is_ok()
    };
    assert!(read(8, &[1, 0, 2]));
    assert!(read(17, &[1]));
    assert!(!read(18, &[1]), "beyond the last");
    assert!(!read(255, &[1]));
    assert!(!read(10, &[1, 1, 1, 1, 1, 1, 1, 1, 1]));
    assert!(!read(8, &[0, 1]), "an empty octave in front");
    assert!(!read(8, &[1, 0]), "an empty octave behind");
    assert!(!read(8, &[]), "nothing, in the eighth");
}

/// A room that was told these answer times at these minutes, and its rows.
fn told(minutes: &[(u64, AnswerTimes)]) -> (Room, Vec<Row>) {
    let (mut room, mut rows) = (Room::new(), vec![]);
    let mut row = room.open_row(Instant(0));
    room.configure(&RoomConfig::default(), &mut row);
    rows.push(row);
    for (minute, times) in minutes {
        let now = Instant(minute * MINUTE_MS);
        let mut row = room.open_row(now);
        let command = wishes::overheard(Overheard {
            times: *times,
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
fn what_was_slow_and_is_mended_is_forgotten_within_ten_minutes_and_stays_counted() {
    let slow = took(&[9_000; 20]).plus(&AnswerTimes::one_failed());
    let quick = took(&[200; 20]);
    let (room, _) = told(&[(1, slow), (6, quick), (7, quick)]);
    let report = |minute| room.report(Instant(minute * MINUTE_MS)).answers;
    let recent = report(9).recent;
    assert_eq!((recent.count, recent.failed), (60, 1));
    assert!(recent.p95_ms > Some(8_192), "{recent:?}");
    let recent = report(10).recent;
    assert_eq!((recent.count, recent.failed), (40, 0));
    assert!(recent.p95_ms <= Some(256), "{recent:?}");
    assert_eq!(report(20).recent, RecentAnswers::default());
    let all = report(20);
    assert_eq!((all.count, all.failed), (60, 1));
    assert_eq!(all.sum_ms, 20 * 9_000 + 40 * 200);
    assert_eq!(all.octaves.len(), 17);
}

#[test]
fn nothing_timed_is_no_fact_and_every_row_replays() {
    let (room, rows) = told(&[(1, AnswerTimes::default()), (2, took(&[5, 80_000])), (9, AnswerTimes::one_failed())]);
    let timed = |row: &&Row| matches!(row.events[..], [Event::Overheard(_)]);
    assert_eq!(rows.iter().filter(timed).count(), 2);
    let mut again = Room::new();
    for row in &rows {
        again.replay(row).expect("the next row");
    }
    assert_eq!(again, room);
}
