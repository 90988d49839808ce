//! Headers: what is Baton's by name, what goes to the origin and comes back, and what shared caches may keep.

use super::asking::HOST;
use super::header_names::fate;
use baton::facts::config::Mode;
use baton::facts::proofs::ProofChecks;
use baton::facts::units::{AddressTag, Edition, Fence, Number};
use baton::gate::{
    Cacheability, Fate, Pledge, PreflightAsked, Preflights, Release, cache_control_with_cookie, cacheability, comes_back_to_preflight,
    goes_with_preflight, is_baton_header, is_for_shared_caches, origin_headers, private_cache_control, read_checked, read_origin_commands, said_once,
    said_to_shared, shop_answers_preflights,
};
use baton::settings::parse_room;
use baton::token::{OriginKey, ProofRequest};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Any number.
const NONCE: u64 = 7;

#[test]
fn headers_of_ours_are_ours_alone() {
    for name in [
        "Baton-Room",
        "baton-fence",
        "BATON-anything",
        "baton_fence",
        "Baton_Room",
        "baton-",
        "Baton.Fence",
        "baton!fence",
        "BATON~proof",
    ] {
        assert!(is_baton_header(name), "{name}");
    }
    for name in ["baton", "x-baton-room", "batonx-room", "", "bâton-x", "accept"] {
        assert!(!is_baton_header(name), "{name}");
    }
}

#[test]
fn a_preflight_has_what_a_browsers_has() {
    let onward = |name: &str| goes_with_preflight(name) && fate(name, "OPTIONS") == Fate::Goes;
    for name in [
        "origin",
        "access-control-request-method",
        "access-control-request-headers",
        "access-control-request-private-network",
        "user-agent",
        "accept",
        "accept-language",
        "sec-fetch-mode",
    ] {
        assert!(onward(name), "{name}");
    }
    for name in [
        "cookie",
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "x-http-method-override",
        "content-type",
        "content-length",
        "referer",
        "upgrade",
        "baton-fence",
        "script_name",
    ] {
        assert!(!onward(name), "{name}");
    }
    let back = ["access-control-allow-origin", "access-control-max-age", "vary"];
    assert!(back.iter().all(|name| comes_back_to_preflight(name)));
    let kept = ["set-cookie", "location", "baton-release", "x-seats", "cache-control", "content-type"];
    assert!(!kept.iter().any(|name| comes_back_to_preflight(name)));
}

#[test]
fn the_shop_answers_preflights_unless_the_room_says_baton_and_holds_people_back() {
    let room = |preflights: &str| {
        let said = json!({ "paths": ["/buy/*"], "permits": 2, "preflights": preflights });
        parse_room("onsale", &said).expect("good")
    };
    let modes = [
        Mode::Open,
        Mode::Paused,
        Mode::Closed,
        Mode::SoldOut,
        Mode::Drain,
        Mode::Bypass,
        Mode::Observe,
    ];
    for mode in modes {
        let holds = !matches!(mode, Mode::Bypass | Mode::Observe);
        assert!(shop_answers_preflights(&room("shop"), mode));
        assert_eq!(shop_answers_preflights(&room("answer"), mode), !holds);
    }
}

#[test]
fn a_room_has_so_many_preflights_a_second() {
    let let_through = |preflights: &mut Preflights, now_ms, permits| {
        let asked = (0..1_000).map(|_| preflights.ask(now_ms, permits, None));
        asked.filter(|asked| *asked == PreflightAsked::Onward).count()
    };
    for (permits, expected) in [(0, 100), (250, 100), (1_000, 400)] {
        let mut one = Preflights::default();
        let counted = [10_000, 10_999, 11_000, 5_000].map(|now_ms| let_through(&mut one, now_ms, permits));
        assert_eq!(counted, [expected, 0, expected, expected], "{permits} permits");
    }
    let mut one = Preflights::default();
    let mut news = |now_ms| {
        let asked = (0..1_000).map(|_| one.ask(now_ms, 0, None));
        let is_news = |asked: &PreflightAsked| matches!(asked, PreflightAsked::Refused { is_news: true });
        asked.filter(is_news).count()
    };
    assert_eq!([10_000, 19_000, 20_000].map(&mut news), [1, 0, 1]);
}

#[test]
fn one_address_takes_no_rooms_preflights_from_all_others() {
    let home = |network: u8, host: u8| AddressTag([network, 0, 0, 0, host, 0, 0, 0]);
    let asked = |one: &mut Preflights, now_ms, address| one.ask(now_ms, 0, Some(address)) == PreflightAsked::Onward;
    // A flood of one /48, between each two asks of others: these get a quarter at least, wherever in the second they begin.
    for before in 0..300 {
        let mut one = Preflights::default();
        let flood = (0..before).filter(|host| asked(&mut one, 10_000, home(1, *host as u8))).count();
        assert_eq!(flood, before.min(50), "alone, it has half");
        let others = (0..100u8).filter(|network| {
            let gets = asked(&mut one, 10_000, home(2 + network, 0));
            asked(&mut one, 10_000, home(1, *network));
            gets
        });
        assert!(others.count() >= 25, "after {before}");
        assert_eq!((0..300).filter(|_| asked(&mut one, 11_000, home(1, 0))).count(), 50, "another second");
    }
}

