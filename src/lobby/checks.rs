//! Strict rooms: whether a lease lives, before each request of its holder. The room is asked beside the batches, and nothing of the
//! question or of its answer is kept. A check that arrives while a question is out shares the next question: the answer to the
//! one that is out may be older than a release that came before the check.

use super::asking::{Stage, Want};
use super::batch::lease_told;
use super::{Asker, CallId, Lobby, Moment};
use crate::facts::limits::CHECKS_MAX;
use crate::facts::message::ToRoom;
use crate::facts::reply::Standing;
use crate::facts::units::{Edition, Fence, Instant, Number};
use std::collections::VecDeque;

/// Most checks that wait for the room in one lobby. At 10,000 visitors inside that is two a visitor; 16 bytes each.
pub const CHECKS_WAITING_MAX: usize = 20_000;

/// Questions about leases.
#[derive(Clone, Debug, Default)]
pub(super) struct Checks {
    waiting: VecDeque<(Asker, Fence)>,
    out: Option<Out>,
}

/// The one that is out.
#[derive(Clone, Debug)]
struct Out {
    call: CallId,
    sent_at: Instant,
    edition: Edition,
    asked: Vec<(Asker, Fence)>,
}

impl Checks {
    pub fn is_out(&self, call: CallId) -> bool {
        self.out.as_ref().is_some_and(|out| out.call == call)
    }
}

impl Lobby {
    /// Somebody's lease is asked about.
    pub(super) fn checks_for(&mut self, m: Moment, asker: Asker, fence: Fence) {
        if self.checks.waiting.len() >= CHECKS_WAITING_MAX {
            return self.gives_up(m.now, asker);
        }
        if let Some(asking) = self.asks.get_mut(&asker) {
            asking.stage = Stage::Check;
        }
        self.checks.waiting.push_back((asker, fence));
    }

    /// Asks the next question, if none is out. O(checks).
    pub(super) fn send_checks(&mut self, m: Moment) {
        let count = self.checks.waiting.len().min(CHECKS_MAX);
        if self.checks.out.is_some() || count == 0 {
            return;
        }
        let asked: Vec<(Asker, Fence)> = self.checks.waiting.drain(..count).collect();
        let fences = asked.iter().map(|(_, fence)| *fence).collect();
        let call = self.call(m.now, ToRoom::Check(fences));
        self.checks.out = Some(Out {
            call,
            sent_at: m.now,
            edition: self.replica.edition(),
            asked,
        });
    }

    /// The room says which leases live. O(checks · asks that give something back).
    pub(super) fn checks_answered(&mut self, m: Moment, leases: &[(Number, Standing)]) {
        let Some(out) = self.checks.out.take() else {
            return;
        };
        let edition = out.edition;
        let is_over = edition != self.replica.edition();
        for ((asker, fence), (number, standing)) in out.asked.into_iter().zip(leases) {
            let lease = lease_told(edition, *number, *standing);
            let lease =
                lease.filter(|lease| lease.fence == fence && !self.gives_back(*number, fence));
            // The room answered before a reset of which this lobby has heard since.
            let lease = lease.filter(|_| !is_over);
            if let Some(asking) = self.asks.get_mut(&asker) {
                asking.progress.checked = true;
                asking.progress.asked = lease.is_some();
                asking.progress.lease = lease;
                asking.progress.lease_at = out.sent_at;
            }
            self.proceed(m, asker);
        }
    }

    /// No answer: nobody gets in by it.
    pub(super) fn checks_are_lost(&mut self, now: Instant) {
        let asked = self.checks.out.take().map(|out| out.asked);
        for (asker, _) in asked.into_iter().flatten() {
            self.gives_up(now, asker);
        }
    }

    /// Whether somebody has asked to give this lease back, and the room may not have heard it when it answered.
    fn gives_back(&self, number: Number, fence: Fence) -> bool {
        self.asks.values().any(|asking| match asking.wants() {
            Some(Want::Release(given)) => given == fence,
            Some(Want::Leave(place)) => place.number == number,
            _ => false,
        })
    }
}
