//! Whether two patterns may match the same request: the function against the matcher itself, over every small pattern and path, and over random ones.

use super::asking::HOST;
use baton::gate::{Gate, Host, Method, PathReading, Pattern, Scheme, Territory};
use baton::settings::{self, Settings};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap_or_else(|why| panic!("{text:?} {why}"))
}

/// Every list of at most `longest` of these segments, joined.
fn joined(segments: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        let longer = |so_far: &String| -> Vec<String> {
            let more = segments.iter();
            more.map(|segment| format!("{so_far}/{segment}")).collect()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    all
}

#[test]
fn two_patterns_overlap_if_and_only_if_some_path_is_both_s() {
    let patterns: Vec<Pattern> = joined(&["a", "ab", "*"], 3)
        .iter()
        .flat_map(|path| [format!("{path}/"), format!("{path}/*"), format!("{path}*")])
        .filter(|text| !text.is_empty() && text != "*" && !text.ends_with("**"))
        .map(|text| pattern(&text))
        .collect();
    let paths: Vec<PathReading> = joined(&["a", "ab", "abc", "b"], 4)
        .iter()
        .map(|path| PathReading::new(&format!("{path}/")))
        .collect();
    let matched: Vec<Vec<bool>> = patterns
        .iter()
        .map(|one| paths.iter().map(|path| one.surely_matches(path)).collect())
        .collect();
    let mut apart = 0;
    for (one, own) in patterns.iter().zip(&matched) {
        for (other, others) in patterns.iter().zip(&matched) {
            let both = own.iter().zip(others).any(|(own, others)| *own && *others);
            assert_eq!(one.overlaps(other), both, "{} {}", one.as_str(), other.as_str());
            apart += usize::from(!both);
        }
    }
    assert!(patterns.len() > 90 && apart > 2_000, "{} {apart}", patterns.len());
}

#[test]
fn whatever_two_patterns_both_match_they_overlap() {
    let seed = 0xBA70_0082;
    let mut dice = fastrand::Rng::with_seed(seed);
    #[rustfmt::skip]
    let pieces = [
        "buy", "Buy", "b", "bu", "1", "%31", "x.", "v1.", "*", "a b", "%e7%94%bb", "buyer", "/", "//", ";x", "%2f", "..", "%00", "%20", ".",
    ];
    let methods = ["", "GET ", "POST ", "DELETE "];
    let sent = ["GET", "POST", "PUT", "DELETE", "get", "PROPFIND"];
    let mut both = 0;
    for turn in 0..4_000 {
        let mut drawn = |most: usize| -> Vec<Pattern> {
            let text = |dice: &mut fastrand::Rng| {
                let path: String = (0..dice.usize(1..4))
                    .map(|_| format!("/{}", dice.choice(pieces).expect("some")))
                    .collect();
                let (method, tail) = (dice.choice(methods).expect("some"), dice.choice(["", "/*", "*"]).expect("some"));
                format!("{method}{path}{tail}")
            };
            let texts = (0..most).map(|_| text(&mut dice));
            texts.filter_map(|text| Pattern::parse(&text).ok()).collect()
        };
        let patterns = drawn(12);
        for _ in 0..12 {
            let path: String = (0..dice.usize(1..6))
                .map(|_| format!("{}{}", if dice.u8(..4) > 0 { "/" } else { "" }, dice.choice(pieces).expect("some")))
                .collect();
            let reading = PathReading::new(&format!("/{path}"));
            let method = Method::of(dice.choice(sent).expect("some"));
            let has = |one: &&Pattern| one.takes(method) && one.surely_matches(&reading);
            let matched: Vec<&Pattern> = patterns.iter().filter(has).collect();
            for (one, other) in matched.iter().zip(matched.iter().skip(1)) {
                let (one, other) = if dice.bool() { (one, other) } else { (other, one) };
                both += 1;
                assert!(
                    one.overlaps(other),
                    "seed {seed:#x}, turn {turn}: {path:?} is {} and {}",
                    one.as_str(),
                    other.as_str()
                );
            }
        }
    }
    assert!(both > 500, "the test tests something: {both}");
}

#[test]
fn the_common_ones_are_apart() {
    #[rustfmt::skip]
    let apart = [
        ("/buy/*", "/parking/*"), ("/buy/*", "/buyer/*"), ("/buy", "/buy/now"), ("/events/7/*", "/events/8/*"), ("/events/*/checkout", "/events/*/pay"),
        ("/buy*", "/sell*"), ("/*/buy", "/buy"), ("/a/*/", "/a"), ("/v1.*", "/v2.*"),
    ];
    #[rustfmt::skip]
    let together = [
        ("/*", "/buy/*"), ("/buy", "/Buy/*"), ("/buy*", "/buyer/*"), ("/events/*/checkout", "/events/7/*"), ("/*/buy/*", "/shop/*"), ("/b*", "/bu*"), ("/", "/*"),
        // A method that nobody knows is any method.
        ("GET /buy", "POST /buy"),
    ];
    for (table, expected) in [(&apart[..], false), (&together[..], true)] {
        for (one, other) in table {
            assert_eq!(pattern(one).overlaps(&pattern(other)), expected, "{one} {other}");
            assert_eq!(pattern(other).overlaps(&pattern(one)), expected, "{other} {one}");
        }
    }
}

/// A gate of a file with `onsale` and `late`, and a room of the house that was put over some of them.
fn beside_the_house(paths: &[&str], hosts: &[&str], over: &[&str]) -> Gate {
    let table = |paths: &[&str]| json!({ "paths": paths, "permits": 1 });
    let rooms = json!({
        "onsale": table(&["/buy/*"]), "late": table(&["/buy/late/*", "/late"]),
        "a-house": { "paths": paths, "hosts": hosts, "permits": 1, "mode": "bypass" },
    });
    let mut settings: Settings = settings::parse(&json!({ "ROOMS": rooms })).expect("good settings");
    for room in &mut settings.rooms {
        if room.name == "a-house" {
            room.defined = Some(1);
            room.over = over.iter().map(|name| (*name).to_owned()).collect();
        }
    }
    Gate::new(&settings).expect("good patterns")
}

fn owner<'g>(gate: &'g Gate, path: &str) -> &'g str {
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let reading = PathReading::new(path);
    let first = gate
        .claims_to(&host, Method::Get, &reading)
        .first()
        .map(|claim| claim.room.settings.name.clone());
    match gate.room_of(&host, Method::Get, &reading) {
        Territory::Of(room) => {
            assert_eq!(
                first.as_ref(),
                Some(&room.settings.name),
                "{path}: whoever asks why is told the winner first"
            );
            &room.settings.name
        }
        Territory::Open => "open",
        Territory::Doubtful => "doubtful",
    }
}

