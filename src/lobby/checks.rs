//! Strict rooms: whether a lease lives, asked before each request of its holder. The lobby asks the room beside the batches, and keeps
//! nothing of the question or its answer. A check that arrives while a question is out shares the next one: the answer to the one that
//! is out may be older than a release that came before the check.

use super::asking::{WaitsFor, Want};
use super::batch::lease_told;
use super::{Asker, CallId, Lobby, Moment};
use facts::limits::CHECKS_MAX;
use facts::message::ToRoom;
use facts::reply::Standing;
use facts::units::{Edition, Fence, Instant, Number};
use facts::wire::LeaseTold;
use std::collections::VecDeque;

/// The most checks that wait for the room in one lobby. At 10,000 visitors inside that is two each; a check takes 16 bytes.
pub const CHECKS_WAITING_MAX: usize = 20_000;

/// The questions about leases.
#[derive(Clone, Debug, Default)]
pub(super) struct Checks {
    waiting: VecDeque<(Asker, Fence)>,
    out: Option<Out>,
}

/// The question that is out.
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
    /// Makes an ask wait for the next question about leases. If too many wait already, the asker is told that the room can't be reached.
    pub(super) fn checks_for(&mut self, m: Moment, asker: Asker, fence: Fence) {
        if self.checks.waiting.len() >= CHECKS_WAITING_MAX {
            return self.gives_up(m.now, asker);
        }
        if let Some(asking) = self.asks.get_mut(&asker) {
            asking.waits_for = WaitsFor::Check;
        }
        self.checks.waiting.push_back((asker, fence));
    }

    /// Asks the room the next question, if none is out. O(checks).
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

    /// Takes in which leases live, as the room says. O(checks · asks that give something back).
    pub(super) fn checks_answered(&mut self, m: Moment, leases: &[(Number, Standing)]) {
        let Some(out) = self.checks.out.take() else {
            return;
        };
        let edition = out.edition;
        let is_over = edition != self.replica.edition();
        for ((asker, fence), (number, standing)) in out.asked.into_iter().zip(leases) {
            let lease = lease_told(edition, *number, *standing);
            let lease = lease.filter(|lease| lease.fence == fence && !self.gives_back(*number, fence));
            // Such an answer is from before a reset that this lobby has heard of since.
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

    /// Gives up the asks of a question that got no answer: nobody may get in by it.
    pub(super) fn checks_are_lost(&mut self, now: Instant) {
        let asked = self.checks.out.take().map(|out| out.asked);
        for (asker, _) in asked.into_iter().flatten() {
            self.gives_up(now, asker);
        }
    }

    /// For a planted bug only: answers the asks of a question as if all these leases lived.
    pub(super) fn checks_pass(&mut self, m: Moment) {
        let asked = self.checks.out.take().map(|out| out.asked);
        let ms = self.gist.lease_idle_ms;
        for (asker, fence) in asked.into_iter().flatten() {
            if let Some(asking) = self.asks.get_mut(&asker) {
                asking.progress.checked = true;
                asking.progress.asked = true;
                asking.progress.lease = asking.ask.shown.map(|shown| LeaseTold {
                    number: shown.number,
                    edition: shown.edition,
                    fence,
                    idle_in_ms: ms,
                    hard_in_ms: ms,
                    provisional: false,
                });
                asking.progress.lease_at = m.now;
            }
            self.proceed(m, asker);
        }
    }

    /// Whether an ask wants to give this lease back, which the room may not have heard when it answered.
    fn gives_back(&self, number: Number, fence: Fence) -> bool {
        self.asks.values().any(|asking| match asking.wants() {
            Some(Want::Release(given)) => given == fence,
            Some(Want::Leave(place)) => place.number == number,
            _ => false,
        })
    }
}
