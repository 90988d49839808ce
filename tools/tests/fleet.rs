//! Plays worlds of the house and its fronts: a fixed set of seeds, some that nobody has seen yet, and worlds with each flaw put in on purpose.

#![allow(
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on stops, and takes its seeds from the clock"
)]

use baton_tools::simulate::fleet::{FLAWS, Told, play};
use baton_tools::sums::Sums;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn plays(seeds: impl Iterator<Item = u64>) -> Told {
    let mut told = Told::default();
    for seed in seeds {
        match play(seed, None) {
            Ok(more) => told.take(&more),
            Err(broken) => panic!("seed {seed}: {broken}\nagain: cargo run --release -p baton-tools --bin simulate -- --house --seed {seed}"),
        }
    }
    told
}

#[test]
fn no_front_opens_what_has_been_gated_for_longer_than_the_bound() {
    let told = plays(0..300);
    assert!(told.requests > 100_000, "{told:?}");
    assert!(told.waited > 1_000, "{told:?}");
    assert!(told.opened > 10_000, "{told:?}");
    assert!(told.changes > 1_000 && told.refused > 500 && told.deaths > 500, "{told:?}");
}

/// The seeds follow from the clock, so each run plays new ones.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn nor_in_worlds_that_are_new() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let from = now.map_or(1, |since| since.as_secs()) * 1_000;
    plays(from..from + 100);
}

#[test]
fn every_flaw_is_found() {
    for flaw in FLAWS {
        let found = (0..3_000).find_map(|seed| play(seed, Some(flaw)).err());
        assert!(found.is_some(), "{flaw:?} is not found");
    }
}
