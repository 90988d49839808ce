//! What a visitor's wish leads to, and what the answer says.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_walk_in_is_provisional_until_its_cookie_has_come_back() {
    play(
        "permits=1 walkin=yes",
        "
        0 ann arrives  => hello 1
        0 ok           => batch 1 (1 attempts; walkin ann)
        0 ok           => ann is told 1 in issued lease 30/1800 provisional
        0 ann arrives  => batch 2 (renew 1)
        0 ok           => ann is told 1 in lease 300/1800
        0 ann renews   => batch 3 (renew 1)
        0 ok           => ann is told 1 in lease 300/1800
        ",
    );
}

/// Not only a request to the shop: somebody who reads the first page for long sends none, while a script on it asks how things are.
#[test]
fn any_call_of_its_own_proves_a_walk_in_and_once_is_enough() {
    for call in ["asks", "polls 30", "joins", "attends", "offers"] {
        let offered = if call == "offers" { " offered" } else { "" };
        play(
            "permits=1 walkin=yes",
            &format!(
                "
                0 ann arrives   => hello 1
                0 ok            => batch 1 (1 attempts; walkin ann)
                0 ok            => ann is told 1 in issued lease 30/1800 provisional
                4 ann {call}    => batch 2 (renew 1)
                4 ok            => ann is told 1 in lease 300/1796{offered}
                6 ann {call}    => ann is told 1 in{offered}
                "
            ),
        );
    }
}

#[test]
fn whoever_holds_a_socket_has_brought_a_cookie_and_the_lease_of_a_walk_in_slides() {
    play(
        "permits=1 walkin=yes",
        "
        0 ann opens     => hello 1
        0 ok            => batch 1
        0 ok
        0 ann arrives   => batch 2 (1 attempts; walkin ann)
        0 ok            => ann is told 1 in issued lease 30/1800 provisional, ann hears 1 in
        15 time         => frame, batch 3 (renew 1)
        15 ok
        165 time        => batch 4 (renew 1)
        ",
    );
}

#[test]
fn whoever_cannot_walk_in_takes_a_number_and_for_a_while_nobody_tries() {
    play(
        "permits=1 walkin=yes",
        "
        0 ann arrives  => hello 1
        0 ok           => batch 1 (1 attempts; walkin ann)
        0 ok           => ann is told 1 in issued lease 30/1800 provisional
        0 bob arrives  => batch 2 (1 attempts; join bob)
        0 ok           => bob is told 2 waits 0 issued
        1.5 cyd peeks  => batch 3 (1 attempts; walkin cyd)
        1.5 ok         => cyd is told none
        1.9 dee peeks  => dee is told none
        ",
    );
}

#[test]
fn a_place_elsewhere_is_named_and_only_there_it_is() {
    play(
        "permits=0",
        "
        0 far joins ann
        0 ann joins      => hello 1
        0 ok             => batch 1 (1 attempts; join ann)
        0 ok             => ann is told none at 1
        0 ann arrives    => batch 2 (1 attempts; join ann)
        0 ok             => ann is told none at 1
        ",
    );
}

/// The holder may have taken another place in another lobby, of which this one has not heard.
#[test]
fn whoever_shows_no_cookie_is_answered_by_the_room_and_gets_the_same_place() {
    play(
        "permits=0",
        "
        ann waits already
        1 ann joins         => ann is told 1 waits 0
        1 ann joins bare    => batch 2 (2 attempts; join ann)
        1 ok                => ann is told 1 waits 0
        1 ann arrives bare  => batch 3 (1 attempts; join ann)
        1 ok                => ann is told 1 waits 0
        ",
    );
}

#[test]
fn a_called_visitor_comes_in_by_a_claim_or_by_arriving() {
    play(
        "permits=2 claim=30",
        "
        ann waits already
        0 bob joins    => batch 2 (1 attempts; join bob)
        0 ok           => bob is told 2 waits 1 issued
        0 usher
        0 push         => ack
        1 ann claims   => batch 3 (claim ann by 1)
        1 ok           => ann is told 1 in lease 300/1800
        1 bob arrives  => batch 4 (claim bob by 2)
        1 ok           => bob is told 2 in lease 300/1800
        2 ann arrives  => batch 5 (renew 1)
        2 ok           => ann is told 1 in lease 300/1799
        2 ann asks     => ann is told 1 in
        ",
    );
}

#[test]
fn a_claim_of_what_is_not_called_is_told_how_things_are() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann claims  => ann is told 1 waits 0
        0 bob claims  => bob is told none
        ",
    );
}

