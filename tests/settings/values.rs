//! What a key may be: numbers and their two ends, dates, addresses, names.

use super::sample::{defaults, with};
use baton::facts::config::RoomConfig;
use baton::facts::notice::Notice;
use baton::settings::{self, KEYS, is_room_name, parse_room};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn dates_are_rfc_3339_with_an_offset_and_alternate() {
    const TEN_IN_TOKYO_MS: u64 = 1_906_506_000_000;
    let room = |opens: Value, closes: Value| {
        let room = json!({ "paths": ["/x"], "permits": 1, "opens_at": opens, "closes_at": closes });
        parse_room("onsale", &room)
    };
    let opens = |date: &str| room(json!(date), json!([])).map(|room| room.core.periods[0].opens_at_ms);
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
    assert_eq!(two.core.periods.len(), 2);
    assert_eq!(two.core.periods[0].opens_at_ms, TEN_IN_TOKYO_MS);
    for (opens, closes, named) in [
        (json!([first, second]), json!([]), "opens_at"),
        (json!([first]), json!([between, after]), "opens_at"),
        (json!([]), json!([between, after]), "closes_at"),
        (json!(first), json!(first), "opens_at"),
    ] {
        let problems = room(opens, closes).expect_err(named);
        assert_eq!(problems[0].key, format!("ROOMS.onsale.{named}"), "{problems:?}");
    }
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
                Err(problems) => problems.iter().any(|p| p.what.contains("tick") || p.what.contains("lease")),
            }
        };
        assert!(fits(min) && fits(max), "{}", key.name);
        assert!(min == 0 || !fits(min - 1), "{}", key.name);
        assert!(!fits(max + 1) && !fits(u64::MAX), "{}", key.name);
    }
}

#[test]
fn c38_numbers_as_javascript_sends_them() {
    let permits = |text: &str| with("permits", serde_json::from_str(text).expect("JSON")).map(|r| r.core.permits);
    for (text, expected) in [("200", 200), ("200.0", 200), ("2e2", 200), ("0", 0), ("0.0", 0), ("100000", 100_000)] {
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
        assert!(shown.contains("from 0 to 100000") && shown.contains("permits = 200"), "{shown}");
    }
    assert!(permits("\"10\"").expect_err("text")[0].cure.contains("without quotes"));
}

