//! What to play: what is set for a world before its seed decides the rest, and how far it goes.

use super::faults::{Kind, Name};
use super::judge::Depth;
use baton::facts::limits::Sizes;
use std::collections::BTreeSet;
use std::rc::Rc;

/// When the world begins, Unix ms.
pub const BEGINS_AT_MS: u64 = 1_700_000_000_000;

/// How many visitors a world has, unless set otherwise: from and to, both included.
pub const VISITORS: (u64, u64) = (3, 300);
/// How many lobbies a world has, unless set otherwise: from and to, both included.
pub const LOBBIES: (u64, u64) = (1, 5);

/// What to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The seed, from which everything follows.
    pub seed: u64,
    /// The range of visitors, both ends included.
    pub visitors: (u64, u64),
    /// The range of lobbies, both ends included.
    pub lobbies: (u64, u64),
    /// How much is checked.
    pub depth: Depth,
    /// Only these faults and acts happen; `None` if all do.
    pub only: Option<Rc<BTreeSet<Name>>>,
    /// Whether to keep a log and a diary of what happens, for a script.
    pub keeps_log: bool,
    /// After how many steps the storm ends; `None` if the world's size decides.
    pub storm_steps: Option<u64>,
    /// Whether the calm, in which everybody is served, comes after the storm.
    pub calms: bool,
    /// What is decided in place of the seed; `None` if the seed decides all.
    pub climate: Option<Climate>,
}

impl Plan {
    /// Makes the plan for a whole run of this seed.
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self {
            seed,
            visitors: VISITORS,
            lobbies: LOBBIES,
            depth: Depth::Every,
            only: None,
            keeps_log: false,
            storm_steps: None,
            calms: true,
            climate: None,
        }
    }
}

/// What a test decides about a world in place of its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climate {
    /// The faults that happen, and no others: each with its rate (see [`Faults`]).
    pub faults: &'static [(Kind, u32)],
    /// The limits in force.
    pub sizes: Sizes,
}
