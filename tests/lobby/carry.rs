//! A place goes to another device, by a link that the first has made.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The one hears that it is over and where it went, the other that it has it; and a link is good once.
#[test]
fn a_place_is_carried_and_the_takers_own_is_left() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 bob joins      => batch 2 (1 attempts; join bob)
        0 ok             => bob is told 2 waits 1 issued
        0 bob opens
        0 ann offers     => ann is told 1 waits 0 offered
        0 bob takes ann  => batch 3 (carry ann to bob)
        0 ok             => bob is told 1 waits 0 carried, ann hears 1 over carried and is closed, bob hears 1 waits 0
        0 cyd takes ann  => batch 4 (carry ann to cyd)
        0 ok             => cyd is told none no carry
        1 ann asks       => ann is told 1 over carried
        1 bob looks      => bob sees 1 waits 0
        ",
    );
}

#[test]
fn a_lease_is_carried_under_another_fence_and_the_old_one_is_worth_nothing() {
    play(
        "permits=1",
        "
        ann is in already
        0 ann opens
        0 ann offers     => ann is told 1 in offered
        1 bob takes ann  => batch 3 (carry ann to bob)
        1 ok             => bob is told 1 in lease 299/1799 carried, ann hears 1 over carried and is closed
        1 ann renews     => batch 4 (renew 1)
        1 ok             => ann is told 1 over carried
        1 ann releases   => batch 5 (release 1)
        1 ok             => ann is told 1 over carried
        2 bob renews     => batch 6 (renew 2)
        2 ok             => bob is told 1 in lease 300/1798
        ",
    );
}

#[test]
fn whoever_uses_the_link_again_has_the_place_already() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann offers     => ann is told 1 waits 0 offered
        0 bob takes ann  => batch 2 (carry ann to bob)
        0 ok             => bob is told 1 waits 0 carried
        0 bob takes ann  => batch 3 (carry ann to bob)
        0 ok             => bob is told 1 waits 0 carried
        ",
    );
}

/// Also when the place has come back to whoever made it.
#[test]
fn a_link_is_void_once_the_place_was_carried_after_it() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann offers     => ann is told 1 waits 0 offered
        0 bob takes ann  => batch 2 (carry ann to bob)
        0 ok             => bob is told 1 waits 0 carried
        1 bob offers     => bob is told 1 waits 0 offered
        1 ann takes bob  => batch 3 (carry bob to ann)
        1 ok             => ann is told 1 waits 0 carried
        1 dee takes ann  => batch 4 (carry ann to dee)
        1 ok             => dee is told none no carry
        1 ann asks       => ann is told 1 waits 0
        ",
    );
}

#[test]
fn a_carry_whose_answer_was_lost_is_done_once() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann offers     => ann is told 1 waits 0 offered
        0 bob takes ann  => batch 2 (carry ann to bob)
        0 taken
        5 time
        5.2 time         => batch 3 (carry ann to bob)
        5.2 ok           => bob is told 1 waits 0 carried
        5.3 ann asks     => ann is told 1 over carried
        ",
    );
}

#[test]
fn whoever_takes_a_place_over_is_there() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        8 ann asks       => batch 2
        8 ok             => ann is told 1 waits 0
        8 ann offers     => ann is told 1 waits 0 offered
        8 bob takes ann  => batch 3 (carry ann to bob)
        8 ok             => bob is told 1 waits 0 carried
        17 time
        18 time          => batch 4 (away bob)
        ",
    );
}

#[test]
fn there_is_nothing_to_offer_without_a_place_and_nothing_to_take_of_one_that_is_over() {
    play(
        "permits=0",
        "
        0 dee offers     => hello 1
        0 ok             => dee is told none no carry, batch 1
        0 ok
        0 ann joins      => batch 2 (1 attempts; join ann)
        0 ok             => ann is told 1 waits 0 issued
        0 ann offers     => ann is told 1 waits 0 offered
        0 ann leaves     => batch 3 (leave ann)
        0 ok             => ann is told 1 over left
        0 bob takes ann  => batch 4 (carry ann to bob)
        0 ok             => bob is told none no carry
        ",
    );
}

#[test]
fn the_takers_place_in_another_lobby_is_left_too() {
    play(
        "permits=0",
        "
        0 far joins bob
        0 ann joins      => hello 1
        0 ok             => batch 1 (1 attempts; join ann)
        0 ok             => ann is told 2 waits 1 issued
        0 ann offers     => ann is told 2 waits 1 offered
        0 bob takes ann  => batch 2 (carry ann to bob)
        0 ok             => bob is told 2 waits 0 carried
        0 bob joins      => bob is told 2 waits 0
        0 bob asks       => bob is told 2 waits 0
        ",
    );
}

/// And whoever asks without it is sent there.
#[test]
fn whoever_takes_a_place_elsewhere_is_told_that_the_one_here_is_over() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 far joins dee
        0 far takes dee ann
        0 push               => ann hears 1 over left and is closed, ack
        1 ann joins bare     => batch 2 (1 attempts; join ann)
        1 ok                 => ann is told 1 over left at 1
        ",
    );
}

#[test]
fn a_link_goes_on_through_a_life_of_the_lobby() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann offers     => ann is told 1 waits 0 offered
        0 born
        0 bob takes ann  => hello 1
        0 ok             => batch 1 (carry ann to bob)
        0 ok             => bob is told 1 waits 0 carried
        ",
    );
}

/// Nobody has taken it back yet.
#[test]
fn a_lease_that_has_reached_its_end_counts_as_gone_for_who_took_it_too() {
    play(
        "permits=1 idle=60 max=80",
        "
        ann waits already
        0 usher
        0 push           => ack
        0 ann claims     => batch 2 (claim ann by 1)
        0 ok             => ann is told 1 in lease 60/80
        1 ann offers     => ann is told 1 in offered
        1 bob takes ann  => batch 3 (carry ann to bob)
        1 ok             => bob is told 1 in lease 59/79 carried
        79 bob takes ann => batch 4 (carry ann to bob)
        79 ok            => bob is told 1 in lease 0/1 carried
        80 bob takes ann => batch 5 (carry ann to bob)
        80 ok            => bob is told 1 in no carry
        ",
    );
}
