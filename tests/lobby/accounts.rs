//! One account has one place: it moves to the device that joined last while it waits, and later by a pressed button.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The one hears where its place went, the other that it has it. Waking up does not take it back, a button does.
#[test]
fn the_newest_device_has_the_place() {
    play(
        "permits=0",
        "
        0 ann joins as a           => hello 1
        0 ok                       => batch 1 (1 attempts; join ann as a)
        0 ok                       => ann is told 1 waits 0 issued
        0 ann opens
        0 bob joins as a           => batch 2 (1 attempts; join bob as a)
        0 ok                       => bob is told 1 waits 0 issued, ann hears 1 over carried and is closed
        1 ann attends as a         => batch 3 (1 attempts; join ann as a back)
        1 ok                       => ann is told 1 over carried elsewhere waiting
        2 ann joins as a pressed   => batch 4 (1 attempts; join ann as a pressed)
        2 ok                       => ann is told 1 waits 0 issued
        2 ann attends as a         => ann is told 1 waits 0
        ",
    );
}

/// What the room said once of a ticket and its account is not asked again, while this lobby remembers.
#[test]
fn who_shows_the_accounts_place_asks_the_room_once() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann attends              => ann is told 1 waits 0
        0 ann attends as a         => batch 2 (2 attempts; join ann as a back)
        0 ok                       => ann is told 1 waits 0
        0 ann attends as a         => ann is told 1 waits 0
        0 ann attends as b         => batch 3 (2 attempts; join ann as b back)
        0 ok                       => ann is told 1 waits 0 another account's
        1 born
        1 ann attends as a         => hello 1
        1 ok                       => batch 1 (1 attempts; join ann as a back)
        1 ok                       => ann is told 1 waits 0
        ",
    );
}

/// Called, and inside: nothing moves without a button, and then the new device claims and renews as any other.
#[test]
fn a_permit_moves_by_a_button_only() {
    play(
        "permits=1",
        "
        0 ann joins as a           => hello 1
        0 ok                       => batch 1 (1 attempts; join ann as a)
        0 ok                       => ann is told 1 waits 0 issued
        0 usher
        0 push                     => ack
        1 bob arrives as a         => batch 2 (1 attempts; join bob as a)
        1 ok                       => bob is told none elsewhere called
        2 bob joins as a pressed   => batch 3 (1 attempts; join bob as a pressed)
        2 ok                       => bob is told 1 called issued
        2 bob arrives as a         => batch 4 (claim bob by 2)
        2 ok                       => bob is told 1 in lease 300/1800
        3 cyd joins as a           => batch 5 (1 attempts; join cyd as a)
        3 ok                       => cyd is told none elsewhere admitted
        3 cyd joins as a pressed   => batch 6 (1 attempts; join cyd as a pressed)
        3 ok                       => cyd is told 1 in issued
        3 cyd arrives as a         => batch 7 (renew 3)
        3 ok                       => cyd is told 1 in lease 300/1799
        4 bob renews               => batch 8 (renew 2)
        4 ok                       => bob is told 1 over carried
        ",
    );
}

#[test]
fn a_walk_in_is_the_accounts() {
    play(
        "permits=2 walkin=yes",
        "
        0 ann arrives as a         => hello 1
        0 ok                       => batch 1 (1 attempts; walkin ann as a)
        0 ok                       => ann is told 1 in issued lease 30/1800 provisional
        1 bob arrives as a         => batch 2 (1 attempts; walkin bob as a)
        1 ok                       => batch 3 (join bob as a)
        1 ok                       => bob is told none elsewhere admitted
        2 bob peeks as a           => batch 4 (1 attempts; walkin bob as a)
        2 ok                       => bob is told none
        ",
    );
}

/// The place is in another lobby: the device is sent there.
#[test]
fn who_takes_over_a_place_of_another_lobby_is_sent_there() {
    play(
        "permits=0",
        "
        ann waits already
        0 far joins dee as a
        0 ann attends as a         => batch 2 (1 attempts; join ann as a back)
        0 ok                       => ann is told 1 over left at 1
        0 far joins eve as a
        1 eve joins as b           => batch 3 (1 attempts; join eve as b)
        1 ok                       => eve is told none at 1
        ",
    );
}

