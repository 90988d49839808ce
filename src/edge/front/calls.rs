//! The visitor's own calls: which errand each is, and those that ask no lobby. The gate has already checked method and origin.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::received::Received;
use super::{Front, apps, identity, refused, turnstile};
use crate::dice;
use facts::units::VisitorId;
use gate::{CookieName, Errand, ErrorCode, Identity, LANGUAGE_AGE_S, Language, Outcome, VisitorCall};
use settings::RoomSettings;

impl Front {
    /// Answers a visitor's call.
    pub async fn visitor_call(&self, room: &RoomSettings, call: VisitorCall) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let identity = self.received.identity(room, now_ms);
        if identity.is_ahead_of_us {
            identity::note_unknown_key(now_ms);
            return refused::finish_call(&self.received, room, Draft::error(ErrorCode::RoomUnavailable));
        }
        let errand = match call {
            VisitorCall::Enter => return self.enter_call(room, &identity.by_name(), now_ms).await,
            VisitorCall::Code => {
                let draft = self.code(room, &identity).await?;
                return refused::finish_call(&self.received, room, draft);
            }
            VisitorCall::Offer if room.carry_within_ms == 0 => return refused::finish_call(&self.received, room, Draft::error(ErrorCode::NotFound)),
            VisitorCall::Socket => return self.socket(room, identity, now_ms).await,
            VisitorCall::Knock | VisitorCall::Verify => Errand::Own,
            VisitorCall::Join => Errand::Join,
            VisitorCall::Status { wait_s } => Errand::Status {
                wait_ms: wait_s.saturating_mul(1_000),
            },
            VisitorCall::Take => Errand::Take,
            VisitorCall::Claim => Errand::Claim,
            VisitorCall::Leave => Errand::Leave,
            VisitorCall::Offer => Errand::Offer,
        };
        let verdict = self.call(room, identity, errand, now_ms).await?;
        let draft = match (verdict.outcome, verdict.visitor) {
            (Outcome::Known, Some(visitor)) => own_call(&self.platform.env, &self.received, room, &verdict.identity, visitor, call).await,
            _ => self.call_told(room, errand, &verdict),
        };
        refused::finish_call(&self.received, room, draft)
    }
}

/// Answers a call of a visitor who is known, for which no lobby is asked.
async fn own_call(env: &Env, received: &Received, room: &RoomSettings, identity: &Identity, visitor: VisitorId, call: VisitorCall) -> Draft {
    match call {
        VisitorCall::Verify => turnstile::verify(env, received, room, visitor).await,
        _ if received.incoming.credentials().is_none() => Draft::error(ErrorCode::CredentialsRequired),
        _ => apps::knock(received, room, identity, visitor),
    }
}

/// Sets the language of the page in every room.
pub fn speak(received: &Received, room: &RoomSettings, language: Language) -> Result<Response, JsValue> {
    let cookie = received.cookies().set(CookieName::Language, language.tag(), LANGUAGE_AGE_S);
    let draft = if received.incoming.is_form() {
        Draft::new(303).with("Location", received.way_back(room).here())
    } else {
        Draft::new(204)
    };
    received.finish(draft.cookies(vec![cookie]))
}
