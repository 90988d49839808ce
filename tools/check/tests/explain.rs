//! What `check-config --explain` says about a request.

#![allow(clippy::expect_used)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use ::settings;
use baton_check::explain;
use gate::Gate;
use serde_json::json;

fn gate() -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": {
        "checkout": { "paths": ["/events/*/checkout"], "permits": 2, "bypass_paths": ["/events/*/checkout/*"] },
        "seven": { "paths": ["/events/7/*"], "permits": 2 },
        "events": { "paths": ["/events*"], "permits": 2 },
        "orders": { "paths": ["POST /api/orders"], "permits": 2 },
        "api": { "paths": ["/api/orders"], "permits": 2 },
        "vip": { "paths": ["/**"], "hosts": ["vip.example.com"], "permits": 2 },
    } }))
    .expect("good settings");
    Gate::new(&settings).expect("good patterns")
}

#[test]
fn which_room_and_why_no_other() {
    #[rustfmt::skip]
    let table = [
        ("GET", "localhost", "/events/7/checkout", "GET https://localhost/events/7/checkout: room seven\n  seven: /events/7/*: the most particular\n  checkout: /events/*/checkout: at segment 2 \"any segment\" is less particular than a segment that is written out\n  events: /events*: at segment 1 a beginning of 6 bytes is less particular than a segment that is written out\n"),
        ("POST", "localhost", "/api/orders", "POST https://localhost/api/orders: room orders\n  orders: POST /api/orders: the most particular\n  api: /api/orders: it names no method\n"),
        ("GET", "localhost", "/api/x/../orders", "GET https://localhost/api/orders: room api\n  api: /api/orders: the most particular\n"),
        ("GET", "vip.example.com", "/api/orders", "GET https://vip.example.com/api/orders: room vip\n  vip: /**: the most particular\n  api: /api/orders: the room vip names the host\n"),
        ("GET", "localhost", "/about", "GET https://localhost/about: no room, forwarded without a pass\n"),
        ("GET", "localhost", "/__baton/health", "GET https://localhost/__baton/health: Baton's own\n"),
    ];
    for (method, host, path, expected) in table {
        assert_eq!(explain(&gate(), method, host, path).as_deref(), Ok(expected));
    }
    let said = explain(&gate(), "GET", "localhost", "/api%2forders").expect("said");
    let refused = "GET https://localhost/api%2forders: 400 bad_request. The request could not be understood.\n  api: /api/orders: some origins may read the path so\n";
    let way = "  an origin may read it so: it takes an encoded slash, or a sign like it, for a slash (";
    let rest = said.strip_prefix(refused).expect("refused");
    assert!(rest.starts_with(way) && rest.contains("nginx 1.22.1"), "{rest}");
    assert_eq!(rest.lines().count(), 1, "an escape is everybody's: {rest}");
    let no_path = explain(&gate(), "GET", "localhost", "events").expect_err("no path");
    assert!(no_path.contains("from its first slash"), "{no_path}");
    let no_host = explain(&gate(), "GET", "a/b", "/").expect_err("no host");
    assert!(no_host.contains("is not a host"), "{no_host}");
}
