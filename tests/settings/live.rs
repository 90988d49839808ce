//! Live values after a deploy: what the new table still allows is in force, and the log names the rest.

use baton::facts::config::{Change, LiveKey, Mode, RoomConfig};
use baton::facts::hours::Date;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{LANES_MAX, Lane};
use baton::facts::live::Ramped;
use baton::facts::notice::Notice;
use baton::facts::units::Instant;
use baton::room::live::{Live, LiveValue};
use baton::settings::{LiveTable, LiveValues, parse_room};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn live(changes: &[Change]) -> Live {
    let value = |change: &Change| {
        let value = LiveValue {
            change: change.clone(),
            by: "ann".to_owned(),
            at: Instant(1),
        };
        (change.key(), value)
    };
    Live {
        revision: changes.len() as u64,
        values: changes.iter().map(value).collect(),
        ..Live::default()
    }
}

fn table(table: Value) -> LiveTable {
    LiveTable::new(parse_room("onsale", &table).expect("a room"), table)
}

fn permits(count: u32) -> Change {
    Change::Permits(Some(Ramped::At(count)))
}

const PAUSED: Change = Change::Mode(Some(Mode::Paused));

/// The live values in force, and the keys that are at fault.
fn in_force(table: &LiveTable, live: &Live) -> (Vec<Change>, Vec<String>) {
    let (values, problems) = table.usable(live);
    assert!(table.laid(&values).is_ok(), "{values:?}");
    let keys = problems.into_iter().map(|problem| problem.key).collect();
    (values.into_values().collect(), keys)
}

/// A new build may take less than the one that stored the value. That must not let a paused room go.
#[test]
fn a_bad_live_value_takes_no_other_with_it() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let lane = |nth: usize| Lane {
        name: LaneName::parse(&format!("lane-{nth}")).expect("a name"),
        title: "Lane".to_owned(),
        share: 1,
        periods: None,
        hall_ms: None,
        draw: None,
    };
    for bad in [
        permits(u32::MAX),
        Change::TickMs(Some(0)),
        Change::Message(Some(Notice::of(&"x".repeat(5_000)))),
        Change::Lanes(Some((0..=LANES_MAX).map(lane).collect())),
    ] {
        let (values, keys) = in_force(&file, &live(&[PAUSED, bad.clone()]));
        assert_eq!((values, keys.is_empty()), (vec![PAUSED], false), "{bad:?}");
        let name = bad.key().name();
        assert!(keys.iter().all(|key| key.contains(name)), "{keys:?}");
    }
    let all = live(&[PAUSED, permits(9)]);
    assert_eq!(in_force(&file, &all), (vec![permits(9), PAUSED], vec![]));
}

/// The problem may be named after a key of the table that the live value does not fit.
#[test]
fn a_live_value_that_does_not_fit_the_new_table_goes_alone() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let set = live(&[PAUSED, Change::TickMs(Some(60_000))]);
    let keeps = (vec![PAUSED], vec!["ROOMS.onsale.claim_within_s".to_owned()]);
    assert_eq!(in_force(&file, &set), keeps);
}

/// Either list of dates may be live while the other stands in the file.
#[test]
fn live_dates_are_paired_with_those_of_the_file() {
    let ten = "2026-12-01T10:00:00+09:00";
    let noon = Date::parse("2026-12-01T12:00:00+09:00").expect("a date");
    let nine = Date::parse("2026-12-01T09:00:00+09:00").expect("a date");
    let file = table(json!({ "paths": ["/x"], "permits": 5, "opens_at": ten }));
    let closes = |date: Date| Change::ClosesAt(Some(vec![date]));
    let periods = |change: Change| {
        let values = LiveValues::from_iter([(change.key(), change)]);
        file.laid(&values).map(|room| room.core.periods)
    };
    let [period] = periods(closes(noon)).expect("a period")[..] else {
        panic!("one period");
    };
    assert_eq!(period.closes_at_ms - period.opens_at_ms, 2 * 3_600_000);
    let two = periods(closes(nine)).map(|periods| periods.len());
    assert_eq!(two, Ok(2), "open until nine, and from ten on");
    let many = vec![noon, noon];
    let problems = periods(Change::ClosesAt(Some(many))).expect_err("two closings in a row");
    assert_eq!(problems[0].key, "ROOMS.onsale.opens_at");
    assert_eq!(periods(Change::OpensAt(Some(vec![]))), Ok(vec![]));
}

#[test]
fn a_room_that_is_over_has_no_live_values() {
    let mut file = table(json!({ "paths": ["/x"], "permits": 5 }));
    file.settings.is_over = true;
    let set = live(&[Change::Mode(Some(Mode::Open)), permits(u32::MAX)]);
    assert_eq!(in_force(&file, &set), (vec![], vec![]));
}

/// The desk sends back what it was told: each value is written as it is read.
#[test]
fn what_is_written_is_read_again() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let (opens, closes) = ("2026-12-01T10:00:00+09:00", "2026-12-01T12:00:00.500Z");
    let lane = json!({ "name": "vip", "title": "Friends", "share": 3, "opens_at": "2026-12-01T01:00:00Z", "hall_s": 60, "draw": "arrival" });
    let written = json!({
        "permits": { "from": 1, "to": 200, "over_s": 300 },
        "mode": "drain",
        "walk_in": false,
        "tick_ms": 40,
        "claim_within_s": 31,
        "grace_s": 5,
        "lease_idle_s": 6,
        "lease_max_s": 7,
        "lease_extend_max_s": 8,
        "admissions_per_s": 0.125,
        "origin_errors_max_percent": 3,
        "origin_errors_window_s": 9,
        "message": { "any": "hello", "ja": "こんにちは" },
        "opens_at": opens,
        "closes_at": [closes, "2026-12-02T12:00:00+00:00"],
        "hall_s": 10,
        "draw": "arrival",
        "schedule": [{ "at": opens, "set": { "mode": null, "admissions_per_s": { "to": 2.5, "over_s": 3 } } }],
        "lanes": [lane, { "name": "all" }],
        "lanes_rule": "shares",
        "line_max": 11,
    });
    let read = |written: &Map<String, Value>| file.read(written).expect("good values");
    let changes = read(written.as_object().expect("an object"));
    assert_eq!(changes.len(), LiveKey::ALL.len(), "a value of each setting");
    let told = |changes: &[Change]| -> Map<String, Value> {
        let told = |change: &Change| (change.key().name().to_owned(), change.written());
        changes.iter().map(told).collect()
    };
    let again = told(&changes);
    assert_eq!(read(&again), changes);
    for key in ["permits", "admissions_per_s", "message", "opens_at", "schedule"] {
        assert_eq!(again[key], written[key]);
    }
    assert_eq!(again["closes_at"], json!([closes, "2026-12-02T12:00:00Z"]));
}

/// Somebody must be able to pause the room whatever else is set.
#[test]
fn a_change_is_judged_beside_what_is_in_force() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let hello = Change::Message(Some(Notice::of("hello")));
    let set = live(&[permits(u32::MAX), hello]);
    let pause = json!({ "mode": "paused" });
    let pause = pause.as_object().expect("an object");
    let wanted = file.wanted(&set, &RoomConfig::default(), Instant(1), "ann", pause);
    let wanted = wanted.expect("a change of another value");
    assert_eq!(wanted.changes, [PAUSED]);
    let core = wanted.settings.core;
    assert_eq!((core.mode, core.permits), (Mode::Paused, 5));
    assert_eq!(core.message.any, "hello");
}
