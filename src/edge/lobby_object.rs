//! The lobby object: a shard of a room's visitors, their sockets and their polls.
//!
//! **Stores** who has which number (a journal of rows, now and then a snapshot) and one alarm.
//! **Answers** `POST /ask` (the front, for a visitor), `GET /socket` (a visitor's socket) and
//! `POST /push` (the room). **Calls** the room with one batch at a time.
//!
//! **What makes it atomic:** every change is one synchronous block that writes its row before it
//! lets go of what follows from it: a batch that issues numbers is on disk before it is sent, its
//! answer before anybody hears of it (the output gate holds both). An error drops what is in
//! memory; whoever waited is told so, and the next event begins a new life from the journal.
//!
//! Sockets hibernate: they outlive this memory, and a `ping` is answered without waking it.

use super::alarm::Alarm;
use super::peers::{Address, LOBBY_HEADER, ROOM_HEADER};
use super::store::SqlStore;
use super::{config, dice, sockets, watchdog};
use crate::clock::Clock;
use crate::journal::{self, ROWS_PER_SNAPSHOT, Store};
use crate::lobby::{Answer, Book, Delivered, Lobby, LobbyConfig, Outcome, Progress, TICKETS_MAX, Waiter};
use crate::room::command::{Batch, Message, Refusal};
use crate::units::{Instant, LobbyId, VisitorId};
use crate::wire::{Ask, State as Stage, Told, Wish};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use worker::{
    Delay, DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage,
    durable_object,
};

/// Carries an [`Ask`] beside a visitor's upgrade request.
const ASK_HEADER: &str = "Baton-Ask";
/// Carries a [`Told`] back with the `101`.
const TOLD_HEADER: &str = "Baton-Told";
/// A batch without an answer is given up after this and sent again.
const BATCH_TIMEOUT_MS: u64 = 5_000;
/// Whoever waits for the room longer than this is told that it can't be reached. What was asked
/// still happens, and the next ask finds it done.
const PATIENCE_MS: u64 = 6_000;
/// Between two tries of one batch, twice as long each time up to 2⁴ times.
const RETRY_MS: u64 = 200;

/// See the file's documentation.
#[durable_object]
pub struct LobbyObject {
    shell: Rc<Shell>,
}

/// What handlers and background work share.
struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event and after an error. Never borrowed across an await.
    living: RefCell<Option<Living>>,
}

/// A lobby in memory.
struct Living {
    room: Address,
    lobby: Lobby,
    store: SqlStore,
    version: u64,
    rows_since_snapshot: u64,
    clock: Clock,
    alarm: Alarm,
    /// Who waits for the room.
    waiters: BTreeMap<Waiter, oneshot::Sender<Outcome>>,
    /// Who holds a poll.
    polls: BTreeMap<VisitorId, Vec<oneshot::Sender<()>>>,
    /// Who waits for the one look at the room that is under way: one computes, all share.
    looks: Option<Vec<oneshot::Sender<()>>>,
    sending: bool,
    heartbeat_at: Option<Instant>,
}

impl DurableObject for LobbyObject {
    fn new(state: State, env: Env) -> Self {
        sockets::answer_pings(&state);
        Self { shell: Rc::new(Shell { state, env, living: RefCell::new(None) }) }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::request(&request), "lobby.fetch", async move {
            shell.answer(request).await.or_else(|error| {
                worker::console_error!("lobby: {error}");
                Response::error(error.to_string(), 503)
            })
        })
        .await
    }

    async fn alarm(&self) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::object(&self.shell.state), "lobby.alarm", async move {
            if let Err(error) = shell.ring().await {
                worker::console_error!("lobby: the alarm failed: {error}");
                let _ = shell.state.storage().set_alarm(1_000).await;
            }
            Response::ok("")
        })
        .await
    }

    async fn websocket_message(&self, socket: WebSocket, message: WebSocketIncomingMessage) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::socket(&socket), "lobby.message", async move {
            match sockets::judge(&socket, &message, dice::now_ms()) {
                sockets::Verdict::Here(visitor) => shell.is_here(visitor).await,
                sockets::Verdict::Close(code, why) => {
                    sockets::close(&socket, code, why);
                    shell.closed(&socket).await
                }
            }
        })
        .await
    }

    async fn websocket_close(&self, socket: WebSocket, _: usize, _: String, _: bool) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::socket(&socket), "lobby.close", async move {
            shell.closed(&socket).await
        })
        .await
    }

    async fn websocket_error(&self, socket: WebSocket, _: worker::Error) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::socket(&socket), "lobby.error", async move {
            shell.closed(&socket).await
        })
        .await
    }
}

