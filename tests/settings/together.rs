//! What goes together, in a room and between rooms, and what an operator may lay over it.

use super::sample::with;
use baton::facts::config::Mode;
use baton::gate::Gate;
use baton::settings::{EntryPolicy, Strict, check_entry_keys, parse, parse_live, parse_room};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_domain_is_above_all_hosts_that_share_it() {
    let share = |hosts: Value, domain: Value| {
        let room = json!({ "paths": ["/x"], "permits": 1, "hosts": hosts, "cookie_domain": domain });
        parse_room("onsale", &room)
    };
    let two = || json!(["A.example.com", "b.c.example.com:8443"]);
    let room = share(two(), json!("Example.com.")).expect("good");
    let domain = room.cookie_domain.expect("a domain");
    assert_eq!((domain.name(), domain.binding()), ("example.com", ".example.com"));
    assert!(share(json!(["example.com"]), json!("example.com")).is_ok());
    assert_eq!(share(two(), json!("")).expect("none").cookie_domain, None, "empty: none");
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
    assert!(alone[0].cure.contains("hosts = [\"a.example.com\""), "{alone:?}");
}

/// Long because it is one list of pairs that do not go together.
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
    assert_eq!(key(base(json!({ "lease_idle_s": 61, "lease_max_s": 60 }))), ["ROOMS.onsale.lease_idle_s"]);
    assert!(parse_room("onsale", &base(json!({ "lease_idle_s": 60, "lease_max_s": 60 }))).is_ok());
    for (value, strict) in [
        (json!(false), Strict::Off),
        (json!("unsafe"), Strict::Unsafe),
        (json!("all"), Strict::All),
    ] {
        assert_eq!(with("strict", value).expect("good").strict, strict);
    }
    for wrong in [json!(true), json!("ALL"), json!("false"), json!(1)] {
        let problems = with("strict", wrong).expect_err("no such word");
        assert!(problems[0].cure.contains("strict = \"all\""), "{}", problems[0]);
    }
    assert!(with("paths", json!([])).is_err());
    assert!(with("paths", json!(vec!["/x"; 65])).is_err());
    assert!(with("paths", json!([format!("/{}", "x".repeat(512))])).is_err());
    assert!(with("paths", json!("/x")).is_err());
    assert!(with("paths", json!(["/x", 1])).is_err());
    for host in ["*", "https://x.example", "x.example/", "", "チケット.example", "a b"] {
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
    assert!(two(room(json!(["/x"]), json!(["h.example"])), room(json!(["/x"]), none())).is_ok());
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
fn live_values_lie_over_the_files() {
    let file = json!({ "paths": ["/x"], "permits": 5, "mode": "paused" });
    let live = |live: Value| parse_live("onsale", &file, &live);
    assert_eq!(
        live(json!({ "permits": 7 })).map(|r| (r.core.permits, r.core.mode)),
        Ok((7, Mode::Paused))
    );
    assert_eq!(
        live(json!({ "permits": null, "mode": "open" })).map(|r| (r.core.permits, r.core.mode)),
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
fn keys_of_entry_tokens_can_be_read() {
    let file = |entry: &str| {
        let room = json!({ "paths": ["/x"], "permits": 1, "entry": entry });
        parse(&json!({ "ORIGIN": "https://shop.example.com", "ROOMS": { "onsale": room } }))
    };
    for entry in ["optional", "required"] {
        let settings = file(entry).expect("good");
        assert_ne!(settings.rooms[0].entry, EntryPolicy::Off);
    }
    let wrong = file("must").expect_err("no such policy");
    assert_eq!(wrong[0].key, "ROOMS.onsale.entry");
    let secret = "what the shop shares";
    let listed = json!([{ "kid": "a", "alg": "HS256", "key": secret }]).to_string();
    let problems = check_entry_keys(&listed).expect_err("too short");
    assert_eq!(problems[0].key, "secrets.ENTRY_KEYS[0].key");
    assert!(!problems[0].to_string().contains(secret), "{}", problems[0]);
    let shown = parse(&json!({ "ENTRY_KEYS": listed, "ROOMS": {} })).expect_err("a plain variable");
    assert!(shown.iter().any(|problem| problem.what.contains("is a secret")));
    assert!(shown.iter().all(|problem| !problem.to_string().contains(secret)));
}