#[test]
fn a_room_of_the_house_beats_those_rooms_of_the_file_over_which_it_was_put_and_no_other() {
    // However particular it is: by its host, by its pattern, by its name.
    for (paths, hosts) in [
        (&["/*"][..], &[HOST][..]),
        (&["/buy/vip/*", "/buy/late/vip"], &[]),
        (&["/buy/*/"], &[HOST]),
    ] {
        let gate = beside_the_house(paths, hosts, &[]);
        for path in ["/buy/vip", "/buy/1", "/buy/late/vip", "/buy/late", "/late"] {
            assert_ne!(owner(&gate, path), "a-house", "{paths:?} {path}");
        }
    }
    let gate = beside_the_house(&["/buy/vip/*", "/buy/late/vip", "/free"], &[], &["onsale"]);
    #[rustfmt::skip]
    let table = [
        ("/buy/vip/1", "a-house"), ("/buy/1", "onsale"), ("/free", "a-house"), ("/buy/late/vip", "late"), ("/buy/late/1", "late"),
    ];
    for (path, expected) in table {
        assert_eq!(owner(&gate, path), expected, "{path}");
    }
    let wide = beside_the_house(&["/*"], &[HOST], &["onsale", "late"]);
    assert_eq!(owner(&wide, "/buy/1"), "a-house", "an owner of all rooms may");
    let doubtful = beside_the_house(&["/free/*"], &[HOST], &[]);
    assert_eq!(owner(&doubtful, "/free/x;/late"), "doubtful");
}
