//! A world in one thread: a room, lobbies, visitors, a network that loses, delays, repeats and
//! reorders, and machines that forget. The cores are driven exactly as `src/edge/` drives them.
//!
//! After every step the laws of the room hold, and an oracle that knows whose every number is
//! judges all that anybody is told. At the end the faults stop, and whoever stayed must get in.
//!
//! A failure prints the seed that replays it: `BATON_SEED=<seed> cargo test --test world`.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "world/disk.rs"]
mod disk;
#[path = "world/lobby_side.rs"]
mod lobby_side;
#[path = "world/oracle.rs"]
mod oracle;
#[path = "world/people.rs"]
mod people;
#[path = "world/room_side.rs"]
mod room_side;
#[path = "world/sim.rs"]
mod sim;

use oracle::{Figures, SETTLED_AFTER_MS};
use sim::World;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const STEPS: usize = 700;
/// Forty visitors, one permit, and leases of a minute that nobody gives back.
const SERVED_WITHIN_MS: u64 = 3_600_000;

fn seeds() -> Vec<u64> {
    match option_env!("BATON_SEED").and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        // More of them: BATON_SEEDS=5000 cargo test --release --test world
        None => (0..option_env!("BATON_SEEDS")
            .and_then(|n| n.parse().ok())
            .unwrap_or(300))
            .collect(),
    }
}

fn play(seed: u64) -> (Figures, u64) {
    println!("BATON_SEED={seed} cargo test --test world");
    let mut world = World::new(seed);
    for _ in 0..STEPS {
        world.step(u64::MAX);
    }
    world.calm();
    world.oracle.settled_at = Some(world.wall + SETTLED_AFTER_MS);
    let until = world.wall + SERVED_WITHIN_MS;
    while !world.all_are_served() && world.step(until) {}
    assert!(
        world.all_are_served(),
        "seed {seed}: never served: {}",
        world.who_waits()
    );
    (world.oracle.figures, world.crashes)
}

#[test]
fn whatever_fails_every_law_holds_and_whoever_stays_gets_in() {
    let mut all = (Figures::default(), 0);
    for seed in seeds() {
        let (figures, crashes) = play(seed);
        all.0.turns += figures.turns;
        all.0.told += figures.told;
        all.0.joined += figures.joined;
        all.0.walked_in += figures.walked_in;
        all.0.called += figures.called;
        all.0.leases += figures.leases;
        all.0.expired += figures.expired;
        all.0.missed += figures.missed;
        all.0.repeats += figures.repeats;
        all.1 += crashes;
    }
    println!("{all:?}");
}
