//! The origin's own address in its answers: changed where it is the origin's when parsed, and nowhere else.

use baton::gate::{Host, Relocation, Scheme, Site};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const ORIGIN: &str = "http://shop.internal:8000";
const PUBLIC: (Scheme, &str) = (Scheme::Https, "tickets.example.com");

/// What becomes of a header of an origin at `origin`, asked for by a visitor at `public`.
fn relocated(origin: &str, public: (Scheme, &str), name: &str, value: &str) -> Option<String> {
    let from = Site::parse(origin).expect("a site");
    let host = Host::parse(public.0, public.1).expect("a host");
    let relocation = Relocation {
        from,
        scheme: public.0,
        host: &host,
    };
    if name == "set-cookie" {
        relocation.cookie(value)
    } else {
        relocation.header(name, value)
    }
}

fn check(origin: &str, name: &str, table: &[(&str, &str)]) {
    for (value, expected) in table {
        let got = relocated(origin, PUBLIC, name, value);
        assert_eq!(got.as_deref(), Some(*expected), "{origin} {name}: {value}");
    }
}

fn left(origin: &str, name: &str, values: &[&str]) {
    for value in values {
        let got = relocated(origin, PUBLIC, name, value);
        assert_eq!(got, None, "{origin} {name}: {value}");
    }
}

#[test]
fn an_address_of_the_origin_becomes_the_visitors() {
    let table = [
        ("http://shop.internal:8000", "https://tickets.example.com"),
        ("http://shop.internal:8000/", "https://tickets.example.com/"),
        (
            "http://shop.internal:8000/a?b=c#d",
            "https://tickets.example.com/a?b=c#d",
        ),
        (
            "http://shop.internal:8000?b",
            "https://tickets.example.com?b",
        ),
        (
            "http://shop.internal:8000#d",
            "https://tickets.example.com#d",
        ),
        (
            "HTTP://Shop.INTERNAL:8000/A",
            "https://tickets.example.com/A",
        ),
        (
            "http://shop.internal.:8000/a",
            "https://tickets.example.com/a",
        ),
        (
            "http://shop.internal:08000/a",
            "https://tickets.example.com/a",
        ),
        (
            "  http://shop.internal:8000/a\t",
            "https://tickets.example.com/a",
        ),
        (
            "ht\ttp://shop.inter\tnal:8000/a",
            "https://tickets.example.com/a",
        ),
        (
            "http://u:p@shop.internal:8000/a",
            "https://u:p@tickets.example.com/a",
        ),
        (
            "http://a@b@shop.internal:8000/a",
            "https://a@b@tickets.example.com/a",
        ),
        // The page that it is on is the origin's, and so is the scheme.
        ("//shop.internal:8000/a", "https://tickets.example.com/a"),
        ("///shop.internal:8000/a", "https://tickets.example.com/a"),
        (r"\\shop.internal:8000/a", "https://tickets.example.com/a"),
        (r"/\shop.internal:8000/a", "https://tickets.example.com/a"),
        (
            r"http:\\shop.internal:8000\a",
            "https://tickets.example.com/a",
        ),
        (
            r"http:///\shop.internal:8000/a",
            "https://tickets.example.com/a",
        ),
        // Browsers take `\` for the host's end; what does not must not find another host either.
        (
            r"http://shop.internal:8000\@evil.example/",
            "https://tickets.example.com/@evil.example/",
        ),
        // What is in path and query is left, the origin's address too.
        (
            "http://shop.internal:8000/login?next=http://shop.internal:8000/x",
            "https://tickets.example.com/login?next=http://shop.internal:8000/x",
        ),
    ];
    check(ORIGIN, "location", &table);
    check(ORIGIN, "content-location", &table);
}