/// It was asked for before the call was missed, so it is no word after it.
#[test]
fn a_claim_that_comes_too_late_is_told_that_the_call_was_missed() {
    play(
        "permits=1 claim=3 linger=100",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push        => ann hears 1 called, ack
        3 ann claims  => batch 2 (claim ann by 1)
        3 usher
        3 ok          => ann is told 1 waits 0 missed, ann hears 1 waits 0 missed
        4 ann speaks  => batch 3 (here ann)
        ",
    );
}

#[test]
fn a_lease_is_renewed_extended_and_given_back_by_its_fence() {
    play(
        "permits=1 idle=300 extend=600",
        "
        ann is in already
        10 ann renews      => batch 3 (renew 1)
        10 ok              => ann is told 1 in lease 300/1790
        15 ann extends 60  => batch 4 (extend 1 to 60)
        15 ok              => ann is told 1 in lease 295/1845
        16 ann extends 60  => batch 5 (extend 1 to 120)
        16 ok              => ann is told 1 in lease 294/1904
        20 ann releases    => batch 6 (release 1)
        20 ok              => ann is told 1 over released
        20 ann renews      => batch 7 (renew 1)
        20 ok              => ann is told 1 over released
        20 ann releases    => batch 8 (release 1)
        20 ok              => ann is told 1 over released
        ",
    );
}

/// So that no pass outlives its lease, however long the answer was on its way.
#[test]
fn remaining_times_count_from_when_the_room_was_asked() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 usher
        0 push        => ack
        1 ann claims  => batch 2 (claim ann by 1)
        1 taken
        4 answered    => ann is told 1 in lease 297/1797
        ",
    );
}

/// Whoever only asks how things are gets none, and neither does an old fence.
#[test]
fn a_pass_is_made_of_no_other_answer() {
    play(
        "permits=1 walkin=yes",
        "
        0 ann arrives    => hello 1
        0 ok             => batch 1 (1 attempts; walkin ann)
        0 ok             => ann is told 1 in issued lease 30/1800 provisional
        0 ann renews     => batch 2 (renew 1)
        0 ok             => ann is told 1 in lease 300/1800
        0 ann joins      => ann is told 1 in
        0 ann offers     => ann is told 1 in offered
        0 bob takes ann  => batch 3 (carry ann to bob)
        0 ok             => bob is told 1 in lease 300/1800 carried
        1 ann renews     => batch 4 (renew 1)
        1 ok             => ann is told 1 over carried
        ",
    );
}

/// When half of its idle time is gone. Of somebody who is not there it does not.
#[test]
fn the_lease_of_somebody_who_is_there_slides_by_itself() {
    play(
        "permits=1 idle=60",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push         => ann hears 1 called, ack
        0 ann claims   => batch 2 (claim ann by 1)
        0 ok           => ann is told 1 in lease 60/1800, ann hears 1 in
        20 time        => frame, batch 3
        20 ok
        30 time        => frame, batch 4 (renew 1)
        30 ok
        31 ann closes
        59 time
        61 time
        ",
    );
}

/// A renewal that the room did not answer, or whose answer a push overtook, is made again while there is time. Without that a holder
/// who only keeps a socket open would lose the lease by one lost message.
#[test]
fn a_slide_that_was_lost_is_made_again() {
    play(
        "permits=1 idle=60",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push         => ann hears 1 called, ack
        0 ann claims   => batch 2 (claim ann by 1)
        0 ok           => ann is told 1 in lease 60/1800, ann hears 1 in
        20 time        => frame, batch 3
        20 ok
        30 time        => frame, batch 4 (renew 1)
        30 lost
        30.3 time      => batch 5
        30.3 ok
        45 time        => batch 6 (renew 1)
        45 ok
        75 time        => batch 7 (renew 1)
        ",
    );
}

#[test]
fn a_slide_whose_answer_a_push_overtook_is_made_again() {
    play(
        "permits=1 idle=60",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push         => ann hears 1 called, ack
        0 ann claims   => batch 2 (claim ann by 1)
        0 ok           => ann is told 1 in lease 60/1800, ann hears 1 in
        20 time        => frame, batch 3
        20 ok
        30 time        => frame, batch 4 (renew 1)
        30 taken
        30 permits 3
        30 push        => ack
        30 answered
        45 time        => frame, batch 5 (renew 1)
        45 ok
        75 time        => batch 6 (renew 1)
        ",
    );
}