/// By the account, and not by the address.
#[test]
fn an_account_takes_so_many_numbers_a_minute_whatever_the_address() {
    play(
        "permits=0 per_minute=1 per_ip=1",
        "
        0 ann joins as a           => hello 1
        0 ok                       => batch 1 (1 attempts; join ann as a)
        0 ok                       => ann is told 1 waits 0 issued
        0 ann:2 joins as b         => batch 2 (1 attempts; join ann:2 as b)
        0 ok                       => ann:2 is told 2 waits 1 issued
        0 ann:3 joins              => ann:3 is told none limited Tickets 60
        1 bob joins as a           => bob is told none limited Visitor 59
        60 bob joins as a          => batch 3 (3 attempts)
        60 ok                      => batch 4 (join bob as a)
        60 ok                      => bob is told 1 waits 0 issued
        ",
    );
}

/// No ticket is added when one moves, so a full lobby looks before it sends anybody on.
#[test]
fn a_place_moves_in_a_full_lobby() {
    play(
        "permits=0 tickets=1",
        "
        0 ann joins as a           => hello 1
        0 ok                       => batch 1 (1 attempts; join ann as a)
        0 ok                       => ann is told 1 waits 0 issued
        0 far joins bob as a
        0 bob joins as a           => batch 2 (1 attempts)
        0 ok                       => batch 3 (join bob as a)
        0 ok                       => bob is told 1 waits 0
        1 cyd joins as c           => batch 4 (1 attempts)
        1 ok                       => cyd is told none full
        ",
    );
}

/// A device may show a place of an edition that is over. The account's place in this edition does not follow from it.
#[test]
fn after_a_reset_every_device_comes_anew() {
    play(
        "permits=0",
        "
        0 ann joins as a           => hello 1
        0 ok                       => batch 1 (1 attempts; join ann as a)
        0 ok                       => ann is told 1 waits 0 issued
        1 reset
        1 push                     => poked, hello 2 knows 2, no ack
        1 ok                       => batch 2
        1 ok
        2 bob joins as a           => batch 3 (1 attempts; join bob as a)
        2 ok                       => bob is told 1 waits 0 issued
        3 ann joins as a           => batch 4 (1 attempts; join ann as a)
        3 ok                       => ann is told 1 waits 0 issued
        ",
    );
}

/// No number is given for it.
#[test]
fn a_place_moves_also_while_nobody_joins() {
    play(
        "permits=0",
        "
        0 ann joins as a           => hello 1
        0 ok                       => batch 1 (1 attempts; join ann as a)
        0 ok                       => ann is told 1 waits 0 issued
        1 mode drain
        1 push                     => ack
        1 bob joins                => bob is told none [drain]
        1 bob joins as a           => batch 2 (2 attempts; join bob as a)
        1 ok                       => bob is told 1 waits 0 [drain] issued
        ",
    );
}

/// Each of them has an answer of its own.
#[test]
fn accounts_that_join_in_a_row_are_one_command() {
    play(
        "permits=0",
        "
        0 far joins bob as x
        0 ann joins as a           => hello 1
        0 bob joins as b
        0 cyd joins as c
        0 ok                       => batch 1 (3 attempts; join ann as a, bob as b, cyd as c)
        0 ok                       => ann is told 2 waits 1 issued, bob is told none at 1, cyd is told 3 waits 2 issued
        ",
    );
}

/// One address has one walk-in here whose cookie has not come back. The shop vouches for an account.
#[test]
fn ghosts_of_an_address_keep_no_account_out_and_nobody_while_all_pass() {
    play(
        "permits=5 walkin=yes ghosts=1",
        "
        0 ann arrives              => hello 1
        0 ok                       => batch 1 (1 attempts; walkin ann)
        0 ok                       => ann is told 1 in issued lease 30/1800 provisional
        1 ann:2 peeks              => ann:2 is told none
        1 ann:3 peeks as a         => batch 2 (2 attempts; walkin ann:3 as a)
        1 ok                       => ann:3 is told 2 in issued lease 30/1800 provisional
        2 mode observe
        2 push                     => ack
        2 ann:4 peeks              => batch 3 (1 attempts; walkin ann:4)
        2 ok                       => ann:4 is told 3 in [observe] issued lease 30/1800 provisional
        ",
    );
}
