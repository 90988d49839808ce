//! Leaving. A visitor who leaves by the page's form is led to a page that says so. It stands at an address of Baton's own and never loads itself again:
//! leading the visitor back to the gated path would join again.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::Draft;
use super::waiting::{Waiting, unknown};
use crate::dice;
use facts::wire::{Reason, State, Status};
use gate::VisitKind;
use settings::RoomSettings;

impl Front {
    /// Answers a visitor who has no place any more. A form is led to the page, which keeps in its address where the visitor came from.
    pub(super) fn gone(&self, room: &RoomSettings) -> Draft {
        if !self.is_form() {
            return Draft::new(204);
        }
        let mut page = Self::left_address(room);
        let back = self.way_back(room);
        if back != self.first_path(room) {
            page.push_str("?to=");
            page.push_str(&String::from(js_sys::encode_uri_component(&back)));
        }
        Draft::new(303).with("Location", page)
    }

    /// The address of the page after leaving.
    pub(super) fn left_address(room: &RoomSettings) -> String {
        format!("/__baton/{}/left", room.name_in_file())
    }

    /// `GET /__baton/{room}/left`: the page after leaving. A visitor who has a place again is led to it.
    pub(super) async fn left_page(&self, room: &RoomSettings) -> Result<Response, JsValue> {
        let identity = self.identity(room, dice::now_ms()).by_name();
        if identity.shown().is_some() {
            let way_on = self.way_on(room);
            return self.finish(Draft::new(303).with("Location", way_on));
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
        let page = self.page(200, VisitKind::Navigation, &waiting).await;
        let page = page.with("X-Robots-Tag", "noindex");
        self.finish(page.with("Vary", "Accept-Language, Cookie"))
    }
}
