//! Live values after a deploy: what the new table still allows is in force, and the log names the rest.

use baton::facts::config::{Mode, RoomConfig};
use baton::facts::units::Instant;
use baton::room::live::{Live, LiveValue};
use baton::settings::LiveTable;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn live(values: &[(&str, Value)]) -> Live {
    let value = |(key, value): &(&str, Value)| {
        let value = LiveValue {
            json: value.to_string(),
            by: "ann".to_owned(),
            at: Instant(1),
        };
        ((*key).to_owned(), value)
    };
    Live {
        revision: values.len() as u64,
        values: values.iter().map(value).collect(),
        ..Live::default()
    }
}

fn table(table: Value) -> LiveTable {
    LiveTable::new("onsale".to_owned(), table, false)
}

/// The live values in force, as one line, and the keys that are at fault.
fn in_force(table: &LiveTable, live: &Live) -> (String, Vec<String>) {
    let (values, problems) = table.usable(live);
    assert!(table.parsed(&values).is_ok(), "{values:?}");
    let keys = problems.into_iter().map(|problem| problem.key).collect();
    (Value::Object(values).to_string(), keys)
}

/// A deploy must not let a paused room go because another live value is bad.
#[test]
fn a_bad_live_value_takes_no_other_with_it() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let paused = ("mode", json!("paused"));
    let keeps = (r#"{"mode":"paused"}"#.to_owned(), true);
    for bad in [
        ("permits", json!("ten")),
        ("mode_x", json!(1)),
        ("lanes", json!([{ "name": "vip", "share": -1 }])),
        ("paths", json!(["/y"])),
    ] {
        let (values, keys) = in_force(&file, &live(&[paused.clone(), bad.clone()]));
        assert_eq!((values, !keys.is_empty()), keeps, "{bad:?}");
        assert!(keys.iter().all(|key| key.contains(bad.0)), "{keys:?}");
    }
    let all = live(&[paused, ("permits", json!(9))]);
    assert_eq!(in_force(&file, &all).1, [""; 0]);
}

/// The problem may be named after a key of the table that the live value does not fit.
#[test]
fn a_live_value_that_does_not_fit_the_new_table_goes_alone() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let set = live(&[("mode", json!("paused")), ("tick_ms", json!(60_000))]);
    let keeps = (
        r#"{"mode":"paused"}"#.to_owned(),
        vec!["ROOMS.onsale.claim_within_s".to_owned()],
    );
    assert_eq!(in_force(&file, &set), keeps);
}

#[test]
fn a_room_that_is_over_has_no_live_values() {
    let file = json!({ "paths": ["/x"], "permits": 5 });
    let file = LiveTable::new("onsale".to_owned(), file, true);
    let set = live(&[("mode", json!("open")), ("permits", json!("ten"))]);
    assert_eq!(in_force(&file, &set), ("{}".to_owned(), Vec::new()));
}

/// Nothing parses a table again of which it is known that the live values fit.
#[test]
fn what_was_judged_good_is_not_judged_again() {
    let mut file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let set = live(&[("message", json!("hello"))]);
    let change = json!({ "mode": "paused", "message": null, "permits": 9 });
    let change = change.as_object().expect("an object");
    let wanted = file.wanted(&set, &RoomConfig::default(), Instant(1), "ann", change);
    wanted.expect("a good change");
    // Whoever judged again would find this.
    file.table = json!({ "paths": ["/x"], "permits": 5, "tick_ms": "none" });
    let then = live(&[("mode", json!("paused")), ("permits", json!(9))]);
    let (values, problems) = file.usable(&then);
    assert_eq!(
        (values, problems.len()),
        (
            json!({ "mode": "paused", "permits": 9 })
                .as_object()
                .cloned()
                .expect("an object"),
            0
        )
    );
    assert!(
        !file.usable(&set).1.is_empty(),
        "of others nothing is known"
    );
}

/// Somebody must be able to pause the room whatever else is set.
#[test]
fn a_change_is_judged_beside_what_is_in_force() {
    let file = table(json!({ "paths": ["/x"], "permits": 5 }));
    let set = live(&[("permits", json!("ten")), ("message", json!("hello"))]);
    let pause = json!({ "mode": "paused" });
    let pause = pause.as_object().expect("an object");
    let wanted = file.wanted(&set, &RoomConfig::default(), Instant(1), "ann", pause);
    let wanted = wanted.expect("a change of another value");
    assert_eq!(
        wanted.changes,
        [("mode".to_owned(), Some("\"paused\"".to_owned()))]
    );
    let core = wanted.settings.core;
    assert_eq!((core.mode, core.permits), (Mode::Paused, 5));
    assert_eq!(core.message.any, "hello");
}
