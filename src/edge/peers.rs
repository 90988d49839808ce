//! How the front and the objects call each other: names, headers, timeouts, bodies. The calls themselves are `peers.js`.
//!
//! Every call has a timeout: an object that hangs must not hang its callers.

use facts::units::LobbyId;
use gate::Load;
use js_sys::{Array, Promise, Uint8Array};
use settings::{Grounds, Home, RoomSettings};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::Response;
use worker::{Context, Env, Request, State};

/// Tells an object which room it belongs to.
pub const ROOM_HEADER: &str = "Baton-Room";
/// Tells a lobby which one it is.
pub const LOBBY_HEADER: &str = "Baton-Lobby";
/// Tells an object where it lives: [`Home`] as text.
pub const HOME_HEADER: &str = "Baton-Home";
/// Tells an object of a room of the house by which row of the house its caller knows the room.
pub const DEFINED_HEADER: &str = "Baton-Defined";
/// Tells the house which operator uploads a picture.
pub const BY_HEADER: &str = "Baton-By";
/// The header that says that this operator may act in some rooms only.
pub const BOUND_HEADER: &str = "Baton-Bound";
/// What the front overheard since it last reported: [`Overheard`](facts::overheard::Overheard) as text of [`envelope`](facts::envelope).
pub const OVERHEARD_HEADER: &str = "Baton-Overheard";
/// How many pages without a number the front has filled since it last reported: `12`.
pub const PAGES_HEADER: &str = "Baton-Pages";
/// The lobby's answer to [`PAGES_HEADER`]: [`Load`] as text. `peers.js` reads it too.
pub const LOAD_HEADER: &str = "Baton-Load";
/// Carries an [`Ask`](facts::wire::Ask) beside a visitor's upgrade, as text of [`envelope`](facts::envelope).
pub const ASK_HEADER: &str = "Baton-Ask";
/// Carries a [`Told`](facts::wire::Told) back with the answer to the upgrade, in the same form.
pub const TOLD_HEADER: &str = "Baton-Told";

#[wasm_bindgen(module = "/peers.js")]
extern "C" {
    type Peers;
    #[wasm_bindgen(thread_local_v2, js_name = peers)]
    static PEERS: Peers;

    #[wasm_bindgen(method)]
    fn probe(this: &Peers, env: &JsValue, place: &str, lobby: &str, room: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn deepest(this: &Peers, object: &JsValue) -> u32;
    #[wasm_bindgen(method)]
    fn headers(this: &Peers, request: &JsValue) -> String;
    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn post(
        this: &Peers,
        object: &JsValue,
        env: &JsValue,
        binding: &str,
        name: &str,
        place: &str,
        path: &str,
        headers: &str,
        body: &[u8],
        timeout_ms: u32,
    ) -> Promise;
    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn upgrade(this: &Peers, env: &JsValue, binding: &str, name: &str, place: &str, path: &str, headers: &str, timeout_ms: u32) -> Promise;
    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn deliver(
        this: &Peers,
        env: &JsValue,
        binding: &str,
        name: &str,
        place: &str,
        path: &str,
        headers: &str,
        text: &str,
        pauses_ms: Vec<u32>,
        timeout_ms: u32,
        lost: &str,
    ) -> Promise;
}

/// The address of an object.
#[derive(Clone, Debug)]
pub struct Address {
    /// The room's name; empty for the house, the sessions and the outbox.
    room: String,
    part: Part,
    /// Where the objects live.
    home: Home,
    /// The row of the house that made the room what it is; `None` if the room stands in the file.
    defined: Option<u64>,
}

/// Which object it is.
#[derive(Clone, Copy, Debug)]
enum Part {
    House,
    Sessions,
    Outbox,
    Room,
    Lobby(LobbyId),
    Porter(u16),
}

/// What rides along with a call to a lobby: names of headers and their values.
pub type Beside<'a> = &'a [(&'a str, &'a str)];

/// An object's answer, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Whether nothing was done and another try is worth it.
    pub again: bool,
    /// What a lobby says of its load, if the call reported pages.
    pub load: Option<Load>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the body as text, or `None` if it is not UTF-8.
    pub fn text(self) -> Option<String> {
        String::from_utf8(self.body).ok()
    }
}

