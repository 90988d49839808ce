//! An object's clock. It follows the wall clock, but never runs back, and never far past what rings next.
//!
//! A host that sets its clock an hour forward must not end every lease at once, and one that sets it back must not make leases last for ever. What
//! rings next says how far time can have gone since the object's last look ([`Bell`]). A reading of the wall clock beyond that is not believed.

use facts::planted::{self, Bug};
use facts::units::Instant;

/// How late an alarm may ring without being taken for a jump of the clock, in ms.
pub const SLACK_MS: u64 = 60_000;
/// The longest that an object looks ahead while time matters to anybody, in ms. A jump of the wall clock that lands within this, and the slack, cannot
/// be told from a sleep. Once a minute costs 1,440 alarms a day.
pub const REACH_MS: u64 = 60_000;
/// The longest that a timer in memory looks ahead, in ms: a jump forward takes no more than this, and the timer's slack, from anybody's time.
pub const TIMER_REACH_MS: u64 = 5_000;
/// How late a timer may ring without being taken for a jump of the clock, in ms.
pub const TIMER_SLACK_MS: u64 = 1_000;

/// How far the wall clock may read behind true time, in ms: workerd 2026-11-17 with `precise_timers` reads it in steps of 3. Whoever waits for an instant
/// by a timer waits so much longer, or finds mostly that it has not come yet.
pub const COARSE_MS: u64 = 2;
/// How early a timer may ring by the wall clock without the wall clock having been set, in ms.
pub const TIMER_EARLY_MS: u64 = 20;

/// By how much the wall clock must jump for its readings from before to say nothing any more, in ms. A smaller jump makes a socket that pings every
/// 25 s look silent for 45 s at most, of the 80 s that it has. A busy host makes timers late by seconds: if that counted, no socket there would ever
/// be silent.
pub const JUMP_MS: u64 = 20_000;

/// What rings next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bell {
    /// The object's alarm. It rings by the wall clock.
    Alarm {
        /// What the wall clock read when the alarm was armed, or a reading from before that, Unix ms. A wall clock that is set back meanwhile makes
        /// no more time pass until the alarm rings.
        from_ms: u64,
        /// What the wall clock reads when it rings, Unix ms.
        at_ms: u64,
    },
    /// A timer in the object's memory. It rings at this instant of the object's clock, whatever becomes of the wall clock.
    Timer(Instant),
}

/// A clock that follows the wall clock within these bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    now: Instant,
    wall_ms: u64,
    steady_since_ms: u64,
}

impl Clock {
    /// Starts a clock at Unix time, so that its instants look familiar.
    #[must_use]
    pub const fn new(wall_ms: u64) -> Self {
        Self::resume(Instant(wall_ms), wall_ms)
    }

    /// Resumes a clock that read `now` when the wall clock read `wall_ms`.
    #[must_use]
    pub const fn resume(now: Instant, wall_ms: u64) -> Self {
        Self {
            now,
            wall_ms,
            steady_since_ms: 0,
        }
    }

    /// The time at the last look.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// What the wall clock read at the last look, Unix ms.
    #[must_use]
    pub const fn wall_ms(&self) -> u64 {
        self.wall_ms
    }

    /// What the wall clock read after it was last seen to jump by more than [`JUMP_MS`], Unix ms; 0 if it never was. What it read before says nothing
    /// about how long ago anything was.
    #[must_use]
    pub const fn steady_since_ms(&self) -> u64 {
        self.steady_since_ms
    }

    /// Whether the wall clock was set since the last look, back or past the time of this timer and its slack. A runtime that keeps the order of its timers
    /// by the wall clock may then ring this one as late as the clock was set. O(1).
    const fn loses(&self, wall_ms: u64, timer: Instant) -> bool {
        let elapsed_ms = wall_ms.saturating_sub(self.wall_ms);
        let may_ms = timer.since_ms(self.now).saturating_add(TIMER_SLACK_MS);
        wall_ms < self.wall_ms || elapsed_ms > may_ms
    }

    /// Looks at the wall clock and advances. Without a bell nothing is pending, and the clock believes a sleep of any length. O(1).
    ///
    /// A reading of more than [`SLACK_MS`] past the alarm is a jump, or the object's host was away. Then time has gone at least to where the alarm
    /// was armed, which is [`REACH_MS`] before it at most, and no further. A reading of more than [`TIMER_SLACK_MS`] past a timer that has not rung is a
    /// jump, and no time has gone.
    pub fn advance(&mut self, wall_ms: u64, bell: Option<Bell>) -> Instant {
        let elapsed_ms = wall_ms.saturating_sub(self.wall_ms);
        let (ring_ms, slack_ms) = match bell {
            None => (u64::MAX, 0),
            Some(Bell::Alarm { from_ms, at_ms }) => (at_ms.saturating_sub(self.wall_ms.max(from_ms)), SLACK_MS),
            Some(Bell::Timer(at)) => (at.since_ms(self.now), TIMER_SLACK_MS),
        };
        let leaps = elapsed_ms > ring_ms.saturating_add(slack_ms);
        let believed_ms = if !leaps || planted::is(Bug::ClockLeaps) {
            elapsed_ms
        } else if matches!(bell, Some(Bell::Timer(_))) {
            0
        } else {
            ring_ms.saturating_sub(REACH_MS)
        };
        let jumps = leaps && elapsed_ms > ring_ms.saturating_add(JUMP_MS);
        self.moves(wall_ms, self.now.plus_ms(believed_ms), jumps);
        self.now
    }

    /// Does the same, and takes away a timer that it may have lost, so that another is set in its place. O(1).
    pub fn follow(&mut self, wall_ms: u64, bell: Option<Bell>, timer: &mut Option<Instant>) -> Instant {
        let is_lost = timer.is_some_and(|at| self.loses(wall_ms, at));
        *timer = timer.filter(|_| !is_lost);
        self.advance(wall_ms, bell)
    }

    /// Advances because the timer for `at` has rung: that instant has come, unless the wall clock says that it comes within [`TIMER_EARLY_MS`]. Then the
    /// wall clock is believed: the clock would gain a little on it with every timer otherwise, and a lease end before its holder was told. O(1).
    pub fn ring(&mut self, wall_ms: u64, at: Instant) -> Instant {
        let at = at.max(self.now);
        let read = self.now.plus_ms(wall_ms.saturating_sub(self.wall_ms));
        let is_early = at.since_ms(read) <= TIMER_EARLY_MS;
        let soonest = if is_early { read.min(at) } else { at };
        let now = read.clamp(soonest, at.plus_ms(TIMER_SLACK_MS));
        self.moves(wall_ms, now, read > at.plus_ms(JUMP_MS));
        self.now
    }

    const fn moves(&mut self, wall_ms: u64, now: Instant, jumps: bool) {
        if jumps || wall_ms.saturating_add(JUMP_MS) < self.wall_ms {
            self.steady_since_ms = wall_ms;
        }
        self.now = now;
        self.wall_ms = wall_ms;
    }

    /// Returns the wall clock's reading at an instant of this clock, Unix ms.
    #[must_use]
    pub const fn to_wall_ms(&self, at: Instant) -> u64 {
        self.wall_ms.saturating_add(at.since_ms(self.now))
    }

    /// Returns this clock's instant at a reading of the wall clock.
    #[must_use]
    pub const fn at_wall_ms(&self, wall_ms: u64) -> Instant {
        self.now.plus_ms(wall_ms.saturating_sub(self.wall_ms))
    }
}
