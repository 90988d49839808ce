//! How a life begins and goes on: Hello, resume, list, pages, and what either side has forgotten.

use crate::play::{START, play};
use baton::facts::message::{LobbyLife, Message, RoomLife, ToLobby};
use baton::facts::units::Version;
use baton::lobby::Moment;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_life_begins_with_the_first_event_and_nobody_is_answered_before_the_room_was_heard() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 bob asks
        0 ok         => bob is told none, batch 1 (1 attempts; join ann)
        0 ok         => ann is told 1 waits 0 issued
        1 ann asks   => ann is told 1 waits 0
        2 ann opens
        2 ann looks  => ann sees 1 waits 0
        2 when       => awake never, alarm 22
        ",
    );
}

/// Its number stays: it is the same Hello.
#[test]
fn a_hello_that_is_lost_is_said_again_after_longer_and_longer_pauses() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 lost
        0 when       => awake 0.2, alarm never
        0.2 time     => hello 1
        0.2 lost
        0.2 when     => awake 0.6, alarm never
        0.6 time     => hello 1
        0.6 ok       => batch 1 (1 attempts; join ann)
        0.6 ok       => ann is told 1 waits 0 issued
        ",
    );
}

#[test]
fn a_hello_that_hangs_is_given_up_after_five_seconds_and_its_late_answer_says_nothing() {
    play(
        "permits=0",
        "
        0 ann joins   => hello 1
        0 taken
        5 time
        5.2 time      => hello 1
        5.3 answered
        5.3 ok        => batch 1 (1 attempts; join ann)
        5.3 ok        => ann is told 1 waits 0 issued
        ",
    );
}

/// The room gives few long lists a second.
#[test]
fn a_lobby_that_is_asked_to_come_later_comes_when_it_was_told_to() {
    play(
        "permits=1",
        "
        0 ann joins       => hello 1
        0 says later 0.3
        0 when            => awake 0.3, alarm never
        0.3 time          => hello 1
        0.3 ok            => batch 1 (1 attempts; join ann)
        0.3 ok            => ann is told 1 waits 0 issued
        ",
    );
}

/// The room pokes it when somebody there is called.
#[test]
fn a_lobby_that_was_asked_to_come_later_comes_at_once_when_it_is_poked() {
    play(
        "permits=0",
        "
        ann waits already
        1 wakes
        1 push           => poked, hello 2 knows 2, no ack
        1 says later 9
        4 push           => poked, hello 2 knows 2, no ack
        4 ok             => batch 2
        ",
    );
}

/// Another version of the room, or nonsense: both are tried again.
#[test]
fn an_answer_that_is_none_counts_as_no_answer() {
    play(
        "permits=1",
        "
        0 ann joins         => hello 1
        0 says version
        0.2 time            => hello 1
        0.2 says malformed
        0.6 time            => hello 1
        0.6 ok              => batch 1 (1 attempts; join ann)
        ",
    );
}

/// Who was called meanwhile is told by the answer to the Hello, without a list; and what happens right after that is
/// pushed at once.
#[test]
fn a_room_that_comes_back_pokes_and_the_lobby_resumes() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 ann opens
        0 bob joins  => batch 2 (1 attempts; join bob)
        0 ok         => bob is told 2 waits 1 issued
        0 bob opens
        0 wakes
        1 usher
        1 push       => poked, hello 2 knows 3, no ack
        1 ok         => ann hears 1 called, batch 3
        1 ok
        1 permits 2
        1 usher
        1 push       => bob hears 2 called, ack
        ",
    );
}

#[test]
fn a_batch_that_meets_a_room_without_memory_is_not_taken_and_goes_again() {
    play(
        "permits=1",
        "
        ann waits already
        0 wakes
        1 bob joins  => batch 2 (1 attempts; join bob)
        1 ok         => refused unknown, hello 2 knows 2
        1 ok         => batch 3 (join bob)
        1 ok         => bob is told 2 waits 1 issued
        ",
    );
}

/// Its numbers begin anew with the room's memory, so the name of that memory tells them apart.
#[test]
fn a_copy_of_a_batch_from_before_the_rooms_restart_is_not_taken() {
    play(
        "permits=1",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 taken
        0 wakes
        0 again      => refused unknown
        0 answered   => ann is told 1 waits 0 issued
        ",
    );
}

/// Who is called hears it again. Whose page shows what is so hears nothing.
#[test]
fn a_lobby_that_lost_its_memory_is_given_a_list_and_tells_what_is_news() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 ann opens
        0 bob joins  => batch 2 (1 attempts; join bob)
        0 ok         => bob is told 2 waits 1 issued
        0 bob opens
        0 bob looks  => bob sees 2 waits 1
        1 usher
        1 born       => hello 1
        1 ok         => ann hears 1 called, batch 1
        1 ok
        ",
    );
}

