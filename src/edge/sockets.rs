//! Visitors' sockets in a lobby object, as the runtime keeps them.
//!
//! A socket belongs to the runtime and outlives the object's memory. Its tag names its visitor, so that it can be found; its attachment holds what is
//! known of it. This module judges every byte that a visitor sends and trusts none.

use facts::holder::Shown;
use facts::ordered::sort_few;
use facts::units::VisitorId;
use js_sys::{Function, Reflect};
use living::Ear;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Result, State, WebSocket, WebSocketIncomingMessage, WebSocketPair, WebSocketRequestResponsePair};

/// The most sockets of one object. The platform allows 32,768; the rest is for sockets that are being closed.
const SOCKETS_MAX: usize = 32_000;
/// The most sockets on one ticket: tabs, and a phone beside a laptop. A new one closes the oldest.
const SOCKETS_PER_TICKET_MAX: usize = 6;
/// The longest text that a visitor may send, bytes.
const TEXT_BYTES_MAX: usize = 4_096;
/// The most messages of one socket in [`WINDOW_MS`].
const MESSAGES_MAX: u32 = 20;
const WINDOW_MS: u64 = 10_000;

/// What the attachment says of a socket.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Attachment {
    visitor: VisitorId,
    opened_at_ms: u64,
    window_at_ms: u64,
    messages: u32,
    /// The place that its page shows.
    #[serde(default)]
    shown: Option<Shown>,
    /// Whether its end was counted already.
    closed: bool,
}

/// The visitor of a socket, and the place that its page shows.
pub type Held = (VisitorId, Option<Shown>);

/// What to do about a message.
pub enum Verdict {
    /// The visitor's page is awake.
    Here(VisitorId),
    /// Close the socket.
    Close(u16, &'static str),
}

/// Makes the runtime answer `ping` with `pong`, without waking anybody.
pub fn answer_pings(state: &State) {
    if let Ok(pair) = WebSocketRequestResponsePair::new("ping", "pong") {
        state.set_websocket_auto_response(&pair);
    }
}

fn tag(visitor: VisitorId) -> String {
    visitor.to_string()
}

/// Reads a socket's attachment. It is text: a structure would cross the border value by value, a hundred calls for one socket.
fn attachment(socket: &WebSocket) -> Option<Attachment> {
    let text: String = socket.deserialize_attachment().ok().flatten()?;
    serde_json::from_str(&text).ok()
}

fn attach(socket: &WebSocket, what: Attachment) -> Result<()> {
    socket.serialize_attachment(serde_json::to_string(&what)?)
}

/// Whether a socket is neither closed nor being closed. The runtime lists both until the client has answered.
fn is_open(socket: &WebSocket) -> bool {
    let raw: &worker::worker_sys::web_sys::WebSocket = socket.as_ref();
    raw.ready_state() == worker::worker_sys::web_sys::WebSocket::OPEN
}

/// Accepts a socket for a visitor whose page shows that place. Returns the client's end and ours, or `None` if there are too many. Asks the runtime
/// for its list of sockets only if the lobby knows of too many (`known`): a list costs as much as there are sockets.
pub fn accept(state: &State, (visitor, shown): Held, known: usize, now_ms: u64) -> Result<Option<(WebSocket, WebSocket)>> {
    let is_full = || state.get_websockets().iter().filter(|socket| is_open(socket)).count() >= SOCKETS_MAX;
    if known >= SOCKETS_MAX && is_full() {
        return Ok(None);
    }
    let tag = tag(visitor);
    let mut held: Vec<WebSocket> = state.get_websockets_with_tag(&tag);
    held.retain(is_open);
    let opened_at_ms = |socket: &_| attachment(socket).map_or(0, |known| known.opened_at_ms);
    sort_few(&mut held, |a, b| opened_at_ms(a).cmp(&opened_at_ms(b)));
    let too_many = (held.len() + 1).saturating_sub(SOCKETS_PER_TICKET_MAX);
    for oldest in held.iter().take(too_many) {
        close(oldest, 1001, "too many sockets on one ticket");
    }
    let pair = WebSocketPair::new()?;
    state.accept_websocket_with_tags(&pair.server, &[&tag]);
    let known = Attachment {
        visitor,
        opened_at_ms: now_ms,
        window_at_ms: now_ms,
        messages: 0,
        shown,
        closed: false,
    };
    attach(&pair.server, known)?;
    Ok(Some((pair.client, pair.server)))
}

/// Marks a socket as ended, and returns whose it was. Returns `None` the second time, and for a socket without an attachment.
pub fn take(socket: &WebSocket) -> Option<Held> {
    let known = attachment(socket).filter(|known| !known.closed)?;
    let ended = Attachment { closed: true, ..known };
    let _ = attach(socket, ended);
    Some((known.visitor, known.shown))
}

/// Notes the place that the socket's page shows from now on. Writes only if the place is another; else the row stored with it stays.
pub fn show(socket: &WebSocket, shown: Option<Shown>) {
    let place = |shown: Option<Shown>| shown.map(|shown| (shown.edition, shown.number));
    let known = attachment(socket).filter(|known| place(known.shown) != place(shown));
    if let Some(known) = known {
        let _ = attach(socket, Attachment { shown, ..known });
    }
}

/// Judges what a visitor sent, and counts it.
pub fn judge(socket: &WebSocket, message: &WebSocketIncomingMessage, now_ms: u64) -> Verdict {
    let WebSocketIncomingMessage::String(text) = message else {
        return Verdict::Close(1003, "binary is not understood");
    };
    if text.len() > TEXT_BYTES_MAX {
        return Verdict::Close(1009, "too long");
    }
    let Some(known) = attachment(socket) else {
        return Verdict::Close(1008, "unknown socket");
    };
    let fresh = now_ms.abs_diff(known.window_at_ms) >= WINDOW_MS;
    let (window_at_ms, messages) = if fresh { (now_ms, 1) } else { (known.window_at_ms, known.messages + 1) };
    if messages > MESSAGES_MAX {
        return Verdict::Close(1008, "too many messages");
    }
    let counted = Attachment {
        window_at_ms,
        messages,
        ..known
    };
    let _ = attach(socket, counted);
    match serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text) {
        Ok(_) => Verdict::Here(known.visitor),
        Err(_) => Verdict::Close(1008, "not a JSON object"),
    }
}

