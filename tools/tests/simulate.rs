//! Plays whole worlds of the simulator: a fixed set of seeds, and some that nobody has seen yet. A failure is shrunk and prints the command that
//! plays it again.

#![allow(clippy::panic, reason = "a test that cannot go on stops")]

use baton::facts::limits::Sizes;
use baton_tools::simulate::faults::Kind;
use baton_tools::simulate::greetings::Greeted;
use baton_tools::simulate::judge::Depth;
use baton_tools::simulate::run::{Climate, Outcome, Plan, play};
use baton_tools::simulate::shrink::shrink;
use baton_tools::simulate::tally::Tally;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Visitors of a world. Many small worlds find more than a few large ones.
const VISITORS: (u64, u64) = (3, 40);

fn plays(seeds: impl Iterator<Item = u64>, depth: Depth) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let plan = Plan {
            visitors: VISITORS,
            depth,
            ..Plan::of(seed)
        };
        let outcome = play(&plan);
        tally.add(&outcome);
        if let Some(failure) = &outcome.failure {
            let script = shrink(&plan, failure).script();
            panic!(
                "seed {seed}, step {}: law broken: {}\n{}\nagain: cargo run --release -p baton-tools --bin simulate -- --seed {seed} \
                 --visitors {}..{}\n{script}",
                failure.step, failure.law, failure.seen, VISITORS.0, VISITORS.1
            );
        }
    }
    tally
}

#[test]
fn whatever_fails_every_law_holds_and_whoever_stays_gets_in() {
    // WebAssembly is slower, and a test there has only so much time.
    let seeds = if cfg!(target_arch = "wasm32") { 8 } else { 40 };
    let tally = plays(0..seeds, Depth::Every);
    println!("{}", tally.report());
    if cfg!(target_arch = "wasm32") {
        return;
    }
    // A fault that never happens proves nothing.
    for kind in Kind::ALL {
        assert!(tally.fault(*kind) > 0, "no {} in {} seeds", kind.name(), tally.seeds);
    }
}

#[test]
fn both_forms_of_the_laws_say_the_same() {
    let tally = plays(1_000..1_004, Depth::Both);
    assert_eq!(tally.played.recounts, tally.played.turns);
    assert!(tally.played.turns > 1_000);
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn seeds_that_nobody_has_seen_yet() {
    use std::hash::{BuildHasher, Hasher};
    // The standard library's randomness needs no clock and no other crate.
    let fresh = std::hash::RandomState::new().build_hasher().finish() >> 16;
    println!("fresh seeds from {fresh}");
    plays(fresh..fresh + 6, Depth::Every);
}

/// These worlds broke a law once. A change of what happens in a world makes other worlds of these seeds.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn worlds_that_were_broken_once_hold() {
    let (any, small) = (Plan::of(0), ((3, 12), (1, 3)));
    let worlds = [
        (3, (any.visitors, any.lobbies)),
        (8, (any.visitors, any.lobbies)),
        (206, (any.visitors, any.lobbies)),
        (480, (any.visitors, any.lobbies)),
        (104_001, small),
        (104_146, small),
        (105_817, small),
        (10_110_001_618, (any.visitors, any.lobbies)),
        (15_500_000_407, ((3, 700), (1, 6))),
        (19_000_006_659, (any.visitors, any.lobbies)),
        (20_000_001_879, (any.visitors, any.lobbies)),
        (46_000_007_455, (any.visitors, any.lobbies)),
    ];
    for (seed, (visitors, lobbies)) in worlds {
        holds(&Plan {
            visitors,
            lobbies,
            ..Plan::of(seed)
        });
    }
}

/// A list with anybody on it is long, so lobbies get them one after the other.
const LISTS_ARE_LONG: Sizes = Sizes {
    list_long: 0,
    ..Sizes::USUAL
};

/// The room and a hundred lobbies restart together while people wait, so a hundred Hellos come at once. The judge checks that the room
/// gives lists one by one, and at once where somebody is called.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn a_hundred_lobbies_that_restart_with_their_room_are_all_listed_in_time() {
    let climate = Climate {
        faults: &[(Kind::AllRestart, 30_000)],
        sizes: LISTS_ARE_LONG,
    };
    let mut greeted = Greeted::default();
    for seed in 0..3 {
        let plan = Plan {
            visitors: (300, 300),
            lobbies: (100, 100),
            climate: Some(climate),
            ..Plan::of(seed)
        };
        let outcome = holds(&plan);
        assert!(outcome.faults.0[Kind::AllRestart as usize] > 0, "seed {seed}");
        greeted = greeted.plus(outcome.greeted);
    }
    println!("{greeted:?}");
    assert!(greeted.later > 100 && greeted.lobbies > 100, "{greeted:?}");
    assert!(greeted.slowest_ms <= 20_000, "{greeted:?}");
    assert!(greeted.slowest_called_ms <= 1_000, "{greeted:?}");
}

/// Builds that cannot read each other's messages are all that goes wrong: a deploy costs nobody a place.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn builds_side_by_side_break_no_law() {
    let climate = Climate {
        faults: &[(Kind::Skew, 10_000)],
        sizes: Sizes::USUAL,
    };
    for seed in 0..12 {
        let plan = Plan {
            visitors: VISITORS,
            climate: Some(climate),
            ..Plan::of(seed)
        };
        let skews = holds(&plan).faults.0[Kind::Skew as usize];
        assert!(skews > 0, "seed {seed}");
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn holds(plan: &Plan) -> Outcome {
    let outcome = play(plan);
    if let Some(failure) = &outcome.failure {
        panic!("seed {}, step {}: {}\n{}", plan.seed, failure.step, failure.law, failure.seen);
    }
    outcome
}

#[test]
fn a_seed_plays_the_same_each_time() {
    for seed in 0..3 {
        let plan = Plan {
            visitors: VISITORS,
            keeps_log: true,
            ..Plan::of(seed)
        };
        let (first, second) = (play(&plan), play(&plan));
        assert_eq!(first.diary, second.diary, "seed {seed}");
        // Neither the diary nor the checks may change what happens.
        let unchecked = play(&Plan {
            keeps_log: false,
            depth: Depth::Off,
            ..plan
        });
        assert_eq!(
            (unchecked.played.steps, unchecked.played.turns, unchecked.faults),
            (first.played.steps, first.played.turns, first.faults),
            "seed {seed}"
        );
    }
}
