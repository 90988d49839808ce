//! Routers: what each sends, as seen in Chromium before Baton, and what it is told.

use super::asking::{HOST, HTML, ask};
use baton::gate::{ROUTER_HEADERS, Request, Router, Scheme, VARY};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const ANY: (&str, &str) = ("accept", "*/*");
const CORS: (&str, &str) = ("sec-fetch-mode", "cors");

fn word(method: &str, headers: &[(&str, &str)]) -> Option<String> {
    let look = |name: &str| {
        let found = headers.iter().find(|(found, _)| *found == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let request = Request {
        method,
        scheme: Scheme::Https,
        host: HOST,
        path_and_query: "/buy/x",
        has_body: false,
        headers: &look,
    };
    let word = Router::of(&request)?.word("/buy/x?a=1")?;
    Some(format!("{:?} {}: {}", word.status, word.name, word.value))
}

/// No router walks in or takes a number by what it fetches, and each gets the word that it knows.
///
/// Long because it is one table.
#[test]
fn each_router_is_told_to_load_the_page_whole() {
    let htmx = ("hx-request", "true");
    let inertia = ("x-inertia", "true");
    let turbo = ("x-turbo-request-id", "0c5a");
    let (json, sent) = ("Resource json 429", "Submission json 429");
    let (redirect, location) = (Some("None HX-Redirect: /buy/x?a=1"), Some("Some(409) X-Inertia-Location: /buy/x?a=1"));
    let action = Some("None x-action-redirect: /buy/x?a=1;push");
    #[rustfmt::skip]
    let table: &[(&str, &[(&str, &str)], &str, Option<&str>)] = &[
        // htmx 2.0.11 and 4.0.1: a boosted link, a form, a fragment or a poll.
        ("GET", &[ANY, CORS, htmx, ("hx-boosted", "true")], json, redirect),
        ("GET", &[HTML, htmx, ("hx-request-type", "full")], json, redirect),
        ("POST", &[ANY, CORS, htmx, ("hx-boosted", "true")], sent, redirect),
        ("GET", &[ANY, CORS, htmx], json, None),
        ("GET", &[HTML, htmx, ("hx-request-type", "partial")], json, None),
        // Inertia 3.7.1: a page, a form, a part of a page.
        ("GET", &[HTML, CORS, inertia], json, location),
        ("POST", &[HTML, CORS, inertia], sent, location),
        ("GET", &[HTML, CORS, inertia, ("x-inertia-partial-component", "Seats")], json, None),
        // Next.js 16.4.6: a link, a server action.
        ("GET", &[ANY, CORS, ("rsc", "1"), ("next-router-state-tree", "x")], json, None),
        ("POST", &[("accept", "text/x-component"), CORS, ("next-action", "7f")], sent, action),
        // Turbo 8.0.23: a link, a frame, a form, which it draws.
        ("GET", &[HTML, CORS, turbo], json, None),
        ("GET", &[HTML, CORS, turbo, ("turbo-frame", "fr")], json, None),
        ("POST", &[HTML, CORS, turbo], "Submission page 429", None),
        // Unpoly 3.14.3 and swup 4.10.0.
        ("GET", &[ANY, CORS, ("x-up-version", "3.14.3")], json, None),
        ("GET", &[HTML, CORS, ("x-requested-with", "swup")], json, None),
        // An Android web view and jQuery say this, and are no routers.
        ("GET", &[HTML, ("sec-fetch-mode", "navigate"), ("x-requested-with", "com.example.app")], "Navigation page 200", None),
        ("GET", &[HTML, ("x-requested-with", "XMLHttpRequest")], "Navigation page 200", None),
        ("GET", &[HTML, ("hx-request", "false")], "Navigation page 200", None),
    ];
    for (method, headers, expected, told) in table {
        let found = ask(method, HOST, "/buy/x", headers);
        assert_eq!(found, format!("onsale {expected}"), "{method} {headers:?}");
        assert_eq!(word(method, headers).as_deref(), *told, "{method} {headers:?}");
    }
}

/// `npm run check-world -- routers --fixtures` wrote down what real clients send. What no person asked for takes nothing.
#[test]
fn what_real_clients_send_unasked_takes_nothing() {
    let text = include_str!("../fixtures/clients.json");
    let rows: Vec<serde_json::Value> = serde_json::from_str(text).expect("a fixture");
    let unasked = rows.iter().filter(|row| row["asked"] == false).count();
    assert!(rows.len() > 40 && unasked > 5, "{} and {unasked}", rows.len());
    for row in &rows {
        let headers = row["headers"].as_object().expect("headers");
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
            .collect();
        let method = row["method"].as_str().expect("a method");
        let found = ask(method, HOST, "/buy/x", &headers);
        let walks_in = found.contains("Navigation");
        assert!(row["asked"] == true || !walks_in, "{row}: {found}");
        // Whatever a router fetches, the page that is loaded whole walks in.
        let is_fetched = headers.iter().any(|(name, value)| *name == "sec-fetch-mode" && *value != "navigate");
        assert!(!is_fetched || !walks_in, "{row}: {found}");
    }
}

/// swup's look and its click are one request: what the shop asks in the answer waits for the page that is loaded whole.
#[test]
fn only_looks_give_nothing_back() {
    let gives = |headers: &[(&str, &str)]| {
        let look = |name: &str| {
            let found = headers.iter().find(|(found, _)| *found == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let request = Request {
            method: "GET",
            scheme: Scheme::Https,
            host: HOST,
            path_and_query: "/buy/done",
            has_body: false,
            headers: &look,
        };
        !request.intent(false).gives_nothing_back()
    };
    assert!(gives(&[HTML]) && gives(&[HTML, CORS, ("x-turbo-request-id", "1")]));
    assert!(gives(&[HTML, ("x-requested-with", "XMLHttpRequest")]));
    assert!(!gives(&[HTML, CORS, ("x-requested-with", "swup")]));
    assert!(!gives(&[HTML, ("sec-purpose", "prefetch")]));
}

#[test]
fn caches_know_what_decides() {
    let named: Vec<String> = VARY.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    for name in ROUTER_HEADERS {
        assert!(named.iter().any(|found| found == name), "{name}");
    }
}
