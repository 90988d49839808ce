//! The settings: everything known is read, everything unknown refused with a cure. Catalogue rows 14, 38.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::type_complexity
)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use baton::gate::Gate;
use baton::settings::{
    self, Draw, KEYS, Limits, Mode, Origin, PageSettings, Problem, RoomSettings, Severity, Strict,
    is_room_name, parse, parse_live, parse_room, reference_markdown,
};
use baton::token::{Operator, Role};
use serde_json::{Value, json};

/// A room with one key set.
fn with(key: &str, value: Value) -> Result<RoomSettings, Vec<Problem>> {
    let mut room = json!({ "paths": ["/buy/*"], "permits": 200 });
    room[key] = value;
    parse_room("onsale", &room)
}

fn defaults() -> RoomSettings {
    RoomSettings {
        name: "onsale".to_owned(),
        paths: vec!["/buy/*".to_owned()],
        hosts: vec![],
        cookie_domain: None,
        bypass_paths: vec![],
        permits: 200,
        crowd: 10_000,
        mode: Mode::Open,
        periods: vec![],
        hall_ms: 3_600_000,
        draw: Draw::Shuffle,
        message: String::new(),
        walk_in: true,
        tick_ms: 1_000,
        claim_within_ms: 30_000,
        linger_ms: 10_000,
        grace_ms: 3_600_000,
        carry_within_ms: 300_000,
        lease_idle_ms: 300_000,
        lease_max_ms: 1_800_000,
        lease_extend_max_ms: 1_800_000,
        pass_ttl_ms: 60_000,
        strict: Strict::Off,
        admissions_milli_per_s: 0,
        origin_errors_max_percent: 0,
        origin_errors_window_ms: 30_000,
        stock_line: false,
        limits: Limits {
            tickets_per_ip_max: 0,
            walk_ins_per_ip_max: 20,
            joins_per_ip_per_minute: 0,
            joins_per_visitor_per_minute: 0,
            ipv4_share: 20,
        },
        turnstile: false,
        fail_open: None,
        waiting_status: 200,
        location: None,
        journal_keep_days: 30,
        page: PageSettings::default(),
    }
}

#[test]
fn the_defaults_are_the_contracts() {
    assert_eq!(with("permits", json!(200)), Ok(defaults()));
}

#[test]
fn every_key_is_read() {
    let other = |key: &str| match key {
        "paths" | "bypass_paths" => json!(["/other"]),
        "hosts" => json!(["Tickets.Example.COM"]),
        "mode" => json!("paused"),
        "message" => json!("Soon."),
        "walk_in" => json!(false),
        "location" => json!("apac"),
        "waiting_status" => json!(503),
        "fail" => json!("open"),
        "turnstile" | "stock_line" => json!(true),
        "admissions_per_s" | "fail_open_per_s" => json!(2.5),
        "strict" => json!("unsafe"),
        "lease_max_s" => json!(777),
        "page_title" | "page_message" => json!("Doors\u{301} & <more>"),
        "page_logo" | "page_help_url" => json!("/there"),
        "opens_at" | "closes_at" => json!("2030-06-01T10:00:00+09:00"),
        "draw" => json!("arrival"),
        _ => json!(77),
    };
    for key in KEYS {
        // It goes with `hosts`: the next test.
        if key.name == "cookie_domain" {
            continue;
        }
        let room =
            with(key.name, other(key.name)).unwrap_or_else(|p| panic!("{}: {p:?}", key.name));
        let says_nothing_alone = ["fail_open_s", "fail_open_per_s"].contains(&key.name);
        assert_eq!(
            room == defaults(),
            says_nothing_alone,
            "{} changes something",
            key.name
        );
        let wrong = with(key.name, json!({ "no": "such thing" })).expect_err(key.name);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert_eq!(wrong[0].key, format!("ROOMS.onsale.{}", key.name));
    }
    let room = with("hosts", json!(["Tickets.Example.COM", "localhost:8787"])).expect("good");
    assert_eq!(room.hosts, ["tickets.example.com", "localhost:8787"]);
}

