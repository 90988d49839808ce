//! The pace of arrivals: crowds of every shape come to fronts that know little of each other, and no lobby is asked more than it
//! can take. A failure prints the seed that replays it: `BATON_SEED=<seed> cargo test --test pace`.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "pace/crowd.rs"]
mod crowd;

use baton::gate::{Bookings, Load, Pace, SPREAD_S_MAX, spread_s};
use crowd::{Crowd, Shape, play};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What an object takes in a second (docs/scale.md).
const REQUESTS_PER_S_MAX: usize = 800;
const START_MS: u64 = 1_700_000_000_000;
const SPREAD_MS_MAX: u64 = SPREAD_S_MAX * 1_000;

/// A full crowd. Up to thirty isolates a lobby: each has to ask somebody before it knows anything, so more cost more.
fn drawn(seed: u64) -> Crowd {
    let mut rng = fastrand::Rng::with_seed(seed);
    let lobbies = rng.u64(1..=3);
    let lasts_ms = rng.u64(1_000..8_000);
    Crowd {
        seed,
        people: lobbies as usize * 10_000,
        lobbies,
        isolates: (lobbies * rng.u64(1..=30)) as usize,
        is_uneven: rng.bool(),
        round_trip_ms: rng.u64(20..=150),
        walk_in: rng.bool(),
        is_paced: true,
        shape: match rng.u8(0..4) {
            0 => Shape::Even(lasts_ms),
            1 => Shape::Rising(lasts_ms),
            2 => Shape::Falling(lasts_ms * 2),
            _ => Shape::Twice(lasts_ms / 2 + 500, lasts_ms * 2),
        },
    }
}

#[test]
fn no_lobby_is_asked_more_than_it_can_take_whatever_the_shape_of_the_burst() {
    let seeds = match std::env::var("BATON_SEED") {
        Ok(seed) => vec![seed.parse().expect("a number")],
        Err(_) => (0..8).collect(),
    };
    for seed in seeds {
        let crowd = drawn(seed);
        let seen = play(&crowd);
        let most = seen.most_per_s;
        assert!(most <= REQUESTS_PER_S_MAX, "{most} a second: {crowd:?}");
        assert!(seen.longest_ms <= SPREAD_MS_MAX, "{seen:?}: {crowd:?}");
        let too_long_ms = seen.mean_ms.saturating_sub(seen.ideal_ms);
        assert!(too_long_ms <= 2_500, "{seen:?}: {crowd:?}");
    }
}

const SECOND: Crowd = Crowd {
    seed: 1,
    people: 100_000,
    lobbies: 10,
    isolates: 100,
    is_uneven: true,
    round_trip_ms: 100,
    walk_in: true,
    is_paced: true,
    shape: Shape::Even(1_000),
};

#[test]
fn a_hundred_thousand_in_one_second_have_all_asked_after_twenty() {
    let seen = play(&SECOND);
    assert!(seen.most_per_s <= REQUESTS_PER_S_MAX, "{seen:?}");
    assert!(seen.last_ms <= 20_000, "{seen:?}");
    let unpaced = play(&Crowd { is_paced: false, ..SECOND });
    assert!(unpaced.most_per_s > 8_000, "{unpaced:?}");
}

#[test]
fn a_crowd_within_one_round_trip_of_which_nobody_can_be_told_is_a_little_too_much() {
    let seen = play(&Crowd {
        shape: Shape::Even(100),
        ..SECOND
    });
    assert!(seen.most_per_s <= 1_100, "{seen:?}");
    assert!(seen.last_ms <= 21_000, "{seen:?}");
}

#[test]
fn a_crowd_that_takes_its_time_waits_for_nobody() {
    let seen = play(&Crowd {
        people: 10_000,
        lobbies: 1,
        isolates: 20,
        shape: Shape::Even(40_000),
        ..SECOND
    });
    assert!(seen.unspread >= 8_500, "{seen:?}");
    assert!(seen.mean_ms <= 200, "{seen:?}");
}

