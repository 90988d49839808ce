//! Moves a place to another device: makes a link for the visitor who has the place, and shows whoever opens the link a page
//! with one button, which takes the place over.
//!
//! The code is part of the link's path, so that the link works without JavaScript. It may therefore be logged on its way. It is good once and for
//! `carry_within_s`, and **opening the link changes nothing**: messengers' previews and prefetching browsers open links too.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::Draft;
use super::identity::Identity;
use super::lobby;
use super::waiting::CONTENT_SECURITY_POLICY;
use super::{Front, statics};
use crate::edge::dice;
use crate::facts::units::VisitorId;
use crate::gate::{CarryCall, ErrorCode, Outcome, Question, Wanted, is_nearer};
use crate::settings::RoomSettings;
use crate::token::Carry;
use crate::wire::{Ask, CarryTold, State, Status, Wish};

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

impl Front {
    /// Answers with a link for the visitor's own place: `{"url", "expires_at_ms"}`. The URL is a path alone, so that no host is ever reflected.
    pub async fn offer(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId) -> Result<Response, JsValue> {
        let within_ms = room.carry_within_ms;
        if within_ms == 0 {
            return self.finish(Draft::error(ErrorCode::NotFound));
        }
        let ends_at_ms = dice::now_ms().saturating_add(within_ms);
        let Ok(asked) = self.ask(room, identity, visitor, Wish::Offer).await else {
            return self.finish(Draft::error(ErrorCode::RoomUnavailable));
        };
        let Status { state, .. } = asked.told.status;
        let place = asked.told.status.shown();
        let cookies = self.issuer(room).after(identity, visitor, &asked);
        let draft = match (asked.told.carry, place) {
            (Some(CarryTold::Offered { key, row }), Some(place)) => {
                let carry = Carry {
                    number: place.number,
                    edition: place.edition,
                    lobby: asked.lobby,
                    key,
                    row,
                    ends_at_ms,
                };
                self.link(room, &carry)
            }
            _ if state == State::None => Draft::error(ErrorCode::BadTicket),
            _ => Draft::error(ErrorCode::TicketOver),
        };
        self.finish(draft.cookies(cookies))
    }

    fn link(&self, room: &RoomSettings, carry: &Carry) -> Draft {
        let code = self.deployment.keyring.sign(carry, self.scope(room));
        let mut url = format!("/__baton/{}/carry/{code}", room.name_in_file());
        let back = self.way_back(room);
        if back != self.first_path(room) && back.len() <= WAY_BACK_BYTES_MAX {
            url.push_str("?to=");
            url.push_str(&String::from(js_sys::encode_uri_component(&back)));
        }
        let link = serde_json::json!({ "url": url, "expires_at_ms": carry.ends_at_ms });
        Draft::json(200, link.to_string())
    }

    /// Answers a visit to a link: shows its page, or takes the place over.
    pub async fn carry_call(self: &Rc<Self>, room: &RoomSettings, code: &str, call: CarryCall) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let identity = self.identity(room, now_ms);
        if identity.is_ahead_of_us {
            self.note_unknown_key(now_ms);
            let refused = self.refused_carry(ErrorCode::RoomUnavailable, call).await;
            return self.finish(refused);
        }
        let identity = identity.by_name();
        let keyring = &self.deployment.keyring;
        let carry = keyring.verify::<Carry>(code, self.scope(room), now_ms);
        let carry = carry.ok().map(|verified| verified.token);
        let carry = carry.filter(|_| room.carry_within_ms > 0);
        let mut cookies = Vec::new();
        if !identity.visitor_cookie {
            cookies.push(self.issuer(room).visitor(self.new_visitor(room)?));
        }
        let draft = match (call, carry, identity.visitor) {
            (_, None, _) => self.refused_carry(ErrorCode::CarryOver, call).await,
            (CarryCall::Look, Some(_), _) => self.landing(200, Landing::Ready).await,
            (CarryCall::Take, Some(_), None) => self.refused_carry(ErrorCode::CookiesRequired, call).await,
            (CarryCall::Take, Some(carry), Some(visitor)) => self.take_over(room, &identity, visitor, &carry).await?,
        };
        self.finish(draft.cookies(cookies))
    }

    async fn take_over(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId, carry: &Carry) -> Result<Draft, JsValue> {
        if let Some(code) = self.own_place_against(room, identity, visitor, carry).await {
            return Ok(self.refused_carry(code, CarryCall::Take).await);
        }
        let ask = Ask::plain(
            visitor,
            None,
            Wish::Carry {
                place: carry.shown(),
                key: carry.key,
            },
        );
        let question = Question::new(carry.lobby, ask);
        let Ok(asked) = lobby::ask(&self.env, room, question).await else {
            let code = ErrorCode::RoomUnavailable;
            return Ok(self.refused_carry(code, CarryCall::Take).await);
        };
        if asked.told.carry != Some(CarryTold::Carried) {
            return Ok(self.refused_carry(ErrorCode::CarryOver, CarryCall::Take).await);
        }
        let mut cookies = self.issuer(room).after(identity, visitor, &asked);
        match asked.outcome(Wanted::Permit, None, visitor, room) {
            Outcome::In(pass, _) => cookies.push(self.issuer(room).pass(&pass)),
            // This pass belongs to a place that the device had before.
            _ if identity.pass_cookie => cookies.push(self.issuer(room).clear_pass()),
            _ => {}
        }
        let draft = if self.is_form() {
            Draft::new(303).with("Location", self.way_on(room))
        } else {
            Draft::status(200, &asked.told.status)
        };
        Ok(draft.cookies(cookies))
    }

    /// Looks at the place that this device has already, for a link may be a stranger's trap. Returns why it is not given up for the link's.
    async fn own_place_against(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId, carry: &Carry) -> Option<ErrorCode> {
        identity.shown()?;
        let look = Wish::Status { wait_ms: 0 };
        let Ok(asked) = self.ask(room, identity, visitor, look).await else {
            return Some(ErrorCode::RoomUnavailable);
        };
        is_nearer(&asked.told.status, carry.shown()).then_some(ErrorCode::CarryNearer)
    }

    /// Refuses: with the page, or with an error if the call came from a script.
    async fn refused_carry(&self, code: ErrorCode, call: CarryCall) -> Draft {
        if call == CarryCall::Take && !self.is_form() {
            return Draft::error(code);
        }
        let landing = match code {
            ErrorCode::CookiesRequired => Landing::Cookies,
            ErrorCode::CarryNearer => Landing::Nearer,
            ErrorCode::RoomUnavailable => Landing::Unreachable,
            _ => Landing::Over,
        };
        self.landing(code.status(), landing).await
    }

    async fn landing(&self, status: u16, landing: Landing) -> Draft {
        // No `Content-Language` here: the page's `lang` says which language it really has.
        let file = format!("carry.{}.html", self.language().tag());
        let html = statics::read(&self.env, &file).await;
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
}
