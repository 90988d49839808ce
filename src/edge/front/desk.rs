//! The desk: its page without data, and the cookie that stands for an operator's token, so that no script and no storage of
//! a browser ever keeps that. It decides who asks and whether the role reaches so far, never what is done.

use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::answers::Draft;
use super::{Front, js, memory, statics};
use crate::edge::dice;
use crate::gate::{CookieName, Cookies, ErrorCode, is_own_origin};
use crate::token::{Desk, Operator, Role, Scope};

/// How long the cookie is good: a day of sales.
const COOKIE_S: u64 = 12 * 3_600;
/// Cookies of the name that are looked at: each is tried with each operator, and only what is set by hand has many.
const COOKIES_MAX: usize = 4;
/// Bytes of a body with the token. It is read before anybody is known, hence small.
const BODY_BYTES_MAX: u64 = 4_096;
/// Nothing of others, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Deserialize)]
struct Shown {
    token: String,
}

impl Front {
    /// Who asks, if it is somebody who may do what `role` may; else what to answer.
    pub(super) fn operator_with(&self, role: Role) -> Result<&Operator, Draft> {
        let operator = self.operator()?;
        if operator.role.reaches(role) {
            return Ok(operator);
        }
        let (own, role) = (operator.role.name(), role.name());
        let why = format!("Your role is {own}; this needs the role {role}.");
        Err(Draft::error_saying(ErrorCode::Forbidden, &why))
    }

    /// Who asks, by a token itself or by the desk's cookie, if it is anybody; else what to answer.
    pub(super) fn operator(&self) -> Result<&Operator, Draft> {
        let operators = &self.deployment.operators;
        if operators.is_empty() {
            return Err(Draft::error(ErrorCode::NotFound));
        }
        let found = match self.incoming.header("authorization") {
            Some(header) => self.heard(|| operators.shown_in(&header))?,
            None => self.of_desk_cookie(),
        };
        let operator = found.ok_or_else(unauthorized)?;
        if operator.is_over(dice::now_ms()) {
            return Err(unauthorized());
        }
        Ok(operator)
    }

    /// Looks at a token, unless too many of this address were nobody's. A cookie needs no such care: it cannot be guessed.
    fn heard<'o>(
        &self,
        look: impl FnOnce() -> Option<&'o Operator>,
    ) -> Result<Option<&'o Operator>, Draft> {
        let (now_ms, from) = (dice::now_ms(), self.address());
        if let Some(retry_after_s) = memory::slowed_s(now_ms, from) {
            let draft = Draft::error(ErrorCode::TooManyRequests);
            return Err(draft.with("Retry-After", retry_after_s.to_string()));
        }
        let found = look();
        if found.is_none() {
            memory::note_guess(now_ms, from);
        }
        Ok(found)
    }

    /// What changes something by the cookie alone must come from the desk itself: a sibling host is of the same site, and
    /// its pages would be sent with the cookie. The role is the one that the operator has now.
    fn of_desk_cookie(&self) -> Option<&Operator> {
        let scheme = self.incoming.scheme();
        let origin = self.incoming.header("origin");
        let looks = matches!(self.incoming.method(), "GET" | "HEAD");
        if !looks && !is_own_origin(origin.as_deref(), scheme, &self.host) {
            return None;
        }
        let now_ms = dice::now_ms();
        let header = self.incoming.header("cookie");
        let values = Cookies::new(scheme, &self.host).values(header.as_deref(), CookieName::Admin);
        let keyring = &self.deployment.keyring;
        let mut shown = self.deployment.operators.iter().filter(|operator| {
            let fingerprint = operator.fingerprint();
            let scope = self.desk_scope(&fingerprint);
            let is_good = |value: &&str| keyring.verify::<Desk>(value, scope, now_ms).is_ok();
            values.iter().take(COOKIES_MAX).any(is_good)
        });
        // Of two operators' cookies neither counts.
        let found = shown.next()?;
        shown.next().is_none().then_some(found)
    }

    fn desk_scope<'a>(&'a self, fingerprint: &'a str) -> Scope<'a> {
        Scope {
            room: fingerprint,
            host: self.host.as_str(),
        }
    }

    /// `GET /__baton/admin/`
    pub(super) async fn shell(&self) -> Draft {
        if self.deployment.operators.is_empty() {
            return Draft::error(ErrorCode::NotFound);
        }
        let Some(html) = statics::read(&self.env, "desk.html").await else {
            return Draft::error(ErrorCode::Internal);
        };
        Draft::new(200)
            .with("Content-Type", "text/html; charset=utf-8")
            .with("Content-Security-Policy", POLICY)
            .with("X-Frame-Options", "DENY")
            .with("Referrer-Policy", "no-referrer")
            .with("X-Robots-Tag", "noindex")
            .body(html)
    }

    /// `POST /__baton/admin/session`: the token, in the header or the body, for a cookie.
    pub(super) async fn sign_in(&self) -> Result<Draft, JsValue> {
        let operators = &self.deployment.operators;
        if operators.is_empty() {
            return Ok(Draft::error(ErrorCode::NotFound));
        }
        let heard = match self.incoming.header("authorization") {
            Some(header) => self.heard(|| operators.shown_in(&header)),
            None => match self.shown_in_body().await? {
                Some(shown) => self.heard(|| operators.of_token(&shown.token)),
                None => {
                    let cure = "Send {\"token\": \"…\"} with its Content-Length, or Authorization: Bearer …";
                    return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
                }
            },
        };
        let operator = match heard {
            Ok(Some(operator)) => operator,
            Ok(None) => return Ok(unauthorized()),
            Err(refusal) => return Ok(refusal),
        };
        if !operator.role.reaches(Role::View) {
            let why = "Your role opens no desk.";
            return Ok(Draft::error_saying(ErrorCode::Forbidden, why));
        }
        let desk = Desk {
            ends_at_ms: dice::now_ms().saturating_add(COOKIE_S * 1_000),
        };
        let fingerprint = operator.fingerprint();
        let value = (self.deployment.keyring).sign(&desk, self.desk_scope(&fingerprint));
        let cookie = self.cookies().set(CookieName::Admin, &value, COOKIE_S);
        Ok(Draft::new(204).cookies(vec![cookie]))
    }

    async fn shown_in_body(&self) -> Result<Option<Shown>, JsValue> {
        let length = self.incoming.header("content-length");
        let length = length.and_then(|length| length.parse::<u64>().ok());
        if length.is_none_or(|length| length > BODY_BYTES_MAX) {
            return Ok(None);
        }
        let body = js::text_of(self.incoming.raw()).await?;
        Ok(serde_json::from_str(&body).ok())
    }

    /// `DELETE /__baton/admin/session`: the cookie goes. Needs no token, for an ended cookie goes as well.
    pub(super) fn sign_out(&self) -> Draft {
        if self.deployment.operators.is_empty() {
            return Draft::error(ErrorCode::NotFound);
        }
        Draft::new(204).cookies(vec![self.cookies().clear(CookieName::Admin)])
    }
}

/// The one answer to whoever is not the operator, whatever is wrong.
fn unauthorized() -> Draft {
    Draft::error(ErrorCode::Unauthorized).with("WWW-Authenticate", "Bearer")
}
