//! The gate tells callers apart: an app's page, a page that embeds a widget, a form, a client with credentials of its own.

use super::asking::HOST;
use baton::gate::{Gate, OwnCall, Plan, Request, Scheme};
use baton::settings;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const APP: &str = "https://app.example";
const BAND: &str = "https://band.example";

fn gate() -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": {
        "onsale": { "paths": ["/buy/*"], "permits": 2, "app_origins": [APP], "widget_origins": [BAND] },
        "open": { "paths": ["/open/*"], "permits": 2, "widget_origins": ["*"] },
        "plain": { "paths": ["/plain/*"], "permits": 2 },
    } }))
    .expect("good settings");
    Gate::new(&settings).expect("good patterns")
}

/// Shows a request to `look`.
fn with<T>(method: &str, path_and_query: &str, headers: &[(&str, &str)], look: impl FnOnce(&Request<'_>) -> T) -> T {
    let find = |name: &str| {
        let found = headers.iter().find(|(found, _)| *found == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    look(&Request {
        method,
        scheme: Scheme::Https,
        host: HOST,
        path_and_query,
        has_body: false,
        headers: &find,
    })
}

#[test]
fn a_page_that_embeds_a_widget_is_named_as_the_room_names_it() {
    let gate = gate();
    let named = |room: &str, headers: &[(&str, &str)]| {
        let room = gate.room(room).expect("a room");
        with("GET", "/buy/x", headers, |request| room.widget_origin(request).map(str::to_owned))
    };
    assert_eq!(named("onsale", &[("origin", BAND)]).as_deref(), Some(BAND));
    assert_eq!(named("open", &[("origin", APP)]).as_deref(), Some("*"));
    for (room, headers) in [
        ("onsale", &[("origin", APP)] as &[(&str, &str)]),
        ("onsale", &[("origin", "https://band.example.evil.example")]),
        ("onsale", &[]),
        ("open", &[]),
        ("plain", &[("origin", BAND)]),
    ] {
        assert_eq!(named(room, headers), None, "{room} {headers:?}");
    }
}

#[test]
fn an_apps_preflight_to_a_call_hears_its_methods_and_any_other_is_refused() {
    let gate = gate();
    let asks = |path: &str, headers: &[(&str, &str)]| {
        with("OPTIONS", path, headers, |request| match gate.decide(request) {
            Plan::Own(OwnCall::Preflight { room, methods }) => format!("{room} {methods}"),
            Plan::Refused(refusal) => format!("{} {:?}", refusal.code.status(), refusal.allow),
            plan => format!("{plan:?}"),
        })
    };
    let wanted = ("access-control-request-method", "POST");
    let refused = "405 Some(\"POST\")";
    assert_eq!(asks("/__baton/onsale/join", &[("origin", APP), wanted]), "onsale POST");
    assert_eq!(asks("/__baton/onsale/join", &[("origin", APP)]), refused, "no preflight");
    assert_eq!(asks("/__baton/onsale/join", &[("origin", BAND), wanted]), refused);
    assert_eq!(asks("/__baton/plain/join", &[("origin", APP), wanted]), refused);
}

#[test]
fn a_form_is_what_a_browser_sends_as_one_and_reads_html() {
    let is_form = |accept, sent| {
        with("POST", "/__baton/onsale/join", &[("accept", accept), ("content-type", sent)], |request| {
            request.is_form()
        })
    };
    let (html, form) = ("text/html,*/*;q=0.8", "application/x-www-form-urlencoded");
    assert!(is_form(html, form));
    assert!(is_form(html, "Application/x-www-form-urlencoded; charset=utf-8"));
    assert!(!is_form("*/*", form), "a program");
    assert!(!is_form(html, "application/json"));
    assert!(!is_form("*/*", "application/json"));
}

#[test]
fn credentials_are_spoken_by_a_header_by_the_call_without_cookies_or_by_a_sockets_token() {
    let speaks = |path, headers: &[(&str, &str)]| with("GET", path, headers, |request| request.speaks_credentials());
    let upgrade = ("upgrade", "websocket");
    let token = ("sec-websocket-protocol", "baton, baton.token.abc");
    assert!(speaks("/buy/x", &[("baton-credentials", "")]));
    assert!(speaks("/__baton/onsale/enter", &[]));
    assert!(speaks("/__baton/onsale/socket", &[upgrade, token]));
    assert!(!speaks("/__baton/onsale/socket", &[token]), "opens no socket");
    assert!(!speaks("/__baton/onsale/socket", &[upgrade]));
    assert!(!speaks("/buy/x", &[]));
}
