//! How often people are called, measured; and the waits that are told from it.

use super::sale::{BEGIN, Sale, config};
use crate::wishes;
use baton::facts::config::RoomConfig;
use baton::facts::rhythm::CallTime;
use baton::facts::units::{Instant, Number};
use baton::room::rhythm::Rhythm;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn at(second: u64) -> Instant {
    BEGIN.plus_ms(1_000 * second)
}

/// Somebody is called at each of these seconds.
fn called(seconds: impl IntoIterator<Item = u64>) -> Rhythm {
    let mut rhythm = Rhythm::default();
    for second in seconds {
        rhythm.called(at(second));
    }
    rhythm
}

const fn between(low_us: u64, high_us: u64) -> CallTime {
    CallTime { low_us, high_us }
}

/// Whoever is in front is called first, and a second that has begun counts.
#[test]
fn a_wait_is_told_in_whole_seconds_of_all_in_front_and_oneself() {
    let measured = between(1_500_000, 2_000_000);
    assert_eq!(measured.eta_s(0), Some((2, 2)));
    assert_eq!(measured.eta_s(4), Some((8, 10)));
    assert_eq!(between(1_000, 3_000).eta_s(999), Some((1, 3)));
    assert_eq!(CallTime::default().eta_s(4), None, "nothing was measured");
}

/// The first moment begins the time, so its calls are none within it. The spread is two parts of the root of the calls.
#[test]
fn of_three_calls_nothing_is_said_and_of_many_a_narrow_range() {
    assert_eq!(called(0..=3).call_time(at(3)), CallTime::default());
    assert_eq!(called(0..=4).call_time(at(4)), between(500_000, 2_000_000));
    assert_eq!(called(0..=16).call_time(at(16)), between(500_000, 1_500_000));
    assert_eq!(called(0..=36).call_time(at(36)), between(666_667, 1_333_333));
    let at_once = called([0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(at_once.call_time(at(1)), CallTime::default());
    let four = called([0, 1, 1, 1, 1]);
    assert_eq!(four.call_time(at(1)), between(125_000, 500_000));
}

#[test]
fn while_nobody_is_called_the_wait_grows() {
    let rhythm = called(0..=4);
    assert_eq!(rhythm.call_time(at(8)), between(1_000_000, 4_000_000));
    assert_eq!(rhythm.call_time(at(40)), between(5_000_000, 20_000_000));
}

/// Ten minutes, and sixty-four moments. Any number of calls are one moment.
#[test]
fn calls_are_remembered_for_so_long_and_so_many_moments_of_them() {
    let mut rhythm = called([0, 600]);
    assert_eq!(rhythm.calls_within(at(600), 600_000), 2);
    assert_eq!(rhythm.calls_within(at(600), 599_999), 1);
    rhythm.called(at(600).plus_ms(1));
    assert_eq!(rhythm.calls_within(at(601), u64::MAX), 2, "the first is old");
    assert_eq!(called(0..64).calls_within(at(64), u64::MAX), 64);
    assert_eq!(called(0..65).calls_within(at(65), u64::MAX), 64);
    assert_eq!(called([0; 100]).calls_within(at(0), 0), 100);
}

/// The pauses of a line in which nobody was say nothing about a wait.
#[test]
fn a_line_that_was_empty_is_measured_anew() {
    let mut sale = Sale::new(&RoomConfig { permits: 1, ..config() });
    sale.wants(|room| wishes::join(room, 6));
    sale.tick();
    for number in 1..=4 {
        sale.pass(1_000);
        sale.wants(|room| wishes::leave(room, Number(number)));
    }
    let told = |sale: &Sale| sale.room.gist(sale.now).call_time;
    assert_eq!(told(&sale), between(500_000, 2_000_000));
    sale.wants(|room| wishes::join(room, 1));
    assert_eq!(told(&sale), between(500_000, 2_000_000), "others wait");
    for number in 5..=7 {
        sale.wants(|room| wishes::leave(room, Number(number)));
    }
    sale.pass(60_000);
    sale.wants(|room| wishes::join(room, 1));
    assert_eq!(told(&sale), CallTime::default());
}
