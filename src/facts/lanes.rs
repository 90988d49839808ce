//! The lanes of a room, as its operator sets them.

use super::hall::Draw;
use super::hours::Period;
use super::lane_name::LaneName;
pub use super::units::LANES_MAX;
use serde::{Deserialize, Serialize};

/// The largest share.
pub const SHARE_MAX: u64 = 100;
/// Maximum characters of a lane's title, which stands on the ticket beside the number.
pub const LANE_TITLE_CHARS_MAX: usize = 80;

/// One lane. A setting that is `None` is the room's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// The name that tokens use.
    pub name: LaneName,
    /// The title that people are shown.
    pub title: String,
    /// The number of calls that the lane gets in its turn, under [`LanesRule::Shares`].
    pub share: u32,
    /// When the lane is open: periods in order, with gaps between them. An empty list means always.
    pub periods: Option<Vec<Period>>,
    /// How long before an opening people may come to its hall, in ms.
    pub hall_ms: Option<u64>,
    /// How people in its hall get their numbers.
    pub draw: Option<Draw>,
}

/// Which lane is called next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanesRule {
    /// The first lane in which anybody may be called.
    #[default]
    Strict,
    /// Each lane in turn, for as many calls as its share.
    Shares,
}

impl LanesRule {
    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Shares => "shares",
        }
    }

    /// Every name.
    pub const NAMES: [&str; 2] = [Self::Strict.name(), Self::Shares.name()];

    /// Returns the rule with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Strict, Self::Shares].into_iter().find(|rule| rule.name() == name)
    }
}