// What comes in.
impl Shell {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response> {
        let headers = request.headers();
        let room = headers.get(ROOM_HEADER)?;
        let index = headers.get(LOBBY_HEADER)?.and_then(|index| index.parse().ok());
        let name = room.zip(index);
        match request.path().as_str() {
            "/ask" => {
                let ask = request.json::<Ask>().await?;
                self.wake(name).await?;
                Response::from_json(&self.ask(ask).await?)
            }
            "/push" => {
                let body = request.bytes().await?;
                self.wake(name).await?;
                self.push(&body)
            }
            "/socket" => {
                let ask = headers.get(ASK_HEADER)?.unwrap_or_default();
                let ask = serde_json::from_str::<Ask>(&ask)?;
                self.wake(name).await?;
                self.socket(ask).await
            }
            path => Response::error(format!("a lobby has no {path}"), 404),
        }
    }

    /// Answers an ask, as often as it takes through the room.
    async fn ask(self: &Rc<Self>, ask: Ask) -> Result<Told> {
        if matches!(ask.wish, Wish::Status { .. }) {
            self.look_if_old().await?;
        }
        let told = self.settle(&ask).await?;
        match ask.wish {
            Wish::Status { wait_ms } if wait_ms > 0 && told.status.state == Stage::Waiting => {
                self.hold(ask.visitor, wait_ms).await?;
                self.settle(&Ask { wish: Wish::Status { wait_ms: 0 }, ..ask }).await
            }
            _ => Ok(told),
        }
    }

    async fn settle(self: &Rc<Self>, ask: &Ask) -> Result<Told> {
        let mut progress = Progress::default();
        loop {
            let waiting = self.change(|living, now| {
                let wall_ms = living.clock.wall_ms();
                match living.lobby.ask(now, wall_ms, ask, &progress) {
                    Answer::Now(told) => Either::Left(told),
                    Answer::Later(waiter) => {
                        let (sender, receiver) = oneshot::channel();
                        living.waiters.insert(waiter, sender);
                        Either::Right(receiver)
                    }
                }
            })?;
            match waiting {
                Either::Left(told) => return Ok(*told),
                Either::Right(receiver) => {
                    let outcome = within(PATIENCE_MS, receiver).await;
                    progress.note(outcome.ok_or_else(|| error("the room can't be reached"))?);
                }
            }
        }
    }

    /// Holds a poll until something that matters happens. While it lasts the visitor is there.
    async fn hold(self: &Rc<Self>, visitor: VisitorId, wait_ms: u64) -> Result<()> {
        let receiver = self.change(|living, now| {
            let (sender, receiver) = oneshot::channel();
            living.polls.entry(visitor).or_default().push(sender);
            living.lobby.hold(now, visitor);
            receiver
        })?;
        within(wait_ms, receiver).await;
        self.wake(None).await?;
        self.change(|living, now| {
            if let Some(polls) = living.polls.get_mut(&visitor) {
                polls.retain(|poll| !poll.is_canceled());
            }
            living.polls.retain(|_, polls| !polls.is_empty());
            living.lobby.unhold(now, visitor);
        })
    }

