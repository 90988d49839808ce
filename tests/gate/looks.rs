//! One request looks for all, and nobody waits for ever for one that was cut off.

use baton::gate::{Look, Looks};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const BELIEVED_MS: u64 = 2_000;

#[test]
fn one_of_a_crowd_looks_and_the_others_go_by_what_it_saw() {
    let mut looks = Looks::default();
    let crowd = |looks: &mut Looks<u32>, now_ms| {
        let turns = (0..100).map(|_| looks.turn(now_ms, BELIEVED_MS));
        turns.collect::<Vec<_>>()
    };
    for (at_ms, seen) in [(1, 7), (2_001, 8), (9_000, 9)] {
        let turns = crowd(&mut looks, at_ms);
        assert_eq!(turns[0], Look::Ask, "at {at_ms}");
        assert_eq!(turns[1..], [Look::Wait; 99], "at {at_ms}");
        looks.learn(at_ms, seen);
        let last_ms = at_ms + BELIEVED_MS - 1;
        assert_eq!(crowd(&mut looks, last_ms), [Look::Known(seen); 100]);
    }
}

#[test]
fn one_that_fails_or_is_cut_off_is_followed_by_the_next() {
    let mut looks = Looks::<u32>::default();
    assert_eq!(looks.turn(0, BELIEVED_MS), Look::Ask);
    looks.fail(0);
    assert_eq!(looks.turn(5, BELIEVED_MS), Look::Ask, "after a failure");
    assert_eq!(looks.turn(2_004, BELIEVED_MS), Look::Wait);
    assert_eq!(looks.turn(2_005, BELIEVED_MS), Look::Ask, "cut off");
    looks.fail(5);
    assert_eq!(looks.turn(2_006, BELIEVED_MS), Look::Wait, "the failure of one is not that of the next");
}

#[test]
fn what_was_seen_earlier_undoes_nothing() {
    let mut looks = Looks::default();
    assert_eq!(looks.turn(10, BELIEVED_MS), Look::Ask);
    looks.learn(20, "over");
    looks.learn(10, "goes on");
    assert_eq!(looks.turn(21, BELIEVED_MS), Look::Known("over"));
}
