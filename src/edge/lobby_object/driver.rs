//! A lobby in memory, and the one way to make something happen to it: a synchronous block that ends with every effect carried out and with timer and
//! alarm set. See [`lobby`] for the grammar.

use super::Shell;
use crate::definition::Known;
use crate::log::{self, Code};
use crate::object::{self, error};
use crate::peers::Address;
use crate::store::{self, Name};
use crate::{config, dice, sockets, watchdog};
use facts::envelope;
use facts::message::{FromRoom, ToRoom};
use facts::units::LobbyId;
use facts::wire::{Ask, Told};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use living::LivingLobby;
use living::clock::COARSE_MS;
use lobby::{Asker, CALL_TIMEOUT_MS, CallId, Effect, Lobby, LobbyConfig, Moment, PORTER_PATIENCE_MS, TICKETS_MAX, Way};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use worker::{Delay, Env, Result, State, WebSocket};

/// The longest pause of a page that lost its socket (docs/client.md, *The waiting page*), ms: 16,000 tickets return at 400 a second.
const SPREAD_MS: u64 = 40_000;

/// The most sockets that get a frame in one go: 500 x 27 µs (bench/scale/machines.mjs) hold a call up for 14 ms at most.
const FRAMES_AT_ONCE: usize = 500;

/// A lobby in memory, and the handlers that wait for its answers.
pub(super) struct Living {
    pub(super) core: LivingLobby,
    /// The row of the house that made the room what it is; `None` if the room stands in the file.
    pub(super) defined: Option<u64>,
    room: Address,
    /// The porter that brings the room this lobby's batches; `None` if the lobby brings them itself.
    porter: Option<Address>,
    askers: BTreeMap<Asker, oneshot::Sender<Option<Box<Told>>>>,
    asked: u64,
    /// The timer that is set. Dropping this cancels it.
    timer: Option<oneshot::Sender<()>>,
}

/// A handler that waits for an answer. It is dropped with the future that waits.
struct Waits<'a> {
    shell: &'a Rc<Shell>,
    asker: Asker,
    ended: u32,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let asker = self.asker;
        let living = self.shell.living.borrow();
        let still_asks = living.as_ref().is_some_and(|living| living.askers.contains_key(&asker));
        drop(living);
        if !still_asks || self.ended != self.shell.ended.get() {
            return;
        }
        // If no lobby is in memory, there is nothing to take back.
        let _ = self.shell.event(|living, m| {
            living.askers.remove(&asker);
            living.core.lobby.handle_gone(m, asker);
        });
    }
}

impl Shell {
    /// Brings the lobby into memory if it is not there. That begins a new life, which knows every socket that is open.
    pub(super) fn wake(&self, name: Option<(String, u16)>) -> impl Future<Output = Result<()>> {
        object::wake(&self.state, &self.living, move |alarm_ms| {
            Living::new(&self.state, &self.env, name, alarm_ms)
        })
    }

    /// Makes something happen to the lobby. Returns what `happens` returns, after everything that follows from it is carried out.
    pub(super) fn event<T>(self: &Rc<Self>, happens: impl FnOnce(&mut Living, Moment) -> T) -> Result<T> {
        let awake = self.living.take();
        let mut living = awake.ok_or_else(asleep)?;
        let moment = living.core.moment(dice::now_ms());
        self.carry_through(living, moment, happens)
    }

