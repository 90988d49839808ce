//! How a room is doing, in numbers, for operators: what the API answers and what metrics are made
//! of.

use super::config::Mode;
use super::health::Condition;
use super::{Room, Totals};
use crate::units::Instant;
use serde::{Deserialize, Serialize};

/// A room in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The mode.
    pub mode: Mode,
    /// How many may be inside.
    pub permits: u32,
    /// People in the line, present or away, the called among them.
    pub waiting: u64,
    /// Of these: seen lately and not called.
    pub present: u64,
    /// Of these: away, keeping their places for the grace.
    pub away: u64,
    /// Of these: called, not come yet.
    pub called: u32,
    /// Permits in use.
    pub inside: u32,
    /// Permits in the usher's hand.
    pub hand: u32,
    /// Permits on the tray.
    pub tray: u32,
    /// Permits that vanish as they come back, since the room has fewer now.
    pub debt: u32,
    /// The number that the next ticket gets.
    pub next_number: u64,
    /// Lobbies that ever spoke.
    pub lobbies: u32,
    /// Rows in the journal.
    pub version: u64,
    /// Counted since the room began.
    pub totals: Totals,
    /// How the origin is taken to be doing.
    #[serde(default)]
    pub origin: Condition,
    /// Requests that fronts let in while the room could not be reached. Counted by the object, not by the room's core,
    /// since its memory began.
    #[serde(default)]
    pub opened: u64,
}

impl Room {
    /// The room in numbers, as of `now`. O(lobbies).
    #[must_use]
    pub fn report(&self, now: Instant) -> Report {
        let called = self.permits.called();
        let present = self.line.present();
        Report {
            mode: self.config.mode,
            permits: self.config.permits,
            waiting: self.line.alive(),
            present,
            away: self
                .line
                .alive()
                .saturating_sub(present)
                .saturating_sub(u64::from(called)),
            called,
            inside: self.permits.leased(),
            hand: self.permits.hand(),
            tray: self.permits.tray(),
            debt: self.permits.debt(),
            next_number: self.line.next().0,
            lobbies: u32::try_from(self.lobbies.len()).unwrap_or(u32::MAX),
            version: self.version.0,
            totals: self.totals,
            origin: self.health.condition(now, &self.config),
            opened: 0,
        }
    }
}
