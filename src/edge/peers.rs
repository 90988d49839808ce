//! How the front and the objects call each other: names, timeouts, bodies.
//!
//! A stub that threw is dead, so every call makes its own. Every call has a timeout: an object
//! that hangs must not hang its callers.

use super::watchdog;
use crate::units::LobbyId;
use futures_util::future::{Either, select};
use std::time::Duration;
use worker::{Delay, Env, Headers, Method, Request, RequestInit, Response, Stub};

/// Says to an object which room it is.
pub const ROOM_HEADER: &str = "Baton-Room";
/// Says to a lobby which one it is.
pub const LOBBY_HEADER: &str = "Baton-Lobby";
/// How the origin answered people inside since the front last said so: good answers and errors, `12,3`.
pub const ORIGIN_HEADER: &str = "Baton-Origin";
/// How many seats the shop has left, and when it said so, Unix ms by its clock: `1200,1763736000000`.
pub const STOCK_HEADER: &str = "Baton-Stock";

/// Where an object is.
#[derive(Clone, Debug)]
pub struct Address {
    /// The room's name.
    pub room: String,
    /// Which of its lobbies; `None`: the room itself.
    pub lobby: Option<LobbyId>,
    /// Where the objects live, a location hint; `None`: wherever the first request comes from.
    pub location: Option<String>,
}

impl Address {
    fn stub(&self, env: &Env) -> worker::Result<Stub> {
        let (binding, name) = match self.lobby {
            None => ("ROOM", self.room.clone()),
            Some(lobby) => ("LOBBY", format!("{}/{lobby}", self.room)),
        };
        let namespace = env.durable_object(binding)?;
        match &self.location {
            None => namespace.get_by_name(&name),
            Some(hint) => namespace.get_by_name_with_location_hint(&name, hint),
        }
    }

    /// Posts a body and waits for the answer at most `timeout_ms`.
    ///
    /// # Errors
    /// When the object threw, or did not answer in time.
    pub async fn post(
        &self,
        env: &Env,
        path: &str,
        body: &[u8],
        timeout_ms: u64,
    ) -> worker::Result<Response> {
        let headers = Headers::new();
        headers.set(ROOM_HEADER, &self.room)?;
        if let Some(lobby) = self.lobby {
            headers.set(LOBBY_HEADER, &lobby.to_string())?;
        }
        watchdog::sign(&headers);
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_headers(headers);
        init.with_body(Some(js_sys::Uint8Array::from(body).into()));
        let request = Request::new_with_init(&format!("https://baton/{path}"), &init)?;
        self.send(env, request, timeout_ms).await
    }

    async fn send(&self, env: &Env, request: Request, timeout_ms: u64) -> worker::Result<Response> {
        let stub = self.stub(env)?;
        let call = Box::pin(stub.fetch_with_request(request));
        let timeout = Delay::from(Duration::from_millis(timeout_ms));
        match select(call, timeout).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(worker::Error::RustError(format!(
                "{} did not answer within {timeout_ms} ms",
                self.room
            ))),
        }
    }
}
