//! Targets that are nearly right: a `%` that is no escape, and addresses that somebody pasted out of a text.

use super::asking::HOST;
use super::paths::{judged, neighbours};
use baton::gate::{Request, Scheme};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_bare_percent_goes_on_where_no_room_can_be_meant() {
    let gate = neighbours();
    #[rustfmt::skip]
    let table = [
        ("/search/100%", "open"), ("/100%", "open"), ("/50%-off/shoes", "open"), ("/100%/page/2", "open"), ("/%", "open"), ("/a/%zz/b", "open"),
        ("/search/%u4e2d", "open"), ("/search/50%?x=%", "open"), ("/parking/%", "parking"), ("/buy/%zz", "onsale"),
        // What some decoder may make a room's path of.
        ("/b%1vy", "400"), ("/sub%way", "400"), ("/%zzuy", "400"), ("/bu%", "400"), ("/x%1v..%1vbuy/seat", "400"), ("/x/%zz%zz/buy", "400"), ("/b%y", "400"),
        ("/b%uy", "400"), ("/about/%/buy", "400"), ("/x/%zzpar%6bing", "400"),
    ];
    let wrong: Vec<_> = table
        .iter()
        .map(|(path, expected)| (path, expected, judged(&gate, path)))
        .filter(|(_, expected, found)| *expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let layers = (0..20).fold("/x%41".to_owned(), |path, _| path.replace('%', "%25"));
    assert_eq!(judged(&gate, &layers), "400", "too many layers to be meant well");
    let long = format!("/search/{}%", "a".repeat(3_000));
    assert_eq!(judged(&gate, &long), "400", "too long to look at");
}

#[test]
fn a_person_who_pasted_an_address_is_led_to_the_one_that_was_meant() {
    let gate = neighbours();
    let way_on = |method: &str, path: &str| {
        gate.way_on(&Request {
            method,
            scheme: Scheme::Https,
            host: HOST,
            path_and_query: path,
            has_body: false,
            headers: &|_: &str| None,
        })
    };
    #[rustfmt::skip]
    let table = [
        ("/buy.", "/buy"), ("/buy%20", "/buy"), ("/buy%C2%A0?x=1", "/buy?x=1"), ("/buy%E2%80%8B", "/buy"), ("/bu%E2%80%8By/seat.", "/buy/seat"),
        ("/buy/vip%20/", "/buy/vip/"), ("/buy%", "/buy"), ("//buy;x", "/buy;x"), ("/buy%00", "/buy"), ("/buy%ff/x", "/buy/x"), ("/buy\u{a0}", "/buy"),
        ("//x/buy", "/x/buy"), ("/%", "/"),
        // Where it is not clear what was meant: the home page.
        ("/parking/..%2fbuy", "/"), ("/buy%2Fvip", "/"),
        // No entry token is shown.
        ("/buy.?baton_entry=a.b.c&x=1", "/buy?x=1"),
        // A route of Baton's leads to its room.
        ("/__baton/onsale/leave", "/buy/"), ("/__baton/nothing", "/"),
    ];
    for (path, expected) in table {
        assert_eq!(way_on("GET", path), expected, "{path}");
        assert_eq!(way_on("POST", path), expected, "{path}");
    }
}
