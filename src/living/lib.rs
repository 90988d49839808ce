//! An object in memory, apart from its platform: the core, its journal, its clock and its alarm, and the one way to change them. A
//! change ends only when everything that must be written is written.
//!
//! The shell (`edge`) runs this inside a transaction of the runtime; the simulator runs the same code over a store that
//! fails on purpose. Nothing in here yields, reads a clock or does I/O of its own. After an error the memory must be
//! dropped: the next life folds it anew from what is stored.

#![warn(unused_crate_dependencies)]

mod alarm;
mod asks;
mod chance;
pub mod clock;
mod house;
mod lobby;
mod operate;
mod room;
mod schedule;
mod vouchers;

pub use alarm::{Alarm, LOST_AFTER_MS};
pub use chance::Chance;
pub use house::LivingHouse;
pub use lobby::{Ear, LivingLobby};
pub use room::{LivingRoom, RoomOptions, Turned};
pub use schedule::StepJudge;

/// How far the alarm is armed behind the timer, in ms, where an object stays in memory: it rings only for one that has left it.
pub const BEHIND_MS: u64 = 100;

/// What an object with something to do does about its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stay {
    /// It sleeps until its alarm rings. The hosts' clocks must be right.
    #[default]
    Sleeps,
    /// It sets a timer before each alarm and stays in memory for it, so that it goes on when somebody sets the host's clock. The host is one machine,
    /// on which memory costs nothing.
    Stays,
}

impl Stay {
    /// Returns the first for an object that sleeps, the second for one that stays.
    #[must_use]
    pub const fn pick(self, sleeps: u64, stays: u64) -> u64 {
        match self {
            Self::Sleeps => sleeps,
            Self::Stays => stays,
        }
    }
}

use crate::clock::Clock;
use ::room::laws::Violation;
use core::fmt;
use facts::units::Instant;
use journal::Damage;

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The store failed, or what it holds is damaged.
    Damage(Damage),
    /// The turn would have broken a law, which is a bug of ours. Nothing is written.
    Law(Violation),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damage(damage) => damage.fmt(f),
            Self::Law(violation) => violation.fmt(f),
        }
    }
}

impl From<Damage> for Fault {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

/// Returns the clock and the alarm of a life that begins. The clock continues from the last row.
fn wound(restored: Option<(Instant, u64)>, wall_ms: u64, alarm_wall_ms: Option<u64>) -> (Clock, Alarm) {
    let mut clock = match restored {
        Some((at, wall_ms)) => Clock::resume(at, wall_ms),
        None => Clock::new(wall_ms),
    };
    let alarm = Alarm::resume(alarm_wall_ms, clock.wall_ms());
    clock.advance(wall_ms, alarm.bell());
    (clock, alarm)
}
