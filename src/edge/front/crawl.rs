//! Search engines' crawlers. They take no number, and keep no cookie. A room that says so sends them on to the shop; elsewhere they come like everybody.
//! Where everybody else would see the waiting page, which no search engine may take for the shop's, they get an answer by which the address stays in
//! the index.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::incoming::Incoming;
use super::received::Received;
use super::waiting::{self, Waiting};
use super::way_in::Entry;
use super::{Front, memory, mode};
use crate::dice;
use facts::wire::Status;
use gate::{Gated, VARY, VisitKind, sends_crawlers_on, state_to_index, waiting_body};
use settings::RoomSettings;

/// When a crawler should come again, seconds.
const COME_AGAIN_S: u64 = 600;

/// Returns whether a search engine's crawler asks. An app's credentials make a visitor of whoever shows them.
pub(super) fn is_crawl(incoming: &Incoming, gated: &Gated<'_>) -> bool {
    let from = || incoming.client()?.parse().ok();
    incoming.credentials().is_none() && (incoming.described()).is_crawl(gated.intent, from)
}

impl Front {
    /// Sends a crawler on to the shop, or away while too many come. Returns `None` if it comes like everybody.
    pub(super) async fn crawl(&self, gated: &Gated<'_>, now_ms: u64) -> Option<Result<Response, JsValue>> {
        let room = &gated.room.settings;
        if self.received.incoming.method() != "GET" {
            return None;
        }
        let mode = mode::to_pass_by(&self.platform.env, room).await;
        if !sends_crawlers_on(room, mode) {
            return None;
        }
        mode::keep_up(&self.platform, room);
        Some(if mode.passes() || memory::count_crawl(&room.name, now_ms) {
            self.enter(gated, Entry::Free, Vec::new()).await
        } else {
            self.received.finish(come_again(room))
        })
    }
}

/// Answers a crawler where everybody else would be told to wait.
pub(super) async fn tell_crawler(env: &Env, received: &Received, room: &RoomSettings, status: Status) -> Result<Response, JsValue> {
    let opens_at_ms = status.opens_at_ms;
    let status = Status {
        opens_at_ms: opens_at_ms.or_else(|| memory::heard_opening(&room.name)),
        ..status
    };
    let Some(state) = state_to_index(&status, dice::now_ms()) else {
        return received.finish(come_again(room));
    };
    let waiting = Waiting {
        state,
        // It never refreshes.
        retry_after_s: 0,
        ..Waiting::told(room, status, Vec::new())
    };
    let page = waiting::page(env, received, 200, VisitKind::Navigation, &waiting).await;
    received.finish(page.with("Baton-State", "waiting").with("Vary", VARY))
}

/// Says that the address is worth asking again.
fn come_again(room: &RoomSettings) -> Draft {
    Draft::json(503, waiting_body(room.name_in_file(), COME_AGAIN_S))
        .with("Retry-After", COME_AGAIN_S.to_string())
        .with("Baton-State", "waiting")
        .with("Vary", VARY)
}
