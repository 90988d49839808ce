//! What becomes of a request: which visit it is, which of Baton's own calls, and from where those may be made.

use super::asking::{HOST, HTML, ask, cookies, gate};
use baton::gate::{CarryCall, Gate, Language, OwnCall, Pattern, Plan, Request, RoomCall, Scheme, Template, VisitorCall, cacheability};
use baton::settings;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Long because it is one table, a row for each address.
#[test]
fn own_routes() {
    let to_room = |call| {
        let room = "onsale".to_owned();
        format!("{:?}", OwnCall::Room { room, call })
    };
    let room = |call| to_room(RoomCall::Visitor(call));
    let carry = |code: &str, call| {
        let code = code.to_owned();
        to_room(RoomCall::Carry { code, call })
    };
    let admin = |name: &str, values: &Value| format!("{name} {values}");
    let picture = || "0123456789abcdef0123456789abcdef.png".to_owned();
    #[rustfmt::skip]
    let table: Vec<(&str, &str, String)> = vec![
        ("POST", "/__baton/onsale/join", room(VisitorCall::Join)),
        ("POST", "/__baton/onsale/enter", room(VisitorCall::Enter)),
        ("GET", "/__baton/onsale/enter", "405 allow POST".into()),
        ("POST", "/__baton/onsale/claim", room(VisitorCall::Claim)),
        ("POST", "/__baton/onsale/leave?x", room(VisitorCall::Leave)),
        ("POST", "/__baton/onsale/carry", room(VisitorCall::Offer)),
        ("GET", "/__baton/onsale/carry/aZ_-9?to=/buy", carry("aZ_-9", CarryCall::Look)),
        ("HEAD", "/__baton/onsale/carry/aZ_-9", carry("aZ_-9", CarryCall::Look)),
        ("POST", "/__baton/onsale/carry/aZ_-9?to=/buy", carry("aZ_-9", CarryCall::Take)),
        ("PUT", "/__baton/onsale/carry/aZ_-9", "405 allow GET, HEAD, POST".into()),
        ("GET", "/__baton/onsale/carry", "405 allow POST".into()),
        ("GET", "/__baton/onsale/carry/", "404 not_found".into()),
        ("GET", "/__baton/onsale/carry/a%2fb", "404 not_found".into()),
        ("GET", "/__baton/onsale/carry/a/b", "404 not_found".into()),
        ("GET", "/__baton/onsale/status", room(VisitorCall::Status { wait_s: 0 })),
        ("GET", "/__baton/onsale/status?wait_s=20", room(VisitorCall::Status { wait_s: 20 })),
        ("GET", "/__baton/onsale/status?a=b&wait_s=9999", room(VisitorCall::Status { wait_s: 25 })),
        ("GET", "/__baton/onsale/status?wait_s=-1", "400 bad_request".into()),
        ("GET", "/__baton/onsale/status?wait_s=99999999999999999999", "400 bad_request".into()),
        ("GET", "/__baton/onsale/chain", to_room(RoomCall::Chain)),
        ("HEAD", "/__baton/onsale/chain?x", to_room(RoomCall::Chain)),
        ("POST", "/__baton/onsale/chain", "405 allow GET, HEAD".into()),
        ("GET", "/__baton/onsale/chain/", "404 not_found".into()),
        ("GET", "/__baton/onsale/left?to=%2Fbuy", to_room(RoomCall::Left)),
        ("HEAD", "/__baton/onsale/left", to_room(RoomCall::Left)),
        ("POST", "/__baton/onsale/left", "405 allow GET, HEAD".into()),
        ("GET", "/__baton/onsale/draw", to_room(RoomCall::Draw)),
        ("GET", "/__baton/onsale/socket", "426 upgrade_required".into()),
        ("GET", "/__baton/onsale/join", "405 allow POST".into()),
        ("GET", "/__baton/onsale/claim", "405 allow POST".into()),
        ("GET", "/__baton/onsale/leave", "405 allow POST".into()),
        ("POST", "/__baton/onsale/status?wait_s=x", "405 allow GET".into()),
        ("POST", "/__baton/onsale/socket", room(VisitorCall::Knock)),
        ("PUT", "/__baton/onsale/socket", "405 allow GET, POST".into()),
        ("OPTIONS", "/__baton/onsale/join", "405 allow POST".into()),
        ("POST", "/__baton/onsale/language/zh-Hant", to_room(RoomCall::Speak(Language::ZhHant))),
        ("GET", "/__baton/onsale/language/ja", "405 allow POST".into()),
        ("POST", "/__baton/onsale/language/JA", "404 not_found".into()),
        ("POST", "/__baton/onsale/language/", "404 not_found".into()),
        ("POST", "/__baton/onsale/language/ja/", "404 not_found".into()),
        ("GET", "/__baton/onsale/nothing", "404 not_found".into()),
        ("GET", "/__baton/onsale", "404 not_found".into()),
        ("GET", "/__baton/onsale/", "404 not_found".into()),
        ("POST", "/__baton/onsale/join/", "404 not_found".into()),
        ("POST", "/__baton/nowhere/join", "404 unknown_room".into()),
        ("POST", "/__baton/ONSALE/join", "404 not_found".into()),
        ("POST", "/__baton/on%73ale/join", "404 not_found".into()),
        ("POST", "/__baton/administration/join", "404 unknown_room".into()),
        ("GET", "/__baton", "404 not_found".into()),
        ("GET", "/__baton/", "404 not_found".into()),
        ("GET", "/__baton/health", format!("{:?}", OwnCall::Health)),
        ("HEAD", "/__baton/health", format!("{:?}", OwnCall::Health)),
        ("POST", "/__baton/health", "405 allow GET, HEAD".into()),
        ("GET", "/__baton/metrics", admin("metrics", &json!({}))),
        ("GET", "/__baton/static/keep.js", format!("{:?}", OwnCall::Static { file: "keep.js".into() })),
        ("GET", "/__baton/static/l/page.ab12.js", format!("{:?}", OwnCall::Static { file: "l/page.ab12.js".into() })),
        ("GET", "/__baton/static/../x", "404 unknown_room".into()),
        ("GET", "/__baton/static/%2e%2e/x", "404 unknown_room".into()),
        ("GET", "/__baton/static/..%2fx", "404 not_found".into()),
        ("GET", "/x/%2e%2e/__baton/health", format!("{:?}", OwnCall::Health)),
        ("GET", "/__baton/static/", "404 not_found".into()),
        ("DELETE", "/__baton/static/keep.js", "405 allow GET, HEAD".into()),
        ("GET", "/__baton/admin/", admin("desk", &json!({}))),
        ("GET", "/__baton/admin", admin("desk", &json!({}))),
        ("POST", "/__baton/admin/session", admin("signIn", &json!({}))),
        ("DELETE", "/__baton/admin/session", admin("signOut", &json!({}))),
        ("PUT", "/__baton/admin/session", "405 allow GET, POST, DELETE".into()),
        ("GET", "/__baton/admin/rooms", admin("rooms", &json!({}))),
        ("GET", "/__baton/admin/rooms/onsale", admin("room", &json!({ "room": "onsale" }))),
        ("PATCH", "/__baton/admin/rooms/onsale", admin("change", &json!({ "room": "onsale" }))),
        ("PUT", "/__baton/admin/rooms/onsale", "405 allow GET, PATCH".into()),
        ("GET", "/__baton/admin/rooms/nowhere", "404 unknown_room".into()),
        ("POST", "/__baton/admin/rooms/onsale/tickets/41/release", admin("release", &json!({ "room": "onsale", "number": 41 }))),
        ("POST", "/__baton/admin/rooms/onsale/tickets/-1/release", "400 bad_request".into()),
        ("GET", "/x/%2e%2e/__baton/admin/rooms", admin("rooms", &json!({}))),
        ("GET", "/__baton/admin/rooms/onsale/tickets/41", admin("story", &json!({ "room": "onsale", "number": 41, "from": "0" }))),
        ("GET", "/__baton/admin/rooms/onsale/tickets/41?from=007", admin("story", &json!({ "room": "onsale", "number": 41, "from": "7" }))),
        ("GET", "/__baton/admin/rooms/onsale/tickets/41?from=x", "400 bad_request".into()),
        ("GET", "/__baton/admin/rooms/onsale/tickets/41?from=9007199254740992", "400 bad_request".into()),
        ("GET", "/__baton/admin/rooms/onsale/journal?after=9007199254740991", admin("journal", &json!({ "room": "onsale", "after": 9_007_199_254_740_991_u64 }))),
        ("GET", "/__baton/admin/rooms/onsale/journal?after=9007199254740992", "400 bad_request".into()),
        ("POST", "/__baton/admin/rooms/onsale/tickets/41/release/x", "404 not_found".into()),
        ("GET", "/__baton/admin/rooms/onsale/journal?after=7", admin("journal", &json!({ "room": "onsale", "after": 7 }))),
        ("GET", "/__baton/admin/rooms/onsale/journal?after=", admin("journal", &json!({ "room": "onsale", "after": 0 }))),
        ("GET", "/__baton/admin/rooms/onsale/journal?after=ten", "400 bad_request".into()),
        ("POST", "/__baton/admin/rooms/onsale/staff", admin("staffLink", &json!({ "room": "onsale" }))),
        ("DELETE", "/__baton/admin/rooms/onsale/sheets/7", admin("withdrawSheet", &json!({ "room": "onsale", "sheet": 7 }))),
        ("GET", "/__baton/admin/rooms/onsale/sheets/7/invitations?from=300", admin("invitations", &json!({ "room": "onsale", "sheet": 7, "from": 300 }))),
        ("GET", "/__baton/admin/rooms/onsale/sheets/4294967296/invitations", "400 bad_request".into()),
        ("GET", "/__baton/admin/rooms/onsale/staff", "405 allow POST".into()),
        ("GET", "/__baton/admin/actions?room=onsale", admin("actions", &json!({ "room": "onsale", "since": 0 }))),
        ("GET", "/__baton/admin/actions?room=~house", admin("actions", &json!({ "room": "~house", "since": 0 }))),
        ("GET", "/__baton/admin/actions?room=nowhere", "404 unknown_room".into()),
        ("GET", "/__baton/images/0123456789abcdef0123456789abcdef.png", format!("{:?}", OwnCall::Image { name: picture() })),
        ("HEAD", "/__baton/images/0123456789abcdef0123456789abcdef.png?x", format!("{:?}", OwnCall::Image { name: picture() })),
        ("PUT", "/__baton/images/0123456789abcdef0123456789abcdef.png", "405 allow GET, HEAD".into()),
        ("GET", "/__baton/images/0123456789ABCDEF0123456789abcdef.png", "404 not_found".into()),
        ("GET", "/__baton/images/0123456789abcdef0123456789abcdef.svg", "404 not_found".into()),
        ("GET", "/__baton/images/x.png", "404 not_found".into()),
        ("GET", "/__baton/admin/images", admin("images", &json!({}))),
        ("PUT", "/__baton/admin/images", admin("putImage", &json!({}))),
        ("DELETE", "/__baton/admin/images/0123456789abcdef0123456789abcdef.png", admin("dropImage", &json!({ "image": picture() }))),
        ("DELETE", "/__baton/admin/images/logo", "404 not_found".into()),
        ("PUT", "/__baton/admin/house/brands/onsale", admin("brandRoom", &json!({ "room": "onsale" }))),
        ("DELETE", "/__baton/admin/house/brands/onsale", admin("unbrandRoom", &json!({ "room": "onsale" }))),
        ("PUT", "/__baton/admin/house/brands/ON", "404 not_found".into()),
        // Any other spelling is not ours.
        ("GET", "/__BATON/health", "open".into()),
        ("GET", "//__baton/health", "open".into()),
    ];
    for (method, path, expected) in table {
        assert_eq!(ask(method, HOST, path, &[HTML]), expected, "{method} {path}");
    }
    let upgrade = ("upgrade", "WebSocket");
    assert_eq!(ask("GET", HOST, "/__baton/onsale/socket", &[upgrade]), room(VisitorCall::Socket));
    // The runtime makes no socket of these.
    for offered in ["websocket, h2c", "h2c, websocket", "websocket,"] {
        let upgrade = ("upgrade", offered);
        assert_eq!(
            ask("GET", HOST, "/__baton/onsale/socket", &[upgrade]),
            "426 upgrade_required",
            "{offered}"
        );
    }
}

