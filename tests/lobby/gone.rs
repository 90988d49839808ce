//! Whoever asked waits no longer, or has waited for long enough.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn nothing_is_asked_of_the_room_for_somebody_who_left_before() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 ann gone
        0 ok         => batch 1 (1 attempts)
        0 ok
        ",
    );
}

#[test]
fn a_join_goes_again_only_while_its_asker_waits() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 bob joins
        0 ann gone
        0 lost
        0.2 time     => batch 2 (1 attempts; join bob)
        0.2 ok       => bob is told 1 waits 0 issued
        ",
    );
}

#[test]
fn a_number_that_nobody_waits_for_is_away_at_once() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 ann gone
        0 ok         => batch 2 (away ann)
        0 ok
        ",
    );
}

/// And the next ask finds done what was done.
#[test]
fn who_waited_for_six_seconds_is_told_that_the_room_cannot_be_reached() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        5 time
        5.2 time     => batch 2 (join ann)
        6 time       => ann gets no answer
        6 ok
        6 ok         => batch 3 (away ann)
        6 ann joins
        6 ok         => batch 4 (1 attempts; join ann; here ann)
        6 ok         => ann is told 1 waits 0
        ",
    );
}