#[test]
fn a_visitor_alone_never_waits_even_where_no_lobby_ever_answers() {
    let mut pace = Pace::default();
    for visit in 0..1_000 {
        let now_ms = START_MS + visit * 1_001;
        assert_eq!(pace.wait_ms(now_ms, 1, visit * 7_919), 0);
    }
}

#[test]
fn pages_that_nobody_can_be_told_of_wait_the_more_there_are_at_most_a_full_lobby() {
    let mut pace = Pace::default();
    let waits: Vec<u64> = (0..200).map(|page| pace.wait_ms(START_MS + page, 10, page * 7_919)).collect();
    let mean = |part: &[u64]| part.iter().sum::<u64>() / part.len() as u64;
    assert_eq!(waits[0], 0);
    assert!(mean(&waits[..5]) < mean(&waits[5..20]));
    assert!(mean(&waits[5..20]) < mean(&waits[100..]));
    assert!(*waits.iter().max().unwrap() <= 10_000_000 / 600);
}

#[test]
fn a_guess_is_spread_at_random_from_half_of_it_on() {
    let mut pace = Pace::default();
    for _ in 0..11 {
        pace.wait_ms(START_MS, 10, 0);
    }
    // The first page is free. Each of the ten others stands for a thousand, at ten lobbies' pace.
    let guess_ms = 10 * 1_000 * 1_000 / 6_000;
    let wait_ms = |die| {
        let mut pace = pace;
        pace.wait_ms(START_MS, 10, die)
    };
    assert_eq!(wait_ms(0), guess_ms / 2);
    assert_eq!(wait_ms(guess_ms - 1), guess_ms / 2 + guess_ms - 1);
}

#[test]
fn it_goes_on_from_the_last_answer_and_time_frees_the_lobby() {
    let mut pace = Pace::default();
    let report = pace.report(START_MS).expect("nothing was heard yet");
    let load = Load { busy_ms: 5_000, pages: 0 };
    pace.hear(report, load, 2);
    assert_eq!(pace.report(START_MS + 900), None, "nothing to tell or hear");
    assert_eq!(pace.wait_ms(START_MS + 1_000, 1, 0), 4_000);
    let later = pace.report(START_MS + 1_500).expect("a page to tell of");
    assert_eq!(later.pages, 1);
    pace.hear(later, Load::default(), 2);
    pace.hear(report, load, 2);
    assert_eq!(pace.wait_ms(START_MS + 1_600, 1, 0), 0, "an older answer");
    pace.refused(report);
    assert_eq!(pace.wait_ms(START_MS + 1_600, 1, 0), 0, "an older refusal");
    pace.refused(pace.clone().report(START_MS + 1_700).unwrap());
    let wait_ms = pace.wait_ms(START_MS + 2_700, 1, 0);
    assert_eq!(wait_ms, SPREAD_MS_MAX - 1_000, "it had too much to do");
    assert_eq!(pace.wait_ms(START_MS + 40_000, 1, 0), 0, "quiet again");
}

#[test]
fn what_one_page_stands_for_is_measured() {
    let mut pace = Pace::default();
    for page in 0..10 {
        pace.wait_ms(START_MS + page, 2, 0);
    }
    let report = pace.report(START_MS + 10).unwrap();
    // Two lobbies heard of 300 each in the second in which this isolate filled ten: sixty for one.
    let load = Load { busy_ms: 0, pages: 300 };
    pace.hear(report, load, 2);
    let waits: Vec<u64> = (0..12).map(|page| pace.wait_ms(START_MS + 20 + page, 2, 0)).collect();
    assert_eq!(waits[..3], [0, 0, 0], "the first is free; too short");
    assert_eq!(waits[11], 10 * 60 * 1_000 / 1_200);
}

