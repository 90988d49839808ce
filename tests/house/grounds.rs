//! Where the house may put rooms, and what a change comes to.

use baton::house::table::Definition;
use baton::house::{House, Wish};
use baton::settings::{Settings, check_binding, house_changes, parse, parse_definition};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn settings(grounds: Value) -> Settings {
    let file = json!({ "onsale": { "paths": ["/buy/*"], "permits": 1 } });
    parse(&json!({ "GROUNDS": grounds, "ROOMS": file })).expect("good settings")
}

fn problems(grounds: Value, name: &str, table: Value) -> String {
    let settings = settings(grounds);
    let definition = Definition {
        since: 1,
        generation: 1,
        is_over: false,
        table,
    };
    let grounds = settings.grounds.as_ref().unwrap();
    match parse_definition(&settings.rooms, grounds, name, &definition) {
        Ok(_) => String::new(),
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            lines.join("\n")
        }
    }
}

#[test]
fn a_room_lies_within_the_grounds_or_is_refused() {
    let whole = json!({ "paths": ["/*"] });
    let some = json!({ "paths": ["/events/*"], "hosts": ["a.example.com"] });
    let table =
        |paths: &[&str], hosts: &[&str]| json!({ "paths": paths, "hosts": hosts, "permits": 1 });
    for paths in [&["/*"][..], &["/x"], &["/x*"], &["POST /x/*/y"]] {
        assert_eq!(
            problems(whole.clone(), "a", table(paths, &[])),
            "",
            "{paths:?}"
        );
    }
    for paths in [
        &["/events/*"][..],
        &["/events"],
        &["/events/7*"],
        &["/events/*/x"],
    ] {
        assert_eq!(
            problems(some.clone(), "a", table(paths, &["a.example.com"])),
            "",
            "{paths:?}"
        );
    }
    for paths in [&["/*"][..], &["/event"], &["/events*"], &["/*/events"]] {
        let said = problems(some.clone(), "a", table(paths, &["a.example.com"]));
        assert!(said.contains("outside the grounds"), "{paths:?}: {said}");
    }
    for hosts in [
        &[][..],
        &["b.example.com"],
        &["a.example.com", "b.example.com"],
    ] {
        let said = problems(some.clone(), "a", table(&["/events/*"], hosts));
        assert!(
            said.contains("hosts outside the grounds"),
            "{hosts:?}: {said}"
        );
    }
    assert_eq!(
        problems(some, "a", table(&["/events/*"], &["a.example.com:8443"])),
        ""
    );
}

#[test]
fn the_grounds_themselves_are_read_with_care() {
    let wrong = [
        (json!({}), "names no path"),
        (json!({ "paths": ["/a/*/b"] }), "does not end with /*"),
        (json!({ "paths": ["GET /*"] }), "does not end with /*"),
        (json!({ "paths": ["a"] }), "is no path pattern"),
        (
            json!({ "paths": ["/*"], "hosts": ["https://x"] }),
            "is no host",
        ),
        (
            json!({ "paths": ["/*"], "locaton": "apac" }),
            "Did you mean location",
        ),
        (
            json!({ "paths": ["/*"], "location": "moon" }),
            "is none of auto",
        ),
        (json!("all"), "is not a table"),
    ];
    for (grounds, why) in wrong {
        let vars =
            json!({ "GROUNDS": grounds, "ROOMS": { "a": { "paths": ["/a"], "permits": 1 } } });
        let problems = parse(&vars).expect_err("refused");
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(lines.join("\n").contains(why), "{grounds}: {lines:?}");
    }
}

#[test]
fn what_a_change_comes_to_is_told_room_by_room() {
    let settings = settings(json!({ "paths": ["/*"] }));
    let grounds = settings.grounds.as_ref().unwrap();
    let table = |permits: u32, crowd: u32| -> Map<String, Value> {
        let table = json!({ "paths": ["/a/*"], "permits": permits, "crowd": crowd });
        table.as_object().cloned().unwrap()
    };
    let define = |table| Wish::Define {
        room: "a".to_owned(),
        table,
    };
    let step = |house: &House, wish: Wish| {
        let events = house.decide(&[wish]).unwrap();
        let next = house.after(&events);
        let changes = house_changes(&settings.rooms, grounds, house, &next).unwrap();
        assert_eq!(changes.len(), 1);
        (next, changes.into_iter().next().unwrap())
    };
    let (house, created) = step(&House::default(), define(table(1, 10_000)));
    assert_eq!(created.told()["does"], "create");
    assert_eq!(created.asks(), None, "nobody can have a place in it");
    let (house, changed) = step(&house, define(table(2, 10_000)));
    assert_eq!(
        changed.told()["keys"],
        json!({ "permits": { "from": 1, "to": 2 } })
    );
    assert_eq!(changed.asks(), None);
    let (_, bigger) = step(&house, define(table(2, 20_000)));
    assert_eq!(bigger.fixed, ["crowd"]);
    assert!(bigger.asks().is_some());
    assert!(
        bigger
            .hindered(false, 3)
            .unwrap()
            .contains("change crowd while 3 people")
    );
    assert_eq!(bigger.hindered(false, 0), None);
    let room = "a".to_owned();
    let (_, gone) = step(&house, Wish::Archive { room });
    assert!(gone.hindered(false, 0).unwrap().contains("not closed"));
    assert!(
        gone.hindered(true, 1)
            .unwrap()
            .contains("be deleted while 1")
    );
    assert_eq!(gone.hindered(true, 0), None);
}

#[test]
fn an_undo_ends_a_room_under_the_rules_of_a_deletion() {
    let settings = settings(json!({ "paths": ["/*"] }));
    let grounds = settings.grounds.as_ref().unwrap();
    let room = || "a".to_owned();
    let table = json!({ "paths": ["/a/*"], "permits": 1 });
    let table = table.as_object().cloned().unwrap();
    let mut house = House::default();
    let mut done = |wish: Option<Wish>| {
        let events = match wish {
            Some(wish) => house.decide(&[wish]).unwrap(),
            None => house.undo().unwrap(),
        };
        let next = house.after(&events);
        let changes = house_changes(&settings.rooms, grounds, &house, &next).unwrap();
        house = next;
        changes.into_iter().next().unwrap()
    };
    done(Some(Wish::Define {
        room: room(),
        table,
    }));
    let undone = done(None);
    assert_eq!(undone.told()["does"], "release");
    assert!(
        undone.asks().is_some(),
        "it is asked whether anybody is there"
    );
    assert!(undone.hindered(false, 0).unwrap().contains("not closed"));
    let said = undone.hindered(true, 2).unwrap();
    assert!(said.contains("be deleted while 2 people"), "{said}");
    done(None);
    done(Some(Wish::Archive { room: room() }));
    let released = done(Some(Wish::Free { room: room() }));
    assert_eq!(released.told()["does"], "release");
    assert_eq!(released.asks(), None, "a room that is over is empty");
}

#[test]
fn grounds_without_a_house_are_a_problem_with_its_cure() {
    let with = settings(json!({ "paths": ["/*"] }));
    let said = check_binding(&with, false).unwrap().to_string();
    for part in ["GROUNDS", "no house", "HouseObject", "migrations"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(check_binding(&with, true), None);
    let without = parse(&json!({ "ROOMS": { "a": { "paths": ["/a"], "permits": 1 } } }));
    assert_eq!(check_binding(&without.unwrap(), false), None);
}
