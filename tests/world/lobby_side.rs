//! The lobby object's part, step by step as `src/edge/lobby_object/` does it.

use crate::disk::Disk;
use crate::people::{Kind, who};
use crate::room_side::arm;
use crate::sim::{Answer, Call, Event, Object, Socket, World};
use baton::clock::Clock;
use baton::journal::{self, Store};
use baton::lobby::{Answer as Reply, Book, Delivered, Lobby, LobbyConfig, Outcome, Waiter};
use baton::room::command::Message;
use baton::units::Instant;
use baton::wire::{Ask, State, Told, Wish};
use std::collections::BTreeMap;

const CALL_TIMEOUT_MS: u64 = 5_000;
const PATIENCE_MS: u64 = 6_000;
const RETRY_MS: u64 = 200;

pub struct LobbySide {
    pub disk: Disk,
    pub living: Option<Living>,
    process: u64,
    config: LobbyConfig,
}

pub struct Living {
    pub lobby: Lobby,
    version: u64,
    rows_since_snapshot: u64,
    hash: journal::Hash,
    clock: Clock,
    armed: Option<Instant>,
    waiters: BTreeMap<Waiter, u64>,
    /// (visitor, ask)
    polls: Vec<(usize, u64)>,
    sending: bool,
}

impl LobbySide {
    pub fn new(tickets_max: usize) -> Self {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: 5_000,
            tick_ms: 1_000,
            lease_idle_ms: 20_000,
            tickets_max,
        };
        Self {
            disk: Disk::default(),
            living: None,
            process: 0,
            config,
        }
    }
}

// The turn.
impl World {
    pub fn wake_lobby(&mut self, index: usize) {
        let wall = self.wall;
        let side = &mut self.lobbies[index];
        if side.living.is_some() {
            return;
        }
        let restored = journal::restore::<Book, _>(&side.disk).expect("nothing is damaged");
        let mut clock = restored
            .clock
            .map_or(Clock::new(wall), |(at, wall)| Clock::resume(at, wall));
        let armed = side.disk.alarm().map(|ms| clock.at_wall_ms(ms));
        let now = clock.advance(wall, armed);
        let mut lobby = Lobby::wake(
            Self::lobby_id(index),
            side.config.clone(),
            restored.state,
            now,
        );
        for socket in self.sockets.values().filter(|socket| socket.lobby == index) {
            lobby.socket_opened(now, who(socket.visitor));
        }
        side.living = Some(Living {
            lobby,
            version: restored.version,
            rows_since_snapshot: restored.replayed,
            hash: restored.hash,
            clock,
            armed,
            waiters: BTreeMap::new(),
            polls: vec![],
            sending: false,
        });
    }

    fn change<T>(
        &mut self,
        index: usize,
        act: impl FnOnce(&mut Living, Instant, u64) -> T,
    ) -> Result<T, ()> {
        let wall = self.wall;
        let fails = self.chance(self.weather.write_fails);
        let persists = self.rng.bool();
        let rows_per_snapshot = self.rows_per_snapshot;
        let side = &mut self.lobbies[index];
        let mut living = side.living.take().ok_or(())?;
        let now = living.clock.advance(wall, living.armed);
        let result = act(&mut living, now, wall);
        let writes = living.lobby.must_save_first() || living.lobby.must_save(now);
        let mut events = vec![];
        if writes {
            events = living.lobby.take_unsaved();
            living.version += 1;
            let sealed =
                journal::seal(&living.hash, living.version, now, wall, &events).expect("sealed");
            living.hash = sealed.hash;
            let Ok(()) = side.disk.put_row(&sealed);
            living.rows_since_snapshot += 1;
            if living.rows_since_snapshot >= rows_per_snapshot {
                let snapshot =
                    journal::snapshot(living.version, now, wall, &living.hash, living.lobby.book())
                        .expect("sealed");
                let Ok(()) = side.disk.put_snapshot(&snapshot, u64::MAX);
                living.rows_since_snapshot = 0;
            }
        }
        living.lobby.frame_to_send(now);
        let alarm = arm(&mut living.armed, now, wall, living.lobby.due_at());
        if let Some(wall_ms) = alarm {
            side.disk.stage_alarm(wall_ms);
        }
        if fails && !persists {
            side.disk.undo();
            self.memory_dropped(index, &living);
            return Err(());
        }
        side.disk.commit();
        if let Some(due) = alarm {
            self.arm(Object::Lobby(index), due);
        }
        self.oracle.saved(index, &events);
        if fails {
            self.memory_dropped(index, &living);
            return Err(());
        }
        let send = living.lobby.has_batch() && !living.sending;
        living.sending = living.lobby.has_batch();
        let side = &mut self.lobbies[index];
        let process = side.process;
        side.living = Some(living);
        if send {
            self.after(
                0,
                Event::Loop {
                    lobby: index,
                    process,
                    failures: 0,
                },
            );
        }
        Ok(result)
    }

