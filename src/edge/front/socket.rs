//! Opens the visitor's socket, with the lobby's answer and the cookies on it.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::put_tokens;
use super::incoming::Incoming;
use super::{Front, js, refused};
use crate::peers::{LOAD_HEADER, TOLD_HEADER};
use gate::{Call, Errand, Identity, SOCKET_PROTOCOL};
use settings::RoomSettings;

impl Front {
    /// Opens the room's socket. With `?resume=1` it takes no number: the page or the shop only wants to go on hearing.
    pub(super) async fn socket(&self, room: &RoomSettings, identity: Identity, now_ms: u64) -> Result<Response, JsValue> {
        let by_token = self.received.incoming.described().socket_token().is_some();
        let errand = Errand::Socket {
            resumes: resumes(&self.received.incoming),
            by_token,
        };
        let (verdict, opened) = self.drive(room, now_ms, |here| Call::begin(identity, errand, here)).await?;
        let Some(response) = opened else {
            let draft = self.call_told(room, errand, &verdict);
            return refused::finish_call(&self.received, room, draft);
        };
        let response = js::changeable(&response)?;
        let headers = response.headers();
        headers.delete(TOLD_HEADER)?;
        headers.delete(LOAD_HEADER)?;
        if by_token {
            headers.set("Sec-WebSocket-Protocol", SOCKET_PROTOCOL)?;
        }
        let changes = self.received.issuer(room).kept(&verdict);
        if !changes.is_empty() {
            put_tokens(&headers, &self.received.incoming, &changes)?;
        }
        Ok(response)
    }
}

/// Whether the call says `?resume=1`.
fn resumes(incoming: &Incoming) -> bool {
    let query = incoming.path_and_query().split_once('?');
    let (_, query) = query.unwrap_or_default();
    query.split('&').any(|pair| pair == "resume=1")
}