#[test]
fn dates_are_rfc_3339_with_an_offset_and_alternate() {
    const TEN_IN_TOKYO_MS: u64 = 1_906_506_000_000;
    let room = |opens: Value, closes: Value| {
        let room = json!({ "paths": ["/x"], "permits": 1, "opens_at": opens, "closes_at": closes });
        parse_room("onsale", &room)
    };
    let opens = |date: &str| room(json!(date), json!([])).map(|room| room.periods[0].opens_at_ms);
    for same in [
        "2030-06-01T10:00:00+09:00",
        "2030-06-01T01:00:00Z",
        "2030-06-01t01:00:00.000z",
        "2030-05-31T21:00:00-04:00",
    ] {
        assert_eq!(opens(same), Ok(TEN_IN_TOKYO_MS), "{same}");
    }
    for wrong in [
        "2030-06-01T10:00:00",
        "2030-06-01",
        "2030-02-30T10:00:00Z",
        "2030-06-01T10:00:00 Asia/Tokyo",
        "tomorrow",
        "",
    ] {
        let problems = opens(wrong).expect_err(wrong);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].key, "ROOMS.onsale.opens_at");
        assert!(problems[0].what.contains("is no date"), "{problems:?}");
    }
    let (first, second) = ("2030-06-01T10:00:00+09:00", "2030-06-02T10:00:00+09:00");
    let (between, after) = ("2030-06-01T22:00:00+09:00", "2030-06-02T22:00:00+09:00");
    let two = room(json!([second, first]), json!([between, after])).expect("two days");
    assert_eq!(two.periods.len(), 2);
    assert_eq!(two.periods[0].opens_at_ms, TEN_IN_TOKYO_MS);
    for (opens, closes, named) in [
        (json!([first, second]), json!([]), "opens_at"),
        (json!([first]), json!([between, after]), "opens_at"),
        (json!([]), json!([between, after]), "closes_at"),
        (json!(first), json!(first), "opens_at"),
    ] {
        let problems = room(opens, closes).expect_err(named);
        assert_eq!(
            problems[0].key,
            format!("ROOMS.onsale.{named}"),
            "{problems:?}"
        );
    }
}

#[test]
fn a_domain_is_above_all_hosts_that_share_it() {
    let share = |hosts: Value, domain: Value| {
        let room =
            json!({ "paths": ["/x"], "permits": 1, "hosts": hosts, "cookie_domain": domain });
        parse_room("onsale", &room)
    };
    let two = || json!(["A.example.com", "b.c.example.com:8443"]);
    let room = share(two(), json!("Example.com.")).expect("good");
    let domain = room.cookie_domain.expect("a domain");
    assert_eq!(
        (domain.name(), domain.binding()),
        ("example.com", ".example.com")
    );
    assert!(share(json!(["example.com"]), json!("example.com")).is_ok());
    assert_eq!(
        share(two(), json!("")).expect("none").cookie_domain,
        None,
        "empty: none"
    );
    for (domain, says) in [
        (json!("com"), "single label"),
        (json!("localhost"), "single label"),
        (json!(".example.com"), "bare domain"),
        (json!("example.com:443"), "bare domain"),
        (json!("https://example.com"), "bare domain"),
        (json!("*.example.com"), "bare domain"),
        (json!("10.0.0.1"), "address"),
        (json!("[::1]"), "address"),
        (json!("example.0x7f"), "address"),
        (json!(7), "not a text"),
        (json!("c.example.com"), "does not cover a.example.com"),
        (json!("ample.com"), "does not cover a.example.com, b.c"),
        (json!("example.net"), "does not cover a.example.com, b.c"),
    ] {
        let wrong = share(two(), domain.clone()).expect_err("wrong");
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert_eq!(wrong[0].key, "ROOMS.onsale.cookie_domain");
        assert!(wrong[0].what.contains(says), "{domain}: {}", wrong[0].what);
    }
    let alone = share(json!([]), json!("example.com")).expect_err("no hosts");
    assert!(
        alone[0].cure.contains("hosts = [\"a.example.com\""),
        "{alone:?}"
    );
}

#[test]
fn c38_every_range_has_two_ends() {
    use settings::Kind::{Count, Millis, Seconds};
    for key in KEYS {
        let (min, max) = match key.kind {
            Count { min, max } | Seconds { min, max } | Millis { min, max } => (min, max),
            _ => continue,
        };
        // What else a room must have so that only this key is at stake.
        let fits = |n: u64| {
            let mut room = json!({ "paths": ["/x"], "permits": 1, "tick_ms": 20, "claim_within_s": 3600,
                "lease_idle_s": 1, "lease_max_s": 604_800 });
            room[key.name] = json!(n);
            match parse_room("onsale", &room) {
                Ok(_) => true,
                Err(problems) => problems
                    .iter()
                    .any(|p| p.what.contains("tick") || p.what.contains("lease")),
            }
        };
        assert!(fits(min) && fits(max), "{}", key.name);
        assert!(min == 0 || !fits(min - 1), "{}", key.name);
        assert!(!fits(max + 1) && !fits(u64::MAX), "{}", key.name);
    }
}