/// Only whole names are reserved.
#[test]
fn people_can_join_a_room_whose_name_begins_like_a_route() {
    for name in ["administration", "admin-2", "statics", "healthy", "metrics-1", "imagery"] {
        let rooms = json!({ "ROOMS": { name: { "paths": ["/x/*"], "permits": 1 } } });
        let gate = Gate::new(&settings::parse(&rooms).expect("good settings"));
        let path = format!("/__baton/{name}/join");
        let request = Request {
            method: "POST",
            scheme: Scheme::Https,
            host: HOST,
            path_and_query: &path,
            has_body: false,
            headers: &|_: &str| None,
        };
        let joins = OwnCall::Room {
            room: name.to_owned(),
            call: RoomCall::Visitor(VisitorCall::Join),
        };
        let gate = gate.expect("good patterns");
        match gate.decide(&request) {
            Plan::Own(call) => assert_eq!(call, joins),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// A link is followed from anywhere, and looking changes nothing; what changes hands does so from the site's own page.
#[test]
fn a_place_is_taken_over_from_the_sites_own_page_only() {
    let path = "/__baton/onsale/carry/aZ_-9";
    let foreign = ("sec-fetch-site", "cross-site");
    let look = ask("GET", HOST, path, &[HTML, foreign]);
    assert!(look.contains("Look"), "{look}");
    let refused = "403 forbidden_origin";
    assert_eq!(ask("POST", HOST, path, &[foreign]), refused);
    assert_eq!(ask("POST", HOST, path, &[("origin", "null")]), refused);
    let offer = "/__baton/onsale/carry";
    assert_eq!(ask("POST", HOST, offer, &[foreign]), refused);
}

#[test]
fn c116_whose_pages_may_call() {
    let settings = settings::parse(&json!({ "ROOMS": {
        "onsale": { "paths": ["/buy/*"], "permits": 1, "hosts": ["tickets.example.com", "www.example.com"] },
    } }));
    let gate = Gate::new(&settings.expect("good")).expect("good");
    let calls = ["join", "claim", "leave", "carry", "carry/aZ_-9", "verify", "language/ja"];
    for (origin, site, fine) in [
        ("https://tickets.example.com", "same-origin", true),
        ("https://www.example.com", "same-site", true),
        ("https://blog.example.com", "same-site", false),
        ("http://www.example.com", "same-site", false),
        ("null", "same-site", false),
        ("https://www.example.com", "cross-site", false),
    ] {
        for call in calls {
            let look = |name: &str| match name {
                "origin" => Some(origin.to_owned()),
                "sec-fetch-site" => Some(site.to_owned()),
                _ => None,
            };
            let plan = gate.decide(&Request {
                method: "POST",
                scheme: Scheme::Https,
                host: HOST,
                path_and_query: &format!("/__baton/onsale/{call}"),
                has_body: false,
                headers: &look,
            });
            assert_eq!(matches!(plan, Plan::Own(_)), fine, "{call} from {origin}: {plan:?}");
        }
    }
}

#[test]
fn c119_methods_that_are_never_forwarded() {
    for method in ["TRACE", "trace", "TRACK", "CONNECT"] {
        for path in ["/", "/buy/", "/about", "/__baton/health"] {
            let answer = ask(method, HOST, path, &[HTML]);
            let allow = "405 allow GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
            assert_eq!(answer, allow, "{method} {path}");
        }
    }
    let (origin, wanted) = (("origin", "https://a.example"), ("access-control-request-method", "PUT"));
    let gate = gate();
    let look = |name: &str| {
        let found = [origin, wanted].into_iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.to_owned())
    };
    for has_body in [false, true] {
        let plan = gate.decide(&Request {
            method: "OPTIONS",
            scheme: Scheme::Https,
            host: HOST,
            path_and_query: "/buy/x",
            has_body,
            headers: &look,
        });
        assert_eq!(matches!(plan, Plan::Preflight { .. }), !has_body, "{plan:?}");
    }
}

/// Long because it is one table of origins, and the four kinds of call that are held to it.
#[test]
fn only_the_site_itself_may_call() {
    let own = "https://tickets.example.com";
    #[rustfmt::skip]
    let table: &[(&[(&str, &str)], bool)] = &[
        (&[], true),
        (&[("origin", own)], true),
        (&[("origin", "https://TICKETS.example.com:443")], true),
        (&[("origin", own), ("sec-fetch-site", "same-origin")], true),
        (&[("origin", "https://www.example.com"), ("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "none")], true),
        (&[("origin", "null")], false),
        (&[("origin", "null"), ("sec-fetch-site", "same-site")], false),
        (&[("origin", "")], false),
        (&[("origin", "http://tickets.example.com")], false),
        (&[("origin", "https://tickets.example.com:8443")], false),
        (&[("origin", "https://tickets.example.com.evil.example")], false),
        (&[("origin", "https://eviltickets.example.com")], false),
        (&[("origin", "https://evil.example#tickets.example.com")], false),
        (&[("origin", "https://tickets.example.com/")], false),
        (&[("origin", "https://a@tickets.example.com")], false),
        (&[("origin", "https://tickets.example.com, https://evil.example")], false),
        (&[("origin", "file://")], false),
        (&[("origin", "https://www.example.com")], false),
        (&[("origin", own), ("sec-fetch-site", "cross-site")], false),
        (&[("sec-fetch-site", "cross-site")], false),
        (&[("sec-fetch-site", "Cross-Site ")], false),
    ];
    let calls = [
        ("POST", "/__baton/onsale/join"),
        ("POST", "/__baton/onsale/claim"),
        ("POST", "/__baton/onsale/leave"),
        ("GET", "/__baton/onsale/status"),
        ("GET", "/__baton/onsale/socket"),
        ("POST", "/__baton/admin/session"),
        ("DELETE", "/__baton/admin/session"),
        ("PATCH", "/__baton/admin/rooms/onsale"),
    ];
    for (headers, fine) in table {
        for (method, path) in calls {
            let mut headers = headers.to_vec();
            headers.push(("upgrade", "websocket"));
            let found = ask(method, HOST, path, &headers);
            assert_eq!(found != "403 forbidden_origin", *fine, "{method} {path} {headers:?}: {found}");
        }
    }
    // Links to the shell and the tag for other hosts' pages work from anywhere; so does a bank's way back.
    let cross = [("sec-fetch-site", "cross-site"), ("origin", "https://bank.example"), HTML];
    for path in ["/__baton/admin/", "/__baton/static/keep.js", "/__baton/health"] {
        assert_ne!(ask("GET", HOST, path, &cross), "403 forbidden_origin");
    }
    assert_eq!(ask("POST", HOST, "/buy/done", &cross), "onsale Submission page 429");
    let local = [("origin", "http://localhost:8787")];
    assert!(ask("POST", "localhost:8787", "/__baton/onsale/join", &local).contains("Join"));
    assert!(ask("POST", "localhost:8788", "/__baton/onsale/join", &local).contains("403"));
}

#[test]
fn random_requests_are_answered_without_a_panic() {
    let seed = 0xBA70_0003;
    let mut dice = fastrand::Rng::with_seed(seed);
    let gate = gate();
    for _ in 0..4_000 {
        let mut noise = |max: usize| -> String {
            let bytes: Vec<u8> = (0..dice.usize(0..max))
                .map(|_| {
                    if dice.bool() {
                        *dice.choice(b"/%.;\\?#=, __baton\x00").expect("some")
                    } else {
                        dice.u8(..)
                    }
                })
                .collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (path, value, host) = (noise(60), noise(40), noise(4));
        let own = format!("/__baton/{path}");
        let look = |_: &str| Some(value.clone());
        let host = if host.is_empty() { HOST } else { &host };
        for path_and_query in [&path, &own] {
            let request = Request {
                method: "GET",
                scheme: Scheme::Https,
                host,
                path_and_query,
                has_body: false,
                headers: &look,
            };
            let _ = gate.decide(&request);
        }
        let cookies = cookies(Scheme::Https, HOST);
        let _ = cookies.without_own(&value);
        let _ = cookies.sets_own(&value);
        let _ = Language::negotiate(Some(&value));
        let _ = cacheability(Some(&value), Some(&path));
        let _ = Pattern::parse(&path);
        let _ = Template::parse(&value);
    }
}

#[test]
fn strict_rooms_ask_before_what_may_change_something() {
    let strict = |word: serde_json::Value, method: &str, headers: &[(&str, &str)]| {
        let room = json!({ "paths": ["/buy/*"], "permits": 1, "strict": word });
        let settings = settings::parse(&json!({ "ROOMS": { "onsale": room } })).expect("good");
        let gate = Gate::new(&settings).expect("good");
        let look = |name: &str| {
            let found = headers.iter().find(|(header, _)| *header == name);
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
        match gate.decide(&request) {
            Plan::Gated(gated) => gated.strict,
            other => panic!("{other:?}"),
        }
    };
    let reads = ["GET", "HEAD"];
    let changes = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "get"];
    for method in reads.into_iter().chain(changes) {
        assert!(!strict(json!(false), method, &[]), "{method}");
        assert!(strict(json!("all"), method, &[]), "{method}");
        assert_eq!(strict(json!("unsafe"), method, &[]), changes.contains(&method), "{method}");
    }
    let socket = [("upgrade", "websocket"), ("connection", "Upgrade")];
    assert!(strict(json!("unsafe"), "GET", &socket), "what it will carry is not known");
    assert!(!strict(json!(false), "GET", &socket));
}
