//! Preflights to gated paths. Browsers send them without cookies, so no pass can be asked of them; but anybody can send one, with cookies and all, to
//! a shop that does not look at the method. So the shop is asked with what a browser's own preflight has (`gate/headers.rs`), so many a second
//! (`gate/preflights.rs`), and of its answer nothing comes back but whether it permits the call.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::{Draft, PRIVATE};
use super::onward::Onward;
use super::received::Received;
use super::returned::Returned;
use super::{Front, apps, health, js, memory, mode};
use crate::dice;
use crate::log::{self, Code, Remark};
use gate::{ErrorCode, PreflightAsked, comes_back_to_preflight, shop_answers_preflights};
use settings::RoomSettings;

impl Front {
    /// Asks the shop whether it permits the call that a preflight to one of the room's paths announces, if the room leaves that to the shop or the
    /// call needs no pass.
    pub(super) async fn answer_preflight(&self, room: &RoomSettings, is_to_gated: bool) -> Result<Response, JsValue> {
        if is_to_gated && !shop_answers_preflights(room, mode::to_pass_by(&self.platform.env, room).await) {
            return match self.received.incoming.reader() {
                Some(_) => apps::preflight_to_gated(&self.received),
                None => self.received.finish(Draft::error(ErrorCode::ForbiddenOrigin)),
            };
        }
        let asked = memory::ask_preflight(&room.name, dice::now_ms(), room.core.permits, self.received.address_tag(room));
        if let PreflightAsked::Refused { is_news } = asked {
            if is_news {
                log::say(&Remark::front(Code::PreflightsRefused).in_room(&room.name));
            }
            let refusal = Draft::error(ErrorCode::TooManyRequests).with("Retry-After", "1");
            return self.received.finish(refusal);
        }
        let onward = Onward {
            is_preflight: true,
            ..self.received.onward(Some(room))
        };
        let returned = onward.send(&self.platform.env, None).await?;
        health::note_answer_to_others(&self.platform, room, &returned);
        match returned {
            Returned::Answer(answer) => permission(&self.received, &answer.response),
            Returned::Nothing { .. } => self.received.finish(Draft::error(ErrorCode::OriginUnreachable)),
            Returned::Refused => self.received.finish(Draft::error(ErrorCode::BadRequest)),
        }
    }
}

fn permission(received: &Received, answer: &Response) -> Result<Response, JsValue> {
    let headers = js::headers_alone(answer);
    if !answer.ok() {
        return received.finish(Draft::error(ErrorCode::ForbiddenOrigin));
    }
    let permits = headers.iter().filter(|(name, _)| comes_back_to_preflight(name));
    let permits = permits.map(|(name, value)| (name.as_str(), value.clone()));
    let ours = [("Cache-Control", PRIVATE.to_owned())];
    let told: Vec<_> = permits.chain(ours).collect();
    js::answer(answer.status(), &told, None)
}
