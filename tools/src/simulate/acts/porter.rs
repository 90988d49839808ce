//! The porter object's platform: its process and its calls. It drives the core as `edge/porter_object.rs` does, and decides nothing.
//!
//! Like anything that travels, a bundle is lost, or comes twice, late or in two parts. A porter's process ends with all that it holds.

use crate::simulate::builds::Way;
use crate::simulate::faults::Kind;
use crate::simulate::queue::{Caller, Event, Life};
use crate::simulate::world::World;
use baton::facts::message::{FromRoom, ToRoom};
use baton::lobby::CallId;
use baton::lobby::porter::{BUNDLE_TIMEOUT_MS, BundleId, Effect, Sender};
use std::rc::Rc;

/// How many bytes a batch counts: so many that few fit into a bundle and some must wait.
const BATCH_BYTES: usize = 100 * 1024;

impl World {
    /// Hands a lobby's batch to a porter.
    pub fn porter_hears(&mut self, porter: usize, from: (Life, CallId), said: &ToRoom) {
        let ToRoom::Batch(batch) = said else { return };
        if self.is_unread(from.0.lobby, Way::ToPorter) {
            let (life, call) = from;
            return self.transmit(|| Event::LobbyHears { life, call, answer: None });
        }
        let side = &mut self.porters[porter];
        side.came += 1;
        let sender = Sender(side.came);
        side.senders.insert(sender, from);
        side.core.handle_batch(sender, batch.clone(), BATCH_BYTES);
        self.porter_carries_out(porter);
    }

    /// Tells a porter how the room answered a bundle; `None` if nothing came in time.
    pub fn porter_is_answered(&mut self, (porter, process): (usize, u64), bundle: BundleId, answer: Option<&FromRoom>) {
        let side = &mut self.porters[porter];
        if side.process == process {
            side.core.handle_answer(bundle, answer.cloned());
            self.porter_carries_out(porter);
        }
    }

    /// Ends a porter's process, and tells the lobbies whose batches wait there that their calls failed.
    pub fn porter_restarts(&mut self, porter: usize) {
        let side = &mut self.porters[porter];
        let process = side.process + 1;
        let old = core::mem::take(side);
        side.process = process;
        for (life, call) in old.senders.into_values() {
            self.transmit(|| Event::LobbyHears { life, call, answer: None });
        }
    }

    fn porter_carries_out(&mut self, porter: usize) {
        while let Some(effect) = self.porters[porter].core.poll_effect() {
            match effect {
                Effect::Bring(bundle, said) => self.porter_brings(porter, bundle, Rc::from(said)),
                Effect::Hand(sender, taken) => {
                    let waits = self.porters[porter].senders.remove(&sender);
                    let Some((life, call)) = waits else { continue };
                    let taken = taken.filter(|_| !self.is_unread(life.lobby, Way::FromPorter));
                    let answer = taken.map(|taken| Rc::new(FromRoom::from(taken)));
                    self.transmit(|| Event::LobbyHears {
                        life,
                        call,
                        answer: answer.clone(),
                    });
                }
            }
        }
    }

    /// Returns what reaches the room of a bundle: all of it at once, or each half by itself.
    fn in_parts(&mut self, said: Rc<ToRoom>) -> Vec<Rc<ToRoom>> {
        match &*said {
            ToRoom::Bundle(batches) if batches.len() > 1 && self.faults.borrow_mut().strikes(Kind::BundleSplit) => {
                let (first, second) = batches.split_at(batches.len() / 2);
                let part = |batches: &[_]| Rc::new(ToRoom::Bundle(batches.to_vec()));
                vec![part(first), part(second)]
            }
            _ => vec![said],
        }
    }

    fn porter_brings(&mut self, porter: usize, bundle: BundleId, said: Rc<ToRoom>) {
        let process = self.porters[porter].process;
        let from = Caller::Porter(porter, process, bundle);
        for said in self.in_parts(said) {
            self.transmit(|| Event::RoomHears {
                from,
                said: Rc::clone(&said),
            });
        }
        self.after(
            BUNDLE_TIMEOUT_MS,
            Event::PorterIsAnswered {
                porter,
                process,
                bundle,
                answer: None,
            },
        );
    }
}
