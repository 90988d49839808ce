//! Guesses at operators' tokens are slowed by address, and forgotten in time.

use baton::gate::{Address, GUESSES_MAX, Guesses, SLOWED_MS};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn c123_ten_failures_are_a_minute_of_silence() {
    let mut guesses = Guesses::new();
    let (own, other) = (Address::parse("203.0.113.7"), Address::parse("2001:db8::1"));
    for at in 0..u64::from(GUESSES_MAX) {
        assert_eq!(guesses.slowed_s(at, own), None, "guess {at}");
        guesses.fail(at, own);
    }
    assert_eq!(guesses.slowed_s(9, own), Some(60));
    assert_eq!(guesses.slowed_s(9, other), None);
    assert_eq!(guesses.slowed_s(9, None), None);
    assert_eq!(guesses.slowed_s(8 + SLOWED_MS, own), Some(1));
    assert_eq!(guesses.slowed_s(9 + SLOWED_MS, own), None);
    guesses.fail(9 + SLOWED_MS, own);
    assert_eq!(guesses.slowed_s(9 + SLOWED_MS, own), None, "counted anew");
}

#[test]
fn c123_a_slip_now_and_then_slows_nobody() {
    let mut guesses = Guesses::new();
    for slip in 0..100 {
        guesses.fail(slip * SLOWED_MS, None);
        assert_eq!(guesses.slowed_s(slip * SLOWED_MS, None), None);
    }
}

#[test]
fn c123_many_addresses_take_no_more_room() {
    let mut guesses = Guesses::new();
    let address = |n: u32| Some(Address::V4(n.into()));
    for n in 0..10_000 {
        (0..GUESSES_MAX).for_each(|_| guesses.fail(1, address(n)));
    }
    assert!(guesses.slowed_s(2, address(0)).is_some());
    assert_eq!(guesses.slowed_s(2, address(9_999)), None, "not counted");
    (0..GUESSES_MAX).for_each(|_| guesses.fail(2 + SLOWED_MS, address(9_999)));
    assert!(guesses.slowed_s(2 + SLOWED_MS, address(9_999)).is_some());
}

/// Looking at every address takes long, and whoever guesses chooses how often.
#[test]
fn c123_a_full_table_is_swept_once_a_second() {
    let mut guesses = Guesses::new();
    let address = |n: u32| Some(Address::V4(n.into()));
    let is_counted = |guesses: &mut Guesses, at_ms, n| {
        (0..GUESSES_MAX).for_each(|_| guesses.fail(at_ms, address(n)));
        guesses.slowed_s(at_ms, address(n)).is_some()
    };
    (0..10_000).for_each(|n| guesses.fail(0, address(n)));
    assert!(!is_counted(&mut guesses, SLOWED_MS - 500, 10_001), "swept, and all are young");
    assert!(
        !is_counted(&mut guesses, SLOWED_MS, 10_001),
        "all are old, and the sweep is half a second ago"
    );
    assert!(is_counted(&mut guesses, SLOWED_MS + 500, 10_001));
}
