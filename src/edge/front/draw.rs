//! `GET /__baton/{room}/draw`: tells everybody what a room's draws are bound to. Programs get JSON, browsers a page that repeats the draw.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::Draft;
use super::statics;
use super::waiting::CONTENT_SECURITY_POLICY;
use gate::{ErrorCode, Language, Openly, VARY};
use settings::RoomSettings;

impl Front {
    pub(super) async fn draw_call(&self, room: &RoomSettings) -> Result<Response, JsValue> {
        let draft = if self.incoming.described().accepts_html() {
            self.draw_page().await
        } else {
            self.said_openly(room, Openly::Draw).await
        };
        self.finish(draft.with("Vary", VARY))
    }

    async fn draw_page(&self) -> Draft {
        let language = match self.language() {
            Language::Ja => "ja",
            _ => "en",
        };
        let Some(html) = statics::read(&self.env, &format!("draw.{language}.html")).await else {
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
}
