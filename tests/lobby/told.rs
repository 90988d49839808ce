//! What is said beside the place: until when, how long the wait, how soon to ask again, and the operator's words.

use crate::play::{START, play, visitor};
use baton::facts::units::{Edition, Number};
use baton::facts::wire::{Ask, State, Wish};
use baton::lobby::{Asker, Effect, LOOK_AFTER_PASSING_MS, Moment};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_call_and_a_lease_end_by_the_wall_clock() {
    let mut story = play(
        "permits=1 claim=30 idle=300 max=310",
        "
        ann waits already
        0 usher
        0 push       => ack
        4 time
        ",
    );
    let status = story.status_of("ann");
    let claim_by_at_ms = START.plus_ms(30_000).0;
    assert_eq!(status.claim_by_at_ms, Some(claim_by_at_ms));
    assert_eq!(status.poll_after_s, 2, "it is urgent");
    story.run("4 ann claims");
    story.run("4 ok");
    let status = story.status_of("ann");
    assert_eq!(status.ends_at_ms, Some(START.plus_ms(304_000).0));
    assert_eq!(status.claim_by_at_ms, None);
    assert_eq!(status.poll_after_s, 20, "and inside it is not");
}

/// The answer counts from when it was asked for, and the push that says it again from when it came.
#[test]
fn a_call_never_ends_later_than_it_was_told() {
    let mut story = play(
        "permits=1 claim=30",
        "
        ann waits already
        0 ann opens
        0 bob joins      => batch 2 (1 attempts; join bob)
        1 usher
        5 taken
        5 answered       => bob is told 2 waits 1 issued, ann hears 1 called
        6 far joins dee
        6 push           => ack
        ",
    );
    let told = story.status_of("ann").claim_by_at_ms;
    assert_eq!(told, Some(START.plus_ms(26_000).0));
}

/// Twenty are called each second, and a thousand are in front. Who waits long asks rarely: after an eighth of the wait.
#[test]
fn who_waits_is_told_for_how_long_and_asks_again_after_an_eighth_of_that() {
    let mut story = play("permits=0 claim=600 tickets=2000", "0 crowd 1000");
    story.run("0 ann joins");
    story.run("0 ok");
    story.run("0 ok");
    assert_eq!(story.status_of("ann").eta_min_s, None, "nobody was called");
    assert_eq!(story.status_of("ann").poll_after_s, 4);
    for second in 1..=6 {
        story.run(&format!("{second} permits {}", second * 20));
        story.run(&format!("{second} usher"));
    }
    story.run("6 push");
    let status = story.status_of("ann");
    let wait = (status.ahead, status.eta_min_s, status.eta_max_s);
    assert_eq!(wait, (Some(1_000), Some(41), Some(61)));
    assert_eq!((status.poll_after_s, status.waiting), (5, Some(1_001)));
}

/// Nobody of everybody's lane was called.
#[test]
fn the_wait_in_a_lane_is_told_by_its_own_calls() {
    let mut story = play("permits=0 rule=shares claim=600 lanes=vip,all", "");
    for nth in 1..=7 {
        story.run(&format!("0 v{nth} joins into vip"));
    }
    story.run("0 ok");
    story.run("0 ok");
    for second in 1..=6 {
        story.run(&format!("{second} permits {second}"));
        story.run(&format!("{second} usher"));
    }
    story.run("6 push");
    let status = story.status_of("v7");
    let wait = (status.ahead, status.eta_min_s, status.eta_max_s);
    assert_eq!(wait, (Some(6), Some(4), Some(14)));
}

/// Each visit takes a seat. What the room can say of seats is said to whoever waits, in the one lane of a room too.
#[test]
fn who_waits_is_told_up_to_which_number_seats_will_do() {
    for lanes in ["", "lanes=all"] {
        seats_of_a_room(lanes);
    }
}

fn seats_of_a_room(lanes: &str) {
    let rules = format!("permits=1 walkin=yes seats=yes {lanes}");
    let mut story = play(&rules, "0 ann asks => hello 1");
    story.run("0 ok");
    story.run("0 ok");
    for visit in 1..=80 {
        for doing in ["arrives", "releases"] {
            story.run(&format!("{visit} v{visit} {doing}"));
            story.run(&format!("{visit} ok"));
        }
        story.run(&format!("{visit}.5 stock {} {visit}", 500 - visit));
    }
    story.run("81 permits 0");
    story.run("82 ann joins");
    story.run("82 ok");
    let seats_to = story.room.seats_to();
    assert!(seats_to.is_some_and(|number| number > Number(80)));
    assert_eq!(story.status_of("ann").seats_to, seats_to);
}

