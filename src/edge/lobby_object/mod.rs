//! The lobby object: a shard of a room's visitors, with their sockets and polls. It drives one [`Lobby`](lobby::Lobby) and decides nothing.
//!
//! **Stores** its name and home, in a room of the house the room's definition, and one alarm; the room can tell it everything else again. **Answers**
//! `POST /ask` (a front, for a visitor), `GET /socket` (a visitor's socket), `POST /origin` (what a front heard from the origin, which also rides
//! along with the other calls) and `POST /push` (the room). **Calls** `POST /room` of the room and `POST /batch` of a porter.
//!
//! **What makes it atomic:** each event is one synchronous block, from what happened to the last of its effects (`driver`). An answer leaves after
//! the effects of its event. If a handler fails, only its own caller is told.
//!
//! Sockets hibernate: they outlive this memory, and the runtime answers a `ping` without waking it.

mod driver;

use self::driver::Living;
use super::call::Call;
use super::definition::{self, Learner};
use super::log::{Code, Remark};
use super::object::{self, Pauses, error};
use super::peers::{ASK_HEADER, DEFINED_HEADER, HOME_HEADER, LOAD_HEADER, LOBBY_HEADER, OVERHEARD_HEADER, PAGES_HEADER, ROOM_HEADER, TOLD_HEADER};
use super::store::Name;
use super::{dice, sockets, watchdog};
use facts::envelope::{self, Unreadable};
use facts::log::Part;
use facts::message::ToLobby;
use facts::overheard::Overheard;
use facts::units::LobbyId;
use facts::wire::Ask;
use gate::Bookings;
use lobby::{NoSocket, socket_for};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, durable_object, web_sys};

/// See the file's documentation.
#[durable_object]
pub struct LobbyObject {
    shell: Rc<Shell>,
}

/// What handlers and background work share.
struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event, and while an event runs. Never borrowed across an await.
    living: RefCell<Option<Living>>,
    /// How many lives in memory ended because the room was defined anew. What an earlier life began must not touch a later one.
    ended: Cell<u32>,
    /// Pages that will come: fronts report them with whatever they ask or say.
    bookings: Cell<Bookings>,
    /// Whether the last call to the room or the porter got no answer. The log says so once.
    room_is_silent: Cell<bool>,
    learner: Learner,
    pauses: Pauses,
}

#[wasm_bindgen]
impl LobbyObject {
    /// Answers a call, as `object::hear` does.
    ///
    /// # Errors
    /// When the platform refuses even an error's answer.
    pub fn hear(&self, request: web_sys::Request, url: String, lines: String) -> std::result::Result<JsValue, JsValue> {
        let (shell, named) = (Rc::clone(&self.shell), Rc::clone(&self.shell));
        let answer = move |call: Call| async move { shell.answer(&call).await };
        object::hear((request, url, lines), "lobby.fetch", move |code| named.about(code), answer)
    }
}

impl DurableObject for LobbyObject {
    fn new(state: State, env: Env) -> Self {
        sockets::answer_pings(&state);
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::new(None),
                ended: Cell::new(0),
                bookings: Cell::default(),
                room_is_silent: Cell::new(false),
                learner: Learner::default(),
                pauses: Pauses::default(),
            }),
        }
    }

    async fn fetch(&self, _: Request) -> Result<Response> {
        object::unheard()
    }

    async fn alarm(&self) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        object::alarm((&shell.state, &shell.pauses), "lobby.alarm", |code| shell.about(code), shell.ring()).await
    }

    async fn websocket_message(&self, socket: WebSocket, message: WebSocketIncomingMessage) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::socket(&socket), "lobby.message", async move {
            match sockets::judge(&socket, &message, dice::now_ms()) {
                sockets::Verdict::Here(visitor) => {
                    shell.wake(None).await?;
                    shell.event(|living, m| living.core.lobby.handle_word(m, visitor))
                }
                sockets::Verdict::Close(code, why) => {
                    sockets::close(&socket, code, why);
                    shell.closed(&socket).await
                }
            }
        })
        .await
    }

    async fn websocket_close(&self, socket: WebSocket, code: usize, why: String, _: bool) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::socket(&socket), "lobby.close", async move {
            sockets::answer_close(&socket, code, &why);
            shell.closed(&socket).await
        })
        .await
    }

    async fn websocket_error(&self, socket: WebSocket, _: worker::Error) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::socket(&socket), "lobby.error", async move { shell.closed(&socket).await }).await
    }
}

