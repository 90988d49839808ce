//! Who vouches for operators: Cloudflare Access by its assertions, or an OpenID provider by signing in (`provider`). This file fetches the issuers'
//! documents and has the platform verify signatures; `token/vouched/` decides what is believed.

use facts::few::FewMap;
use std::cell::RefCell;

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::dice;
use crate::front::incoming::Incoming;
use crate::front::js;
use crate::log::{self, Code, Remark};
use settings::Access;
use token::{Algorithm, Assertion, Doubt, Email, Expected, KEYS_BYTES_MAX, Keyset, Lookup, PROVIDER_BYTES_MAX, PublicKey};

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

/// The most issuers whose keys are kept: Access, and one or two addresses of the provider's.
const ISSUERS_MAX: usize = 4;

/// The least time between two log lines about the same doubt, ms.
const DOUBT_EVERY_MS: u64 = 10_000;

thread_local! {
    /// The issuers' keys, by the address of the keys.
    static KEYSETS: RefCell<FewMap<String, Keyset>> = const { RefCell::new(FewMap::new()) };
    /// When the log last said that somebody is not believed for this reason, Unix ms.
    static SAID: RefCell<FewMap<&'static str, u64>> = const { RefCell::new(FewMap::new()) };
}

/// Why nobody is let in.
pub(super) enum Failed {
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
pub(super) async fn vouched(assertion: &Assertion, keys_url: &str, expected: Expected<'_>) -> Result<String, Failed> {
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
        work(keysets.or_default(url.to_owned()))
    })
}

pub(super) async fn fetched(url: &str, bytes_max: usize) -> Result<String, Failed> {
    let bytes_max = u32::try_from(bytes_max).unwrap_or(u32::MAX);
    text_of(VOUCHERS.with(|vouchers| vouchers.get(url, bytes_max, PATIENCE_MS))).await
}

/// Sends the provider a form. Returns its answer.
pub(super) async fn sent(url: &str, body: &str, authorization: &str) -> Result<String, Failed> {
    let bytes_max = u32::try_from(PROVIDER_BYTES_MAX).unwrap_or(u32::MAX);
    text_of(VOUCHERS.with(|vouchers| vouchers.post(url, body, authorization, bytes_max, PATIENCE_MS))).await
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

/// Returns the email address for which Access vouches. `None` if Access does not stand before Baton.
///
/// # Errors
/// The doubt, if an assertion is shown that is not believed, or the issuer's keys cannot be fetched.
pub(super) async fn email_by_access(access: Option<&Access>, incoming: &Incoming) -> Result<Option<String>, Doubt> {
    let (Some(access), Some(text)) = (access, incoming.header(ASSERTION)) else {
        return Ok(None);
    };
    match believed(access, &text).await {
        Ok(email) => Ok(Some(email)),
        Err(Failed::Doubted(doubt)) => Err(doubt),
        Err(Failed::Away) => Err(Doubt::Key),
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
