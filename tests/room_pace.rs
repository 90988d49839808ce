//! How many at once and how fast: the rate cap, the tray, the hand, and an operator who changes
//! permits and mode while people wait. The language of the stories is described in `script`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod script;
mod wishes;

use baton::facts::config::RoomConfig;
use baton::facts::units::Instant;
use baton::room::pace::Pace;
use script::check;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn the_rate_caps_what_the_usher_gives_out() {
    check(
        "permits=10 rate=2 tick=1",
        "
        0    join a b c d e f g h
        0    usher  => usher a b, alarm 1
        0.4  usher  => nothing
        0.5  usher  => usher c, hand 7
        1.5  usher  => usher d e, alarm 2.5
        9    usher  => usher f g
        ",
    );
}

/// A fractional rate: one admission each four seconds, to the millisecond.
#[test]
fn fractional_rates_are_exact() {
    check(
        "permits=10 rate=0.25 tick=1",
        "
        0      join a b c d
        0      usher  => usher a, alarm 4
        3.999  usher  => nothing, alarm 4
        4      alarm  => usher b, alarm 8
        7      usher  => nothing
        8.5    usher  => usher c, alarm 12.5
        12.499 usher  => nothing
        12.5   usher  => usher d
        ",
    );
    check(
        "permits=10 rate=0.3 tick=1",
        "
        0     join a b
        0     usher  => usher a, alarm 3.334
        3.333 usher  => nothing, alarm 3.334
        3.334 alarm  => usher b
        ",
    );
}

/// The baton and walk-ins are admissions too. A permit that the pace does not let pass on lies on
/// the tray until the hand is empty.
#[test]
fn baton_and_walk_in_spend_from_the_same_bucket() {
    check(
        "permits=3 rate=1 tick=1 walkin=yes",
        "
        0    walkin a  => walkin a
        0.5  walkin b  => full
        1    walkin b  => walkin b
        1    join c d e
        1.5  release a => tray 1, hand 1
        2    usher     => usher c, hand 0, tray 1
        2.5  release b => tray 2
        3    usher     => usher d, hand 1, tray 0
        4    release a => nothing
        4    leave c   => baton e, hand 1
        4.5  leave e   => tray 1
        ",
    );
}

/// No more than a tick's worth is saved up, and never less than one; a new rate starts full.
#[test]
fn nothing_is_saved_up_beyond_a_tick() {
    let mut config = RoomConfig {
        admissions_milli_per_s: 3_000,
        tick_ms: 1_000,
        ..RoomConfig::default()
    };
    let mut pace = Pace::default();
    let t0 = Instant(5_000_000);
    pace.change(t0, &RoomConfig::default(), &config);
    assert_eq!(pace.allows(t0.plus_ms(3_600_000), &config), 3);
    for _ in 0..3 {
        pace.spend(t0, &config);
    }
    assert_eq!(pace.allows(t0, &config), 0);
    assert_eq!(pace.ready_at(t0, &config), t0.plus_ms(334));
    assert_eq!(pace.allows(t0.plus_ms(333), &config), 0);
    assert_eq!(pace.allows(t0.plus_ms(334), &config), 1);
    config.admissions_milli_per_s = 1;
    pace.change(t0, &RoomConfig::default(), &config);
    assert_eq!(pace.allows(t0, &config), 1);
    pace.spend(t0, &config);
    assert_eq!(pace.ready_at(t0, &config), t0.plus_ms(1_000_000));
    config.admissions_milli_per_s = 0;
    assert_eq!(pace.allows(t0, &config), u64::MAX);
    assert_eq!(pace.ready_at(t0, &config), t0);
}

/// Over any long time the rate is kept exactly: nothing is lost to rounding.
#[test]
fn the_rate_is_kept_over_an_hour() {
    let config = RoomConfig {
        admissions_milli_per_s: 7_700,
        tick_ms: 1_000,
        ..RoomConfig::default()
    };
    let mut pace = Pace::default();
    let start = Instant(1_000_000_000);
    pace.change(start, &RoomConfig::default(), &config);
    let mut admitted = 0;
    let mut now = start;
    while now.since_ms(start) < 3_600_000 {
        while pace.allows(now, &config) > 0 {
            pace.spend(now, &config);
            admitted += 1;
        }
        now = now.plus_ms(300);
    }
    // 3,600 s × 7.7, plus the bucket that was full at the beginning, less what runs in the last step.
    assert!((27_720 + 4..=27_720 + 7).contains(&admitted), "{admitted}");
}