/// What must reach a lobby even if this wasm instance dies.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// The body that is posted.
    pub text: &'a str,
    /// The pause before each try, ms.
    pub pauses_ms: &'a [u32],
    /// How long each try may take, ms.
    pub timeout_ms: u64,
    /// The line for the log if it never arrives.
    pub lost: &'a str,
}

impl Address {
    /// Returns the address of the house's object.
    #[must_use]
    pub fn of_house(grounds: &Grounds) -> Self {
        Self {
            room: String::new(),
            part: Part::House,
            home: grounds.home().clone(),
            defined: None,
        }
    }

    /// Returns the address of the outbox's object. The platform makes that object near whoever nudges it first.
    #[must_use]
    pub fn of_outbox() -> Self {
        Self::of_deployment(Part::Outbox)
    }

    /// Returns the address of the object that remembers which sessions of the desk were signed out. There is one in every deployment, with grounds or
    /// without, and no change of the configuration moves it: what is signed out stays so.
    #[must_use]
    pub fn of_sessions() -> Self {
        Self::of_deployment(Part::Sessions)
    }

    fn of_deployment(part: Part) -> Self {
        Self {
            room: String::new(),
            part,
            home: Home {
                location: "auto".to_owned(),
                generation: 1,
                jurisdiction: None,
            },
            defined: None,
        }
    }

    /// Returns the address of the room's object.
    #[must_use]
    pub fn of_room(room: &RoomSettings) -> Self {
        Self {
            room: room.name.clone(),
            part: Part::Room,
            home: room.home.clone(),
            defined: room.defined,
        }
    }

    /// Returns the address of one of the room's lobbies.
    #[must_use]
    pub fn of_lobby(room: &RoomSettings, lobby: LobbyId) -> Self {
        Self::of_room(room).at(lobby)
    }

    /// Returns the address of that lobby of the same room.
    #[must_use]
    pub fn at(self, lobby: LobbyId) -> Self {
        let part = Part::Lobby(lobby);
        Self { part, ..self }
    }

    /// Returns the address of the room's porter that serves this lobby, or `None` if the room has none.
    #[must_use]
    pub fn of_porter(room: &RoomSettings, lobby: LobbyId) -> Option<Self> {
        let part = Part::Porter(lobby.0.checked_rem(room.porters())?);
        Some(Self { part, ..Self::of_room(room) })
    }

    /// Posts a body for the front, and waits at most `timeout_ms` for the answer. The error is what was thrown.
    ///
    /// # Errors
    /// If the object threw, or did not answer in time (`front::js::is_late`).
    pub async fn post(&self, env: &Env, path: &str, beside: Beside<'_>, body: &[u8], timeout_ms: u64) -> Result<Answer, JsValue> {
        let front = JsValue::UNDEFINED;
        self.post_as(&front, env, path, beside, body, timeout_ms).await
    }

    /// Posts a body for an object, by the stub that the object keeps for this peer (`peers.js` says why).
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn call(&self, (state, env): (&State, &Env), path: &str, body: &[u8], timeout_ms: u64) -> Result<Answer, JsValue> {
        let object = state.as_raw().as_ref();
        self.post_as(object, env, path, &[], body, timeout_ms).await
    }

    async fn post_as(&self, object: &JsValue, env: &Env, path: &str, beside: Beside<'_>, body: &[u8], timeout_ms: u64) -> Result<Answer, JsValue> {
        let (binding, name) = self.object();
        let answered = PEERS.with(|peers| {
            peers.post(
                object,
                env,
                binding,
                &name,
                &self.place(),
                path,
                &self.headers(beside),
                body,
                js_ms(timeout_ms),
            )
        });
        let answered: Array = JsFuture::from(answered).await?.unchecked_into();
        Ok(Answer {
            status: answered.get(0).as_f64().unwrap_or_default() as u16,
            again: answered.get(2).is_truthy(),
            load: answered.get(3).as_string().and_then(|load| Load::of_text(&load)),
            body: Uint8Array::new(&answered.get(1)).to_vec(),
        })
    }

