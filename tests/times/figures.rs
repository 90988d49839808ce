//! The figures of a whole sale are those of its lists: waits, holds, dead permit-time, the last hour.

use super::sale::{BEGIN, Sale, config};
use crate::wishes;
use baton::facts::answer_times::AnswerTimes;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::hours::Period;
use baton::facts::overheard::Overheard;
use baton::facts::units::{Fence, Number};
use baton::room::hall::Lots;
use baton::room::permits::Stage;
use baton::room::times::hour::SAMPLES_MAX;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn seeds() -> Vec<u64> {
    match option_env!("BATON_SEED") {
        Some(seed) => vec![seed.parse().expect("a number")],
        None => (0..60).collect(),
    }
}

/// Something happens to somebody.
fn step(sale: &mut Sale, rng: &mut fastrand::Rng) {
    let out: Vec<(Fence, Number, bool)> = sale
        .room
        .permits()
        .out()
        .map(|(fence, grant)| {
            let called = matches!(grant.stage, Stage::Called { .. });
            (fence, grant.number, called)
        })
        .collect();
    let number = Number(rng.u64(1..sale.room.line().next().0 + 1));
    let (fence, holder, called) = rng.choice(&out).copied().unwrap_or((Fence(0), number, false));
    let command = match rng.u32(0..12) {
        0..=2 => wishes::join(&sale.room, rng.u32(1..4)),
        3..=7 if called => wishes::claim(&sale.room, holder),
        3 | 4 => Command::Renew(fence),
        5..=7 => Command::Release(fence),
        8 => wishes::leave(&sale.room, number),
        9 => wishes::away(&sale.room, &[number]),
        10 => wishes::back(&sale.room, number),
        _ => wishes::walk_in(&sale.room),
    };
    sale.perform(&command);
}

#[test]
fn a_sales_figures_are_those_of_its_lists() {
    for seed in seeds() {
        println!("BATON_SEED={seed}");
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut sale = Sale::new(&config());
        for _ in 0..400 {
            sale.pass(*rng.choice(&[0, 1, 700, 1_000, 2_300]).unwrap());
            if rng.u32(0..3) == 0 {
                sale.tick();
            }
            step(&mut sale, &mut rng);
            sale.check_dead();
        }
        sale.check();
        assert!(sale.claims.len() > 20, "a sale in which nothing happens");
    }
}

#[test]
fn no_permit_is_dead_while_nobody_is_there_or_the_room_is_paused() {
    let mut sale = Sale::new(&config());
    sale.pass(10_000);
    sale.wants(|room| wishes::join(room, 1));
    assert_eq!(sale.report().dead_permit_ms, 0, "nobody was there");
    sale.pass(500);
    assert_eq!(sale.report().dead_permit_ms, 1_500, "three free permits");
    let paused = RoomConfig {
        mode: Mode::Paused,
        ..config()
    };
    sale.turn(|room, _, row| room.configure(&paused, row));
    sale.pass(60_000);
    sale.turn(|room, _, row| room.configure(&config(), row));
    assert_eq!(sale.report().dead_permit_ms, 1_500, "the operator wanted it");
    sale.tick();
    sale.pass(2_000);
    sale.wants(|room| wishes::claim(room, Number(1)));
    let report = sale.report();
    assert_eq!(report.dead_permit_ms, 3_500);
    assert_eq!(report.durations.handover.sum_ms, 2_500);
    assert_eq!(report.durations.claim.sum_ms, 2_000);
    assert_eq!(report.durations.wait.sum_ms, 60_500, "a pause is waited through");
}

/// Three permits are free for 600 ms, two more for 100 ms.
#[test]
fn permits_that_the_operator_takes_are_those_that_were_free_longest() {
    let mut sale = Sale::new(&config());
    sale.wants(|room| wishes::join(room, 1));
    let resize = |sale: &mut Sale, permits| {
        let config = RoomConfig { permits, ..config() };
        sale.turn(|room, _, row| room.configure(&config, row));
        let idle = &sale.room.measured().times.idle;
        (idle.free(), idle.dead_ms())
    };
    sale.pass(500);
    assert_eq!(resize(&mut sale, 5), (5, 1_500));
    sale.pass(100);
    assert_eq!(resize(&mut sale, 4), (4, 1_400));
    assert_eq!(resize(&mut sale, 1), (1, 100));
    sale.tick();
    sale.wants(|room| wishes::claim(room, Number(1)));
    assert_eq!(sale.report().durations.handover.sum_ms, 100);
}

