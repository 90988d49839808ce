//! What a person sees whose request Baton refuses by itself: a page with a way on, in place of the error that programs get. A form whose call failed leads
//! back to the room's page, which says how things are.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::memory::{self, PlainPage};
use super::received::Received;
use super::{down, statics};
use crate::log::{self, Code, Remark};
use gate::{Answer, ErrorCode, Refusal, differs_by_scheme, escape_html};
use settings::RoomSettings;

/// Answers what the gate refused: with a page if somebody looks at the answer in a window, and with the error otherwise.
pub(super) async fn refuse(env: &Env, received: &Received, refusal: &Refusal) -> Draft {
    note(received, refusal);
    let error = Draft::refusal(refusal);
    let request = received.incoming.described();
    if refusal.code == ErrorCode::Misdirected || request.intent(false).answer != Answer::Page {
        return error;
    }
    let Some(page) = statics::plain_page(env, received, PlainPage::Refused).await else {
        return error;
    };
    let mut to = String::new();
    escape_html(&received.deployment.gate.way_on(&request), &mut to);
    let draft = down::plain_draft(received, refusal.code, page.replace("{{to}}", &to));
    match &refusal.allow {
        Some(allow) => draft.with("Allow", allow.clone()),
        None => draft,
    }
}

/// Says in the log, once in a while, that browsers speak another scheme than what stands before Baton passes on.
pub(super) fn note(received: &Received, refusal: &Refusal) {
    let differs = || differs_by_scheme(&received.incoming.described(), &received.host);
    if refusal.code == ErrorCode::ForbiddenOrigin && differs() && memory::begin_saying_scheme() {
        log::say(&Remark::front(Code::SchemeDiffers));
    }
}

/// Finishes the answer to a visitor's call. A form never gets an error: it is led back to the page.
pub(super) fn finish_call(received: &Received, room: &RoomSettings, draft: Draft) -> Result<Response, JsValue> {
    if !draft.is_error() || !received.incoming.is_form() {
        return received.finish(draft);
    }
    let back = Draft::new(303).with("Location", received.way_back(room).page());
    received.finish(back.cookies(draft.into_cookies()))
}
