//! What sends a visitor back never leads to another site.

use super::asking::HOST;
use baton::gate::{Host, Scheme, path_of_origin, stays_here};

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
