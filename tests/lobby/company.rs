//! Under load joins wait for company, and for nothing else does anybody wait.

use crate::play::play;
use baton::lobby::COMPANY_ENOUGH;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn while_it_is_quiet_each_join_goes_at_once() {
    play(
        "permits=0",
        "
        0 rush 9
        1.25 ann joins   => batch 10 (1 attempts; join ann)
        1.25 ok          => ann is told 10 waits 9 issued
        ",
    );
}

/// 55 a second: half of the longest wait, in which bob finds ann.
#[test]
fn under_load_a_join_waits_for_others_and_they_keep_their_order() {
    play(
        "permits=0",
        "
        0 rush 55
        1.25 ann joins
        1.3 bob joins
        1.374 time
        1.375 time       => batch 29 (2 attempts; join ann bob)
        1.375 ok         => ann is told 56 waits 55 issued, bob is told 57 waits 56 issued
        ",
    );
}

/// 300 a second, and some keep coming.
#[test]
fn the_wait_is_never_longer_than_its_bound() {
    let mut story = play("permits=0", "0 rush 300");
    for at in 0..25 {
        let joined_ms = 1_250 + at * 10;
        let seen = story.run(&format!("{} p{at} joins", f64::from(joined_ms) / 1_000.0));
        assert!(seen.is_empty(), "{at}: {seen:?}");
        let seen = story.run(&format!("{} time", f64::from(joined_ms + 9) / 1_000.0));
        assert!(seen.is_empty(), "{at}: {seen:?}");
    }
    let seen = story.run("1.5 time");
    let all = seen.iter().any(|effect| effect.ends_with("p24)"));
    assert!(all && seen.len() == 1, "{seen:?}");
}

/// At 300 a second somebody comes each 3 ms: where nobody has for 26, nobody is waited for.
#[test]
fn the_wait_ends_when_nobody_else_comes() {
    play(
        "permits=0",
        "
        0 rush 300
        1.25 ann joins
        1.27 bob joins
        1.295 time
        1.296 time       => batch 25 (2 attempts; join ann bob)
        1.296 ok         => ann is told 301 waits 300 issued, bob is told 302 waits 301 issued
        ",
    );
}

#[test]
fn enough_company_waits_no_longer() {
    let mut story = play("permits=0", "0 rush 200");
    for at in 1..COMPANY_ENOUGH {
        let seen = story.run(&format!("1.25 p{at} joins"));
        assert!(seen.is_empty(), "{at}: {seen:?}");
    }
    let seen = story.run("1.25 last joins");
    let all = seen.iter().any(|effect| effect.ends_with("last)"));
    assert!(all && seen.len() == 1, "{seen:?}");
}

#[test]
fn whoever_might_walk_in_waits_for_nobody() {
    play(
        "permits=300 walkin=yes",
        "
        0 rush 200
        1.25 usher
        1.25 push        => ack
        1.25 ann joins   => batch 25 (1 attempts; join ann)
        ",
    );
}

/// What may not wait takes those along that do.
#[test]
fn a_release_waits_for_nobody_and_neither_do_those_with_it() {
    play(
        "permits=1",
        "
        ann is in already
        1 rush 60
        2.25 bob joins
        2.25 ann releases => batch 30 (1 attempts; join bob; release 1)
        2.25 ok           => bob is told 62 waits 60 issued, ann is told 1 over released
        ",
    );
}

#[test]
fn a_word_of_presence_waits_for_nobody() {
    play(
        "permits=0 linger=30",
        "
        ann waits already
        0 ann opens
        0.8 ann closes
        29.5 rush 60
        30.75 bob joins
        30.8 time        => batch 30 (1 attempts; join bob; away ann)
        ",
    );
}

/// The batch is lost: its joins have waited already.
#[test]
fn whoever_has_waited_once_does_not_wait_again() {
    play(
        "permits=0",
        "
        0 rush 100
        1.25 ann joins
        1.5 time         => batch 26 (1 attempts; join ann)
        1.5 lost
        1.7 time         => batch 27 (join ann)
        ",
    );
}

/// Nobody came for a second: then it is quiet again, however many came before it.
#[test]
fn what_came_two_seconds_ago_makes_nobody_wait() {
    play(
        "permits=0",
        "
        0 rush 55
        1.999 ann joins
        2.123 time
        2.124 time       => batch 29 (1 attempts; join ann)
        ",
    );
    play(
        "permits=0",
        "
        0 rush 55
        2 ann joins      => batch 29 (1 attempts; join ann)
        ",
    );
}
