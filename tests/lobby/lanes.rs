//! Lanes at a lobby: who is brought into which, what people of each are told, and what a better lane leads to.

use crate::play::{START, play, visitor};
use baton::facts::hall::Draw;
use baton::facts::message::ToLobby;
use baton::facts::units::LaneId;
use baton::facts::wire::State;
use baton::lobby::Moment;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Joins of one lane in a row are one command. Who names none, or one that the room has not, is in everybody's.
#[test]
fn each_is_brought_into_the_lane_that_was_named() {
    play(
        "permits=0 lanes=vip,club,all rule=shares",
        "
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 ok                       => ann is told vip 1 waits 0 issued
        0 bob joins into vip       => batch 2 (1 attempts; join bob into vip)
        0 cat joins into vip
        0 dan joins
        0 eve joins into golden
        0 ok                       => bob is told vip 2 waits 1 issued, batch 3 (3 attempts; join cat into vip; join dan eve)
        0 ok                       => cat is told vip 3 waits 2 issued, dan is told all 1 waits 0 issued, eve is told all 2 waits 1 issued
        0 fay arrives as a into club => batch 4 (1 attempts; join fay as a into club)
        0 ok                       => fay is told club 1 waits 0 issued
        ",
    );
}

/// The room is asked anew first, for the lane may have come just now. Nobody joins, and who has a place keeps it.
#[test]
fn without_the_lane_that_must_be_there_is_no_number() {
    play(
        "permits=0 lanes=vip,all",
        "
        0 ann joins into golden only => hello 1
        0 ok                         => ann is told none no such lane, batch 1 (1 attempts)
        0 ok
        0 ann joins into vip only    => batch 2 (1 attempts; join ann into vip)
        0 ok                         => ann is told vip 1 waits 0 issued
        0 ann joins into golden only => ann is told vip 1 waits 0
        0 bob joins into golden only => batch 3 (2 attempts)
        0 ok                         => bob is told none no such lane
        ",
    );
}

/// By the strict rule who comes behind people of an earlier lane is told so; when they are gone everybody hears it.
#[test]
fn behind_a_strict_lane_there_is_no_estimate() {
    play(
        "permits=0 lanes=vip,all",
        "
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 bob joins
        0 ok                       => ann is told vip 1 waits 0 issued, batch 2 (1 attempts; join bob)
        0 ok                       => bob is told all 1 waits 0 behind issued
        0 bob opens
        0 ann leaves               => batch 3 (leave ann)
        0 ok                       => ann is told vip 1 over left, bob hears all 1 waits 0
        ",
    );
}

/// Looking at a page moves nothing, and says that joining would; joining moves the place to the end of the better lane.
#[test]
fn a_better_lane_moves_who_joins_and_nobody_who_looks() {
    play(
        "permits=0 lanes=vip,club,all rule=shares",
        "
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 ok                       => ann is told vip 1 waits 0 issued
        0 bob joins into club      => batch 2 (1 attempts; join bob into club)
        0 ok                       => bob is told club 1 waits 0 issued
        0 bob opens
        0 bob arrives into vip     => bob is told club 1 waits 0 better
        0 bob arrives into all     => bob is told club 1 waits 0
        0 bob joins into all       => bob is told club 1 waits 0
        0 bob joins into vip       => batch 3 (4 attempts; join bob into vip)
        0 ok                       => bob is told vip 2 waits 1, bob hears vip 2 waits 1
        0 bob joins into vip       => bob is told vip 2 waits 1
        ",
    );
}

/// The presale opens earlier than everybody's lane: each is told its own hours.
#[test]
fn each_lane_has_its_own_hours() {
    play(
        "permits=0 lanes=vip,all@20",
        "
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 bob joins
        0 ok                       => ann is told vip 1 waits 0 issued, batch 2 (1 attempts; join bob)
        0 ok                       => bob is told hall 1 issued
        ",
    );
}

/// A page tries a code once. The room moves whoever joins with a good one. Nobody is told again of a code that the room does not know.
#[test]
fn a_code_that_may_lead_into_a_better_lane_is_worth_a_try() {
    play(
        "permits=0 lanes=vip,all",
        "
        0 code 7 2 into vip
        0 bob joins                => hello 1
        0 ok                       => batch 1 (1 attempts; join bob)
        0 ok                       => bob is told all 1 waits 0 issued
        0 bob arrives with 7       => bob is told all 1 waits 0 better
        0 bob arrives with 7 tried => bob is told all 1 waits 0
        0 bob joins with 9         => batch 2 (3 attempts; join bob with code 9)
        0 ok                       => bob is told all 1 waits 0 voucher unknown
        0 bob joins with 7         => batch 3 (1 attempts; join bob with code 7)
        0 ok                       => bob is told vip 1 waits 0
        0 bob arrives with 7       => bob is told vip 1 waits 0
        0 ann arrives with 7       => batch 4 (2 attempts; join ann with code 7)
        0 ok                       => ann is told vip 2 waits 1 issued
        ",
    );
}

