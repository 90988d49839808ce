//! A lobby in memory with its clock, its alarm and its timer: what both of its drivers need around the endpoint. Nothing of it is stored.

use super::{Alarm, BEHIND_MS, Stay};
use crate::clock::{Bell, Clock, JUMP_MS, TIMER_REACH_MS};
use facts::units::Instant;
use lobby::{Lobby, Moment, SILENT_AFTER_MS};

/// A lobby in memory.
#[derive(Clone, Debug)]
pub struct LivingLobby {
    /// The endpoint.
    pub lobby: Lobby,
    clock: Clock,
    alarm: Alarm,
    /// When the driver's timer rings; `None` if none is set.
    timer: Option<Instant>,
    stay: Stay,
    /// What the wall clock read when this memory began, or when it was last found to have gone farther than the timer of an object that stays lets it
    /// go in one look, Unix ms.
    begun_ms: u64,
}

impl LivingLobby {
    /// A lobby whose object has just come into memory. `alarm_wall_ms` is when its alarm rings or rang, Unix ms; `None` if none is set.
    #[must_use]
    pub const fn new(lobby: Lobby, stay: Stay, wall_ms: u64, alarm_wall_ms: Option<u64>) -> Self {
        Self {
            lobby,
            clock: Clock::new(wall_ms),
            alarm: Alarm::resume(alarm_wall_ms, wall_ms),
            timer: None,
            stay,
            begun_ms: wall_ms,
        }
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What bounds the clock: the timer that is set, else the alarm.
    #[must_use]
    pub fn bell(&self) -> Option<Bell> {
        self.timer.map(Bell::Timer).or_else(|| self.alarm.bell())
    }

    /// Advances the clock and returns the moment of what happens now. The clock follows the wall clock at arm's length.
    pub fn moment(&mut self, wall_ms: u64) -> Moment {
        // Until the first timer is set, only an alarm bounds the clock, and a jump may pass for a sleep. Whoever stays does not sleep.
        if wall_ms > self.clock.wall_ms().saturating_add(JUMP_MS) {
            self.begun_ms = wall_ms;
        }
        let bell = self.bell();
        let now = self.clock.follow(wall_ms, bell, &mut self.timer);
        Moment { now, wall_ms }
    }

    /// Advances the clock because the timer has rung, and returns the moment of that.
    pub fn timer_rang(&mut self, wall_ms: u64) -> Moment {
        match self.timer.take() {
            Some(at) => self.clock.ring(wall_ms, at),
            None => self.clock.advance(wall_ms, self.bell()),
        };
        let now = self.clock.now();
        Moment { now, wall_ms }
    }

    /// Returns in how many ms the driver's timer must ring while the lobby is in memory, or `None` if it need not be set anew. One that rings too
    /// early finds nothing to do. Counts on its being set so, in place of the one before.
    pub fn timer_in_ms(&mut self) -> Option<u64> {
        let kept = match self.stay {
            Stay::Sleeps => None,
            Stay::Stays => self.lobby.poll_alarm(),
        };
        let due = [self.lobby.poll_timeout(), kept];
        let due = due.into_iter().flatten().min()?;
        let reach_ms = self.stay.pick(u64::MAX, TIMER_REACH_MS);
        let due = due.min(self.clock.now().plus_ms(reach_ms));
        if self.timer.is_some_and(|at| at <= due) {
            return None;
        }
        self.timer = Some(due);
        Some(due.since_ms(self.clock.now()))
    }

    /// Notes that the alarm has rung.
    pub const fn rang(&mut self) {
        self.alarm.rang();
    }

    /// Returns in how many ms the alarm must ring, or `None` if it need not be set anew.
    pub fn alarm_in_ms(&mut self) -> Option<u64> {
        let behind_ms = self.stay.pick(0, BEHIND_MS);
        let due = self.lobby.poll_alarm().map(|at| at.plus_ms(behind_ms));
        self.alarm.set_for(&self.clock, due)
    }

    /// Returns what tells which sockets have gone silent by now.
    #[must_use]
    pub fn ear(&self) -> Ear {
        let begun_ms = self.stay.pick(0, self.begun_ms);
        Ear {
            wall_ms: self.clock.wall_ms(),
            known_ms: self.clock.steady_since_ms().max(begun_ms),
        }
    }
}

/// Tells which sockets have gone silent.
#[derive(Clone, Copy, Debug)]
pub struct Ear {
    wall_ms: u64,
    /// Since when the wall clock is known not to have jumped, by its own reading. 0 if nobody sets it.
    known_ms: u64,
}

impl Ear {
    /// Returns whether a socket that was last heard at this reading of the wall clock counts as dead. A reading from before the wall clock jumped says
    /// nothing, so a socket has its time from the jump on.
    #[must_use]
    pub fn is_silent(self, heard_at_ms: u64) -> bool {
        let is_known = heard_at_ms <= self.wall_ms.saturating_add(JUMP_MS);
        let heard_ms = is_known.then_some(heard_at_ms);
        let since_ms = heard_ms.map_or(self.known_ms, |at_ms| at_ms.max(self.known_ms));
        self.wall_ms.saturating_sub(since_ms) > SILENT_AFTER_MS
    }
}
