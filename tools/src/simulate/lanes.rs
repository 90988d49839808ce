//! The lanes of a world: which there are, which lane each visitor's token names, and what the operator does to them.

use super::faults::{Faults, Kind};
use super::rng::Rng;
use super::world::{BEGINS_AT_MS, World};
use baton::facts::hall::Draw;
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};

/// The names that lanes have in any world.
const NAMES: [&str; 5] = ["members", "friends", "early", "press", "everybody"];
/// The mean time between two changes of the lanes, ms.
const CHANGED_EVERY_MS: u32 = 20_000;
/// How long a visitor keeps one token, ms.
const TOKEN_MS: u64 = 25_000;
/// The stream of the lanes' chance, apart from all others of a seed.
const STREAM: u64 = 1 << 51;

/// Returns whether a world has lanes: one in three. This is drawn from a stream of its own.
fn has_lanes(seed: u64) -> bool {
    Rng::of(seed, STREAM).below(3) == 0
}

/// Draws the lanes with which a world begins; none in most worlds.
pub fn draw(seed: u64, faults: &mut Faults) -> Vec<Lane> {
    if !has_lanes(seed) {
        return vec![];
    }
    faults.set(Kind::Lanes, CHANGED_EVERY_MS);
    lanes(&mut Rng::of(seed, STREAM | 1), BEGINS_AT_MS)
}

/// Draws the rule with which a world begins.
pub fn rule(seed: u64) -> LanesRule {
    Rng::of(seed, STREAM | 2).pick(&[LanesRule::Strict, LanesRule::Shares])
}

/// Returns one of the names that lanes can have.
pub fn lane_name(at: u64) -> &'static str {
    NAMES[at as usize % NAMES.len()]
}

fn lanes(rng: &mut Rng, wall_ms: u64) -> Vec<Lane> {
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
fn all_open(seed: u64) -> Vec<Lane> {
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

impl World {
    /// Returns the lanes of the calm: every lane is on the list and open, so a visitor who waits in a lane that left the list is in it again.
    pub fn lanes_in_the_calm(&self) -> Vec<Lane> {
        all_open(self.seed)
    }

    /// Returns the lane that a visitor's token names now, or `None` if it names none.
    pub fn lane_of(&self, visitor: usize) -> Option<LaneName> {
        if !has_lanes(self.seed) {
            return None;
        }
        let spell = (self.time - BEGINS_AT_MS) / TOKEN_MS;
        let mut rng = Rng::of(self.seed, STREAM | (visitor as u64 + 3) << 20 | spell);
        let name = rng.pick(&[
            None,
            Some(NAMES[0]),
            Some(NAMES[1]),
            Some(NAMES[2]),
            Some("nobodys"),
        ]);
        LaneName::parse(name?)
    }

    /// Lets the operator set other lanes: more, fewer, in another order, or opening later.
    pub fn operator_changes_lanes(&mut self, which: u64) {
        let mut rng = Rng::of(which, STREAM);
        let lanes = lanes(&mut rng, self.time);
        let rule = rng.pick(&[LanesRule::Strict, LanesRule::Shares]);
        self.operator_sets(|options| {
            options.config.lanes = lanes;
            options.config.lanes_rule = rule;
        });
    }
}
