//! The cap of the line (`line_max`): exactly so many have a place in everybody's line, and whoever frees one lets one in. The language of the stories
//! is described in `script`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod script;
mod wishes;

use script::check;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn exactly_so_many_have_a_place_and_one_that_is_free_lets_the_next_in() {
    check(
        "permits=1 claim=30 grace=600 line=3",
        "
        0    join a b c
        0    join d     => full, nothing
        0    join a     => nothing, a waits 0
        1    leave b
        1    join d e   => full, d waits 2
        2    usher      => usher a, d waits 2
        2    join e     => full, nothing
        3    claim a    => a in, c waits 0
        3    join e     => e waits 2
        3    join f     => full, nothing
        ",
    );
}

#[test]
fn who_joins_together_fills_the_line_in_order() {
    check(
        "permits=0 line=2",
        "
        0    join a b c d => a waits 0, b waits 1
        0    join c       => full, nothing
        1    leave a
        1    join d c     => full, d waits 1
        ",
    );
}

#[test]
fn a_missed_call_keeps_its_place_and_a_second_frees_it() {
    check(
        "permits=2 claim=30 grace=600 idle=30 walkin=yes line=1",
        "
        0    join a
        0    usher      => usher a
        0    join b     => full, nothing
        30   alarm      => a missed, hand 2
        30   join b     => full, nothing
        31   back a
        32   usher      => usher a
        32   walkin x   => walkin x
        61   join b     => full, nothing
        62   join x b   => a over, x waits 0, full
        ",
    );
}

#[test]
fn nobody_who_waits_is_sent_away_when_the_cap_is_lowered() {
    check(
        "permits=0 line=3",
        "
        0    join a b c
        1    set line=1
        1    join d     => full, nothing, a waits 0, c waits 2
        2    leave a
        2    leave b
        2    join d     => full, nothing
        3    leave c
        3    join d     => d waits 0
        4    set line=0
        4    join a b c => c waits 3
        ",
    );
}

#[test]
fn who_walks_in_never_waits_and_needs_no_place() {
    check(
        "permits=1 walkin=yes grace=600 line=1",
        "
        0    walkin a   => walkin a
        0    join b
        1    away b
        2    release a  => tray 1
        2    walkin c   => walkin c
        2    join d     => full, nothing
        ",
    );
}

#[test]
fn only_everybodys_lane_has_the_cap() {
    check(
        "permits=0 line=1 lanes=members,everybody",
        "
        0    join a
        0    join b     => full, nothing
        0    join:members c d e => e waits 2
        1    join:members a     => a waits 3
        1    join b     => b waits 0
        1    join f     => full, nothing
        ",
    );
}
