//! Operators sign in at an OpenID provider. An ID token is good for one thing, the desk's cookie of whoever signs in. It must open nothing by itself.

use std::cell::{Cell, RefCell};

use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::vouch::{self, Failed};
use super::who::Door;
use crate::dice;
use crate::front::answers::Draft;
use crate::front::memory;
use crate::log::{self, Code, Remark};
use gate::{CookieName, Cookies, ErrorCode, Scheme};
use settings::Oidc;
use token::{Algorithm, Assertion, Doubt, Email, Expected, FAILED_MS, KEYS_MS, Login, PROVIDER_BYTES_MAX, Provider, Returned, Scope};

/// How long somebody may take to sign in at the provider, ms.
const LOGIN_MS: u64 = 600_000;
/// Where the provider sends people back to.
const BACK: &str = "/__baton/admin/oidc/callback";
/// The desk.
const DESK: &str = "/__baton/admin/";

thread_local! {
    /// When the provider last failed to say what it offers, Unix ms.
    static SILENT: Cell<Option<u64>> = const { Cell::new(None) };
    /// When the provider last said what it offers, Unix ms, and what it said.
    static PROVIDER: RefCell<Option<(u64, Provider)>> = const { RefCell::new(None) };
}

/// Returns what the provider says it offers, at most an hour old.
async fn provider(oidc: &Oidc) -> Result<Provider, Failed> {
    let now_ms = dice::now_ms();
    let known = PROVIDER.with_borrow(Clone::clone);
    if let Some((_, provider)) = known.filter(|(at, _)| now_ms.abs_diff(*at) < KEYS_MS) {
        return Ok(provider);
    }
    let is_silent = SILENT.get().is_some_and(|at| now_ms.abs_diff(at) < FAILED_MS);
    if is_silent {
        return Err(Failed::Away);
    }
    let told = asked_of(oidc).await;
    match &told {
        Ok(provider) => PROVIDER.set(Some((now_ms, provider.clone()))),
        Err(_) => SILENT.set(Some(now_ms)),
    }
    told
}

async fn asked_of(oidc: &Oidc) -> Result<Provider, Failed> {
    let url = Provider::configuration_url(&oidc.issuer);
    let text = vouch::fetched(&url, PROVIDER_BYTES_MAX).await?;
    Provider::parse(&oidc.issuer, &text).ok_or_else(|| {
        let remark = Remark::front(Code::IdentityUnreachable);
        log::say(&remark.because("the provider's configuration is not that of OIDC.issuer"));
        Failed::Away
    })
}

impl<'a> Door<'a> {
    /// `GET /__baton/admin/oidc`: sends the browser to the provider, with a cookie by which it is known when it comes back.
    pub(super) async fn go_to_provider(&self) -> Result<Draft, JsValue> {
        let Some(oidc) = self.oidc() else {
            return Ok(Draft::error(ErrorCode::NotFound));
        };
        let Ok(provider) = provider(oidc).await else {
            return Ok(self.back_to_desk("unreachable"));
        };
        let login = Login {
            seed: dice::random_bytes()?,
            ends_at_ms: dice::now_ms().saturating_add(LOGIN_MS),
        };
        let value = (self.received.deployment.keyring).sign(&login, self.login_scope(oidc));
        let cookie = self.received.cookies().set(CookieName::Login, &value, LOGIN_MS / 1_000);
        let to = provider.question(&oidc.client_id, &oidc.scopes, &self.way_back_from_provider(), &login);
        let draft = Draft::new(303).with("Location", to);
        Ok(draft.with("Referrer-Policy", "no-referrer").cookies(vec![cookie]))
    }

