//! Observed crowds, where the right settings are known.

use super::sale::{BEGIN, Sale, config};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::reply::{Reply, Standing};
use baton::room::times::observed::{HELD_MS, Observation, Recommended, SEEN_MIN};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A crowd that nobody holds up: when each comes, and when each is active and leaves after that.
struct Visit {
    comes_ms: u64,
    active_ms: Vec<u64>,
    /// `None`: without a word.
    leaves_ms: Option<u64>,
}

/// What a room says of a crowd.
fn observed(visits: &[Visit], until_ms: u64) -> Option<Observation> {
    let mut sale = Sale::new(&RoomConfig {
        permits: 1,
        mode: Mode::Observe,
        lease_idle_ms: 600_000,
        lease_max_ms: 3_600_000,
        ..config()
    });
    let mut todo: BTreeMap<(u64, usize), Command> = BTreeMap::new();
    let mut fences = BTreeMap::new();
    for (who, visit) in visits.iter().enumerate() {
        let holder = wishes::holder(who as u64);
        todo.insert((visit.comes_ms, who), Command::WalkIn(holder));
    }
    while let Some(((at, who), command)) = todo.pop_first() {
        while sale
            .room
            .due_at(sale.now)
            .is_some_and(|due| due.since_ms(BEGIN) < at)
        {
            let due = sale.room.due_at(sale.now).unwrap();
            sale.pass(due.since_ms(sale.now));
            sale.tick();
        }
        sale.pass(at - sale.now.since_ms(BEGIN));
        if matches!(command, Command::WalkIn(_)) {
            let Reply::Stands(_, Standing::Admitted { fence, .. }) = sale.perform(&command) else {
                panic!("held up");
            };
            fences.insert(who, fence);
            sale.perform(&Command::Renew(fence));
            let visit = &visits[who];
            for active in &visit.active_ms {
                todo.insert((at + active, who), Command::Renew(fence));
            }
            if let Some(leaves) = visit.leaves_ms {
                todo.insert((at + leaves, who), Command::Release(fence));
            }
        } else {
            sale.perform(&command);
        }
    }
    sale.pass(until_ms.saturating_sub(sale.now.since_ms(BEGIN)));
    sale.tick();
    sale.report().observation
}

/// Somebody comes each `every_ms` for `for_ms`, is active each 30 s and leaves after two minutes.
fn steady(from_ms: u64, for_ms: u64, every_ms: u64) -> Vec<Visit> {
    let comes = (0..for_ms / every_ms).map(|i| from_ms + i * every_ms);
    comes
        .map(|comes_ms| Visit {
            comes_ms,
            active_ms: vec![30_000, 60_000, 90_000],
            leaves_ms: Some(120_000),
        })
        .collect()
}

#[test]
fn a_steady_crowd_is_recommended_for_as_it_is() {
    // One in three seconds for two minutes each: forty at once.
    let seen = observed(&steady(0, 1_200_000, 3_000), 1_320_000).expect("observed");
    assert_eq!((seen.peak, seen.p90, seen.held), (40, 40, 40));
    assert_eq!(seen.visit_p99_ms, Some(120_000));
    assert_eq!(seen.pause_p99_ms, Some(30_000));
    assert_eq!((seen.visits, seen.cut, seen.silent), (400, 0, 0));
    assert_eq!(
        seen.recommended,
        Some(Recommended {
            permits: 40,
            lease_idle_s: 60,
            lease_max_s: 240,
            crowd: 10_000,
        })
    );
}

#[test]
fn a_spike_of_a_minute_is_told_and_not_recommended() {
    let mut visits = steady(0, 3_600_000, 6_000);
    // Eighty more for a minute.
    visits.extend((0..80).map(|i| Visit {
        comes_ms: 1_800_001 + i,
        active_ms: vec![],
        leaves_ms: Some(60_000),
    }));
    let seen = observed(&visits, 3_700_000).expect("observed");
    assert_eq!((seen.peak, seen.held), (100, 20));
    assert_eq!(seen.recommended.map(|settings| settings.permits), Some(20));
    // As long as anything that is recommended, it is.
    let mut visits = steady(0, 3_600_000, 6_000);
    visits.extend((0..80).map(|i| Visit {
        comes_ms: 1_800_001 + i,
        active_ms: vec![],
        leaves_ms: Some(HELD_MS + 1_000),
    }));
    let seen = observed(&visits, 3_700_000).expect("observed");
    let permits = seen.recommended.map(|settings| settings.permits).unwrap();
    assert!((96..=104).contains(&permits), "{permits} of {}", seen.peak);
}

#[test]
fn who_leaves_without_a_word_was_there_until_the_last_activity() {
    let visits: Vec<Visit> = (0..100)
        .map(|i| Visit {
            comes_ms: i * 10_000,
            active_ms: vec![60_000, 240_000],
            leaves_ms: None,
        })
        .collect();
    let seen = observed(&visits, 2_400_000).expect("observed");
    assert_eq!((seen.visits, seen.silent), (100, 100));
    assert_eq!(
        seen.visit_p99_ms,
        Some(240_000),
        "the lease lasted ten minutes more"
    );
    let settings = seen.recommended.unwrap();
    assert_eq!((settings.lease_max_s, settings.lease_idle_s), (480, 420));
}

#[test]
fn too_little_seen_recommends_nothing() {
    assert_eq!(observed(&[], 0), None);
    let few = steady(0, SEEN_MIN.saturating_sub(1) * 30_000, 30_000);
    let seen = observed(&few, 900_000).expect("observed");
    assert_eq!(seen.recommended, None);
    assert_eq!(seen.visits, SEEN_MIN - 1);
    // Many, and never five minutes of them.
    let seen = observed(&steady(0, 100_000, 1_000), 220_000).expect("observed");
    assert_eq!((seen.held, seen.recommended), (0, None));
}
