//! `POST /__baton/admin/rooms/{room}/reset`: the operator resets a room. Every ticket is over and nothing brings it back, so the body must name the
//! room, and `If-Match` the state that the operator has seen.

use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::Front;
use super::answers::Draft;
use super::operator::ORDER_BYTES_MAX;
use crate::edge::orders::Reset;
use crate::gate::ErrorCode;

/// The body that the operator must send.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Confirmation {
    room: String,
}

impl Front {
    pub(super) async fn reset(&self, name: &str, by: &str) -> Result<Draft, JsValue> {
        let Some(room) = self.deployment.settings.room(name) else {
            return Ok(Draft::error(ErrorCode::UnknownRoom));
        };
        let expected = match self.seen() {
            Ok(expected) => expected,
            Err(refusal) => return Ok(refusal),
        };
        let Some(body) = self.incoming.text(ORDER_BYTES_MAX).await? else {
            return Ok(Draft::error(ErrorCode::PayloadTooLarge));
        };
        let confirmation = serde_json::from_str::<Confirmation>(&body);
        if !confirmation.is_ok_and(|confirmation| confirmation.room == name) {
            let cure = format!(
                "A reset ends every ticket of the room. Confirm it with its name: {{\"room\": \"{name}\"}}"
            );
            return Ok(Draft::error_saying(ErrorCode::BadRequest, &cure));
        }
        let by = by.to_owned();
        let answer = self.order(room, "reset", &Reset { by, expected }).await;
        Ok(self.room_told(room, answer))
    }
}
