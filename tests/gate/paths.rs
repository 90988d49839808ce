//! Spellings of paths and hosts: in doubt a path is gated, and an exception needs its exact spelling.

use super::asking::{HOST, HTML, ask};
use baton::gate::{Host, PathReading, Pattern, PatternError, Scheme};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Only which room, `open`, or the refusal.
fn room_of(path: &str) -> String {
    let plan = ask("GET", HOST, path, &[HTML]);
    plan.split(' ')
        .take(if plan.starts_with("bypass") { 2 } else { 1 })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn c20_no_spelling_slips_by() {
    #[rustfmt::skip]
    let table = [
        // As meant.
        ("/buy/", "onsale"), ("/buy", "onsale"), ("/buy/x", "onsale"), ("/buy?x=1", "onsale"),
        ("/buy#x", "onsale"), ("/buy/x.css", "onsale"), ("/buy/a/b/c?d=/e", "onsale"),
        // Case, doubled and trailing slashes.
        ("/BUY", "onsale"), ("/Buy/X", "onsale"), ("//buy", "onsale"), ("///buy//x", "onsale"),
        ("/buy//", "onsale"), ("/./buy", "onsale"), ("/././buy/.", "onsale"),
        // Escapes, once, twice, and deep.
        ("/%62uy", "onsale"), ("/%62%75%79", "onsale"), ("/%42UY/x", "onsale"), ("/%2562uy", "onsale"),
        ("/%252562uy", "onsale"), ("/buy%2Fx", "onsale"), ("/buy%252fx", "onsale"), ("%2fbuy", "onsale"),
        ("/%2Fbuy", "onsale"), ("/buy%2f", "onsale"), ("/b%75y%3Fx", "onsale"), ("/buy%23x", "onsale"),
        // Parameters.
        ("/buy;x", "onsale"), ("/buy;x=1/y", "onsale"), ("/;/buy", "onsale"), ("/;x/buy", "onsale"),
        ("/buy%3bx", "onsale"), ("/x;/../buy", "onsale"), ("/;a=b/c;d/buy", "onsale"),
        // Dots.
        ("/buy/../buy", "onsale"), ("/x/../buy", "onsale"), ("/buy/x/../../buy/y", "onsale"),
        ("/x/%2e%2e/buy", "onsale"), ("/x/.%2e/buy", "onsale"), ("/x/..;/buy", "onsale"),
        ("/a%2fb/../buy", "onsale"), ("/a\\b/../buy", "onsale"), ("/a//../buy", "onsale"),
        ("/../buy", "onsale"), ("/buy/..", "onsale"), ("/buy/.", "onsale"), ("/buy.", "onsale"),
        ("/buy...", "onsale"), ("/buy%2e", "onsale"), ("/buy. ./x", "onsale"), ("/x/.../buy", "onsale"),
        ("/%252e%252e/buy", "onsale"), ("/shop/x/../now", "begins"),
        // Backslashes and look-alikes.
        ("\\buy", "onsale"), ("/\\buy", "onsale"), ("/buy\\x", "onsale"), ("/buy%5cx", "onsale"),
        ("/%5Cbuy", "onsale"), ("/x\\..\\buy", "onsale"), ("/buy%EF%BC%8Fx", "onsale"),
        ("/%EF%BD%82uy", "onsale"), ("/ｂｕｙ", "onsale"),
        // Spaces, controls, the invisible.
        ("/buy%20", "onsale"), ("/%20buy", "onsale"), ("/buy%00", "onsale"), ("/buy%00.css", "onsale"),
        ("/b%00uy", "onsale"), ("/buy\0x", "onsale"), ("/buy%0a", "onsale"), ("/bu%0dy", "onsale"),
        ("/buy%09x", "onsale"), ("/bu%7Fy", "onsale"), ("/bu%E2%80%8By", "onsale"), ("/bu%C2%ADy", "onsale"),
        // What is no UTF-8, or too long a form of it.
        ("/b%ffuy", "onsale"), ("/buy%ff", "onsale"), ("/%00", "exact"), ("/%00x", "exact"), ("/a;jsessionid=1", "open"), ("/seat%ff", "exact"),
        ("/%ff%fe/buy", "onsale"), ("/%c0%afbuy", "onsale"),
        ("/buy%c0%afx", "onsale"), ("/%c1%a2uy", "onsale"), ("/%e0%80%af/buy", "onsale"),
        ("/%e0%81%a2uy", "onsale"), ("/%f0%80%81%a2uy", "onsale"), ("/buy%80", "onsale"),
        // Malformed escapes: the room or a 400, never open.
        ("/buy/%", "onsale"), ("/buy/%zz", "onsale"), ("/buy/%2", "onsale"), ("/buy%", "onsale"),
        ("/%u0062uy", "onsale"), ("/buy%u002fx", "onsale"), ("/b%zzuy", "400"), ("/%", "exact"),
        ("/x%", "400"), ("/x%4", "400"), ("/b%uy", "onsale"), ("/b%25uy", "onsale"),
        // Windows streams.
        ("/buy::$DATA", "onsale"), ("/buy::$INDEX_ALLOCATION/x", "onsale"),
        // Exact patterns and beginnings.
        ("/seat", "exact"), ("/seat/", "exact"), ("/SEAT", "exact"), ("/seat;x", "exact"),
        ("/seat%3fx", "exact"), ("/seat%00x", "exact"), ("/seat;a%2fb", "exact"), ("/", "exact"),
        ("", "exact"), ("/?q", "exact"), ("//", "exact"), ("/x/..", "exact"), ("/;x", "exact"),
        ("/vip", "begins"), ("/vip/", "begins"), ("/vipers", "begins"), ("/%76IP.html", "begins"),
        ("/shop/now", "begins"), ("/shop/NOW/x", "begins"),
        // The longest literal.
        ("/buy/vip/x", "deep"), ("/buy/VIP", "deep"), ("/buy/%76ip/", "deep"),
        // Beyond ASCII.
        ("/チケット/1", "kana"), ("/%E3%83%81%E3%82%B1%E3%83%83%E3%83%88", "kana"),
        ("/%e3%83%81%e3%82%b1%e3%83%83%e3%83%88/x", "kana"),
        // Not meant.
        ("/buyer", "open"), ("/bu", "open"), ("/x/buy", "open"), ("/seat/x", "open"), ("/about", "open"),
        ("/x?to=/buy", "open"), ("/x#/buy", "open"), ("/shop", "open"), ("/shop/nowhere", "open"),
        ("/a%20b", "open"), ("/a/../b", "exact"), ("/%E3%83%81", "open"), ("/%83%60", "open"),
        ("/100%25", "open"), ("/__batonx", "open"), ("/p/https%3A%2F%2Fx.example%2Fbuy%2F", "open"),
    ];
    assert!(table.len() >= 60);
    let wrong: Vec<_> = table
        .iter()
        .map(|(path, expected)| (path, expected, room_of(path)))
        .filter(|(_, expected, found)| *expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let layers = (0..20).fold("/x%41".to_owned(), |path, _| path.replace('%', "%25"));
    assert_eq!(room_of(&layers), "400", "too many layers to be meant well");
}

#[test]
fn c20_whatever_an_origin_makes_of_a_path_was_gated() {
    // An independent, naive origin: some of decode (0–3 times), case, `;`, `\`, NUL, dots, in its own order.
    let seed = 0xBA70_0002;
    let mut dice = fastrand::Rng::with_seed(seed);
    let pieces = [
        "b", "u", "y", "buy", "BUY", "/", "/", "/", "//", ".", "..", "/../", "/./", ";", ";x",
        "\\", "%2f", "%2F", "%62", "%75", "%5c", "%2e", "%252f", "%2562", "%25", "%3b", "%00",
        "%20", " ", "x", "%c0%af", "%ff", "%", "?", "#", "%3f", "é",
    ];
    let pattern = Pattern::parse("/buy/*").expect("plain");
    let mut hits = 0;
    for turn in 0..4_000 {
        let path: String = "/"
            .chars()
            .chain((0..dice.usize(1..8)).flat_map(|_| dice.choice(pieces).expect("some").chars()))
            .collect();
        let gated = pattern.may_match(&PathReading::new(&path));
        for reading in 0..96_u32 {
            if naive_origin(&path, reading) {
                hits += 1;
                assert!(
                    gated,
                    "seed {seed:#x}, turn {turn}: {path:?} is /buy to origin {reading}"
                );
            }
        }
    }
    assert!(hits > 2_000, "the test tests something: {hits}");
}

/// Whether an origin with these habits serves `/buy` or something below for a path.
fn naive_origin(path: &str, habits: u32) -> bool {
    let has = |bit: u32| habits >> bit & 1 == 1;
    let path = path.split(['?', '#']).next().expect("first");
    let mut bytes = path.as_bytes().to_vec();
    let cut_parameters = |bytes: &[u8]| -> Vec<u8> {
        let text: Vec<&[u8]> = bytes
            .split(|b| *b == b'/')
            .map(|segment| segment.split(|b| *b == b';').next().expect("first"))
            .collect();
        text.join(&b'/')
    };
    if has(0) {
        bytes = cut_parameters(&bytes);
    }
    for _ in 0..habits / 32 {
        bytes = percent_encoding::percent_decode(&bytes).collect();
    }
    if has(1) {
        bytes = bytes.split(|b| *b == 0).next().expect("first").to_vec();
        bytes = bytes.split(|b| *b == b'?').next().expect("first").to_vec();
    }
    if has(2) {
        bytes
            .iter_mut()
            .filter(|b| **b == b'\\')
            .for_each(|b| *b = b'/');
        bytes.make_ascii_lowercase();
        bytes = cut_parameters(&bytes);
    }
    if has(3) {
        bytes.retain(|b| *b != 0xff && *b != 0);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut out: Vec<&str> = Vec::new();
    for segment in text.split('/') {
        match segment.trim() {
            "." => {}
            "" if has(4) => {}
            "" if out.is_empty() => {}
            ".." => {
                out.pop();
            }
            segment => out.push(segment),
        }
    }
    out.first() == Some(&"buy")
}

#[test]
fn an_exception_needs_its_exact_spelling() {
    #[rustfmt::skip]
    let table = [
        ("/buy/static/a.css", "bypass onsale"), ("/buy/static/a%20b.png?v=1", "bypass onsale"),
        ("/buy/static/", "bypass onsale"), ("/buy/static", "bypass onsale"), ("/buy/ok", "bypass onsale"),
        ("/buy/ok?x", "bypass onsale"), ("/buy/%E7%94%BB%E5%83%8F/1.png", "bypass onsale"),
        ("/buy/%e7%94%bb%e5%83%8f/1.png", "bypass onsale"),
        ("/buy/Static/a.css", "onsale"), ("/buy//static/a.css", "onsale"), ("//buy/static/a.css", "onsale"),
        ("/buy/static/../pay", "onsale"), ("/buy/static/%2e%2e/pay", "onsale"),
        ("/buy/static/..%2fpay", "onsale"), ("/buy/static/..\\pay", "onsale"), ("/buy/static/.", "onsale"),
        ("/buy/static/..", "onsale"), ("/buy/static/x/..;/pay", "onsale"), ("/buy/static/x;y", "onsale"),
        ("/buy/static%2fx", "onsale"), ("/buy/%73tatic/x", "onsale"), ("/buy/static/%00", "onsale"),
        ("/buy/static/%252e%252e/pay", "onsale"), ("/buy/static/%c0%ae%c0%ae/pay", "onsale"),
        ("/buy/static/%zz", "onsale"), ("/buy/static/x%", "onsale"), ("/buy/static//x", "onsale"),
        ("/buy/static/x.", "onsale"), ("/buy/static/x\\y", "onsale"), ("/buy/static/%EF%BC%8E%EF%BC%8E/x", "onsale"),
        ("/buy/static/x%20", "onsale"), ("/buy/static/x::$DATA", "onsale"), ("/buy/static/画.png", "onsale"),
        ("/buy/ok/", "onsale"), ("/buy/ok/x", "onsale"), ("/buy/OK", "onsale"), ("/buy/ok;x", "onsale"),
        ("/buy/staticx", "onsale"), ("/x/../buy/static/a", "onsale"),
        // The most particular room decides, and it has no exceptions.
        ("/buy/vip/static/x", "deep"),
    ];
    for (path, expected) in table {
        assert_eq!(room_of(path), expected, "{path}");
    }
}

#[test]
fn a_pattern_has_one_spelling() {
    for good in [
        "/",
        "/*",
        "/buy",
        "/buy/",
        "/buy/*",
        "/buy*",
        "/v1.*",
        "/a/b/*",
        "/画",
        "/a b/*",
        "/%E7%94%BB",
    ] {
        assert!(Pattern::parse(good).is_ok(), "{good}");
    }
    for (bad, error) in [
        ("", PatternError::NoSlash),
        ("buy", PatternError::NoSlash),
        ("*", PatternError::NoSlash),
        ("/*/x", PatternError::InnerStar),
        ("/**", PatternError::InnerStar),
        ("//", PatternError::NotPlain),
        ("/a//b", PatternError::NotPlain),
        ("/../a", PatternError::NotPlain),
        ("/a/.", PatternError::NotPlain),
        ("/a?x", PatternError::NotPlain),
        ("/a#x", PatternError::NotPlain),
        ("/a;x", PatternError::NotPlain),
        ("/a\\b", PatternError::NotPlain),
        ("/%62uy", PatternError::NotPlain),
        ("/a%2fb", PatternError::NotPlain),
        ("/a%", PatternError::NotPlain),
        ("/a.", PatternError::NotPlain),
        ("/a\0", PatternError::NotPlain),
        ("/%ff", PatternError::NotPlain),
        ("/a%20", PatternError::NotPlain),
        ("/{id}", PatternError::NotPlain),
    ] {
        assert_eq!(Pattern::parse(bad).map(|_| ()), Err(error), "{bad:?}");
    }
}

#[test]
fn hosts_have_one_spelling() {
    let room = |host| {
        ask("GET", host, "/buy", &[HTML])
            .split(' ')
            .next()
            .expect("first")
            .to_owned()
    };
    for host in [
        "named.example",
        "NAMED.Example",
        "named.example.",
        "named.example:443",
        "named.example:8080",
    ] {
        assert_eq!(
            room(host),
            "named",
            "an exact host goes before a longer literal: {host}"
        );
    }
    assert_eq!(
        room("evil.example"),
        "onsale",
        "a room without hosts is for every host"
    );
    for host in [
        "",
        " ",
        "a b",
        "a/b",
        "a@b",
        "a%2eb",
        "[::1",
        "a:b",
        "a..b",
        "a:99999",
        "é.example",
        "a,b",
    ] {
        assert_eq!(room(host), "400", "{host:?}");
    }
    let spelt = |scheme, raw| Host::parse(scheme, raw).map(|host| host.to_string());
    assert_eq!(
        spelt(Scheme::Https, "A.example.:443").as_deref(),
        Some("a.example")
    );
    assert_eq!(
        spelt(Scheme::Http, "a.example:443").as_deref(),
        Some("a.example:443")
    );
    assert_eq!(
        spelt(Scheme::Http, "[::1]:8787").as_deref(),
        Some("[::1]:8787")
    );
    assert_eq!(Scheme::parse("http:"), Scheme::Http);
    assert_eq!(Scheme::parse("https"), Scheme::Https);
}
