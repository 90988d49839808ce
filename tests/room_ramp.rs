//! Ramps: what is in force when, exactly; and a room that turns at each step, whatever else goes on.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use baton::facts::config::RoomConfig;
use baton::facts::units::Instant;
use baton::room::live::Live;
use baton::room::pace::Pace;
use baton::room::ramp::{Ramp, Ramps};
use baton::settings::{LiveTable, LiveValues, in_force, parse_room, put};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SINCE: Instant = Instant(1_000_000);

fn ramp(from: u64, to: u64, over_ms: u64) -> Ramp {
    Ramp {
        from,
        to,
        since: SINCE,
        over_ms,
    }
}

#[test]
fn ten_to_two_hundred_over_five_minutes() {
    let ramp = ramp(10, 200, 300_000);
    let at = |s: u64| ramp.at(SINCE.plus_ms(1_000 * s), 1_000);
    assert_eq!((at(0), at(1), at(2), at(150)), (10, 10, 11, 105));
    assert_eq!((at(299), at(300), at(10_000)), (199, 200, 200));
    // Between two ticks nothing moves.
    assert_eq!(ramp.at(SINCE.plus_ms(2_999), 1_000), at(2));
    let next = |ms: u64| ramp.next_step(SINCE.plus_ms(ms), 1_000);
    assert_eq!(next(0), Some(SINCE.plus_ms(2_000)));
    assert_eq!(next(3_500), Some(SINCE.plus_ms(4_000)));
    let down = Ramp { from: 200, to: 10, ..ramp };
    assert_eq!(down.at(SINCE.plus_ms(2_000), 1_000), 199);
    assert_eq!(down.at(SINCE.plus_ms(300_000), 1_000), 10);
}

#[test]
fn of_two_that_are_on_their_way_the_nearer_step_counts_and_nothing_has_none() {
    assert_eq!(Ramps::default().next_step(SINCE, 1_000), None);
    let both = Ramps {
        permits: Some(ramp(10, 200, 300_000)),
        admissions_milli_per_s: Some(ramp(0, 1_000_000, 60_000)),
    };
    assert_eq!(both.next_step(SINCE, 1_000), Some(SINCE.plus_ms(1_000)));
    let one = Ramps {
        admissions_milli_per_s: None,
        ..both
    };
    assert_eq!(one.next_step(SINCE, 1_000), Some(SINCE.plus_ms(2_000)));
}

/// From its own announcements alone: each step moves, nothing moves between steps, no two are closer than a tick, the last
/// is the end.
#[test]
fn every_step_is_announced_and_none_is_early() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..300 {
        let tick_ms = rng.u64(20..2_000);
        let ramp = ramp(rng.u64(0..300), rng.u64(0..300), 1_000 * rng.u64(1..60));
        let mut now = SINCE;
        let mut value = ramp.at(now, tick_ms);
        assert_eq!(value, ramp.from, "{ramp:?}");
        while let Some(next) = ramp.next_step(now, tick_ms) {
            assert!(next.since_ms(now) >= tick_ms, "{ramp:?} tick {tick_ms} at {now:?}");
            let just_before = Instant(next.0 - 1);
            assert_eq!(ramp.at(just_before, tick_ms), value, "{ramp:?} tick {tick_ms}");
            let moved = ramp.at(next, tick_ms);
            assert!(moved.abs_diff(ramp.to) < value.abs_diff(ramp.to), "{ramp:?}");
            (now, value) = (next, moved);
        }
        assert_eq!(value, ramp.to, "{ramp:?} tick {tick_ms}");
        assert!(now.since_ms(SINCE) < ramp.over_ms + tick_ms, "{ramp:?} tick {tick_ms}");
        assert_eq!(ramp.at(now.plus_ms(u64::MAX / 2), tick_ms), ramp.to);
    }
}

#[test]
fn ends_of_the_world_do_not_overflow() {
    for (from, to) in [(0, u64::MAX), (u64::MAX, 0)] {
        let ramp = ramp(from, to, u64::MAX);
        assert_eq!(ramp.at(Instant(0), 0), from);
        let last = ramp.next_step(Instant(u64::MAX), u64::MAX);
        assert_eq!(last, Some(Instant(u64::MAX)));
        assert!(ramp.next_step(SINCE, 0).is_some());
    }
    assert_eq!(ramp(5, 5, 1_000).next_step(SINCE, 1_000), None);
    assert_eq!(ramp(5, 9, 0).at(SINCE, 1_000), 9);
}

