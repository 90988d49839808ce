//! Long polls: held until something that matters happens.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// All of them do.
#[test]
fn a_long_poll_ends_with_a_call() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 ann polls 25
        1 ann polls 25
        2 usher
        2 push          => ann is told 1 called, ann is told 1 called, ack
        3 ann polls 25  => ann is told 1 called
        ",
    );
}

#[test]
fn a_long_poll_ends_with_its_time() {
    play(
        "permits=0",
        "
        ann waits already
        1 ann polls 2
        2.9 time
        3 time         => ann is told 1 waits 0
        ",
    );
}

#[test]
fn of_seven_polls_on_a_ticket_the_oldest_is_answered() {
    play(
        "permits=0",
        "
        ann waits already
        1 ann polls 10
        2 ann polls 10
        2 ann polls 10
        2 ann polls 10
        2 ann polls 10
        2 ann polls 10
        3 ann polls 10  => ann is told 1 waits 0
        ",
    );
}

#[test]
fn a_poll_whose_asker_is_gone_is_not_answered_and_is_no_presence() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        1 ann polls 60
        5 ann gone
        14.9 time
        15 time         => batch 2 (away ann)
        ",
    );
}

#[test]
fn only_whoever_waits_in_the_line_can_wait_for_news() {
    play(
        "permits=1 hall=10",
        "
        0 hours
        0 ann joins     => hello 1
        0 ok            => batch 1 (1 attempts; join ann)
        0 ok            => ann is told hall 1 issued
        1 ann polls 25  => ann is told hall 1
        1 bob polls 25  => bob is told none
        ",
    );
}

#[test]
fn a_held_poll_ends_when_the_room_is_begun_anew() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann polls 25
        1 reset
        1 push          => poked, hello 2 knows 2, no ack
        1 ok            => ann is told 1 over reset, batch 2
        ",
    );
}

/// It is news of the one, and none of the other.
#[test]
fn a_poll_is_held_on_while_somebody_else_is_called() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 bob joins     => batch 2 (1 attempts; join bob)
        0 ok            => bob is told 2 waits 1 issued
        1 ann polls 25
        1 bob polls 25
        2 usher
        2 push          => ann is told 1 called, ack
        26 time         => bob is told 2 waits 1
        ",
    );
}
