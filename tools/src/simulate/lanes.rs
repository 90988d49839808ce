//! The lanes of a world: which there are.

use super::faults::{Faults, Kind};
use super::plan::BEGINS_AT_MS;
use baton::facts::hall::Draw;
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton_advice::chance::Chance;

/// The names that lanes have in any world.
pub(super) const NAMES: [&str; 5] = ["members", "friends", "early", "press", "everybody"];
/// The mean time between two changes of the lanes, ms.
const CHANGED_EVERY_MS: u32 = 20_000;
/// The stream of the lanes' chance, apart from all others of a seed.
pub(super) const STREAM: u64 = 1 << 51;

/// Returns whether a world has lanes: one in three. This is picked from a stream of its own.
pub(super) fn has_lanes(seed: u64) -> bool {
    Chance::of(seed, STREAM).below(3) == 0
}

/// Picks the lanes with which a world begins; none in most worlds.
pub fn pick(seed: u64, faults: &mut Faults) -> Vec<Lane> {
    if !has_lanes(seed) {
        return vec![];
    }
    faults.set(Kind::Lanes, CHANGED_EVERY_MS);
    lanes(&mut Chance::of(seed, STREAM | 1), BEGINS_AT_MS)
}

/// Picks the rule with which a world begins.
pub fn rule(seed: u64) -> LanesRule {
    Chance::of(seed, STREAM | 2).pick(&[LanesRule::Strict, LanesRule::Shares])
}

/// Returns one of the names that lanes can have.
pub fn lane_name(at: u64) -> &'static str {
    NAMES[at as usize % NAMES.len()]
}

pub(super) fn lanes(rng: &mut Chance, wall_ms: u64) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = vec![];
    for name in NAMES {
        if rng.below(2) == 0 {
            continue;
        }
        let opens_at_ms = wall_ms + rng.below(40_000);
        let opens_later = rng.below(4) == 0;
        lanes.push(Lane {
            name: LaneName::parse(name).expect("a name"),
            title: name.to_owned(),
            share: 1 + rng.below(4) as u32,
            periods: opens_later.then(|| {
                vec![Period {
                    opens_at_ms,
                    closes_at_ms: u64::MAX,
                }]
            }),
            hall_ms: opens_later.then(|| rng.below(30_000)),
            draw: rng.pick(&[None, Some(Draw::Shuffle), Some(Draw::Arrival)]),
        });
    }
    // Turning the list sometimes puts the best lane last. The list may also be empty.
    let turned = rng.below(lanes.len().max(1) as u64) as usize;
    lanes.rotate_left(turned);
    lanes
}

/// Returns every lane that a world can have, all of them open; none in a world without lanes.
pub(super) fn all_open(seed: u64) -> Vec<Lane> {
    let open = |name| Lane {
        name: LaneName::parse(name).expect("a name"),
        title: String::new(),
        share: 1,
        periods: None,
        hall_ms: None,
        draw: None,
    };
    let names = NAMES.into_iter().filter(|_| has_lanes(seed));
    names.map(open).collect()
}