#[test]
fn c39_fewer_permits_evict_nobody_and_more_pay_the_debt_first() {
    check(
        "permits=4",
        "
        0  join a b c d e f
        0  usher            => usher a b c d
        1  claim a
        1  claim b
        2  set permits=1    => debt 3, a in, c called
        3  release a        => debt 2, hand 0, tray 0
        4  usher            => nothing
        5  set permits=2    => debt 1, hand 0
        6  leave c          => debt 0
        7  release b        => baton e
        8  set permits=5    => hand 3
        8  usher            => usher f, hand 2
        9  set permits=0    => debt 3, hand 0
        10 set permits=5    => debt 0, hand 2
        ",
    );
}

/// What runs out pays the debt as well, and only the rest is given out.
#[test]
fn expired_permits_pay_the_debt() {
    check(
        "permits=3 claim=30",
        "
        0  join a b c d e
        0  usher          => usher a b c
        1  set permits=1  => debt 2
        30 alarm          => usher d, debt 0, hand 0, a missed
        ",
    );
}

/// Free permits vanish before debt is made: first the hand's, then the tray's.
#[test]
fn fewer_permits_take_the_free_ones_first() {
    check(
        "permits=5",
        "
        0  join a b c
        0  usher          => usher a b c, hand 2
        1  claim a
        1  release a      => tray 1
        2  set permits=4  => hand 1, tray 1, debt 0
        3  set permits=2  => hand 0, tray 0, debt 0
        4  set permits=1  => debt 1
        ",
    );
}

#[test]
fn paused_the_line_forms_and_leases_go_on() {
    check(
        "permits=2 idle=60 max=600",
        "
        0   join a b c d
        0   usher            => usher a b
        1   claim a
        2   set mode=paused
        2   claim b          => b in
        3   usher            => nothing
        4   release a        => tray 1, hand 0
        5   usher            => nothing, tray 1
        6   join e           => e waits 2, alarm 62
        10  renew b          => b in 60
        70  alarm            => b over, hand 1, tray 1
        80  set mode=open    => alarm 80
        80  alarm            => usher c d, hand 0, tray 0
        ",
    );
}

#[test]
fn bypassed_the_line_stands_still() {
    check(
        "permits=1",
        "
        0  join a b c
        0  usher           => usher a
        0  claim a
        1  set mode=bypass
        2  release a       => tray 1
        3  usher           => nothing, b waits 0, alarm none
        4  set mode=open
        4  usher           => usher b, tray 0
        ",
    );
}

/// Hand empty → tray into the hand; not empty: the tray stays. Also when nobody is there.
#[test]
fn the_tray_waits_until_the_hand_is_empty() {
    check(
        "permits=3",
        "
        0  join a b
        0  usher      => usher a b, hand 1
        1  leave a    => tray 1
        2  usher      => nothing, hand 1, tray 1
        3  join c d
        3  usher      => usher c d, hand 0, tray 0
        4  leave c    => tray 1
        5  usher      => hand 1, tray 0
        ",
    );
}

/// What was saved up under the old rate stays, and nothing more comes of it.
#[test]
fn another_rate_counts_from_when_it_is_set() {
    check(
        "permits=10 rate=0.25 tick=1",
        "
        0     join a b c
        0     usher          => usher a, alarm 4
        2     set rate=0.5   => alarm 3
        2.999 usher          => nothing
        3     alarm          => usher b, alarm 5
        4     set rate=0.25  => alarm 6
        5.999 usher          => nothing
        6     alarm          => usher c
        ",
    );
}

/// Whoever finds nothing free takes back what has run out. Else that is the usher's.
#[test]
fn what_has_run_out_is_taken_back_when_nothing_is_free() {
    check(
        "permits=2 walkin=yes claim=30",
        "
        0   walkin a  => walkin a
        31  walkin b  => walkin b, hand 0, tray 0
        31  walkin c  => walkin c, a over, hand 0
        31  renew a   => nothing
        ",
    );
}
