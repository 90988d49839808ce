//! What comes into a lobby. `ask`, `settle`, `hold` and `look_if_old` of `edge/lobby_object/incoming.rs`
//! are async there: each await is an event here, and nothing else is decided.

use super::lobby_side::Living;
use super::people::Kind;
use super::queue::{Event, Life};
use super::slab::Id;
use super::world::{Socket, World, who};
use crate::living::PATIENCE_MS;
use crate::lobby::{Answer as Reply, Lobby, Outcome, Progress};
use crate::room::command::Message;
use crate::units::Instant;
use crate::wire::{Ask, State, Status, Told, Wish};

/// An ask on its way, in a lobby, or on its way back.
pub struct Asking {
    pub visitor: usize,
    pub lobby: usize,
    pub ask: Ask,
    pub kind: Kind,
    /// When the front asked.
    pub asked_at: u64,
    /// The life that answers it, once it is there.
    pub life: Option<Life>,
    pub progress: Progress,
    pub done: bool,
    /// Counts what was waited for.
    pub turn: u32,
    pub looking: bool,
    pub socket: Option<Id>,
}

impl World {
    pub fn ask_arrives(&mut self, id: Id) {
        let Some(asking) = self.asks.get(id) else {
            return;
        };
        let (lobby, ask) = (asking.lobby, asking.ask.clone());
        let Some(life) = self.wake_lobby(lobby) else {
            return;
        };
        if let Some(asking) = self.asks.get_mut(id) {
            asking.life = Some(life);
        }
        self.looks_if(id, life, |lobby, now| lobby.asks_to_look(now, &ask));
    }

    /// Goes on, when the room has been looked at if it must be.
    fn looks_if(&mut self, id: Id, life: Life, must: impl FnOnce(&Lobby, Instant) -> bool) {
        let looks = self.change(life, |living, now, _| {
            if !must(&living.core.lobby, now) {
                return None;
            }
            let first = living.looks.is_none();
            living.looks.get_or_insert_with(Vec::new).push(id);
            Some(first)
        });
        match looks {
            Err(()) => self.finish(id, None),
            Ok(None) => self.settle(id),
            Ok(Some(first)) => {
                let asking = self.asks.get_mut(id);
                let turn = asking.map_or(0, |asking| {
                    asking.looking = true;
                    asking.turn
                });
                if first {
                    self.transmit(|| Event::LookArrives(life));
                    self.after(
                        PATIENCE_MS,
                        Event::Looked {
                            life,
                            message: None,
                        },
                    );
                }
                self.after(
                    PATIENCE_MS,
                    Event::AskGoesOn {
                        ask: id,
                        turn,
                        outcome: None,
                    },
                );
            }
        }
    }

    /// However many asked, one looked.
    pub fn looked(&mut self, life: Life, message: Option<&Message>) {
        let looked = self.change(life, |living, now, _| {
            let looks = living.looks.take()?;
            Some((
                looks,
                message.map(|message| living.core.lobby.pushed(now, message)),
            ))
        });
        let Ok(Some((looks, delivered))) = looked else {
            return;
        };
        let seen = delivered.is_some();
        if let Some(delivered) = delivered {
            self.tell(life, &delivered);
        }
        for ask in looks {
            let waits = self
                .asks
                .get_mut(ask)
                .filter(|asking| asking.looking && !asking.done);
            let Some(asking) = waits else { continue };
            asking.turn += 1;
            asking.looking = false;
            if seen {
                self.settle(ask)
            } else {
                self.finish(ask, None)
            }
        }
    }

    fn settle(&mut self, id: Id) {
        let Some(mut asking) = self.asks.lend(id) else {
            return;
        };
        let life = asking.life.unwrap_or(Life {
            lobby: asking.lobby,
            id: 0,
        });
        let answer = self.change(life, |living, now, wall_ms| {
            living
                .core
                .lobby
                .ask(now, wall_ms, &asking.ask, &asking.progress)
        });
        asking.turn += 1;
        let turn = asking.turn;
        self.asks.put_back(id, asking);
        match answer {
            Err(()) => self.finish(id, None),
            Ok(Reply::Now(told)) => self.told(id, *told),
            Ok(Reply::Later(waiter)) => {
                if let Some(living) = self.living(life) {
                    living.waiters.insert(waiter, id);
                }
                self.after(
                    PATIENCE_MS,
                    Event::AskGoesOn {
                        ask: id,
                        turn,
                        outcome: None,
                    },
                );
            }
        }
    }

    /// A life, if it still lives.
    pub fn living(&mut self, life: Life) -> Option<&mut Living> {
        self.lobbies[life.lobby]
            .slot(life.id)
            .and_then(Option::as_deref_mut)
    }

    pub fn waiter_is_answered(&mut self, ask: Id, outcome: Option<Outcome>) {
        if let Some(turn) = self.asks.get(ask).map(|asking| asking.turn) {
            self.after(0, Event::AskGoesOn { ask, turn, outcome });
        }
    }

    /// What an ask waited for is there, or will not be.
    pub fn ask_goes_on(&mut self, id: Id, turn: u32, outcome: Option<Outcome>) {
        let Some(asking) = self.asks.get_mut(id) else {
            return;
        };
        if asking.done || asking.turn != turn {
            return;
        }
        asking.turn += 1;
        match outcome {
            None => self.finish(id, None),
            Some(outcome) => {
                asking.progress.note(outcome);
                self.settle(id);
            }
        }
    }

