//! What the pages of apps need in a browser: answers to their preflights, and a token for their sockets. Only origins that the room names, byte for
//! byte, get any of it, and no answer says that cookies may be sent along. Pages with the shop's widgets get answers to preflights where the shop gives none.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::Draft;
use super::identity::Identity;
use super::received::Received;
use crate::dice;
use facts::units::VisitorId;
use gate::{SOCKET_PROTOCOL, SOCKET_TOKEN};
use settings::RoomSettings;
use token::Knock;

/// How long a token for a socket is good, ms: a page opens its socket at once.
const KNOCK_MS: u64 = 30_000;
/// How long a browser may keep the answer to a preflight, seconds.
const PREFLIGHT_AGE_S: u64 = 600;
/// The most bytes of header names that a page may ask leave for.
const ASKED_BYTES_MAX: usize = 1_024;

/// Answers a preflight: a page may use these methods and send the headers that it asks for.
pub fn preflight(received: &Received, methods: &str) -> Result<Response, JsValue> {
    let asked = received.incoming.header("access-control-request-headers");
    let is_list = |asked: &String| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_, ".contains(&b);
        asked.len() <= ASKED_BYTES_MAX && asked.bytes().all(plain)
    };
    let draft = Draft::new(204)
        .with("Access-Control-Allow-Methods", methods)
        .with("Access-Control-Max-Age", PREFLIGHT_AGE_S.to_string())
        .with("Vary", "Access-Control-Request-Headers, Access-Control-Request-Method");
    let draft = match asked.filter(is_list) {
        Some(asked) => draft.with("Access-Control-Allow-Headers", asked),
        None => draft,
    };
    received.finish(draft)
}

/// Answers a preflight to a gated path: allows the very method that it asks for.
pub fn preflight_to_gated(received: &Received) -> Result<Response, JsValue> {
    let method = received.incoming.header("access-control-request-method");
    preflight(received, method.unwrap_or_default().trim())
}

/// Answers with the protocols with which a page opens the room's socket: `{"protocols", "expires_at_ms"}`. Asks no object.
pub fn knock(received: &Received, room: &RoomSettings, identity: &Identity, visitor: VisitorId) -> Draft {
    let ends_at_ms = dice::now_ms().saturating_add(KNOCK_MS);
    let knock = Knock {
        visitor,
        ticket: identity.ticket,
        ends_at_ms,
    };
    let token = received.deployment.keyring.sign(&knock, received.scope(room));
    let told = serde_json::json!({
        "protocols": [SOCKET_PROTOCOL, format!("{SOCKET_TOKEN}{token}")],
        "expires_at_ms": ends_at_ms,
    });
    Draft::json(200, told.to_string())
}
