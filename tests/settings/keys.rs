//! Every key is read, and one that is not known is refused with a cure.

use super::sample::{defaults, with};
use baton::facts::config::Mode;
use baton::settings::{KEYS, Severity, parse, reference_markdown};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn the_defaults_are_the_contracts() {
    assert_eq!(with("permits", json!(200)), Ok(defaults()));
}

#[test]
fn every_key_is_read() {
    let other = |key: &str| match key {
        "paths" | "bypass_paths" => json!(["/other"]),
        "app_origins" => json!(["https://app.example.com"]),
        "widget_origins" => json!(["https://band.example"]),
        "hosts" => json!(["Tickets.Example.COM"]),
        "mode" => json!("paused"),
        "message" => json!("Soon."),
        "bypass_addresses" => json!(["203.0.113.0/24"]),
        "walk_in" => json!(false),
        "location" => json!("apac"),
        "jurisdiction" => json!("eu"),
        "waiting_status" => json!(503),
        "fail" => json!("open"),
        "crawlers" => json!("origin"),
        "preflights" => json!("answer"),
        "entry" => json!("required"),
        "turnstile" | "stock_line" | "entry_spares_turnstile" => json!(true),
        "admissions_per_s" | "fail_open_per_s" => json!(2.5),
        "strict" => json!("unsafe"),
        "lease_max_s" => json!(777),
        "page_title" | "page_message" => json!("Doors\u{301} & <more>"),
        "page_logo" | "page_help_url" | "page_start" => json!("/there"),
        "page_colours" => json!({ "light": { "accent": "#0033aa" } }),
        "page_texts" => json!({ "ja": { "waiting": "Soon." } }),
        "opens_at" | "closes_at" => json!("2030-06-01T10:00:00+09:00"),
        "draw" => json!("arrival"),
        "schedule" => {
            json!([{ "at": "2030-06-01T10:00:00+09:00", "set": { "mode": "open" } }])
        }
        "lanes" => json!([{ "name": "members" }, { "name": "everybody" }]),
        "lanes_rule" => json!("shares"),
        _ => json!(77),
    };
    for key in KEYS {
        // It goes with `hosts`: the next test.
        if key.name == "cookie_domain" {
            continue;
        }
        let room = with(key.name, other(key.name)).unwrap_or_else(|p| panic!("{}: {p:?}", key.name));
        let says_nothing_alone = ["fail_open_s", "fail_open_per_s"].contains(&key.name);
        assert_eq!(room == defaults(), says_nothing_alone, "{} changes something", key.name);
        let wrong = with(key.name, json!({ "no": "such thing" })).expect_err(key.name);
        // It is neither a language nor a table of texts.
        let problems = if key.name == "page_texts" { 2 } else { 1 };
        assert_eq!(wrong.len(), problems, "{wrong:?}");
        let at = format!("ROOMS.onsale.{}", key.name);
        let is_table = ["page_colours", "page_texts", "message"].contains(&key.name);
        assert_eq!(wrong[0].key, if is_table { at + ".no" } else { at });
    }
    let room = with("hosts", json!(["Tickets.Example.COM", "localhost:8787"])).expect("good");
    assert_eq!(room.hosts, ["tickets.example.com", "localhost:8787"]);
}

#[test]
fn an_unknown_key_names_its_neighbour() {
    for (key, nearest) in [
        ("permit", "permits"),
        ("Permits", "permits"),
        ("walkin", "walk_in"),
        ("tick", "tick_ms"),
        ("lease_idle_ms", "lease_idle_s"),
        ("path", "paths"),
        ("claim_withins", "claim_within_s"),
        ("admission_per_s", "admissions_per_s"),
    ] {
        let problems = with(key, json!(1)).expect_err(key);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].cure.contains(&format!("Did you mean {nearest}?")), "{key}: {}", problems[0]);
    }
    let problems = parse(&json!({ "ORIGN": "x", "ROOMS": {} })).expect_err("unknown");
    assert!(problems[0].cure.contains("ORIGIN"), "{problems:?}");
    let problems = parse(&json!({ "BATON_SECRET": "leaked", "ROOMS": {} })).expect_err("secret");
    assert!(problems[0].cure.contains("secret put"), "{problems:?}");
    assert!(problems.iter().all(|p| !p.to_string().contains("leaked")), "{problems:?}");
}

#[test]
fn all_problems_are_told_at_once() {
    let problems = parse(&json!({
        "ORIGIN": "ftp://x", "ROOMS": {
            "admin": { "paths": ["/a"], "permits": 1 },
            "Shop": { "paths": ["/a"], "permits": 1 },
            "onsale": { "paths": ["buy"], "permits": -1, "mode": "opn", "walk_in": 1, "nope": 2 },
            "empty": {}, "list": [],
        },
    }))
    .expect_err("bad");
    let keys: Vec<&str> = problems.iter().map(|p| p.key.as_str()).collect();
    for key in [
        "ORIGIN",
        "ROOMS.admin",
        "ROOMS.Shop",
        "ROOMS.onsale.paths",
        "ROOMS.onsale.permits",
        "ROOMS.onsale.mode",
        "ROOMS.onsale.walk_in",
        "ROOMS.onsale.nope",
        "ROOMS.empty.paths",
        "ROOMS.empty.permits",
        "ROOMS.list",
    ] {
        assert!(keys.contains(&key), "{key} in {keys:?}");
    }
    assert!(problems.iter().all(|p| !p.what.is_empty() && !p.cure.is_empty()));
    assert!(problems.iter().all(|p| p.severity == Severity::Error));
}

#[test]
fn the_reference_lists_every_key() {
    let text = reference_markdown();
    let (keys, modes) = text.split_once("### Modes").expect("both");
    assert_eq!(keys.trim_end().lines().count(), KEYS.len() + 2);
    assert_eq!(modes.matches("\n| `").count(), Mode::ALL.len());
    for key in KEYS {
        assert!(text.contains(&format!("| `{}` |", key.name)), "{}", key.name);
        // Every default is a value that the key takes.
        if let Some(default) = key.default {
            let value = serde_json::from_str(default).expect("JSON");
            assert_eq!(with(key.name, value), Ok(defaults()), "{}", key.name);
        }
    }
    // One column count throughout, so no cell breaks the table.
    assert!(keys.trim_end().lines().all(|line| line.matches('|').count() == 7), "{text}");
}

#[test]
fn nonsense_is_refused_without_a_panic() {
    for value in [
        json!(null),
        json!(1),
        json!([]),
        json!("x"),
        json!({}),
        json!({ "ROOMS": null }),
        json!({ "ROOMS": [] }),
        json!({ "ROOMS": {} }),
        json!({ "ROOMS": { "a": null } }),
        json!({ "ROOMS": { "": {} } }),
    ] {
        assert!(parse(&value).is_err(), "{value}");
    }
    let many: serde_json::Map<String, Value> = (0..101)
        .map(|n| (format!("r{n}"), json!({ "paths": [format!("/{n}")], "permits": 1 })))
        .collect();
    assert!(parse(&json!({ "ROOMS": many })).is_err());
}
