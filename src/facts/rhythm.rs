//! How often people are called, as the room tells it.

use serde::{Deserialize, Serialize};

/// Microseconds from one call to the next, as a range. `(0, 0)` if not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTime {
    /// The short end of the range.
    pub low_us: u64,
    /// The long end of the range.
    pub high_us: u64,
}
