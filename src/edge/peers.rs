//! How the front and the objects call each other: names, timeouts, bodies. The call itself is `peers.js`.
//!
//! A stub that threw is dead, so every call makes its own. Every call has a timeout: an object
//! that hangs must not hang its callers.

use crate::units::LobbyId;
use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::Env;

/// Says to an object which room it is.
pub const ROOM_HEADER: &str = "Baton-Room";
/// Says to a lobby which one it is.
pub const LOBBY_HEADER: &str = "Baton-Lobby";
/// How the origin answered people inside since the front last said so: good answers and errors, `12,3`.
pub const ORIGIN_HEADER: &str = "Baton-Origin";
/// How many seats the shop has left, and when it said so, Unix ms by its clock: `1200,1763736000000`.
pub const STOCK_HEADER: &str = "Baton-Stock";

#[wasm_bindgen(module = "/src/edge/peers.js")]
extern "C" {
    type Peers;
    #[wasm_bindgen(thread_local_v2, js_name = peers)]
    static PEERS: Peers;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn post(
        this: &Peers,
        env: &JsValue,
        binding: &str,
        name: &str,
        location_hint: Option<&str>,
        path: &str,
        room: &str,
        lobby: Option<u16>,
        origin: Option<&str>,
        stock: Option<&str>,
        body: &[u8],
        timeout_ms: u32,
    ) -> Promise;
}

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

/// What rides along with a post to a lobby, as the headers of these names say it.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// See [`ORIGIN_HEADER`].
    pub origin: Option<String>,
    /// See [`STOCK_HEADER`].
    pub stock: Option<String>,
}

/// An object's answer, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// As of HTTP.
    pub status: u16,
    /// All of it.
    pub body: Vec<u8>,
}

impl Address {
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
    ) -> worker::Result<Answer> {
        Ok(self
            .post_with(env, path, &Beside::default(), body, timeout_ms)
            .await?)
    }

    /// The same with what rides along. The error is what was thrown.
    ///
    /// # Errors
    /// When the object threw, or did not answer in time.
    pub async fn post_with(
        &self,
        env: &Env,
        path: &str,
        beside: &Beside,
        body: &[u8],
        timeout_ms: u64,
    ) -> Result<Answer, JsValue> {
        let (binding, name) = match self.lobby {
            None => ("ROOM", self.room.clone()),
            Some(lobby) => ("LOBBY", format!("{}/{lobby}", self.room)),
        };
        let answered = PEERS.with(|peers| {
            peers.post(
                env,
                binding,
                &name,
                self.location.as_deref(),
                path,
                &self.room,
                self.lobby.map(|lobby| lobby.0),
                beside.origin.as_deref(),
                beside.stock.as_deref(),
                body,
                u32::try_from(timeout_ms).unwrap_or(u32::MAX),
            )
        });
        let answered: Array = JsFuture::from(answered).await?.unchecked_into();
        Ok(Answer {
            status: answered.get(0).as_f64().unwrap_or_default() as u16,
            body: Uint8Array::new(&answered.get(1)).to_vec(),
        })
    }
}