#[test]
fn rates_are_exact_thousandths() {
    let rate = |text: &str| {
        with("admissions_per_s", serde_json::from_str(text).expect("JSON"))
            .map(|r| r.core.admissions_milli_per_s)
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
fn addresses_on_the_page_can_run_nothing() {
    let long = format!("/{}", "x".repeat(8_192));
    #[rustfmt::skip]
    let table = [
        ("page_logo", "", true), ("page_logo", "/logo.svg?v=2", true), ("page_logo", "data:image/png;base64,AAAA", true),
        ("page_logo", "https://cdn.example/logo.svg", false), ("page_logo", "//cdn.example/logo.svg", false),
        ("page_logo", "/__baton/images/0123456789abcdef0123456789abcdef.png", true), ("page_logo", "/media/../logo.svg", false),
        ("page_logo", "/__baton/images/0123456789abcdef0123456789abcdef.png?v=2", false), ("page_logo", "/__baton/images/x#y", false),
        ("page_logo", "/a/%2E./__baton/images/0123456789abcdef0123456789abcdef.png", false),
        ("page_logo", "data:text/html,x", false), ("page_logo", "logo.svg", false), ("page_logo", &long, false),
        ("page_help_url", "", true), ("page_help_url", "https://help.example/queue", true), ("page_help_url", "/help#line", true),
        ("page_help_url", "mailto:help@example.com", true), ("page_help_url", "javascript:alert(1)", false),
        ("page_help_url", "JavaScript:alert(1)", false), ("page_help_url", "data:text/html,x", false),
        ("page_help_url", "http://help.example", false), ("page_help_url", "/\\evil.example", false),
        ("page_start", "", true), ("page_start", "/tickets?day=1", true), ("page_start", "https://www.example.com/", false),
        ("page_start", "//evil.example", false), ("page_start", "tickets", false),
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

/// A network as wide as a provider's would let the public past the line.
#[test]
fn listed_addresses_are_networks_of_somebodys_own() {
    for (text, good) in [
        ("203.0.113.7", true),
        ("203.0.0.0/16", true),
        ("2001:db8::/32", true),
        ("::1", true),
        ("203.0.113.0/32", true),
        ("203.0.0.0/15", false),
        ("0.0.0.0/0", false),
        ("2001::/31", false),
        ("::/0", false),
        ("::ffff:203.0.113.0/120", true),
        ("::ffff:203.0.0.0/111", false),
        ("::ffff:0:0/96", false),
        ("::ffff:203.0.113.0/129", false),
        ("203.0.113.0/33", false),
        ("203.0.113", false),
        ("tickets.example.com", false),
        ("203.0.113.0/", false),
        ("/24", false),
        ("", false),
    ] {
        let read = with("bypass_addresses", json!([text]));
        assert_eq!(read.is_ok(), good, "{text}: {read:?}");
    }
}

/// A message is one text, or one for everybody and others by language. None stands without the one for everybody.
#[test]
fn a_message_may_have_languages() {
    let read = |value: Value| with("message", value).map(|room| room.core.message);
    assert_eq!(read(json!("Soon.")), Ok(Notice::of("Soon.")));
    let both = read(json!({ "any": "Soon.", "ja": "まもなく", "de": "" })).expect("a message");
    let by_language = vec![("ja".to_owned(), "まもなく".to_owned())];
    assert_eq!((both.any.as_str(), both.by_language), ("Soon.", by_language));
    assert_eq!(read(json!({ "any": "" })), Ok(Notice::default()));
    let long = "a".repeat(500);
    for (wrong, named) in [
        (json!(7), "message"),
        (json!({ "ja": "まもなく" }), "message"),
        (json!({ "any": "Soon.", "jp": "まもなく" }), "message.jp"),
        (json!({ "any": "Soon.", "ja": 7 }), "message.ja"),
        (json!({ "any": "Soon.", "ja": "a\rb" }), "message.ja"),
        (json!({ "any": long, "ja": long, "de": long, "fr": long, "es": "a" }), "message"),
        (json!("a".repeat(501)), "message"),
    ] {
        let problems = read(wrong.clone()).expect_err(named);
        assert_eq!(problems[0].key, format!("ROOMS.onsale.{named}"), "{wrong}");
    }
}

#[test]
fn a_crowd_takes_lobbies() {
    for (crowd, lobbies, porters) in [
        (1, 1, 0),
        (10_000, 1, 0),
        (10_001, 2, 0),
        (40_000, 4, 0),
        (40_001, 5, 1),
        (100_000, 10, 1),
        (160_000, 16, 1),
        (160_001, 17, 2),
        (2_560_000, 256, 2),
    ] {
        assert_eq!(
            with("crowd", json!(crowd)).map(|room| (room.lobbies(), room.porters())),
            Ok((lobbies, porters)),
            "{crowd}"
        );
    }
    assert!(with("crowd", json!(2_560_001)).is_err());
}

#[test]
fn names_of_rooms() {
    for good in ["a", "on-sale", "2026", "-", "statics"] {
        assert!(is_room_name(good), "{good}");
    }
    let long = "a".repeat(33);
    for bad in ["", "A", "a_b", "a b", "é", "admin", "static", "health", "metrics", "a/b", long.as_str()] {
        assert!(!is_room_name(bad), "{bad}");
    }
}

#[test]
fn the_core_begins_with_the_defaults_of_the_file() {
    assert_eq!(RoomConfig::default(), defaults().core);
}

#[test]
fn a_list_that_is_too_long_is_told_what_helps_there() {
    let (path, host) = ("/buy/*", "tickets.example.com");
    let origin = "https://app.example.com";
    for (key, one, helps) in [
        ("paths", path, ", with * at their end"),
        ("bypass_paths", path, ", with * at their end"),
        ("hosts", host, ""),
        ("app_origins", origin, ""),
        ("widget_origins", origin, ", or write [\"*\"]"),
        ("bypass_addresses", "203.0.113.7", ""),
    ] {
        for list in [vec![one.to_owned(); 1_000], vec![one.repeat(100)]] {
            let problems = with(key, json!(list)).expect_err(key);
            let cure = format!("Use fewer and shorter ones{helps}");
            assert_eq!(problems[0].cure, cure, "{problems:?}");
            assert!(problems[0].what.starts_with("has more than"), "{problems:?}");
        }
    }
}

#[test]
fn an_apps_origin_is_written_as_browsers_write_it() {
    let read = |origin: &str| with("app_origins", json!([origin]));
    let embeds = |origin: &str| with("widget_origins", json!([origin]));
    assert!(embeds("*").is_ok() && embeds("https://band.example").is_ok());
    assert!(embeds("null").is_err() && embeds("https://*.example").is_err());
    for good in [
        "https://app.example.com",
        "https://app.example.com:8443",
        "http://localhost:5173",
        "http://127.0.0.1",
        "capacitor://localhost",
        "ionic://localhost",
        "com.example.app://localhost",
    ] {
        assert!(read(good).is_ok(), "{good}");
    }
    for (bad, why) in [
        ("*", "no scheme and host"),
        ("null", "no scheme and host"),
        ("app.example.com", "no scheme and host"),
        ("https://*.example.com", "more than a host"),
        ("https://app.example.com/", "more than a host"),
        ("https://app.example.com/x", "more than a host"),
        ("https://a@app.example.com", "more than a host"),
        ("https://App.example.com", "as browsers write it"),
        ("https://app.example.com:443", "as browsers write it"),
        ("https://app.example.com.", "as browsers write it"),
        ("HTTPS://app.example.com", "upper case"),
        ("http://app.example.com", "without https"),
        ("file://localhost", "no app's pages have"),
        ("data://x", "no app's pages have"),
        ("://x", "no app's pages have"),
        ("https://", "more than a host"),
    ] {
        let problems = read(bad).expect_err(bad);
        assert!(problems.iter().any(|p| p.what.contains(why)), "{bad}: {problems:?}");
    }
}