/// The room is asked about the place, and about nothing else. Who comes for an account has the shop's word and needs no code.
#[test]
fn who_only_comes_back_to_a_page_is_not_moved_and_spends_nothing() {
    play(
        "permits=0 lanes=vip,all rule=shares",
        "
        0 code 7 2 into vip
        0 bob joins                 => hello 1
        0 ok                        => batch 1 (1 attempts; join bob)
        0 ok                        => bob is told all 1 waits 0 issued
        0 bob arrives into vip bare => batch 2 (1 attempts; join bob)
        0 ok                        => bob is told all 1 waits 0 better
        0 bob arrives with 7 bare   => batch 3 (1 attempts; join bob)
        0 ok                        => bob is told all 1 waits 0 better
        0 cyd joins as a with 7     => batch 4 (1 attempts; join cyd as a)
        0 ok                        => cyd is told all 2 waits 1 issued
        ",
    );
}

/// Everybody's lane opens later, and nobody can walk into it: that stops nobody of another lane.
#[test]
fn whoever_may_walk_into_the_own_lane_does() {
    play(
        "permits=2 walkin=yes lanes=vip,all@40",
        "
        0 hours
        0 ann arrives into vip     => hello 1
        0 ok                       => batch 1 (1 attempts; walkin ann into vip)
        0 ok                       => ann is told vip 1 in issued lease 30/1800 provisional
        ",
    );
}

/// How many wait, when it opens, how it draws, and of which lane the entry is, or was.
#[test]
fn each_is_told_how_things_are_in_the_own_lane() {
    let mut story = play(
        "permits=0 lanes=vip,club@20!,all@40",
        "
        0 hours
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 bob joins into club
        0 cyd joins into club
        0 dan joins
        0 ok                       => ann is told vip 1 waits 0 issued, batch 2 (3 attempts; join bob cyd into club; join dan)
        0 ok                       => bob is told hall 1 issued, cyd is told hall 2 issued, dan is told hall 1 issued
        ",
    );
    let mut told = |name| {
        let status = story.status_of(name);
        let opens_in_s = status.opens_at_ms.map(|at| (at - START.0) / 1_000);
        (status.hall.0, status.waiting, opens_in_s, status.draw)
    };
    assert_eq!(told("ann"), (0, Some(1), None, None));
    assert_eq!(told("bob"), (2, Some(2), Some(20), Some(Draw::Arrival)));
    assert_eq!(told("dan"), (0, Some(1), Some(40), Some(Draw::Shuffle)));
    story.run("1 bob leaves");
    story.run("1 ok");
    let over = story.status_of("bob");
    assert_eq!((over.state, over.hall.0), (State::Over, 2));
}

#[test]
fn a_lane_that_is_closed_closes_no_other() {
    play(
        "permits=0 lanes=vip,all@9999",
        "
        0 hours
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 ok                       => ann is told vip 1 waits 0 issued
        0 bob joins                => bob is told none [closed]
        0 ann asks                 => ann is told vip 1 waits 0
        ",
    );
}

/// So that each socket is shown the frames of its own lane.
#[test]
fn a_lobby_says_in_which_lane_somebody_is() {
    let story = play(
        "permits=0 lanes=vip,all",
        "
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 bob joins
        0 ok                       => ann is told vip 1 waits 0 issued, batch 2 (1 attempts; join bob)
        0 ok                       => bob is told all 1 waits 0 behind issued
        ",
    );
    let lane_of = |name| story.lobby.lane_of(visitor(name));
    let lanes = ["ann", "bob", "eve"].map(lane_of);
    assert_eq!(lanes, [Some(LaneId(1)), Some(LaneId(0)), None]);
    assert!(story.lobby.has_lanes());
    assert!(!play("permits=0", "ann waits already").lobby.has_lanes());
}

#[test]
fn joins_of_one_lane_and_kind_in_a_row_are_one_command() {
    play(
        "permits=0 lanes=vip,club,all rule=shares",
        "
        0 ann joins into vip       => hello 1
        0 bob joins into vip
        0 cat joins as c into vip
        0 dan joins as d into vip
        0 eve joins as e into club
        0 ok                       => batch 1 (5 attempts; join ann bob into vip; join cat as c, dan as d into vip; join eve as e into club)
        ",
    );
}

/// In the line or in the hall: the room shows it no others.
#[test]
fn a_lobby_says_in_which_lanes_it_has_people() {
    let mut story = play(
        "permits=0 lanes=vip,club,all@20",
        "
        0 ann joins into vip       => hello 1
        0 ok                       => batch 1 (1 attempts; join ann into vip)
        0 bob joins
        0 ok                       => ann is told vip 1 waits 0 issued, batch 2 (1 attempts; join bob)
        0 ok                       => bob is told hall 1 issued
        ",
    );
    let lane = |name| story.lobby.lane_of(visitor(name)).expect("a place");
    let (vip, all) = (lane("ann"), lane("bob"));
    assert_ne!(vip, all);
    let m = Moment {
        now: START,
        wall_ms: START.0,
    };
    let heard = story.lobby.handle_push(m, &ToLobby::Poke);
    assert_eq!(heard.lanes, 1 << vip.0 | 1 << all.0);
}
