//! A crawler is known by the addresses that its engine publishes, and never by its name alone; what it may take into its index.

use super::asking::{HOST, HTML};
use baton::facts::config::Mode;
use baton::facts::wire::{State, Status};
use baton::gate::{CRAWLS_A_SECOND_MAX, PageState, Request, Scheme, Second, is_crawler, sends_crawlers_on, state_to_index};
use baton::settings::{Crawlers, parse_room};
use core::net::IpAddr;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const GOOGLE: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const BING: &str = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";
const DAY_MS: u64 = 86_400_000;

fn crawls(agent: &str, address: &str) -> bool {
    is_crawler(agent, || address.parse().ok())
}

#[test]
fn a_name_counts_at_its_own_addresses_alone() {
    assert!(crawls(GOOGLE, "66.249.64.1"));
    assert!(crawls(GOOGLE, "2001:4860:4801:10::5"));
    assert!(crawls(BING, "157.55.39.200"));
    assert!(crawls("Applebot/0.1", "17.241.219.9"));
    for (agent, address) in [
        (GOOGLE, "157.55.39.200"),
        (BING, "66.249.64.1"),
        (GOOGLE, "203.0.113.7"),
        (GOOGLE, "2001:db8::5"),
        // The same bits in the other family.
        (GOOGLE, "::66.249.64.1"),
        (GOOGLE, "no address"),
        (GOOGLE, ""),
        ("Mozilla/5.0 (X11; Linux x86_64)", "66.249.64.1"),
        ("", "66.249.64.1"),
        // What the list says of itself names nobody.
        ("# Addresses", "66.249.64.1"),
        ("66.249.64.0/27", "66.249.64.1"),
    ] {
        assert!(!crawls(agent, address), "{agent} at {address}");
    }
}

#[test]
fn the_address_is_looked_up_only_for_who_says_a_name() {
    assert!(!is_crawler("Mozilla/5.0 (X11; Linux x86_64)", || { panic!("nobody asked for it") }));
}

#[test]
fn every_line_of_the_list_is_a_name_or_a_network_that_holds_itself() {
    let (mut name, mut found) = ("", 0);
    for line in include_str!("../../src/gate/crawlers.txt").lines() {
        if line.starts_with('#') {
            continue;
        }
        match line.split_once('/') {
            None => {
                let is_name = |byte: u8| byte.is_ascii_lowercase();
                assert!(!line.is_empty() && line.bytes().all(is_name), "{line}");
                name = line;
            }
            Some((network, bits)) => {
                let bits: u32 = bits.parse().expect(line);
                // A network of a whole operator would make crawlers of its customers.
                let most = if network.contains(':') { 48 } else { 16 };
                assert!(bits >= most, "{line}");
                assert!(crawls(name, network), "{line}");
                found += 1;
            }
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_crawler_reads_and_shows_no_cookie() {
    let agent = ("user-agent", GOOGLE);
    let is_crawl = |method: &str, headers: &[(&str, &str)]| {
        let look = |name: &str| {
            let mut headers = headers.iter();
            let found = headers.find(|(header, _)| *header == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let request = Request {
            method,
            scheme: Scheme::Https,
            host: HOST,
            path_and_query: "/buy/",
            has_body: false,
            headers: &look,
        };
        let from = || Some(IpAddr::from([66, 249, 64, 1]));
        request.is_crawl(request.intent(false), from)
    };
    for (method, headers, expected) in [
        ("GET", &[agent, HTML][..], true),
        ("GET", &[agent, ("accept", "*/*")], true),
        ("GET", &[agent], true),
        ("HEAD", &[agent, HTML], true),
        ("POST", &[agent, HTML], false),
        ("PUT", &[agent, HTML], false),
        ("PROPFIND", &[agent, HTML], false),
        ("GET", &[HTML], false),
        ("GET", &[agent, HTML, ("cookie", "basket=1")], false),
        ("GET", &[agent, HTML, ("cookie", "")], false),
        ("GET", &[agent, HTML, ("upgrade", "websocket")], false),
        ("GET", &[agent, HTML, ("sec-purpose", "prefetch")], false),
        ("GET", &[agent, HTML, ("hx-request", "true")], false),
        ("GET", &[agent, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], false),
    ] {
        assert_eq!(is_crawl(method, headers), expected, "{method} {headers:?}");
    }
}

#[test]
fn a_room_sends_crawlers_on_only_if_it_says_so_and_holds_nobody_back() {
    let modes = [
        (Mode::Open, true),
        (Mode::Closed, true),
        (Mode::SoldOut, true),
        (Mode::Drain, true),
        (Mode::Bypass, true),
        (Mode::Observe, true),
        (Mode::Paused, false),
    ];
    let mut room = parse_room("onsale", &json!({ "paths": ["/buy/*"], "permits": 2 })).expect("good");
    for (mode, expected) in modes {
        for (crawlers, is_over) in [(Crawlers::Wait, false), (Crawlers::Origin, false), (Crawlers::Origin, true)] {
            (room.crawlers, room.is_over) = (crawlers, is_over);
            let expected = expected && crawlers == Crawlers::Origin && !is_over;
            let sends = sends_crawlers_on(&room, mode);
            assert_eq!(sends, expected, "{mode:?} {crawlers:?} over: {is_over}");
        }
    }
}

#[test]
fn a_crawler_takes_into_its_index_what_a_room_says_that_is_closed_for_long() {
    let now_ms = 1_000 * DAY_MS;
    let state = |mode, opens_in_ms: Option<u64>| {
        let status = Status {
            state: State::None,
            mode,
            opens_at_ms: opens_in_ms.map(|ms| now_ms + ms),
            ..Status::default()
        };
        state_to_index(&status, now_ms)
    };
    for (mode, opens_in_ms, expected) in [
        (Mode::Open, None, None),
        (Mode::Paused, None, None),
        (Mode::Closed, None, Some(PageState::Closed)),
        (Mode::Drain, None, Some(PageState::Closed)),
        (Mode::SoldOut, None, Some(PageState::SoldOut)),
        (Mode::SoldOut, Some(1), Some(PageState::SoldOut)),
        (Mode::Closed, Some(DAY_MS), Some(PageState::Closed)),
        (Mode::Closed, Some(DAY_MS - 1), None),
        (Mode::Closed, Some(0), None),
        (Mode::Open, Some(DAY_MS), Some(PageState::Hall)),
        (Mode::Open, Some(DAY_MS - 1), None),
    ] {
        assert_eq!(state(mode, opens_in_ms), expected, "{mode:?} {opens_in_ms:?}");
    }
    // An opening that has passed is none to wait for.
    let status = Status {
        mode: Mode::Closed,
        opens_at_ms: Some(now_ms - DAY_MS),
        ..Status::default()
    };
    assert_eq!(state_to_index(&status, now_ms), None);
}

#[test]
fn so_many_crawlers_go_on_in_a_second() {
    let mut second = Second::default();
    let mut passed = |now_ms| {
        let asked = (0..100).map(|_| second.lets_pass(now_ms, CRAWLS_A_SECOND_MAX));
        asked.filter(|passes| *passes).count()
    };
    // The last clock was set back.
    assert_eq!([10_000, 10_999, 11_000, 5_000].map(&mut passed), [5, 0, 5, 5]);
}