impl Shell {
    /// Answers a call, and tells a front that reports pages how busy this lobby is.
    async fn answer(self: &Rc<Self>, call: &Call) -> Result<web_sys::Response> {
        // A front reported the page before the page opened its socket.
        let unbooked = u64::from(call.path != "/socket");
        let told = call.header(PAGES_HEADER).and_then(|pages| pages.parse().ok());
        let mut bookings = self.bookings.get();
        let load = bookings.book(dice::now_ms(), told.unwrap_or_default(), unbooked);
        self.bookings.set(bookings);
        let response = self.answer_event(call).await?;
        if told.is_some() {
            response.headers().set(LOAD_HEADER, &load.text())?;
        }
        Ok(response)
    }

    async fn answer_event(self: &Rc<Self>, call: &Call) -> Result<web_sys::Response> {
        let index = call.header(LOBBY_HEADER);
        let index = index.and_then(|index| index.parse().ok());
        let room = call.header(ROOM_HEADER);
        if let (Some(room), Some(row)) = (room, call.header(DEFINED_HEADER)) {
            self.learn(room, row.parse().unwrap_or_default()).await?;
        }
        if self.living.borrow().is_none() {
            definition::settle(&self.state, call.header(HOME_HEADER))?;
        }
        self.wake(room.map(str::to_owned).zip(index)).await?;
        self.hear_beside(call)?;
        match call.path.as_str() {
            "/ask" => {
                let ask = core::str::from_utf8(&call.body).map_err(|_| Unreadable::Malformed);
                match ask.and_then(envelope::of_text::<Ask>) {
                    Err(why) => object::unread(why, Vec::new()),
                    Ok(ask) => match self.ask(ask).await? {
                        None => Ok(unreachable()?.into()),
                        Some(told) => {
                            let told = envelope::text(&*told).map_err(unsaid)?;
                            call.answer(told.into_bytes())
                        }
                    },
                }
            }
            "/socket" => {
                let ask = call.header(ASK_HEADER).unwrap_or_default();
                match envelope::of_text::<Ask>(ask) {
                    Err(why) => object::unread(why, Vec::new()),
                    Ok(ask) => Ok(self.socket(ask).await?.into()),
                }
            }
            "/push" => match envelope::of_bytes::<ToLobby>(&call.body) {
                Err(why) => object::unread(why, Vec::new()),
                Ok(said) => {
                    let told = self.event(|living, m| living.core.lobby.handle_push(m, &said))?;
                    call.answer(envelope::bytes(&told).map_err(unsaid)?)
                }
            },
            "/origin" => Ok(Response::ok("")?.into()),
            path => Ok(Response::error(format!("a lobby has no {path}"), 404)?.into()),
        }
    }

    /// Takes in what a front tells along with whatever it asks. These are measurements, and may be lost: a front of another build may
    /// write them in another form, and no visitor's ask fails for that.
    fn hear_beside(self: &Rc<Self>, call: &Call) -> Result<()> {
        if let Some(said) = call.header(OVERHEARD_HEADER)
            && let Ok(heard) = envelope::of_text::<Overheard>(said)
        {
            self.event(|living, m| living.core.lobby.handle_overheard(m, &heard))?;
        }
        Ok(())
    }

    /// Opens a visitor's socket, unless the lobby says that the place is elsewhere or that the visitor gets no number.
    async fn socket(self: &Rc<Self>, ask: Ask) -> Result<Response> {
        let (visitor, showed) = (ask.visitor, ask.shown);
        let Some(told) = self.ask(ask).await? else {
            return unreachable();
        };
        let response = match socket_for(&told, showed) {
            Err(why) => refused(why)?,
            Ok(shown) => {
                let socket = (visitor, shown);
                let pair = sockets::accept(&self.state, socket, self.sockets(), dice::now_ms())?;
                let Some((client, server)) = pair else {
                    return Response::error("the lobby holds as many sockets as it can", 503);
                };
                self.greet(socket, &server)?;
                Response::from_websocket(client)?
            }
        };
        let told = envelope::text(&*told).map_err(unsaid)?;
        response.headers().set(TOLD_HEADER, &told)?;
        Ok(response)
    }