/// The list has no such ticket, and why it ended nobody knows any more.
#[test]
fn whoever_shows_a_place_that_ended_while_nobody_was_there_is_told_without_a_reason() {
    play(
        "permits=0 grace=14 linger=5",
        "
        ann waits already
        0 ann opens
        0 ann closes
        5 time        => batch 2 (away ann)
        5 ok
        20 usher
        25 born
        25 ann opens  => hello 1
        25 ok         => ann hears 1 over somehow and is closed, batch 1
        25 ok
        25 ann asks   => batch 2 (shows ann 1)
        25 ok         => ann is told 1 over somehow
        ",
    );
}

#[test]
fn a_long_list_comes_in_pages_and_nobody_is_answered_before_the_last() {
    play(
        "permits=0 tickets=20000",
        "
        0 crowd 9000
        0 ann joins   => hello 1
        0 ok          => more from 4001
        0 ok          => more from 8001
        0 ok          => batch 1 (1 attempts; join ann)
        0 ok          => ann is told 9001 waits 9000 spread 20 issued
        ",
    );
}

#[test]
fn what_changed_between_two_pages_is_asked_for_before_anybody_is_answered() {
    play(
        "permits=1 tickets=20000",
        "
        0 crowd 5000
        0 ann joins   => hello 1
        0 ok          => more from 4001
        0 usher
        0 ok          => hello 2 knows 6
        0 ok          => batch 1 (1 attempts; join ann)
        0 ok          => ann is told 5001 waits 5000 spread 12 issued
        ",
    );
}

#[test]
fn a_page_that_is_lost_is_asked_for_again() {
    play(
        "permits=0 tickets=20000",
        "
        0 crowd 5000
        0 ann joins   => hello 1
        0 ok          => more from 4001
        0 lost
        0.2 time      => more from 4001
        0.2 ok        => batch 1 (1 attempts; join ann)
        0.2 ok        => ann is told 5001 waits 5000 spread 12 issued
        ",
    );
}

#[test]
fn a_room_that_forgot_a_list_on_its_way_begins_another() {
    play(
        "permits=0 tickets=20000",
        "
        0 crowd 5000
        0 ann joins   => hello 1
        0 ok          => more from 4001
        0 wakes
        0 ok          => refused unknown, hello 2
        0 ok          => more from 4001
        0 ok          => batch 1 (1 attempts; join ann)
        0 ok          => ann is told 5001 waits 5000 spread 12 issued
        ",
    );
}

#[test]
fn nothing_is_pushed_into_a_list_that_is_not_whole() {
    play(
        "permits=1 tickets=20000",
        "
        0 crowd 5000
        0 ann joins   => hello 1
        0 ok          => more from 4001
        0 wakes
        0 push        => poked, no ack
        0 ok          => refused unknown, hello 2
        0 ok          => more from 4001
        0 ok          => batch 1 (1 attempts; join ann)
        ",
    );
}

#[test]
fn of_more_than_one_message_holds_the_lobby_is_told_by_a_list() {
    play(
        "permits=0 tickets=100000 linger=100",
        "
        ann waits already
        1 crowd 13000
        1 push         => poked, hello 2 knows 2, no ack
        1 ok           => more from 4001
        1 ok           => more from 8001
        1 ok           => more from 12001
        1 ok           => batch 2
        ",
    );
}

/// Something between is missing then. A message older than what the lobby knows changes nothing.
#[test]
fn a_message_of_another_life_or_from_too_far_on_makes_the_lobby_say_hello() {
    let story = play("permits=0", "ann waits already");
    let m = Moment {
        now: START,
        wall_ms: START.0,
    };
    let has = |change: &dyn Fn(&mut Message)| {
        let mut lobby = story.lobby.clone();
        let to = lobby.clone().handle_push(m, &ToLobby::Poke).life;
        let mut message = Message {
            to,
            life: lobby.replica().life(),
            version: Version(2),
            since: Version(2),
            ..Message::default()
        };
        change(&mut message);
        let said = ToLobby::Push(Box::new(message));
        lobby.handle_push(m, &said).acknowledged
    };
    assert_eq!(has(&|_| ()), Some(Version(2)), "as new as what it knows");
    assert_eq!(has(&|said| said.version = Version(3)), Some(Version(3)));
    assert_eq!(has(&|said| said.version = Version(1)), Some(Version(2)));
    assert_eq!(has(&|said| said.since = Version(3)), None);
    assert_eq!(has(&|said| said.life = RoomLife(9)), None);
    assert_eq!(has(&|said| said.to = LobbyLife(9)), None);
}

#[test]
fn a_lobby_is_whole_with_the_last_page_of_its_list() {
    let mut story = play(
        "permits=0 tickets=20000",
        "
        0 crowd 5000
        0 ann asks    => hello 1
        ",
    );
    assert!(!story.lobby.is_whole());
    story.run("0 ok");
    assert!(!story.lobby.is_whole(), "the first page");
    story.run("0 ok");
    assert!(story.lobby.is_whole());
}
