//! How the front and the objects call each other: names, headers, timeouts, bodies. The calls themselves are `peers.js`.
//!
//! Every call has a timeout: an object that hangs must not hang its callers.

use super::driven;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facts::units::LobbyId;
use gate::Load;
use js_sys::{Array, Promise, Uint8Array};
use settings::{Grounds, Home, RoomSettings};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::Response;
use worker::{Context, Env, State};

/// The most bytes of a message in the header; longer ones go in the body. The platform takes 128 KB of headers in all.
pub const SAID_BYTES_MAX: usize = 8_192;
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
    fn said(this: &Peers, message: &str, is_first: bool) -> Response;
    #[wasm_bindgen(method)]
    fn post(this: &Peers, object: &JsValue, env: &JsValue, call: &str, long: Option<Uint8Array>) -> Promise;
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
    /// Reads what `post` of peers.js resolves to: status, whether another try is worth it, the load, and the body as base64, a line each. A body that came
    /// as such stands beside the rest.
    fn read(came: JsValue) -> Result<Self, JsValue> {
        let (head, body) = match came.dyn_into::<Array>() {
            Ok(both) => (both.get(0), Some(Uint8Array::new(&both.get(1)).to_vec())),
            Err(came) => (came, None),
        };
        let head = head.as_string().unwrap_or_default();
        let mut lines = head.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (status, again, load, said) = (next(), next(), next(), next());
        let body = body.map_or_else(|| STANDARD.decode(said), Ok);
        Ok(Self {
            status: status.parse().unwrap_or_default(),
            again: !again.is_empty(),
            load: Load::of_text(load),
            body: body.map_err(|_| JsValue::from_str("a message in a header is not base64"))?,
        })
    }

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
        let (front, call) = (JsValue::UNDEFINED, self.described(path, beside, body, timeout_ms));
        let answered = match long(body) {
            None => driven::called(call, |call| PEERS.with(|peers| peers.post(&front, env, call, None))).await,
            body => JsFuture::from(PEERS.with(|peers| peers.post(&front, env, &call, body))).await,
        };
        Answer::read(answered?)
    }

    /// Posts a body for an object, by the stub that the object keeps for this peer (`peers.js` says why).
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn call(&self, (state, env): (&State, &Env), path: &str, body: &[u8], timeout_ms: u64) -> Result<Answer, JsValue> {
        let (object, call) = (state.as_raw().as_ref(), self.described(path, &[], body, timeout_ms));
        let answered = PEERS.with(|peers| peers.post(object, env, &call, long(body)));
        Answer::read(JsFuture::from(answered).await?)
    }

    /// Describes a call as `post` of peers.js reads it, a line each: binding, name, place, path, timeout, the headers that say which object it is in one
    /// line with tabs between, name and value of each header beside them in turn, and last the body as base64 unless it is [`long`].
    fn described(&self, path: &str, beside: Beside<'_>, body: &[u8], timeout_ms: u64) -> String {
        let ((binding, name), place) = (self.object(), self.place());
        let mut call = format!("{binding}\n{name}\n{place}\n{path}\n{timeout_ms}\n");
        self.add_own(&mut call, '\t');
        // The platform would take a tab at the end away.
        call.pop();
        call.push('\n');
        add_headers(&mut call, beside, '\n');
        if body.len() <= SAID_BYTES_MAX {
            STANDARD.encode_string(body, &mut call);
        }
        call
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

    /// Writes each name and each value as a line. No value may hold a line break or a tab.
    fn headers(&self, beside: Beside<'_>) -> String {
        let mut lines = String::new();
        self.add_own(&mut lines, '\n');
        add_headers(&mut lines, beside, '\n');
        lines
    }

    /// Adds the headers that tell an object which it is.
    fn add_own(&self, to: &mut String, end: char) {
        let lobby = match self.part {
            Part::Lobby(lobby) => Some(lobby.to_string()),
            _ => None,
        };
        let home = self.home.text();
        let defined = self.defined.map(|row| row.to_string());
        add_headers(to, &[(ROOM_HEADER, self.room.as_str()), (HOME_HEADER, home.as_str())], end);
        for (name, value) in [(LOBBY_HEADER, lobby), (DEFINED_HEADER, defined)] {
            if let Some(value) = value {
                add_headers(to, &[(name, value.as_str())], end);
            }
        }
    }
}

/// Adds name and value of each header in turn, each with this at its end.
fn add_headers(to: &mut String, headers: Beside<'_>, end: char) {
    for (name, value) in headers {
        for part in [name, value] {
            to.push_str(part);
            to.push(end);
        }
    }
}

/// Returns the depth of the deepest chain of calls through this object since its memory began. The platform allows 16.
pub fn deepest(state: &State) -> u32 {
    PEERS.with(|peers| peers.deepest(state.as_raw().as_ref()))
}

/// Makes an object's answer of a message that goes in the header (call.rs): one call across the border. `is_first`: the caller does not
/// know yet which headers this build reads.
pub fn said(message: &str, is_first: bool) -> Response {
    PEERS.with(|peers| peers.said(message, is_first))
}

/// Returns a body that is too long for a header.
fn long(body: &[u8]) -> Option<Uint8Array> {
    (body.len() > SAID_BYTES_MAX).then(|| Uint8Array::from(body))
}

/// Converts a time for JavaScript, where a `u64` would arrive as a `BigInt`.
pub fn js_ms(ms: u64) -> u32 {
    u32::try_from(ms).unwrap_or(u32::MAX)
}
