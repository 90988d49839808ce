//! The lobby object: a shard of a room's visitors, their sockets and their polls.
//!
//! **Stores** who has which number (a journal of rows, now and then a snapshot) and one alarm.
//! **Answers** `POST /ask` (the front, for a visitor), `GET /socket` (a visitor's socket) and
//! `POST /push` (the room). **Calls** the room with one batch at a time.
//!
//! **What makes it atomic:** every change is one synchronous block that writes its row before it
//! lets go of what follows from it: a batch that issues numbers is on disk before it is sent, and
//! what came of it before the next of its kind is (the output gate holds both). An error drops what is in
//! memory; whoever waited is told so, and the next event begins a new life from the journal.
//!
//! Sockets hibernate: they outlive this memory, and a `ping` is answered without waking it.
//!
//! | file | what |
//! |---|---|
//! | `incoming` | what visitors, the front and the room want |
//! | `checks` | strict rooms: whether leases live, asked of the room beside the batches |
//! | `outgoing` | batches to the room, words to visitors |
//! | `living` | the lobby in memory, and the one way to change it |

mod checks;
mod incoming;
mod living;
mod outgoing;

use self::living::Living;
use super::log::{Code, Remark};
use super::object::{self, error};
use super::store::SqlStore;
use super::{dice, sockets, watchdog};
use crate::log::Part;
use crate::units::LobbyId;
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use worker::{
    Delay, DurableObject, Env, Request, Response, Result, State, WebSocket,
    WebSocketIncomingMessage, durable_object,
};

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

impl DurableObject for LobbyObject {
    fn new(state: State, env: Env) -> Self {
        sockets::answer_pings(&state);
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::new(None),
            }),
        }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(
            watchdog::Who::request(&request),
            "lobby.fetch",
            async move {
                let answer = shell.answer(request).await;
                answer.or_else(|error| object::failed(shell.about(Code::ObjectFailed), &error))
            },
        )
        .await
    }

    async fn alarm(&self) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(
            watchdog::Who::object(&self.shell.state),
            "lobby.alarm",
            async move {
                if let Err(error) = shell.ring().await {
                    object::ring_again(&shell.state, shell.about(Code::AlarmFailed), &error).await;
                }
                Response::ok("")
            },
        )
        .await
    }

    async fn websocket_message(
        &self,
        socket: WebSocket,
        message: WebSocketIncomingMessage,
    ) -> Result<()> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(
            watchdog::Who::socket(&socket),
            "lobby.message",
            async move {
                match sockets::judge(&socket, &message, dice::now_ms()) {
                    sockets::Verdict::Here(visitor) => shell.is_here(visitor).await,
                    sockets::Verdict::Close(code, why) => {
                        sockets::close(&socket, code, why);
                        shell.closed(&socket).await
                    }
                }
            },
        )
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

impl Shell {
    /// A line of the log about this lobby, whose name is stored: what fails may be its memory.
    fn about(&self, code: Code) -> Remark {
        let remark = Remark::of(Part::Lobby, code);
        let named = |store: SqlStore| Some((store.name("room").ok()??, store.name("lobby").ok()??));
        match SqlStore::open(&self.state, "lobby.write")
            .ok()
            .and_then(named)
        {
            Some((room, index)) => {
                let index = index.parse().unwrap_or_default();
                remark.in_room(room).at_lobby(LobbyId(index))
            }
            None => remark,
        }
    }
}

/// What the future yields, unless it is cancelled or takes too long.
async fn within<T>(
    timeout_ms: u64,
    work: impl Future<Output = std::result::Result<T, oneshot::Canceled>> + Unpin,
) -> Option<T> {
    match select(work, Delay::from(Duration::from_millis(timeout_ms))).await {
        Either::Left((result, _)) => result.ok(),
        Either::Right(_) => None,
    }
}
