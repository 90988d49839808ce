//! A lobby in memory, and the one way to make something happen to it: a synchronous block that ends with every effect carried out,
//! and with timer and alarm set. See [`crate::lobby`] for the grammar.

use super::Shell;
use crate::edge::log::{self, Code};
use crate::edge::object::{self, error};
use crate::edge::peers::Address;
use crate::edge::store::{self, Name};
use crate::edge::{config, dice, sockets, watchdog};
use crate::envelope;
use crate::facts::message::{FromRoom, ToRoom};
use crate::facts::units::{Instant, LobbyId};
use crate::living::LivingLobby;
use crate::lobby::{
    Asker, CALL_TIMEOUT_MS, CallId, Effect, Lobby, LobbyConfig, Moment, TICKETS_MAX,
};
use crate::wire::{Ask, Told};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use worker::{Delay, Env, Result, State};

/// The longest pause of a page that lost its socket (docs/protocol.md, *The waiting page*), ms: 16,000 tickets at 400 a second.
const SPREAD_MS: u64 = 40_000;

/// A lobby in memory, and who waits for it.
pub(super) struct Living {
    pub(super) core: LivingLobby,
    room: Address,
    askers: BTreeMap<Asker, oneshot::Sender<Option<Box<Told>>>>,
    asked: u64,
    timer: Option<Timer>,
}

/// The timer that is set. Whoever drops it takes it back.
struct Timer {
    at: Instant,
    _kept: oneshot::Sender<()>,
}

/// Somebody waits for an answer. Dropped with the future that waits.
struct Waits<'a> {
    shell: &'a Rc<Shell>,
    asker: Asker,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let asker = self.asker;
        // Where there is no lobby in memory nobody is waited for.
        let _ = self.shell.event(|living, m| {
            if living.askers.remove(&asker).is_some() {
                living.core.lobby.handle_gone(m, asker);
            }
        });
    }
}

impl Shell {
    /// Brings the lobby into memory if it is not there: a new life, which knows of every socket that is open.
    pub(super) fn wake(&self, name: Option<(String, u16)>) -> impl Future<Output = Result<()>> {
        object::wake(&self.state, &self.living, move |alarm_ms| {
            Living::new(&self.state, &self.env, name, alarm_ms)
        })
    }

    /// Something happens. What it yields leaves after everything that follows from it.
    pub(super) fn event<T>(
        self: &Rc<Self>,
        happens: impl FnOnce(&mut Living, Moment) -> T,
    ) -> Result<T> {
        let awake = self.living.take();
        let mut living = awake.ok_or_else(|| error("the lobby is not awake"))?;
        let moment = living.core.moment(dice::now_ms());
        let result = happens(&mut living, moment);
        while let Some(effect) = living.core.lobby.poll_effect() {
            self.carry_out(&mut living, moment, effect);
        }
        self.set_timer(&mut living);
        let alarm_in_ms = living.core.alarm_in_ms();
        self.living.replace(Some(living));
        if let Some(in_ms) = alarm_in_ms {
            store::set_alarm(&self.state.storage(), in_ms)?;
        }
        Ok(result)
    }

    fn carry_out(self: &Rc<Self>, living: &mut Living, moment: Moment, effect: Effect) {
        match effect {
            Effect::Call(call, said) => self.call(living.room.clone(), call, said),
            Effect::Answer(asker, told) => {
                if let Some(sender) = living.askers.remove(&asker) {
                    // Whoever asked may be gone.
                    let _ = sender.send(told);
                }
            }
            Effect::Tell {
                visitor,
                status,
                last,
            } => {
                if let Ok(text) = serde_json::to_string(&status) {
                    sockets::tell(&self.state, (visitor, status.shown()), &text, last);
                }
            }
            Effect::Frame(frame) => sockets::send_to_all(&self.state, &frame),
            Effect::CloseSilent => {
                for visitor in sockets::close_silent(&self.state, moment.wall_ms) {
                    living.core.lobby.handle_socket_closed(moment, visitor);
                }
            }
        }
    }

