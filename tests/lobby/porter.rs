//! A porter brings the room this lobby's batches, unless it is slow.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn batches_go_by_the_porter_and_nothing_else_does() {
    play(
        "permits=1 porter=yes",
        "
        0 ann joins    => hello 1
        0 ok           => by porter: batch 1 (1 attempts; join ann)
        0 ok           => ann is told 1 waits 0 issued
        0 usher
        0 push         => ack
        1 ann claims   => by porter: batch 2 (claim ann by 1)
        1 ok           => ann is told 1 in lease 300/1800
        2 ann checks   => check 1
        2 ok           => ann is told 1 in lease 299/1799
        ",
    );
}

#[test]
fn what_a_porter_brings_no_answer_to_goes_directly_at_once_and_so_does_what_follows() {
    play(
        "permits=0 porter=yes",
        "
        0 ann joins    => hello 1
        0 ok           => by porter: batch 1 (1 attempts; join ann)
        1 bob joins
        1.5 lost       => batch 2 (1 attempts; join ann bob)
        1.5 ok         => ann is told 1 waits 0 issued, bob is told 2 waits 1 issued
        ",
    );
}

#[test]
fn after_a_while_the_porter_is_asked_again() {
    play(
        "permits=0 porter=yes",
        "
        0 ann joins    => hello 1
        0 ok           => by porter: batch 1 (1 attempts; join ann)
        0 lost         => batch 2 (join ann)
        0 ok           => ann is told 1 waits 0 issued
        9.9 bob joins  => batch 3 (1 attempts)
        9.9 ok         => batch 4 (join bob)
        10 cyd joins
        10 ok          => bob is told 2 waits 1 issued, by porter: batch 5 (1 attempts; join cyd)
        10 ok          => cyd is told 3 waits 2 issued
        ",
    );
}

/// The room has taken the batch, and its answer was lost with the porter. The copy that was still on its way is refused.
#[test]
fn what_the_room_took_by_a_porter_that_died_is_done_once() {
    play(
        "permits=0 porter=yes",
        "
        0 ann joins    => hello 1
        0 ok           => by porter: batch 1 (1 attempts; join ann)
        0 taken
        1.5 time       => batch 2 (join ann)
        1.5 ok         => ann is told 1 waits 0 issued
        1.5 again      => refused late
        ",
    );
}