#[test]
fn c38_numbers_as_javascript_sends_them() {
    let permits =
        |text: &str| with("permits", serde_json::from_str(text).expect("JSON")).map(|r| r.permits);
    for (text, expected) in [
        ("200", 200),
        ("200.0", 200),
        ("2e2", 200),
        ("0", 0),
        ("0.0", 0),
        ("100000", 100_000),
    ] {
        assert_eq!(permits(text), Ok(expected), "{text}");
    }
    for text in [
        "-1",
        "-0.0",
        "-1.0",
        "1.5",
        "100001",
        "18446744073709551616",
        "1e30",
        "1e300",
        "\"ten\"",
        "\"10\"",
        "null",
        "true",
        "[]",
        "[1]",
        "{}",
        "1e-7",
        "9007199254740993",
        "\"NaN\"",
    ] {
        let problems = permits(text).expect_err(text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].key, "ROOMS.onsale.permits");
        let shown = problems[0].to_string();
        assert!(
            shown.contains("from 0 to 100000") && shown.contains("permits = 200"),
            "{shown}"
        );
    }
    assert!(
        permits("\"10\"").expect_err("text")[0]
            .cure
            .contains("without quotes")
    );
}

#[test]
fn rates_are_exact_thousandths() {
    let rate = |text: &str| {
        with(
            "admissions_per_s",
            serde_json::from_str(text).expect("JSON"),
        )
        .map(|r| r.admissions_milli_per_s)
        .ok()
    };
    for (text, expected) in [
        ("0", 0),
        ("1", 1_000),
        ("0.1", 100),
        ("0.25", 250),
        ("0.001", 1),
        ("2.5", 2_500),
        ("3.0", 3_000),
        ("33.333", 33_333),
        ("100000", 100_000_000),
        ("1.010", 1_010),
        ("0.3", 300),
        ("0.7", 700),
    ] {
        assert_eq!(rate(text), Some(expected), "{text}");
    }
    for text in [
        "-1",
        "0.0001",
        "0.1234",
        "100000.001",
        "1e-3",
        "1e30",
        "\"1\"",
        "null",
        "0.30000000000000004",
    ] {
        let expected = if text == "1e-3" { Some(1) } else { None };
        assert_eq!(rate(text), expected, "{text}");
    }
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
        assert!(
            problems[0]
                .cure
                .contains(&format!("Did you mean {nearest}?")),
            "{key}: {}",
            problems[0]
        );
    }
    let problems = parse(&json!({ "ORIGN": "x", "ROOMS": {} })).expect_err("unknown");
    assert!(problems[0].cure.contains("ORIGIN"), "{problems:?}");
    let problems = parse(&json!({ "BATON_SECRET": "leaked", "ROOMS": {} })).expect_err("secret");
    assert!(problems[0].cure.contains("secret put"), "{problems:?}");
    assert!(
        problems.iter().all(|p| !p.to_string().contains("leaked")),
        "{problems:?}"
    );
}

#[test]
fn addresses_on_the_page_can_run_nothing() {
    let long = format!("/{}", "x".repeat(8_192));
    #[rustfmt::skip]
    let table = [
        ("page_logo", "", true), ("page_logo", "/logo.svg?v=2", true), ("page_logo", "data:image/png;base64,AAAA", true),
        ("page_logo", "https://cdn.example/logo.svg", false), ("page_logo", "//cdn.example/logo.svg", false),
        ("page_logo", "data:text/html,x", false), ("page_logo", "logo.svg", false), ("page_logo", &long, false),
        ("page_help_url", "", true), ("page_help_url", "https://help.example/queue", true), ("page_help_url", "/help#line", true),
        ("page_help_url", "mailto:help@example.com", true), ("page_help_url", "javascript:alert(1)", false),
        ("page_help_url", "JavaScript:alert(1)", false), ("page_help_url", "data:text/html,x", false),
        ("page_help_url", "http://help.example", false), ("page_help_url", "/\\evil.example", false),
        ("page_help_url", "/a b", false), ("page_help_url", " /help", false), ("page_help_url", "/help\n", false),
    ];
    for (key, text, good) in table {
        let read = with(key, json!(text));
        assert_eq!(read.is_ok(), good, "{key} = {text:?}: {read:?}");
    }
    assert!(with("page_title", json!("題".repeat(80))).is_ok());
    assert!(with("page_title", json!("題".repeat(81))).is_err());
    assert!(with("page_message", json!("One\nTwo")).is_ok());
    assert!(with("page_message", json!("One\rTwo")).is_err());
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
    assert!(
        problems
            .iter()
            .all(|p| !p.what.is_empty() && !p.cure.is_empty())
    );
    assert!(problems.iter().all(|p| p.severity == Severity::Error));
}

