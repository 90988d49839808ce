//! A pass that is shown where none is needed: whose it is, when it counts, and what the log may say of the path.

use super::asking::HOST;
use baton::gate::{Exception, Gate, Host, Method, PatternError, Request, Scheme, Unheeded, meant_release, path_shape};
use baton::settings;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NAVIGATES: [(&str, &str); 3] = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"), ("accept", "text/html")];

fn gate() -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": {
        "onsale": { "paths": ["/buy/*"], "permits": 2 },
        "vip": { "paths": ["/vip/*"], "permits": 2 },
        "other": { "paths": ["/buy/*"], "permits": 2, "hosts": ["elsewhere.example.com"] },
        "tour": { "paths": ["/tour/*"], "permits": 2, "hosts": [HOST, "m.example.com"], "cookie_domain": "example.com" },
    } }));
    Gate::new(&settings.expect("good settings")).expect("good patterns")
}

fn shown(gate: &Gate, are_credentials: bool, text: &str) -> String {
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let rooms = gate.rooms_shown(&host, Scheme::Https, are_credentials, text);
    let names = rooms.iter().map(|room| room.settings.name.as_str());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_rooms_of_a_host_are_known_by_the_cookies_that_are_shown() {
    let gate = gate();
    #[rustfmt::skip]
    let table = [
        ("__Host-baton-onsale-pass=x", "onsale"),
        ("a=1; __Host-baton-vip-pass=x; __Host-baton-onsale-pass=y; __Host-baton-onsale-pass=z", "onsale vip"),
        ("__Secure-baton-tour-pass=x", "tour"),
        // By the wrong name, of another host, of no room, or of nothing.
        ("__Host-baton-tour-pass=x; __Secure-baton-onsale-pass=x; baton-onsale-pass=x; onsale-pass=x", ""),
        ("__Host-baton-other-pass=x; __Host-baton-nowhere-pass=x; __Host-baton-onsale-pass=", ""),
        ("__Host-baton-onsale-ticket=x; __Host-baton-onsale-passed=x; -pass=x; pass=x; ", ""),
    ];
    for (text, expected) in table {
        assert_eq!(shown(&gate, false, text), expected, "{text}");
    }
    assert_eq!(shown(&gate, true, "visitor=v; onsale-pass=x; tour-pass=y"), "onsale tour");
}

/// Says whose lease a release ends, or why nobody's.
fn meant(said: &str, cookies: &str, is_cached: bool, headers: &[(&str, &str)]) -> String {
    let gate = gate();
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let look = |name: &str| {
        let found = headers.iter().find(|(found, _)| *found == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let request = Request {
        method: "GET",
        scheme: Scheme::Https,
        host: HOST,
        path_and_query: "/receipt",
        has_body: false,
        headers: &look,
    };
    let shown = gate.rooms_shown(&host, Scheme::Https, false, cookies);
    match gate.meant_by(&request, said, is_cached, &shown) {
        Ok(room) => room.settings.name.clone(),
        Err(why) => format!("{why:?}"),
    }
}

#[test]
fn a_release_on_a_path_of_no_room_ends_the_lease_that_it_can_mean() {
    let (one, two) = ("__Host-baton-onsale-pass=x", "__Host-baton-onsale-pass=x; __Host-baton-vip-pass=y");
    #[rustfmt::skip]
    let table = [
        ("1", one, "onsale"), ("onsale", one, "onsale"), ("vip", one, "OtherRoom"), ("true", one, "OtherRoom"),
        ("1", two, "SeveralPasses"), ("vip", two, "vip"), ("onsale", two, "onsale"), ("tour", two, "OtherRoom"),
        ("1", "", "NoPass"), ("onsale", "", "NoPass"),
    ];
    for (said, cookies, expected) in table {
        assert_eq!(meant(said, cookies, false, &NAVIGATES), expected, "{said} with {cookies}");
    }
}

#[test]
fn a_release_means_something_unless_it_is_empty_or_0() {
    for (said, meant) in [
        ("1", Some("1")),
        (" onsale ", Some("onsale")),
        ("00", Some("00")),
        ("", None),
        ("0", None),
        (" 0", None),
    ] {
        assert_eq!(meant_release(said), meant, "{said:?}");
    }
}

#[test]
fn what_a_cache_kept_or_another_site_asked_for_ends_nothing() {
    let one = "__Host-baton-onsale-pass=x";
    let with = |mode, dest, site| {
        let headers = [("sec-fetch-mode", mode), ("sec-fetch-dest", dest), ("sec-fetch-site", site)];
        meant("1", one, false, &headers)
    };
    assert_eq!(meant("1", one, true, &NAVIGATES), format!("{:?}", Unheeded::Cached));
    #[rustfmt::skip]
    let table = [
        // A bank sends its buyer back, and a program says nothing of itself.
        ("navigate", "document", "cross-site", "onsale"), ("navigate", "iframe", "cross-site", "onsale"), ("", "", "", "onsale"),
        ("cors", "empty", "same-origin", "onsale"), ("same-origin", "empty", "same-origin", "onsale"),
        ("no-cors", "image", "cross-site", "Unasked"), ("cors", "empty", "cross-site", "Unasked"), ("no-cors", "empty", "cross-site", "Unasked"),
        ("no-cors", "image", "same-origin", "Unasked"), ("no-cors", "script", "same-origin", "Unasked"),
    ];
    for (mode, dest, site, expected) in table {
        assert_eq!(with(mode, dest, site), expected, "{mode} {dest} {site}");
    }
}

#[test]
fn an_exception_may_name_what_its_query_must_have() {
    let takes = |text: &str, sent: &str| {
        let exception = Exception::parse(text).expect("an exception");
        exception.matches_strictly(Method::Get, sent)
    };
    let receipt = "GET /event/*/registrations/*?token=*";
    #[rustfmt::skip]
    let table = [
        (receipt, "/event/7/registrations/9?token=ab", true), (receipt, "/event/7/registrations/9?a=b&token=ab", true),
        (receipt, "/event/7/registrations/9", false), (receipt, "/event/7/registrations/9?token=", false), (receipt, "/event/7/registrations/9?token", false),
        (receipt, "/event/7/registrations/9?Token=ab", false), (receipt, "/event/7/registrations/9?%74oken=ab", false), (receipt, "/event/7/registrations/9?xtoken=ab", false),
        (receipt, "/event/7/registrations/9/x?token=ab", true), (receipt, "/event/7/registrations/%39?token=ab", false),
        ("/a?x=1&y=*", "/a?y=2&x=1", true), ("/a?x=1&y=*", "/a?y=2&x=2", false), ("/a?x=1&y=*", "/a?x=1", false), ("/a", "/a?x=1", true),
    ];
    for (text, sent, expected) in table {
        assert_eq!(takes(text, sent), expected, "{text}: {sent}");
    }
    assert!(
        !Exception::parse(receipt)
            .expect("an exception")
            .matches_strictly(Method::Post, "/event/7/registrations/9?token=ab")
    );
    for odd in [
        "/a?", "/a?x", "/a?=1", "/a?x=", "/a?x=a*", "/a?x[]=1", "/a?x=%20", "/a?x=1&", "/a?x=1#y", "/a?x=1?",
    ] {
        assert_eq!(Exception::parse(odd), Err(PatternError::Query), "{odd}");
    }
    assert_eq!(Exception::parse("a?x=1"), Err(PatternError::NoSlash));
}

#[test]
fn the_log_says_the_words_of_a_path_and_nobodys_order() {
    #[rustfmt::skip]
    let table = [
        ("/receipt", "/receipt"), ("/demo/fest/order/AB3CD/k4d9zz0/?pdf=1", "/demo/fest/order/*/*/"), ("/thank-you.html", "/thank-you.html"),
        ("/o/12345", "/o/*"), ("/o/thequickbrownfox", "/o/*"), ("/%E7%94%BB", "/*"), ("/", "/"), ("/a/b/c/d/e/f/g/h/i/j", "/a/b/c/d/e/f/g/h"),
    ];
    for (path, expected) in table {
        assert_eq!(path_shape(path), expected, "{path}");
    }
}
