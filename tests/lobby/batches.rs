//! What goes to the room: one batch at a time, and what becomes of those that come to nothing.

use crate::play::{START, lobby_config, play, visitor};
use baton::facts::command::Command;
use baton::facts::holder::Salt;
use baton::facts::limits::{BATCH_COMMANDS_MAX, JOIN_COUNT_MAX};
use baton::facts::message::ToRoom;
use baton::facts::units::{Fence, LobbyId};
use baton::facts::wire::{Ask, Wish};
use baton::lobby::{Asker, Effect, Lobby, Moment};
use baton::room::Room;
use baton::room::courier::Courier;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn one_batch_is_out_at_a_time_and_joins_in_a_row_are_one_command() {
    play(
        "permits=0",
        "
        0 ann joins    => hello 1
        0 ok           => batch 1 (1 attempts; join ann)
        0 bob joins
        0 cyd joins
        0 dee arrives
        0 ok           => ann is told 1 waits 0 issued, batch 2 (3 attempts; join bob cyd dee)
        0 ok           => bob is told 2 waits 1 issued, cyd is told 3 waits 2 issued, dee is told 4 waits 3 issued
        ",
    );
}

#[test]
fn commands_go_in_the_order_in_which_they_were_asked_for() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 bob joins   => batch 2 (1 attempts; join bob)
        0 ok          => bob is told 2 waits 1 issued
        0 usher
        0 push        => ack
        1 eve joins   => batch 3 (1 attempts; join eve)
        1 cyd joins
        1 bob leaves
        1 dee joins
        1 ann claims
        1 ok          => eve is told 3 waits 2 issued, batch 4 (2 attempts; join cyd; leave bob; join dee; claim ann by 1)
        1 ok          => cyd is told 4 waits 1 issued, bob is told 2 over left, dee is told 5 waits 2 issued, ann is told 1 in lease 300/1800
        ",
    );
}

#[test]
fn what_was_lost_goes_again_before_what_came_later() {
    play(
        "permits=0",
        "
        0 ann joins    => hello 1
        0 ok           => batch 1 (1 attempts; join ann)
        0 lost
        0.1 bob joins
        0.2 time       => batch 2 (1 attempts; join ann bob)
        0.2 ok         => ann is told 1 waits 0 issued, bob is told 2 waits 1 issued
        ",
    );
}

/// Its command names a key, so it may come twice. A copy that comes late is refused.
#[test]
fn a_batch_that_was_taken_and_not_answered_is_done_once() {
    play(
        "permits=0",
        "
        0 ann joins   => hello 1
        0 ok          => batch 1 (1 attempts; join ann)
        0 taken
        5 time
        5.2 time      => batch 2 (join ann)
        5.2 answered
        5.2 ok        => ann is told 1 waits 0 issued
        5.2 again     => refused late
        ",
    );
}

#[test]
fn a_release_that_was_lost_is_done_once() {
    play(
        "permits=1",
        "
        ann waits already
        0 bob joins     => batch 2 (1 attempts; join bob)
        0 ok            => bob is told 2 waits 1 issued
        0 usher
        0 push          => ack
        0 ann claims    => batch 3 (claim ann by 1)
        0 ok            => ann is told 1 in lease 300/1800
        1 ann releases  => batch 4 (release 1)
        1 taken
        6 time
        6.2 time        => batch 5 (release 1)
        6.2 ok          => ann is told 1 over released
        6.2 again       => refused late
        ",
    );
}

#[test]
fn a_batch_that_is_refused_as_late_goes_under_another_number() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 says late
        0.2 time     => batch 2 (join ann)
        0.2 ok       => ann is told 1 waits 0 issued
        ",
    );
}

#[test]
fn an_answer_is_only_for_those_whose_wish_went_out_in_it() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 usher
        0 push        => ack
        1 bob joins   => batch 2 (1 attempts; join bob)
        1 ann claims
        1 ok          => bob is told 2 waits 1 issued, batch 3 (claim ann by 1)
        1 ok          => ann is told 1 in lease 300/1800
        ",
    );
}

#[test]
fn an_answer_that_a_push_has_overtaken_says_nothing_new_and_still_answers() {
    play(
        "permits=1 claim=30",
        "
        ann waits already
        0 ann opens
        1 bob joins  => batch 2 (1 attempts; join bob)
        1 taken
        1 usher
        1 push       => ann hears 1 called, ack
        1 answered   => bob is told 2 waits 1 issued
        ",
    );
}

