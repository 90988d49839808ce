//! The way to the room: under which number a question goes, how long its answer is waited for, and when the next one goes after none came.

use super::timers::{Timer, Timers};
use super::{AGAIN_DOUBLINGS_MAX, AGAIN_MS, CALL_TIMEOUT_MS, CallId, Effect, PORTER_PATIENCE_MS, PORTER_REST_MS, Way};
use facts::message::ToRoom;
use facts::units::Instant;
use std::collections::VecDeque;

/// What is known of the way to the room. Each call that is out has a [`Timer::Call`]; an answer to any other is nobody's.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    calls: u64,
    /// How many calls in a row the room did not answer.
    failures: u32,
    /// Until when batches go past the porter.
    porter_rests_until: Instant,
}

impl Reach {
    /// Hands a question to the driver, and sets the time until which its answer is waited for. O(log deadlines).
    pub fn call(&mut self, now: Instant, ask: ToRoom, way: Way, timers: &mut Timers, effects: &mut VecDeque<Effect>) -> CallId {
        self.calls += 1;
        let call = CallId(self.calls);
        let until = now.plus_ms(match way {
            Way::Direct => CALL_TIMEOUT_MS,
            Way::Porter => PORTER_PATIENCE_MS,
        });
        timers.set(Timer::Call(call), until);
        effects.push_back(Effect::Call(call, Box::new(ask), way));
        call
    }

    /// Ends a call, answered or not. Returns `false` if nobody waits for it any more. O(log deadlines).
    pub fn end(&mut self, call: CallId, is_answered: bool, timers: &mut Timers) -> bool {
        let is_out = timers.has(Timer::Call(call));
        timers.cancel(Timer::Call(call));
        if is_out && is_answered {
            self.failures = 0;
        }
        is_out
    }

    /// The way of a batch that leaves now.
    pub fn way(&self, has_porter: bool, now: Instant) -> Way {
        let rests = now < self.porter_rests_until;
        if has_porter && !rests { Way::Porter } else { Way::Direct }
    }

    /// Goes past the porter for a while, because it brought no answer.
    pub const fn rest_porter(&mut self, now: Instant) {
        self.porter_rests_until = now.plus_ms(PORTER_REST_MS);
    }

    /// Makes the next question to the room wait a little, because it gave no answer; longer each time.
    pub fn try_again(&mut self, now: Instant, timers: &mut Timers) {
        let wait_ms = AGAIN_MS << self.failures.min(AGAIN_DOUBLINGS_MAX);
        self.failures += 1;
        timers.set(Timer::Again, now.plus_ms(wait_ms));
    }
}