#[test]
fn what_is_said_twice_alike_is_said_once() {
    for (value, once) in [
        ("1", Some("1")),
        ("1, 1", Some("1")),
        (" 1 ,1,  1", Some("1")),
        ("300, 300", Some("300")),
        ("no;mac, no;mac", Some("no;mac")),
        ("", Some("")),
        ("1, 0", None),
        ("1,", None),
        ("300, 600", None),
        ("v1;left=1;t=5;mac=a, v1;left=2;t=5;mac=b", None),
    ] {
        assert_eq!(said_once(value), once, "{value:?}");
    }
}

const REQUEST: ProofRequest<'_> = ProofRequest {
    method: "GET",
    host: HOST,
    path_and_query: "/buy",
    room: "onsale",
    fence: Fence(1),
};
const PLEDGE: Pledge<'_> = Pledge {
    room: "onsale",
    is_rehearsal: false,
    number: Some(Number(41)),
    edition: Edition(3),
    fence: Some(Fence(907)),
    ends_at_ms: 9,
    staff: None,
};

/// The headers for the origin that go with this pledge, and the key of their proof.
fn headers_of(pledge: Option<&Pledge<'_>>) -> (Vec<(&'static str, String)>, OriginKey) {
    let key = OriginKey::new("a secret").expect("not empty");
    let headers = origin_headers(pledge, Some(&key), 5, NONCE, &REQUEST).expect("no line break");
    (headers, key)
}

/// What a proof is checked against when the origin saw this fence.
fn with_fence(fence: Fence) -> ProofRequest<'static> {
    ProofRequest { fence, ..REQUEST }
}

#[test]
fn the_origin_is_told_who_comes_and_can_check_it() {
    let (headers, key) = headers_of(Some(&PLEDGE));
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        [
            "Baton-Room",
            "Baton-Ticket",
            "Baton-Edition",
            "Baton-Fence",
            "Baton-Ends-At-Ms",
            "Baton-Proof",
            "Baton-Target"
        ]
    );
    assert!(names.iter().all(|name| is_baton_header(name)));
    let proof = &headers[5].1;
    assert_eq!(headers[6].1, "/buy", "the bytes that the proof covers");
    let without_key = origin_headers(Some(&PLEDGE), None, 5, NONCE, &REQUEST).expect("no line break");
    assert_eq!(without_key.len(), 5, "no proof, no target");
    assert_eq!(key.check(proof, 5, &with_fence(Fence(907))), Ok(()));
    let farewell = Pledge { fence: None, ..PLEDGE };
    let (headers, key) = headers_of(Some(&farewell));
    assert_eq!(key.check(&headers[4].1, 5, &with_fence(Fence(0))), Ok(()));
    assert_eq!(origin_headers(None, None, 5, NONCE, &REQUEST), Ok(vec![]));
    let free = origin_headers(Some(&Pledge::of_room("onsale")), None, 5, NONCE, &REQUEST);
    let room = ("Baton-Room", "onsale".to_owned());
    assert_eq!(free, Ok(vec![room]), "no lease is needed, and none is told");
}

#[test]
fn a_rehearsal_is_told_as_one() {
    let rehearsed = Pledge {
        is_rehearsal: true,
        ..PLEDGE
    };
    let (headers, _) = headers_of(Some(&rehearsed));
    let value = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(value("Baton-Rehearsal"), Some("1"));
    assert_eq!(value("Baton-Edition"), Some("1000000003"), "of no sale, and fits 32 bits with a sign");
    assert_eq!(value("Baton-Room"), Some("onsale"));
}

#[test]
fn commands_of_the_origin_are_read_strictly() {
    let read = |release, extend| {
        let commands = read_origin_commands("onsale", release, extend);
        (commands.release == Release::Now, commands.extend_ms)
    };
    assert_eq!(read(Some("1"), None), (true, None));
    assert_eq!(read(Some(" 1 "), Some("90")), (true, Some(90_000)));
    assert_eq!(read(Some("onsale"), None), (true, None));
    for odd in ["", "0", "true", "1, 1", "11", "-1", "1.5", "ten", "99999999999999999999"] {
        assert_eq!(read(Some(odd), None), (false, None), "{odd}");
    }
    for odd in ["", "0", "-1", "1.5", "+5", "10, 20", "ten", "18446744073709551615"] {
        assert_eq!(read(None, Some(odd)), (false, None), "{odd}");
    }
}