#[test]
fn every_other_address_is_left_as_it_is() {
    left(
        ORIGIN,
        "location",
        &[
            "",
            "/",
            "/a//b",
            "a/b",
            "?b",
            "#d",
            "../x",
            ":",
            "::",
            "//",
            "http:",
            "http://",
            "http:///",
            "https://tickets.example.com/a",
            "https://bank.example/return?to=http://shop.internal:8000/a",
            // Another scheme, another port, another host.
            "https://shop.internal:8000/a",
            "http://shop.internal/a",
            "http://shop.internal:8001/a",
            "http://shop.internal:80000/a",
            "http://www.shop.internal:8000/a",
            "http://internal:8000/a",
            "http://shop.internal:8000.evil.example/",
            "http://shop.internalx:8000/",
            // Another host that only looks like it.
            "http://shop.internal:8000@evil.example/",
            "http://evil.example/http://shop.internal:8000/",
            "http://evil.example#@shop.internal:8000/",
            "http://evil.example?@shop.internal:8000/",
            r"http://evil.example\@shop.internal:8000/",
            // No authority follows: browsers read a path of the page's own host.
            "http:shop.internal:8000/a",
            "http:/shop.internal:8000/a",
            // Another kind of address.
            "ftp://shop.internal:8000/a",
            "httpx://shop.internal:8000/",
            "mailto:x@shop.internal:8000",
            "1http://shop.internal:8000/",
            "ws://shop.internal:8000/",
            "javascript://shop.internal:8000/%0aalert(1)",
            "data:,http://shop.internal:8000/",
            // An escaped name is the origin's to a browser, and nobody writes it: it is left, and leads to a closed door.
            "http://shop%2einternal:8000/a",
        ],
    );
}

#[test]
fn default_ports_and_ipv6_have_many_spellings() {
    check(
        "https://shop.example.net",
        "location",
        &[
            (
                "https://shop.example.net/a",
                "https://tickets.example.com/a",
            ),
            (
                "https://shop.example.net:443/a",
                "https://tickets.example.com/a",
            ),
            (
                "https://shop.example.net:/a",
                "https://tickets.example.com/a",
            ),
            ("//shop.example.net/a", "https://tickets.example.com/a"),
        ],
    );
    left(
        "https://shop.example.net",
        "location",
        &[
            "http://shop.example.net/a",
            "https://shop.example.net:80/a",
            "https://shop.example.net:444/a",
        ],
    );
    check(
        "https://shop.example.net:443",
        "location",
        &[(
            "https://shop.example.net/a",
            "https://tickets.example.com/a",
        )],
    );
    check(
        "http://shop.example.net:80/",
        "location",
        &[("http://shop.example.net/a", "https://tickets.example.com/a")],
    );
    check(
        "http://[2001:db8::1]:8000",
        "location",
        &[
            (
                "http://[2001:db8::1]:8000/a",
                "https://tickets.example.com/a",
            ),
            (
                "http://[2001:0DB8:0:0:0:0:0:1]:8000/a",
                "https://tickets.example.com/a",
            ),
            ("//u@[2001:db8::1]:8000", "https://u@tickets.example.com"),
        ],
    );
    left(
        "http://[2001:db8::1]:8000",
        "location",
        &[
            "http://[2001:db8::2]:8000/a",
            "http://[2001:db8::1]/a",
            "http://[2001:db8::1",
            "http://[]:8000/",
            "http://[::1]:8000/",
        ],
    );
    check(
        "http://[::1]",
        "location",
        &[
            ("http://[::1]:80/a", "https://tickets.example.com/a"),
            ("http://[0:0::1]/", "https://tickets.example.com/"),
        ],
    );
}

#[test]
fn a_visitor_on_another_port_is_led_to_that_port_and_nothing_changes_where_both_are_one() {
    let at = |public, value| relocated(ORIGIN, public, "location", value);
    assert_eq!(
        at(
            (Scheme::Http, "localhost:8787"),
            "http://shop.internal:8000/a"
        )
        .as_deref(),
        Some("http://localhost:8787/a")
    );
    assert_eq!(
        at(
            (Scheme::Http, "shop.internal:8000"),
            "http://shop.internal:8000/a"
        ),
        None
    );
    assert_eq!(
        at(
            (Scheme::Https, "shop.internal:8000"),
            "http://shop.internal:8000/a"
        )
        .as_deref(),
        Some("https://shop.internal:8000/a"),
        "TLS ends at Baton"
    );
}