    /// Makes something happen to the lobby at this moment.
    fn carry_through<T>(self: &Rc<Self>, mut living: Living, moment: Moment, happens: impl FnOnce(&mut Living, Moment) -> T) -> Result<T> {
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
            Effect::Call(call, said, way) => {
                let porter = living.porter.as_ref().filter(|_| way == Way::Porter);
                let to = match porter {
                    Some(porter) => (porter.clone(), "batch", PORTER_PATIENCE_MS),
                    None => (living.room.clone(), "room", CALL_TIMEOUT_MS),
                };
                self.call(to, call, said);
            }
            Effect::Answer(asker, told) => {
                if let Some(sender) = living.askers.remove(&asker) {
                    // The asker may be gone.
                    let _ = sender.send(told);
                }
            }
            Effect::Tell { visitor, status, last } => {
                if let Ok(text) = serde_json::to_string(&status) {
                    sockets::tell(&self.state, (visitor, status.shown()), &text, last);
                }
            }
            Effect::Frame(lane, frame) => {
                let lobby = &living.core.lobby;
                let meant = if lobby.has_lanes() {
                    sockets::of_those(&self.state, |visitor| lobby.shows_frame(lane, visitor))
                } else {
                    sockets::all(&self.state)
                };
                self.show(meant, frame);
            }
            Effect::CloseSilent => self.close_silent(living, moment),
        }
    }

    /// Sends a frame to a slice of the sockets at a time, so that calls and asks that come meanwhile go in between. A page
    /// ignores a frame that is older than what it was told.
    fn show(self: &Rc<Self>, meant: Vec<WebSocket>, frame: Vec<u8>) {
        let send = |slice: &[WebSocket], frame: &[u8]| {
            for socket in slice {
                sockets::send_frame(socket, frame);
            }
        };
        let (first, rest) = meant.split_at(meant.len().min(FRAMES_AT_ONCE));
        send(first, &frame);
        if rest.is_empty() {
            return;
        }
        let rest = rest.to_vec();
        watchdog::spawn(&self.state, "lobby.frame", async move {
            for slice in rest.chunks(FRAMES_AT_ONCE) {
                Delay::from(Duration::ZERO).await;
                send(slice, &frame);
            }
        });
    }

    /// Sets a timer for when the lobby wants to be called. A timer that rings too early finds nothing to do.
    fn set_timer(self: &Rc<Self>, living: &mut Living) {
        let Some(in_ms) = living.core.timer_in_ms() else {
            return;
        };
        let (kept, taken_back) = oneshot::channel();
        living.timer = Some(kept);
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "lobby.timer", async move {
            let rings = Delay::from(Duration::from_millis(in_ms + COARSE_MS));
            if let Either::Right(_) = select(taken_back, rings).await
                && let Err(error) = shell.timer_rings()
            {
                log::say(&shell.about(Code::BackgroundFailed).because(error));
            }
        });
    }

    fn timer_rings(self: &Rc<Self>) -> Result<()> {
        let mut living = self.living.take().ok_or_else(asleep)?;
        living.timer = None;
        let moment = living.core.timer_rang(dice::now_ms());
        self.carry_through(living, moment, |living, m| {
            living.core.lobby.handle_timeout(m);
        })
    }

    fn close_silent(&self, living: &mut Living, moment: Moment) {
        for visitor in sockets::close_silent(&self.state, living.core.ear()) {
            living.core.lobby.handle_socket_silent(moment, visitor);
        }
    }

    /// Asks the room or the porter in the background, and hands the lobby the answer.
    fn call(self: &Rc<Self>, to: (Address, &'static str, u64), call: CallId, said: Box<ToRoom>) {
        let shell = Rc::clone(self);
        let ended = self.ended.get();
        watchdog::spawn(&self.state, "lobby.call", async move {
            let answer = shell.asked(to, &said).await;
            if ended != shell.ended.get() {
                return;
            }
            let was_silent = shell.room_is_silent.replace(answer.is_err());
            let answer = answer.map_err(|error| {
                let remark = match &*said {
                    ToRoom::Check(fences) => {
                        let checks = shell.about(Code::ChecksFailed);
                        checks.counting(fences.len() as u64)
                    }
                    _ if was_silent => return,
                    _ => shell.about(Code::RoomSilent),
                };
                log::say(&remark.because(error));
            });
            let heard = shell.event(|living, m| living.core.lobby.handle_answer(m, call, answer.ok()));
            if let Err(error) = heard {
                log::say(&shell.about(Code::BackgroundFailed).because(error));
            }
        });
    }

    async fn asked(&self, (to, path, patience_ms): (Address, &'static str, u64), said: &ToRoom) -> Result<FromRoom> {
        let body = envelope::bytes(said).map_err(super::unsaid)?;
        let caller = (&self.state, &self.env);
        let answer = to.call(caller, path, &body, patience_ms).await?;
        if answer.status != 200 {
            return Err(error(&format!("the room answered {}", answer.status)));
        }
        envelope::of_bytes(&answer.body).map_err(super::unsaid)
    }

    /// Asks the lobby on behalf of a visitor. Returns `None` if the room cannot be reached.
    pub(super) async fn ask(self: &Rc<Self>, ask: Ask) -> Result<Option<Box<Told>>> {
        let (sender, answer) = oneshot::channel();
        let asker = self.event(|living, m| {
            living.asked += 1;
            let asker = Asker(living.asked);
            living.askers.insert(asker, sender);
            living.core.lobby.handle_ask(m, asker, ask);
            asker
        })?;
        let ended = self.ended.get();
        let _waits = Waits { shell: self, asker, ended };
        Ok(answer.await.ok().flatten())
    }
}

impl Living {
    fn new(state: &State, env: &Env, name: Option<(String, u16)>, alarm_ms: Option<u64>) -> Result<Self> {
        let stored = Name::open(state)?;
        let (room, index) = match (stored.get("room")?, stored.get("lobby")?) {
            (Some(room), Some(index)) => (room, index.parse().unwrap_or_default()),
            _ => {
                let (room, index) = name.ok_or_else(|| error("a lobby without a name was woken"))?;
                stored.set("room", &room)?;
                stored.set("lobby", &index.to_string())?;
                (room, index)
            }
        };
        let Known { settings, .. } = Known::of(env, &stored, &room)?;
        let config = LobbyConfig {
            room: settings.name_in_file().to_owned(),
            linger_ms: settings.linger_ms,
            spread_ms: SPREAD_MS,
            tickets_max: TICKETS_MAX,
            limits: settings.limits,
            porter: settings.porters() > 0,
        };
        let chance = u64::from_be_bytes(dice::random_bytes()?);
        let lobby = Lobby::new(LobbyId(index), config, chance);
        let mut core = LivingLobby::new(lobby, config::stay(env), dice::now_ms(), alarm_ms);
        let moment = core.moment(dice::now_ms());
        let (heard, silent) = sockets::found(state, core.ear());
        for (visitor, shown) in heard {
            core.lobby.handle_socket_opened(moment, visitor, shown);
        }
        for visitor in silent {
            core.lobby.handle_silent_found(moment, visitor);
        }
        Ok(Self {
            core,
            defined: settings.defined,
            room: Address::of_room(&settings),
            porter: Address::of_porter(&settings, LobbyId(index)),
            askers: BTreeMap::new(),
            asked: 0,
            timer: None,
        })
    }
}

fn asleep() -> worker::Error {
    error("the lobby is not awake")
}
