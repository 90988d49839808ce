//! The hall before an opening, and the draw that makes numbers of entries.

use crate::play::{START, play, visitor};
use baton::lobby::Moment;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The lobby is told by a list, for the room's life is another one.
#[test]
fn whoever_came_to_the_hall_has_a_number_after_the_draw_under_the_same_key() {
    play(
        "permits=1 hall=10",
        "
        0 hours
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 ok         => ann is told hall 1 issued
        0 bob joins  => batch 2 (1 attempts; join bob)
        0 ok         => bob is told hall 2 issued
        0 ann opens
        0 bob opens
        0 bob looks  => bob sees hall 2
        1 ann asks   => ann is told hall 1
        10 hours
        10 push      => poked, hello 2 knows 4, no ack
        10 ok        => ann hears 2 waits 1, bob hears 1 waits 0, batch 3
        10 ok
        10 usher
        10 push      => bob hears 1 called, ack
        ",
    );
}

/// Its page shows the number now, and no entry any more.
#[test]
fn a_page_that_was_told_its_number_hears_how_that_ended() {
    play(
        "permits=0 hall=10",
        "
        0 hours
        0 ann joins   => hello 1
        0 ok          => batch 1 (1 attempts; join ann)
        0 ok          => ann is told hall 1 issued
        0 ann opens
        10 hours
        10 push       => poked, hello 2 knows 3, no ack
        10 ok         => ann hears 1 waits 0, batch 2
        10 ok
        11 ann leaves => batch 3 (leave ann)
        11 ok         => ann is told 1 over left, ann hears 1 over left and is closed
        ",
    );
}

/// A poll comes again at the opening: after two seconds at least, and twenty at most.
#[test]
fn who_polls_in_the_hall_asks_again_when_it_opens() {
    let mut told = play(
        "permits=1 hall=60",
        "
        0 hours
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 ok         => ann is told hall 1 issued
        ",
    );
    let mut asks_in_s = |at_ms| {
        let now = START.plus_ms(at_ms);
        let m = Moment { now, wall_ms: now.0 };
        told.lobby.first_words(m, visitor("ann")).status.poll_after_s
    };
    assert_eq!([0, 41_000, 55_500, 59_500].map(&mut asks_in_s), [20, 19, 4, 2]);
}

#[test]
fn what_is_asked_over_the_draw_is_done_to_the_number() {
    play(
        "permits=0 hall=10",
        "
        0 hours
        0 ann joins   => hello 1
        0 ok          => batch 1 (1 attempts; join ann)
        0 ok          => ann is told hall 1 issued
        8 bob joins   => batch 2 (1 attempts)
        8 ok          => batch 3 (join bob)
        9 ann leaves
        10 hours
        10 ok         => refused unknown, hello 2 knows 4
        10 ok         => batch 4 (join bob; leave ann)
        10 ok         => bob is told 2 waits 0 issued, ann is told hall 1 over somehow
        ",
    );
}

#[test]
fn whoever_leaves_the_hall_is_over() {
    play(
        "permits=0 hall=10",
        "
        0 hours
        0 ann joins   => hello 1
        0 ok          => batch 1 (1 attempts; join ann)
        0 ok          => ann is told hall 1 issued
        1 ann leaves  => batch 2 (leave ann)
        1 ok          => ann is told hall 1 over left
        1 ann asks    => ann is told hall 1 over left
        ",
    );
}

#[test]
fn an_away_entry_is_an_away_number() {
    play(
        "permits=0 hall=10 linger=3",
        "
        0 hours
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 ok         => ann is told hall 1 issued
        3 time       => batch 2 (away ann)
        3 ok
        10 hours
        10 ann asks  => batch 3
        10 ok        => refused unknown, hello 2 knows 4
        10 ok        => ann is told 1 waits 0, batch 4 (here ann)
        10 ok
        ",
    );
}

#[test]
fn a_link_that_was_made_in_the_hall_is_void_after_the_draw() {
    play(
        "permits=0 hall=10",
        "
        0 hours
        0 ann joins       => hello 1
        0 ok              => batch 1 (1 attempts; join ann)
        0 ok              => ann is told hall 1 issued
        8 ann asks        => batch 2
        8 ok              => ann is told hall 1
        9 ann offers      => ann is told hall 1 offered
        10 hours
        10 push           => poked, hello 2 knows 3, no ack
        10 ok             => batch 3
        10 ok
        10 bob takes ann  => batch 4 (carry ann to bob)
        10 ok             => bob is told none no carry
        ",
    );
}