    /// What the room last said may be too old to tell. However many ask, one looks.
    async fn look_if_old(self: &Rc<Self>) -> Result<()> {
        let receiver = self.change(|living, now| {
            if !living.lobby.must_look(now) {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            let first = living.looks.is_none();
            living.looks.get_or_insert_with(Vec::new).push(sender);
            Some((first, receiver))
        })?;
        let Some((first, receiver)) = receiver else { return Ok(()) };
        if first {
            let shell = Rc::clone(self);
            watchdog::spawn(&self.state, "lobby.look", async move { shell.look().await });
        }
        let looked = within(PATIENCE_MS, receiver).await;
        looked.ok_or_else(|| error("the room can't be reached"))
    }

    /// Looks at the room. When that fails the senders are dropped, and all who share get an error.
    async fn look(self: &Rc<Self>) {
        let room = self.living.borrow().as_ref().map(|living| living.room.clone());
        let Some(room) = room else { return };
        let message = self.fetch_message(&room, "look", &[]).await;
        let looked = self.change(|living, now| {
            let looks = living.looks.take().unwrap_or_default();
            let message = message.ok()?;
            let delivered = living.lobby.pushed(now, &message);
            looks.into_iter().for_each(|look| { let _ = look.send(()); });
            Some(delivered)
        });
        match looked {
            Ok(Some(delivered)) => self.tell(&delivered),
            Ok(None) => {}
            Err(error) => worker::console_error!("lobby: looking at the room: {error}"),
        }
    }

    fn push(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Ok(message) = postcard::from_bytes::<Message>(body) else {
            return Response::error("not a message", 400);
        };
        let (delivered, sockets) = self.change(|living, now| {
            let delivered = living.lobby.pushed(now, &message);
            (delivered, living.lobby.sockets())
        })?;
        self.tell(&delivered);
        Response::ok(sockets.to_string())
    }

    async fn socket(self: &Rc<Self>, ask: Ask) -> Result<Response> {
        let told = self.settle(&ask).await?;
        if told.full {
            let response = Response::error("the lobby is full", 503)?;
            response.headers().set(TOLD_HEADER, &serde_json::to_string(&told)?)?;
            return Ok(response);
        }
        let Some(client) = sockets::accept(&self.state, ask.visitor, dice::now_ms())? else {
            return Response::error("the lobby holds as many sockets as it can", 503);
        };
        let (pair, status, frame) = self.change(|living, now| {
            living.lobby.socket_opened(now, ask.visitor);
            let status = living.lobby.status(now, living.clock.wall_ms(), ask.visitor);
            (client, status, living.lobby.frame_bytes().map(<[u8]>::to_vec))
        })?;
        let (client, server) = pair;
        sockets::send(&server, &serde_json::to_string(&status)?);
        if matches!(status.state, Stage::None | Stage::Over) {
            // Somebody who only resumes (`?resume=1`) and has nothing to resume.
            sockets::close(&server, 1000, "over");
            self.closed(&server).await?;
        } else if let Some(frame) = frame {
            sockets::send_frame(&server, &frame);
        }
        let response = Response::from_websocket(client)?;
        response.headers().set(TOLD_HEADER, &serde_json::to_string(&told)?)?;
        Ok(response)
    }

    /// A visitor's page said something: it is awake.
    async fn is_here(self: &Rc<Self>, visitor: VisitorId) -> Result<()> {
        self.wake(None).await?;
        let ask = Ask { visitor, number: None, wish: Wish::Status { wait_ms: 0 } };
        self.settle(&ask).await.map(|_| ())
    }

    async fn closed(self: &Rc<Self>, socket: &WebSocket) -> Result<()> {
        let Some(visitor) = sockets::take_visitor(socket) else { return Ok(()) };
        self.wake(None).await?;
        self.change(|living, now| living.lobby.socket_closed(now, visitor))
    }

    async fn ring(self: &Rc<Self>) -> Result<()> {
        self.wake(None).await?;
        let state = &self.state;
        self.change(|living, now| {
            living.alarm.rang();
            living.lobby.tick(now);
            if living.heartbeat_at.is_some_and(|at| at <= now) {
                living.heartbeat_at = None;
                for visitor in sockets::close_silent(state, living.clock.wall_ms()) {
                    living.lobby.socket_closed(now, visitor);
                }
            }
        })
    }
}

// What goes out.
impl Shell {
    /// Sends batches until there is nothing to send: one at a time, the same bytes again while
    /// their outcome is unknown.
    async fn send_batches(self: &Rc<Self>) {
        let mut failures = 0;
        loop {
            let next = self.change(|living, now| {
                let batch = living.lobby.next_batch(now);
                living.sending = batch.is_some();
                batch.map(|batch| (living.room.clone(), batch))
            });
            let (room, batch) = match next {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(error) => return worker::console_error!("lobby: sending: {error}"),
            };
            match self.send(&room, &batch).await {
                Ok(answer) => {
                    failures = 0;
                    if let Err(error) = self.take(&batch, answer) {
                        return worker::console_error!("lobby: taking an answer: {error}");
                    }
                }
                Err(error) => {
                    worker::console_warn!("lobby: batch {} again: {error}", batch.sequence);
                    Delay::from(Duration::from_millis(RETRY_MS << u32::min(failures, 4))).await;
                    failures += 1;
                }
            }
        }
    }

    async fn send(&self, room: &Address, batch: &Batch) -> Result<std::result::Result<Message, Refusal>> {
        let body = postcard::to_allocvec(batch).map_err(|_| error("a batch could not be encoded"))?;
        let mut answer = room.post(&self.env, "batch", &body, BATCH_TIMEOUT_MS).await?;
        decoded(&mut answer).await
    }

    async fn fetch_message(&self, room: &Address, path: &str, body: &[u8]) -> Result<Message> {
        let mut answer = room.post(&self.env, path, body, BATCH_TIMEOUT_MS).await?;
        decoded(&mut answer).await
    }

    fn take(
        self: &Rc<Self>,
        batch: &Batch,
        answer: std::result::Result<Message, Refusal>,
    ) -> Result<()> {
        let delivered = self.change(|living, now| match answer {
            // The memory that sent it is gone, and a later life has batches of its own.
            _ if !living.lobby.is_out(batch) => Ok(Delivered::default()),
            Ok(message) => Ok(living.lobby.delivered(now, &message)),
            Err(refusal) if living.lobby.flies_in_this_life() => Err(refusal),
            Err(_) => {
                living.lobby.refused(now);
                Ok(Delivered::default())
            }
        })?;
        match delivered {
            Ok(delivered) => {
                self.tell(&delivered);
                Ok(())
            }
            Err(refusal) => {
                // Another life of this lobby has spoken, or the room is not the one we knew.
                *self.living.borrow_mut() = None;
                Err(error(&format!("the room refused a batch: {refusal:?}")))
            }
        }
    }

