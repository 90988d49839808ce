//! Cookies: Baton's are set as promised, and the origin sees its own and sets none of Baton's.

use super::asking::{HOST, cookies};
use baton::gate::{CookieKind, CookieName, Cookies, Host, Scheme};
use baton::settings;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn cookies_are_set_as_promised() {
    let secure = cookies(Scheme::Https, HOST);
    assert_eq!(
        secure.set(CookieName::Visitor, "abc", 60),
        "__Host-baton-visitor=abc; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax"
    );
    assert_eq!(
        secure.set(CookieName::Ticket("onsale"), "abc", 60),
        "__Host-baton-onsale-ticket=abc; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax"
    );
    assert_eq!(
        secure.set(CookieName::Pass("onsale"), "abc", 60),
        "__Host-baton-onsale-pass=abc; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=None"
    );
    assert_eq!(
        secure.clear(CookieName::Pass("onsale")),
        "__Host-baton-onsale-pass=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=None"
    );
    assert!(secure.set(CookieName::Admin, "x", 1).ends_with("Secure; SameSite=Strict"));
    for host in ["localhost", "localhost:8787", "127.0.0.1:1", "[::1]:8787", "LOCALHOST"] {
        let local = cookies(Scheme::Http, host);
        assert_eq!(local.kind(), CookieKind::Local, "{host}");
        assert_eq!(
            local.set(CookieName::Pass("onsale"), "abc", 60),
            "baton-onsale-pass=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"
        );
        assert_eq!(cookies(Scheme::Https, host).kind(), CookieKind::Secure, "{host}");
    }
    for host in ["localhost.evil.example", "127.0.0.2", "10.0.0.1", "tickets.example.com"] {
        assert_eq!(cookies(Scheme::Http, host).kind(), CookieKind::Secure, "{host}");
    }
    assert_eq!(Cookies::age_s(1_000, 2_001), 2);
    assert_eq!(Cookies::age_s(5, 0), 0);
    assert_eq!(Cookies::age_s(0, u64::MAX), 400 * 24 * 3_600);
}

/// Whatever Baton sets, it keeps from the origin, and lets the origin set none of that name.
#[test]
fn every_cookie_is_kept_from_the_origin() {
    let names = [
        CookieName::Visitor,
        CookieName::Ticket("onsale"),
        CookieName::Pass("onsale"),
        CookieName::Entry("onsale"),
        CookieName::Staff("onsale"),
        CookieName::Human,
        CookieName::Admin,
        CookieName::Login,
        CookieName::Language,
    ];
    for (scheme, host) in [(Scheme::Http, "localhost"), (Scheme::Https, "a.example")] {
        let cookies = cookies(scheme, host);
        for name in names.map(|name| cookies.name(name)) {
            let kept = cookies.without_own(&format!("a=1; {name}=x; b=2"));
            assert_eq!(kept.as_deref(), Some("a=1; b=2"), "{name}");
            assert!(cookies.sets_own(&format!("{name}=x; Path=/")), "{name}");
        }
    }
    let local = cookies(Scheme::Http, "localhost");
    for theirs in ["baton-shop", "baton-onsale-tickets", "baton-onsalepass", "onsale-staff"] {
        assert!(!local.sets_own(&format!("{theirs}=x")), "{theirs}");
    }
}

#[test]
fn hosts_of_a_domain_share_cookies_and_bindings() {
    let room = json!({ "paths": ["/x"], "permits": 1, "hosts": ["a.example.com", "b.example.com:8443"],
        "cookie_domain": "example.com" });
    let room = settings::parse_room("onsale", &room).expect("good settings");
    let at = |host: &str| {
        let host = Host::parse(Scheme::Https, host).expect("a host");
        let cookies = Cookies::of_room(Scheme::Https, &host, &room);
        let line = cookies.set(CookieName::Ticket("onsale"), "abc", 60);
        (line, cookies.binding(&host).to_owned())
    };
    for host in ["a.example.com", "A.example.com:8080", "b.example.com:8443"] {
        let (line, binding) = at(host);
        assert_eq!(
            line,
            "__Secure-baton-onsale-ticket=abc; Path=/; Max-Age=60; HttpOnly; Domain=example.com; Secure; SameSite=Lax"
        );
        assert_eq!(binding, ".example.com");
    }
    for host in [
        "b.example.com",
        "blog.example.com",
        "example.com",
        "a.example.com.evil.example",
        "a.example.net",
    ] {
        let (line, binding) = at(host);
        assert!(line.starts_with("__Host-") && !line.contains("Domain"), "{host}: {line}");
        assert_eq!(binding, host);
    }
    let host = Host::parse(Scheme::Https, "a.example.com").expect("a host");
    let shared = Cookies::of_room(Scheme::Https, &host, &room);
    assert_eq!(
        shared.set(CookieName::Pass("onsale"), "abc", 60),
        "__Secure-baton-onsale-pass=abc; Path=/; Max-Age=60; HttpOnly; Domain=example.com; Secure; SameSite=None"
    );
    // A cookie is taken away where it was laid.
    assert!(shared.clear(CookieName::Visitor).contains("Domain=example.com"));
}

