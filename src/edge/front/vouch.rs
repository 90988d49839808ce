//! Who vouches for operators: Cloudflare Access by its assertions, or an OpenID provider by signing in. This file fetches the issuers' documents and
//! has the platform verify signatures; `token/vouched/` decides what is believed.
//!
//! An ID token is good for one thing, the desk's cookie of whoever signs in. It must open nothing by itself.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use js_sys::{Promise, Uint8Array};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::answers::Draft;
use super::who::Door;
use super::{js, memory};
use crate::dice;
use crate::log::{self, Code, Remark};
use gate::{CookieName, Cookies, ErrorCode, Scheme};
use settings::{Access, Oidc};
use token::{
    Algorithm, Assertion, Doubt, Email, Expected, FAILED_MS, KEYS_BYTES_MAX, KEYS_MS, Keyset, Login, Lookup, Operator, PROVIDER_BYTES_MAX, Provider,
    PublicKey, Returned, Scope,
};

#[wasm_bindgen(module = "/front/vouch.js")]
extern "C" {
    type Vouchers;
    #[wasm_bindgen(thread_local_v2, js_name = vouchers)]
    static VOUCHERS: Vouchers;

    #[wasm_bindgen(method)]
    fn get(this: &Vouchers, url: &str, bytes_max: u32, timeout_ms: u32) -> Promise;
    #[wasm_bindgen(method)]
    fn post(this: &Vouchers, url: &str, body: &str, authorization: &str, bytes_max: u32, timeout_ms: u32) -> Promise;
    #[wasm_bindgen(method)]
    fn verify(this: &Vouchers, algorithm: &str, jwk: &str, signature: Uint8Array, signed: Uint8Array) -> Promise;
}

/// The header in which Access puts its assertion.
const ASSERTION: &str = "cf-access-jwt-assertion";
/// How long an issuer may take, ms.
const PATIENCE_MS: u32 = 5_000;
/// How long somebody may take to sign in at the provider, ms.
const LOGIN_MS: u64 = 600_000;
/// The most issuers whose keys are kept: Access, and one or two addresses of the provider's.
const ISSUERS_MAX: usize = 4;
/// Where the provider sends people back to.
const BACK: &str = "/__baton/admin/oidc/callback";
/// The least time between two log lines about the same doubt, ms.
const DOUBT_EVERY_MS: u64 = 10_000;
/// The desk.
const DESK: &str = "/__baton/admin/";

thread_local! {
    /// The issuers' keys, by the address of the keys.
    static KEYSETS: RefCell<BTreeMap<String, Keyset>> = const { RefCell::new(BTreeMap::new()) };
    /// When the log last said that somebody is not believed for this reason, Unix ms.
    static SAID: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
    /// When the provider last failed to say what it offers, Unix ms.
    static SILENT: Cell<Option<u64>> = const { Cell::new(None) };
    /// When the provider last said what it offers, Unix ms, and what it said.
    static PROVIDER: RefCell<Option<(u64, Provider)>> = const { RefCell::new(None) };
}

/// Why nobody is let in.
enum Failed {
    /// What was shown is not believed.
    Doubted(Doubt),
    /// The issuer cannot be asked.
    Away,
}

impl From<Doubt> for Failed {
    fn from(doubt: Doubt) -> Self {
        Self::Doubted(doubt)
    }
}

/// Returns the email address that an assertion vouches for.
async fn vouched(assertion: &Assertion, keys_url: &str, expected: Expected<'_>) -> Result<String, Failed> {
    let key = key_of(assertion.key(), keys_url).await?;
    let asked = assertion.ask(&key)?;
    let bytes = |bytes: &[u8]| Uint8Array::from(bytes);
    let answer = VOUCHERS.with(|vouchers| {
        let (signature, signed) = (bytes(asked.signature), bytes(asked.signed));
        vouchers.verify(asked.algorithm.name(), asked.jwk, signature, signed)
    });
    let answer = JsFuture::from(answer).await;
    let is_good = answer.is_ok_and(|is_good| is_good.is_truthy());
    let email = assertion.answered(is_good, expected, dice::now_ms())?;
    Ok(email.to_owned())
}

