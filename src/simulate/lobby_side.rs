//! The lobby object's platform: its lives, its disk, its alarm. What a lobby does is [`LivingLobby`], the
//! same as in `edge/lobby_object/`.

use super::disk::Disk;
use super::faults::{Kind, Shared};
use super::queue::{Event, Life, Object};
use super::room_side::wall;
use super::slab::Id;
use super::world::{World, who};
use crate::living::{Fault, LivingLobby};
use crate::lobby::{Limits, LobbyConfig, Waiter};
use crate::room::command::Batch;
use crate::units::Instant;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A lobby object.
pub struct LobbySide {
    pub disk: Disk,
    /// The life that the platform knows.
    pub living: Option<Box<Living>>,
    /// An isolate that does not know yet that another life has begun.
    pub old: Option<Box<Living>>,
    pub offset_ms: i64,
    pub config: LobbyConfig,
    pub rows_per_snapshot: u64,
    /// Its storage was lost: an earlier life's batch may be refused for good.
    pub was_lost: bool,
    /// The epoch of its last life.
    epoch: u64,
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
            limits: Limits::default(),
        };
        Self {
            disk: Disk::new(faults),
            living: None,
            old: None,
            offset_ms: 0,
            config,
            rows_per_snapshot,
            was_lost: false,
            epoch: 0,
        }
    }

    /// Whether another life has taken over from this one.
    #[must_use]
    pub fn is_old(&self, id: u64) -> bool {
        self.old.as_ref().is_some_and(|old| old.id == id)
    }

    pub fn keep(&mut self, is_old: bool, living: Box<Living>) {
        let slot = if is_old {
            &mut self.old
        } else {
            &mut self.living
        };
        *slot = Some(living);
    }

    /// Where a life is kept, if it lives.
    pub fn slot(&mut self, id: u64) -> Option<&mut Option<Box<Living>>> {
        let is =
            |living: &Option<Box<Living>>| living.as_ref().is_some_and(|living| living.id == id);
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
        side.epoch = core.lobby.epoch();
        let now = core.clock().now();
        for (visitor, person) in self.people.iter().enumerate() {
            for (_, lobby) in &person.sockets {
                if *lobby == index {
                    core.lobby.socket_opened(now, who(visitor));
                }
            }
        }
        self.skewed |= now.0 != self.time;
        side.living = Some(Box::new(Living {
            id,
            core,
            waiters: BTreeMap::new(),
            polls: vec![],
            looks: None,
        }));
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
        self.changes += 1;
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
        let due = living.core.lobby.due_at();
        let armed = living.core.armed().is_some_and(|at| Some(at) <= due);
        if due.is_some() && !is_old && !(armed && disk.alarm().is_some()) {
            let seen = format!(
                "lobby {}, due {due:?}, stored {:?}",
                life.lobby,
                disk.alarm()
            );
            self.flaw(
                "a lobby's work pending is an alarm armed in the same commit (10)",
                seen,
            );
        }
        self.frames += u64::from(settled.frame.is_some());
        self.lobbies[life.lobby].keep(is_old, living);
        if settled.begin_sending {
            self.after(0, Event::Loop { life, failures: 0 });
        }
        Ok(result)
    }

    /// Whoever waited for something in that memory is told that it failed.
    pub fn memory_dropped(&mut self, living: Box<Living>) {
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
        // A first life speaks under the time of day, which must be past its predecessor's: that may have been born while the
        // host's clock was ahead.
        let ahead_ms = i64::try_from(side.epoch.saturating_sub(self.time)).unwrap_or(i64::MAX);
        side.offset_ms = side.offset_ms.max(ahead_ms);
    }

    pub fn lobby_rings(&mut self, index: usize) -> Result<(), ()> {
        let life = self.wake_lobby(index).ok_or(())?;
        self.change(life, |living, now, _| {
            living.core.ring(now);
        })
    }
}
