//! Observed crowds, where the right settings are known.

use super::sale::{BEGIN, Sale, config};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::enter::Enters;
use baton::facts::limits::PERMITS_MAX;
use baton::facts::overheard::Overheard;
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Fence, LobbyId};
use baton::room::times::observed::{HELD_MS, Observation, Observed, Recommended, SEEN_MIN, VisitEnd};
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
        todo.insert((visit.comes_ms, who), Command::walk_in(holder));
    }
    while let Some(((at, who), command)) = todo.pop_first() {
        while sale.room.case(sale.now).due_at().is_some_and(|due| due.since_ms(BEGIN) < at) {
            let due = sale.room.case(sale.now).due_at().unwrap();
            sale.pass(due.since_ms(sale.now));
            sale.tick();
        }
        sale.pass(at - sale.now.since_ms(BEGIN));
        if matches!(&command, Command::Enter(enter) if enter.how == Enters::WalkIn) {
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
    assert_eq!(seen.visit_p99_ms, Some(240_000), "the lease lasted ten minutes more");
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

/// Whoever goes on past the hard end of the lease is cut. Of whoever says nothing it is only known when the idle end came.
#[test]
fn visits_that_are_cut_are_told_apart_from_silent_ones() {
    let visit = |active_ms| Visit {
        comes_ms: 0,
        active_ms,
        leaves_ms: None,
    };
    let goes_on: Vec<u64> = (1..=6).map(|nth| nth * 550_000).collect();
    let visits = [visit(goes_on), visit(vec![]), visit(vec![])];
    let seen = observed(&visits, 3_700_000).expect("observed");
    assert_eq!((seen.visits, seen.cut, seen.silent), (3, 1, 2));
}

/// It goes on through other settings, stays told once it is over, and the next begins with those who are inside.
#[test]
fn an_observation_lasts_from_one_change_of_the_mode_to_the_next() {
    let observe = RoomConfig {
        permits: 1,
        mode: Mode::Observe,
        ..config()
    };
    let mut sale = Sale::new(&observe);
    let open = RoomConfig {
        mode: Mode::Open,
        ..observe.clone()
    };
    let sets = |sale: &mut Sale, config: &RoomConfig, permits| {
        let config = RoomConfig { permits, ..config.clone() };
        sale.turn(|room, _, row| room.configure(&config, row));
        sale.pass(1_000);
        let seen = sale.report().observation.expect("observed");
        (seen.observed_ms, seen.peak, seen.visits)
    };
    for _ in 0..3 {
        sale.wants(wishes::walk_in);
    }
    sale.perform(&Command::Release(Fence(1)));
    sale.pass(1_000);
    assert_eq!(sets(&mut sale, &observe, 2), (2_000, 3, 1));
    assert_eq!(sets(&mut sale, &open, 2), (2_000, 3, 1));
    assert_eq!(sets(&mut sale, &open, 3), (2_000, 3, 1), "it is over");
    assert_eq!(sets(&mut sale, &observe, 3), (1_000, 2, 0), "another");
}

/// Requests that could not have walked in are counted for the observation in which they came.
#[test]
fn what_could_not_have_walked_in_is_counted_for_its_observation() {
    let observe = RoomConfig {
        mode: Mode::Observe,
        ..config()
    };
    let mut sale = Sale::new(&observe);
    let only = |sale: &mut Sale, count| {
        sale.perform(&wishes::overheard(Overheard {
            observed_only: count,
            ..Overheard::default()
        }));
        sale.pass(1_000);
        sale.report().observation.expect("observed").only
    };
    assert_eq!(only(&mut sale, 0), 0);
    assert_eq!(only(&mut sale, 3), 3);
    assert_eq!(only(&mut sale, 2), 5);
    for mode in [Mode::Open, Mode::Observe] {
        let config = RoomConfig { mode, ..observe.clone() };
        sale.turn(|room, _, row| room.configure(&config, row));
    }
    assert_eq!(only(&mut sale, 1), 1, "another observation");
}

/// Permits are made for those who are observed until there are as many as any room may have.
#[test]
fn an_observed_crowd_may_be_as_large_as_any_room() {
    let mut sale = Sale::new(&RoomConfig {
        permits: 0,
        mode: Mode::Observe,
        ..config()
    });
    let most = u64::from(PERMITS_MAX);
    let walks_in = |person| Command::walk_in(wishes::holder(person));
    sale.turn(|room, now, row| {
        (1..most).for_each(|person| room.perform(now, &walks_in(person), LobbyId(0), row));
    });
    assert!(sale.room.gist(sale.now).walk_in, "one more");
    let last = sale.perform(&walks_in(most));
    assert!(matches!(last, Reply::Stands(..)), "{last:?}");
    assert!(!sale.room.gist(sale.now).walk_in);
    let refused = Reply::None(NoTicket::NoWalkIn);
    assert_eq!(sale.perform(&walks_in(most + 1)), refused);
}

/// Six thousand at once for five minutes, and twenty visits: one less of either says nothing.
#[test]
fn what_follows_is_said_as_soon_as_there_is_enough_to_say_it() {
    let mut seen = Observed::default();
    seen.stands(6_000);
    seen.pass(HELD_MS - 1, 6_000);
    for _ in 1..SEEN_MIN {
        seen.visited(60_000, VisitEnd::Said);
    }
    let told = |seen: &Observed| seen.told().expect("observed");
    assert_eq!((told(&seen).held, told(&seen).recommended), (0, None));
    seen.pass(1, 6_000);
    assert_eq!((told(&seen).held, told(&seen).recommended), (6_000, None));
    seen.visited(60_000, VisitEnd::Cut);
    let settings = told(&seen).recommended.expect("twenty visits");
    assert_eq!((settings.permits, settings.crowd), (6_000, 12_000));
    // Hours in which nobody is there say nothing of how many are there at once.
    seen.pass(100 * HELD_MS, 0);
    let told = told(&seen);
    assert_eq!((told.p90, told.observed_ms), (6_000, 101 * HELD_MS));
    assert_eq!((told.cut, told.silent), (1, 0));
}
