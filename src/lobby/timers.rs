//! Every deadline of a lobby, in one place.

use super::{Asker, CallId};
use facts::units::{Instant, VisitorId};
use std::collections::{BTreeMap, BTreeSet};

/// What is due at a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// When to tell an asker that the room can't be reached.
    Patience(Asker),
    /// When to answer a held poll.
    Poll(Asker),
    /// When a guest without socket and poll counts as gone.
    Linger(VisitorId),
    /// When visitors whom the list calls present and who have not come back count as gone.
    Expected,
    /// When to give up waiting for the room's answer.
    Call(CallId),
    /// When to try the room again after it did not answer.
    Again,
    /// When joins have waited for company long enough.
    Company,
    /// When to send the counts that no batch took along.
    Counts,
    /// When to send the newest frame to every socket.
    Frame,
    /// When to slide the lease of a guest who is there.
    Slide(VisitorId),
    /// When to ask the room how things are, since it was not heard for long.
    Quiet,
}

impl Timer {
    /// Whether the object's alarm keeps this deadline while the object sleeps. The others need what memory holds, and keep the object awake.
    const fn is_kept(self) -> bool {
        matches!(self, Self::Slide(_) | Self::Quiet)
    }
}

/// The deadlines that are set.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    at: BTreeMap<Timer, Instant>,
    awake: BTreeSet<(Instant, Timer)>,
    kept: BTreeSet<(Instant, Timer)>,
}

impl Timers {
    /// Sets a deadline, in place of an earlier one. O(log deadlines).
    pub fn set(&mut self, timer: Timer, at: Instant) {
        self.cancel(timer);
        self.at.insert(timer, at);
        self.side(timer).insert((at, timer));
    }

    /// Sets a deadline unless it is set already. O(log deadlines).
    pub fn set_once(&mut self, timer: Timer, at: Instant) {
        if !self.at.contains_key(&timer) {
            self.set(timer, at);
        }
    }

    /// Sets a deadline unless an earlier one is set. O(log deadlines).
    pub fn set_by(&mut self, timer: Timer, at: Instant) {
        if self.at.get(&timer).is_none_or(|set| at < *set) {
            self.set(timer, at);
        }
    }

    /// Cancels a deadline. O(log deadlines).
    pub fn cancel(&mut self, timer: Timer) {
        if let Some(at) = self.at.remove(&timer) {
            self.side(timer).remove(&(at, timer));
        }
    }

    /// Whether this deadline is set.
    pub fn has(&self, timer: Timer) -> bool {
        self.at.contains_key(&timer)
    }

    /// Removes and returns the first deadline that is due, or returns `None` if none is. O(log deadlines).
    pub fn pop_due(&mut self, now: Instant) -> Option<Timer> {
        let first = [self.awake.first(), self.kept.first()];
        let (at, timer) = *first.into_iter().flatten().min()?;
        if at > now {
            return None;
        }
        self.cancel(timer);
        Some(timer)
    }

    /// The next deadline of those that only memory keeps.
    pub fn next_awake(&self) -> Option<Instant> {
        self.awake.first().map(|(at, _)| *at)
    }

    /// The next deadline of those that the alarm keeps.
    pub fn next_kept(&self) -> Option<Instant> {
        self.kept.first().map(|(at, _)| *at)
    }

    const fn side(&mut self, timer: Timer) -> &mut BTreeSet<(Instant, Timer)> {
        if timer.is_kept() { &mut self.kept } else { &mut self.awake }
    }
}