#[test]
fn a_missed_call_makes_one_wait_and_its_time_is_the_permits() {
    let mut sale = Sale::new(&RoomConfig { permits: 1, ..config() });
    sale.wants(|room| wishes::join(room, 2));
    sale.tick();
    sale.pass(3_000);
    sale.tick();
    sale.wants(|room| wishes::back(room, Number(1)));
    sale.pass(1_000);
    sale.wants(|room| wishes::claim(room, Number(2)));
    let told = sale.report().durations;
    assert_eq!((told.handover.count, told.handover.sum_ms), (1, 4_000));
    assert_eq!((told.claim.count, told.claim.sum_ms), (1, 1_000));
    sale.perform(&Command::Release(Fence(2)));
    sale.check();
    let told = sale.report().durations;
    assert_eq!(told.wait.count, 2, "number 1 was called twice");
}

#[test]
fn who_never_shows_the_cookie_was_not_inside_for_the_figures() {
    let mut sale = Sale::new(&RoomConfig { walk_in: true, ..config() });
    sale.wants(wishes::walk_in);
    sale.wants(wishes::walk_in);
    sale.perform(&Command::Renew(Fence(2)));
    sale.pass(20_000);
    sale.tick();
    let report = sale.report();
    assert_eq!((report.totals.expired, report.totals.unproven), (2, 1));
    assert_eq!(report.durations.expired.count, 1);
}

#[test]
fn the_last_hour_has_a_sample_a_minute_also_through_sleep() {
    let mut sale = Sale::new(&config());
    assert_eq!(sale.hour(), []);
    sale.wants(|room| wishes::join(room, 5));
    sale.pass(60_000);
    sale.tick();
    sale.pass(150_000);
    let hour = sale.hour();
    let waiting: Vec<u64> = hour.iter().map(|sample| sample.waiting).collect();
    assert_eq!(waiting, [5, 5, 5]);
    assert_eq!(hour.iter().map(|sample| sample.free).collect::<Vec<_>>(), [3, 0, 0]);
    assert!(hour.windows(2).all(|pair| pair[1].at_ms - pair[0].at_ms == 60_000));
    sale.pass(100 * 3_600_000);
    let hour = sale.hour();
    assert_eq!(hour.len(), SAMPLES_MAX);
    assert!(sale.now.0 - hour[SAMPLES_MAX - 1].at_ms < 60_000);
}

/// Each minute keeps how long the origin took lately, and how many were in the hall.
#[test]
fn the_last_hour_has_answer_times_and_the_hall() {
    let mut sale = Sale::new(&RoomConfig {
        periods: vec![Period {
            opens_at_ms: BEGIN.0 + 3_600_000,
            closes_at_ms: BEGIN.0 + 7_200_000,
        }],
        ..config()
    });
    let lots = Lots::new(vec![[7; 32]]);
    sale.turn(|room, now, row| room.keep_hours(now.0, &lots, row));
    sale.wants(|room| wishes::join(room, 5));
    sale.pass(60_000);
    sale.perform(&wishes::overheard(Overheard {
        times: AnswerTimes::one(900),
        ..Overheard::default()
    }));
    sale.pass(60_000);
    sale.tick();
    sale.pass(60_000);
    let hour = sale.hour();
    let halls: Vec<u64> = hour.iter().map(|sample| sample.in_hall).collect();
    assert_eq!(halls, [5, 5, 5]);
    let known: Vec<bool> = hour.iter().map(|s| s.answer_p50_ms.is_some()).collect();
    assert_eq!(known, [false, true, true]);
    let last = hour.last().unwrap();
    assert!(last.answer_p50_ms.unwrap() > 512 && last.answer_p95_ms.unwrap() <= 1_024);
}

#[test]
fn figures_outlive_the_snapshot() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut sale = Sale::new(&config());
    for _ in 0..200 {
        sale.pass(1_100);
        sale.tick();
        step(&mut sale, &mut rng);
    }
    let room = wishes::come_back(&sale.room);
    assert_eq!(room, sale.room);
    assert_eq!(room.report(sale.now), sale.report());
}

#[test]
fn a_reset_begins_the_figures_anew_and_keeps_the_chart_of_the_last_hour() {
    let mut sale = Sale::new(&config());
    sale.wants(|room| wishes::join(room, 5));
    sale.pass(60_000);
    sale.tick();
    let (hour, waits) = (sale.hour(), sale.report().durations.wait);
    assert_eq!((hour.len(), hour[0].waiting, waits.count), (1, 5, 3));
    sale.turn(|room, _, row| room.reset("desk", row));
    assert_eq!(sale.hour(), hour);
    let report = sale.report();
    assert_eq!((report.durations.wait.count, report.dead_permit_ms), (0, 0));
}
