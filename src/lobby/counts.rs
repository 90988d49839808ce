//! What a lobby counts for the room: join attempts, whose rise shows the pressure, and what fronts overheard. The counts travel with the next batch,
//! or with one of their own if none comes for a while. They are sent once and never repeated: they are measurements, not promises.

use super::timers::{Timer, Timers};
use facts::command::Command;
use facts::overheard::{Haste, LATER_MS, Overheard};
use facts::units::Instant;

/// The least time, in ms, from one report to another that has nothing but what goes seldom.
const SELDOM_MS: u64 = 10_000;

/// What was counted and not sent yet. While there is something that must not wait for ever, [`Timer::Counts`] is set, or has made it overdue.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    attempts: u32,
    heard: Overheard,
    /// When what was overheard was last sent.
    told_at: Option<Instant>,
    overdue: bool,
}

impl Counts {
    /// Whether the counts are worth a batch of their own.
    pub const fn is_overdue(&self) -> bool {
        self.overdue
    }

    /// Notes that the counts have waited for a batch long enough.
    pub const fn mark_overdue(&mut self) {
        self.overdue = true;
    }

    /// Counts an attempt of a visitor without a permit to get in.
    pub fn attempt(&mut self, now: Instant, timers: &mut Timers) {
        self.attempts = self.attempts.saturating_add(1);
        timers.set_by(Timer::Counts, now.plus_ms(LATER_MS));
    }

    /// Adds what a front has overheard.
    pub fn overhear(&mut self, now: Instant, heard: &Overheard, timers: &mut Timers) {
        self.heard.merge(heard);
        if let Some(ms) = heard.may_wait_ms() {
            timers.set_by(Timer::Counts, now.plus_ms(ms));
        }
    }

    pub const fn take_attempts(&mut self) -> u32 {
        core::mem::replace(&mut self.attempts, 0)
    }

    /// Takes what goes with a batch, if there is something.
    pub fn take_overheard(&mut self, now: Instant) -> Option<Command> {
        self.overdue = false;
        let is_early = |at: Instant| now.since_ms(at) < SELDOM_MS;
        if self.heard.haste()? == Haste::Seldom && self.told_at.is_some_and(is_early) {
            return None;
        }
        self.told_at = Some(now);
        let heard = core::mem::take(&mut self.heard);
        Some(Command::Overheard(Box::new(heard)))
    }
}
