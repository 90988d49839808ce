//! Where a form leads back to: to a page of the room on the very host, whatever the request says.

use super::asking::{HOST, gate};
use baton::gate::{Host, Scheme, WayBack, path_of_origin, stays_here};
use baton::settings::{self, RoomSettings};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A room whose pages are below `/buy/`, and that begins at `start`.
fn room(start: &str) -> RoomSettings {
    let rooms = json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2, "page_start": start } } });
    let settings = settings::parse(&rooms).expect("good settings");
    settings.room("onsale").expect("the room").clone()
}

/// Says what `of` makes of the way back of a request for `own` that comes from `referer`.
fn way<T>(start: &str, own: &str, referer: &str, of: impl FnOnce(&WayBack<'_>) -> T) -> T {
    let (gate, room) = (gate(), room(start));
    of(&WayBack {
        gate: &gate,
        room: &room,
        host: &Host::parse(Scheme::Https, HOST).expect("a host"),
        scheme: Scheme::Https,
        own,
        referer: referer.to_owned(),
    })
}

#[test]
fn a_form_leads_back_to_a_page_of_the_room() {
    let here = |path: &str| format!("https://{HOST}{path}");
    let table = [
        // What its own address names counts first.
        ("/__baton/onsale/join?to=%2Fbuy%2Fa%3Fb%3D1", here("/buy/other"), "/buy/a?b=1"),
        ("/__baton/onsale/join?x=1&to=/buy/a", String::new(), "/buy/a"),
        // Only below Baton's own addresses.
        ("/buy/x?to=/buy/a", here("/buy/other"), "/buy/other"),
        // What is not the room's, leads elsewhere or cannot be read does not count.
        ("/__baton/onsale/join?to=/seat", String::new(), "/buy/first"),
        ("/__baton/onsale/join?to=//evil.example/buy/a", String::new(), "/buy/first"),
        ("/__baton/onsale/join?to=https://evil.example/buy/a", String::new(), "/buy/first"),
        ("/__baton/onsale/join?to=/buy/a%5Cb", String::new(), "/buy/first"),
        ("/__baton/onsale/join?to=/buy/%ZZ", String::new(), "/buy/first"),
        ("/__baton/onsale/join?to=/buy/%FF", String::new(), "/buy/first"),
        ("/__baton/onsale/join", here("/buy/a?b=1"), "/buy/a?b=1"),
        ("/__baton/onsale/join", here("/seat"), "/buy/first"),
        ("/__baton/onsale/join", "https://evil.example/buy/a".to_owned(), "/buy/first"),
        ("/__baton/onsale/join", format!("http://{HOST}/buy/a"), "/buy/first"),
        // The page after leaving says which page the visitor had left.
        ("/__baton/onsale/join", here("/__baton/onsale/left?to=%2Fbuy%2Fa"), "/buy/a"),
        ("/__baton/onsale/join", here("/__baton/onsale/left?to=%2Fseat"), "/buy/first"),
        ("/__baton/onsale/join", here("/__baton/exact/left?to=%2Fbuy%2Fa"), "/buy/first"),
    ];
    for (own, referer, page) in table {
        assert_eq!(way("/buy/first", own, &referer, |way| way.page()), page, "{own} from {referer}");
    }
}

#[test]
fn a_room_begins_at_its_first_path_if_it_does_not_gate_its_first_page() {
    assert_eq!(way("/elsewhere", "/buy/x", "", |way| way.page()), "/buy/");
    assert_eq!(way("/elsewhere", "/buy/x", "", |way| way.named()), "/buy/");
    assert_eq!(way("/elsewhere", "/__baton/onsale/left?to=/buy/a", "", |way| way.named()), "/buy/a");
}

#[test]
fn a_submission_leads_to_the_page_that_sent_it_or_where_the_room_begins() {
    let after = |start, referer: &str| way(start, "/buy/send", referer, |way| way.after());
    let pair = |page: &str, start: &str| (page.to_owned(), start.to_owned());
    assert_eq!(after("/elsewhere", &format!("https://{HOST}/buy/cart")), pair("/buy/cart", ""));
    assert_eq!(after("/elsewhere", &format!("https://{HOST}/seat")), pair("/buy/", "/elsewhere"));
    assert_eq!(after("/buy/first", ""), pair("/buy/first", ""));
}

#[test]
fn the_choice_of_a_language_stays_on_the_page_after_leaving() {
    let here = |path: &str| {
        way("/buy/first", "/__baton/onsale/language/ja", &format!("https://{HOST}{path}"), |way| {
            way.here()
        })
    };
    assert_eq!(here("/__baton/onsale/left?to=%2Fbuy%2Fa"), "/__baton/onsale/left?to=%2Fbuy%2Fa");
    assert_eq!(here("/buy/a"), "/buy/a");
}

#[test]
fn an_address_names_the_way_back_unless_that_goes_without_saying() {
    let query = |path: &str, bytes_max| {
        way("/buy/first", "/__baton/onsale/leave", &format!("https://{HOST}{path}"), |way| {
            way.query(bytes_max)
        })
    };
    assert_eq!(query("/buy/a?b=1&c=%E3%81%82", 200), "?to=%2Fbuy%2Fa%3Fb%3D1%26c%3D%25E3%2581%2582");
    assert_eq!(query("/buy/-_.!~*'()", 200), "?to=%2Fbuy%2F-_.!~*'()");
    assert_eq!(query("/buy/first", 200), "");
    assert_eq!(query("/buy/a", 5), "");
    assert_eq!(query("/buy/a", 6), "?to=%2Fbuy%2Fa");
}

#[test]
fn an_address_of_this_host_is_a_path_and_any_other_is_none() {
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    for (url, path) in [
        ("https://tickets.example.com/buy?a=1", Some("/buy?a=1")),
        ("https://TICKETS.example.com/buy", Some("/buy")),
        ("https://tickets.example.com:443/", Some("/")),
        ("http://tickets.example.com/buy", None),
        ("https://tickets.example.com:8443/buy", None),
        ("https://tickets.example.com.evil.example/buy", None),
        ("https://evil.example/https://tickets.example.com/", None),
        ("https://anna@tickets.example.com/buy", None),
        ("https://tickets.example.com", None),
        ("https://tickets.example.com//evil.example/", None),
        ("ftp://tickets.example.com/buy", None),
        ("/buy", None),
        ("", None),
    ] {
        assert_eq!(path_of_origin(url, Scheme::Https, &host), path, "{url}");
    }
}

#[test]
fn a_path_stays_here_if_no_browser_reads_a_host_in_it() {
    for stays in ["/", "/buy", "/buy?to=//x", "/a//b"] {
        assert!(stays_here(stays), "{stays}");
    }
    for leads in [
        "",
        "buy",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/a b",
        "https://evil.example/",
    ] {
        assert!(!stays_here(leads), "{leads}");
    }
}
