//! Plants each bug in turn and checks that the simulator finds it. Prints by which law, and after how many steps.
//!
//! `cargo test --release -p baton-tools --features planted-bugs --test planted -- --nocapture` prints the table.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on stops")]

use baton::facts::planted::{self, Bug};
use baton::journal::{self, Damage, Late, PageId, PageKind};
use baton_tools::simulate::judge::Depth;
use baton_tools::simulate::roll_back;
use baton_tools::simulate::run::{Plan, play};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const VISITORS: (u64, u64) = (3, 40);
/// The most seeds that it may take to find a bug, from each of the beginnings.
const SEEDS_MAX: u64 = 4_000;
/// The first seeds of the searches. The table shows the search that took longest.
const BEGINNINGS: [u64; 3] = [0, 10_000, 20_000];

/// Those that only a room whose data was restored from a backup shows.
const OF_ROLL_BACKS: [Bug; 4] = [Bug::ProofsIgnored, Bug::LostIsOver, Bug::LaterRowResumed, Bug::FencesGoBack];

/// Those that only a store shows in which a bit has flipped. The simulator's disks lose nothing.
const OF_FLIPPED_BITS: [Bug; 1] = [Bug::LatePageUnsummed];

/// Flips a bit of a stored page, reads the page late, and returns the law that is broken, if any is.
fn read_flipped(seed: u64) -> Result<(), String> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let id = PageId {
        kind: PageKind::Holders,
        since: rng.u64(..),
        first: rng.u64(..),
    };
    let content: Vec<u8> = (0..rng.usize(1..400)).map(|_| rng.u8(..)).collect();
    let mut bytes = journal::page(id, &content).bytes;
    let at = rng.usize(1..bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << rng.u8(0..8);
    }
    let late = Late::on(Arc::new(BTreeMap::from([(id, bytes)])));
    let mut was_read = false;
    late.page(id).show(|content| {
        was_read = !content.is_empty();
        true
    });
    let named = late.whole() == Err(Damage::Page(id)) && !was_read;
    named
        .then_some(())
        .ok_or_else(|| "a page that was damaged is named: it was read".to_owned())
}

/// The law that found a bug, and how long it took.
struct Found {
    law: String,
    steps: u64,
    seeds: u64,
}

fn find(bug: Bug, from: u64) -> Option<Found> {
    planted::plant(Some(bug));
    let mut steps = 0;
    let found = (from..from + SEEDS_MAX).find_map(|seed| {
        if OF_ROLL_BACKS.contains(&bug) || OF_FLIPPED_BITS.contains(&bug) {
            let flips = OF_FLIPPED_BITS.contains(&bug);
            let broken = if flips {
                read_flipped(seed).err()?
            } else {
                roll_back::play(seed).err()?
            };
            let (step, law) = broken.split_once(": ").unwrap_or(("", &broken));
            return Some(Found {
                law: law.split(':').next().unwrap_or(law).to_owned(),
                steps: step.trim_start_matches("step ").parse().unwrap_or(0),
                seeds: seed - from + 1,
            });
        }
        let outcome = play(&Plan {
            visitors: VISITORS,
            ..Plan::of(seed)
        });
        steps += outcome.played.steps;
        outcome.failure.map(|failure| Found {
            law: failure.law,
            steps,
            seeds: seed - from + 1,
        })
    });
    planted::plant(None);
    found
}

/// Looks for each bug from each of the beginnings, on every core: a bug is planted in one thread.
fn find_all() -> Vec<(Bug, Vec<Found>)> {
    let next = AtomicUsize::new(0);
    let search = || {
        let bugs = core::iter::from_fn(|| Bug::ALL.get(next.fetch_add(1, Ordering::Relaxed)));
        bugs.map(|bug| (*bug, BEGINNINGS.iter().filter_map(|from| find(*bug, *from)).collect()))
            .collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let searches: Vec<_> = (0..cores).map(|_| scope.spawn(search)).collect();
        searches
            .into_iter()
            .flat_map(|search| search.join().expect("a search that ends"))
            .collect()
    })
}

#[test]
fn every_planted_bug_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = vec![];
    let mut rows = vec![];
    for (bug, found) in find_all() {
        if found.len() < BEGINNINGS.len() {
            missed.push(bug.name());
        }
        let laws: BTreeSet<String> = found.iter().map(|found| found.law.clone()).collect();
        let laws = laws.into_iter().collect::<Vec<_>>().join("; ");
        if let Some(worst) = found.into_iter().max_by_key(|found| found.steps) {
            rows.push((worst.steps, worst.seeds, bug.name(), laws));
        }
    }
    let _ = std::panic::take_hook();
    rows.sort();
    println!("{:<30} {:>8} {:>6}  caught by", "bug", "steps", "seeds");
    for (steps, seeds, bug, laws) in rows {
        println!("{bug:<30} {steps:>8} {seeds:>6}  {laws}");
    }
    assert!(
        missed.is_empty(),
        "not found within {SEEDS_MAX} seeds: {missed:?}\nagain: cargo run --release -p baton-tools --features planted-bugs --bin simulate -- \
         --visitors 3..40 --plant {}",
        missed.first().unwrap_or(&"")
    );
}

/// Bugs of an index that is built in slices. It lacks keys of which no fact of the turn tells, so only the full form, which asks for every key, sees them.
const OF_NO_TURN: [&str; 3] = ["index-half-built", "accounts-half-built", "called-not-indexed"];

/// Whatever bug of a turn is planted, the full form of the laws never objects to a turn to which the fast form does not object.
#[test]
fn the_fast_form_of_the_laws_sees_all_that_the_full_form_sees() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut disagree = vec![];
    let of_turns = Bug::ALL.iter().filter(|bug| !OF_NO_TURN.contains(&bug.name()));
    for bug in of_turns {
        planted::plant(Some(*bug));
        for seed in 0..4 {
            let outcome = play(&Plan {
                visitors: (3, 12),
                depth: Depth::Both,
                calms: false,
                ..Plan::of(seed)
            });
            let failure = outcome.failure;
            let failure = failure.filter(|found| found.law == "both forms of the laws agree");
            disagree.extend(failure.map(|found| (bug.name(), seed, found.seen)));
        }
    }
    planted::plant(None);
    let _ = std::panic::take_hook();
    assert!(disagree.is_empty(), "{disagree:#?}");
}