/// Nor does one whose end comes first, or in the same moment.
#[test]
fn a_lease_that_has_reached_its_end_slides_no_more() {
    for max in [80, 90] {
        play(
            &format!("permits=1 idle=60 max={max}"),
            &format!(
                "
                ann waits already
                0 ann opens
                0 usher
                0 push         => ann hears 1 called, ack
                0 ann claims   => batch 2 (claim ann by 1)
                0 ok           => ann is told 1 in lease 60/{max}, ann hears 1 in
                20 time        => frame, batch 3
                20 ok
                30 time        => frame, batch 4 (renew 1)
                30 ok
                30 when        => awake never, alarm 40
                61 time        => batch 5
                61 ok
                "
            ),
        );
    }
}

/// The front clears the cookie with the first answer.
#[test]
fn whoever_shows_a_lease_that_expired_is_told_so_once_and_then_starts_over() {
    play(
        "permits=1 idle=60",
        "
        ann waits already
        0 usher
        0 push               => ack
        0 ann claims         => batch 2 (claim ann by 1)
        0 ok                 => ann is told 1 in lease 60/1800
        60 usher
        60 push              => ack
        60 ann renews        => batch 3 (renew 1)
        60 ok                => ann is told 1 over expired
        61 ann arrives       => ann is told 1 over expired
        61 ann arrives bare  => batch 4 (2 attempts; join ann)
        61 ok                => ann is told 2 waits 0 issued
        ",
    );
}

#[test]
fn whoever_leaves_is_told_and_starts_over_without_a_word() {
    play(
        "permits=1",
        "
        ann waits already
        0 ann opens
        0 ann leaves  => batch 2 (leave ann)
        0 ok          => ann is told 1 over left, ann hears 1 over left and is closed
        0 ann leaves  => ann is told 1 over left
        1 ann joins   => batch 3 (1 attempts; join ann)
        1 ok          => ann is told 2 waits 0 issued
        ",
    );
}

#[test]
fn a_permit_that_is_left_goes_to_the_next_who_hears_it_in_the_same_moment() {
    play(
        "permits=1",
        "
        ann waits already
        0 bob joins   => batch 2 (1 attempts; join bob)
        0 ok          => bob is told 2 waits 1 issued
        0 bob opens
        0 usher
        0 push        => ack
        0 ann claims  => batch 3 (claim ann by 1)
        0 ok          => ann is told 1 in lease 300/1800
        1 ann leaves  => batch 4 (leave ann)
        1 ok          => ann is told 1 over released, bob hears 2 called
        ",
    );
}

/// Then a question makes the lobby look first.
#[test]
fn what_the_room_said_is_good_for_five_seconds() {
    play(
        "permits=0",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        1 ann joins   => batch 2 (1 attempts; join ann)
        1 ok          => ann is told 1 waits 0 issued
        5.9 ann asks  => ann is told 1 waits 0
        6 ann asks    => batch 3
        6 ok          => ann is told 1 waits 0
        ",
    );
}

/// It was told by another life of this lobby. The room's word of now answers it.
#[test]
fn a_page_that_knows_of_a_newer_row_than_the_lobby_makes_it_look() {
    play(
        "permits=1",
        "
        ann waits already
        0 usher
        0 ann knows 3
        0 ann asks     => batch 2
        0 ok           => ann is told 1 called
        ",
    );
}

/// An answer to what was asked before her is none to her, though it arrives later.
#[test]
fn a_batch_that_was_out_already_is_no_news_for_who_asks_now() {
    play(
        "permits=1",
        "
        ann waits already
        0 bob joins    => batch 2 (1 attempts; join bob)
        0 taken
        0 usher
        0 ann knows 4
        0 ann asks
        0 answered     => bob is told 2 waits 1 issued, batch 3
        0 ok           => ann is told 1 called
        ",
    );
}

/// The page opens its socket before the lobby has heard what another life of it knew.
#[test]
fn no_place_is_called_over_by_a_lobby_that_knows_less_than_the_page() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann leaves   => batch 2 (leave ann)
        0 ok           => ann is told 1 over left
        0 ann opens
        0 ann looks    => ann sees 1 over left and is closed
        0 ann closes
        0 ann knows 9
        0 ann opens
        0 ann looks    => ann sees none and is closed
        ",
    );
}

#[test]
fn who_tries_to_walk_in_and_has_a_place_elsewhere_is_sent_there_at_once() {
    play(
        "permits=2 walkin=yes",
        "
        0 far joins ann
        0 usher
        0 ann arrives  => hello 1
        0 ok           => batch 1 (1 attempts; walkin ann)
        0 ok           => ann is told none at 1
        ",
    );
}
