//! Strict rooms: whether a lease lives, asked before each request of its holder. The lobby asks the room beside the batches, and keeps
//! nothing of the question or its answer. A check that arrives while a question is out shares the next one: the answer to the one that
//! is out may be older than a release that came before the check.

use super::asking::{Asks, WaitsFor, lease_told};
use super::{Asker, CallId};
use facts::limits::CHECKS_MAX;
use facts::message::ToRoom;
use facts::reply::Standing;
use facts::units::{Edition, Fence, Instant, Number};
use facts::wire::LeaseTold;
use std::collections::VecDeque;

/// The most checks that wait for the room in one lobby. At 10,000 visitors inside that is two each; a check takes 16 bytes.
pub const CHECKS_WAITING_MAX: usize = 20_000;

/// The questions about leases. One is out at most, and no ask is in it that is in the next.
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

    /// Makes an ask wait for the next question. Returns `false` if too many wait already.
    pub fn add(&mut self, asker: Asker, fence: Fence, asks: &mut Asks) -> bool {
        let fits = self.waiting.len() < CHECKS_WAITING_MAX;
        if fits {
            asks.wait_for(asker, WaitsFor::Check);
            self.waiting.push_back((asker, fence));
        }
        fits
    }

    /// Asks the room of this edition the next question by `call`, if none is out. O(checks).
    pub fn send(&mut self, now: Instant, edition: Edition, call: impl FnOnce(ToRoom) -> CallId) {
        let count = self.waiting.len().min(CHECKS_MAX);
        if self.out.is_some() || count == 0 {
            return;
        }
        let asked: Vec<(Asker, Fence)> = self.waiting.drain(..count).collect();
        let fences = asked.iter().map(|(_, fence)| *fence).collect();
        self.out = Some(Out {
            call: call(ToRoom::Check(fences)),
            sent_at: now,
            edition,
            asked,
        });
    }

    /// Notes which leases live, as the room says, whose edition is this one now. Returns whose asks go on. O(checks · asks that give something back).
    pub fn hear(&mut self, edition: Edition, leases: &[(Number, Standing)], asks: &mut Asks) -> Vec<Asker> {
        let Some(out) = self.out.take() else {
            return Vec::new();
        };
        for ((asker, fence), (number, standing)) in out.asked.iter().zip(leases) {
            let lease = lease_told(out.edition, *number, *standing);
            let lease = lease.filter(|lease| lease.fence == *fence && !asks.gives_back(*number, *fence));
            // Such an answer is from before a reset that this lobby has heard of since.
            let lease = lease.filter(|_| edition == out.edition);
            note(asks, *asker, lease.is_some(), lease, out.sent_at);
        }
        out.asked.into_iter().zip(leases).map(|((asker, _), _)| asker).collect()
    }

    /// Ends the question that is out without an answer. Returns whose asks nobody may get in by.
    pub fn lose(&mut self) -> Vec<Asker> {
        let asked = self.out.take().map(|out| out.asked);
        asked.into_iter().flatten().map(|(asker, _)| asker).collect()
    }

    /// For a planted bug only: answers the asks of a question as if all these leases lived for so long. Returns whose asks go on.
    pub fn pass(&mut self, now: Instant, ms: u64, asks: &mut Asks) -> Vec<Asker> {
        let asked = self.out.take().map(|out| out.asked).unwrap_or_default();
        for (asker, fence) in &asked {
            let shown = asks.get(*asker).and_then(|asking| asking.ask.shown);
            let lease = shown.map(|shown| LeaseTold {
                number: shown.number,
                edition: shown.edition,
                fence: *fence,
                idle_in_ms: ms,
                hard_in_ms: ms,
                provisional: false,
            });
            note(asks, *asker, true, lease, now);
        }
        asked.into_iter().map(|(asker, _)| asker).collect()
    }
}

/// Notes for an ask whether its lease lives.
fn note(asks: &mut Asks, asker: Asker, lives: bool, lease: Option<LeaseTold>, asked_at: Instant) {
    if let Some(asking) = asks.get_mut(asker) {
        asking.progress.checked = true;
        asking.progress.asked = lives;
        asking.progress.lease = lease;
        asking.progress.lease_at = asked_at;
    }
}