    /// The number of sockets that the lobby knows of.
    fn sockets(&self) -> usize {
        let living = self.living.borrow();
        let known = living.as_ref().map_or(0, |living| living.core.lobby.sockets());
        usize::try_from(known).unwrap_or(usize::MAX)
    }

    /// Greets a socket that has opened: first it hears how things are, then whatever else follows from its opening.
    fn greet(self: &Rc<Self>, (visitor, shown): sockets::Held, socket: &WebSocket) -> Result<()> {
        self.event(|living, m| {
            let lobby = &mut living.core.lobby;
            lobby.handle_socket_opened(m, visitor, shown);
            let words = lobby.first_words(m, visitor);
            sockets::send(socket, &serde_json::to_string(&words.status)?);
            sockets::show(socket, words.status.shown());
            if let Some(frame) = words.frame {
                sockets::send_frame(socket, &frame);
            }
            if words.is_last {
                sockets::close(socket, 1000, "over");
                if sockets::take(socket).is_some() {
                    lobby.handle_socket_closed(m, visitor);
                }
            }
            Ok(())
        })?
    }

    /// Notes that a visitor's socket has closed. A lobby that was asleep did not count the socket, so it is opened first.
    async fn closed(self: &Rc<Self>, socket: &WebSocket) -> Result<()> {
        let Some((visitor, shown)) = sockets::take(socket) else {
            return Ok(());
        };
        let is_counted = self.living.borrow().is_some();
        self.wake(None).await?;
        self.event(|living, m| {
            let lobby = &mut living.core.lobby;
            if !is_counted {
                lobby.handle_socket_opened(m, visitor, shown);
            }
            lobby.handle_socket_closed(m, visitor);
        })
    }

    /// Learns of a newer definition, if the caller knows the room by a later row of the house. The lobby in memory then ends, and
    /// a new life begins; whoever waits is told to come again.
    async fn learn(&self, room: &str, row: u64) -> Result<()> {
        let known = self.living.borrow().as_ref().and_then(|it| it.defined);
        let object = (&self.state, &self.env);
        if self.learner.learn(object, room, known, row).await? {
            self.living.take();
            self.ended.set(self.ended.get().wrapping_add(1));
        }
        Ok(())
    }

    async fn ring(self: &Rc<Self>) -> Result<()> {
        self.wake(None).await?;
        self.event(|living, m| {
            living.core.rang();
            living.core.lobby.handle_timeout(m);
        })
    }

    /// Begins a line of the log about this lobby. The name is read from storage, since the memory may be what fails.
    fn about(&self, code: Code) -> Remark {
        let remark = Remark::of(Part::Lobby, code);
        let named = |name: Name| Some((name.get("room").ok()??, name.get("lobby").ok()??));
        match Name::open(&self.state).ok().and_then(named) {
            Some((room, index)) => {
                let index = index.parse().unwrap_or_default();
                remark.in_room(room).at_lobby(LobbyId(index))
            }
            None => remark,
        }
    }
}

/// Answers a visitor who gets no socket; the front reads the status.
fn refused(why: NoSocket) -> Result<Response> {
    let (why, status) = match why {
        NoSocket::Elsewhere => ("the place is in another lobby", 421),
        NoSocket::Full => ("the lobby is full", 503),
        NoSocket::NoLane => ("the room has no such lane", 403),
        NoSocket::Limited => ("there is no number for the visitor now", 429),
        NoSocket::OnOtherDevice => ("the account's place is on another device", 409),
    };
    Response::error(why, status)
}

/// Makes the answer for a room that gave none in time.
fn unreachable() -> Result<Response> {
    Response::error("the room can't be reached", 503)
}

fn unsaid(why: Unreadable) -> worker::Error {
    error(&why.to_string())
}
