//! Paths as shops have them: `*` for a segment, methods, which of several rooms wins, and what two readings of a request make
//! of it.

use super::asking::HOST;
use baton::gate::{Gate, Host, Method, PathReading, Pattern, PatternError, Plan, Request, Scheme};
use baton::settings;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn gate(rooms: Value) -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": rooms })).expect("good settings");
    Gate::new(&settings).expect("good patterns")
}

/// Only which room, `open`, or the refusal.
fn judged(gate: &Gate, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
    let look = |name: &str| {
        let found = headers.iter().find(|(found, _)| *found == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let request = Request {
        method,
        scheme: Scheme::Https,
        host: HOST,
        path_and_query: path,
        has_body: false,
        headers: &look,
    };
    match gate.decide(&request) {
        Plan::NotGated => "open".to_owned(),
        Plan::Gated(gated) => gated.room.settings.name.clone(),
        Plan::Bypass(gated) => format!("bypass {}", gated.room.settings.name),
        Plan::Preflight { room, is_to_gated } => {
            let whose = if is_to_gated { "" } else { ", the shop's alone" };
            format!("preflight {}{whose}", room.settings.name)
        }
        Plan::StrayEntry(link) => format!("stray {}", link.path_and_query),
        Plan::Entry(room, _) => format!("entry {}", room.settings.name),
        Plan::Refused(refusal) => refusal.code.status().to_string(),
        Plan::Own(_) => "own".to_owned(),
    }
}

fn check(gate: &Gate, table: &[(&str, &str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(method, path, expected)| (method, path, expected, judged(gate, method, path, &[])))
        .filter(|(_, _, expected, found)| *expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn events() -> Gate {
    gate(json!({
        "checkout": { "paths": ["/events/*/checkout", "/events/*/pay/*"], "permits": 2, "bypass_paths": ["/events/*/pay/ok", "POST /events/*/pay/hook"] },
        "one": { "paths": ["/seats/*/"], "permits": 2 },
        "all": { "paths": ["/tours/**"], "permits": 2 },
        "seven": { "paths": ["/events/7/*"], "permits": 2 },
        "shows": { "paths": ["/shows*"], "permits": 2 },
        "star": { "paths": ["/*/box-office"], "permits": 2 },
    }))
}

#[test]
fn a_star_is_one_segment_and_at_the_end_everything_below() {
    #[rustfmt::skip]
    check(&events(), &[
        ("GET", "/events/8/checkout", "checkout"), ("GET", "/EVENTS/8/Checkout/", "checkout"), ("GET", "//events/8//checkout", "checkout"),
        ("GET", "/events/8/checkout/x", "open"), ("GET", "/events/checkout", "open"), ("GET", "/events/8/9/checkout", "open"),
        ("GET", "/events/a%20b/checkout?x", "checkout"), ("GET", "/events/%E7%94%BB/checkout", "checkout"), ("GET", "/events/*/checkout", "checkout"),
        ("GET", "/events/8/pay", "checkout"), ("GET", "/events/8/pay/card/3ds", "checkout"), ("GET", "/events/8/payment", "open"),
        ("GET", "/seats/4", "one"), ("GET", "/seats/4/", "one"), ("GET", "/seats", "open"), ("GET", "/seats/4/x", "open"),
        ("GET", "/tours", "all"), ("GET", "/tours/", "all"), ("GET", "/tours/a/b", "all"), ("GET", "/tour", "open"),
        ("GET", "/x/box-office", "star"), ("GET", "/box-office", "open"), ("GET", "/x/y/box-office", "open"),
        // As it is sent.
        ("GET", "/events/8/../9/checkout", "checkout"), ("GET", "/events/8/%2e%2e/checkout", "open"), ("GET", "/x/../events/8/checkout", "checkout"),
    ]);
}

#[test]
fn a_beginning_keeps_the_dot_at_its_end() {
    let files = gate(json!({ "files": { "paths": ["/buy.*", "/v1 *"], "permits": 2 } }));
    #[rustfmt::skip]
    check(&files, &[
        ("GET", "/buy.html", "files"), ("GET", "/BUY.json/x", "files"), ("GET", "/buyer", "open"), ("GET", "/buy", "open"), ("GET", "/buy/x", "open"),
        ("GET", "/v1%20a", "files"), ("GET", "/v1", "open"), ("GET", "/v12", "open"),
        // Some origins drop the dot at the end, others keep it.
        ("GET", "/buy.", "400"), ("GET", "/buy%252e", "400"), ("GET", "/buy%2ehtml", "files"), ("GET", "/buy%252ehtml", "400"), ("GET", "/buy..", "400"),
    ]);
    assert_eq!(Pattern::parse("/.*"), Err(PatternError::NotPlain));
    assert!(Pattern::parse("/.well-known/*").is_ok());
}

#[test]
fn the_most_particular_wins_segment_by_segment() {
    #[rustfmt::skip]
    check(&events(), &[
        // A segment that is written out before one that is not, wherever the rest of the pattern ends.
        ("GET", "/events/7/checkout", "seven"), ("GET", "/events/7/pay/x", "seven"), ("GET", "/events/7", "seven"),
        ("GET", "/shows/box-office", "shows"), ("GET", "/tours/box-office", "all"), ("GET", "/seats/box-office", "one"),
    ]);
    let deep = gate(json!({
        "a-exact": { "paths": ["/a/b"], "permits": 2 }, "a-below": { "paths": ["/a/b/*"], "permits": 2 },
        "a-star": { "paths": ["/a/*"], "permits": 2 }, "begins": { "paths": ["/a/bo*"], "permits": 2 }, "begins-less": { "paths": ["/a/b*"], "permits": 2 },
        "one": { "paths": ["/a/*/"], "permits": 2 }, "z": { "paths": ["/*"], "permits": 2 },
    }));
    #[rustfmt::skip]
    check(&deep, &[
        ("GET", "/a/b", "a-exact"), ("GET", "/a/b/c", "a-below"), ("GET", "/a/x", "one"), ("GET", "/a/x/y", "a-star"), ("GET", "/a/book", "begins"),
        ("GET", "/a/bet/x", "begins-less"), ("GET", "/a", "a-star"), ("GET", "/", "z"), ("GET", "/q/r", "z"),
    ]);
}

#[test]
fn a_method_is_part_of_a_pattern() {
    let shop = gate(json!({
        "orders": { "paths": ["POST /api/orders"], "permits": 2 },
        "erase": { "paths": ["DELETE /api/seats/*"], "permits": 2 },
        "reads": { "paths": ["GET /api/seats/*"], "permits": 2 },
        "looks": { "paths": ["GET /looks/*"], "permits": 2, "bypass_paths": ["POST /looks/hook"] },
        "api": { "paths": ["/api/v2/*"], "permits": 2 }, "api-writes": { "paths": ["POST /api/v2/*"], "permits": 2 },
    }));
    #[rustfmt::skip]
    check(&shop, &[
        ("POST", "/api/orders", "orders"), ("GET", "/api/orders", "open"), ("HEAD", "/api/orders", "open"), ("PUT", "/api/orders", "open"),
        ("post", "/api/orders", "orders"), ("PROPFIND", "/api/orders", "orders"), ("OPTIONS", "/api/orders", "orders"),
        // To some origin a POST is a DELETE.
        ("DELETE", "/api/seats/4", "erase"), ("POST", "/api/seats/4", "erase"), ("PATCH", "/api/seats/4", "open"),
        ("GET", "/api/seats/4", "reads"), ("HEAD", "/api/seats/4", "reads"), ("get", "/api/seats/4", "erase"),
        // A form names GET too.
        ("GET", "/looks/4", "looks"), ("POST", "/looks/4", "looks"), ("PUT", "/looks/4", "open"), ("POST", "/looks/hook", "bypass looks"),
        // The method decides between equals.
        ("GET", "/api/v2/x", "api"), ("POST", "/api/v2/x", "api-writes"), ("PUT", "/api/v2/x", "api"),
    ]);
    let preflight = |method| [("origin", "https://app.example"), ("access-control-request-method", method)];
    let asked = |path, method| judged(&shop, "OPTIONS", path, &preflight(method));
    assert_eq!(asked("/api/orders", "POST"), "preflight orders");
    // A handler that looks at no method makes the order for any of these.
    assert_eq!(asked("/api/orders", "GET"), "preflight orders, the shop's alone");
    assert_eq!(asked("/about", "GET"), "open");
    assert_eq!(
        asked("/looks/hook", "POST"),
        "preflight looks, the shop's alone",
        "no exception by the method that it asks for"
    );
    assert_eq!(asked("/api/v2/x", "POST"), "preflight api-writes");
}

#[test]
fn c131_a_header_makes_no_other_rooms_request_of_a_post() {
    let shop = gate(json!({
        "orders": { "paths": ["POST /api/orders/*"], "permits": 2, "bypass_paths": ["POST /api/orders/hook"] },
        "erase": { "paths": ["DELETE /api/*"], "permits": 2 },
        "reads": { "paths": ["GET /api/orders/*"], "permits": 2 },
        "buy": { "paths": ["/buy/*"], "permits": 2 },
    }));
    let post = |path, name, value| judged(&shop, "POST", path, &[(name, value)]);
    for name in ["x-http-method-override", "x-http-method", "x-method-override"] {
        for value in ["DELETE", "delete", " Delete ", "GET", "PATCH", "HEAD"] {
            assert_eq!(post("/api/orders/7", name, value), "400", "{name}: {value:?}");
        }
        assert_eq!(post("/api/orders/7", name, "POST"), "orders");
        assert_eq!(post("/buy/x", name, "DELETE"), "buy", "the same room by any method");
        assert_eq!(post("/about", name, "DELETE"), "open");
        assert_eq!(post("/api/orders/hook", name, "POST"), "bypass orders");
        assert_eq!(post("/api/orders/hook", name, "DELETE"), "400");
    }
    assert_eq!(judged(&shop, "POST", "/api/orders/7", &[]), "orders");
    assert_eq!(judged(&shop, "POST", "/api/x", &[]), "erase");
}

#[test]
fn c132_two_readings_of_a_segment_are_two_rooms_never() {
    #[rustfmt::skip]
    check(&events(), &[
        // One segment to one origin, two or none to another.
        ("GET", "/events/8%2fx/checkout", "400"), ("GET", "/events%2f8/checkout", "400"), ("GET", "/events/8;v=1/checkout", "checkout"),
        ("GET", "/events/8%2fcheckout", "400"), ("GET", "/events/%00/checkout", "400"), ("GET", "/events/%20/checkout", "400"),
        ("GET", "/events//checkout", "400"), ("GET", "/events/8/checkout%2fx", "400"), ("GET", "/events/8/checkout;x", "checkout"),
        ("GET", "/events/8/check%00out", "400"), ("GET", "/events/8/..%2f9/checkout", "400"), ("GET", "/events/8/%2563heckout", "400"),
        ("GET", "/events/7%2fcheckout", "400"), ("GET", "/events/7/checkout;x", "seven"), ("GET", "/events/7;x/checkout", "400"),
        ("GET", "/events/8/pay/a%2fb;c", "checkout"), ("GET", "/events/8%5cx/pay/1", "400"), ("GET", "/events/100%25/checkout", "400"),
        // Nothing of a room in it, however it is read.
        ("GET", "/events/a%2fb/info", "open"), ("GET", "/events/a;b", "open"),
    ]);
}

#[test]
fn an_exception_has_stars_and_methods_too() {
    #[rustfmt::skip]
    check(&events(), &[
        ("GET", "/events/8/pay/ok", "bypass checkout"), ("POST", "/events/8/pay/ok", "bypass checkout"), ("GET", "/events/8/pay/ok/", "checkout"),
        ("POST", "/events/8/pay/hook", "bypass checkout"), ("GET", "/events/8/pay/hook", "checkout"), ("PUT", "/events/8/pay/hook", "checkout"),
        ("post", "/events/8/pay/hook", "checkout"), ("GET", "/events//pay/ok", "400"), ("GET", "/events/%38/pay/ok", "checkout"),
        ("GET", "/events/8/9/pay/ok", "open"), ("GET", "/Events/8/pay/ok", "checkout"), ("GET", "/events/8/pay/ok;x", "checkout"),
        // Another room's, which has no such exception.
        ("GET", "/events/7/pay/ok", "seven"),
    ]);
}

#[test]
fn whatever_a_naive_origin_makes_of_a_path_was_gated() {
    let seed = 0xBA70_0019;
    let mut dice = fastrand::Rng::with_seed(seed);
    #[rustfmt::skip]
    let pieces = [
        "events", "Events", "8", "checkout", "check", "out", "/", "/", "/", "/", "//", "..", "/../", ";x", "\\", "%2f", "%5c", "%2e%2e", "%252f", "%00", "%20", "x",
        "%c0%af", "%ff", "%63", "%3f",
    ];
    let pattern = Pattern::parse("/events/*/checkout").expect("plain");
    let mut hits = 0;
    for turn in 0..6_000 {
        let drawn: String = (0..dice.usize(1..9)).flat_map(|_| dice.choice(pieces).expect("some").chars()).collect();
        let path = if dice.bool() {
            format!("/events/{drawn}/checkout")
        } else {
            format!("/{drawn}")
        };
        let path = baton::gate::as_sent(&path);
        let gated = pattern.may_match(&PathReading::new(&path));
        for habits in 0..48_u32 {
            if naive_origin(&path, habits) {
                hits += 1;
                assert!(gated, "seed {seed:#x}, turn {turn}: {path:?} is a checkout to origin {habits}");
            }
        }
    }
    assert!(hits > 2_000, "the test tests something: {hits}");
}

/// Whether an origin with these habits finds `events`, one segment, `checkout`.
fn naive_origin(path: &str, habits: u32) -> bool {
    let has = |bit: u32| habits >> bit & 1 == 1;
    let cut = |text: &str| -> String {
        let segments = text.split('/').map(|s| s.split(';').next().unwrap_or_default());
        segments.collect::<Vec<_>>().join("/")
    };
    let mut text = path.split('?').next().unwrap_or_default().to_owned();
    if has(0) {
        text = cut(&text);
    }
    for _ in 0..habits / 16 {
        let bytes: Vec<u8> = percent_encoding::percent_decode(text.as_bytes()).collect();
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    if has(1) {
        text = cut(&text.replace('\\', "/")).to_ascii_lowercase();
    }
    if has(2) {
        text = text.split('\0').next().unwrap_or_default().to_owned();
    }
    let mut out: Vec<&str> = Vec::new();
    for segment in text.split('/').skip(1) {
        match segment {
            "." => {}
            "" if has(3) => {}
            ".." => drop(out.pop()),
            segment => out.push(segment),
        }
    }
    matches!(out.as_slice(), ["events", _, "checkout"])
}

#[test]
fn what_two_rooms_would_share_is_refused_at_the_start() {
    let problem = |a: &str, b: &str| {
        let rooms = json!({ "a": { "paths": [a], "permits": 1 }, "b": { "paths": [b], "permits": 1 } });
        let problems = settings::parse(&json!({ "ROOMS": rooms })).err().unwrap_or_default();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    for (a, b) in [
        ("/a/*", "/A/**"),
        ("/a/*/b", "/a/*/b/"),
        ("POST /a", "POST /a"),
        ("POST /a", "DELETE /a"),
        ("PUT /a", "PATCH /a"),
    ] {
        let said = problem(a, b);
        assert!(said.contains("is also gated by the room a"), "{a} {b}: {said}");
    }
    for (a, b) in [
        ("/a", "POST /a"),
        ("GET /a", "POST /a"),
        ("/a/*", "/a/*/"),
        ("/a/*/b", "/a/*"),
        ("/a", "/a/*"),
    ] {
        assert_eq!(problem(a, b), "", "{a} {b}");
    }
}

#[test]
fn every_claim_is_told_the_winner_first() {
    let gate = events();
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let told = |method, path: &str| -> Vec<String> {
        let claims = gate.claims_to(&host, method, &PathReading::new(path));
        let told = claims
            .iter()
            .map(|claim| format!("{} {}", claim.room.settings.name, claim.pattern.as_str()));
        told.collect()
    };
    assert_eq!(
        told(Method::Get, "/events/7/checkout"),
        ["seven /events/7/*", "checkout /events/*/checkout"]
    );
    assert!(told(Method::Get, "/about").is_empty());
}

#[test]
fn a_pattern_has_one_spelling_with_stars_and_methods() {
    for good in ["/*/x", "/**", "/a/**", "/*/*/x*", "/a/*/", "GET /a", "POST /a b/*", "DELETE /**"] {
        assert!(Pattern::parse(good).is_ok(), "{good}");
    }
    #[rustfmt::skip]
    let bad = [
        ("/a*/x", PatternError::InnerStar), ("/*a/x", PatternError::InnerStar), ("/**/x", PatternError::InnerStar), ("/a**", PatternError::InnerStar),
        ("/a/***", PatternError::InnerStar), ("/a/**/", PatternError::InnerStar), ("HEAD /a", PatternError::Method), ("post /a", PatternError::Method),
        ("OPTIONS /a", PatternError::Method), ("GET  /a", PatternError::NoSlash), ("GET a", PatternError::NoSlash), ("GET /a?b", PatternError::NotPlain),
        (" /a", PatternError::Method), ("/a//*/b", PatternError::NotPlain),
    ];
    for (bad, error) in bad {
        assert_eq!(Pattern::parse(bad).map(|_| ()), Err(error), "{bad:?}");
    }
}

#[test]
fn no_room_gates_batons_own_calls() {
    for own in [
        "/__baton",
        "/__baton/*",
        "/__baton/static/*",
        "/__BATON/x",
        "/__baton*",
        "POST /__baton/onsale/join",
    ] {
        assert_eq!(Pattern::parse(own), Err(PatternError::Own), "{own}");
    }
    for others in ["/*", "/__*", "/__batonx/*", "/__bato*", "/x/__baton"] {
        assert!(Pattern::parse(others).is_ok(), "{others}");
    }
}