    /// Makes sure that the lobby is called when it wants to be. A timer that rings too early finds nothing to do.
    fn set_timer(self: &Rc<Self>, living: &mut Living) {
        let Some(in_ms) = living.core.timeout_in_ms() else {
            return;
        };
        let at = living.core.clock().now().plus_ms(in_ms);
        if living.timer.as_ref().is_some_and(|timer| timer.at <= at) {
            return;
        }
        let (kept, taken_back) = oneshot::channel();
        living.timer = Some(Timer { at, _kept: kept });
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "lobby.timer", async move {
            let rings = Delay::from(Duration::from_millis(in_ms));
            if let Either::Right(_) = select(taken_back, rings).await {
                let rung = shell.event(|living, m| {
                    living.timer = None;
                    living.core.lobby.handle_timeout(m);
                });
                if let Err(error) = rung {
                    log::say(&shell.about(Code::BackgroundFailed).because(error));
                }
            }
        });
    }

    /// Asks the room, beside everything else.
    fn call(self: &Rc<Self>, room: Address, call: CallId, said: Box<ToRoom>) {
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "lobby.call", async move {
            let answer = shell.asked(&room, &said).await;
            let answer = answer.map_err(|error| {
                let remark = match &*said {
                    ToRoom::Check(fences) => {
                        let checks = shell.about(Code::ChecksFailed);
                        checks.counting(fences.len() as u64)
                    }
                    _ => shell.about(Code::RoomSilent),
                };
                log::say(&remark.because(error));
            });
            let heard =
                shell.event(|living, m| living.core.lobby.handle_answer(m, call, answer.ok()));
            if let Err(error) = heard {
                log::say(&shell.about(Code::BackgroundFailed).because(error));
            }
        });
    }

    async fn asked(&self, room: &Address, said: &ToRoom) -> Result<FromRoom> {
        let body = envelope::bytes(said).map_err(super::unsaid)?;
        let caller = (&self.state, &self.env);
        let answer = room.call(caller, "room", &body, CALL_TIMEOUT_MS).await?;
        if answer.status != 200 {
            return Err(error(&format!("the room answered {}", answer.status)));
        }
        envelope::of_bytes(&answer.body).map_err(super::unsaid)
    }

    /// Asks on behalf of a visitor; `None`: the room can't be reached.
    pub(super) async fn ask(self: &Rc<Self>, ask: Ask) -> Result<Option<Box<Told>>> {
        let (sender, answer) = oneshot::channel();
        let asker = self.event(|living, m| {
            living.asked += 1;
            let asker = Asker(living.asked);
            living.askers.insert(asker, sender);
            living.core.lobby.handle_ask(m, asker, ask);
            asker
        })?;
        let _waits = Waits { shell: self, asker };
        Ok(answer.await.ok().flatten())
    }
}

impl Living {
    fn new(
        state: &State,
        env: &Env,
        name: Option<(String, u16)>,
        alarm_ms: Option<u64>,
    ) -> Result<Self> {
        let stored = Name::open(state)?;
        let (room, index) = match (stored.get("room")?, stored.get("lobby")?) {
            (Some(room), Some(index)) => (room, index.parse().unwrap_or_default()),
            _ => {
                let (room, index) =
                    name.ok_or_else(|| error("a lobby without a name was woken"))?;
                stored.set("room", &room)?;
                stored.set("lobby", &index.to_string())?;
                (room, index)
            }
        };
        let deployment = config::load(env).map_err(|_| error("the configuration is not valid"))?;
        let settings = deployment.room_of_object(&room);
        let settings = settings.ok_or_else(|| error(&format!("there is no room {room:?}")))?;
        let config = LobbyConfig {
            room: settings.name_in_file().to_owned(),
            linger_ms: settings.linger_ms,
            spread_ms: SPREAD_MS,
            tick_ms: settings.core.tick_ms,
            tickets_max: TICKETS_MAX,
            limits: settings.limits,
        };
        let chance = u64::from_be_bytes(dice::random_bytes()?);
        let lobby = Lobby::new(LobbyId(index), config, chance);
        let mut core = LivingLobby::new(lobby, dice::now_ms(), alarm_ms);
        let moment = core.moment(dice::now_ms());
        for (visitor, shown) in sockets::open(state) {
            core.lobby.handle_socket_opened(moment, visitor, shown);
        }
        Ok(Self {
            core,
            room: Address::of_room(settings),
            askers: BTreeMap::new(),
            asked: 0,
            timer: None,
        })
    }
}
