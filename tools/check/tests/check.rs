//! What a check says: the problems of a configuration, or its summary; the answer to a question; the reference.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use baton_check::{Asked, Told, check, reference};
use serde_json::{Value, json};

fn told(configuration: Value, question: Value) -> Told {
    let asked: Asked = serde_json::from_value(json!({ "configuration": configuration, "question": question })).expect("a question");
    check(asked)
}

/// A good configuration, with these parts in place of its own.
fn with(changes: &Value) -> Value {
    let mut all = json!({
        "ORIGIN": "https://shop.example.com",
        "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2 } },
        "secrets": { "BATON_SECRET": 32, "ORIGIN_SECRET": 32 },
        "bindings": ["ROOM", "LOBBY", "HOUSE"],
    });
    for (name, value) in changes.as_object().expect("parts") {
        all[name] = value.clone();
    }
    all
}

#[test]
fn a_right_one_is_summed_up() {
    let fine = told(with(&json!({})), Value::Null);
    let summary = "configuration fine: onsale (2 permits, 1 lobby for 10000 people, no porters); origin: https://shop.example.com\n";
    assert_eq!((fine.status, fine.stdout.as_str(), fine.stderr.as_str()), (0, summary, ""));
    let passed = json!({ "PASS_HEADERS": ["api_key"], "FRONT_HEADERS": ["X-Real-IP", "Remote-User"] });
    let fine = told(with(&passed), Value::Null);
    let tail = "; headers passed on: api_key, remote-user, x-real-ip\n";
    assert!(fine.stdout.ends_with(tail), "{}", fine.stdout);
}

#[test]
fn what_a_crowd_makes_of_a_room_is_shown() {
    for (crowd, objects) in [
        (500, "1 lobby for 500 people, no porters"),
        (25_000, "3 lobbies for 8334 people each, no porters"),
        (100_000, "10 lobbies for 10000 people each, 1 porter"),
        (1_000_000, "100 lobbies for 10000 people each, 2 porters"),
    ] {
        let room = json!({ "paths": ["/buy/*"], "permits": 2, "crowd": crowd });
        let fine = told(with(&json!({ "ROOMS": { "onsale": room } })), Value::Null);
        let shown = format!("onsale (2 permits, {objects});");
        assert!(fine.stdout.contains(&shown), "{}", fine.stdout);
    }
}

#[test]
fn a_room_for_the_invited_is_told_what_search_engines_see() {
    let said = |entry: &str, crawlers: &str| {
        let room = json!({ "paths": ["/buy/*"], "permits": 2, "entry": entry, "crawlers": crawlers });
        let told = told(with(&json!({ "ROOMS": { "all": room } })), Value::Null);
        assert_eq!(told.status, 0, "{}", told.stdout);
        told.stdout.contains("warning: ROOMS.all.crawlers = \"origin\": shows search engines")
    };
    assert!(said("required", "origin"));
    for (entry, crawlers) in [("optional", "origin"), ("off", "origin"), ("required", "wait")] {
        assert!(!said(entry, crawlers), "{entry} {crawlers}");
    }
}

#[test]
fn a_room_of_everything_is_told_what_machines_lose() {
    let said = |room: Value| {
        let told = told(with(&json!({ "ROOMS": { "all": room } })), Value::Null);
        assert_eq!(told.status, 0, "{}", told.stdout);
        let (first, _) = told.stdout.split_once("configuration fine").expect("a summary");
        first.to_owned()
    };
    let all = json!({ "paths": ["/buy/*", "/*"], "permits": 2 });
    assert_eq!(
        said(all),
        "warning: ROOMS.all.paths = \"/*\": gates addresses that machines need: /robots.txt (crawlers stop) and /.well-known/* (certificates are not \
         renewed). Write bypass_paths = [\"/robots.txt\", \"/.well-known/*\"].\n"
    );
    for (paths, bypass, names) in [
        (json!(["/*"]), json!(["/robots.txt"]), "[\"/.well-known/*\"]"),
        (json!(["/*"]), json!(["/.well-known/acme-challenge/*"]), "[\"/robots.txt\"]"),
        (json!(["/r*", "/*/acme-challenge/*"]), json!([]), "[\"/robots.txt\", \"/.well-known/*\"]"),
        (json!(["/*"]), json!(["/robots.txt", "/.well-known/*"]), ""),
        (json!(["/buy/*", "POST /*"]), json!([]), ""),
    ] {
        let said = said(json!({ "paths": paths, "bypass_paths": bypass, "permits": 2 }));
        assert!(said.contains(names) && said.is_empty() == names.is_empty(), "{paths}: {said}");
    }
}

