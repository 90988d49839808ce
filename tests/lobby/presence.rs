//! Who is there: levelled after every message, and never signalled.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn whoever_is_not_seen_for_the_linger_is_away_and_whoever_asks_is_there() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        0 when       => awake 10, alarm never
        10 time      => batch 2 (away ann)
        10 ok
        10 when      => awake never, alarm never
        12 ann asks  => ann is told 1 waits 0, batch 3 (here ann)
        12 ok
        ",
    );
}

#[test]
fn a_socket_is_presence_and_the_linger_begins_when_the_last_one_closes() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        1 ann opens
        2 ann opens
        10 time
        11 ann closes
        12 ann closes
        21.9 time
        22 time        => batch 2 (away ann)
        22 ok
        23 ann opens   => batch 3 (here ann)
        23 ok
        ",
    );
}

#[test]
fn a_reload_within_the_linger_is_not_noticed() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        1 ann opens
        2 ann closes
        11 ann opens
        12 time
        ",
    );
}

#[test]
fn a_held_poll_is_presence() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        1 ann polls 15
        12 time
        16 time         => ann is told 1 waits 0
        25.9 time
        26 time         => batch 2 (away ann)
        ",
    );
}

#[test]
fn people_who_go_together_go_in_one_command() {
    play(
        "permits=0 linger=10",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 bob joins
        0 ok         => ann is told 1 waits 0 issued, batch 2 (1 attempts; join bob)
        0 cyd joins
        0 ok         => bob is told 2 waits 1 issued, batch 3 (1 attempts; join cyd)
        0 ok         => cyd is told 3 waits 2 issued
        10 time      => batch 4 (away ann bob cyd)
        10 ok
        ",
    );
}

#[test]
fn while_a_word_is_out_it_is_unknown_what_the_room_thinks_and_the_answer_levels_it() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        10 time       => batch 2 (away ann)
        11 ann opens
        11 ok         => batch 3 (here ann)
        11 ok
        ",
    );
}

/// The room has heard the first and not the second; it ends up right.
#[test]
fn a_word_that_was_lost_is_said_again_as_things_are_then() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        10 time        => batch 2 (away ann)
        10 taken
        11 ann opens
        15 time
        15.2 time      => batch 3 (here ann)
        15.2 ok
        16 ann closes
        26 time        => batch 4 (away ann)
        26 lost
        26.2 time      => batch 5 (away ann)
        26.2 ok
        ",
    );
}

/// Whatever sockets the page holds or opens.
#[test]
fn whoever_slept_through_a_call_is_not_there_before_saying_something() {
    play(
        "permits=1 claim=5 linger=100",
        "
        ann waits already
        0 ann opens
        1 usher
        1 push        => ann hears 1 called, ack
        6 usher
        6 push        => ann hears 1 waits 0 missed, ack
        7 ann closes
        8 ann opens
        9 ann speaks  => batch 2 (here ann)
        9 ok
        10 usher
        10 push       => ann hears 1 called, ack
        15 usher
        15 push       => ann hears 1 over missed and is closed, ack
        ",
    );
}

#[test]
fn an_ask_is_a_word_too() {
    play(
        "permits=1 claim=5 linger=100",
        "
        ann waits already
        0 ann opens
        1 usher
        1 push       => ann hears 1 called, ack
        6 usher
        6 push       => ann hears 1 waits 0 missed, ack
        7 ann asks   => ann is told 1 waits 0 missed, batch 2 (here ann)
        7 ok
        ",
    );
}

/// The front checks the pass that came with each request, also of a page that sleeps in another tab.
#[test]
fn a_check_of_a_pass_is_no_word() {
    play(
        "permits=1 claim=5 linger=100",
        "
        ann waits already
        0 ann opens
        1 usher
        1 push        => ann hears 1 called, ack
        6 usher
        6 push        => ann hears 1 waits 0 missed, ack
        7 ann checks  => check 0
        7 ok          => batch 2 (renew 0)
        7 ok          => ann is told 1 waits 0 missed
        8 ann closes
        8 ann opens
        9 ann asks    => ann is told 1 waits 0 missed, batch 3 (here ann)
        9 ok
        ",
    );
}

/// The first word came late and led to a call that nobody answered; the second says what was so before.
#[test]
fn a_word_from_before_a_missed_call_does_not_bring_the_sleeper_back() {
    play(
        "permits=1 claim=3 linger=10 grace=600",
        "
        ann waits already
        10 time        => batch 2 (away ann)
        10 ok
        11 ann opens   => batch 3 (here ann)
        16 time
        16.2 time      => batch 4 (here ann)
        16.3 taken
        16.3 usher
        19.4 usher
        19.5 ok        => ann hears 1 waits 0 missed
        20 ann speaks  => batch 5 (here ann)
        20 ok
        ",
    );
}

/// Whom the list calls present and who has no socket yet is expected for the linger and the time over which pages come
/// back.
#[test]
fn after_a_list_those_who_were_there_have_longer_to_come_back() {
    play(
        "permits=0 linger=10 spread=20",
        "
        ann waits already
        0 ann opens
        0 bob joins   => batch 2 (1 attempts; join bob)
        0 ok          => bob is told 2 waits 1 issued
        0 bob opens
        1 ann closes
        2 born        => hello 1
        2 ok          => batch 1
        2 ok
        22 time       => frame, batch 2
        22 ok
        31 time
        32 time       => batch 3 (away ann)
        32 ok
        ",
    );
}

