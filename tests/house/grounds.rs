//! Where the house may put rooms, and what a change comes to.

use baton::house::table::Definition;
use baton::house::{House, Wish};
use baton::settings::{Settings, check_binding, house_changes, house_operators, parse, parse_definition, somebody_owns};
use baton::token::Operator;
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
        over: Vec::new(),
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
    let table = |paths: &[&str], hosts: &[&str]| json!({ "paths": paths, "hosts": hosts, "permits": 1 });
    for paths in [&["/*"][..], &["/x"], &["/x*"], &["POST /x/*/y"]] {
        assert_eq!(problems(whole.clone(), "a", table(paths, &[])), "", "{paths:?}");
    }
    for paths in [&["/events/*"][..], &["/events"], &["/events/7*"], &["/events/*/x"]] {
        assert_eq!(problems(some.clone(), "a", table(paths, &["a.example.com"])), "", "{paths:?}");
    }
    for paths in [&["/*"][..], &["/event"], &["/events*"], &["/*/events"]] {
        let said = problems(some.clone(), "a", table(paths, &["a.example.com"]));
        assert!(said.contains("outside the grounds"), "{paths:?}: {said}");
    }
    for hosts in [&[][..], &["b.example.com"], &["a.example.com", "b.example.com"]] {
        let said = problems(some.clone(), "a", table(&["/events/*"], hosts));
        assert!(said.contains("hosts outside the grounds"), "{hosts:?}: {said}");
    }
    assert_eq!(problems(some, "a", table(&["/events/*"], &["a.example.com:8443"])), "");
}

#[test]
fn the_grounds_themselves_are_read_with_care() {
    let wrong = [
        (json!({}), "names no path"),
        (json!({ "paths": ["/a/*/b"] }), "does not end with /*"),
        (json!({ "paths": ["GET /*"] }), "does not end with /*"),
        (json!({ "paths": ["a"] }), "is no path pattern"),
        (json!({ "paths": ["/*"], "hosts": ["https://x"] }), "is no host"),
        (json!({ "paths": ["/*"], "locaton": "apac" }), "Did you mean location"),
        (json!({ "paths": ["/*"], "location": "moon" }), "is none of auto"),
        (json!("all"), "is not a table"),
    ];
    for (grounds, why) in wrong {
        let vars = json!({ "GROUNDS": grounds, "ROOMS": { "a": { "paths": ["/a"], "permits": 1 } } });
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
        over: Vec::new(),
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
    assert_eq!(changed.told()["keys"], json!({ "permits": { "from": 1, "to": 2 } }));
    assert_eq!(changed.asks(), None);
    let (_, bigger) = step(&house, define(table(2, 20_000)));
    assert_eq!(bigger.fixed, ["crowd"]);
    assert!(bigger.asks().is_some());
    assert!(bigger.hindered(false, 3).unwrap().contains("change crowd while 3 people"));
    assert_eq!(bigger.hindered(false, 0), None);
    let room = "a".to_owned();
    let (_, gone) = step(&house, Wish::Archive { room });
    assert!(gone.hindered(false, 0).unwrap().contains("not closed"));
    assert!(gone.hindered(true, 1).unwrap().contains("be deleted while 1"));
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
        over: Vec::new(),
    }));
    let undone = done(None);
    assert_eq!(undone.told()["does"], "release");
    assert!(undone.asks().is_some(), "it is asked whether anybody is there");
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

/// What `BATON_ADMIN_TOKEN` is, and its hash.
const SECRET: &str = "the token of the deployment";
const SECRET_SHA256: &str = "54eb814b54100dd595dd1dd1a69941d7bc4221de87b70c47d89d09c32ab3f434";

/// A deployment whose file has an operator, and tables of operators of the house.
fn people(tables: &Value) -> (Vec<Operator>, Vec<String>) {
    let hash = |digit: &str| digit.repeat(64);
    let vars = json!({
        "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1 } }, "GROUNDS": { "paths": ["/*"] },
        "OPERATORS": [{ "name": "mika", "role": "view", "sha256": hash("1") }],
    });
    let file = parse(&vars).expect("good");
    let tables = serde_json::from_value(tables.clone()).expect("tables");
    let (good, problems) = house_operators(&file, Operator::of_secret(SECRET).as_ref(), &tables);
    (good, problems.iter().map(ToString::to_string).collect())
}

#[test]
fn operators_of_the_house_are_judged_beside_the_files_and_one_that_is_wrong_shuts_out_nobody_else() {
    let hash = |digit: &str| digit.repeat(64);
    let fine = json!({ "role": "operate", "rooms": ["spring"], "sha256": hash("2") });
    let (good, problems) = people(&json!({ "noor": fine }));
    assert_eq!((good.len(), problems.len()), (1, 0), "{problems:?}");
    assert_eq!(good[0].rooms, ["spring"], "of the house");
    #[rustfmt::skip]
    let bad = [
        ("mika", fine.clone(), "is that of mika as well"), ("Mika", fine.clone(), "is that of mika as well"), ("MIKA", fine.clone(), "is that of mika as well"),
        ("mIka", fine.clone(), "is that of mika as well"), ("noor", json!({ "role": "view", "sha256": hash("1") }), "is that of mika as well"),
        ("noor", json!({ "role": "view", "sha256": SECRET_SHA256 }), "is that of operator as well"),
        ("noor", json!({ "role": "all", "sha256": hash("2") }), "is none of"), ("noor", json!({ "role": "view" }), "sha256: is missing"),
        ("noor", json!({ "role": "view", "sha256": hash("2"), "rooms": ["No"] }), "rooms"), ("noor", json!({ "role": "view", "sha256": hash("2"), "name": "mika" }), "given twice"),
        ("schedule", fine.clone(), "the journal uses itself"), ("noor", json!([]), "role: is missing"),
        ("noor", json!({ "role": "view", "token": "hush" }), "stands in the file"),
    ];
    for (name, table, why) in bad {
        let (good, problems) = people(&json!({ name: table, "zoe": { "role": "view", "sha256": hash("3") } }));
        let names: Vec<_> = good.iter().map(|operator| operator.name.as_str()).collect();
        assert_eq!(names, ["zoe"], "{name} {table}");
        assert!(problems.iter().any(|p| p.contains(why)), "{name} {table}: {problems:?}");
        assert!(!problems.concat().contains("hush"));
    }
}

#[test]
fn somebody_is_left_who_may_say_who_operates() {
    let hash = "2".repeat(64);
    let own = |more: Value| {
        let mut table = json!({ "role": "own", "sha256": hash });
        table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        people(&json!({ "noor": table })).0
    };
    assert!(somebody_owns(true, &[], &[]), "the holder of the secret");
    assert!(!somebody_owns(false, &[], &[]));
    assert!(somebody_owns(false, &[], &own(json!({}))));
    assert!(somebody_owns(false, &own(json!({})), &[]));
    for bound in [
        json!({ "rooms": ["onsale"] }),
        json!({ "role": "operate" }),
        json!({ "ends_at": "2090-01-01T00:00:00Z" }),
    ] {
        assert!(!somebody_owns(false, &[], &own(bound.clone())), "{bound}");
    }
}