#[test]
fn a_wrong_one_is_told_every_problem_and_its_question_is_not_answered() {
    let wrong = [
        (json!({ "secrets": { "BATON_SECRET": 31 } }), "BATON_SECRET"),
        (json!({ "entry_keys": "'[]'" }), "ENTRY_KEYS"),
        (
            json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": -1 } } }),
            "ROOMS.onsale.permits",
        ),
        (json!({ "GROUNDS": { "paths": ["/*"] }, "bindings": ["ROOM"] }), "HOUSE"),
        (
            json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2, "turnstile": true } } }),
            "TURNSTILE",
        ),
    ];
    for (changes, names) in wrong {
        let told = told(with(&changes), json!({ "method": "GET", "path": "/buy/" }));
        assert_eq!(told.status, 1, "{changes}: {}", told.stdout);
        assert!(told.stdout.contains(names), "{}", told.stdout);
        assert!(!told.stdout.contains("GET https"), "{}", told.stdout);
    }
}

#[test]
fn a_question_is_answered_for_the_host_that_is_named_or_a_room_names() {
    let hosted = with(&json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2, "hosts": ["tickets.example.com"] } } }));
    let own = told(hosted.clone(), json!({ "method": "GET", "path": "/buy/1" }));
    assert!(
        own.stdout.starts_with("GET https://tickets.example.com/buy/1: room onsale\n"),
        "{}",
        own.stdout
    );
    let other = told(hosted, json!({ "method": "GET", "path": "/buy/1", "host": "other.example.com" }));
    assert!(!other.stdout.contains("room onsale\n"), "{}", other.stdout);
    let bad = told(with(&json!({})), json!({ "method": "GET", "path": "buy" }));
    assert_eq!(bad.status, 2);
    assert!(bad.stderr.contains("is not a path"), "{}", bad.stderr);
}

#[test]
fn the_reference_has_both_tables() {
    let text = reference();
    assert!(text.contains("| `permits` |"));
    assert!(text.split_once("## The house").is_some_and(|(_, house)| house.contains("| `paths` |")));
}

#[test]
fn a_logo_behind_the_line_is_doubtful() {
    let checked = |rooms: Value| {
        let said = told(with(&json!({ "ROOMS": rooms })), Value::Null).stdout;
        said.split_once("configuration fine")
            .map(|(problems, _)| problems.to_owned())
            .expect("a summary")
    };
    let room = |logo: &str, more: Value| {
        let mut room = json!({ "paths": ["/buy/*"], "permits": 2, "page_logo": logo });
        for (key, value) in more.as_object().expect("keys") {
            room[key] = value.clone();
        }
        room
    };
    let gated = checked(json!({ "onsale": room("/buy/logo.png?v=2", json!({})) }));
    let expected = "warning: ROOMS.onsale.page_logo = \"/buy/logo.png?v=2\": is gated by the room onsale, so who waits does not see it. \
        Write bypass_paths = [\"/buy/logo.png\"] in that room, or name a path that no room gates.\n";
    assert_eq!(gated, expected);
    let others = json!({ "paths": ["/art/*"], "permits": 2, "hosts": ["a.example.com"] });
    let by_another = checked(json!({ "onsale": room("/art/logo.png", json!({})), "art": others }));
    assert!(by_another.contains("is gated by the room art"), "{by_another}");
    for fine in [
        json!({ "onsale": room("/logo.png", json!({})) }),
        json!({ "onsale": room("/buy/logo.png", json!({ "bypass_paths": ["/buy/logo.png"] })) }),
        json!({ "onsale": room("/art/logo.png", json!({ "hosts": ["b.example.com"] })), "art": others }),
        json!({ "onsale": room("data:image/png;base64,iVBORw0KGgo=", json!({})) }),
    ] {
        assert_eq!(checked(fine.clone()), "", "{fine}");
    }
}
