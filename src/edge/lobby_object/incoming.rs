//! What comes into a lobby: asks of the front, sockets and their messages, pushes of the room, the
//! alarm.

use super::{Shell, error, within};
use crate::edge::log::{self, Code};
use crate::edge::peers::{ASK_HEADER, LOBBY_HEADER, ORIGIN_HEADER, ROOM_HEADER, STOCK_HEADER};
use crate::edge::{dice, sockets, watchdog};
use crate::living::PATIENCE_MS;
use crate::lobby::{Answer, Lobby, Progress};
use crate::room::command::Message;
use crate::units::{Instant, VisitorId};
use crate::wire::{Ask, State as Stage, Told, Wish};
use futures_channel::oneshot;
use futures_util::future::Either;
use std::rc::Rc;
use worker::{Request, Response, Result, WebSocket};

/// Carries a [`Told`] back with the `101`.
const TOLD_HEADER: &str = "Baton-Told";
/// Polls held on one ticket, as many as sockets: tabs, and a phone beside a laptop. The oldest is answered for a new one.
const POLLS_PER_TICKET_MAX: usize = 6;

impl Shell {
    pub(super) async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response> {
        let headers = request.headers();
        let room = headers.get(ROOM_HEADER)?;
        let index = headers
            .get(LOBBY_HEADER)?
            .and_then(|index| index.parse().ok());
        let name = room.zip(index);
        if let Some(counted) = headers.get(ORIGIN_HEADER)? {
            self.wake(name.clone()).await?;
            self.origin_answered(&counted)?;
        }
        if let Some(said) = headers.get(STOCK_HEADER)? {
            self.wake(name.clone()).await?;
            self.stock_reported(&said)?;
        }
        match request.path().as_str() {
            "/ask" => {
                let ask = serde_json::from_str::<Ask>(&request.text().await?)?;
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
            "/origin" => Response::ok(""),
            path => Response::error(format!("a lobby has no {path}"), 404),
        }
    }

    /// A front has counted how the origin answers.
    fn origin_answered(self: &Rc<Self>, counted: &str) -> Result<()> {
        let counts = counted.split_once(',');
        let counts = counts.and_then(|(good, bad)| Some((good.parse().ok()?, bad.parse().ok()?)));
        let Some((good, bad)) = counts else {
            return Err(error("the origin's answers were not counted in numbers"));
        };
        self.change(|living, now| living.core.lobby.origin_answered(now, good, bad))
    }

    /// A front has heard how many seats are left.
    fn stock_reported(self: &Rc<Self>, said: &str) -> Result<()> {
        let said = said.split_once(',');
        let said = said.and_then(|(left, at_ms)| Some((left.parse().ok()?, at_ms.parse().ok()?)));
        let Some((left, at_ms)) = said else {
            return Err(error("the seats left were not said in numbers"));
        };
        self.change(|living, now| living.core.lobby.stock_reported(now, left, at_ms))
    }

    /// Answers an ask, as often as it takes through the room.
    pub(super) async fn ask(self: &Rc<Self>, ask: Ask) -> Result<Told> {
        self.look_if(|lobby, now| lobby.asks_to_look(now, &ask))
            .await?;
        if let Wish::Check(fence) = ask.wish
            && let Some(told) = self.check(ask.visitor, fence).await?
        {
            return Ok(told);
        }
        let told = self.settle(&ask).await?;
        match ask.wish {
            Wish::Status { wait_ms } if wait_ms > 0 && told.status.state == Stage::Waiting => {
                self.hold(ask.visitor, wait_ms).await?;
                // Its memory and its storage may be others than before.
                self.look_if(|lobby, _| lobby.has_not_heard_of(&ask))
                    .await?;
                self.settle(&Ask {
                    wish: Wish::Status { wait_ms: 0 },
                    ..ask
                })
                .await
            }
            _ => Ok(told),
        }
    }

    pub(super) async fn settle(self: &Rc<Self>, ask: &Ask) -> Result<Told> {
        let mut progress = Progress::default();
        loop {
            let waiting = self.change(|living, now| {
                let wall_ms = living.core.clock().wall_ms();
                match living.core.lobby.ask(now, wall_ms, ask, &progress) {
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
    pub(super) async fn hold(self: &Rc<Self>, visitor: VisitorId, wait_ms: u64) -> Result<()> {
        let receiver = self.change(|living, now| {
            let (sender, receiver) = oneshot::channel();
            let polls = living.polls.entry(visitor).or_default();
            polls.push(sender);
            // A poll whose sender is dropped ends.
            let too_many = polls.len().saturating_sub(POLLS_PER_TICKET_MAX);
            polls.drain(..too_many);
            living.core.lobby.hold(now, visitor);
            receiver
        })?;
        within(wait_ms, receiver).await;
        self.wake(None).await?;
        self.change(|living, now| {
            if let Some(polls) = living.polls.get_mut(&visitor) {
                polls.retain(|poll| !poll.is_canceled());
            }
            living.polls.retain(|_, polls| !polls.is_empty());
            living.core.lobby.unhold(now, visitor);
        })
    }

    /// What the room last said may be too old to tell, or not enough. However many ask, one looks.
    pub(super) async fn look_if(
        self: &Rc<Self>,
        must: impl FnOnce(&Lobby, Instant) -> bool,
    ) -> Result<()> {
        let receiver = self.change(|living, now| {
            if !must(&living.core.lobby, now) {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            let first = living.looks.is_none();
            living.looks.get_or_insert_with(Vec::new).push(sender);
            Some((first, receiver))
        })?;
        let Some((first, receiver)) = receiver else {
            return Ok(());
        };
        if first {
            let shell = Rc::clone(self);
            watchdog::spawn(&self.state, "lobby.look", async move { shell.look().await });
        }
        let looked = within(PATIENCE_MS, receiver).await;
        looked.ok_or_else(|| error("the room can't be reached"))
    }

    /// Looks at the room. When that fails the senders are dropped, and all who share get an error.
    pub(super) async fn look(self: &Rc<Self>) {
        let room = self
            .living
            .borrow()
            .as_ref()
            .map(|living| living.room.clone());
        let Some(room) = room else { return };
        let message = self.asked::<Message>(&room, "look", &[]).await;
        let looked = self.change(|living, now| {
            let looks = living.looks.take().unwrap_or_default();
            let message = message.ok()?;
            let delivered = living.core.lobby.pushed(now, &message);
            looks.into_iter().for_each(|look| {
                let _ = look.send(());
            });
            Some(delivered)
        });
        match looked {
            Ok(Some(delivered)) => self.tell(&delivered),
            Ok(None) => {}
            Err(error) => log::say(&self.about(Code::BackgroundFailed).because(error)),
        }
    }

    pub(super) fn push(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Ok(message) = postcard::from_bytes::<Message>(body) else {
            return Response::error("not a message", 400);
        };
        let (delivered, sockets) = self.change(|living, now| {
            let delivered = living.core.lobby.pushed(now, &message);
            (delivered, living.core.lobby.watchers())
        })?;
        self.tell(&delivered);
        Response::ok(sockets.to_string())
    }

    pub(super) async fn socket(self: &Rc<Self>, ask: Ask) -> Result<Response> {
        self.look_if(|lobby, now| lobby.asks_to_look(now, &ask))
            .await?;
        let told = self.settle(&ask).await?;
        if told.full {
            let response = Response::error("the lobby is full", 503)?;
            response
                .headers()
                .set(TOLD_HEADER, &serde_json::to_string(&told)?)?;
            return Ok(response);
        }
        if told.limited.is_some() {
            let response = Response::error("the visitor has had its share", 429)?;
            response
                .headers()
                .set(TOLD_HEADER, &serde_json::to_string(&told)?)?;
            return Ok(response);
        }
        let Some(client) = sockets::accept(&self.state, ask.visitor, dice::now_ms())? else {
            return Response::error("the lobby holds as many sockets as it can", 503);
        };
        let (pair, status, frame) = self.change(|living, now| {
            living.core.lobby.socket_opened(now, ask.visitor);
            let status = living
                .core
                .lobby
                .status(now, living.core.clock().wall_ms(), ask.visitor);
            (
                client,
                status,
                living.core.lobby.frame_for(ask.visitor).map(<[u8]>::to_vec),
            )
        })?;
        let (client, server) = pair;
        sockets::send(&server, &serde_json::to_string(&status)?);
        if matches!(status.state, Stage::None | Stage::Over) {
            // Somebody who only resumes (`?resume=1`) and has nothing to resume, or whose ticket a reset has ended.
            sockets::close(&server, 1000, "over");
            self.closed(&server).await?;
        } else if let Some(frame) = frame {
            sockets::send_frame(&server, &frame);
        }
        let response = Response::from_websocket(client)?;
        response
            .headers()
            .set(TOLD_HEADER, &serde_json::to_string(&told)?)?;
        Ok(response)
    }

    /// A visitor's page said something: it is awake.
    pub(super) async fn is_here(self: &Rc<Self>, visitor: VisitorId) -> Result<()> {
        self.wake(None).await?;
        let ask = Ask {
            visitor,
            shown: None,
            wish: Wish::Status { wait_ms: 0 },
        };
        self.settle(&ask).await.map(|_| ())
    }

    pub(super) async fn closed(self: &Rc<Self>, socket: &WebSocket) -> Result<()> {
        let Some(visitor) = sockets::take_visitor(socket) else {
            return Ok(());
        };
        self.wake(None).await?;
        self.change(|living, now| living.core.lobby.socket_closed(now, visitor))
    }

    pub(super) async fn ring(self: &Rc<Self>) -> Result<()> {
        self.wake(None).await?;
        let state = &self.state;
        self.change(|living, now| {
            if living.core.ring(now) {
                let wall_ms = living.core.clock().wall_ms();
                for visitor in sockets::close_silent(state, wall_ms) {
                    living.core.lobby.socket_closed(now, visitor);
                }
            }
        })
    }
}
