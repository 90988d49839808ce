//! Sold out: everybody who waited is over at once, and whoever is inside stays.

use crate::play::{START, play};
use crate::wishes;
use baton::facts::units::LobbyId;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn whoever_waits_is_told_and_whoever_is_inside_stays() {
    play(
        "permits=1",
        "
        ann waits already
        0 ann opens
        0 bob joins      => batch 2 (1 attempts; join bob)
        0 ok             => bob is told 2 waits 1 issued
        0 bob opens
        0 usher
        0 push           => ann hears 1 called, ack
        0 ann claims     => batch 3 (claim ann by 1)
        0 ok             => ann is told 1 in lease 300/1800, ann hears 1 in
        1 mode sold_out
        1 push           => ann hears 1 in [sold_out], bob hears 2 over sold_out [sold_out] and is closed, ack
        2 bob asks       => bob is told 2 over sold_out [sold_out]
        2 cyd joins      => cyd is told none [sold_out]
        ",
    );
}

#[test]
fn a_called_visitor_is_over_too() {
    play(
        "permits=1",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push           => ann hears 1 called, ack
        1 mode sold_out
        1 ann claims     => batch 2 (claim ann by 1)
        1 ok             => ann is told 1 over sold_out [sold_out], ann hears 1 over sold_out [sold_out] and is closed
        ",
    );
}

#[test]
fn a_lobby_that_slept_through_it_tells_the_reason_by_its_list() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 ann looks      => ann sees 1 waits 0
        1 mode sold_out
        2 born           => hello 1
        2 ok             => ann hears 1 over sold_out [sold_out] and is closed, batch 1
        2 ok
        ",
    );
}

/// And of who waited then it stays over.
#[test]
fn who_comes_after_it_opened_again_gets_a_number() {
    play(
        "permits=0",
        "
        ann waits already
        0 bob joins      => batch 2 (1 attempts; join bob)
        0 ok             => bob is told 2 waits 1 issued
        0 bob opens
        1 mode sold_out
        1 push           => bob hears 2 over sold_out [sold_out] and is closed, ack
        2 mode open
        2 push           => ack
        3 bob joins      => batch 3 (1 attempts; join bob)
        3 ok             => bob is told 3 waits 0 issued
        3 ann asks       => ann is told 1 over sold_out
        ",
    );
}

/// Then the oldest is forgotten.
#[test]
fn of_sixteen_thousand_a_lobby_remembers_why_their_place_ended() {
    for (others, told) in [(999, "1 over sold_out"), (1_000, "none")] {
        let mut story = play("permits=0 tickets=20000", "ann waits already");
        story.run("0 crowd 15000");
        let join = wishes::join(&story.room, others);
        let mut row = story.room.open_row(START);
        story.room.perform(START, &join, LobbyId(0), &mut row);
        story.run("0 push");
        while !story.run("0 ok").is_empty() {}
        story.run("1 mode sold_out");
        story.run("1 push");
        let seen = story.run("1 ann asks bare");
        assert_eq!(seen, [format!("ann is told {told} [sold_out]")]);
    }
}
