//! A porter: brings the room the batches of several lobbies in one bundle, and hands each lobby its answer.
//!
//! With many lobbies, their batches queue at the room, and a baton waits in that queue. A porter makes one turn, and one row, of all that waits
//! while its last bundle is out (a combining tree: Yew, Tzeng and Lawrie, *Distributing hot-spot addressing in large-scale multiprocessors*,
//! 1987). It stores nothing and decides nothing. A batch may go past it at any time, and does when it is slow. One bundle is out at a time. A
//! batch of somebody who holds a permit goes ahead of one that only joins.
//!
//! A pure core like the lobby's, and without a clock: `handle_…` takes in what happens, `poll_effect` says what to carry out.

use facts::command::Command;
use facts::limits::{BUNDLE_BATCHES_MAX, BUNDLE_BYTES_MAX};
use facts::message::{Batch, FromRoom, Taken, ToRoom};
use facts::planted::{self, Bug};
use std::collections::VecDeque;

/// How long a bundle may be out, in ms. Then the driver gives it up, and its lobbies go to the room themselves. This is shorter than a lobby's
/// patience with its porter, so that the lobby hears of it in time.
pub const BUNDLE_TIMEOUT_MS: u64 = 1_000;

/// A lobby that waits for the answer to its batch; the name is given by the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sender(pub u64);

/// The number of a bundle that went out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleId(pub u64);

/// What the driver must carry out, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Bring the room this bundle. Its answer, or that none came in time, goes to [`handle_answer`](Porter::handle_answer).
    Bring(BundleId, Box<ToRoom>),
    /// Hand a sender its answer; `None` sends it past this porter.
    Hand(Sender, Option<Taken>),
}

/// A batch that waits for the next bundle.
#[derive(Clone, Debug)]
struct Waiting {
    sender: Sender,
    bytes: usize,
    batch: Batch,
}

/// A bundle on its way.
#[derive(Clone, Debug)]
struct Flight {
    bundle: BundleId,
    senders: Vec<Sender>,
}

/// See the file's documentation. The lobbies bound what waits, since each has one batch out.
#[derive(Clone, Debug, Default)]
pub struct Porter {
    /// Batches that give a permit back or take one, or name a place.
    urgent: VecDeque<Waiting>,
    /// Batches that only join, or only look.
    others: VecDeque<Waiting>,
    flight: Option<Flight>,
    bundles: u64,
    effects: VecDeque<Effect>,
}

impl Porter {
    /// Returns the next effect that the driver must carry out, or `None` if there is none.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Takes a lobby's batch of `bytes` bytes. O(1), or O(bundle) if a bundle leaves.
    pub fn handle_batch(&mut self, sender: Sender, batch: Batch, bytes: usize) {
        let queue = if batch.commands.iter().any(Command::is_urgent) {
            &mut self.urgent
        } else {
            &mut self.others
        };
        queue.push_back(Waiting { sender, bytes, batch });
        self.send();
    }

    /// Drops the batch of a lobby that no longer waits, unless it has gone out. O(waiting).
    pub fn handle_gone(&mut self, sender: Sender) {
        for queue in [&mut self.urgent, &mut self.others] {
            queue.retain(|waiting| waiting.sender != sender);
        }
    }

    /// Takes in the room's answer to a bundle, or that none came (`None`). Ignores an answer that nobody waits for any more. O(bundle).
    pub fn handle_answer(&mut self, bundle: BundleId, answer: Option<FromRoom>) {
        let Some(flight) = self.flight.take_if(|flight| flight.bundle == bundle) else {
            return;
        };
        let taken = match answer {
            Some(FromRoom::Bundle(taken)) if taken.len() == flight.senders.len() => taken,
            _ => return self.send_singly(flight),
        };
        let mut senders = flight.senders;
        if planted::is(Bug::BundleHandedInReverse) {
            senders.reverse();
        }
        for (sender, taken) in senders.into_iter().zip(taken) {
            self.effects.push_back(Effect::Hand(sender, Some(taken)));
        }
        self.send();
    }

    /// Sends each lobby of a bundle to the room by itself: nobody knows what became of the bundle, or one batch in it brought the turn down.
    fn send_singly(&mut self, flight: Flight) {
        let past = flight.senders.into_iter();
        self.effects.extend(past.map(|sender| Effect::Hand(sender, None)));
        self.send();
    }

    /// Sends the next bundle if batches wait and none is out.
    fn send(&mut self) {
        if self.flight.is_some() {
            return;
        }
        let mut senders = Vec::new();
        let mut batches = Vec::new();
        let mut bytes = 0;
        while let Some(waiting) = self.next_within(BUNDLE_BYTES_MAX.saturating_sub(bytes), &batches) {
            bytes += waiting.bytes;
            senders.push(waiting.sender);
            batches.push(waiting.batch);
        }
        if batches.is_empty() {
            return;
        }
        self.bundles += 1;
        let bundle = BundleId(self.bundles);
        self.flight = Some(Flight { bundle, senders });
        let said = Box::new(ToRoom::Bundle(batches));
        self.effects.push_back(Effect::Bring(bundle, said));
    }

    /// Takes the next batch that fits into a bundle with these batches. The first one fits whatever its size.
    fn next_within(&mut self, bytes: usize, batches: &[Batch]) -> Option<Waiting> {
        if batches.len() >= BUNDLE_BATCHES_MAX {
            return None;
        }
        let queue = if self.urgent.is_empty() { &mut self.others } else { &mut self.urgent };
        let fits = queue.front()?.bytes <= bytes || batches.is_empty();
        fits.then(|| queue.pop_front()).flatten()
    }
}
