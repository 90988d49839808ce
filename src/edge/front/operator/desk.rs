//! The desk: its page, which holds no data, and the cookie that stands for an operator's token, so that no script and
//! no browser storage ever keeps the token.

use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::JsValue;

use super::who::{Door, unauthorized};
use crate::dice;
use crate::front::answers::Draft;
use crate::front::statics;
use gate::{CookieName, ErrorCode};
use token::{Desk, Operator, Role};

/// How long the cookie is good, seconds: a day of sales.
const COOKIE_S: u64 = 12 * 3_600;
/// The most bytes of a body with the token. It is small because the body is read before anybody is known.
const BODY_BYTES_MAX: usize = 4_096;
/// The page loads nothing from other sites, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Deserialize)]
struct Shown {
    token: String,
}

impl<'a> Door<'a> {
    /// `GET /__baton/admin/`: answers with the desk's page.
    pub(super) async fn shell(&self) -> Draft {
        if self.received.deployment.operators.is_empty() {
            return Draft::error(ErrorCode::NotFound);
        }
        let Some(html) = statics::read(self.env, "desk.html").await else {
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

    /// `POST /__baton/admin/session`: exchanges the token, in the header or the body, for the cookie.
    pub(super) async fn sign_in(&self) -> Result<Draft, JsValue> {
        let operators = &self.received.deployment.operators;
        if operators.is_empty() {
            return Ok(Draft::error(ErrorCode::NotFound));
        }
        let heard = match self.received.incoming.header("authorization") {
            Some(header) => self.heard(|| operators.shown_in(&header)),
            None => match self.shown_in_body().await? {
                Some(shown) => self.heard(|| operators.of_token(&shown.token)),
                None => {
                    let cure = "Send {\"token\": \"…\"}, or Authorization: Bearer …";
                    return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
                }
            },
        };
        let operator = match heard {
            Ok(Some(operator)) if self.counts(operator) => operator,
            Ok(_) => return Ok(unauthorized()),
            Err(refusal) => return Ok(refusal),
        };
        if !operator.role.reaches(Role::View) {
            let why = "Your role opens no desk.";
            return Ok(Draft::error_saying(ErrorCode::Forbidden, why));
        }
        let cookie = self.desk_cookie(operator)?;
        Ok(Draft::new(204).cookies(vec![cookie]))
    }

    /// Makes the cookie that stands for an operator.
    pub(super) fn desk_cookie(&self, operator: &Operator) -> worker::Result<String> {
        let desk = Desk {
            session: dice::random_bytes()?,
            ends_at_ms: dice::now_ms().saturating_add(COOKIE_S * 1_000),
        };
        let fingerprint = operator.fingerprint();
        let value = (self.received.deployment.keyring).sign(&desk, self.desk_scope(&fingerprint));
        Ok(self.received.cookies().set(CookieName::Admin, &value, COOKIE_S))
    }

    /// `GET /__baton/admin/session`: tells the desk's page in which ways operators sign in here.
    pub(super) fn ways(&self) -> Draft {
        let operators = &self.received.deployment.operators;
        if operators.is_empty() {
            return Draft::error(ErrorCode::NotFound);
        }
        let settings = &self.received.deployment.settings;
        let told = json!({
            "token": operators.iter().any(Operator::has_token),
            "access": settings.access.is_some(),
            "oidc": settings.oidc.is_some(),
        });
        Draft::json(200, told.to_string())
    }

    async fn shown_in_body(&self) -> Result<Option<Shown>, JsValue> {
        let body = self.received.incoming.text(BODY_BYTES_MAX).await?;
        Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
    }

    /// `DELETE /__baton/admin/session`: ends the session, so that its cookie opens nothing any more, and clears the cookie. Needs no token, because an
    /// expired cookie must go too.
    pub(super) async fn sign_out(&self) -> Draft {
        if self.received.deployment.operators.is_empty() {
            return Draft::error(ErrorCode::NotFound);
        }
        let shown = self.desk_sessions();
        if !shown.is_empty() && !self.may_be_ambient() {
            return unauthorized();
        }
        // A cookie that stays can be signed out again.
        if !shown.is_empty() && self.ask_sessions("end-sessions", &shown).await != Some(200) {
            let why = "The session could not be ended: you are still signed in. Try again.";
            return Draft::error_saying(ErrorCode::RoomUnavailable, why);
        }
        Draft::new(204).cookies(vec![self.received.cookies().clear(CookieName::Admin)])
    }
}