#[test]
fn each_status_has_the_operators_words_and_the_rooms_name() {
    let mut story = play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 bob opens
        ",
    );
    assert_eq!(story.status_of("ann").message, None);
    let seen = story.run("1 message back at noon");
    assert!(seen.is_empty());
    assert_eq!(story.run("1 push"), ["ann hears 1 waits 0", "ack"]);
    for name in ["ann", "bob"] {
        let status = story.status_of(name);
        assert_eq!(status.message.as_deref(), Some("back at noon"), "{name}");
        assert_eq!(status.room, "onsale");
        assert_eq!(status.version, story.lobby.replica().have().0);
    }
    assert!(story.status_of("ann").messages.is_empty());
    story.run("2 message back at noon ja: 正午に");
    assert_eq!(story.run("2 push"), ["ann hears 1 waits 0", "ack"]);
    let status = story.status_of("ann");
    let told = ["ja", "de"].map(|language| status.message_in(language));
    assert_eq!(told, ["正午に", "back at noon"]);
}

/// So that a page knows which of two places with the same number is over.
#[test]
fn a_place_that_is_over_is_named_with_its_edition() {
    let mut story = play("permits=0", "ann waits already");
    story.run("1 ann leaves");
    story.run("1 ok");
    let left = story.status_of("ann");
    assert_eq!((left.state, left.edition), (State::Over, Some(Edition(1))));
    story.run("2 ann joins");
    story.run("2 ok");
    story.run("3 ann opens");
    story.run("3 reset");
    story.run("3 push");
    assert_eq!(story.run("3 ok")[0], "ann hears 2 over reset and is closed");
    let reset = story.status_of("ann");
    assert_eq!((reset.number, reset.edition), (Some(Number(2)), Some(Edition(1))));
}

/// A navigation need not try to walk in where nobody can; and the origin's answers are counted only where somebody wants to know.
#[test]
fn a_front_is_told_whether_anybody_can_walk_in_and_whether_to_look_at_the_origin() {
    let told = |rules: &str, mode: &str| {
        let mut story = play(rules, &format!("0 mode {mode}"));
        story.run("0 ann asks");
        story.run("0 ok");
        let told = story.told.expect("an answer");
        (told.no_walk_in, told.wants_health)
    };
    assert_eq!(told("permits=1 walkin=yes", "open"), (false, Some(false)));
    assert_eq!(told("permits=0 walkin=yes", "open"), (true, Some(false)));
    assert_eq!(told("permits=0", "bypass"), (false, Some(false)));
    assert_eq!(told("permits=0 health=50", "open"), (true, Some(true)));
}

/// A front lets in whom the lobby tells of such a mode, without another word from the room: after it has ended only those who come within a second.
#[test]
fn a_mode_that_lets_everybody_pass_is_told_for_a_second_and_any_other_for_five() {
    let after = |mode: &str, s: &str| {
        let mut story = play("permits=0", &format!("0 mode {mode}"));
        story.run("0 ann asks");
        story.run("0 ok");
        story.run("0 ok");
        story.run("0 mode open");
        story.run(&format!("{s} bob asks")).join(", ")
    };
    for mode in ["bypass", "observe"] {
        assert_eq!(after(mode, "0.999"), format!("bob is told none [{mode}]"));
        assert_eq!(after(mode, "1"), "batch 2", "it looks at the room first");
    }
    assert_eq!(after("paused", "4.999"), "bob is told none [paused]");
    assert_eq!(after("paused", "5"), "batch 2");
}

/// The lobby's own clock stands while the wall clock is set, so it cannot tell how long ago the room was heard.
#[test]
fn after_the_wall_clock_was_set_the_lobby_looks_before_it_tells_a_mode() {
    let asks_room = |wall_ms: u64| {
        let mut story = play("permits=0", "0 mode bypass");
        story.run("0 ann asks");
        story.run("0 ok");
        story.run("0 ok");
        let m = Moment { now: START, wall_ms };
        let ask = Ask::plain(visitor("bob"), None, Wish::Status { wait_ms: 0 });
        story.lobby.handle_ask(m, Asker(99), ask);
        let effect = story.lobby.poll_effect().expect("an answer, or a look");
        matches!(effect, Effect::Call(..))
    };
    assert!(!asks_room(START.0));
    assert!(asks_room(START.0 - 1));
    assert!(asks_room(START.0 + LOOK_AFTER_PASSING_MS));
}