    /// Whoever waited for something in that memory is told that it failed.
    fn memory_dropped(&mut self, index: usize, living: &Living) {
        for ask in living.waiters.values() {
            self.waiter_is_answered(*ask, None);
        }
        for (_, ask) in &living.polls {
            self.after(0, Event::PollEnds { ask: *ask });
        }
        assert!(self.lobbies[index].living.is_none());
    }

    /// The memory goes, the sockets stay: hibernation, or an error.
    pub fn lobby_forgets(&mut self, index: usize) {
        if let Some(living) = self.lobbies[index].living.take() {
            self.memory_dropped(index, &living);
        }
    }

    /// The process goes with everything in it.
    pub fn lobby_crashes(&mut self, index: usize) {
        self.lobbies[index].process += 1;
        self.lobby_forgets(index);
        let gone: Vec<u64> = self
            .sockets
            .iter()
            .filter(|(_, socket)| socket.lobby == index)
            .map(|(id, _)| *id)
            .collect();
        for socket in gone {
            let visitor = self.sockets.remove(&socket).expect("listed").visitor;
            self.people[visitor].lost(socket);
        }
    }

    pub fn lobby_rings(&mut self, index: usize, due: u64) {
        if self.lobbies[index].disk.alarm() != Some(due) {
            return;
        }
        self.lobbies[index].disk.set_alarm(None);
        self.wake_lobby(index);
        let rung = self.change(index, |living, now, _| {
            living.armed = None;
            living.lobby.tick(now);
        });
        if rung.is_err() {
            let again = self.wall + 1_000;
            self.lobbies[index].disk.set_alarm(Some(again));
            self.arm(Object::Lobby(index), again);
        }
    }
}

// What goes out.
impl World {
    pub fn sends(&mut self, index: usize, process: u64, failures: u32) {
        if self.lobbies[index].process != process {
            return;
        }
        let next = self.change(index, |living, now, _| {
            let batch = living.lobby.next_batch(now);
            living.sending = batch.is_some();
            batch
        });
        let Ok(Some(batch)) = next else { return };
        let call = self.id();
        self.oracle.sent(index, &batch);
        self.calls.insert(
            call,
            Call {
                lobby: index,
                process,
                batch: batch.clone(),
                failures,
            },
        );
        self.transmit(|| Event::BatchArrives {
            call,
            batch: batch.clone(),
        });
        self.after(
            CALL_TIMEOUT_MS,
            Event::Answered {
                call,
                answer: Box::new(Err(())),
            },
        );
    }

    /// An answer, or none in time. A second one finds nobody.
    pub fn answered(&mut self, call: u64, answer: Answer) {
        let Some(Call {
            lobby,
            process,
            batch,
            failures,
        }) = self.calls.remove(&call)
        else {
            return;
        };
        if self.lobbies[lobby].process != process {
            return;
        }
        let Ok(answer) = answer else {
            self.after(
                RETRY_MS << failures.min(4),
                Event::Loop {
                    lobby,
                    process,
                    failures: failures + 1,
                },
            );
            return;
        };
        let delivered = self.change(lobby, |living, now, _| match &answer {
            _ if !living.lobby.is_out(&batch) => Delivered::default(),
            Ok(message) => living.lobby.delivered(now, message),
            Err(refusal) => panic!("a batch that is out was refused: {refusal:?} {batch:?}"),
        });
        if let Ok(delivered) = delivered {
            self.tell(lobby, &delivered);
            self.after(
                0,
                Event::Loop {
                    lobby,
                    process,
                    failures: 0,
                },
            );
        }
    }

    pub fn lobby_is_pushed(&mut self, index: usize, message: &Message) -> Option<u64> {
        self.wake_lobby(index);
        let pushed = self.change(index, |living, now, _| {
            (living.lobby.pushed(now, message), living.lobby.sockets())
        });
        let (delivered, sockets) = pushed.ok()?;
        self.tell(index, &delivered);
        Some(sockets)
    }

