//! A lobby in memory, and the one way to change it: a synchronous block that ends with everything
//! written that must be.

use super::checks::Check;
use super::{Shell, error};
use crate::edge::object::{self, broken};
use crate::edge::peers::Address;
use crate::edge::store::SqlStore;
use crate::edge::{config, dice, sockets, watchdog};
use crate::living::{LivingLobby, Settled};
use crate::lobby::{LobbyConfig, Outcome, TICKETS_MAX, Waiter};
use crate::units::{Instant, LobbyId, VisitorId};
use futures_channel::oneshot;
use std::collections::BTreeMap;
use std::rc::Rc;
use worker::{Env, Result, State};

/// A lobby in memory, and who waits for it.
pub(super) struct Living {
    pub(super) room: Address,
    pub(super) core: LivingLobby<SqlStore>,
    /// Who waits for the room.
    pub(super) waiters: BTreeMap<Waiter, oneshot::Sender<Outcome>>,
    /// Who holds a poll.
    pub(super) polls: BTreeMap<VisitorId, Vec<oneshot::Sender<()>>>,
    /// Who waits for the one look at the room that is under way: one computes, all share.
    pub(super) looks: Option<Vec<oneshot::Sender<()>>>,
    /// Who waits for the next question about leases.
    pub(super) checks: Vec<Check>,
    /// Such a question is out, or about to be.
    pub(super) checking: bool,
}

impl Shell {
    /// Brings the lobby into memory if it is not there: a new life.
    pub(super) fn wake(&self, name: Option<(String, u16)>) -> impl Future<Output = Result<()>> {
        object::wake(&self.state, &self.living, move |alarm_ms| {
            Living::restore(&self.state, &self.env, name, alarm_ms)
        })
    }

    /// One change, synchronous from here to its end: what must be written is, with the alarm, or
    /// the memory is dropped. Afterwards whatever is to be sent is on its way.
    pub(super) fn change<T>(
        self: &Rc<Self>,
        act: impl FnOnce(&mut Living, Instant) -> T,
    ) -> Result<T> {
        let awake = self.living.take();
        let mut living = awake.ok_or_else(|| error("the lobby is not awake"))?;
        let now = living.core.begin(dice::now_ms());
        let result = act(&mut living, now);
        let settled = living.core.settle().map_err(broken)?;
        living.core.journal().store().commit()?;
        self.resume(living, settled);
        Ok(result)
    }

    /// A change was written.
    fn resume(self: &Rc<Self>, living: Living, settled: Settled) {
        self.living.replace(Some(living));
        if let Some(frame) = settled.frame {
            sockets::send_to_all(&self.state, &frame);
        }
        if settled.begin_sending {
            let shell = Rc::clone(self);
            watchdog::spawn(&self.state, "lobby.batch", async move {
                shell.send_batches().await
            });
        }
    }
}

impl Living {
    pub(super) fn restore(
        state: &State,
        env: &Env,
        name: Option<(String, u16)>,
        alarm_ms: Option<u64>,
    ) -> Result<Self> {
        let store = SqlStore::open(state, "lobby.write")?;
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
        let config = LobbyConfig {
            room,
            linger_ms: settings.linger_ms,
            tick_ms: settings.tick_ms,
            lease_idle_ms: settings.lease_idle_ms,
            tickets_max: TICKETS_MAX,
            limits: settings.limits,
        };
        let id = LobbyId(index);
        let mut core =
            LivingLobby::restore(store, id, config, dice::now_ms(), alarm_ms).map_err(broken)?;
        let now = core.clock().now();
        for visitor in sockets::visitors_by_socket(state) {
            core.lobby.socket_opened(now, visitor);
        }
        Ok(Self {
            room: Address::of_room(settings),
            core,
            waiters: BTreeMap::new(),
            polls: BTreeMap::new(),
            looks: None,
            checks: Vec::new(),
            checking: false,
        })
    }
}