#[test]
fn what_does_not_go_together() {
    let key = |room: Value| {
        parse_room("onsale", &room)
            .expect_err("bad")
            .iter()
            .map(|p| p.key.clone())
            .collect::<Vec<_>>()
    };
    let base = |more: Value| {
        let mut room = json!({ "paths": ["/x"], "permits": 1 });
        for (name, value) in more.as_object().expect("object") {
            room[name] = value.clone();
        }
        room
    };
    assert_eq!(
        key(base(json!({ "tick_ms": 2000, "claim_within_s": 1 }))),
        ["ROOMS.onsale.claim_within_s"]
    );
    assert_eq!(
        key(base(json!({ "lease_idle_s": 61, "lease_max_s": 60 }))),
        ["ROOMS.onsale.lease_idle_s"]
    );
    assert!(
        parse_room(
            "onsale",
            &base(json!({ "lease_idle_s": 60, "lease_max_s": 60 }))
        )
        .is_ok()
    );
    for (value, strict) in [
        (json!(false), Strict::Off),
        (json!("unsafe"), Strict::Unsafe),
        (json!("all"), Strict::All),
    ] {
        assert_eq!(with("strict", value).expect("good").strict, strict);
    }
    for wrong in [json!(true), json!("ALL"), json!("false"), json!(1)] {
        let problems = with("strict", wrong).expect_err("no such word");
        assert!(
            problems[0].cure.contains("strict = \"all\""),
            "{}",
            problems[0]
        );
    }
    assert!(with("paths", json!([])).is_err());
    assert!(with("paths", json!(vec!["/x"; 65])).is_err());
    assert!(with("paths", json!([format!("/{}", "x".repeat(512))])).is_err());
    assert!(with("paths", json!("/x")).is_err());
    assert!(with("paths", json!(["/x", 1])).is_err());
    for host in [
        "*",
        "https://x.example",
        "x.example/",
        "",
        "チケット.example",
        "a b",
    ] {
        assert!(with("hosts", json!([host])).is_err(), "{host}");
    }
}

#[test]
fn two_rooms_do_not_share_a_path() {
    let two = |a: Value, b: Value| parse(&json!({ "ROOMS": { "a": a, "b": b } }));
    let room = |paths: Value, hosts: Value| json!({ "paths": paths, "hosts": hosts, "permits": 1 });
    let none = || json!([]);
    assert!(
        two(room(json!(["/x/*"]), none()), room(json!(["/X/*"]), none())).is_err(),
        "spelling aside"
    );
    assert!(two(room(json!(["/x"]), none()), room(json!(["/x/"]), none())).is_err());
    assert!(
        two(room(json!(["/x/*"]), none()), room(json!(["/x"]), none())).is_ok(),
        "the longer decides"
    );
    assert!(
        two(
            room(json!(["/x"]), json!(["h.example"])),
            room(json!(["/x"]), none())
        )
        .is_ok()
    );
    assert!(
        two(
            room(json!(["/x"]), json!(["h.example", "i.example"])),
            room(json!(["/x"]), json!(["I.example"]))
        )
        .is_err()
    );
    let settings = two(room(json!(["/x"]), none()), room(json!(["/y"]), none())).expect("good");
    assert_eq!(settings.room("b").map(|room| room.name.as_str()), Some("b"));
    assert_eq!(settings.room("c"), None);
    assert!(Gate::new(&settings).is_ok());
}

#[test]
fn a_crowd_takes_lobbies() {
    for (crowd, lobbies) in [
        (1, 1),
        (10_000, 1),
        (10_001, 2),
        (100_000, 10),
        (2_560_000, 256),
    ] {
        assert_eq!(
            with("crowd", json!(crowd)).map(|room| room.lobbies()),
            Ok(lobbies),
            "{crowd}"
        );
    }
    assert!(with("crowd", json!(2_560_001)).is_err());
}

