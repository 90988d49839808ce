//! The tables themselves: quantiles, levels, what is recent, when a number was issued.

use super::sale::{BEGIN, exact};
use baton::facts::units::{Instant, Number};
use baton::room::times::histogram::{Histogram, Sliding, WINDOW_MS};
use baton::room::times::idle::Idle;
use baton::room::times::joins::Joins;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_quantile_is_never_too_short_and_at_most_an_eighth_too_long() {
    let mut rng = fastrand::Rng::with_seed(7);
    for top in [0, 1, 40, 1_000, 90_000, 5_000_000, 66_000_000] {
        let values: Vec<u64> = (0..500).map(|_| rng.u64(0..=top)).collect();
        let mut histogram = Histogram::default();
        for value in &values {
            histogram.add_ms(*value);
        }
        assert_eq!(histogram.count(), 500);
        assert_eq!(histogram.sum_ms(), values.iter().sum::<u64>());
        for thousandths in [1, 500, 900, 990, 1_000] {
            let (told, is) = (histogram.quantile_ms(thousandths).unwrap(), exact(&values, thousandths));
            // A bucket's end is rounded up to a whole millisecond.
            let most = (is + is / 8).max(is + 16) + 1;
            assert!(is <= told && told <= most, "{top}: {thousandths}: {is} {told}");
        }
    }
    assert_eq!(Histogram::default().quantile_ms(500), None);
}

#[test]
fn an_octave_holds_what_is_no_longer_than_its_end_and_nothing_else() {
    let ends_ms: Vec<u64> = (3..=22).map(|octave| (1_000 << octave) / 64).collect();
    let mut histogram = Histogram::default();
    for end in &ends_ms {
        histogram.add_ms(*end);
        histogram.add_ms(*end + 1);
    }
    let mut within = 0;
    for (units, count) in histogram.octaves() {
        within += count;
        let no_longer = ends_ms.iter().flat_map(|end| [*end, end + 1]);
        let is = no_longer.filter(|ms| ms * 64 <= units * 1_000).count() as u64;
        assert_eq!(within, is, "up to {units}/64 s");
    }
    assert_eq!(histogram.count() - within, 1, "one is longer than 18 hours");
}

#[test]
fn levels_are_told_by_the_time_that_was_spent_at_them() {
    let mut histogram = Histogram::default();
    for (level, ms) in [(3, 8_000), (10, 1_000), (15, 600), (12, 400)] {
        histogram.add_level(level, ms);
    }
    assert_eq!(histogram.quantile_level(800), Some(3));
    assert_eq!(histogram.quantile_level(801), Some(10));
    assert_eq!(histogram.quantile_level(1_000), Some(15));
    assert_eq!(histogram.level_held(600), Some(15));
    assert_eq!(histogram.level_held(601), Some(12));
    assert_eq!(histogram.level_held(2_001), Some(3));
    assert_eq!(histogram.level_held(10_001), None);
}

#[test]
fn the_recent_is_the_last_five_to_ten_minutes() {
    let mut sliding = Sliding::default();
    let at = |windows: u64, ms| Instant(windows * WINDOW_MS + ms);
    sliding.add_ms(at(10, 5), 1_000);
    sliding.add_ms(at(11, 7), 2_000);
    assert_eq!(sliding.recent(at(11, 9)).count(), 2);
    assert_eq!(sliding.recent(at(12, 0)).count(), 1);
    assert_eq!(sliding.recent(at(13, 0)).count(), 0);
    sliding.add_ms(at(12, 1), 3_000);
    assert_eq!(sliding.recent(at(12, 1)).sum_ms(), 5_000);
    sliding.add_ms(at(20, 0), 4_000);
    assert_eq!(sliding.recent(at(20, 0)).sum_ms(), 4_000);
    assert_eq!(sliding.all().sum_ms(), 10_000);
}