    fn tell(&mut self, index: usize, delivered: &Delivered) {
        let Some(mut living) = self.lobbies[index].living.take() else {
            return;
        };
        for (waiter, outcome) in &delivered.outcomes {
            if let Some(ask) = living.waiters.remove(waiter) {
                self.waiter_is_answered(ask, Some(*outcome));
            }
        }
        let (now, wall) = (living.clock.now(), living.clock.wall_ms());
        let held: Vec<(u64, usize)> = self
            .sockets
            .iter()
            .filter(|(_, socket)| socket.lobby == index)
            .filter(|(_, socket)| {
                delivered.everybody || delivered.changed.contains(&who(socket.visitor))
            })
            .map(|(id, socket)| (*id, socket.visitor))
            .collect();
        for (socket, visitor) in held {
            let status = living.lobby.status(now, wall, who(visitor));
            self.oracle.told(visitor, &status, None);
            let over = status.state == State::Over;
            self.socket_sends(socket, status);
            if over {
                self.sockets.remove(&socket);
                living.lobby.socket_closed(now, who(visitor));
                self.after(
                    50,
                    Event::SocketGone {
                        socket,
                        by_visitor: false,
                    },
                );
            }
        }
        let concerns =
            |visitor: usize| delivered.everybody || delivered.changed.contains(&who(visitor));
        let polls = std::mem::take(&mut living.polls);
        for (visitor, ask) in polls {
            if concerns(visitor) {
                self.after(0, Event::PollEnds { ask });
            } else {
                living.polls.push((visitor, ask));
            }
        }
        self.lobbies[index].living = Some(living);
    }

    fn socket_sends(&mut self, id: u64, status: baton::wire::Status) {
        let travel = self.travel_ms();
        let wall = self.wall;
        if let Some(socket) = self.sockets.get_mut(&id) {
            socket.last_at = (wall + travel).max(socket.last_at);
            let ms = socket.last_at - wall;
            self.after(
                ms,
                Event::SocketSays {
                    socket: id,
                    status: Box::new(status),
                },
            );
        }
    }
}

// What comes in.
impl World {
    pub fn ask_arrives(&mut self, id: u64) {
        let Some(asking) = self.asks.get(&id) else {
            return;
        };
        let (lobby, wish) = (asking.lobby, asking.ask.wish);
        if asking.settling {
            return;
        }
        self.wake_lobby(lobby);
        let looks = matches!(wish, Wish::Status { .. })
            && self.lobbies[lobby]
                .living
                .as_ref()
                .is_some_and(|living| living.lobby.must_look(living.clock.now()));
        if looks {
            self.transmit(|| Event::LookArrives { ask: id });
            self.after(
                PATIENCE_MS,
                Event::Looked {
                    ask: id,
                    message: None,
                },
            );
        } else {
            self.settle(id);
        }
    }

    pub fn looked(&mut self, id: u64, message: Option<&Message>) {
        let Some(asking) = self.asks.get(&id).filter(|asking| !asking.settling) else {
            return;
        };
        let lobby = asking.lobby;
        let Some(message) = message else {
            return self.finish(id, None);
        };
        self.wake_lobby(lobby);
        if let Ok(delivered) =
            self.change(lobby, |living, now, _| living.lobby.pushed(now, message))
        {
            self.tell(lobby, &delivered);
        }
        self.settle(id);
    }

    fn settle(&mut self, id: u64) {
        let Some(mut asking) = self.asks.remove(&id) else {
            return;
        };
        asking.settling = true;
        let answer = self.change(asking.lobby, |living, now, wall| {
            let answer = living.lobby.ask(now, wall, &asking.ask, &asking.progress);
            if let Reply::Later(waiter) = &answer {
                living.waiters.insert(*waiter, id);
            }
            answer
        });
        asking.turn += 1;
        let turn = asking.turn;
        self.asks.insert(id, asking);
        match answer {
            Err(()) => self.finish(id, None),
            Ok(Reply::Now(told)) => self.told(id, *told),
            Ok(Reply::Later(_)) => self.after(
                PATIENCE_MS,
                Event::AskGoesOn {
                    ask: id,
                    turn,
                    outcome: None,
                },
            ),
        }
    }

    fn waiter_is_answered(&mut self, ask: u64, outcome: Option<Outcome>) {
        if let Some(turn) = self.asks.get(&ask).map(|asking| asking.turn) {
            self.after(0, Event::AskGoesOn { ask, turn, outcome });
        }
    }

