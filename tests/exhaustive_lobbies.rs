//! Small worlds of a room *and* its lobbies: two visitors, one permit, two lobbies, and every order in which messages are lost,
//! overtake each other or come late, breadth first from a few scenes. In every state all laws hold and nobody was told what is not
//! so; from every state, once faults stop, everything settles: a lobby has what the book has, pages show it, and no free permit
//! lies beside somebody who is there.
//!
//! Deeper, for so many seconds a world: `BATON_EXHAUST_S=60 cargo test --release --test exhaustive_lobbies -- --nocapture`;
//! with a bug of `src/planted.rs`, which must be found: `BATON_PLANT=older-taken cargo test --features planted-bugs …`

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

#[path = "exhaustive_lobbies/judge.rs"]
mod judge;
#[path = "exhaustive_lobbies/world.rs"]
mod world;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;
use world::{Step, World};

fn seen_as(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{world:?}").hash(&mut hasher);
    hasher.finish()
}

/// Searches from a scene: for `BATON_EXHAUST_S` seconds, else so many states.
fn holds(scene: &str, states: usize) {
    let seconds: Option<u64> = option_env!("BATON_EXHAUST_S").and_then(|s| s.parse().ok());
    if let Some(bug) = option_env!("BATON_PLANT") {
        baton::planted::plant_by_name(bug).expect("a bug");
    }
    let began = Instant::now();
    let mut first = World::new();
    first.play(scene);
    let mut seen = HashSet::from([seen_as(&first)]);
    // Each state with the way to it; a world is walked anew, so that a state costs a few bytes.
    let mut ways: Vec<Vec<Step>> = vec![vec![]];
    let (mut at, mut edges, mut depth) = (0, 0_u64, 0);
    while at < ways.len() {
        let over = match seconds {
            Some(seconds) => began.elapsed().as_secs() >= seconds,
            None => at >= states,
        };
        if over {
            break;
        }
        let way = ways[at].clone();
        depth = way.len();
        let mut world = first.clone();
        way.iter().for_each(|step| world.act(*step));
        let fails = |broken: String, last: Option<Step>| -> ! {
            let steps = way.iter().copied().chain(last);
            let steps: Vec<String> = steps.map(|step| format!("{step:?}")).collect();
            panic!("{broken}\n  after: {scene}\n  then: {}", steps.join(", "));
        };
        judge::settles(world.clone()).unwrap_or_else(|broken| fails(broken, None));
        for step in world.steps() {
            edges += 1;
            let mut after = world.clone();
            after.act(step);
            judge::holds(&after).unwrap_or_else(|broken| fails(broken, Some(step)));
            if seen.insert(seen_as(&after)) {
                let mut longer = way.clone();
                longer.push(step);
                ways.push(longer);
            }
        }
        at += 1;
    }
    println!(
        "{scene:?}: {} states, of {at} every edge: {edges} edges, depth {depth}; {:.1} s",
        ways.len(),
        began.elapsed().as_secs_f64()
    );
    assert!(at > 0 && edges > at as u64);
}

/// Nobody is there yet: lives begin, and both come.
#[test]
fn from_nothing() {
    holds("", 700);
}

/// One is called and has not come, the other waits in the other lobby.
#[test]
fn with_somebody_called() {
    holds("ask 0, calm, ask 1, calm, open 0, open 1, usher, calm", 700);
}

/// One is inside, and the permit goes to the other when it comes back.
#[test]
fn with_somebody_inside() {
    holds(
        "ask 0, calm, open 0, usher, calm, claim 0, calm, ask 1, calm, open 1, calm",
        700,
    );
}
