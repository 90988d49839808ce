//! Who is let in while the room cannot be reached: bounded in time and in rate, whatever the room does.

use baton::gate::Outage;
use baton::settings::OpenPolicy;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const START_MS: u64 = 1_700_000_000_000;
const POLICY: OpenPolicy = OpenPolicy {
    for_ms: 60_000,
    milli_per_s: 2_000,
};

fn broken(policy: &OpenPolicy) -> Outage {
    let mut outage = Outage::default();
    outage.failed(START_MS, policy);
    outage
}

/// How many of the requests that come each 10 ms are let in, from `from_ms` to `to_ms` after the first failure.
fn let_in(outage: &mut Outage, policy: &OpenPolicy, (from_ms, to_ms): (u64, u64)) -> usize {
    let times = (from_ms..to_ms).step_by(10).map(|ms| START_MS + ms);
    times.filter(|at_ms| outage.lets_in(*at_ms, policy)).count()
}

#[test]
fn nobody_before_the_first_failure() {
    let mut outage = Outage::default();
    assert!(!outage.is_on());
    assert_eq!(let_in(&mut outage, &POLICY, (0, 10_000)), 0);
}

#[test]
fn so_many_a_second_and_no_longer_than_so_long() {
    let mut outage = broken(&POLICY);
    assert_eq!(let_in(&mut outage, &POLICY, (0, 10)), 1);
    assert_eq!(let_in(&mut outage, &POLICY, (10, 20)), 1, "a second's worth");
    assert_eq!(let_in(&mut outage, &POLICY, (20, 500)), 0);
    assert_eq!(let_in(&mut outage, &POLICY, (500, 60_000)), 119);
    assert_eq!(let_in(&mut outage, &POLICY, (60_000, 600_000)), 0);
}

#[test]
fn less_than_one_a_second_and_none_at_all() {
    let slow = OpenPolicy { milli_per_s: 100, ..POLICY };
    assert_eq!(let_in(&mut broken(&slow), &slow, (0, 60_000)), 6);
    let none = OpenPolicy { milli_per_s: 0, ..POLICY };
    assert_eq!(let_in(&mut broken(&none), &none, (0, 60_000)), 0);
}

#[test]
fn a_room_that_goes_on_failing_has_one_outage() {
    let mut outage = broken(&POLICY);
    for s in 1..600 {
        outage.failed(START_MS + s * 1_000, &POLICY);
    }
    assert_eq!(let_in(&mut outage, &POLICY, (60_000, 600_000)), 0);
}

#[test]
fn a_room_that_comes_and_goes_has_one_outage() {
    let mut outage = broken(&POLICY);
    let mut count = 0;
    for s in 0..600 {
        outage.heal();
        assert!(!outage.lets_in(START_MS + s * 1_000, &POLICY), "it answers");
        outage.failed(START_MS + s * 1_000, &POLICY);
        count += usize::from(outage.lets_in(START_MS + s * 1_000, &POLICY));
    }
    assert_eq!(count, 60, "one each second of the first minute");
}

#[test]
fn after_a_quiet_time_the_next_outage_counts_anew() {
    let mut outage = broken(&POLICY);
    outage.heal();
    let later_ms = START_MS + 3_600_000;
    outage.failed(later_ms, &POLICY);
    assert!(outage.lets_in(later_ms, &POLICY));
    assert!(!outage.lets_in(later_ms + 60_000, &POLICY));
}

#[test]
fn a_clock_that_is_set_back_lets_nobody_in() {
    let mut outage = broken(&POLICY);
    assert!(!outage.lets_in(START_MS - 1, &POLICY));
    assert!(!outage.lets_in(0, &POLICY));
    assert!(!outage.lets_in(u64::MAX, &POLICY));
}