#[test]
fn a_room_that_does_not_answer_is_asked_less_and_less_often() {
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
        0.6 lost
        0.6 when     => awake 1.4, alarm never
        1.4 time     => hello 1
        1.4 lost
        1.4 when     => awake 2.2, alarm never
        2.2 time     => hello 1
        2.2 lost
        2.2 when     => awake 3, alarm never
        6 time       => ann gets no answer, hello 1
        6 lost
        6 when       => awake 6.8, alarm never
        ",
    );
}

/// The room names whoever gets no number by a join of many.
#[test]
fn a_refusal_is_only_for_whom_the_room_names() {
    play(
        "permits=0",
        "
        0 far joins bob
        0 ann joins    => hello 1
        0 bob joins
        0 cyd joins
        0 ok           => batch 1 (3 attempts; join ann bob cyd)
        0 ok           => ann is told 2 waits 1 issued, bob is told none at 1, cyd is told 3 waits 2 issued
        ",
    );
}

/// The room came back meanwhile, and a Hello has given the batch up.
#[test]
fn an_answer_to_a_batch_that_was_given_up_says_nothing() {
    for said in ["deposed", "unknown", "later 3"] {
        play(
            "permits=0",
            &format!(
                "
                ann waits already
                1 bob joins    => batch 2 (1 attempts; join bob)
                1 wakes
                1 push         => poked, hello 2 knows 2, no ack
                1 says {said}
                1 ok           => batch 3 (join bob)
                1 ok           => bob is told 2 waits 1 issued
                "
            ),
        );
    }
}

/// Not even to whoever asks the same in it.
#[test]
fn an_answer_to_a_batch_that_was_given_up_is_none_to_the_next() {
    play(
        "permits=1",
        "
        ann is in already
        1 ann renews   => batch 3 (renew 1)
        1 taken
        1 wakes
        1 push         => poked, hello 2 knows 4, no ack
        1 ok           => batch 4 (renew 1)
        1 answered
        1 ok           => ann is told 1 in lease 300/1799
        ",
    );
}

/// The rest goes with the next.
#[test]
fn a_batch_holds_so_many_commands_and_a_join_so_many_people() {
    let releases = (Wish::Release(Fence(1)), BATCH_COMMANDS_MAX);
    let joins = (Wish::Join, JOIN_COUNT_MAX as usize);
    let m = Moment {
        now: START,
        wall_ms: START.0,
    };
    for (wish, most) in [releases, joins] {
        let mut lobby = Lobby::new(LobbyId(0), lobby_config(), 1);
        for asker in 0..=most as u64 {
            let ask = Ask::plain(visitor("ann"), None, wish);
            lobby.handle_ask(m, Asker(asker), ask);
        }
        let said = |lobby: &mut Lobby| match lobby.poll_effect() {
            Some(Effect::Call(call, said, _)) => (call, *said),
            other => panic!("{other:?}"),
        };
        let (call, ToRoom::Hello(hello)) = said(&mut lobby) else {
            panic!("no hello");
        };
        let answer = Courier::default().hello(&Room::new(), START, Salt([7; 16]), &hello);
        lobby.handle_answer(m, call, Some(answer));
        let (_, ToRoom::Batch(batch)) = said(&mut lobby) else {
            panic!("no batch");
        };
        let wishes = match batch.commands.as_slice() {
            [Command::Enter(enter)] => enter.who.len(),
            commands => commands.len(),
        };
        assert_eq!(wishes, most);
    }
}

/// A lobby that slept finds many leases to slide at once. Renewals never crowd out what people wait for, and the room refuses no batch for its length.
#[test]
fn many_leases_slide_by_several_batches() {
    let holders = BATCH_COMMANDS_MAX / 4 + 20;
    let mut story = play(&format!("permits={holders} walkin=yes idle=60"), "");
    let goes_out = |seen: &[String]| seen.iter().any(|seen| seen.starts_with("batch") || seen.starts_with("hello"));
    for (at, doing) in [(0, "arrives"), (1, "opens"), (1, "renews")] {
        let mut seen = Vec::new();
        for holder in 0..holders {
            seen.extend(story.run(&format!("{at} p{holder} {doing}")));
        }
        while goes_out(&seen) {
            seen = story.run(&format!("{at} ok"));
        }
    }
    let mut slid = Vec::new();
    let mut seen = story.run("45 time");
    while goes_out(&seen) {
        slid.push(seen.iter().map(|seen| seen.matches("renew").count()).sum());
        seen = story.run("45 ok");
    }
    slid.retain(|renewals: &usize| *renewals > 0);
    assert_eq!(slid, [BATCH_COMMANDS_MAX / 4, 20]);
}
