//! The visitor's own calls: shows what each came to, which the gate decides ([`Call`]), and passes those that ask no lobby to their files. The gate has
//! already checked method and origin.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::received::Received;
use super::waiting::unknown;
use super::{Front, apps, carry, entry, identity, left, limits, pace, refused, turnstile};
use crate::dice;
use facts::units::VisitorId;
use gate::{Call, Calling, CookieName, Errand, ErrorCode, Identity, LANGUAGE_AGE_S, Language, Outcome, Verdict, VisitorCall};
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

    pub(super) async fn call(&self, room: &RoomSettings, identity: Identity, errand: Errand, now_ms: u64) -> Result<Verdict, JsValue> {
        let facts = Calling { identity, errand };
        let (verdict, _) = self.drive(room, now_ms, |here| Call::begin(facts, here)).await?;
        Ok(verdict)
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

impl Front {
    /// Shows what a call came to, with what the client is to keep.
    pub(super) fn call_told(&self, room: &RoomSettings, errand: Errand, verdict: &Verdict) -> Draft {
        self.call_shown(room, errand, verdict).cookies(self.received.issuer(room).kept(verdict))
    }

    /// Shows what a call came to.
    pub(super) fn call_shown(&self, room: &RoomSettings, errand: Errand, verdict: &Verdict) -> Draft {
        let status = verdict.asked.as_ref().map_or_else(|| unknown(room), |asked| asked.told.status.clone());
        match (verdict.outcome, errand) {
            (Outcome::Limited(limited), _) => limits::limited(limited),
            (Outcome::Barred(barred) | Outcome::Unspent(barred), _) => entry::entry_refused(&self.platform, &self.received, room, barred),
            (Outcome::Elsewhere, _) => Draft::error(ErrorCode::PlaceElsewhere),
            (Outcome::Challenged, _) => Draft::error(ErrorCode::VerificationRequired),
            (Outcome::Arriving, _) => self.nameless(room, errand),
            (Outcome::NoTicket, _) => Draft::error(ErrorCode::BadTicket),
            (Outcome::Unheard, _) => Draft::error(ErrorCode::RoomUnavailable),
            (Outcome::LinkOver, _) => Draft::error(ErrorCode::CarryOver),
            (Outcome::Nearer, _) => Draft::error(ErrorCode::CarryNearer),
            (Outcome::Left, _) => left::gone(&self.received, room),
            (Outcome::Offered(carry), _) => carry::link(&self.received, room, &carry),
            (Outcome::Over, Errand::Claim | Errand::Offer) => Draft::error(ErrorCode::TicketOver),
            (Outcome::In(..), Errand::Claim) => Draft::status(200, &status),
            (_, Errand::Claim) => Draft::error(ErrorCode::NotCalled),
            (outcome, Errand::Enter(_)) => {
                let is_in = matches!(outcome, Outcome::In(..) | Outcome::Free);
                Draft::entered(&status, is_in)
            }
            (_, Errand::Carry(..)) if self.received.incoming.is_form() => Draft::new(303).with("Location", self.received.way_on(room)),
            _ if self.received.incoming.is_form() => Draft::new(303).with("Location", self.received.way_back(room)),
            _ => {
                let is_new = verdict.asked.as_ref().is_some_and(|asked| asked.told.issued);
                Draft::status(if is_new { 201 } else { 200 }, &status)
            }
        }
    }

    /// Answers a call that shows no visitor's token, and needs one.
    fn nameless(&self, room: &RoomSettings, errand: Errand) -> Draft {
        if self.received.incoming.credentials().is_none() {
            return Draft::error(ErrorCode::CookiesRequired);
        }
        let draft = Draft::error(ErrorCode::CredentialsRequired);
        match errand {
            Errand::Join | Errand::Enter(_) => match pace::spread_s(&self.platform, room) {
                0 => draft,
                spread_s => draft.with("Retry-After", spread_s.to_string()),
            },
            _ => draft,
        }
    }
}

/// Sets the language of the page in every room.
pub fn speak(received: &Received, room: &RoomSettings, language: Language) -> Result<Response, JsValue> {
    let cookie = received.cookies().set(CookieName::Language, language.tag(), LANGUAGE_AGE_S);
    let draft = if received.incoming.is_form() {
        Draft::new(303).with("Location", received.way_back_here(room))
    } else {
        Draft::new(204)
    };
    received.finish(draft.cookies(vec![cookie]))
}