#[test]
fn a_refresh_keeps_its_delay_and_its_quotes() {
    check(
        ORIGIN,
        "refresh",
        &[
            (
                "5;url=http://shop.internal:8000/a",
                "5;url=https://tickets.example.com/a",
            ),
            (
                "5; URL = http://shop.internal:8000/a",
                "5; URL = https://tickets.example.com/a",
            ),
            (
                "5, url='http://shop.internal:8000/a'",
                "5, url='https://tickets.example.com/a'",
            ),
            (
                "0.5;url=\"http://shop.internal:8000/a\"; more",
                "0.5;url=\"https://tickets.example.com/a\"; more",
            ),
            (
                "5;url=\"http://shop.internal:8000/a",
                "5;url=\"https://tickets.example.com/a",
            ),
            (
                "5 http://shop.internal:8000/a",
                "5 https://tickets.example.com/a",
            ),
            (
                "5;http://shop.internal:8000/a",
                "5;https://tickets.example.com/a",
            ),
            (
                " .; 'http://shop.internal:8000/it\"s'",
                " .; 'https://tickets.example.com/it\"s'",
            ),
        ],
    );
    left(
        ORIGIN,
        "refresh",
        &[
            "",
            "5",
            "5;",
            "5;url=",
            "5; url=/a",
            "url=http://shop.internal:8000/a",
            "x;url=http://shop.internal:8000/a",
            "5x;url=http://shop.internal:8000/a",
            "5;url=https://bank.example/?to=http://shop.internal:8000/",
            "5;url='https://bank.example/'http://shop.internal:8000/",
            "5;url=é",
            "5;ur",
            "5;é",
        ],
    );
}

#[test]
fn a_cookies_domain_goes_if_it_is_the_origins_and_the_cookie_stays() {
    check(
        ORIGIN,
        "set-cookie",
        &[
            ("a=1; Domain=shop.internal", "a=1"),
            (
                "a=1; Path=/; domain=.SHOP.internal ; HttpOnly",
                "a=1; Path=/; HttpOnly",
            ),
            (
                "a=Domain=x;DOMAIN = shop.internal;Secure",
                "a=Domain=x;Secure",
            ),
            (
                "sid=\"q\"; Domain=shop.internal; Expires=Wed, 01 Jan 2070 00:00:00 GMT",
                "sid=\"q\"; Expires=Wed, 01 Jan 2070 00:00:00 GMT",
            ),
            // The last one counts. Without it the one before must not.
            ("a=1; Domain=other.example; Domain=shop.internal", "a=1"),
            ("a=1; Domain=shop.internal; Domain=", "a=1; Domain="),
        ],
    );
    left(
        ORIGIN,
        "set-cookie",
        &[
            "a=1",
            "a=1; Path=/",
            "",
            "Domain=shop.internal",
            "a=1; Domain",
            "a=1; Domain=",
            "a=1; Domain=internal",
            "a=1; Domain=www.shop.internal",
            "a=1; Domain=shop.internal:8000",
            "a=1; Domain=shop.internal; Domain=other.example",
            "a=1; xDomain=shop.internal",
            "a=1; Domain=shopxinternal",
        ],
    );
    let local = (Scheme::Http, "localhost:8787");
    assert_eq!(
        relocated(
            "http://localhost:8000",
            local,
            "set-cookie",
            "a=1; Domain=localhost"
        ),
        None,
        "one host, two ports: it counts at both"
    );
    assert_eq!(
        relocated(
            "http://127.0.0.1:8000",
            local,
            "set-cookie",
            "a=1; Domain=127.0.0.1"
        )
        .as_deref(),
        Some("a=1")
    );
}

#[test]
fn a_site_is_scheme_and_host_and_no_more() {
    for (text, base) in [
        ("https://shop.example.net/", "https://shop.example.net"),
        ("HTTPS://Shop.Example.Net:443", "https://shop.example.net"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("http://[0:0::1]:80", "http://[::1]"),
    ] {
        assert_eq!(
            Site::parse(text).map(|site| site.base()).as_deref(),
            Some(base),
            "{text}"
        );
    }
    for odd in [
        "",
        "shop.example.net",
        "//shop.example.net",
        "ftp://shop.example.net",
        "https://",
        "https://a/b",
        "https://u@a",
        "https://a?b",
        "https://a//",
        "http://[::g]",
        "http://[::1",
    ] {
        assert_eq!(Site::parse(odd), None, "{odd}");
    }
}
