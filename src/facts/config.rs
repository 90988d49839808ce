//! What an operator can set on a room, in the core's units.

use super::hall::Draw;
use super::hours::Period;
use serde::{Deserialize, Serialize};

/// What the room does with the people who come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Permits are given out.
    #[default]
    Open,
    /// The line forms, nobody is called and nobody walks in; leases go on.
    Paused,
    /// Everybody passes without a permit. The line stands still.
    Bypass,
    /// Outside the hours: nobody joins, nobody is called; who waits keeps the place, leases go on.
    Closed,
    /// There is nothing left: everybody who waits is told so and is over, nobody joins.
    SoldOut,
    /// Nobody joins any more; those in line are still called.
    Drain,
    /// Everybody passes and nobody waits, each with a permit that is made for it when none is free:
    /// the room counts how many would have been inside.
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

    /// The names, in the same order.
    pub const NAMES: [&str; Self::ALL.len()] = [
        Self::Open.name(),
        Self::Paused.name(),
        Self::Bypass.name(),
        Self::Closed.name(),
        Self::SoldOut.name(),
        Self::Drain.name(),
        Self::Observe.name(),
    ];

    /// The mode of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether those in line are called.
    #[must_use]
    pub const fn calls(self) -> bool {
        matches!(self, Self::Open | Self::Drain)
    }

    /// Whether tickets are issued.
    #[must_use]
    pub const fn issues(self) -> bool {
        matches!(
            self,
            Self::Open | Self::Paused | Self::Bypass | Self::Observe
        )
    }

    /// Whether everybody passes, permit or not, and nobody is kept.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(self, Self::Bypass | Self::Observe)
    }
}

/// The settings the core decides by. Durations in milliseconds of the room's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomConfig {
    /// How many may be inside at once, 0 to [`PERMITS_MAX`](super::limits::PERMITS_MAX).
    pub permits: u32,
    /// What the room does with arrivals.
    pub mode: Mode,
    /// Whether somebody may go straight through when a permit is free and nobody present waits.
    pub walk_in: bool,
    /// The usher turns at most this often.
    pub tick_ms: u64,
    /// How long a called ticket, or a walk-in that has not shown its cookie yet, keeps its permit.
    pub claim_within_ms: u64,
    /// How long a waiter may be away and keep the place. Kept at least this long, at most a
    /// fourteenth and one tick longer.
    pub grace_ms: u64,
    /// A lease ends after this long without activity.
    pub lease_idle_ms: u64,
    /// A lease ends after this long in any case.
    pub lease_max_ms: u64,
    /// By how much the origin may move the hard end, in all.
    pub lease_extend_max_ms: u64,
    /// Admissions a second, times 1,000. 0: no cap.
    pub admissions_milli_per_s: u64,
    /// The most of the origin's answers within the window that may be errors, in percent, 1 to 99; above
    /// it nobody is called. 0: no matter.
    pub origin_errors_max_percent: u32,
    /// That window, and how long calling stops after it was so.
    pub origin_errors_window_ms: u64,
    /// Whether people are told up to which number a seat can be expected, from what the shop reports.
    pub stock_line: bool,
    /// What the operator tells everybody; empty: nothing. Text, never markup.
    pub message: String,
    /// When the room is open, in order and apart; none: always.
    pub periods: Vec<Period>,
    /// So long before an opening people may come in and wait for it. 0: they come when it is open.
    pub hall_ms: u64,
    /// How those who did get their numbers.
    pub draw: Draw,
}

impl Default for RoomConfig {
    fn default() -> Self {
        Self {
            permits: 200,
            mode: Mode::Open,
            walk_in: true,
            tick_ms: 1_000,
            claim_within_ms: 30_000,
            grace_ms: 3_600_000,
            lease_idle_ms: 300_000,
            lease_max_ms: 1_800_000,
            lease_extend_max_ms: 1_800_000,
            admissions_milli_per_s: 0,
            origin_errors_max_percent: 0,
            origin_errors_window_ms: 30_000,
            stock_line: false,
            message: String::new(),
            periods: Vec::new(),
            hall_ms: 3_600_000,
            draw: Draw::Shuffle,
        }
    }
}
