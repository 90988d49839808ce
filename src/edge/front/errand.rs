//! Runs a visitor's errand, which the gate decides ([`Call`]), and shows what it came to.

use wasm_bindgen::JsValue;

use super::answers::Draft;
use super::waiting::unknown;
use super::{Front, carry, entry, left, limits, pace};
use gate::{Call, Errand, ErrorCode, Identity, Outcome, Verdict};
use settings::RoomSettings;

impl Front {
    /// Carries out the steps of a call. Returns what it came to.
    ///
    /// # Errors
    /// When the platform gives no random bytes.
    pub(super) async fn call(&self, room: &RoomSettings, identity: Identity, errand: Errand, now_ms: u64) -> Result<Verdict, JsValue> {
        let (verdict, _) = self.drive(room, now_ms, |here| Call::begin(identity, errand, here)).await?;
        Ok(verdict)
    }

    /// Shows what a call came to, with what the client is to keep.
    pub(super) fn call_told(&self, room: &RoomSettings, errand: Errand, verdict: &Verdict) -> Draft {
        self.call_shown(room, errand, verdict).cookies(self.received.issuer(room).kept(verdict))
    }

    /// Shows what a call came to.
    pub(super) fn call_shown(&self, room: &RoomSettings, errand: Errand, verdict: &Verdict) -> Draft {
        let status = verdict.asked.as_ref().map_or_else(|| unknown(room), |asked| asked.told.status.clone());
        match (verdict.outcome, errand) {
            (Outcome::Limited(limited), _) => limits::limited(limited),
            (Outcome::Barred(barred) | Outcome::Unspent(barred), _) => entry::refused(&self.platform, &self.received, room, barred),
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
            (_, Errand::Carry(..)) if self.received.incoming.is_form() => Draft::new(303).with("Location", self.received.way_back(room).named()),
            _ if self.received.incoming.is_form() => Draft::new(303).with("Location", self.received.way_back(room).page()),
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
