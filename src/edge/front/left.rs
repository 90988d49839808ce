//! Leaving. A visitor who leaves by the page's form is led to a page that says so. It stands at an address of Baton's own and never loads itself again:
//! leading the visitor back to the gated path would join again.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::received::Received;
use super::waiting::{self, Waiting, unknown};
use crate::dice;
use facts::wire::{Reason, State, Status};
use gate::VisitKind;
use settings::RoomSettings;

/// Answers a visitor who has no place any more. A form is led to the page, which keeps in its address where the visitor came from.
pub(super) fn gone(received: &Received, room: &RoomSettings) -> Draft {
    if !received.incoming.is_form() {
        return Draft::new(204);
    }
    let way_back = received.way_back(room);
    let page = way_back.left_address() + &way_back.query(usize::MAX);
    Draft::new(303).with("Location", page)
}

/// `GET /__baton/{room}/left`: the page after leaving. A visitor who has a place again is led to it.
pub(super) async fn page(env: &Env, received: &Received, room: &RoomSettings) -> Result<Response, JsValue> {
    let identity = received.identity(room, dice::now_ms()).by_name();
    if identity.shown().is_some() {
        let way_on = received.way_back(room).named();
        return received.finish(Draft::new(303).with("Location", way_on));
    }
    let status = Status {
        state: State::Over,
        reason: Some(Reason::Left),
        ..unknown(room)
    };
    let waiting = Waiting {
        // It never refreshes.
        retry_after_s: 0,
        ..Waiting::told(room, status, Vec::new())
    };
    let page = waiting::page(env, received, 200, VisitKind::Navigation, &waiting).await;
    let page = page.with("X-Robots-Tag", "noindex");
    received.finish(page.with("Vary", "Accept-Language, Cookie"))
}
