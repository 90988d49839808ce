//! The lobby object's platform: its lives, its disk, its alarm, and what goes out of it. What a lobby
//! does is [`LivingLobby`], the same as in `edge/lobby_object/`. `send_batches` and `tell` of
//! `outgoing.rs` are async there, so they are told once more here, and kept short.

use super::disk::Disk;
use super::faults::{Kind, Shared};
use super::queue::{Answer, Event, Life, Object};
use super::room_side::wall;
use super::slab::Id;
use super::world::{World, visitor_of, who};
use crate::living::{Fault, LivingLobby, RETRY_DOUBLINGS_MAX, RETRY_MS, ROOM_TIMEOUT_MS};
use crate::lobby::{Delivered, LobbyConfig, Waiter};
use crate::room::command::{Batch, Message};
use crate::units::Instant;
use crate::wire::State;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A lobby object.
pub struct LobbySide {
    pub disk: Disk,
    /// The life that the platform knows.
    pub living: Option<Living>,
    /// An isolate that does not know yet that another life has begun.
    pub old: Option<Living>,
    pub offset_ms: i64,
    pub config: LobbyConfig,
    pub rows_per_snapshot: u64,
    /// Its storage was lost: an earlier life's batch may be refused for good.
    pub was_lost: bool,
}

/// A lobby in memory, and who waits for it.
pub struct Living {
    pub id: u64,
    pub core: LivingLobby<Disk>,
    pub waiters: BTreeMap<Waiter, Id>,
    /// Who holds a poll: (visitor, ask).
    pub polls: Vec<(usize, Id)>,
    /// Who waits for the one look at the room that is under way.
    pub looks: Option<Vec<Id>>,
}

/// A batch on its way.
pub struct Call {
    pub life: Life,
    pub batch: Rc<Batch>,
    pub failures: u32,
}

impl LobbySide {
    /// A lobby that was never woken.
    #[must_use]
    pub fn new(faults: &Shared, tickets_max: usize, rows_per_snapshot: u64) -> Self {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: 5_000,
            tick_ms: 1_000,
            lease_idle_ms: 20_000,
            tickets_max,
        };
        Self {
            disk: Disk::new(faults),
            living: None,
            old: None,
            offset_ms: 0,
            config,
            rows_per_snapshot,
            was_lost: false,
        }
    }

    /// Whether another life has taken over from this one.
    #[must_use]
    pub fn is_old(&self, id: u64) -> bool {
        self.old.as_ref().is_some_and(|old| old.id == id)
    }

    fn keep(&mut self, is_old: bool, living: Living) {
        let slot = if is_old {
            &mut self.old
        } else {
            &mut self.living
        };
        *slot = Some(living);
    }

    /// Where a life is kept, if it lives.
    pub fn slot(&mut self, id: u64) -> Option<&mut Option<Living>> {
        let is = |living: &Option<Living>| living.as_ref().is_some_and(|living| living.id == id);
        if is(&self.living) {
            Some(&mut self.living)
        } else if is(&self.old) {
            Some(&mut self.old)
        } else {
            None
        }
    }
}

// Lives.
impl World {
    /// The life that the platform sends events to; begun when there is none.
    pub fn wake_lobby(&mut self, index: usize) -> Option<Life> {
        if let Some(living) = &self.lobbies[index].living {
            return Some(Life {
                lobby: index,
                id: living.id,
            });
        }
        self.lives += 1;
        let id = self.lives;
        let side = &mut self.lobbies[index];
        let wall_ms = wall(self.time, side.offset_ms);
        let (disk, config) = (side.disk.for_next_life(), side.config.clone());
        let restored = LivingLobby::restore(
            disk,
            Self::lobby_id(index),
            config,
            wall_ms,
            side.disk.alarm(),
        );
        let mut core = match restored {
            Ok(core) => core,
            Err(fault) => {
                self.flaw("what is stored can be read (9)", fault.to_string());
                return None;
            }
        };
        core.journal_mut().rows_per_snapshot = side.rows_per_snapshot;
        let now = core.clock().now();
        for (visitor, person) in self.people.iter().enumerate() {
            for (_, lobby) in &person.sockets {
                if *lobby == index {
                    core.lobby.socket_opened(now, who(visitor));
                }
            }
        }
        self.skewed |= now.0 != self.time;
        side.living = Some(Living {
            id,
            core,
            waiters: BTreeMap::new(),
            polls: vec![],
            looks: None,
        });
        Some(Life { lobby: index, id })
    }

