//! The operator's dates, on the wall clock.

use serde::{Deserialize, Serialize};

/// A period that begins with this has no beginning, one that ends with [`NEVER_MS`] no end.
pub const EVER_MS: u64 = 0;
/// See [`EVER_MS`].
pub const NEVER_MS: u64 = u64::MAX;

/// One period in which the room is open. Unix milliseconds: the wall clock rules, not the room's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Period {
    /// From then on.
    pub opens_at_ms: u64,
    /// Until just before then.
    pub closes_at_ms: u64,
}