/// An answer of a lobby counts half: the other half is what the isolate made of its own pages since the last answer.
#[test]
fn an_answer_counts_half_of_what_is_known() {
    let mut pace = Pace::default();
    let told = |pace: &mut Pace, at_ms, load| {
        for _ in 0..10 {
            pace.wait_ms(at_ms, 2, 0);
        }
        let report = pace.report(at_ms).unwrap();
        pace.hear(report, load, 2);
    };
    told(&mut pace, START_MS, Load { busy_ms: 0, pages: 300 });
    told(&mut pace, START_MS + 10, Load { busy_ms: 1_000, pages: 600 });
    // Each of ten pages stood for sixty: 600 pages take two lobbies 500 ms, of which ten have passed.
    assert_eq!(pace.wait_ms(START_MS + 10, 2, 0), (490 + 1_000) / 2);
}

#[test]
fn books_are_kept_at_one_pace_and_empty_by_themselves() {
    let mut books = Bookings::default();
    assert_eq!(books.book(START_MS, 599, 1).busy_ms, 1_000);
    let load = books.book(START_MS + 400, 0, 0);
    assert_eq!((load.busy_ms, load.pages), (600, 599));
    let load = books.book(START_MS + 5_000, 0, 0);
    assert_eq!((load.busy_ms, load.pages), (0, 0));
    let flood = books.book(START_MS + 5_000, u64::MAX, u64::MAX);
    assert_eq!(flood.busy_ms, SPREAD_MS_MAX, "nobody is booked further");
    let load = books.book(START_MS + 5_000 + SPREAD_MS_MAX, 0, 0);
    assert_eq!(load.busy_ms, 0);
    let set_back = books.book(START_MS - 3_600_000, 0, 0);
    assert!(set_back.busy_ms <= SPREAD_MS_MAX, "a clock that was set back");
}

#[test]
fn someone_sets_out_to_tell_of_many_pages_and_a_few_strangers_ask_for_all() {
    let mut pace = Pace::default();
    for _ in 0..31 {
        pace.wait_ms(START_MS, 1, 0);
        assert!(!pace.is_untold(START_MS));
    }
    pace.wait_ms(START_MS, 1, 0);
    assert!(pace.is_untold(START_MS));
    assert_eq!(pace.report(START_MS).unwrap().pages, 32);
    assert!(!pace.is_untold(START_MS));
    let may = |pace: &mut Pace, at_ms| (0..5).filter(|_| pace.take_probe(at_ms)).count();
    assert_eq!(may(&mut pace, START_MS), 2);
    assert_eq!(may(&mut pace, START_MS + 99), 0);
    assert_eq!(may(&mut pace, START_MS + 100), 2);
}

#[test]
fn a_wait_is_told_in_whole_seconds_which_come_out_even() {
    assert_eq!(spread_s(0, [999, 999]), 0);
    let dice = |die: u16| [die % 100 * 10 + 5, die / 100 * 10 + 5];
    for wait_ms in [200, 1_000, 1_499, 7_350, 28_000] {
        let all = (0..10_000).map(|die| spread_s(wait_ms, dice(die)));
        // A page comes half a second before the end of its second, on average.
        let mean_ms = all.sum::<u64>() / 10 - 500;
        assert!(mean_ms.abs_diff(wait_ms) <= 10, "{wait_ms}: {mean_ms}");
    }
    assert_eq!(spread_s(SPREAD_MS_MAX, [999, 999]), SPREAD_S_MAX);
}

#[test]
fn a_load_is_read_as_it_was_written_and_nothing_else_is() {
    let load = Load { busy_ms: 1_560, pages: 812 };
    assert_eq!(load.text(), "1560,812");
    assert_eq!(Load::of_text(&load.text()), Some(load));
    for text in ["", "1560", "1560,", "a,b", "-1,2", "1,2,3"] {
        assert_eq!(Load::of_text(text), None, "{text}");
    }
}
