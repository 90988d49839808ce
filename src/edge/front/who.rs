//! Which operator asks, by a token, by Access's assertion or by the desk's cookie, and whether that operator may.
//! It decides who asks, never what is done.

use super::answers::Draft;
use super::{Front, house, memory, vouch};
use crate::edge::dice;
use crate::gate::{CookieName, Cookies, ErrorCode, is_own_origin};
use crate::ordered::filled;
use crate::settings::operator_shown;
use crate::token::{Desk, Need, Operator, Scope};
use serde_json::Value;

/// How many cookies of the name are looked at: each is tried with every operator, and only a client that sets them by hand has many.
const COOKIES_MAX: usize = 4;

impl Front {
    /// Returns the operator who asks, if that operator meets `need`; otherwise the refusal.
    pub(super) async fn operator_who_may(&self, need: Need<'_>) -> Result<&Operator, Draft> {
        let operator = self.operator().await?;
        let may = operator.may(need);
        may.map_err(|denied| Draft::denied(&denied))?;
        Ok(operator)
    }

    /// Returns the operator who asks, by a token, by Access's assertion or by the desk's cookie; otherwise the refusal.
    pub(super) async fn operator(&self) -> Result<&Operator, Draft> {
        let operators = &self.deployment.operators;
        if operators.is_empty() {
            return Err(Draft::error(ErrorCode::NotFound));
        }
        let found = match self.incoming.header("authorization") {
            Some(header) => self.heard(|| operators.shown_in(&header))?,
            None if !self.may_be_ambient() => None,
            None => match self.of_access().await {
                Ok(Some(operator)) => Some(operator),
                Ok(None) => self.of_desk_cookie(),
                Err(doubt) => {
                    vouch::say_doubt(doubt);
                    None
                }
            },
        };
        let operator = found.filter(|operator| self.counts(operator));
        operator.ok_or_else(unauthorized)
    }

    /// The operators whom the file names, by name, and the holder of the secret if it is set. Only a deploy changes them.
    pub(super) fn operators_of_file(&self) -> Value {
        let own = |operator: &&Operator| !self.deployment.of_house.contains(&operator.name);
        let named = self.deployment.operators.iter().filter(own);
        let shown = named.map(|operator| (operator.name.clone(), operator_shown(operator)));
        Value::Object(filled(shown))
    }

    /// Whether an operator counts now: not over, and known to the file, or to a house that was heard from lately.
    pub(super) fn counts(&self, operator: &Operator) -> bool {
        let now_ms = dice::now_ms();
        let is_known = !self.deployment.of_house.contains(&operator.name)
            || house::vouches_for_operators(now_ms);
        is_known && !operator.is_over(now_ms)
    }

    /// Looks at a token, unless too many from this address were nobody's. A cookie needs no such care: it cannot be guessed.
    pub(super) fn heard<'o>(
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

    /// Whether what a browser adds by itself (the desk's cookie, Access's assertion) may say who asks. A change must come from the desk itself: a
    /// sibling host is of the same site, so requests of its pages carry all of it.
    fn may_be_ambient(&self) -> bool {
        let origin = self.incoming.header("origin");
        let looks = matches!(self.incoming.method(), "GET" | "HEAD");
        looks || is_own_origin(origin.as_deref(), self.incoming.scheme(), &self.host)
    }

    /// Returns the operator whose cookie is shown, with the role that the operator has now.
    fn of_desk_cookie(&self) -> Option<&Operator> {
        let scheme = self.incoming.scheme();
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
        // Cookies of two operators count for neither.
        let found = shown.next()?;
        shown.next().is_none().then_some(found)
    }

    pub(super) fn desk_scope<'a>(&'a self, fingerprint: &'a str) -> Scope<'a> {
        Scope {
            room: fingerprint,
            host: self.host.as_str(),
        }
    }
}

/// The one answer to whoever is no operator, whatever is wrong.
pub(super) fn unauthorized() -> Draft {
    Draft::error(ErrorCode::Unauthorized).with("WWW-Authenticate", "Bearer")
}
