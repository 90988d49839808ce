//! An event that can be played: who comes when, what they do, and the room.

use super::lanes::Group;
use baton::settings::RoomSettings;

/// The distribution of stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Log-normal.
    LogNormal,
    /// Exponential: without memory.
    Exponential,
}

/// One arrival of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The time, ms from the trace's beginning.
    pub at_ms: u64,
    /// How long the visit lasts, ms; `None` if `stay` decides.
    pub stay_ms: Option<u64>,
}

/// Who comes when.
#[derive(Clone, Debug, PartialEq)]
pub enum Coming {
    /// Drawn from a shape.
    Drawn {
        /// The number of people in all.
        people: u64,
        /// The share who come before the opening.
        early: f64,
        /// Over how long before the opening those come, ms.
        early_ms: u64,
        /// Over how long the others come, ms.
        over_ms: u64,
        /// Whether the others rush.
        rush: bool,
    },
    /// Read from a trace, in order of time.
    Traced {
        /// The arrivals.
        arrivals: Vec<Arrival>,
        /// When the sale opens, ms from the trace's beginning.
        opens_ms: u64,
    },
}

/// Everything a plan needs to know. Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Who comes when.
    pub coming: Coming,
    /// The number of seats; `None` if they never end.
    pub seats: Option<u64>,
    /// The share of those inside who buy.
    pub buy: f64,
    /// The average number of seats of a purchase.
    pub seats_each: u64,
    /// The time from the last seat to the mode `sold_out`, ms.
    pub sold_out_after_ms: u64,
    /// The average stay, ms.
    pub stay_ms: u64,
    /// The standard deviation of stays, as a share of their average.
    pub stay_spread: f64,
    /// The distribution of stays.
    pub stay_shape: Shape,
    /// The share of those inside who close the tab.
    pub walks_off: f64,
    /// The shop's speed, each from a moment after the opening on (ms), in order of time.
    pub speeds: Vec<(u64, f64)>,
    /// The share who close the page when the wait gets long.
    pub gives_up: f64,
    /// How long half of those wait before they do, ms.
    pub patience_ms: u64,
    /// The share of those who come back.
    pub returns: f64,
    /// How long after that half of those are back, ms.
    pub returns_after_ms: u64,
    /// The share who sleep when called.
    pub sleeps: f64,
    /// How long a page loads on average, ms.
    pub page_ms: u64,
    /// The pages of a visit.
    pub pages: u64,
    /// The files of a visit.
    pub files: u64,
    /// How often an hour a waiting page is loaded again.
    pub reloads: f64,
    /// How long a batch is out, ms.
    pub round_ms: u64,
    /// How long after the opening the run goes on, ms.
    pub until_ms: u64,
    /// Who has which lane, in the order of the list; empty if all are one.
    pub groups: Vec<Group>,
    /// The room.
    pub room: RoomSettings,
    /// Remarks on what is possible but odd, in sentences.
    pub notes: Vec<String>,
}

/// Reads a file that an event names: returns its text, or why it cannot be read.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl Event {
    /// The number of people who come.
    #[must_use]
    pub fn people(&self) -> u64 {
        people_of(&self.coming)
    }

    /// Returns when the sale opens, ms from the beginning.
    #[must_use]
    pub fn opens_ms(&self) -> u64 {
        match &self.coming {
            Coming::Drawn { early, early_ms, .. } if *early > 0.0 => *early_ms,
            Coming::Drawn { .. } => 0,
            Coming::Traced { opens_ms, .. } => *opens_ms,
        }
    }

    /// Returns how long people come, from the beginning to the last arrival, ms.
    #[must_use]
    pub fn span_ms(&self) -> u64 {
        match &self.coming {
            Coming::Drawn { over_ms, .. } => self.opens_ms() + over_ms,
            Coming::Traced { arrivals, .. } => arrivals.last().map_or(0, |last| last.at_ms),
        }
    }

    /// Returns which lane somebody has, by its position in the list. `chance` draws a number from 0 to 1; it is not called if there are no lanes.
    pub(super) fn lane_of(&self, chance: impl FnOnce() -> f64) -> u8 {
        if self.groups.is_empty() {
            return 0;
        }
        let chance = chance();
        let mut below = 0.0;
        let at = self.groups.iter().position(|group| {
            below += group.people;
            chance < below
        });
        let at = at.unwrap_or(self.groups.len().saturating_sub(1));
        u8::try_from(at).unwrap_or(0)
    }

    /// Makes two plans show the same groups of people: a plan without lanes then shows how those people do who have a lane in the other.
    pub fn tell_apart(&mut self, other: &mut Self) {
        match (self.groups.is_empty(), other.groups.is_empty()) {
            (true, false) => self.groups.clone_from(&other.groups),
            (false, true) => other.groups.clone_from(&self.groups),
            _ => {}
        }
    }
}

pub(super) fn people_of(coming: &Coming) -> u64 {
    match coming {
        Coming::Drawn { people, .. } => *people,
        Coming::Traced { arrivals, .. } => arrivals.len() as u64,
    }
}
