//! Spellings of paths and hosts: in doubt a path is refused, and an exception needs its exact spelling.

use super::asking::{HOST, HTML, ask};
use baton::gate::{Gate, Host, PathReading, Pattern, PatternError, Plan, Request, Scheme, as_sent};
use baton::settings;
use serde_json::json;
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

/// Long because it is one table of spellings.
#[test]
fn c20_no_spelling_slips_by() {
    #[rustfmt::skip]
    let table = [
        // As meant.
        ("/buy/", "onsale"), ("/buy", "onsale"), ("/buy/x", "onsale"), ("/buy?x=1", "onsale"),
        ("/buy#x", "onsale"), ("/buy/x.css", "onsale"), ("/buy/a/b/c?d=/e", "onsale"),
        // Case, doubled and trailing slashes.
        ("/BUY", "onsale"), ("/Buy/X", "onsale"), ("/buy///x", "onsale"), ("///buy//x", "onsale"),
        ("/buy//", "onsale"), ("/./buy", "onsale"), ("/././buy/.", "onsale"),
        // Escapes, once, twice, and deep.
        ("/%62uy", "onsale"), ("/%62%75%79", "onsale"), ("/%42UY/x", "onsale"), ("/%2562uy", "400"),
        ("/%252562uy", "400"), ("/buy%2Fx", "400"), ("/buy%252fx", "400"), ("%2fbuy", "400"),
        ("/%2Fbuy", "400"), ("/buy%2f", "400"), ("/b%75y%3Fx", "400"), ("/buy%23x", "400"),
        // Parameters.
        ("/buy;x", "onsale"), ("/buy;x=1/y", "onsale"), ("/BUY;JSESSIONID=1", "onsale"), ("/;/buy", "400"), ("/;x/buy", "400"),
        ("/buy%3bx", "400"), ("/x;/../buy", "onsale"), ("/;a=b/c;d/buy", "400"),
        // Dots.
        ("/buy/../buy", "onsale"), ("/x/../buy", "onsale"), ("/buy/x/../../buy/y", "onsale"),
        ("/x/%2e%2e/buy", "onsale"), ("/x/.%2e/buy", "onsale"), ("/x/..;/buy", "400"),
        ("/a%2fb/../buy", "onsale"), ("/a\\b/../buy", "open"), ("/a//../buy", "open"),
        ("/../buy", "onsale"), ("/buy/..", "exact"), ("/buy/.", "onsale"), ("/buy.", "400"),
        ("/buy...", "400"), ("/buy%2e", "400"), ("/buy. ./x", "400"), ("/x/.../buy", "400"),
        ("/%252e%252e/buy", "400"), ("/shop/x/../now", "begins"),
        // Backslashes and look-alikes.
        ("\\buy", "onsale"), ("/\\buy/x", "onsale"), ("/buy\\x", "onsale"), ("/buy%5cx", "400"),
        ("/%5Cbuy", "400"), ("/x\\..\\buy", "onsale"), ("/buy%EF%BC%8Fx", "400"),
        ("/%EF%BD%82uy", "400"), ("/ｂｕｙ", "400"),
        // Spaces, controls, the invisible.
        ("/buy%20", "400"), ("/%20buy", "400"), ("/buy%00", "400"), ("/buy%00.css", "400"),
        ("/b%00uy", "400"), ("/buy\0x", "400"), ("/buy%0a", "400"), ("/bu%0dy", "400"),
        ("/buy%09x", "400"), ("/bu%7Fy", "400"), ("/bu%E2%80%8By", "400"), ("/bu%C2%ADy", "400"),
        // What is no UTF-8, or too long a form of it.
        ("/b%ffuy", "400"), ("/buy%ff", "400"), ("/%00", "400"), ("/%00x", "400"), ("/a;jsessionid=1", "open"), ("/seat%ff", "400"),
        ("/%ff%fe/buy", "400"), ("/%c0%afbuy", "400"),
        ("/buy%c0%afx", "400"), ("/%c1%a2uy", "400"), ("/%e0%80%af/buy", "400"),
        ("/%e0%81%a2uy", "400"), ("/%f0%80%81%a2uy", "400"), ("/buy%80", "400"),
        // Malformed escapes: the room or a 400, never open.
        ("/buy/%", "onsale"), ("/buy/%zz", "onsale"), ("/buy/%2", "onsale"), ("/buy%", "400"),
        ("/%u0062uy", "400"), ("/buy%u002fx", "400"), ("/b%zzuy", "400"), ("/%", "400"),
        ("/x%", "400"), ("/x%4", "400"), ("/b%uy", "400"), ("/b%25uy", "400"),
        // Windows streams.
        ("/buy::$DATA", "400"), ("/buy::$INDEX_ALLOCATION/x", "400"),
        // Exact patterns and beginnings.
        ("/seat", "exact"), ("/seat/", "exact"), ("/SEAT", "exact"), ("/seat;x", "exact"),
        ("/seat%3fx", "400"), ("/seat%00x", "400"), ("/seat;a%2fb", "exact"), ("/", "exact"),
        ("", "exact"), ("/?q", "exact"), ("//", "exact"), ("/x/..", "exact"), ("/;x", "400"),
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
        ("/a%20b", "open"), ("/a/../b", "open"), ("/%E3%83%81", "open"), ("/%83%60", "open"),
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
        "b", "u", "y", "buy", "BUY", "/", "/", "/", "//", ".", "..", "/../", "/./", ";", ";x", "\\", "%2f", "%2F", "%62", "%75", "%5c", "%2e",
        "%252f", "%2562", "%25", "%3b", "%00", "%20", " ", "x", "%c0%af", "%ff", "%", "?", "#", "%3f", "é",
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
                assert!(gated, "seed {seed:#x}, turn {turn}: {path:?} is /buy to origin {reading}");
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
        bytes.iter_mut().filter(|b| **b == b'\\').for_each(|b| *b = b'/');
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

/// Two rooms of which one is open, one below the other, one for everything else.
pub fn neighbours() -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": {
        "onsale": { "paths": ["/buy/*"], "permits": 0 },
        "parking": { "paths": ["/parking/*"], "permits": 9 },
        "vip": { "paths": ["/buy/vip/*"], "permits": 9 },
    } }))
    .expect("good settings");
    Gate::new(&settings).expect("good patterns")
}

