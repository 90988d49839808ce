//! `GET /__baton/{room}/draw`: tells everybody what a room's draws are bound to. Programs get JSON, browsers a page that repeats the draw.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::received::Received;
use super::waiting::CONTENT_SECURITY_POLICY;
use super::{openly, statics};
use gate::{ErrorCode, Language, Openly, VARY};
use settings::RoomSettings;

pub(super) async fn answer(env: &Env, received: &Received, room: &RoomSettings) -> Result<Response, JsValue> {
    let draft = if received.incoming.described().accepts_html() {
        draw_page(env, received).await
    } else {
        openly::said(env, room, Openly::Draw).await
    };
    received.finish(draft.with("Vary", VARY))
}

async fn draw_page(env: &Env, received: &Received) -> Draft {
    let language = match received.language() {
        Language::Ja => "ja",
        _ => "en",
    };
    let Some(html) = statics::read(env, &format!("draw.{language}.html")).await else {
        return Draft::error(ErrorCode::Internal);
    };
    Draft::new(200)
        .with("Content-Type", "text/html; charset=utf-8")
        .with("Content-Language", language)
        .with("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .with("X-Frame-Options", "SAMEORIGIN")
        .with("Referrer-Policy", "same-origin")
        .with("X-Robots-Tag", "noindex")
        .body(html)
}