    /// `GET /__baton/admin/oidc/callback`: takes the browser back from the provider, and exchanges its code for the desk's cookie.
    pub(super) async fn back_from_provider(&self) -> Draft {
        let Some(oidc) = self.oidc() else {
            return Draft::error(ErrorCode::NotFound);
        };
        // Each return costs the provider a question, so whoever brings back nonsense is slowed like whoever guesses tokens.
        let (now_ms, from) = (dice::now_ms(), self.received.address());
        if let Some(retry_after_s) = memory::slowed_s(now_ms, from) {
            let draft = Draft::error(ErrorCode::TooManyRequests);
            return draft.with("Retry-After", retry_after_s.to_string());
        }
        let refused = |why| self.back_to_desk(why);
        let email = match self.signed_in(oidc).await {
            Ok(email) => email,
            Err(Failed::Away) => return refused("unreachable"),
            Err(Failed::Doubted(doubt)) => {
                vouch::say_doubt(doubt);
                memory::note_guess(now_ms, from);
                return refused("refused");
            }
        };
        let operator = self.received.deployment.operators.of_email(&email);
        let operator = operator.filter(|operator| self.counts(operator));
        match operator.map(|operator| self.desk_cookie(operator)) {
            Some(Err(_)) => refused("unreachable"),
            Some(Ok(cookie)) => {
                let cookies = vec![self.received.cookies().clear(CookieName::Login), cookie];
                Draft::new(303).with("Location", DESK.to_owned()).cookies(cookies)
            }
            None => refused("unknown"),
        }
    }

    /// Exchanges the code, checks the ID token, and returns the email address of whoever comes back.
    async fn signed_in(&self, oidc: &Oidc) -> Result<String, Failed> {
        let returned = Returned::parse(self.received.incoming.path_and_query());
        let login = self.login(oidc, &returned).ok_or(Doubt::Nonce)?;
        let code = returned.code.as_deref().ok_or(Doubt::Code)?;
        let provider = provider(oidc).await?;
        let client = (oidc.client_id.as_str(), self.received.deployment.oidc_secret.as_deref());
        let back = self.way_back_from_provider();
        let (body, authorization) = provider.exchange(client, (code, &back), &login);
        let text = vouch::sent(&provider.token, &body, authorization.as_deref().unwrap_or_default()).await?;
        let told: Value = serde_json::from_str(&text).unwrap_or_default();
        let token = told.get("id_token").and_then(Value::as_str);
        let token = token.ok_or(Doubt::Code)?;
        let assertion = Assertion::open(token, &[Algorithm::Rs256, Algorithm::Es256])?;
        let nonce = login.nonce();
        let expected = Expected {
            issuer: &oidc.issuer,
            audience: &oidc.client_id,
            nonce: Some(&nonce),
            email: Email::Verified,
        };
        vouch::vouched(&assertion, &provider.keys, expected).await
    }

    /// Returns the sign-in that this browser began and that comes back here.
    fn login(&self, oidc: &Oidc, returned: &Returned) -> Option<Login> {
        let header = self.received.incoming.header("cookie");
        let cookies = Cookies::new(self.received.incoming.scheme(), &self.received.host);
        let values = cookies.values(header.as_deref(), CookieName::Login);
        let keyring = &self.received.deployment.keyring;
        let now_ms = dice::now_ms();
        let logins = values.iter().filter_map(|value| {
            let verified = keyring.verify::<Login>(value, self.login_scope(oidc), now_ms);
            verified.ok().map(|verified| verified.token)
        });
        let mut logins = logins.filter(|login| returned.answers(login));
        logins.next()
    }

    fn oidc(&self) -> Option<&Oidc> {
        self.received.deployment.settings.oidc.as_ref()
    }

    fn login_scope<'s>(&'s self, oidc: &'s Oidc) -> Scope<'s> {
        Scope {
            room: &oidc.issuer,
            host: self.received.host.as_str(),
        }
    }

    fn way_back_from_provider(&self) -> String {
        let scheme = match self.received.incoming.scheme() {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        format!("{scheme}://{}{BACK}", self.received.host.as_str())
    }

    /// Leads back to the desk, which says why nobody was signed in. The sign-in's cookie has done its work either way.
    fn back_to_desk(&self, why: &str) -> Draft {
        let cookie = self.received.cookies().clear(CookieName::Login);
        let to = format!("{DESK}#sign-in={why}");
        Draft::new(303).with("Location", to).cookies(vec![cookie])
    }
}
