//! The operator begins the room anew: another edition, and nothing of before counts.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Also when the number that they showed is somebody else's now.
#[test]
fn everybody_is_told_once_and_asks_for_a_new_place() {
    play(
        "permits=1",
        "
        ann waits already
        0 ann opens
        0 bob joins         => batch 2 (1 attempts; join bob)
        0 ok                => bob is told 2 waits 1 issued
        1 reset
        1 far joins dee
        1 push              => poked, hello 2 knows 3, no ack
        1 ok                => ann hears 1 over reset and is closed, batch 3
        1 ok
        2 bob asks          => bob is told 2 over reset
        2 ann attends       => ann is told 1 over reset
        2 ann joins         => batch 4 (2 attempts; join ann)
        2 ok                => ann is told 2 waits 1 issued
        2 bob attends bare  => batch 5 (1 attempts; join bob)
        2 ok                => bob is told 3 waits 2 issued
        ",
    );
}

#[test]
fn joins_that_are_on_their_way_over_a_reset_get_numbers_of_the_new_edition() {
    play(
        "permits=1",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 bob joins
        0 reset
        0 ok         => refused unknown, hello 2 knows 1
        0 ok         => batch 2 (1 attempts; join ann bob)
        0 ok         => ann is told 1 waits 0 issued, bob is told 2 waits 1 issued
        ",
    );
}

#[test]
fn a_claim_that_is_on_its_way_over_a_reset_claims_nothing() {
    play(
        "permits=1",
        "
        ann waits already
        0 usher
        0 push        => ack
        0 ann claims  => batch 2 (claim ann by 1)
        0 reset
        0 ok          => refused unknown, hello 2 knows 3
        0 ok          => ann is told 1 over reset, batch 3
        0 ok
        ",
    );
}

#[test]
fn a_lease_of_before_is_worth_nothing() {
    play(
        "permits=1",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push         => ann hears 1 called, ack
        0 ann claims   => batch 2 (claim ann by 1)
        0 ok           => ann is told 1 in lease 300/1800, ann hears 1 in
        1 reset
        1 push         => poked, hello 2 knows 4, no ack
        1 ok           => ann hears 1 over reset and is closed, batch 3
        1 ok
        1 ann renews   => batch 4 (renew 1)
        1 ok           => ann is told 1 over reset
        1 ann checks   => check 1
        1 ok           => batch 5 (renew 1)
        1 ok           => ann is told 1 over reset
        1 ann arrives  => ann is told 1 over reset
        ",
    );
}

#[test]
fn a_lobby_that_slept_through_a_reset_tells_it_by_its_list() {
    play(
        "permits=1",
        "
        ann waits already
        0 ann opens
        0 ann looks  => ann sees 1 waits 0
        1 reset
        2 born       => hello 1
        2 ok         => ann hears 1 over reset and is closed, batch 1
        ",
    );
}

#[test]
fn a_link_of_before_carries_nothing() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann offers     => ann is told 1 waits 0 offered
        0 reset
        0 push           => poked, hello 2 knows 2, no ack
        0 ok             => batch 2
        0 ok
        0 far joins dee
        0 bob takes ann  => bob is told none no carry
        ",
    );
}