    /// Hands a visitor's upgrade to a lobby, which answers with the socket or says why not.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn upgrade(&self, env: &Env, path: &str, beside: Beside<'_>, timeout_ms: u64) -> Result<Response, JsValue> {
        let (binding, name) = self.object();
        let answered = PEERS.with(|peers| peers.upgrade(env, binding, &name, &self.place(), path, &self.headers(beside), js_ms(timeout_ms)));
        Ok(JsFuture::from(answered).await?.unchecked_into())
    }

    /// Posts a [`Delivery`] beside the answer to a request, once after each pause, until the answer is good. The runtime waits for it. The promise
    /// resolves when the delivery has arrived or was given up.
    ///
    /// # Errors
    /// If the runtime refuses to wait for it.
    pub fn deliver(&self, env: &Env, context: &Context, path: &str, delivery: &Delivery<'_>) -> Result<Promise, JsValue> {
        let (binding, name) = self.object();
        let sent = PEERS.with(|peers| {
            peers.deliver(
                env,
                binding,
                &name,
                &self.place(),
                path,
                &self.headers(&[]),
                delivery.text,
                delivery.pauses_ms.to_vec(),
                js_ms(delivery.timeout_ms),
                delivery.lost,
            )
        });
        context.as_ref().wait_until(&sent)?;
        Ok(sent)
    }

    /// Measures the way to this lobby and on to its room (`probe.js`). Returns JSON.
    ///
    /// # Errors
    /// None is expected: the JSON says what failed on the way.
    pub async fn probe(&self, env: &Env) -> Result<String, JsValue> {
        let (_, lobby) = self.object();
        let room = self.home.name_of(&self.room);
        let told = PEERS.with(|peers| peers.probe(env, &self.place(), &lobby, &room));
        Ok(JsFuture::from(told).await?.as_string().unwrap_or_default())
    }

    /// Returns the binding of the object's namespace, and the object's name in it.
    pub fn object(&self) -> (&'static str, String) {
        match self.part {
            Part::House => ("HOUSE", self.home.name_of("house")),
            Part::Sessions => ("HOUSE", self.home.name_of("sessions")),
            Part::Outbox => ("OUTBOX", self.home.name_of("outbox")),
            Part::Room => ("ROOM", self.home.name_of(&self.room)),
            Part::Lobby(lobby) => ("LOBBY", format!("{}/{lobby}", self.home.name_of(&self.room))),
            Part::Porter(porter) => ("PORTER", format!("{}/{porter}", self.home.name_of(&self.room))),
        }
    }

    /// Returns location hint and jurisdiction as `peers.js` reads them: `apac eu`; each may be empty.
    pub fn place(&self) -> String {
        let hint = self.home.hint().unwrap_or_default();
        let jurisdiction = self.home.jurisdiction.as_deref().unwrap_or_default();
        format!("{hint} {jurisdiction}")
    }

    /// Writes each name and each value as a line. No value may hold a line break.
    fn headers(&self, beside: Beside<'_>) -> String {
        let lobby = match self.part {
            Part::Lobby(lobby) => Some(lobby.to_string()),
            _ => None,
        };
        let home = self.home.text();
        let defined = self.defined.map(|row| row.to_string());
        let mut lines = String::new();
        let own = [
            (ROOM_HEADER, Some(self.room.as_str())),
            (HOME_HEADER, Some(home.as_str())),
            (LOBBY_HEADER, lobby.as_deref()),
            (DEFINED_HEADER, defined.as_deref()),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        for (name, value) in own.chain(beside.iter().copied()) {
            for part in [name, "\n", value, "\n"] {
                lines.push_str(part);
            }
        }
        lines
    }
}

/// Returns the depth of the deepest chain of calls through this object since its memory began. The platform allows 16.
pub fn deepest(state: &State) -> u32 {
    PEERS.with(|peers| peers.deepest(state.as_raw().as_ref()))
}

/// Returns name and value of each header of a request in turn, each a line: one call across the border, however many there are.
pub fn headers_of(request: &Request) -> String {
    PEERS.with(|peers| peers.headers(request.inner()))
}

/// Converts a time for JavaScript, where a `u64` would arrive as a `BigInt`.
pub fn js_ms(ms: u64) -> u32 {
    u32::try_from(ms).unwrap_or(u32::MAX)
}
