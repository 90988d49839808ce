//! What is counted for the room and sent once: attempts, how the origin answers, how many seats are left.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn attempts_go_with_the_next_batch_or_after_ten_seconds_by_themselves() {
    play(
        "permits=0 linger=100",
        "
        ann waits already
        1 ann joins  => ann is told 1 waits 0
        2 ann joins  => ann is told 1 waits 0
        2 bob joins  => batch 2 (3 attempts; join bob)
        2 ok         => bob is told 2 waits 1 issued
        3 ann joins  => ann is told 1 waits 0
        12.9 time
        13 time      => batch 3 (1 attempts)
        13 ok
        ",
    );
}

#[test]
fn attempts_that_are_lost_stay_lost() {
    play(
        "permits=0",
        "
        0 ann joins  => hello 1
        0 ok         => batch 1 (1 attempts; join ann)
        0 lost
        0.2 time     => batch 2 (join ann)
        0.2 ok       => ann is told 1 waits 0 issued
        ",
    );
}

#[test]
fn errors_of_the_origin_go_within_a_second_and_good_answers_wait_for_company() {
    play(
        "permits=1 health=50",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        0 time
        1 origin 5 0
        1 when        => awake never, alarm never
        2 origin 0 3
        2.9 time
        3 time        => batch 2 (origin 5 3)
        3 ok
        4 origin 1 1
        4 bob joins   => batch 3 (1 attempts; join bob; origin 1 1)
        4 ok          => bob is told 1 waits 0 issued
        ",
    );
}

#[test]
fn counts_of_the_origin_that_are_lost_stay_lost() {
    play(
        "permits=1 health=50",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        1 origin 0 3
        2 time        => batch 2 (origin 0 3)
        2 lost
        2.2 time      => batch 3
        2.2 ok
        ",
    );
}

#[test]
fn of_what_the_shop_says_the_newest_goes() {
    play(
        "permits=1 seats=yes",
        "
        0 ann asks   => hello 1
        0 ok         => ann is told none, batch 1
        0 ok
        1 stock 9 5
        1 stock 8 4
        2 time       => batch 2 (stock 9)
        2 ok
        3 stock 7 6
        3 stock 6 7
        4 time       => batch 3 (stock 6)
        4 ok
        ",
    );
}

#[test]
fn refused_proofs_go_within_a_second_and_good_ones_with_company_or_after_ten() {
    play(
        "permits=1 linger=100",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        1 proofs 5 0
        1 proofs 7 0
        2 bob joins   => batch 2 (1 attempts; join bob; proofs 12 0)
        2 ok          => bob is told 1 waits 0 issued
        3 proofs 1 0
        12.9 time
        13 time       => batch 3 (proofs 1 0)
        13 ok
        14 proofs 2 1
        14.9 time
        15 time       => batch 4 (proofs 2 1)
        15 lost
        15.2 time     => batch 5
        15.2 ok
        ",
    );
}

#[test]
fn refused_entries_go_with_company_or_after_ten_seconds() {
    play(
        "permits=1 linger=100",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        1 refused missing
        1 refused missing
        1 refused late
        2 bob joins   => batch 2 (1 attempts; join bob; refused missing 2 late 1)
        2 ok          => bob is told 1 waits 0 issued
        3 refused key
        12.9 time
        13 time       => batch 3 (refused key 1)
        13 ok
        ",
    );
}

#[test]
fn what_only_observing_lets_in_goes_with_company_or_after_ten_seconds() {
    play(
        "permits=1 linger=100",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        1 only 2
        1 only 1
        2 bob joins   => batch 2 (1 attempts; join bob; only 3)
        2 ok          => bob is told 1 waits 0 issued
        3 only 4
        12.9 time
        13 time       => batch 3 (only 4)
        13 ok
        ",
    );
}

#[test]
fn how_long_the_origin_took_goes_only_with_company_and_at_most_every_ten_seconds() {
    play(
        "permits=1",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        0 time
        1 took 240
        1 took 90
        1 when        => awake never, alarm never
        2 bob joins   => batch 2 (1 attempts; join bob; took 2 in 330)
        2 ok          => bob is told 1 waits 0 issued
        3 took 7
        3 cem joins   => batch 3 (1 attempts; join cem)
        3 ok          => cem is told 2 waits 1 issued
        13 dee joins  => batch 4 (1 attempts; took 1 in 7)
        13 ok         => batch 5 (join dee)
        13 ok         => dee is told 3 waits 2 issued
        ",
    );
}

#[test]
fn good_answers_go_with_company_though_there_is_no_bad_one() {
    play(
        "permits=1 health=50",
        "
        0 ann asks    => hello 1
        0 ok          => ann is told none, batch 1
        0 ok
        1 origin 3 0
        1 bob joins   => batch 2 (1 attempts; join bob; origin 3 0)
        1 ok          => bob is told 1 waits 0 issued
        ",
    );
}

#[test]
fn ten_seconds_after_they_were_told_times_are_told_again_and_no_millisecond_earlier() {
    play(
        "permits=1",
        "
        0 ann asks        => hello 1
        0 ok              => ann is told none, batch 1
        0 ok
        2 took 240
        2 bob joins       => batch 2 (1 attempts; join bob; took 1 in 240)
        2 ok              => bob is told 1 waits 0 issued
        3 took 7
        11.999 cem joins  => batch 3 (1 attempts)
        11.999 ok         => batch 4 (join cem)
        11.999 ok         => cem is told 2 waits 1 issued
        12 dee joins      => batch 5 (1 attempts; join dee; took 1 in 7)
        ",
    );
}

/// As the room takes it: what another says of that very moment is no news.
#[test]
fn of_what_the_shop_says_of_one_moment_the_first_goes() {
    play(
        "permits=1 seats=yes",
        "
        0 ann asks   => hello 1
        0 ok         => ann is told none, batch 1
        0 ok
        1 stock 9 5
        1 stock 8 5
        2 time       => batch 2 (stock 9)
        ",
    );
}
