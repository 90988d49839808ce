//! Strict rooms: the room says before each request whether a lease lives.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_check_gets_a_pass_by_the_rooms_own_word_and_writes_nothing() {
    play(
        "permits=1",
        "
        ann is in already
        1 ann checks  => check 1
        1 ok          => ann is told 1 in lease 299/1799
        ",
    );
}

/// The answer that is on its way may be older than what came before the question.
#[test]
fn what_comes_while_a_check_is_out_waits_for_the_next() {
    play(
        "permits=1",
        "
        ann is in already
        1 ann checks  => check 1
        1 ann checks
        1 ann checks
        1 ok          => ann is told 1 in lease 299/1799, check 1 1
        1 ok          => ann is told 1 in lease 299/1799, ann is told 1 in lease 299/1799
        ",
    );
}

#[test]
fn a_check_that_finds_no_lease_says_what_became_of_it() {
    play(
        "permits=1 idle=60",
        "
        ann waits already
        0 usher
        0 push         => ack
        0 ann claims   => batch 2 (claim ann by 1)
        0 ok           => ann is told 1 in lease 60/1800
        60 usher
        60 ann checks  => check 1
        60 ok          => batch 3 (renew 1)
        60 ok          => ann is told 1 over expired
        ",
    );
}

/// Whatever the room said before it heard of the release.
#[test]
fn a_lease_that_is_being_given_back_passes_no_check() {
    play(
        "permits=1",
        "
        ann is in already
        1 ann checks    => check 1
        1 taken
        1 ann releases  => batch 3 (release 1)
        1 answered
        1 ok            => ann is told 1 over released, batch 4 (renew 1)
        1 ok            => ann is told 1 over released
        ",
    );
}

#[test]
fn a_lease_that_is_being_left_passes_no_check_either() {
    play(
        "permits=1",
        "
        ann is in already
        1 ann leaves  => batch 3 (leave ann)
        1 taken
        1 ann checks  => check 1
        1 ok
        1 answered    => ann is told 1 over released, batch 4 (renew 1)
        1 ok          => ann is told 1 over released
        ",
    );
}

/// The room answered the check before it heard of the leave. Another visitor who leaves ends no lease of hers.
#[test]
fn a_leave_that_comes_after_the_question_ends_the_own_lease_alone() {
    play(
        "permits=1",
        "
        ann is in already
        1 bob joins   => batch 3 (1 attempts; join bob)
        1 ok          => bob is told 2 waits 0 issued
        1 ann checks  => check 1
        1 taken
        1 bob leaves  => batch 4 (leave bob)
        1 answered    => ann is told 1 in lease 299/1799
        1 ok          => bob is told 2 over left
        2 ann checks  => check 1
        2 taken
        2 ann leaves  => batch 5 (leave ann)
        2 answered
        2 ok          => ann is told 1 over released, batch 6 (renew 1)
        2 ok          => ann is told 1 over released
        ",
    );
}

#[test]
fn a_check_that_is_not_answered_lets_nobody_in() {
    play(
        "permits=1",
        "
        ann is in already
        1 ann checks  => check 1
        1 lost        => ann gets no answer
        2 ann checks  => check 1
        7 time        => ann gets no answer
        ",
    );
}

#[test]
fn a_check_waits_for_the_rooms_first_word_in_a_life() {
    play(
        "permits=1",
        "
        ann is in already
        1 born
        1 ann checks  => hello 1
        1 ok          => check 1, batch 1
        1 ok          => ann is told 1 in lease 299/1799
        ",
    );
}

#[test]
fn the_fence_of_before_a_carry_passes_no_check() {
    play(
        "permits=1",
        "
        ann is in already
        0 ann offers     => ann is told 1 in offered
        0 bob takes ann  => batch 3 (carry ann to bob)
        0 ok             => bob is told 1 in lease 300/1800 carried
        1 ann checks     => check 1
        1 ok             => batch 4 (renew 1)
        1 ok             => ann is told 1 over carried
        1 bob checks     => check 2
        1 ok             => bob is told 1 in lease 299/1799
        ",
    );
}

#[test]
fn a_batch_that_comes_to_nothing_takes_no_check_with_it() {
    play(
        "permits=1",
        "
        ann is in already
        1 bob joins   => batch 3 (1 attempts; join bob)
        1 ann checks  => check 1
        1 lost
        1 ok          => ann is told 1 in lease 299/1799
        ",
    );
}
