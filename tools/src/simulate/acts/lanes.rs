//! Whose token names which lane now, and what the operator does to lanes.

use crate::simulate::lanes::{NAMES, STREAM, all_open, has_lanes, lanes};
use crate::simulate::plan::BEGINS_AT_MS;
use crate::simulate::world::World;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::{Lane, LanesRule};
use baton_advice::chance::Chance;

/// How long a visitor keeps one token, ms.
const TOKEN_MS: u64 = 25_000;

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
        let mut rng = Chance::of(self.seed, STREAM | (visitor as u64 + 3) << 20 | spell);
        let name = rng.pick(&[None, Some(NAMES[0]), Some(NAMES[1]), Some(NAMES[2]), Some("nobodys")]);
        LaneName::parse(name?)
    }

    /// Lets the operator set other lanes: more, fewer, in another order, or opening later.
    pub fn operator_changes_lanes(&mut self, which: u64) {
        let mut rng = Chance::of(which, STREAM);
        let lanes = lanes(&mut rng, self.time);
        let rule = rng.pick(&[LanesRule::Strict, LanesRule::Shares]);
        self.operator_sets(|options| {
            options.config.lanes = lanes;
            options.config.lanes_rule = rule;
        });
    }
}
