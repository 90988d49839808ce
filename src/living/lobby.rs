//! A lobby in memory, with its clock and its alarm: what both of its drivers need around the endpoint. Nothing of it is stored.

use crate::clock::Clock;
use crate::facts::units::Instant;
use crate::lobby::{Lobby, Moment};

/// A lobby in memory.
#[derive(Clone, Debug)]
pub struct LivingLobby {
    /// The endpoint.
    pub lobby: Lobby,
    clock: Clock,
    /// When the object's alarm rings, as far as this life knows.
    armed: Option<Instant>,
}

impl LivingLobby {
    /// A lobby whose object has come into memory. `alarm_wall_ms`: when its alarm rings, Unix ms; `None`: it rings right now, or there
    /// is none.
    #[must_use]
    pub const fn new(lobby: Lobby, wall_ms: u64, alarm_wall_ms: Option<u64>) -> Self {
        let clock = Clock::new(wall_ms);
        let armed = match alarm_wall_ms {
            Some(at_ms) => Some(clock.at_wall_ms(at_ms)),
            None => None,
        };
        Self {
            lobby,
            clock,
            armed,
        }
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// When the next thing is due, whoever keeps it.
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        let due = [self.lobby.poll_timeout(), self.armed];
        due.into_iter().flatten().min()
    }

    /// Something happens: when. The clock follows the wall's at arm's length.
    pub fn moment(&mut self, wall_ms: u64) -> Moment {
        let now = self.clock.advance(wall_ms, self.due_at());
        Moment { now, wall_ms }
    }

    /// In how many milliseconds to come back while in memory; `None`: nothing is pending there.
    #[must_use]
    pub fn timeout_in_ms(&self) -> Option<u64> {
        let at = self.lobby.poll_timeout()?;
        Some(at.since_ms(self.clock.now()))
    }

    /// The alarm rang.
    pub const fn rang(&mut self) {
        self.armed = None;
    }

    /// In how many milliseconds the alarm must ring, if it must be set anew. It is never moved later: one that comes too early finds
    /// nothing to do, which is cheaper than a write each time.
    pub fn alarm_in_ms(&mut self) -> Option<u64> {
        let due = self.lobby.poll_alarm()?;
        if self
            .armed
            .is_some_and(|at| at <= due && at >= self.clock.now())
        {
            return None;
        }
        self.armed = Some(due);
        Some(due.since_ms(self.clock.now()))
    }
}
