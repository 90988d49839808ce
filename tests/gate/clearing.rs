//! `Clear-Site-Data`: the shop's log-out ends the shop's session, and no place in line.

use super::asking::{HOST, cookies};
use baton::gate::{Clearing, Host, Scheme};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PLACE: &str = "__Host-baton-visitor=v; __Host-baton-onsale-ticket=t";

fn cleared(header: &str, shown: &str, host: &str, path: &str) -> Clearing {
    let host = Host::parse(Scheme::Https, host).expect("a host");
    cookies(Scheme::Https, host.as_str()).clearing(header, Some(shown), &host, path)
}

fn instead(header: &str, shown: &str, host: &str, path: &str) -> (String, Vec<String>) {
    match cleared(header, shown, host, path) {
        Clearing::Instead(types, lines) => (types, lines),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_other_types_stay() {
    let types = |header| instead(header, PLACE, HOST, "/logout").0;
    #[rustfmt::skip]
    let table = [
        ("\"cookies\"", ""), ("\"cache\", \"cookies\"", "\"cache\""), (" \"cookies\" ,\"storage\"", "\"storage\""),
        ("\"Cookies\",\"storage:buckets\"", "\"storage:buckets\""),
        ("\"*\"", "\"cache\", \"clientHints\", \"executionContexts\", \"prefetchCache\", \"prerenderCache\", \"storage\""),
        ("\"storage\", \"*\"", "\"storage\", \"cache\", \"clientHints\", \"executionContexts\", \"prefetchCache\", \"prerenderCache\""),
    ];
    for (header, expected) in table {
        assert_eq!(types(header), expected, "{header}");
    }
}

#[test]
fn only_a_place_is_kept() {
    #[rustfmt::skip]
    let table = [
        ("\"cache\", \"storage\"", PLACE), ("cookies", PLACE), ("", PLACE), ("\"cookies\"", ""), ("\"cookies\"", "session=1"),
        ("\"cookies\"", "__Host-baton-visitor=v"), ("\"*\"", "session=1; baton-onsale-ticket=t"),
        ("\"*\"", "__Host-baton-onsale-ticket="),
    ];
    for (header, shown) in table {
        let found = cleared(header, shown, HOST, "/logout");
        assert_eq!(found, Clearing::AsItIs, "{header} {shown}");
    }
    for shown in ["__Host-baton-onsale-pass=p", "a=1;__Secure-baton-onsale-ticket=t"] {
        let found = cleared("\"cookies\"", shown, HOST, "/");
        assert!(matches!(found, Clearing::Instead(..)), "{shown}");
    }
}

#[test]
fn every_cookie_of_the_shops_is_expired_wherever_it_may_be_kept() {
    let shown = format!("session=1; {PLACE}; session=2");
    let (_, lines) = instead("\"cookies\"", &shown, "shop.example.com:8443", "/me/out?x=/y");
    let mut expected = Vec::new();
    for path in ["/", "/me", "/me/", "/me/out"] {
        for domain in ["", "; Domain=shop.example.com", "; Domain=example.com"] {
            for end in ["; Partitioned", ""] {
                let at = format!("session=; Max-Age=0; Path={path}{domain}");
                expected.push(format!("{at}; Secure; SameSite=None{end}"));
            }
        }
    }
    let mut found = lines;
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let lines = |shown: &str, path| instead("\"cookies\"", &format!("{shown}; {PLACE}"), "[::1]", path).1;
    assert_eq!(
        lines("__Host-s=1", "/a/b"),
        [
            "__Host-s=; Max-Age=0; Path=/; Secure; SameSite=None; HttpOnly; Partitioned",
            "__Host-s=; Max-Age=0; Path=/; Secure; SameSite=None; HttpOnly"
        ]
    );
    assert_eq!(lines("alone", "/")[1], "=-; Max-Age=0; Path=/; Secure; SameSite=None");
    assert!(lines("$Version=1", "/").is_empty());
    assert_eq!(lines("s=1", "/a;b/c").len(), 4, "no path has a semicolon");
    let local = Host::parse(Scheme::Http, "localhost:8787").expect("a host");
    let local = cookies(Scheme::Http, "localhost:8787").clearing("\"cookies\"", Some("s=1; baton-onsale-ticket=t; baton-visitor=v"), &local, "/");
    let expired = vec!["s=; Max-Age=0; Path=/".to_owned()];
    assert_eq!(local, Clearing::Instead(String::new(), expired));
}

#[test]
fn what_cannot_be_expired_whole_goes_through() {
    let many: String = (0..30).map(|n| format!("cookie{n}=1; ")).collect();
    let through = |shown: &str, path: &str| {
        let shown = format!("{shown}; {PLACE}");
        cleared("\"*\"", &shown, HOST, path) == Clearing::TooMuch
    };
    assert!(through(&many, "/logout"));
    assert!(through("s\u{FFFD}=1", "/"), "bytes that cannot be written back");
    assert!(through("s=1", &"/a".repeat(200)));
    let few: String = (0..16).map(|n| format!("cookie{n}=1; ")).collect();
    assert!(!through(few.trim_end_matches("; "), "/logout"));
}
