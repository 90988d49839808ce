//! When somebody asks for a room's mode again.

use baton::gate::{HeardMode, MODE_PATIENCE_MS};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const START_MS: u64 = 1_700_000_000_000;

const fn at(ms: u64) -> u64 {
    START_MS + ms
}

/// What was heard at the start.
fn heard() -> HeardMode {
    let mut news = HeardMode::default();
    news.heard(at(0), at(0));
    news
}

#[test]
fn nobody_passes_by_what_was_never_heard_or_is_two_seconds_old() {
    assert!(!HeardMode::default().is_known(at(0)));
    assert!(HeardMode::default().asks_first(at(0)));
    for (ms, is_known) in [(0, true), (1_999, true), (2_000, false), (100_000, false)] {
        assert_eq!(heard().is_known(at(ms)), is_known, "{ms}");
        assert_eq!(heard().asks_first(at(ms)), !is_known, "{ms}");
    }
}

/// Otherwise all but the first of a crowd would go by the old mode.
#[test]
fn all_who_come_before_the_answer_ask() {
    let mut news = heard();
    assert!(news.asks_first(at(60_000)));
    assert!(news.asks_first(at(60_000)));
    assert!(news.asks_first(at(61_999)));
    news.heard(at(60_000), at(60_000));
    assert!(news.asks_first(at(62_000)), "the answer is to a question of two seconds ago");
    news.heard(at(62_000), at(62_000));
    assert!(!news.asks_first(at(62_001)));
}

/// A room that lets everybody pass and gives no answer must not make a shop slow.
#[test]
fn while_the_room_is_silent_requests_wait_for_two_seconds_of_thirty() {
    let mut news = heard();
    let asks_first: Vec<u64> = (10..110).filter(|s| news.asks_first(at(s * 1_000))).collect();
    assert_eq!(asks_first, [10, 11, 40, 41, 70, 71, 100, 101]);
    assert_eq!(MODE_PATIENCE_MS, 2_000);
    news.heard(at(110_000), at(110_000));
    assert!(!news.asks_first(at(111_000)));
    assert!(news.asks_first(at(112_000)), "it has answered since, so it is worth waiting for");
}

#[test]
fn one_request_a_second_asks_beside_its_answer() {
    let mut news = heard();
    assert!(!news.asks_beside(at(999)));
    assert!(news.asks_beside(at(1_000)));
    assert!(!news.asks_beside(at(1_999)), "somebody asks");
    assert!(news.asks_beside(at(2_000)), "and has not heard");
    news.heard(at(2_000), at(2_000));
    assert!(!news.asks_beside(at(2_999)));
    news.failed(at(2_999));
    assert!(!news.asks_beside(at(3_998)), "a question to the room has just failed");
    assert!(news.asks_beside(at(3_999)));
    assert!(HeardMode::default().asks_beside(at(0)));
}

/// The last question may overtake the one before it.
#[test]
fn an_older_answer_makes_nothing_older() {
    let mut news = heard();
    assert!(news.heard(at(1_500), at(1_600)));
    assert!(!news.heard(at(500), at(1_700)), "it is no news");
    assert!(news.is_known(at(3_000)));
    assert!(!news.heard(at(500), at(1_500)), "not by the very clock of the younger either");
}

/// Somebody may set the clock of a machine of their own.
#[test]
fn after_the_clock_was_set_back_what_was_heard_before_is_old_and_the_next_answer_is_news() {
    for back_ms in [1, 1_000, 30_000, 3_600_000] {
        let now_ms = START_MS - back_ms;
        let mut news = heard();
        assert!(!news.is_known(now_ms), "{back_ms}");
        assert!(news.asks_beside(now_ms), "{back_ms}");
        assert!(news.asks_first(now_ms), "{back_ms}");
        assert!(news.heard(now_ms, now_ms), "{back_ms}");
        assert!(news.is_known(now_ms), "{back_ms}");
        assert!(!news.asks_first(now_ms), "{back_ms}");
        assert!(!news.asks_beside(now_ms), "{back_ms}");
    }
    let mut silent = HeardMode::default();
    assert!(silent.asks_first(at(10_000)));
    assert!(silent.asks_first(at(0)), "nobody knows since when it is silent");
    assert!(!silent.asks_first(at(2_000)));
}
