//! A lobby in memory with its clock and its alarm: what both of its drivers need around the endpoint. Nothing of it is stored.

use crate::clock::Clock;
use crate::facts::units::Instant;
use crate::lobby::{Lobby, Moment};

/// A socket that has not pinged for this long is dead, ms: a page pings every 25 s, so it has missed three.
pub const SILENT_AFTER_MS: u64 = 80_000;

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
    /// A lobby whose object has just come into memory. `alarm_wall_ms` is when its alarm rings, Unix ms,
    /// or `None` if it rings right now or none is set.
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

    /// The next time at which a timer in memory or the alarm is due, or `None` if neither is set.
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        let due = [self.lobby.poll_timeout(), self.armed];
        due.into_iter().flatten().min()
    }

    /// Advances the clock and returns the moment of what happens now. The clock follows the wall clock at arm's length.
    pub fn moment(&mut self, wall_ms: u64) -> Moment {
        let now = self.clock.advance(wall_ms, self.due_at());
        Moment { now, wall_ms }
    }

    /// The time until the driver must come back while the lobby is in memory, in ms, or `None` if nothing is pending there.
    #[must_use]
    pub fn timeout_in_ms(&self) -> Option<u64> {
        let at = self.lobby.poll_timeout()?;
        Some(at.since_ms(self.clock.now()))
    }

    /// Notes that the alarm has rung.
    pub const fn rang(&mut self) {
        self.armed = None;
    }

    /// Returns in how many milliseconds the alarm must ring, or `None` if it need not be set anew. The alarm is never moved later: one that rings
    /// too early finds nothing to do, which costs less than a write each time.
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