#[test]
fn all_of_a_window_is_recent_and_all_of_the_one_before() {
    let mut sliding = Sliding::default();
    for (window, times) in [(10, 3), (11, 2)] {
        for ms in 0..times {
            sliding.add_ms(Instant(window * WINDOW_MS + ms), 1_000);
        }
    }
    let recent = |window| sliding.recent(Instant(window * WINDOW_MS)).count();
    assert_eq!((recent(11), recent(12), recent(13)), (5, 2, 0));
}

#[test]
fn each_bucket_that_holds_something_is_told_with_its_end() {
    let mut histogram = Histogram::default();
    for ms in [1_000, 1_001, 1_002, 3_600_000, 70_000_000] {
        histogram.add_ms(ms);
    }
    let told: Vec<(u64, u64)> = histogram.buckets_ms().collect();
    // What is longer than 18 hours is told as so long.
    let wanted = [(1_000, 1), (1_125, 2), (3_840_000, 1), (65_536_000, 1)];
    assert_eq!(told, wanted);
}

#[test]
fn the_table_of_joins_is_bounded_and_never_tells_a_wait_too_short() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut joins = Joins::default();
    let mut issued = Vec::new();
    let mut now = BEGIN;
    let mut living = 1_u64;
    let mut coarsest = 0;
    for step in 0..60_000_u64 {
        now = now.plus_ms(rng.u64(1..600));
        let first = Number(issued.len() as u64 + 1);
        let count = rng.u64(1..4);
        issued.extend((0..count).map(|_| now));
        joins.joined(first, now, Number(living));
        // In the first half nobody goes in, then more do than come.
        if step > 30_000 {
            living = (living + 4).min(issued.len() as u64);
        }
        let number = rng.u64(living..=issued.len() as u64);
        let told = joins.issued_at(Number(number)).expect("waits");
        let is = issued[number as usize - 1];
        coarsest = coarsest.max(is.since_ms(told));
        assert!(told <= is && is.since_ms(told) < 4_000, "{number}: {told} {is}");
    }
    assert!(coarsest > 1_000, "the table was never thinned");
    let stored = postcard::to_allocvec(&joins).unwrap();
    assert!(stored.len() < 4_096 * 12, "{} bytes for {living}", stored.len());
    // Where nobody is left the grain is fine again.
    for _ in 0..20 {
        now = now.plus_ms(10_000);
        living = issued.len() as u64 + 1;
        joins.joined(Number(living), now, Number(living));
        issued.push(now);
    }
    assert_eq!(joins.issued_at(Number(living)), Some(now));
}

/// One joins each quarter of a second: when the table is full it gets half as fine, and when the line is short as fine as before.
#[test]
fn the_table_of_joins_is_as_fine_as_the_line_is_short() {
    let mut joins = Joins::default();
    let at = |number: u64| BEGIN.plus_ms(number * 250);
    let told = |joins: &Joins, number| joins.issued_at(Number(number));
    for number in 1..=4_096 {
        joins.joined(Number(number), at(number), Number(1));
        assert_eq!(told(&joins, number), Some(at(number)));
    }
    for number in 4_097..=4_100 {
        joins.joined(Number(number), at(number), Number(1));
    }
    let last = [4_097, 4_098, 4_099, 4_100].map(|number| told(&joins, number));
    assert_eq!(last, [4_097, 4_097, 4_099, 4_099].map(|number| Some(at(number))));
    for number in 4_101..=4_104 {
        // Nobody in front waits any more.
        joins.joined(Number(number), at(number), Number(number));
        assert_eq!(told(&joins, number), Some(at(number)));
    }
}

/// However many come back at different moments: the first 4,095 are told exactly, the rest as the first of them.
#[test]
fn free_permits_are_told_apart_up_to_a_bound() {
    let mut idle = Idle::default();
    for _ in 0..5_000 {
        idle.give(0);
        idle.wanted(1);
    }
    assert_eq!(idle.free(), 5_000);
    for taken in 0..5_000 {
        assert_eq!(idle.take(), 5_000 - taken.min(4_095), "{taken}");
    }
    assert_eq!((idle.free(), idle.take()), (0, 0));
}
