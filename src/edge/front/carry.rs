//! Moves a place to another device: makes a link for the visitor who has the place, and shows whoever opens the link a page
//! with one button, which takes the place over.
//!
//! The code is part of the link's path, so that the link works without JavaScript. It may therefore be logged on its way. It is good once and for
//! `carry_within_s`, and **opening the link changes nothing**: messengers' previews and prefetching browsers open links too.

use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::incoming::Incoming;
use super::received::Received;
use super::waiting::CONTENT_SECURITY_POLICY;
use super::{Front, identity, statics};
use crate::dice;
use gate::{CarryCall, Errand, ErrorCode, Outcome};
use settings::RoomSettings;
use token::Carry;

/// The longest way back that goes into the link, in bytes: a QR code must stay readable from a screen.
const WAY_BACK_BYTES_MAX: usize = 200;
/// The page while the assets cannot be read.
const BUILT_IN: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
     content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\"><title>Waiting room</title></head>\
     <body data-state=\"{{state}}\"><form method=\"post\"><button>Continue here / この端末で続ける</button></form></body></html>\n";

/// What the link's page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Landing {
    /// The button.
    Ready,
    /// The link was used, or is too old.
    Over,
    /// The browser has a nearer place.
    Nearer,
    /// The browser keeps no cookies.
    Cookies,
    /// The room cannot be reached.
    Unreachable,
}

impl Landing {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Over => "over",
            Self::Nearer => "nearer",
            Self::Cookies => "cookies",
            Self::Unreachable => "unreachable",
        }
    }
}

/// Answers with a link for the visitor's own place: `{"url", "expires_at_ms"}`. The URL is a path alone, so that no host is ever reflected.
pub(super) fn link(received: &Received, room: &RoomSettings, carry: &Carry) -> Draft {
    let code = received.deployment.keyring.sign(carry, received.scope(room));
    let way_back = received.way_back(room).query(WAY_BACK_BYTES_MAX);
    let url = format!("/__baton/{}/carry/{code}{way_back}", room.name_in_file());
    let link = serde_json::json!({ "url": url, "expires_at_ms": carry.ends_at_ms });
    Draft::json(200, link.to_string())
}

impl Front {
    /// Answers a visit to a link: shows its page, or takes the place over.
    pub async fn carry_call(&self, room: &RoomSettings, code: &str, call: CarryCall) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let identity = self.received.identity(room, now_ms);
        if identity.is_ahead_of_us {
            identity::note_unknown_key(now_ms);
        }
        let keyring = &self.received.deployment.keyring;
        let link = keyring.verify::<Carry>(code, self.received.scope(room), now_ms);
        let link = link.ok().map(|verified| verified.token);
        let errand = Errand::Carry(call, link.filter(|_| room.carry_within_ms > 0));
        let verdict = self.call(room, identity, errand, now_ms).await?;
        let landing = match (verdict.outcome, call) {
            (Outcome::Arriving, CarryCall::Look) => Some((200, Landing::Ready)),
            (outcome, _) => refused_carry(&self.received.incoming, outcome, call),
        };
        let draft = match landing {
            Some((status, landing)) => {
                let page = landing_page(&self.platform.env, &self.received, status, landing).await;
                page.cookies(self.received.issuer(room).kept(&verdict))
            }
            None => self.call_told(room, errand, &verdict),
        };
        self.received.finish(draft)
    }
}

/// Returns the page that says why the link gives nothing; `None` if it gives the place, or a script asks.
fn refused_carry(incoming: &Incoming, outcome: Outcome, call: CarryCall) -> Option<(u16, Landing)> {
    if call == CarryCall::Take && !incoming.is_form() {
        return None;
    }
    let (code, landing) = match outcome {
        Outcome::Arriving => (ErrorCode::CookiesRequired, Landing::Cookies),
        Outcome::Nearer => (ErrorCode::CarryNearer, Landing::Nearer),
        Outcome::Unheard => (ErrorCode::RoomUnavailable, Landing::Unreachable),
        Outcome::LinkOver => (ErrorCode::CarryOver, Landing::Over),
        _ => return None,
    };
    Some((code.status(), landing))
}

async fn landing_page(env: &Env, received: &Received, status: u16, landing: Landing) -> Draft {
    // No `Content-Language` here: the page's `lang` says which language it really has.
    let file = format!("carry.{}.html", received.language().tag());
    let html = statics::read(env, &file).await;
    let html = html.unwrap_or_else(|| BUILT_IN.to_owned());
    Draft::new(status)
        .with("Content-Type", "text/html; charset=utf-8")
        .with("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        // No page of another site may lay itself over the button.
        .with("X-Frame-Options", "SAMEORIGIN")
        .with("Referrer-Policy", "same-origin")
        .with("X-Robots-Tag", "noindex")
        .with("Vary", "Accept-Language, Cookie")
        .body(html.replace("{{state}}", landing.as_str()))
}
