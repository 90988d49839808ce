//! Invitations and codes, as visitors bring them. A link and a form both end in a cookie and a redirect, and take no place: link scanners open links
//! too. The room judges the voucher when the visitor joins with it.

use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::Front;
use super::answers::Draft;
use super::identity::Identity;
use super::incoming::Incoming;
use super::received::Received;
use crate::dice;
use facts::entry::EntryRefusal;
use facts::wire::Status;
use gate::{EntryVerdict, Errand, ErrorCode, PageState, code_in_form, code_of, judge_entry};
use settings::{EntryPolicy, RoomSettings};
use token::{ANYWHERE, Entrant, Invitation, room_mark};

/// The most bytes of a form with a code.
const BODY_BYTES_MAX: usize = 2_048;

/// A code as an app sends it.
#[derive(Deserialize)]
struct Written {
    code: String,
}

/// Returns what an invitation's link says, or why it is refused; `None` if it is no invitation. One HMAC.
pub fn invited(received: &Received, room: &RoomSettings, text: &str, now_ms: u64) -> Option<Result<Entrant, EntryRefusal>> {
    if text.contains('.') {
        return None;
    }
    let keyring = &received.deployment.keyring;
    let verified = keyring.verify::<Invitation>(text, ANYWHERE, now_ms);
    Some(match verified {
        Ok(verified) if verified.token.room == room_mark(&room.bound_as) => Ok(Entrant::invited(&verified.token)),
        Ok(_) => Err(EntryRefusal::Audience),
        Err(_) => Err(EntryRefusal::Malformed),
    })
}

impl Front {
    /// `POST /__baton/{room}/code`: remembers a code. It is looked at, and counted as a guess, only when the visitor joins.
    pub(super) async fn code(&self, room: &RoomSettings, identity: &Identity) -> Result<Draft, JsValue> {
        if room.entry == EntryPolicy::Off {
            return Ok(Draft::error(ErrorCode::NotFound));
        }
        let is_form = self.received.incoming.is_form();
        let code = code_in_body(&self.received.incoming).await?.as_deref().and_then(code_of);
        let now_ms = dice::now_ms();
        let identity = &identity.by_name();
        let entrant = match code {
            Some(code) => {
                let hashes = self.received.deployment.keyring.code_hashes(&room.bound_as, &code);
                Entrant::with_code(hashes, now_ms)
            }
            None if is_form => Entrant::refused(EntryRefusal::Unknown),
            None => {
                let cure = "Send {\"code\": \"…\"}, 6 to 64 letters and digits, with its Content-Length.";
                return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
            }
        };
        if is_form && let Some(moved) = self.moved_by_code(room, identity, &entrant, now_ms).await? {
            return Ok(moved);
        }
        let mut cookies = vec![self.received.issuer(room).entry(&entrant)];
        if identity.visitor.is_none() {
            cookies.push(self.received.issuer(room).visitor(self.received.new_visitor(room)?));
        }
        let draft = if is_form {
            Draft::new(303).with("Location", self.received.way_back(room).page())
        } else {
            Draft::new(204)
        };
        Ok(draft.cookies(cookies))
    }

    /// Joins at once with the code of a visitor who is in the line already: sending a form is pressing a button, and where anybody may come the page
    /// would not say that the code was no good. Returns `None` if the sender is not in the line or sent no code.
    async fn moved_by_code(&self, room: &RoomSettings, identity: &Identity, entrant: &Entrant, now_ms: u64) -> Result<Option<Draft>, JsValue> {
        let entry = judge_entry(room.entry, Some(entrant), &self.received.deployment.entry_keys, now_ms);
        let (Some(_), Some(_), EntryVerdict::Voucher(_)) = (identity.visitor, identity.ticket, entry) else {
            return Ok(None);
        };
        let tried = Entrant { tried: true, ..*entrant };
        let identity = Identity {
            entrant: Some(tried),
            entry,
            lane: None,
            ..identity.clone()
        };
        let errand = Errand::Code;
        let verdict = self.call(room, identity, errand, now_ms).await?;
        Ok(Some(self.call_told(room, errand, &verdict)))
    }
}

/// Returns what the page's form for codes says: `asked`, or why the code before gave no place; empty if there is no form. The page asks visitors
/// whom it turns away. In a room with lanes where anybody may come it also asks visitors who have shown neither token nor voucher.
pub fn code_asked(received: &Received, state: PageState, status: &Status, now_ms: u64) -> &'static str {
    if state == PageState::Refused {
        return "asked";
    }
    let room = received.deployment.settings.room(&status.room);
    let has_lanes = |room: &RoomSettings| !room.core.lanes.is_empty() || status.lane.is_some();
    let Some(room) = room.filter(|room| room.entry == EntryPolicy::Optional && has_lanes(room)) else {
        return "";
    };
    let identity = received.identity(room, now_ms);
    if identity.entry != EntryVerdict::Nobody {
        return "";
    }
    let keys = &received.deployment.entry_keys;
    let why = identity.entrant.and_then(|shown| shown.refusal(keys, now_ms));
    match why {
        Some(EntryRefusal::Used) => "used",
        Some(EntryRefusal::Unknown) => "unknown",
        Some(EntryRefusal::Late) => "late",
        Some(EntryRefusal::Early) => "early",
        _ => "asked",
    }
}

async fn code_in_body(incoming: &Incoming) -> Result<Option<String>, JsValue> {
    let Some(body) = incoming.text(BODY_BYTES_MAX).await? else {
        return Ok(None);
    };
    let sent = incoming.header("content-type").unwrap_or_default();
    Ok(if sent.starts_with("application/x-www-form-urlencoded") {
        code_in_form(&body)
    } else {
        let written = serde_json::from_str::<Written>(&body);
        written.ok().map(|written| written.code)
    })
}
