//! A lobby in memory, and the one way to change it: a synchronous block that ends with everything
//! written that must be.

use super::{Shell, error};
use crate::clock::Clock;
use crate::edge::alarm::Alarm;
use crate::edge::peers::Address;
use crate::edge::store::SqlStore;
use crate::edge::{config, dice, sockets, watchdog};
use crate::journal::{self, ROWS_PER_SNAPSHOT, Store};
use crate::lobby::{Book, Lobby, LobbyConfig, Outcome, TICKETS_MAX, Waiter};
use crate::units::{Instant, LobbyId, VisitorId};
use futures_channel::oneshot;
use std::collections::BTreeMap;
use std::rc::Rc;
use worker::{Env, Result, State};

/// A lobby in memory.
pub(super) struct Living {
    pub(super) room: Address,
    pub(super) lobby: Lobby,
    pub(super) store: SqlStore,
    pub(super) version: u64,
    pub(super) rows_since_snapshot: u64,
    pub(super) clock: Clock,
    pub(super) alarm: Alarm,
    /// Who waits for the room.
    pub(super) waiters: BTreeMap<Waiter, oneshot::Sender<Outcome>>,
    /// Who holds a poll.
    pub(super) polls: BTreeMap<VisitorId, Vec<oneshot::Sender<()>>>,
    /// Who waits for the one look at the room that is under way: one computes, all share.
    pub(super) looks: Option<Vec<oneshot::Sender<()>>>,
    pub(super) sending: bool,
    pub(super) heartbeat_at: Option<Instant>,
}

impl Shell {
    /// Brings the lobby into memory if it is not there: a new life.
    pub(super) async fn wake(&self, name: Option<(String, u16)>) -> Result<()> {
        if self.living.borrow().is_some() {
            return Ok(());
        }
        let alarm_ms = Alarm::stored_wall_ms(&self.state).await?;
        // The await let others in: look again.
        if self.living.borrow().is_none() {
            let living = Living::restore(&self.state, &self.env, name, alarm_ms)?;
            *self.living.borrow_mut() = Some(living);
        }
        Ok(())
    }

    /// One change, synchronous from here to its end: what must be written is, with the alarm, or
    /// the memory is dropped. Afterwards whatever is to be sent is on its way.
    pub(super) fn change<T>(
        self: &Rc<Self>,
        act: impl FnOnce(&mut Living, Instant) -> T,
    ) -> Result<T> {
        let mut slot = self.living.borrow_mut();
        let mut living = slot.take().ok_or_else(|| error("the lobby is not awake"))?;
        let changed = watchdog::atomically(&self.state, || living.change(&self.state, act));
        let (result, frame) = changed?;
        let send = living.lobby.has_batch() && !core::mem::replace(&mut living.sending, true);
        living.sending = living.sending && living.lobby.has_batch();
        *slot = Some(living);
        drop(slot);
        if let Some(frame) = frame {
            sockets::send_to_all(&self.state, &frame);
        }
        if send {
            let shell = Rc::clone(self);
            watchdog::spawn(&self.state, "lobby.batch", async move {
                shell.send_batches().await
            });
        }
        Ok(result)
    }
}

impl Living {
    pub(super) fn restore(
        state: &State,
        env: &Env,
        name: Option<(String, u16)>,
        alarm_ms: Option<u64>,
    ) -> Result<Self> {
        let store = SqlStore::open(state)?;
        let (room, index) = match (store.name("room")?, store.name("lobby")?) {
            (Some(room), Some(index)) => (room, index.parse().unwrap_or_default()),
            _ => {
                let (room, index) =
                    name.ok_or_else(|| error("a lobby without a name was woken"))?;
                store.set_name("room", &room)?;
                store.set_name("lobby", &index.to_string())?;
                (room, index)
            }
        };
        let deployment = config::load(env).map_err(|_| error("the configuration is not valid"))?;
        let settings = deployment.settings.room(&room);
        let settings = settings.ok_or_else(|| error(&format!("there is no room {room:?}")))?;
        let lobby_config = LobbyConfig {
            room: room.clone(),
            linger_ms: settings.linger_ms,
            tick_ms: settings.tick_ms,
            lease_idle_ms: settings.lease_idle_ms,
            tickets_max: TICKETS_MAX,
        };
        let restored =
            journal::restore::<Book, _>(&store).map_err(|damage| error(&damage.to_string()))?;
        let wall_ms = dice::now_ms();
        let mut clock = match restored.clock {
            Some((at, wall_ms)) => Clock::resume(at, wall_ms),
            None => Clock::new(wall_ms),
        };
        let alarm = Alarm::resume(&clock, alarm_ms);
        let now = clock.advance(wall_ms, alarm.armed());
        let mut lobby = Lobby::wake(LobbyId(index), lobby_config, restored.state, now);
        for visitor in sockets::visitors_by_socket(state) {
            lobby.socket_opened(now, visitor);
        }
        Ok(Self {
            room: Address {
                room,
                lobby: None,
                location: settings.location.clone(),
            },
            lobby,
            store,
            version: restored.version,
            rows_since_snapshot: restored.replayed,
            clock,
            alarm,
            waiters: BTreeMap::new(),
            polls: BTreeMap::new(),
            looks: None,
            sending: false,
            heartbeat_at: None,
        })
    }

    pub(super) fn change<T>(
        &mut self,
        state: &State,
        act: impl FnOnce(&mut Self, Instant) -> T,
    ) -> Result<(T, Option<Vec<u8>>)> {
        let now = self.clock.advance(dice::now_ms(), self.alarm.armed());
        let result = act(self, now);
        if self.lobby.must_save_first() || self.lobby.must_save(now) {
            self.save(now)?;
        }
        let frame = self.lobby.frame_to_send(now);
        if self.lobby.sockets() > 0 {
            let next = now.plus_ms(sockets::HEARTBEAT_MS);
            self.heartbeat_at.get_or_insert(next);
        } else {
            self.heartbeat_at = None;
        }
        let due = [self.lobby.due_at(), self.heartbeat_at];
        self.alarm
            .arm(state, &self.clock, due.into_iter().flatten().min())?;
        Ok((result, frame))
    }

    pub(super) fn save(&mut self, now: Instant) -> Result<()> {
        let failed = |damage: journal::Damage| error(&damage.to_string());
        watchdog::fault_point("lobby.write");
        let events = self.lobby.take_unsaved();
        let (version, wall_ms) = (self.version + 1, self.clock.wall_ms());
        let sealed = journal::seal(version, now, wall_ms, &events).map_err(failed)?;
        self.store.put_row(&sealed)?;
        self.version = version;
        self.rows_since_snapshot += 1;
        if self.rows_since_snapshot >= ROWS_PER_SNAPSHOT {
            let snapshot =
                journal::snapshot(version, now, wall_ms, self.lobby.book()).map_err(failed)?;
            // A lobby's rows are no audit: what is in the snapshot is forgotten.
            self.store.put_snapshot(&snapshot, u64::MAX >> 11)?;
            self.rows_since_snapshot = 0;
        }
        Ok(())
    }
}