#[test]
fn origins() {
    let origin = |value: Value| {
        parse(&json!({ "ORIGIN": value, "ROOMS": { "a": { "paths": ["/x"], "permits": 1 } } }))
            .map(|s| s.origin)
    };
    let base = |text: &str| {
        Ok(Some(Origin {
            base: text.to_owned(),
        }))
    };
    assert_eq!(
        origin(json!("https://a.example")),
        base("https://a.example")
    );
    assert_eq!(
        origin(json!("https://a.example/")),
        base("https://a.example")
    );
    assert_eq!(
        origin(json!("http://127.0.0.1:3000")),
        base("http://127.0.0.1:3000")
    );
    assert_eq!(origin(Value::Null), Ok(None));
    assert_eq!(origin(json!("")), Ok(None));
    for bad in [
        json!("a.example"),
        json!("https://"),
        json!("https://a.example/x"),
        json!("https://u@a.example"),
        json!("https://a.example?x"),
        json!("javascript:x"),
        json!(1),
        json!("https://a.example//"),
    ] {
        assert!(origin(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn live_values_lie_over_the_files() {
    let file = json!({ "paths": ["/x"], "permits": 5, "mode": "paused" });
    let live = |live: Value| parse_live("onsale", &file, &live);
    assert_eq!(
        live(json!({ "permits": 7 })).map(|r| (r.permits, r.mode)),
        Ok((7, Mode::Paused))
    );
    assert_eq!(
        live(json!({ "permits": null, "mode": "open" })).map(|r| (r.permits, r.mode)),
        Ok((5, Mode::Open))
    );
    for bad in [
        json!({ "permits": -1 }),
        json!({ "permits": "ten" }),
        json!({ "nope": null }),
        json!({ "paths": ["/y"] }),
        json!({ "crowd": 5 }),
        json!([]),
        json!(null),
        json!({ "permits": 1e30 }),
        json!({ "tick_ms": 60_000 }),
    ] {
        assert!(live(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn c14_secrets_are_judged_by_length() {
    let check = |secrets: Value| settings::check_secrets(secrets.as_object().expect("object"));
    let errors = |secrets: Value| {
        check(secrets)
            .into_iter()
            .filter(|p| p.severity == Severity::Error)
            .map(|p| p.key)
            .collect::<Vec<_>>()
    };
    assert!(check(json!({ "BATON_SECRET": 32 })).is_empty());
    assert!(check(json!({ "BATON_SECRET": 48, "BATON_SECRET_PREVIOUS": 0, "ORIGIN_SECRET": 48, "BATON_ADMIN_TOKEN": 48 })).is_empty());
    assert_eq!(errors(json!({})), ["secrets.BATON_SECRET"]);
    assert_eq!(
        errors(json!({ "BATON_SECRET": 31 })),
        ["secrets.BATON_SECRET"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "BATON_SECRET_PREVIOUS": 5 })),
        ["secrets.BATON_SECRET_PREVIOUS"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "BATON_SECRT": 5 })),
        ["secrets.BATON_SECRT"]
    );
    assert_eq!(
        errors(json!({ "BATON_SECRET": 32, "ORIGIN_SECRET": "the secret itself" })),
        ["secrets.ORIGIN_SECRET"]
    );
    let warned = check(json!({ "BATON_SECRET": 32, "ORIGIN_SECRET": 5 }));
    assert_eq!(warned.len(), 1);
    assert_eq!(warned[0].severity, Severity::Warning);
}

#[test]
fn names_of_rooms() {
    for good in ["a", "on-sale", "2026", "-", "statics"] {
        assert!(is_room_name(good), "{good}");
    }
    let long = "a".repeat(33);
    for bad in [
        "",
        "A",
        "a_b",
        "a b",
        "é",
        "admin",
        "static",
        "health",
        "metrics",
        "a/b",
        long.as_str(),
    ] {
        assert!(!is_room_name(bad), "{bad}");
    }
}

#[test]
fn the_reference_lists_every_key() {
    let text = reference_markdown();
    let (keys, modes) = text.split_once("### Modes").expect("both");
    assert_eq!(keys.trim_end().lines().count(), KEYS.len() + 2);
    assert_eq!(modes.matches("\n| `").count(), settings::Mode::ALL.len());
    for key in KEYS {
        assert!(
            text.contains(&format!("| `{}` |", key.name)),
            "{}",
            key.name
        );
        // Every default is a value that the key takes.
        if let Some(default) = key.default {
            let value = serde_json::from_str(default).expect("JSON");
            assert_eq!(with(key.name, value), Ok(defaults()), "{}", key.name);
        }
    }
    // One column count throughout, so no cell breaks the table.
    assert!(
        keys.trim_end()
            .lines()
            .all(|line| line.matches('|').count() == 7),
        "{text}"
    );
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
        .map(|n| {
            (
                format!("r{n}"),
                json!({ "paths": [format!("/{n}")], "permits": 1 }),
            )
        })
        .collect();
    assert!(parse(&json!({ "ROOMS": many })).is_err());
}

/// The problems of a deployment with these operators.
fn operators(list: Value) -> Result<Vec<Operator>, Vec<Problem>> {
    let room = json!({ "paths": ["/buy/*"], "permits": 1 });
    let parsed = parse(&json!({ "ROOMS": { "onsale": room }, "OPERATORS": list }));
    parsed.map(|settings| settings.operators)
}

const HASH: &str = "9F86D081884C7D659A2FEAA0C55AD015a3bf4f1b2b0b822cd15d6c15b0f00a08";

#[test]
fn operators_are_read_in_order_and_none_are_fine() {
    let two = json!([
        { "name": "mika@example.com", "role": "view", "sha256": HASH },
        { "name": "noor", "role": "operate", "sha256": "0".repeat(64) },
    ]);
    let read = operators(two).expect("good");
    let seen: Vec<_> = read.iter().map(|o| (o.name.as_str(), o.role)).collect();
    assert_eq!(
        seen,
        [("mika@example.com", Role::View), ("noor", Role::Operate)]
    );
    // "test" has this hash; as a token it would be too short.
    let digest = [
        0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0,
        0x15, 0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0,
        0x0a, 0x08,
    ];
    let same = Operator::of_digest("mika@example.com".to_owned(), Role::View, digest);
    assert_eq!(read[0], same);
    assert_eq!(operators(json!([])), Ok(vec![]));
    assert_eq!(operators(Value::Null), Ok(vec![]));
}

#[test]
fn c38_operators_that_are_wrong_are_named_with_a_cure() {
    let good = || json!({ "name": "mika", "role": "view", "sha256": HASH });
    let with = |key: &str, value: Value| {
        let mut one = good();
        one[key] = value;
        json!([one])
    };
    let mut nameless = good();
    nameless.as_object_mut().expect("a table").remove("name");
    let mut twin = good();
    twin["sha256"] = json!("1".repeat(64));
    let mut same_token = good();
    same_token["name"] = json!("noor");
    let many = (0..=settings::OPERATORS_MAX)
        .map(|n| json!({ "name": format!("o{n}"), "role": "view", "sha256": format!("{n:064}") }));
    for (list, key, cure) in [
        (json!({}), "OPERATORS", "[[vars.OPERATORS]]"),
        (json!(["mika"]), "OPERATORS[0]", "[[vars.OPERATORS]]"),
        (json!([nameless]), "OPERATORS[0].name", "mika"),
        (with("name", json!("operator")), "OPERATORS[0].name", "mika"),
        (with("name", json!("")), "OPERATORS[0].name", "mika"),
        (with("name", json!("a b")), "OPERATORS[0].name", "mika"),
        (
            with("name", json!("a".repeat(65))),
            "OPERATORS[0].name",
            "64",
        ),
        (with("role", json!("admin")), "OPERATORS[0].role", "operate"),
        (with("role", json!(1)), "OPERATORS[0].role", "operate"),
        (
            with("sha256", json!("")),
            "OPERATORS[0].sha256",
            "operator-token",
        ),
        (
            with("sha256", json!("g".repeat(64))),
            "OPERATORS[0].sha256",
            "operator-token",
        ),
        (
            with("sha256", json!("é".repeat(32))),
            "OPERATORS[0].sha256",
            "operator-token",
        ),
        (
            with("token", json!("secret-secret-secret-secret-secret")),
            "OPERATORS[0].token",
            "new one",
        ),
        (
            with("sha265", json!("secret")),
            "OPERATORS[0].sha265",
            "sha256",
        ),
        (json!([good(), twin]), "OPERATORS[1].name", "of their own"),
        (
            json!([good(), same_token]),
            "OPERATORS[1].sha256",
            "of their own",
        ),
        (Value::Array(many.collect()), "OPERATORS", "Remove"),
    ] {
        let problems = operators(list.clone()).expect_err(key);
        assert_eq!(problems.len(), 1, "{list}: {problems:?}");
        assert_eq!(problems[0].key, key, "{list}");
        let text = problems[0].to_string();
        assert!(problems[0].cure.contains(cure), "{text}");
        assert!(!text.contains("secret"), "{text}");
        assert!(!text.contains(HASH), "{text}");
    }
}