/// Returns an issuer's key by its id, and asks the issuer if it must.
async fn key_of(id: &str, url: &str) -> Result<PublicKey, Failed> {
    let look = |keyset: &Keyset| match keyset.find(id, dice::now_ms()) {
        Lookup::Found(key) => Some(Ok(key.clone())),
        Lookup::Unknown => Some(Err(Failed::Doubted(Doubt::Key))),
        Lookup::Ask => None,
    };
    if let Some(found) = with_keyset(url, |keyset| look(keyset)) {
        return found;
    }
    with_keyset(url, |keyset| keyset.asked(dice::now_ms()));
    match fetched(url, KEYS_BYTES_MAX).await {
        Ok(text) => with_keyset(url, |keyset| keyset.came(&text, dice::now_ms())),
        Err(failed) => {
            with_keyset(url, |keyset| keyset.failed(dice::now_ms()));
            return Err(failed);
        }
    }
    with_keyset(url, |keyset| look(keyset)).unwrap_or(Err(Failed::Doubted(Doubt::Key)))
}

fn with_keyset<T>(url: &str, work: impl FnOnce(&mut Keyset) -> T) -> T {
    KEYSETS.with_borrow_mut(|keysets| {
        if keysets.len() >= ISSUERS_MAX && !keysets.contains_key(url) {
            keysets.clear();
        }
        work(keysets.entry(url.to_owned()).or_default())
    })
}

async fn fetched(url: &str, bytes_max: usize) -> Result<String, Failed> {
    let bytes_max = u32::try_from(bytes_max).unwrap_or(u32::MAX);
    text_of(VOUCHERS.with(|vouchers| vouchers.get(url, bytes_max, PATIENCE_MS))).await
}

async fn text_of(asked: Promise) -> Result<String, Failed> {
    match JsFuture::from(asked).await {
        Ok(text) => Ok(text.as_string().unwrap_or_default()),
        Err(error) => {
            let remark = Remark::front(Code::IdentityUnreachable);
            log::say(&remark.because(js::describe(&error)));
            Err(Failed::Away)
        }
    }
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
    let text = fetched(&url, PROVIDER_BYTES_MAX).await?;
    Provider::parse(&oidc.issuer, &text).ok_or_else(|| {
        let remark = Remark::front(Code::IdentityUnreachable);
        log::say(&remark.because("the provider's configuration is not that of OIDC.issuer"));
        Failed::Away
    })
}

/// Logs why somebody is not believed, once in a while for each reason: whoever sends nonsense must not fill the log.
pub(super) fn say_doubt(doubt: Doubt) {
    let now_ms = dice::now_ms();
    let is_news = SAID.with_borrow_mut(|said| {
        let lately = |at: &u64| now_ms.abs_diff(*at) < DOUBT_EVERY_MS;
        let is_news = !said.get(doubt.name()).is_some_and(lately);
        if is_news {
            said.insert(doubt.name(), now_ms);
        }
        is_news
    });
    if is_news {
        log::say(&Remark::front(Code::IdentityRefused).because(doubt.name()));
    }
}

// Cloudflare Access.
impl<'a> Door<'a> {
    /// Returns the operator whom Access names. `None` if Access does not stand before Baton or names no operator: the other ways remain open.
    ///
    /// # Errors
    /// The doubt, if an assertion is shown that is not believed, or the issuer's keys cannot be fetched.
    pub(super) async fn of_access(&self) -> Result<Option<&'a Operator>, Doubt> {
        let Some(access) = &self.received.deployment.settings.access else {
            return Ok(None);
        };
        let Some(text) = self.received.incoming.header(ASSERTION) else {
            return Ok(None);
        };
        match believed(access, &text).await {
            Ok(email) => Ok(self.received.deployment.operators.of_email(&email)),
            Err(Failed::Doubted(doubt)) => Err(doubt),
            Err(Failed::Away) => Err(Doubt::Key),
        }
    }
}

async fn believed(access: &Access, text: &str) -> Result<String, Failed> {
    let assertion = Assertion::open(text, &[Algorithm::Rs256])?;
    let expected = Expected {
        issuer: &access.issuer,
        audience: &access.audience,
        nonce: None,
        email: Email::AsTold,
    };
    vouched(&assertion, &access.certs_url, expected).await
}

// An OpenID provider.
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
                say_doubt(doubt);
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
        let bytes_max = u32::try_from(PROVIDER_BYTES_MAX).unwrap_or(u32::MAX);
        let asked = VOUCHERS.with(|vouchers| {
            let authorization = authorization.as_deref().unwrap_or_default();
            vouchers.post(&provider.token, &body, authorization, bytes_max, PATIENCE_MS)
        });
        let text = text_of(asked).await?;
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
        vouched(&assertion, &provider.keys, expected).await
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