/// Answers a client's close with the same code, which ends the connection: with the hibernation API nobody else
/// does. Codes that stand for "none came" cannot be sent.
pub fn answer_close(socket: &WebSocket, code: usize, why: &str) {
    const NEVER_SENT: [u16; 3] = [1005, 1006, 1015];
    let code = u16::try_from(code).ok();
    let code = code.filter(|code| !NEVER_SENT.contains(code));
    // Nor can a code that no protocol gives a meaning.
    if socket.close(Some(code.unwrap_or(1000)), Some(why)).is_err() {
        let _ = socket.close(Some(1000), Some(why));
    }
}

/// Closes a socket. One that is closed already stays so.
pub fn close(socket: &WebSocket, code: u16, why: &str) {
    let _ = socket.close(Some(code), Some(why));
}

/// Sends a text. If the socket is gone, its close says so.
pub fn send(socket: &WebSocket, text: &str) {
    let _ = socket.send_with_str(text);
}

/// Sends a frame.
pub fn send_frame(socket: &WebSocket, frame: &[u8]) {
    let _ = socket.send_with_bytes(frame);
}

/// Returns all sockets.
pub fn all(state: &State) -> Vec<WebSocket> {
    state.get_websockets()
}

/// Returns the sockets of the visitors that `is_meant` picks.
pub fn of_those(state: &State, is_meant: impl Fn(VisitorId) -> bool) -> Vec<WebSocket> {
    let mut sockets = state.get_websockets();
    sockets.retain(|socket| attachment(socket).is_some_and(|known| is_meant(known.visitor)));
    sockets
}

/// Sends all sockets of a visitor a status, which shows that place, and closes them if it was the last.
pub fn tell(state: &State, (visitor, shown): Held, status: &str, last: bool) {
    for socket in state.get_websockets_with_tag(&tag(visitor)) {
        send(&socket, status);
        show(&socket, shown);
        if last {
            close(&socket, 1000, "over");
            take(&socket);
        }
    }
}

/// Returns each socket that is open, for a lobby that comes into memory, and the visitor of each that has not pinged for long: those it closes. A lobby
/// that sleeps and wakes again and again lives too short a time to look for them.
pub fn found(state: &State, ear: Ear) -> (Vec<Held>, Vec<VisitorId>) {
    let (silent, heard) = by_silence(&Pings::of(state), state.get_websockets(), ear);
    let heard = heard.into_iter();
    let heard = heard.map(|(_, known)| (known.visitor, known.shown));
    (heard.collect(), end_silent(silent))
}

/// Closes sockets that have not pinged for long, since a close is not always reported. Returns the visitor once for each socket.
pub fn close_silent(state: &State, ear: Ear) -> Vec<VisitorId> {
    let pings = Pings::of(state);
    let mut quiet = state.get_websockets();
    // Nearly every socket has pinged, and its attachment need not be read.
    quiet.retain(|socket| pings.last_ms(socket).is_none_or(|at_ms| ear.is_silent(at_ms)));
    let (silent, _) = by_silence(&pings, quiet, ear);
    end_silent(silent)
}

type Sockets = Vec<(WebSocket, Attachment)>;

/// Parts the open ones of these sockets into those that have not pinged for long, and the others.
fn by_silence(pings: &Pings, sockets: Vec<WebSocket>, ear: Ear) -> (Sockets, Sockets) {
    let known = sockets.into_iter().filter_map(|socket| attachment(&socket).map(|known| (socket, known)));
    let open = known.filter(|(_, known)| !known.closed);
    open.partition(|(socket, known)| ear.is_silent(pings.last_ms(socket).unwrap_or(known.opened_at_ms)))
}

fn end_silent(silent: Sockets) -> Vec<VisitorId> {
    let ended = silent.into_iter().filter_map(|(socket, _)| {
        close(&socket, 1001, "silent");
        take(&socket).map(|(visitor, _)| visitor)
    });
    ended.collect()
}

/// When the runtime last answered each socket's ping (workers-rs does not bind that).
struct Pings<'a> {
    object: &'a JsValue,
    asks: Option<Function>,
}

impl<'a> Pings<'a> {
    fn of(state: &'a State) -> Self {
        let object: &JsValue = state.as_raw().as_ref();
        let asks = Reflect::get(object, &"getWebSocketAutoResponseTimestamp".into());
        Self {
            object,
            asks: asks.ok().and_then(|asks| asks.dyn_into().ok()),
        }
    }

    /// Unix ms; `None` if this socket has not pinged.
    fn last_ms(&self, socket: &WebSocket) -> Option<u64> {
        let socket: &worker::worker_sys::web_sys::WebSocket = socket.as_ref();
        let at = self.asks.as_ref()?.call1(self.object, socket.as_ref()).ok()?;
        let at = at.dyn_ref::<js_sys::Date>()?.get_time();
        (at > 0.0).then_some(at as u64)
    }
}