pub fn judged(gate: &Gate, path_and_query: &str) -> String {
    let look = |_: &str| None;
    let request = Request {
        method: "GET",
        scheme: Scheme::Https,
        host: HOST,
        path_and_query,
        has_body: false,
        headers: &look,
    };
    match gate.decide(&request) {
        Plan::NotGated => "open".to_owned(),
        Plan::Gated(gated) => gated.room.settings.name.clone(),
        Plan::Refused(refusal) => refusal.code.status().to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn c111_a_room_opens_no_other_room() {
    let gate = neighbours();
    #[rustfmt::skip]
    let table = [
        // As it is sent: the platform resolves these.
        ("/parking/%2e%2e/buy/seat", "onsale"), ("/parking/../buy/seat", "onsale"), ("/parking/.%2E/buy/seat", "onsale"),
        ("/parking/\\..\\buy/seat", "parking"), ("/parking\\..\\buy\\seat", "onsale"), ("/buy/%2e%2e/parking/1", "parking"),
        ("/parking/x/%2e%2e/%2e%2e/buy/vip/1", "vip"), ("/buy/vip/../seat", "onsale"), ("/buy/%2e/vip/%2e/1", "vip"),
        ("/parking/%2e%2e/about", "open"), ("/about/%2e%2e/parking/1", "parking"),
        // What origins resolve, each in its own way.
        ("/parking/..%2fbuy/seat", "400"), ("/parking/..%2Fbuy%2Fseat", "400"), ("/parking/..%5cbuy/seat", "400"),
        ("/parking/..;/buy/seat", "400"), ("/parking/..;x=1/buy/seat", "400"), ("/parking/%252e%252e/buy/seat", "400"),
        ("/parking/..%252fbuy/seat", "400"), ("/parking/%2e%2e%2fbuy/seat", "400"), ("/parking%2f..%2fbuy/seat", "400"),
        ("/parking/%c0%ae%c0%ae/buy/seat", "400"), ("/parking/..%00/buy/seat", "400"), ("/parking/..%2fabout", "400"),
        ("/about/..%2fbuy/seat", "400"), ("/buy/vip/..%2fseat", "400"), ("/buy/..%2f..%2fabout", "400"),
        // Parameters behind whole segments are the room's, unless another room's in some reading.
        ("/buy;jsessionid=1", "onsale"), ("/parking;jsessionid=1?x", "parking"), ("/buy;a/x;b", "onsale"), ("/buy;/../about", "open"),
        ("/buy%3Bjsessionid=1", "400"), ("/buy.;x", "400"), ("/buy%2f;x", "400"), ("//buy;x", "400"), ("/parking;x/buy/seat", "400"),
        ("/about;x/buy/seat", "onsale"), ("/about;jsessionid=1", "open"), ("/buy;x/vip/1", "400"),
        // Which of two rooms, without any dot.
        ("/buy/vip%2f1", "400"), ("/buy;/vip/1", "400"), ("/buy/;vip/seat", "400"), ("/buy/vip;x/seat", "400"),
        ("/buy/vip%3f/seat", "400"), ("/buy/%ffvip/seat", "400"), ("/buy/vip%00/seat", "400"), ("/buy/vip./seat", "400"),
        ("/buy/vip%20/seat", "400"), ("/buy/%76%69%70/1", "vip"), ("/buy//vip/1", "vip"), ("/buy/VIP/1", "vip"),
        ("/buy/%2576ip/1", "400"), ("/buy/vip::$DATA/1", "400"), ("/buy/seat%3fvip/1", "onsale"),
        // No doubt about the room: what is odd stands behind it.
        ("/buy/seat%2f1", "onsale"), ("/buy/seat;v=1/x", "onsale"), ("/buy/a%00b", "onsale"), ("/buy/vip/a%2fb;c", "vip"),
        ("/buy/%zz", "onsale"), ("/parking/%e3%83%81", "parking"), ("/a%2fb", "open"), ("/a;b/c", "open"),
    ];
    let wrong: Vec<_> = table
        .iter()
        .map(|(path, expected)| (path, expected, judged(&gate, path)))
        .filter(|(_, expected, found)| *expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn c111_a_first_segment_may_be_a_host() {
    #[rustfmt::skip]
    let table = [
        // Some origins read the path behind the first segment, after two slashes or more.
        ("//x/buy/seat", "400"), ("///x/buy/seat", "400"), ("////x/buy/seat", "400"), ("//x/buy", "400"),
        ("/\\x/buy/seat", "400"), ("\\\\x\\buy\\seat", "400"), ("/.//x/buy/seat", "400"), ("/%252e//x/buy/seat", "400"),
        ("//x:80/buy/seat", "400"), ("//u@x/buy/seat", "400"), ("//u:p@[::1]:80/buy/seat", "400"), ("//x?/buy/seat", "open"),
        ("//x/%62uy/seat", "400"), ("//x/..%2fbuy/seat", "400"), ("//x//buy/seat", "400"), ("//x/BUY;v=1", "400"),
        // Or they decode first, or nobody knows where the host ends.
        ("/%2Fx/buy/seat", "400"), ("/%5cx/buy/seat", "400"), ("/%00/x/buy/seat", "400"), ("//x%2Fbuy/seat", "400"),
        ("//x%2Fy/buy/seat", "400"), ("//x./y/buy/seat", "400"),
        // A pass for one room opens no other room.
        ("//parking/buy/seat", "400"), ("//buy/parking/1", "400"), ("//parking/buy/vip/1", "400"), ("//vip/buy/seat", "400"),
        // Both readings are the room's, or the second is what everybody may see.
        ("//buy/buy/seat", "onsale"), ("//buy/seat", "onsale"), ("//buy", "onsale"), ("/\\buy\\seat", "onsale"),
        ("//parking/1", "parking"), ("//buy/vip/1", "vip"), ("//x/../buy/seat", "onsale"),
        // No doubt.
        ("//", "open"), ("///", "open"), ("//x/about", "open"), ("//cdn/img/buy/1", "open"), ("/x/buy/seat", "open"),
        ("/x//buy/seat", "open"), ("/a?u=//x/buy/seat", "open"), ("/.well-known//buy/seat", "open"),
    ];
    let gate = neighbours();
    let wrong: Vec<_> = table
        .iter()
        .map(|(path, expected)| (path, expected, judged(&gate, path)))
        .filter(|(_, expected, found)| *expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Another room has the home page, which is what stands behind a single segment.
    assert_eq!((room_of("//buy").as_str(), room_of("//seat").as_str()), ("400", "exact"));
}

/// An origin that takes the first segment for a host may have its other site there.
#[test]
fn c111_a_first_segment_may_be_another_host() {
    let rooms = json!({
        "own": { "paths": ["/own/*"], "permits": 2, "hosts": [HOST] },
        "other": { "paths": ["/hosted/*"], "permits": 2, "hosts": ["other.example:8443", "10.0.0.7"] },
        "post": { "paths": ["POST /form"], "permits": 2, "hosts": ["post.example"] },
        "all": { "paths": ["/all/*"], "permits": 2 },
    });
    let shops = Gate::new(&settings::parse(&json!({ "ROOMS": rooms })).expect("settings")).expect("patterns");
    #[rustfmt::skip]
    let table = [
        ("//other.example/hosted/x", "400"), ("///OTHER.example:1/hosted/x", "400"), ("/\\u@other.example./hosted", "400"),
        ("//other%2eexample/hosted/x", "400"), ("//%6fther.example%2fhosted/x", "400"), ("//ｏther.example/hosted/x", "400"),
        // What is no plain text may become any host, and an address has many spellings.
        ("//öther.example/hosted/x", "400"), ("//0x0a000007/hosted/x", "400"), ("//x/hosted/y", "400"),
        ("//other.example/own/x", "400"), ("//other.example/about", "open"), ("//other.example/all/x", "400"),
        ("//post.example/form", "open"), ("/hosted/x", "open"), ("//post.example/about", "open"),
    ];
    let found = |path: &str| judged(&shops, path);
    let wrong: Vec<_> = table
        .iter()
        .filter(|(path, expected)| found(path) != *expected)
        .map(|(path, _)| (path, found(path)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn c111_what_is_judged_is_what_is_sent() {
    #[rustfmt::skip]
    let table = [
        ("/", "/"), ("/a/b?c=/../d", "/a/b?c=/../d"), ("", "/"), ("?x", "/?x"), ("a", "/a"), ("//a", "//a"),
        ("/a/../b", "/b"), ("/a/%2E%2e/b", "/b"), ("/a/.%2e/b", "/b"), ("/../../b", "/b"), ("/a/..", "/"), ("/a/.", "/a/"),
        ("/a/%2e", "/a/"), ("/a//../b", "/a/b"), ("/a/.../b", "/a/.../b"), ("/a\\..\\b", "/b"), ("/a?\\..", "/a?\\.."),
        ("/a/..%2fb", "/a/..%2fb"), ("/a/..;/b", "/a/..;/b"), ("/a#b/../c", "/a"), ("/a?b#c", "/a?b"),
        ("/a b", "/a%20b"), ("/a'b?c'd", "/a'b?c%27d"), ("/é", "/%C3%A9"), ("/a?é", "/a?%C3%A9"), ("/a\tb\n", "/ab"),
        ("/a\"<>^`{|}", "/a%22%3C%3E%5E%60%7B|%7D"), ("/%zz", "/%zz"), ("/.hidden/x", "/.hidden/x"),
    ];
    for (raw, expected) in table {
        assert_eq!(as_sent(raw), expected, "{raw:?}");
        assert_eq!(as_sent(expected), expected, "again: {raw:?}");
    }
}

#[test]
fn c113_a_host_that_nobody_names_is_told_so() {
    let at = |rooms: serde_json::Value, host: &str, path: &str| {
        let settings = json!({ "ORIGIN": "https://shop.example.com", "ROOMS": rooms });
        let gate = Gate::new(&settings::parse(&settings).expect("good")).expect("good");
        let look = |_: &str| None;
        let plan = gate.decide(&Request {
            method: "GET",
            scheme: Scheme::Https,
            host,
            path_and_query: path,
            has_body: false,
            headers: &look,
        });
        match plan {
            Plan::Refused(refusal) => refusal.code.status(),
            _ => 200,
        }
    };
    let named = json!({ "onsale": { "paths": ["/buy/*"], "hosts": ["a.example.com"], "permits": 1 } });
    for path in ["/buy/", "/", "/about", "/__baton/onsale/status", "/__baton/nowhere/status", "/%zz"] {
        assert_eq!(at(named.clone(), "evil.example", path), 421, "{path}");
    }
    for host in ["a.example.com", "A.Example.com.:8443", "shop.example.com"] {
        assert_eq!(at(named.clone(), host, "/about"), 200, "{host}");
    }
    // The same under every host, and nothing of it is a visitor's: probes and operators come by addresses.
    for path in ["/__baton/health", "/__baton/admin/", "/__baton/static/keep.js"] {
        assert_eq!(at(named.clone(), "127.0.0.1:8787", path), 200, "{path}");
    }
    let everywhere = json!({ "onsale": { "paths": ["/buy/*"], "permits": 1 },
        "vip": { "paths": ["/vip/*"], "hosts": ["a.example.com"], "permits": 1 } });
    assert_eq!(at(everywhere, "any.example", "/about"), 200);
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
        ("/buy/static/..%2fpay", "400"), ("/buy/static/..\\pay", "onsale"), ("/buy/static/.", "bypass onsale"),
        ("/buy/static/..", "onsale"), ("/buy/static/x/..;/pay", "400"), ("/buy/static/x;y", "onsale"),
        ("/buy/static%2fx", "onsale"), ("/buy/%73tatic/x", "onsale"), ("/buy/static/%00", "onsale"),
        ("/buy/static/%252e%252e/pay", "400"), ("/buy/static/%c0%ae%c0%ae/pay", "400"),
        ("/buy/static/%zz", "onsale"), ("/buy/static/x%", "onsale"), ("/buy/static//x", "onsale"),
        ("/buy/static/x.", "onsale"), ("/buy/static/x\\y", "bypass onsale"), ("/buy/static/%EF%BC%8E%EF%BC%8E/x", "400"),
        ("/buy/static/x%20", "onsale"), ("/buy/static/x::$DATA", "onsale"), ("/buy/static/画.png", "bypass onsale"),
        ("/buy/ok/", "onsale"), ("/buy/ok/x", "onsale"), ("/buy/OK", "onsale"), ("/buy/ok;x", "onsale"),
        ("/buy/staticx", "onsale"), ("/x/../buy/static/a", "bypass onsale"),
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
        ("/a*b", PatternError::InnerStar),
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
    let room = |host| ask("GET", host, "/buy", &[HTML]).split(' ').next().expect("first").to_owned();
    for host in [
        "named.example",
        "NAMED.Example",
        "named.example.",
        "named.example:443",
        "named.example:8080",
    ] {
        assert_eq!(room(host), "named", "an exact host goes before a longer literal: {host}");
    }
    assert_eq!(room("evil.example"), "onsale", "a room without hosts is for every host");
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
    assert_eq!(spelt(Scheme::Https, "A.example.:443").as_deref(), Some("a.example"));
    assert_eq!(spelt(Scheme::Http, "a.example:443").as_deref(), Some("a.example:443"));
    assert_eq!(spelt(Scheme::Http, "[::1]:8787").as_deref(), Some("[::1]:8787"));
    assert_eq!(Scheme::parse("http:"), Scheme::Http);
    assert_eq!(Scheme::parse("https"), Scheme::Https);
}