#[test]
fn the_origin_sees_its_own_cookies_byte_for_byte() {
    let secure = cookies(Scheme::Https, HOST);
    let local = cookies(Scheme::Http, "localhost:8787");
    #[rustfmt::skip]
    let table = [
        (secure, "a=1", Some("a=1")),
        (secure, "", Some("")),
        (secure, " a=1 ;;b= \"x; y\"; c", Some(" a=1 ;;b= \"x; y\"; c")),
        (secure, "__Host-baton-visitor=x", None),
        (secure, "a=1; __Secure-baton-visitor=x; __secure-BATON-onsale-pass=y", Some("a=1")),
        (local, "__Secure-baton-visitor=x; __Secure-sid=1", Some("__Secure-sid=1")),
        (secure, "__Host-baton-visitor=x; __Host-baton-onsale-pass=y", None),
        (secure, "a=1; __Host-baton-visitor=x; b=2", Some("a=1; b=2")),
        (secure, "__Host-baton-visitor=x; a=1;b=2", Some("a=1;b=2")),
        (secure, "a=1;__Host-baton-visitor=x", Some("a=1")),
        (secure, "a= 1 ; __Host-baton-x-ticket=x;  b=\tÿ ", Some("a= 1 ;  b=\tÿ ")),
        (secure, "__HOST-Baton-visitor=x; a=1", Some("a=1")),
        (secure, "__Host-baton-admin=x; a=1", Some("a=1")),
        (secure, "=__Host-baton-visitor=x; a=1", Some("a=1")),
        (secure, "__Host-batonx=1; baton-visitor=2; x__Host-baton-visitor=3", Some("__Host-batonx=1; baton-visitor=2; x__Host-baton-visitor=3")),
        (secure, "a=__Host-baton-visitor=x", Some("a=__Host-baton-visitor=x")),
        // As the platform joins the lines of several `Cookie` headers.
        (secure, "a=1, __Host-baton-visitor=x", Some("a=1")),
        (secure, "__Host-baton-visitor=x, a=1,2; b=3", Some("a=1,2; b=3")),
        (secure, "a=1; b=2, __Host-baton-onsale-pass=x; c=3, d=4", Some("a=1; b=2; c=3, d=4")),
        (secure, "a=1, __Host-baton-visitor=x, __host-Baton-onsale-pass=y, b=2", Some("a=1, b=2")),
        (secure, "a=1; __Host-baton-visitor=x, __Host-baton-onsale-pass=y", Some("a=1")),
        (secure, "a=1,__Host-baton-onsale-pass=x; __Host-baton-onsale-pass=y; c=4,", Some("a=1,__Host-baton-onsale-pass=x; c=4,")),
        (secure, "a=1, 2;b=3,", Some("a=1, 2;b=3,")),
        (local, "baton-visitor=x; baton-onsale-pass=y; baton-onsale-ticket=z; baton-admin=w; a=1", Some("a=1")),
        (local, "baton-theme=dark; baton-visitors=1", Some("baton-theme=dark; baton-visitors=1")),
        (local, "__Host-baton-visitor=x; a=1", Some("a=1")),
        (local, "$Version=\"1\"; baton-visitor=\"x\";$Path=\"/\";$Domain=\"localhost\"; a=\"1\";$Path=\"/\"", Some("$Version=\"1\"; a=\"1\";$Path=\"/\"")),
        (local, "$path=/; a=1; $Port", Some("$path=/; a=1; $Port")),
        (local, "$Path=/; baton-visitor=x; $PORT; a=1; $pathology=2", Some("$Path=/; a=1; $pathology=2")),
    ];
    for (cookies, header, expected) in table {
        assert_eq!(cookies.without_own(header).as_deref(), expected, "{header:?}");
    }
    let huge = format!("__Host-baton-visitor=x; {}", "a=1; ".repeat(32 * 1024 / 5));
    assert!(secure.without_own(&huge).is_some());
    let many = "__Host-baton-visitor=x; ".repeat(2_000);
    assert_eq!(secure.values(Some(&many), CookieName::Visitor).len(), 8);
}