    /// What an ask waited for is there, or will not be.
    pub fn ask_goes_on(&mut self, id: u64, turn: u32, outcome: Option<Outcome>) {
        let Some(asking) = self.asks.get_mut(&id) else {
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
                // Between the two the memory may have gone.
                if self.lobbies[asking.lobby].living.is_some() {
                    self.settle(id)
                } else {
                    self.finish(id, None)
                }
            }
        }
    }

    fn told(&mut self, id: u64, told: Told) {
        let asking = &self.asks[&id];
        let (visitor, lobby, kind) = (asking.visitor, asking.lobby, asking.kind);
        self.oracle.told(visitor, &told.status, told.lease);
        match (kind, asking.ask.wish) {
            (Kind::Socket, _) if !told.full => self.socket_opens(id, lobby, visitor),
            (Kind::Plain, Wish::Status { wait_ms })
                if wait_ms > 0 && told.status.state == State::Waiting =>
            {
                let held = self.change(lobby, |living, now, _| {
                    living.polls.push((visitor, id));
                    living.lobby.hold(now, who(visitor));
                });
                return match held {
                    Ok(()) => self.after(wait_ms, Event::PollEnds { ask: id }),
                    Err(()) => self.finish(id, None),
                };
            }
            _ => {}
        }
        self.finish(id, Some(told));
    }

    pub fn poll_ends(&mut self, id: u64) {
        let Some(asking) = self.asks.get_mut(&id) else {
            return;
        };
        if asking.done || asking.ask.wish == (Wish::Status { wait_ms: 0 }) {
            return;
        }
        asking.ask.wish = Wish::Status { wait_ms: 0 };
        let (lobby, visitor) = (asking.lobby, asking.visitor);
        asking.progress = baton::lobby::Progress::default();
        self.wake_lobby(lobby);
        let ended = self.change(lobby, |living, now, _| {
            living.polls.retain(|(_, ask)| *ask != id);
            living.lobby.unhold(now, who(visitor));
        });
        if ended.is_ok() {
            self.settle(id)
        } else {
            self.finish(id, None)
        }
    }

    fn socket_opens(&mut self, id: u64, lobby: usize, visitor: usize) {
        let socket = self.id();
        self.sockets.insert(
            socket,
            Socket {
                visitor,
                lobby,
                last_at: 0,
            },
        );
        let opened = self.change(lobby, |living, now, wall| {
            living.lobby.socket_opened(now, who(visitor));
            living.lobby.status(now, wall, who(visitor))
        });
        let Ok(status) = opened else {
            // Accepted, and then the answer failed: the runtime closes it.
            self.sockets.remove(&socket);
            return;
        };
        self.oracle.told(visitor, &status, None);
        if let Some(asking) = self.asks.get_mut(&id) {
            asking.socket = Some(socket);
        }
        self.socket_sends(socket, status);
    }

    pub fn socket_word(&mut self, id: u64) {
        let Some((visitor, lobby)) = self
            .sockets
            .get(&id)
            .map(|socket| (socket.visitor, socket.lobby))
        else {
            return;
        };
        let ask = Ask {
            visitor: who(visitor),
            number: None,
            wish: Wish::Status { wait_ms: 0 },
        };
        self.wake_lobby(lobby);
        let ask = self.new_ask(visitor, lobby, ask, Kind::Word);
        self.settle(ask);
    }

    /// One side closed it, and the other hears of that.
    pub fn socket_gone(&mut self, id: u64, by_visitor: bool) {
        if !by_visitor {
            for visitor in 0..self.people.len() {
                self.people[visitor].lost(id);
            }
            return;
        }
        let Some(Socket { visitor, lobby, .. }) = self.sockets.remove(&id) else {
            return;
        };
        // With its memory gone there is nothing to tell it: it counts its sockets when it wakes.
        if self.lobbies[lobby].living.is_some() {
            let _ = self.change(lobby, |living, now, _| {
                living.lobby.socket_closed(now, who(visitor))
            });
        } else {
            self.wake_lobby(lobby);
        }
    }

    fn finish(&mut self, id: u64, told: Option<Told>) {
        let Some(asking) = self.asks.get_mut(&id) else {
            return;
        };
        if std::mem::replace(&mut asking.done, true) {
            return;
        }
        asking.settling = true;
        let told = told.map(Box::new);
        if asking.kind == Kind::Word {
            self.asks.remove(&id);
        } else if self.chance(self.weather.lost) {
            self.after(
                8_000,
                Event::Heard {
                    ask: id,
                    told: None,
                },
            );
        } else {
            let ms = self.travel_ms();
            self.after(ms, Event::Heard { ask: id, told });
        }
    }
}
