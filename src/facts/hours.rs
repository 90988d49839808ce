//! The operator's dates, on the wall clock.

use serde::{Deserialize, Serialize};

/// A period that begins at this moment has no beginning; one that ends at [`NEVER_MS`] has no end.
pub const EVER_MS: u64 = 0;
/// See [`EVER_MS`].
pub const NEVER_MS: u64 = u64::MAX;

/// One period in which the room is open, in Unix milliseconds. The wall clock rules, not the room's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Period {
    /// The moment at which the room opens.
    pub opens_at_ms: u64,
    /// The moment at which the room closes: it is open until just before.
    pub closes_at_ms: u64,
}