#[test]
fn every_cookie_of_a_name_is_tried() {
    let secure = cookies(Scheme::Https, HOST);
    let header = "a=1; __Host-baton-onsale-pass=one;__Host-baton-onsale-pass = two ; __host-baton-onsale-pass=no; \
                  __Host-baton-onsale-ticket=no; __Host-baton-onsale-pass; __Host-baton-onsale-pass=a=b";
    assert_eq!(secure.values(Some(header), CookieName::Pass("onsale")), ["one", "two", "a=b"]);
    assert!(secure.values(Some(header), CookieName::Pass("other")).is_empty());
    assert!(secure.values(None, CookieName::Visitor).is_empty());
}

/// As OpenJDK 17's `HttpClient` sends back a cookie with `Max-Age` and without `Expires`.
#[test]
fn a_value_in_quotes_is_read() {
    let local = cookies(Scheme::Http, "localhost");
    let java = "$Version=\"1\"; baton-visitor=\"AQE\";$Path=\"/\"; baton-onsale-ticket=\"b=\"";
    let values = |header| local.values(Some(header), CookieName::Visitor);
    assert_eq!(values(java), ["AQE"]);
    assert_eq!(local.values(Some(java), CookieName::Ticket("onsale")), ["b="]);
    for (header, value) in [
        ("baton-visitor=\"", "\""),
        ("baton-visitor=\"x", "\"x"),
        ("baton-visitor=x\"", "x\""),
        ("baton-visitor=\"\"", ""),
        ("baton-visitor=\"\"x\"\"", "\"x\""),
    ] {
        assert_eq!(values(header), [value], "{header}");
    }
}

#[test]
fn c114_what_only_looks_like_one_of_ours_is_none() {
    let secure = cookies(Scheme::Https, HOST);
    let blanks = [
        "\u{2000}", "\u{a0}", "\u{3000}", "\u{feff}", "\u{85}", "\u{b}", "\u{c}", "\u{1680}", "\u{200b}", "\u{2028}",
    ];
    for blank in blanks {
        for header in [
            format!("{blank}__Host-baton-visitor=x"),
            format!("__Host-baton-visitor{blank}=x"),
            format!("a=1; {blank} __Host-baton-visitor=x"),
        ] {
            let found = secure.values(Some(&header), CookieName::Visitor);
            assert!(found.is_empty(), "{header:?}");
        }
    }
    for header in [
        "cart=1,__Host-baton-visitor=x",
        "cart=1, __Host-baton-visitor=x",
        "cart=\"__Host-baton-visitor=x\"",
        "=__Host-baton-visitor=x",
        "__host-baton-visitor=x",
        "__Secure-baton-visitor=x",
    ] {
        let found = secure.values(Some(header), CookieName::Visitor);
        assert!(found.is_empty(), "{header:?}");
    }
    let spaced = "a=1;\t __Host-baton-visitor \t=\t x \t;b=2";
    assert_eq!(secure.values(Some(spaced), CookieName::Visitor), ["x"]);
}

#[test]
fn c118_others_bytes_stay_or_the_cookie_stays_away() {
    let secure = cookies(Scheme::Https, HOST);
    let lost = "shop=caf\u{fffd}; a=\"ö\"; b= 1\t";
    assert_eq!(secure.without_own(lost).as_deref(), Some(lost), "untouched, it goes on as it came");
    let beside = format!("{lost}; __Host-baton-visitor=x; c=\u{a0}2");
    assert_eq!(
        secure.without_own(&beside).as_deref(),
        Some("a=\"ö\"; b= 1\t; c=\u{a0}2"),
        "never altered"
    );
}

#[test]
fn the_origin_cannot_set_batons_cookies() {
    let secure = cookies(Scheme::Https, HOST);
    let local = cookies(Scheme::Http, "localhost");
    for set in [
        "__Host-baton-visitor=x; Path=/; Secure",
        "__Host-baton-onsale-pass=",
        "  __Host-baton-onsale-pass = x",
        "__HOST-BATON-onsale-pass=x",
        "__Secure-baton-visitor=x; Domain=example.com; Secure",
        "=__Host-baton-visitor=x",
        "\t=\t__Host-baton-visitor=x",
        "__Host-baton-anything",
    ] {
        assert!(secure.sets_own(set) && local.sets_own(set), "{set:?}");
    }
    for set in [
        "sid=1; Path=/",
        "x=__Host-baton-visitor",
        "sid=1; __Host-baton-visitor=x",
        "",
        "__Host-sid=1",
        "__Secure-sid=1",
    ] {
        assert!(!secure.sets_own(set) && !local.sets_own(set), "{set:?}");
    }
    assert!(local.sets_own("Baton-onsale-PASS=x") && !secure.sets_own("baton-onsale-pass=x"));
}
