//! What goes out of a lobby. `send_batches` and `tell` of `edge/lobby_object/outgoing.rs` are async there,
//! so they are told once more here: each await is an event, and nothing else is decided.

use super::lobby_side::Call;
use super::queue::{Answer, Event, Life};
use super::slab::Id;
use super::world::{World, visitor_of, who};
use crate::living::{RETRY_DOUBLINGS_MAX, RETRY_MS, ROOM_TIMEOUT_MS};
use crate::lobby::Delivered;
use crate::room::command::Message;
use crate::wire::State;
use std::rc::Rc;

impl World {
    pub fn sends(&mut self, life: Life, failures: u32) {
        let next = self.change(life, |living, now, _| living.core.next_batch(now));
        let Ok(Some(batch)) = next else { return };
        let sent = self.oracle.sent(life, &batch);
        self.holds(sent);
        let batch = Rc::new(batch);
        let call = self.calls.insert(Call {
            life,
            batch: Rc::clone(&batch),
            failures,
        });
        self.transmit(|| Event::BatchArrives {
            call,
            batch: Rc::clone(&batch),
        });
        self.after(ROOM_TIMEOUT_MS, Event::Answered { call, answer: None });
    }

    /// An answer, or none in time. A second one finds nobody.
    pub fn answered(&mut self, call: Id, answer: Option<&Answer>) {
        let Some(Call {
            life,
            batch,
            failures,
        }) = self.calls.remove(call)
        else {
            return;
        };
        let Some(answer) = answer else {
            let noted = self.change(life, |living, now, _| living.core.unanswered(now, &batch));
            if noted.is_err() {
                return;
            }
            let ms = RETRY_MS << failures.min(RETRY_DOUBLINGS_MAX);
            return self.after(
                ms,
                Event::Loop {
                    life,
                    failures: failures + 1,
                },
            );
        };
        let taken = self.change(life, |living, now, _| {
            living.core.take(now, &batch, answer.clone())
        });
        match taken {
            Ok(Ok(delivered)) => {
                self.tell(life, &delivered);
                self.after(0, Event::Loop { life, failures: 0 });
            }
            Ok(Err(refusal)) => {
                let side = &mut self.lobbies[life.lobby];
                let expected = side.is_old(life.id) || side.was_lost;
                if let Some(living) = side.slot(life.id).and_then(Option::take) {
                    self.memory_dropped(living);
                }
                if !expected {
                    self.flaw(
                        "the one life of a lobby is not refused",
                        format!("{refusal:?}: {batch:?}"),
                    );
                }
            }
            Err(()) => {}
        }
    }

    pub fn lobby_is_pushed(&mut self, index: usize, message: &Message) -> Option<u64> {
        let life = self.wake_lobby(index)?;
        let pushed = self.change(life, |living, now, _| {
            (
                living.core.lobby.pushed(now, message),
                living.core.lobby.watchers(),
            )
        });
        let (delivered, sockets) = pushed.ok()?;
        self.tell(life, &delivered);
        Some(sockets)
    }

    /// Tells whom it concerns: waiters, sockets, held polls.
    pub fn tell(&mut self, life: Life, delivered: &Delivered) {
        let side = &mut self.lobbies[life.lobby];
        let is_old = side.is_old(life.id);
        let Some(mut living) = side.slot(life.id).and_then(Option::take) else {
            return;
        };
        for (waiter, outcome) in &delivered.outcomes {
            if let Some(ask) = living.waiters.remove(waiter) {
                self.waiter_is_answered(ask, Some(*outcome));
            }
        }
        let everybody = delivered.everybody;
        let (now, wall_ms) = (living.core.clock().now(), living.core.clock().wall_ms());
        let concerned: Vec<usize> = if everybody {
            (0..self.people.len()).collect()
        } else {
            delivered.changed.iter().map(|id| visitor_of(*id)).collect()
        };
        for visitor in &concerned {
            let open = self.people[*visitor]
                .sockets
                .iter()
                .filter(|(_, lobby)| *lobby == life.lobby);
            let open: Vec<Id> = open.map(|(socket, _)| *socket).collect();
            // The sockets are the platform's: an old isolate has none.
            if open.is_empty() || is_old {
                continue;
            }
            let status = living.core.lobby.status(now, wall_ms, who(*visitor));
            self.is_told(life, *visitor, &status, None);
            for socket in open {
                self.socket_sends(socket, status.clone());
                if status.state == State::Over {
                    self.socket_closes(socket);
                    living.core.lobby.socket_closed(now, who(*visitor));
                }
            }
        }
        if !living.polls.is_empty() {
            let (ended, held) = std::mem::take(&mut living.polls)
                .into_iter()
                .partition(|(visitor, _)| everybody || concerned.contains(visitor));
            living.polls = held;
            let ended: Vec<(usize, Id)> = ended;
            ended
                .into_iter()
                .for_each(|(_, ask)| self.after(0, Event::PollEnds(ask)));
        }
        self.lobbies[life.lobby].keep(is_old, living);
    }

    /// A lobby closes a socket of its own accord.
    fn socket_closes(&mut self, id: Id) {
        if let Some(socket) = self.sockets.remove(id) {
            self.people[socket.visitor]
                .sockets
                .retain(|(other, _)| *other != id);
            self.after(
                50,
                Event::SocketGone {
                    socket: id,
                    by_visitor: false,
                },
            );
        }
    }
}
