//! Exhaustive small worlds: every sequence of commands for a few visitors, permits and lobbies,
//! breadth first, as deep as there is time. States that differ only in what cannot matter (the
//! hour, how far the numbers have counted, which of two alike visitors it is) are one.
//!
//! In every state and on every edge every law of the room holds, and it has crashed: it goes on
//! from its journal. From every state whoever stays is served, in order and in bounded time.
//!
//! Deeper, for so many seconds a world:
//! `BATON_EXHAUST_S=60 cargo test --release --test exhaustive -- --nocapture --test-threads 1`
//!
//! A failure prints the shortest sequence that leads to it, as a test to put in here.

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

#[path = "exhaustive/canon.rs"]
mod canon;
#[path = "exhaustive/promises.rs"]
mod promises;
#[path = "exhaustive/recover.rs"]
mod recover;
#[path = "exhaustive/search.rs"]
mod search;
#[path = "exhaustive/served.rs"]
mod served;
#[path = "exhaustive/standstill.rs"]
mod standstill;
#[path = "exhaustive/step.rs"]
mod step;
mod wishes;
#[path = "exhaustive/world.rs"]
mod world;

use search::{Budget, Found, explore, replay};
use world::Rules;

/// Searches a world: for `BATON_EXHAUST_S` seconds, else so many edges, which are a few seconds
/// unoptimised.
fn holds(rules: &str, edges: u64) -> Found {
    let seconds = option_env!("BATON_EXHAUST_S").and_then(|seconds| seconds.parse().ok());
    let budget = seconds.map_or(Budget::Edges(edges), Budget::Seconds);
    let found = explore(&Rules::of(rules), budget);
    println!("{found}");
    found
}

/// Two visitors of two lobbies and one permit, seen *whole*: there is nothing that these two can
/// bring about in any number of steps that was not checked.
#[test]
fn every_state_of_two_visitors() {
    let found = holds("a0 b1 permits=1", 260_000);
    assert!(found.closed, "{found}");
}

/// The same two and an operator: whole in an optimised run.
#[test]
fn two_visitors_and_an_operator() {
    let found = holds("a0 b1 permits=1 set=0,1,2,open,paused,bypass", 40_000);
    assert!(found.closed || found.depth_whole >= 6, "{found}");
}

/// The same two and an operator who begins anew, again and again: seen whole. In every state a lobby that has not heard of
/// it names everybody's numbers in vain.
#[test]
fn two_visitors_and_resets() {
    let found = holds("a0 b1 permits=1 set=reset", 250_000);
    assert!(found.closed, "{found}");
}

/// The same two with an account each, and two devices each: whole in an optimised run.
#[test]
fn two_accounts_on_two_devices_each() {
    let found = holds("a0 b1 permits=1 accounts=all", 40_000);
    assert!(found.closed || found.depth_whole >= 8, "{found}");
}

/// Three visitors, two permits, two lobbies, and everything an operator can do.
#[test]
fn three_visitors_two_permits_two_lobbies() {
    let found = holds("a0 b0 c1 permits=2 set=0,1,2,3,open,paused,bypass", 60_000);
    assert!(found.depth_whole >= 5, "{found}");
}

/// The same three without an operator: the line itself, deeper.
#[test]
fn three_visitors_and_nobody_touches_the_settings() {
    let found = holds("a0 b0 c1 permits=2", 40_000);
    assert!(found.depth_whole >= 6, "{found}");
}

/// A sequence as a failure prints it is played with every check.
#[test]
fn a_sequence_is_replayed() {
    replay(
        "a0 b0 c1 permits=1 set=2,open,paused",
        "join a, join b, join c, usher, claim a, away b, later, release a, claim c, back b, \
         permits 2, usher, claim b, extend b, later, renew c, leave c, later, later, usher, wake 0, \
         join a, join b, paused, away a, wake 0, open, leave b",
    );
}

/// A sequence that cannot be is refused and not taken for one that holds.
#[test]
#[should_panic(expected = "cannot be done here")]
fn a_sequence_that_cannot_be_is_refused() {
    replay("a0 permits=1", "join a, usher, claim a, release a, renew a");
}
