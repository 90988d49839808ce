//! Lanes at a lobby: who is brought into which, what people of each are told, and what a better lane leads to.

use crate::play::play;
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
