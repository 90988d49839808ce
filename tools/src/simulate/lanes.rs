//! Lanes of a world: which there are, whose token names which, and what the operator does to them.

use super::faults::{Faults, Kind};
use super::rng::Rng;
use super::world::{BEGINS_AT_MS, World};
use baton::facts::hall::Draw;
use baton::facts::hours::Period;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};

/// Names that lanes of any world have.
const NAMES: [&str; 5] = ["members", "friends", "early", "press", "everybody"];
/// Between two changes of the lanes, on average, ms.
const CHANGED_EVERY_MS: u32 = 20_000;
/// For so long a visitor has one token, ms.
const TOKEN_MS: u64 = 25_000;
/// Apart from all other chance of a seed.
const STREAM: u64 = 1 << 51;

/// Whether a world has lanes: one in three. Their chance is their own.
fn has_lanes(seed: u64) -> bool {
    Rng::of(seed, STREAM).below(3) == 0
}

/// The lanes with which a world begins; none in most.
pub fn draw(seed: u64, faults: &mut Faults) -> Vec<Lane> {
    if !has_lanes(seed) {
        return vec![];
    }
    faults.set(Kind::Lanes, CHANGED_EVERY_MS);
    lanes(&mut Rng::of(seed, STREAM | 1), BEGINS_AT_MS)
}

/// The rule with which it begins.
pub fn rule(seed: u64) -> LanesRule {
    Rng::of(seed, STREAM | 2).pick(&[LanesRule::Strict, LanesRule::Shares])
}

/// The name of a lane that a world may have at some time.
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
    // Now and then the best is the last, or there is none at all.
    let turned = rng.below(lanes.len().max(1) as u64) as usize;
    lanes.rotate_left(turned);
    lanes
}

/// Every lane that a world can have, all of them open; none in a world without.
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
    /// The lanes of the calm: whoever waits in one that left the list is in it again, and it is open.
    pub fn lanes_in_the_calm(&self) -> Vec<Lane> {
        all_open(self.seed)
    }

    /// The lane that a visitor's token names now.
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

    /// The operator adds lanes, takes some away, puts them in another order, opens them later.
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
