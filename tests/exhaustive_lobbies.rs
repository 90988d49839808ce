//! Small worlds of a room *and* its lobbies: two visitors, one permit, two lobbies, and every order in which messages are lost,
//! overtake each other or come late, breadth first from a few scenes; on one way at most three things are lost or restart. Each row
//! and every state obeys all laws, and nobody was told what is not so; from every state, once faults stop, everything settles: a lobby has what the book has, pages show it, and no free permit
//! lies beside somebody who is there.
//!
//! Deeper, for so many seconds a world: `BATON_EXHAUST_S=60 cargo test --release --test exhaustive_lobbies -- --nocapture`;
//! with a bug of `src/facts/planted.rs`, which must be found: `BATON_PLANT=key-twice cargo test --features planted-bugs …`

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test that cannot go on stops; a clock ends a search; no order of a set is looked at"
)]

#[path = "exhaustive_lobbies/canon.rs"]
mod canon;
#[path = "exhaustive_lobbies/judge.rs"]
mod judge;
#[path = "exhaustive_lobbies/search.rs"]
mod search;
#[path = "exhaustive_lobbies/world.rs"]
mod world;

use search::{Found, Until, search};
use std::time::{Duration, Instant};

/// States that are looked at in each scene, unless a time is given: some ten seconds a scene without optimisation.
const STATES: usize = 700;

/// Each thread plants its own.
fn plants() {
    if let Ok(bug) = std::env::var("BATON_PLANT") {
        baton::facts::planted::plant_by_name(&bug).expect("a bug");
    }
}

/// Searches from a scene: for `BATON_EXHAUST_S` seconds, else so many states.
fn holds(scene: &str) {
    let seconds = std::env::var("BATON_EXHAUST_S").ok();
    let seconds = seconds.map(|text| text.parse().expect("whole seconds"));
    let time = seconds.map(|seconds| Until::Time(Duration::from_secs(seconds)));
    let began = Instant::now();
    let found = search(scene, time.unwrap_or(Until::States(STATES)));
    let Found {
        states,
        whole,
        edges,
        depth,
        closed,
    } = found;
    println!(
        "{scene:?}: {states} states, of {whole} every edge: {edges} edges, depth {depth}, closed: {closed}; {:.1} s",
        began.elapsed().as_secs_f64()
    );
    // What a given time is enough for depends on the machine.
    assert!(time.is_some() || closed || depth > 2, "depth {depth}");
}

/// Nobody is there yet: lives begin, and both come.
#[test]
fn from_nothing() {
    holds("");
}

/// One is called and has not come, the other waits in the other lobby.
#[test]
fn with_somebody_called() {
    holds("ask 0, calm, ask 1, calm, open 0, open 1, usher, calm");
}

/// One is inside, and the permit goes to the other when it comes back.
#[test]
fn with_somebody_inside() {
    holds("ask 0, calm, open 0, usher, calm, claim 0, calm, ask 1, calm, open 1, calm");
}