    /// Tells whom it concerns: waiters, sockets, held polls.
    fn tell(&self, delivered: &Delivered) {
        let mut slot = self.living.borrow_mut();
        let Some(living) = slot.as_mut() else { return };
        for (waiter, outcome) in &delivered.outcomes {
            if let Some(sender) = living.waiters.remove(waiter) {
                let _ = sender.send(*outcome);
            }
        }
        let everybody = delivered.everybody;
        let visitors = if everybody { sockets::visitors(&self.state) } else { delivered.changed.clone() };
        let now = living.clock.now();
        for visitor in &visitors {
            let status = living.lobby.status(now, living.clock.wall_ms(), *visitor);
            let Ok(text) = serde_json::to_string(&status) else { continue };
            let over = status.state == Stage::Over;
            for gone in sockets::tell(&self.state, *visitor, &text, over) {
                living.lobby.socket_closed(now, gone);
            }
        }
        let polls = core::mem::take(&mut living.polls);
        for (visitor, senders) in polls {
            if everybody || visitors.contains(&visitor) {
                senders.into_iter().for_each(|poll| { let _ = poll.send(()); });
            } else {
                living.polls.insert(visitor, senders);
            }
        }
    }
}

// The turn.
impl Shell {
    /// Brings the lobby into memory if it is not there: a new life.
    async fn wake(&self, name: Option<(String, u16)>) -> Result<()> {
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
    fn change<T>(self: &Rc<Self>, act: impl FnOnce(&mut Living, Instant) -> T) -> Result<T> {
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
            watchdog::spawn(&self.state, "lobby.batch", async move { shell.send_batches().await });
        }
        Ok(result)
    }
}

impl Living {
    fn restore(
        state: &State,
        env: &Env,
        name: Option<(String, u16)>,
        alarm_ms: Option<u64>,
    ) -> Result<Self> {
        let store = SqlStore::open(state)?;
        let (room, index) = match (store.name("room")?, store.name("lobby")?) {
            (Some(room), Some(index)) => (room, index.parse().unwrap_or_default()),
            _ => {
                let (room, index) = name.ok_or_else(|| error("a lobby without a name was woken"))?;
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
        let restored = journal::restore::<Book, _>(&store).map_err(|damage| error(&damage.to_string()))?;
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
            room: Address { room, lobby: None, location: settings.location.clone() },
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

    fn change<T>(
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
        self.alarm.arm(state, &self.clock, due.into_iter().flatten().min())?;
        Ok((result, frame))
    }

    fn save(&mut self, now: Instant) -> Result<()> {
        let failed = |damage: journal::Damage| error(&damage.to_string());
        watchdog::fault_point("lobby.write");
        let events = self.lobby.take_unsaved();
        let (version, wall_ms) = (self.version + 1, self.clock.wall_ms());
        let sealed = journal::seal(version, now, wall_ms, &events).map_err(failed)?;
        self.store.put_row(&sealed)?;
        self.version = version;
        self.rows_since_snapshot += 1;
        if self.rows_since_snapshot >= ROWS_PER_SNAPSHOT {
            let snapshot = journal::snapshot(version, now, wall_ms, self.lobby.book()).map_err(failed)?;
            // A lobby's rows are no audit: what is in the snapshot is forgotten.
            self.store.put_snapshot(&snapshot, u64::MAX >> 11)?;
            self.rows_since_snapshot = 0;
        }
        Ok(())
    }
}

/// What the future yields, unless it is cancelled or takes too long.
async fn within<T>(timeout_ms: u64, work: impl Future<Output = std::result::Result<T, oneshot::Canceled>> + Unpin) -> Option<T> {
    match select(work, Delay::from(Duration::from_millis(timeout_ms))).await {
        Either::Left((result, _)) => result.ok(),
        Either::Right(_) => None,
    }
}

async fn decoded<T: serde::de::DeserializeOwned>(answer: &mut Response) -> Result<T> {
    if answer.status_code() != 200 {
        return Err(error(&format!("the room answered {}", answer.status_code())));
    }
    let bytes = answer.bytes().await?;
    postcard::from_bytes(&bytes).map_err(|_| error("the room's answer could not be read"))
}

fn error(what: &str) -> worker::Error {
    worker::Error::RustError(what.to_owned())
}
