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

/// Each newcomer needs a ticket that no other newcomer has made room with: before the batch leaves, while it is out, and after it was lost.
#[test]
fn one_ticket_makes_room_for_one() {
    play(
        "permits=0 per_ip=2 linger=10",
        "
        ann waits already
        0 ann:2 joins      => batch 2 (1 attempts; join ann:2)
        0 ok               => ann:2 is told 2 waits 1 issued
        10 bob joins       => batch 3 (1 attempts)
        10 ok              => batch 4 (join bob)
        10 ok              => bob is told 3 waits 2 issued
        10.5 ann:3 joins   => batch 5 (1 attempts; leave ann; join ann:3)
        10.5 ann:4 joins
        10.5 ann:5 joins   => ann:5 is told none limited Tickets 60
        10.5 lost
        10.5 ann:6 joins   => ann:6 is told none limited Tickets 60
        10.8 time          => batch 6 (3 attempts; leave ann; leave ann:2; join ann:3 ann:4; away ann ann:2)
        10.8 ok            => ann:3 is told 4 waits 1 issued, ann:4 is told 5 waits 2 issued
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

/// By a look, with the cookie or without; by the cookie that the join gave; or by a socket. To join once more, without the cookie, is no
/// coming back.
#[test]
fn a_ticket_that_somebody_came_back_to_makes_room_for_nobody() {
    let after = |back: &str| {
        let mut story = play("permits=0 per_ip=1 linger=10", "ann waits already");
        story.run(&format!("1 ann {back}"));
        if back == "joins bare" {
            story.run("1 ok");
        }
        story.run("20 ann:2 joins");
        story.run("20 ok")
    };
    for back in ["asks", "asks bare", "joins", "opens"] {
        let kept = ["ann:2 is told none limited Tickets 60"];
        assert_eq!(after(back), kept, "{back}");
    }
    assert_eq!(after("joins bare"), ["batch 4 (leave ann; join ann:2)"]);
}

#[test]
fn people_of_other_addresses_who_wait_for_a_number_take_nothing_of_an_addresss_share() {
    play(
        "permits=0 per_ip=2",
        "
        ann waits already
        0 bob joins    => batch 2 (1 attempts; join bob)
        0 cyd joins
        0 dee joins
        0 ann:2 joins
        0 ok           => bob is told 2 waits 1 issued, batch 3 (3 attempts; join cyd dee ann:2)
        ",
    );
}

/// A number that is on its way is no ghost.
#[test]
fn an_address_walks_in_so_often_at_once_those_on_their_way_included() {
    play(
        "permits=9 walkin=yes ghosts=2",
        "
        0 ann joins     => hello 1
        0 ann:2 peeks
        0 ann:3 peeks
        0 ann:4 peeks
        0 bob peeks
        0 ok            => ann:4 is told none, batch 1 (5 attempts; join ann; walkin ann:2; walkin ann:3; walkin bob)
        ",
    );
}

/// It might move the place. Who only comes back to a page is told of the place, and not of the limit.
#[test]
fn a_code_that_somebody_with_a_place_shows_is_a_guess_as_any_other() {
    let mut story = play(
        "permits=0 lanes=vip,all",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 ok         => ann is told all 1 waits 0 issued
        ",
    );
    for guess in 1..=5 {
        story.run(&format!("0 ann joins with {guess}"));
        let seen = story.run("0 ok");
        assert_eq!(seen, ["ann is told all 1 waits 0 voucher unknown"]);
    }
    let seen = story.run("0 ann joins with 6");
    assert_eq!(seen, ["ann is told all 1 waits 0 limited Visitor 12"]);
    let seen = story.run("0 ann attends with 6");
    assert_eq!(seen, ["ann is told all 1 waits 0"]);
}

/// Six people of one household, of whom five may guess at once; and one whose place is in another lobby, so that nobody looks at the code.
#[test]
fn a_code_that_gave_a_place_or_was_not_looked_at_was_no_guess() {
    let mut story = play("permits=0", "0 code 7 6\n ann waits already");
    story.run("0 ann leaves");
    story.run("0 ok");
    for nth in 1..=6 {
        story.run(&format!("0 ann:{nth} joins with 7"));
        let seen = story.run("0 ok");
        let given = format!("ann:{nth} is told {} waits {} issued", nth + 1, nth - 1);
        assert_eq!(seen, [given]);
    }
    story.run("2 far joins bob");
    for code in 1..=6 {
        story.run(&format!("2 bob joins with {code}"));
        assert_eq!(story.run("2 ok"), ["bob is told none at 1"]);
    }
}

/// The shop vouches for who comes for an account, so a code is not looked at, however many are shown at once.
#[test]
fn who_comes_for_an_account_guesses_nothing() {
    let mut story = play(
        "permits=0",
        "
        0 ann joins as a  => hello 1
        0 ok              => batch 1 (1 attempts; join ann as a)
        0 ok              => ann is told 1 waits 0 issued
        ",
    );
    for code in 1..=7 {
        story.run(&format!("0 ann joins as a with {code} bare"));
    }
    let told = "ann is told 1 waits 0";
    let batch = "batch 3 (6 attempts; join ann as a, ann as a, ann as a, ann as a, ann as a, ann as a)";
    assert_eq!(story.run("0 ok"), [told, batch]);
    assert_eq!(story.run("0 ok"), [told; 6]);
}

#[test]
fn a_lobby_is_full_with_those_who_are_on_their_way() {
    play(
        "permits=0 tickets=3",
        "
        0 ann joins       => hello 1
        0 bob joins
        0 ok              => batch 1 (2 attempts; join ann bob)
        0 cyd joins
        0 dee joins       => dee is told none full
        0 ok              => ann is told 1 waits 0 issued, bob is told 2 waits 1 issued, batch 2 (2 attempts; join cyd)
        0 ok              => cyd is told 3 waits 2 issued
        ",
    );
}

#[test]
fn a_look_that_is_out_takes_nobodys_place() {
    play(
        "permits=0 tickets=1",
        "
        0 ann asks        => hello 1
        0 ok              => ann is told none, batch 1
        0 bob joins
        0 ok              => batch 2 (1 attempts; join bob)
        0 ok              => bob is told 1 waits 0 issued
        ",
    );
}

/// A new life of the lobby does not know since when the holders of a list are away, nor whether they came back after joining. It counts from its
/// own beginning.
#[test]
fn a_ticket_of_a_list_makes_room_five_minutes_after_it() {
    play(
        "permits=0 per_ip=1 linger=10",
        "
        ann waits already
        0 born
        0 bob asks         => hello 1
        0 ok               => bob is told none, batch 1
        0 ok
        30 time            => batch 2 (away ann)
        30 ok
        300 ann:2 joins    => batch 3 (1 attempts)
        300 ok             => ann:2 is told none limited Tickets 60
        300.1 ann:2 joins  => batch 4 (1 attempts; leave ann; join ann:2)
        300.1 ok           => ann:2 is told 2 waits 0 issued
        ",
    );
}

/// Whoever takes places, asks for each once and goes shuts out no neighbour for the whole grace.
#[test]
fn a_ticket_that_was_left_alone_makes_room_after_five_minutes() {
    play(
        "permits=0 per_ip=1 linger=10",
        "
        ann waits already
        1 ann asks         => ann is told 1 waits 0
        11 time            => batch 2 (away ann)
        11 ok
        301 ann:2 joins    => batch 3 (1 attempts)
        301 ok             => ann:2 is told none limited Tickets 60
        301.1 ann:2 joins  => batch 4 (1 attempts; leave ann; join ann:2)
        301.1 ok           => ann:2 is told 2 waits 0 issued
        ",
    );
}

#[test]
fn whoever_is_there_makes_room_for_nobody_however_long() {
    for stays in ["opens", "polls 3600"] {
        let mut story = play("permits=0 per_ip=1 linger=10", "ann waits already");
        story.run(&format!("1 ann {stays}"));
        story.run("900 ann:2 joins");
        let refused = ["ann:2 is told none limited Tickets 60"];
        assert_eq!(story.run("900 ok"), refused, "{stays}");
    }
}

/// Whoever never came back goes first, and then whoever went first, whatever their numbers.
#[test]
fn the_longest_away_makes_room_first() {
    play(
        "permits=0 per_ip=3 linger=10",
        "
        ann waits already
        1 ann:2 joins    => batch 2 (1 attempts; join ann:2)
        1 ok             => ann:2 is told 2 waits 1 issued
        1 ann:3 joins    => batch 3 (1 attempts; join ann:3)
        1 ok             => ann:3 is told 3 waits 2 issued
        2 ann:2 asks     => ann:2 is told 2 waits 1
        3 ann asks       => ann is told 1 waits 0
        12 time          => batch 4 (away ann:2 ann:3)
        12 ok
        13 time          => batch 5 (away ann)
        13 ok
        400 ann:4 joins  => batch 6 (1 attempts)
        400 ok           => batch 7 (leave ann:3; join ann:4)
        400 ok           => ann:4 is told 4 waits 2 issued
        400 ann:5 joins  => batch 8 (1 attempts; leave ann:2; join ann:5)
        400 ok           => ann:5 is told 5 waits 2 issued
        400 ann:6 joins  => batch 9 (1 attempts; leave ann; join ann:6)
        400 ok           => ann:6 is told 6 waits 2 issued
        400 ann:7 joins  => ann:7 is told none limited Tickets 60
        ",
    );
}

/// Whoever sleeps through a call keeps the place, but not from a neighbour for longer than others who are away.
#[test]
fn a_ticket_whose_call_was_missed_makes_room_too() {
    play(
        "permits=1 claim=5 per_ip=1 linger=10",
        "
        ann waits already
        0 ann asks         => ann is told 1 waits 0
        1 usher
        1 push             => ack
        6 usher
        6 push             => ack
        10 time
        306 ann:2 joins    => batch 2 (1 attempts)
        306 ok             => ann:2 is told none limited Tickets 60
        310 ann:2 joins    => batch 3 (1 attempts; leave ann; join ann:2)
        310 ok             => ann:2 is told 2 waits 0 issued
        ",
    );
}

/// A place is counted at the address from which it is asked for, and so are guesses at codes. Whoever has a place pays for guesses at both.
#[test]
fn the_joining_address_pays_wherever_the_cookie_was_given() {
    play(
        "permits=0 per_ip=1",
        "
        ann waits already
        0 bob joins from ann     => bob is told none limited Tickets 60
        0 ann:2 joins from cyd   => batch 2 (2 attempts; join ann:2)
        0 ok                     => ann:2 is told 2 waits 1 issued
        0 cyd joins              => cyd is told none limited Tickets 60
        0 dee joins              => batch 3 (2 attempts; join dee)
        0 ok                     => dee is told 3 waits 2 issued
        ",
    );
}

/// Five guesses at once are the address's, whoever of its places makes them, and wherever they were taken.
#[test]
fn c158_codes_that_places_of_other_addresses_show_at_one_are_its_guesses() {
    let mut story = play(
        "permits=0 lanes=vip,all",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 ok         => ann is told all 1 waits 0 issued
        ",
    );
    let people = ["bob", "cyd", "dee", "eve", "fay", "gus"];
    for name in people {
        story.run(&format!("0 {name} joins"));
        story.run("0 ok");
    }
    for (code, name) in people.into_iter().enumerate() {
        let seen = story.run(&format!("3 {name} joins with {code} from ann"));
        let limited = seen.iter().any(|seen| seen.contains("limited Address"));
        assert_eq!(limited, code == 5, "{name}: {seen:?}");
        if !limited {
            story.run("3 ok");
        }
    }
}