#[test]
fn whoever_comes_back_after_a_list_is_not_missed() {
    play(
        "permits=0 linger=10 spread=20",
        "
        ann waits already
        1 bob joins   => batch 2 (1 attempts; join bob)
        1 ok          => bob is told 2 waits 1 issued
        2 born
        3 bob asks    => hello 1
        3 ok          => bob is told 2 waits 1, batch 1
        3 ok
        22 ann opens
        32 time       => frame, batch 2 (away bob)
        32 ok
        ",
    );
}

/// Its page is told again, and is there once it says something.
#[test]
fn a_list_and_a_missed_call() {
    play(
        "permits=1 claim=5 linger=10 grace=600",
        "
        ann waits already
        0 ann opens
        1 usher
        1 push        => ann hears 1 called, ack
        6 usher
        6 born        => hello 1
        6 ok          => ann hears 1 waits 0 missed, batch 1
        6 ok
        7 ann speaks  => batch 2 (here ann)
        7 ok
        ",
    );
}

/// Four hundred a second come back; the limit is the room's.
#[test]
fn pages_are_told_over_how_many_seconds_to_come_back_by_how_many_they_are() {
    for (most, told) in [(20, 2), (1, 1)] {
        play(
            &format!("permits=0 tickets=2000 spread={most}"),
            &format!(
                "
                0 crowd 1000
                0 ann joins  => hello 1
                0 ok         => batch 1 (1 attempts; join ann)
                0 ok         => ann is told 1001 waits 1000 spread {told} issued
                "
            ),
        );
    }
}

/// A page that came when few were there would come back within seconds, together with ten thousand who came later.
#[test]
fn early_pages_learn_from_frames_that_many_have_come_since() {
    play(
        "permits=0 tickets=2000",
        "
        ann waits already
        0 ann opens
        0 ann looks  => ann sees 1 waits 0
        0 crowd 900
        1 push       => batch 2 (away 1000 others), ack
        1 ok
        1 time       => frame spread 2
        1 ann looks  => ann sees 1 waits 0 spread 2 with frame spread 2
        ",
    );
}

/// Who resumes is told whom the room takes for away, and says no more than that it has not heard.
#[test]
fn a_word_that_the_room_had_heard_is_not_said_again_when_the_lobby_resumes() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        0 bob joins   => batch 2 (1 attempts; join bob)
        0 ok          => bob is told 2 waits 1 issued
        4 bob asks    => bob is told 2 waits 1
        10 time       => batch 3 (away ann)
        10 taken
        10 wakes
        10 push       => poked, hello 2 knows 3, no ack
        10 ok         => batch 4
        10 ok
        14 time       => batch 5 (away bob)
        ",
    );
}

/// The room takes her for away by itself, and is not told what it said.
#[test]
fn of_who_missed_a_call_and_is_not_there_the_room_is_told_nothing() {
    play(
        "permits=1 claim=5 linger=2 grace=600",
        "
        ann waits already
        1 usher
        1 push    => ack
        2 time
        6 usher
        6 push    => ack
        7 time
        ",
    );
}

#[test]
fn sockets_that_the_last_word_closes_are_counted_once() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 ann leaves  => batch 2 (leave ann)
        0 ok          => ann is told 1 over left, ann hears 1 over left and is closed
        0 ann closes
        0 bob opens
        0 bob closes
        0 when        => awake 10, alarm never
        ",
    );
}

/// The answer to that word is lost, and the room's to the Hello says the same.
#[test]
fn whom_the_room_takes_for_away_is_not_said_again_after_a_hello() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        10 time        => batch 2 (away ann)
        10 taken
        10 wakes
        10 push        => poked, hello 2 knows 2, no ack
        10 ok          => batch 3
        10 ok
        11 ann opens   => batch 4 (here ann)
        ",
    );
}

/// The answer to what was asked before says again that the call was missed.
#[test]
fn a_word_after_a_missed_call_counts_though_that_is_told_again() {
    play(
        "permits=1 claim=5 linger=100",
        "
        ann waits already
        0 ann opens
        1 usher
        1 push         => ann hears 1 called, ack
        5.5 bob joins  => batch 2 (1 attempts; join bob)
        6 usher
        6 push         => ann hears 1 waits 0 missed, ack
        7 ann speaks
        7 ok           => bob is told 2 waits 1 issued, batch 3 (here ann)
        ",
    );
}

#[test]
fn a_socket_that_is_closed_as_silent_has_lingered_already() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        1 ann opens
        85 ann silent
        85 time       => batch 2 (away ann)
        ",
    );
}

#[test]
fn whoever_was_seen_while_a_socket_was_silent_lingers_from_then_on() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        1 ann opens
        80 ann opens
        81 ann closes
        85 ann silent
        90.9 time
        91 time       => batch 2 (away ann)
        ",
    );
}

/// The one who is there is not spoken of; the one whose socket died is not given time to come back.
#[test]
fn whose_socket_is_found_silent_is_away_at_once() {
    play(
        "permits=0 linger=10",
        "
        ann waits already
        0 bob joins  => batch 2 (1 attempts; join bob)
        0 ok         => bob is told 2 waits 1 issued
        1 ann opens
        1 bob opens
        2 ann dies
        90 born      => hello 1
        90 ok        => batch 1 (away ann)
        90 ok
        ",
    );
}