    fn told(&mut self, id: Id, told: Told) {
        let Some(asking) = self.asks.get(id) else {
            return;
        };
        let (visitor, kind, wish) = (asking.visitor, asking.kind, asking.ask.wish);
        let Some(life) = asking.life else { return };
        self.is_told(life, visitor, &told.status, told.lease);
        match (kind, wish) {
            (Kind::Socket, _) if !told.full && told.status.state != State::Over => {
                self.socket_opens(id, life, visitor)
            }
            (Kind::Plain, Wish::Status { wait_ms })
                if wait_ms > 0 && told.status.state == State::Waiting =>
            {
                let held = self.change(life, |living, now, _| {
                    living.polls.push((visitor, id));
                    living.core.lobby.hold(now, who(visitor));
                });
                return match held {
                    Ok(()) => self.after(wait_ms, Event::PollEnds(id)),
                    Err(()) => self.finish(id, None),
                };
            }
            _ => {}
        }
        self.finish(id, Some(told));
    }

    pub fn poll_ends(&mut self, id: Id) {
        let Some(asking) = self.asks.get_mut(id) else {
            return;
        };
        if asking.done || asking.ask.wish == (Wish::Status { wait_ms: 0 }) {
            return;
        }
        asking.ask.wish = Wish::Status { wait_ms: 0 };
        asking.progress = Progress::default();
        let (lobby, visitor, life) = (asking.lobby, asking.visitor, asking.life);
        // The handler goes on in its own isolate; with its memory gone another life is begun.
        let same = life.filter(|life| self.lobbies[lobby].slot(life.id).is_some());
        let Some(life) = same.or_else(|| self.wake_lobby(lobby)) else {
            return;
        };
        if let Some(asking) = self.asks.get_mut(id) {
            asking.life = Some(life);
        }
        let ended = self.change(life, |living, now, _| {
            living.polls.retain(|(_, ask)| *ask != id);
            living.core.lobby.unhold(now, who(visitor));
        });
        match self.asks.get(id).map(|asking| asking.ask.clone()) {
            Some(ask) if ended.is_ok() => {
                self.looks_if(id, life, |lobby, _| lobby.has_not_heard_of(&ask));
            }
            _ => self.finish(id, None),
        }
    }

    fn socket_opens(&mut self, id: Id, life: Life, visitor: usize) {
        // An old isolate's answer is not the platform's any more.
        if self.lobbies[life.lobby].is_old(life.id) {
            return;
        }
        let socket = self.sockets.insert(Socket {
            visitor,
            lobby: life.lobby,
            last_at: 0,
        });
        self.people[visitor].sockets.push((socket, life.lobby));
        let opened = self.change(life, |living, now, wall_ms| {
            living.core.lobby.socket_opened(now, who(visitor));
            living.core.lobby.status(now, wall_ms, who(visitor))
        });
        let Ok(status) = opened else {
            // Accepted, and then the answer failed: the runtime closes it.
            self.sockets.remove(socket);
            self.people[visitor]
                .sockets
                .retain(|(other, _)| *other != socket);
            return;
        };
        if self.sockets.get(socket).is_none() {
            return;
        }
        self.is_told(life, visitor, &status, None);
        if let Some(asking) = self.asks.get_mut(id) {
            asking.socket = Some(socket);
        }
        self.socket_sends(socket, status);
    }

    /// What was sent first arrives first.
    pub fn socket_sends(&mut self, id: Id, status: Status) {
        let travel_ms = self.travel_ms();
        let time = self.time;
        if let Some(socket) = self.sockets.get_mut(id) {
            socket.last_at = (time + travel_ms).max(socket.last_at);
            let ms = socket.last_at - time;
            self.after(
                ms,
                Event::SocketSays {
                    socket: id,
                    status: Box::new(status),
                },
            );
        }
    }

    /// A visitor's page said something: it is awake.
    pub fn socket_word(&mut self, id: Id) {
        let Some((visitor, lobby)) = self
            .sockets
            .get(id)
            .map(|socket| (socket.visitor, socket.lobby))
        else {
            return;
        };
        let Some(life) = self.wake_lobby(lobby) else {
            return;
        };
        let ask = Ask {
            visitor: who(visitor),
            shown: None,
            wish: Wish::Status { wait_ms: 0 },
        };
        let ask = self.new_ask(visitor, lobby, ask, Kind::Word);
        if let Some(asking) = self.asks.get_mut(ask) {
            asking.life = Some(life);
        }
        self.settle(ask);
    }

    /// One side closed it, and the other hears of that.
    pub fn socket_gone(&mut self, id: Id, by_visitor: bool) {
        if !by_visitor {
            return self.people.iter_mut().for_each(|person| person.lost(id));
        }
        let Some(Socket { visitor, lobby, .. }) = self.sockets.remove(id) else {
            return;
        };
        self.people[visitor]
            .sockets
            .retain(|(other, _)| *other != id);
        // With its memory gone there is nothing to tell it: it counts its sockets when it wakes.
        if let Some(living) = &self.lobbies[lobby].living {
            let life = Life {
                lobby,
                id: living.id,
            };
            let _ = self.change(life, |living, now, _| {
                living.core.lobby.socket_closed(now, who(visitor))
            });
        } else {
            self.wake_lobby(lobby);
        }
    }

    fn finish(&mut self, id: Id, told: Option<Told>) {
        let Some(asking) = self.asks.get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut asking.done, true) {
            return;
        }
        if asking.kind == Kind::Word {
            self.asks.remove(id);
        } else {
            self.answer_travels(id, told.map(Box::new));
        }
    }
}
