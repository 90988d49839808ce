//! A lobby that is full, and what one visitor and one address may take.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_full_lobby_sends_newcomers_on_and_keeps_its_own() {
    play(
        "permits=0 tickets=2",
        "
        ann waits already
        0 bob joins       => batch 2 (1 attempts; join bob)
        0 cyd joins       => cyd is told none full
        0 ok              => bob is told 2 waits 1 issued
        1 cyd joins       => cyd is told none full
        1 ann joins bare  => batch 3 (3 attempts; join ann)
        1 ok              => ann is told 1 waits 0
        2 ann leaves      => batch 4 (leave ann)
        2 ok              => ann is told 1 over left
        2 cyd joins       => batch 5 (1 attempts; join cyd)
        2 ok              => cyd is told 3 waits 1 issued
        ",
    );
}

#[test]
fn an_address_holds_so_many_tickets_those_on_their_way_included() {
    play(
        "permits=0 per_ip=2",
        "
        ann waits already
        0 ann:2 joins       => batch 2 (1 attempts; join ann:2)
        0 ann:3 joins       => ann:3 is told none limited Tickets 60
        0 ok                => ann:2 is told 2 waits 1 issued
        0 ann:3 joins       => ann:3 is told none limited Tickets 60
        0 ann:2 joins bare  => batch 3 (3 attempts; join ann:2)
        0 ok                => ann:2 is told 2 waits 1
        0 bob joins         => batch 4 (1 attempts; join bob)
        0 ok                => bob is told 3 waits 2 issued
        ",
    );
}

/// A ticket whose holder never came back after joining makes room for the address, once the linger is over.
#[test]
fn a_ticket_that_nobody_came_back_to_makes_room_after_the_linger() {
    play(
        "permits=0 per_ip=1 linger=10",
        "
        ann waits already
        10 ann:2 joins    => batch 2 (1 attempts)
        10 ok             => ann:2 is told none limited Tickets 60
        10.1 ann:2 joins  => batch 3 (1 attempts; leave ann; join ann:2)
        10.1 ok           => ann:2 is told 2 waits 0 issued
        ",
    );
}

#[test]
fn a_visitor_takes_so_many_numbers_a_minute() {
    play(
        "permits=0 per_minute=1",
        "
        ann waits already
        1 ann leaves  => batch 2 (leave ann)
        1 ok          => ann is told 1 over left
        2 ann joins   => ann is told 1 over left limited Visitor 58
        60 ann joins  => batch 3 (2 attempts)
        60 ok         => batch 4 (join ann)
        60 ok         => ann is told 2 waits 0 issued
        ",
    );
}

#[test]
fn a_number_that_was_not_given_costs_nothing() {
    play(
        "permits=1 walkin=yes per_minute=1",
        "
        0 ann arrives  => hello 1
        0 ok           => batch 1 (1 attempts; walkin ann)
        0 ok           => ann is told 1 in issued lease 30/1800 provisional
        1 bob arrives  => batch 2 (1 attempts; walkin bob)
        1 ok           => batch 3 (join bob)
        1 ok           => bob is told 2 waits 0 issued
        ",
    );
}

#[test]
fn a_mode_that_issues_nothing_is_told_without_asking() {
    play(
        "permits=0",
        "
        ann waits already
        1 mode sold_out
        1 push           => ack
        1 bob joins      => bob is told none [sold_out]
        1 cyd arrives    => cyd is told none [sold_out]
        ",
    );
}
