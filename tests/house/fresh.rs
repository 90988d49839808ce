//! When a front asks the house, and how long its copy counts. `tools/tests/fleet.rs` plays whole worlds in which no front may open what has
//! been gated for longer than the bound.

use baton::house::fresh::{Copied, Copy, Due, FRESH_MS, OPERATORS_MS, STALE_MS};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn under_load_one_request_asks_beside_its_answer_and_none_waits() {
    let mut copied = Copied::default();
    assert_eq!(copied.due(0), Due::First, "nothing is known");
    copied.came(0);
    for now_ms in 0..FRESH_MS {
        assert_eq!(copied.due(now_ms), Due::Nothing);
    }
    assert_eq!(copied.due(FRESH_MS), Due::Beside);
    copied.asked(FRESH_MS);
    assert_eq!(copied.due(FRESH_MS + 1), Due::Nothing, "somebody is asking");
    copied.came(FRESH_MS);
    assert_eq!(copied.due(STALE_MS - 1), Due::Nothing);
    assert_eq!(copied.due(FRESH_MS + STALE_MS), Due::First);
}

#[test]
fn a_house_that_is_away_costs_one_request_its_patience_and_not_every_one() {
    let mut copied = Copied::default();
    copied.came(0);
    copied.failed(STALE_MS);
    assert_eq!(copied.due(STALE_MS + 1), Due::Nothing);
    assert_eq!(copied.due(STALE_MS + 2_000), Due::First, "it is tried again");
    copied.came(STALE_MS + 2_000);
    copied.expire();
    assert_eq!(copied.due(STALE_MS + 2_001), Due::First, "a change is waited for");
}

#[test]
fn while_the_house_is_away_its_operators_go_on_for_so_long_and_no_longer() {
    let mut copied = Copied::default();
    assert!(!copied.vouches(1_000), "nobody was ever named here");
    copied.came(1_000);
    copied.expire();
    copied.failed(5_000);
    assert!(copied.vouches(1_000 + OPERATORS_MS - 1));
    assert!(!copied.vouches(1_000 + OPERATORS_MS));
    copied.came(900_000);
    copied.came(2_000);
    assert!(copied.vouches(900_000 + OPERATORS_MS - 1), "an older answer takes nothing back");
}

#[test]
fn a_front_that_has_heard_of_a_change_waits_for_it_whatever_older_answer_comes() {
    let mut copy = Copy::default();
    assert_eq!((copy.known(), copy.made()), (None, None));
    copy.learn(3, "three");
    copy.came(1_000);
    copy.expect(1_500, 5);
    assert_eq!((copy.due(1_501), copy.least()), (Due::First, 5));
    copy.learn(4, "four");
    copy.came(1_400);
    assert_eq!(copy.due(1_600), Due::First, "that was asked before");
    copy.learn(2, "two");
    assert_eq!(copy.made(), Some(&"four"), "an older one is passed over");
    copy.learn(5, "five");
    copy.came(1_601);
    assert_eq!((copy.due(1_700), copy.known()), (Due::Nothing, Some(5)));
    copy.expect(1_800, 9);
    copy.came(1_801);
    assert_eq!(copy.due(1_802), Due::Nothing, "the house knows of no newer one: its journal was lost");
}
