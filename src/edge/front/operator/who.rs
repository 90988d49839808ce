//! Which operator asks, by a token, by Access's assertion or by the desk's cookie, and whether that operator may.
//! It decides who asks, never what is done.

use worker::Env;

use super::vouch;
use crate::dice;
use crate::front::answers::Draft;
use crate::front::received::Received;
use crate::front::{house, js, memory};
use crate::log::{self, Code, Remark};
use crate::orders::Sessions;
use crate::peers::Address;
use gate::{CookieName, Cookies, ErrorCode, is_own_origin};
use token::{Desk, Need, Operator, Scope};

/// How many cookies of the name are looked at: each is tried with every operator, and only a client that sets them by hand has many.
const COOKIES_MAX: usize = 4;
/// How long the object that remembers sessions may take, ms.
const PATIENCE_MS: u64 = 5_000;

/// Where operators come in: a request for something of theirs, of which nobody knows yet who makes it.
pub struct Door<'a> {
    /// The bindings.
    pub env: &'a Env,
    /// The request.
    pub received: &'a Received,
}

impl<'a> Door<'a> {
    /// Returns the operator who asks, if that operator meets `need`; otherwise the refusal.
    pub async fn operator_who_may(&self, need: Need<'_>) -> Result<&'a Operator, Draft> {
        let operator = self.operator().await?;
        let may = operator.may(need);
        may.map_err(|denied| Draft::denied(&denied))?;
        Ok(operator)
    }

    /// Returns the operator who asks, by a token, by Access's assertion or by the desk's cookie; otherwise the refusal.
    pub async fn operator(&self) -> Result<&'a Operator, Draft> {
        let operators = &self.received.deployment.operators;
        if operators.is_empty() {
            return Err(Draft::error(ErrorCode::NotFound));
        }
        let found = match self.received.incoming.header("authorization") {
            Some(header) => self.heard(|| operators.shown_in(&header))?,
            None if !self.may_be_ambient() => None,
            None => match vouch::email_by_access(self.received.deployment.settings.access.as_ref(), &self.received.incoming).await {
                Ok(Some(email)) if let Some(operator) = operators.of_email(&email) => Some(operator),
                Ok(_) => self.of_desk_cookie().await?,
                Err(doubt) => {
                    vouch::say_doubt(doubt);
                    None
                }
            },
        };
        let operator = found.filter(|operator| self.counts(operator));
        operator.ok_or_else(unauthorized)
    }

    /// Whether an operator counts now: not over, and known to the file, or to a house that was heard from lately.
    pub(super) fn counts(&self, operator: &Operator) -> bool {
        let now_ms = dice::now_ms();
        let is_known = !self.received.deployment.of_house.contains(&operator.name) || house::vouches_for_operators(now_ms);
        is_known && !operator.is_over(now_ms)
    }