    /// One change, to its end. `Err`: the memory is dropped, and whoever waited is told so.
    pub fn change<T>(
        &mut self,
        life: Life,
        act: impl FnOnce(&mut Living, Instant, u64) -> T,
    ) -> Result<T, ()> {
        let wall_ms = self.wall_of(Object::Lobby(life.lobby));
        let side = &mut self.lobbies[life.lobby];
        let is_old = side.is_old(life.id);
        let mut living = side.slot(life.id).and_then(Option::take).ok_or(())?;
        let (clock, armed) = (*living.core.clock(), living.core.armed());
        let disk = living.core.journal().store().clone();
        disk.begin(wall_ms);
        let now = living.core.begin(wall_ms);
        self.clock_is_sane(&clock, armed, living.core.clock());
        let result = act(&mut living, now, wall_ms);
        let settled = match living.core.settle() {
            Ok(settled) => settled,
            Err(fault) => {
                disk.undo();
                if let Fault::Law(violation) = fault {
                    self.holds(Err(violation));
                }
                self.memory_dropped(living);
                return Err(());
            }
        };
        if disk.has_staged() && self.faults.borrow_mut().strikes(Kind::PowerBefore) {
            disk.undo();
            self.memory_dropped(living);
            self.lobby_restarts(life.lobby);
            return Err(());
        }
        if disk.has_staged() {
            let committed = disk.commit();
            if let Some(due) = committed.alarm {
                self.arm(Object::Lobby(life.lobby), due);
            }
            if let Some(row) = committed.row {
                let saved = self.oracle.saved(life.lobby, &row);
                self.holds(saved);
            }
            let (unsure, cut) = {
                let mut faults = self.faults.borrow_mut();
                (
                    faults.strikes(Kind::WriteUnsure),
                    faults.strikes(Kind::PowerAfter),
                )
            };
            if unsure || cut {
                self.memory_dropped(living);
                if cut {
                    self.lobby_restarts(life.lobby);
                }
                return Err(());
            }
        }
        self.frames += u64::from(settled.frame.is_some());
        self.lobbies[life.lobby].keep(is_old, living);
        if settled.begin_sending {
            self.after(0, Event::Loop { life, failures: 0 });
        }
        Ok(result)
    }

    /// Whoever waited for something in that memory is told that it failed.
    fn memory_dropped(&mut self, living: Living) {
        for ask in living.waiters.values() {
            self.waiter_is_answered(*ask, None);
        }
        for ask in living.looks.into_iter().flatten() {
            self.waiter_is_answered(ask, None);
        }
        for (_, ask) in living.polls {
            self.after(0, Event::PollEnds(ask));
        }
    }

    /// The memory goes, the sockets stay: hibernation, or an error.
    pub fn lobby_sleeps(&mut self, index: usize) {
        if let Some(living) = self.lobbies[index].living.take() {
            self.memory_dropped(living);
        }
    }

    /// The process goes with everything in it.
    pub fn lobby_restarts(&mut self, index: usize) {
        self.lobby_sleeps(index);
        self.sockets_drop(index);
    }

    fn sockets_drop(&mut self, index: usize) {
        for visitor in 0..self.people.len() {
            let person = &mut self.people[visitor];
            let gone = person.sockets.iter().filter(|(_, lobby)| *lobby == index);
            let gone: Vec<Id> = gone.map(|(socket, _)| *socket).collect();
            for socket in gone {
                person.lost(socket);
                person.sockets.retain(|(other, _)| *other != socket);
                self.sockets.remove(socket);
            }
        }
    }

    /// A new version is deployed, or the platform moves the object: a new life begins while the old
    /// isolate goes on for a while with what it has in memory. Its writes are not taken.
    pub fn lobby_lives_twice(&mut self, index: usize) {
        let Some(living) = self.lobbies[index].living.take() else {
            return;
        };
        living.core.journal().store().fence();
        if let Some(older) = self.lobbies[index].old.replace(living) {
            self.memory_dropped(older);
        }
        self.sockets_drop(index);
        self.wake_lobby(index);
    }

    /// The storage of a lobby is gone, and with it who has which number.
    pub fn lobby_loses(&mut self, index: usize) {
        self.lobby_restarts(index);
        if let Some(old) = self.lobbies[index].old.take() {
            self.memory_dropped(old);
        }
        self.oracle.lobby_lost(index, &self.people);
        let side = &mut self.lobbies[index];
        side.disk = Disk::new(&self.faults);
        side.was_lost = true;
        // A first life speaks under the time of day, which must be past its predecessor's.
        side.offset_ms = side.offset_ms.max(0);
    }

    pub fn lobby_rings(&mut self, index: usize) -> Result<(), ()> {
        let life = self.wake_lobby(index).ok_or(())?;
        self.change(life, |living, now, _| {
            living.core.ring(now);
        })
    }
}

// What goes out.
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
                living.core.lobby.sockets(),
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
