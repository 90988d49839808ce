//! `GET /__baton/{room}/draw`: what a room's draws are bound to, for everybody. Programs get it as JSON, browsers a page
//! that draws again. Ten thousand who look at once cost the room one question.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::{Draft, VARY};
use super::memory::{self, DrawSaid};
use super::statics;
use super::waiting::CONTENT_SECURITY_POLICY;
use crate::edge::dice;
use crate::gate::{ErrorCode, Language};
use crate::settings::RoomSettings;

/// What a room said is told again for so long: a draw is news once.
const FRESH_MS: u64 = 5_000;

impl Front {
    pub(super) async fn draw_call(&self, room: &RoomSettings) -> Result<Response, JsValue> {
        let accept = self.incoming.header("accept").unwrap_or_default();
        let draft = if accept.contains("text/html") {
            self.draw_page().await
        } else {
            self.draw_told(room).await
        };
        self.finish(draft.with("Vary", VARY))
    }

    async fn draw_told(&self, room: &RoomSettings) -> Draft {
        let now_ms = dice::now_ms();
        let known = memory::draw(&room.name);
        if let Some(known) = known.filter(|known| now_ms.abs_diff(known.at_ms) < FRESH_MS) {
            return Draft::json(200, known.text);
        }
        match self.ask_room(room, "draw", "").await {
            Some((200, text)) => {
                let said = DrawSaid {
                    at_ms: now_ms,
                    text: text.clone(),
                };
                memory::keep_draw(&room.name, said);
                Draft::json(200, text)
            }
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
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
