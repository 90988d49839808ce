//! What is set for a world before its seed decides the rest.

use super::faults::{Kind, Name};
use super::judge::Depth;
use baton::facts::limits::Sizes;
use std::collections::BTreeSet;
use std::rc::Rc;

/// When the world begins, Unix ms.
pub const BEGINS_AT_MS: u64 = 1_700_000_000_000;

/// What a world is made of.
#[derive(Clone, Debug)]
pub struct Setting {
    pub seed: u64,
    pub visitors: (u64, u64),
    pub lobbies: (u64, u64),
    pub depth: Depth,
    pub only: Option<Rc<BTreeSet<Name>>>,
    pub keeps_log: bool,
    pub climate: Option<Climate>,
}

/// What a test decides about a world in place of its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climate {
    /// The faults that happen, and no others: each with its rate (see [`Faults`]).
    pub faults: &'static [(Kind, u32)],
    /// The limits in force.
    pub sizes: Sizes,
}