#[test]
fn a_verdict_is_ok_or_a_reason_of_the_closed_list() {
    let counts = |value| read_checked(value).map(|checks| checks.counts());
    assert_eq!(counts("ok"), Some([1, 0, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(counts(" no;mac "), Some([0, 0, 0, 0, 1, 0, 0, 0, 0]));
    for (at, reason) in ProofChecks::VERDICTS.iter().enumerate().skip(1) {
        let checks = read_checked(&format!("no;{reason}")).expect("a reason");
        assert!(checks.refuses() && checks.counts()[at] == 1, "{reason}");
    }
    for odd in ["", "no", "no;", "no;ok", "no;bad", "no; mac", "ok, ok", "OK", "no;mac, no;mac", "mac"] {
        assert_eq!(counts(odd), None, "{odd}");
    }
}

#[test]
fn what_shared_caches_may_keep() {
    use Cacheability::{Private, Public, Unstated};
    #[rustfmt::skip]
    let table = [
        (None, None, Unstated), (Some(""), None, Unstated), (Some("no-cache"), None, Unstated),
        (Some("max-age=0, must-revalidate"), None, Unstated),
        (Some("public"), None, Public), (Some("max-age=60"), None, Public), (Some("S-MaxAge=5"), None, Public),
        (Some("public, max-age=0"), None, Public), (Some("no-cache=\"a, private\", public"), None, Public),
        (Some("private"), None, Private), (Some("no-store"), None, Private),
        (Some("public, No-Store"), None, Private), (Some("max-age=60, private"), None, Private),
        (Some("private=\"set-cookie\", max-age=60"), None, Public),
        (Some("private"), Some("max-age=60"), Public), (Some("private"), Some("no-store"), Private),
        (None, Some("no-store"), Private), (Some("public"), Some("no-store"), Public),
    ];
    for (cache_control, shared, expected) in table {
        assert_eq!(cacheability(cache_control, shared), expected, "{cache_control:?} {shared:?}");
    }
    assert_eq!(cache_control_with_cookie(Private), None);
    assert_eq!(cache_control_with_cookie(Public), Some("private, no-store"));
    assert_eq!(cache_control_with_cookie(Unstated), Some("private, no-store"));
}

#[test]
fn an_answer_that_needed_a_pass_is_for_no_shared_cache() {
    let narrowed = |said, shared| private_cache_control(said, cacheability(said, shared));
    #[rustfmt::skip]
    let table = [
        // What is private stays as it is, byte for byte.
        (Some("private"), None, None), (Some("no-store"), None, None), (Some("No-Store, max-age=0"), None, None),
        (Some("private"), Some("no-store"), None), (None, Some("no-store"), None),
        // What says nothing may be guessed at.
        (None, None, Some("private")), (Some(""), None, Some("private")),
        (Some("no-cache"), None, Some("private, no-cache")),
        // What lets a shared cache keep it goes, the rest stays.
        (Some("public"), None, Some("private")),
        (Some("public, max-age=600"), None, Some("private, max-age=600")),
        (Some("Public, Max-Age=60, S-MaxAge=600, stale-while-revalidate=9"), None, Some("private, Max-Age=60, stale-while-revalidate=9")),
        (Some("max-age=60, private=\"set-cookie, x\", immutable"), None, Some("private, max-age=60, immutable")),
        (Some("no-cache=\"a, public\", public"), None, Some("private, no-cache=\"a, public\"")),
        (Some("max-age=0, , must-revalidate"), None, Some("private, max-age=0, must-revalidate")),
        // A word to shared caches alone counts more than what everybody is told.
        (Some("no-store"), Some("max-age=60"), Some("private, no-store")), (Some("private, max-age=5"), Some("public"), Some("private, max-age=5")),
    ];
    for (said, shared, expected) in table {
        assert_eq!(narrowed(said, shared).as_deref(), expected, "{said:?} {shared:?}");
    }
    for (name, value, said) in [
        ("x-accel-expires", "0", "no-store"),
        ("x-accel-expires", "600", "public"),
        ("x-accel-expires", "@1800000000", "public"),
        ("surrogate-control", "max-age=5", "max-age=5"),
    ] {
        assert_eq!(said_to_shared(name, value.to_owned()), said, "{name}");
    }
}

#[test]
fn a_header_for_shared_caches_is_known_by_its_end() {
    for name in [
        "cdn-cache-control",
        "cloudflare-cdn-cache-control",
        "vercel-cdn-cache-control",
        "netlify-cdn-cache-control",
        "anybody-cache-control",
        "surrogate-control",
        "edge-control",
        "x-accel-expires",
    ] {
        assert!(is_for_shared_caches(name), "{name}");
    }
    for name in ["cache-control", "expires", "pragma", "cache-control-x", "vary"] {
        assert!(!is_for_shared_caches(name), "{name}");
    }
}
