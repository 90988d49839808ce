//! Plays worlds in which a backup of the room's data is restored: a fixed set of seeds, and some that nobody has seen yet.

#![allow(
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on stops, and takes its seeds from the clock"
)]

use baton_tools::simulate::roll_back::{Seen, play};
use baton_tools::sums::Sums;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn plays(seeds: impl Iterator<Item = u64>) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        match play(seed) {
            Ok(more) => seen.take(&more),
            Err(broken) => panic!("seed {seed}: {broken}\nagain: cargo run --release -p baton-tools --bin simulate -- --roll-backs --seed {seed}"),
        }
    }
    seen
}

#[test]
fn nothing_is_given_twice_and_nobody_is_told_what_is_not_so() {
    let seen = plays(0..300);
    assert!(seen.roll_backs > 300, "{seen:?}");
    assert!(seen.lost > 1_000 && seen.kept > 800, "{seen:?}");
    assert!(seen.proofs > 300, "{seen:?}");
}

/// The seeds follow from the clock, so each run plays new ones.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn nor_in_worlds_that_are_new() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let from = now.map_or(1, |since| since.as_secs()) * 1_000;
    plays(from..from + 300);
}