/// A rate that changes every tick gives out what it says on the average, not a full bucket each time.
#[test]
fn a_rate_on_its_way_gives_nobody_more_than_it_says() {
    let rate = ramp(100, 300, 600_000);
    let base = RoomConfig {
        admissions_milli_per_s: 300,
        ..RoomConfig::default()
    };
    let ramps = Ramps {
        permits: None,
        admissions_milli_per_s: Some(rate),
    };
    let mut pace = Pace::default();
    let mut config = ramps.in_force(&base, SINCE).into_owned();
    pace.change(SINCE, &RoomConfig::default(), &config);
    let mut admitted = 0;
    for tenth in 0..6_000 {
        let now = SINCE.plus_ms(100 * tenth);
        let next = ramps.in_force(&base, now).into_owned();
        if next != config {
            pace.change(now, &config, &next);
            config = next;
        }
        while pace.allows(now, &config) > 0 {
            pace.spend(now, &config);
            admitted += 1;
        }
    }
    // 0.2 a second on the average for 600 s, and the one that the bucket began with; a full bucket at each of the 200
    // changes would be 200.
    assert!((117..=121).contains(&admitted), "{admitted}");
}

fn file() -> Value {
    json!({ "paths": ["/x"], "permits": 10 })
}

/// What becomes of this change of live values at [`SINCE`], in a room with this configuration in force.
fn begun(key: &str, value: Value, in_force: &RoomConfig) -> Result<LiveValues, String> {
    let table = LiveTable::new(parse_room("onsale", &file()).unwrap(), file());
    let set = Map::from_iter([(key.to_owned(), value)]);
    let wanted = table.wanted(&Live::default(), in_force, SINCE, "ann", &set)?;
    let mut values = LiveValues::new();
    put(&mut values, &wanted.changes);
    assert_eq!(wanted.ramps, Ramps::of(values.values()));
    assert_eq!(table.laid(&values).unwrap(), wanted.settings);
    Ok(values)
}

fn with(permits: u32, admissions_milli_per_s: u64) -> RoomConfig {
    RoomConfig {
        permits,
        admissions_milli_per_s,
        ..RoomConfig::default()
    }
}

#[test]
fn a_ramp_begins_at_what_is_in_force_and_is_shown_while_it_runs() {
    let written = json!({ "to": 200, "over_s": 300 });
    let live = begun("permits", written, &with(10, 0)).unwrap();
    assert_eq!(Ramps::of(live.values()).permits, Some(ramp(10, 200, 300_000)));
    let at = |s: u64| in_force(&file(), &live, SINCE.plus_ms(1_000 * s), 1_000)["permits"].clone();
    assert_eq!(at(150)["value"], 105);
    let shown = json!({ "from": 10, "to": 200, "over_s": 300, "since_at_ms": SINCE.0, "ends_at_ms": SINCE.0 + 300_000 });
    assert_eq!(at(150)["ramp"], shown);
    assert_eq!(at(300), json!({ "value": 200, "source": "live", "live": true }));
}

#[test]
fn rates_are_exact_to_the_thousandth() {
    let written = json!({ "from": 0.5, "to": 2.125, "over_s": 13 });
    let live = begun("admissions_per_s", written, &with(10, 7_000)).unwrap();
    let rate = Ramps::of(live.values()).admissions_milli_per_s;
    assert_eq!(rate, Some(ramp(500, 2_125, 13_000)));
    let now = in_force(&file(), &live, SINCE.plus_ms(1_000), 1_000);
    assert_eq!(now["admissions_per_s"]["value"], json!(0.625));
}

/// Long because it is one table, a row for each mistake.
#[test]
fn c38_a_wrong_ramp_is_refused_by_name() {
    let refused = |key: &str, value: Value| {
        let why = begun(key, value, &with(10, 0)).expect_err(key);
        assert_eq!(why.lines().count(), 1, "{why}");
        why
    };
    for (key, value, says) in [
        ("permits", json!({ "over_s": 3 }), "ROOMS.onsale.permits"),
        ("permits", json!({ "to": 3 }), "permits.over_s: is missing"),
        ("permits", json!({ "to": 3, "over_s": 0 }), "permits.over_s = 0"),
        ("permits", json!({ "to": 3, "over_s": 86_401 }), "permits.over_s = 86401"),
        ("permits", json!({ "to": 3, "over_s": 1.5 }), "permits.over_s = 1.5"),
        ("permits", json!({ "to": -1, "over_s": 3 }), "permits = -1"),
        ("permits", json!({ "to": 3, "over_s": 3, "from": 100_001 }), "permits.from = 100001"),
        ("permits", json!({ "to": 3, "over_s": 3, "by": 5 }), "permits.by"),
        ("permits", json!({ "to": 3, "over_s": 3, "since_at_ms": 5 }), "permits.since_at_ms"),
        ("admissions_per_s", json!({ "to": 0, "over_s": 3, "from": 1 }), "admissions_per_s.to = 0"),
        ("admissions_per_s", json!({ "to": 3, "over_s": 3 }), "admissions_per_s.from = 0"),
        ("tick_ms", json!({ "to": 500, "over_s": 3 }), "ROOMS.onsale.tick_ms"),
    ] {
        let text = refused(key, value.clone());
        assert!(text.contains(says), "{value}: {text}");
    }
}
