//! The modes of a room.

use serde::{Deserialize, Serialize};

/// What the room does with the people who come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The room gives out permits.
    #[default]
    Open,
    /// The line forms, but nobody is called and nobody walks in. Leases go on.
    Paused,
    /// Everybody passes without a permit. The line stands still.
    Bypass,
    /// The room is outside its hours: nobody joins and nobody is called. Whoever waits keeps the place, and leases go on.
    Closed,
    /// Nothing is left: the room tells everybody who waits and ends their tickets. Nobody joins.
    SoldOut,
    /// Nobody joins any more. The room still calls those in line.
    Drain,
    /// Everybody passes and nobody waits. If no permit is free, the room makes one for the visitor: it counts how many would have been inside.
    Observe,
}

impl Mode {
    /// The name of the mode in configuration, status and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Bypass => "bypass",
            Self::Closed => "closed",
            Self::SoldOut => "sold_out",
            Self::Drain => "drain",
            Self::Observe => "observe",
        }
    }

    /// Every mode.
    pub const ALL: [Self; 7] = [
        Self::Open,
        Self::Paused,
        Self::Bypass,
        Self::Closed,
        Self::SoldOut,
        Self::Drain,
        Self::Observe,
    ];

    /// The names of the modes, in the order of [`Self::ALL`].
    pub const NAMES: [&str; Self::ALL.len()] = [
        Self::Open.name(),
        Self::Paused.name(),
        Self::Bypass.name(),
        Self::Closed.name(),
        Self::SoldOut.name(),
        Self::Drain.name(),
        Self::Observe.name(),
    ];

    /// Returns the mode with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns whether the room calls those in line.
    #[must_use]
    pub const fn calls(self) -> bool {
        matches!(self, Self::Open | Self::Drain)
    }

    /// Returns whether the room issues tickets.
    #[must_use]
    pub const fn issues(self) -> bool {
        matches!(self, Self::Open | Self::Paused | Self::Bypass | Self::Observe)
    }

    /// Returns whether everybody passes, with or without a permit, and nobody is kept waiting.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(self, Self::Bypass | Self::Observe)
    }
}