    /// Looks at a token, unless too many from this address were nobody's. Where no address is known, one guesser would silence everybody, so there a
    /// right token is heard all the same: it has 32 characters at least. A cookie needs no such care: it cannot be guessed.
    pub(super) fn heard<'o>(&self, look: impl FnOnce() -> Option<&'o Operator>) -> Result<Option<&'o Operator>, Draft> {
        let (now_ms, from) = (dice::now_ms(), self.received.address());
        let slowed_s = memory::slowed_s(now_ms, from);
        let is_looked_at = slowed_s.is_none() || from.is_none();
        match (is_looked_at.then(look).flatten(), slowed_s) {
            (Some(operator), _) => Ok(Some(operator)),
            (None, Some(retry_after_s)) => {
                let draft = Draft::error(ErrorCode::TooManyRequests);
                Err(draft.with("Retry-After", retry_after_s.to_string()))
            }
            (None, None) => {
                memory::note_guess(now_ms, from);
                Ok(None)
            }
        }
    }

    /// Whether what a browser adds by itself (the desk's cookie, Access's assertion) may say who asks. A change must come from the desk itself: a
    /// sibling host is of the same site, so requests of its pages carry all of it.
    pub(super) fn may_be_ambient(&self) -> bool {
        let origin = self.received.incoming.header("origin");
        let looks = matches!(self.received.incoming.method(), "GET" | "HEAD");
        looks || is_own_origin(origin.as_deref(), self.received.incoming.scheme(), &self.received.host)
    }

    /// Returns the operator whose cookie is shown, with the role that the operator has now, unless the session was signed out.
    ///
    /// # Errors
    /// The refusal, if nobody can tell now whether it was.
    async fn of_desk_cookie(&self) -> Result<Option<&'a Operator>, Draft> {
        let shown = self.desk_sessions();
        let Some((operator, _)) = shown.first().copied() else {
            return Ok(None);
        };
        // Cookies of two operators count for neither.
        if shown.iter().any(|(other, _)| other.name != operator.name) {
            return Ok(None);
        }
        match self.ask_sessions("ask-sessions", &shown).await {
            Some(200) => Ok(Some(operator)),
            Some(_) => Ok(None),
            None => {
                let why = "Nobody can tell now whether this session was signed out. Try again, or show your token.";
                Err(Draft::error_saying(ErrorCode::RoomUnavailable, why))
            }
        }
    }

    /// Returns the sessions that the desk's cookies of this request prove, and whose each is.
    pub(super) fn desk_sessions(&self) -> Vec<(&'a Operator, Desk)> {
        let scheme = self.received.incoming.scheme();
        let now_ms = dice::now_ms();
        let header = self.received.incoming.header("cookie");
        let values = Cookies::new(scheme, &self.received.host).values(header.as_deref(), CookieName::Admin);
        let keyring = &self.received.deployment.keyring;
        let of_operator = |operator: &'_ Operator| {
            let fingerprint = operator.fingerprint();
            let scope = self.desk_scope(&fingerprint);
            let shown = values.iter().take(COOKIES_MAX);
            let desks = shown.filter_map(|value| keyring.verify::<Desk>(value, scope, now_ms).ok());
            desks.map(|verified| verified.token).collect::<Vec<_>>()
        };
        let operators = self.received.deployment.operators.iter();
        let each = operators.flat_map(|operator| {
            let desks = of_operator(operator).into_iter();
            desks.map(move |desk| (operator, desk))
        });
        each.collect()
    }

    /// Asks the object that remembers which sessions were signed out, or tells it. Returns its status, or `None` if it does not answer.
    pub(super) async fn ask_sessions(&self, path: &str, shown: &[(&'a Operator, Desk)]) -> Option<u16> {
        let named = shown.iter().map(|(_, desk)| {
            let session = u64::from_be_bytes(desk.session);
            (format!("{session:016x}"), desk.ends_at_ms)
        });
        let body = serde_json::to_string(&Sessions(named.collect())).ok()?;
        let asked = Address::of_sessions().post(self.env, path, &[], body.as_bytes(), PATIENCE_MS).await;
        match asked {
            Ok(answer) if answer.status < 500 => Some(answer.status),
            Ok(answer) => {
                let why = format!("the sessions answered {}", answer.status);
                log::say(&Remark::front(Code::HouseUnreachable).because(why));
                None
            }
            Err(error) => {
                let why = js::describe(&error);
                log::say(&Remark::front(Code::HouseUnreachable).because(why));
                None
            }
        }
    }

    pub(super) fn desk_scope<'s>(&'s self, fingerprint: &'s str) -> Scope<'s> {
        Scope {
            room: fingerprint,
            host: self.received.host.as_str(),
        }
    }
}

/// The one answer to whoever is no operator, whatever is wrong.
pub(super) fn unauthorized() -> Draft {
    Draft::error(ErrorCode::Unauthorized).with("WWW-Authenticate", "Bearer")
}
