//! Names for new visitors, which say where they were given; the platform's own rate limit, where it is bound; and the answers to visitors who are
//! over a limit. The lobby counts the shares (`lobby/limits.rs`).

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use worker::Env;

use super::answers::Draft;
use super::received::Received;
use super::waiting::Waiting;
use super::{js, lobby, memory};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::units::{AccountId, AddressTag, VisitorId};
use facts::wire::{Limited, Share, Status};
use gate::{Address, ErrorCode, FrontWords, Language};
use settings::RoomSettings;

/// The binding of the platform's rate limit (`[[ratelimits]]` in wrangler.toml). Without it no limiter is asked.
const BINDING: &str = "JOIN_LIMITER";
/// How long the front waits for the limiter, ms. After that the visitor may ask.
const LIMITER_TIMEOUT_MS: u64 = 250;
/// Seconds after which the platform's count is over at the latest.
const LIMITER_RETRY_S: u64 = 60;

impl Received {
    /// Makes a name for a new visitor. In a rehearsal it says nothing of the address: everybody comes from one address
    /// there, and the crowd must fill every lobby.
    ///
    /// # Errors
    /// When the platform gives no random bytes.
    pub fn new_visitor(&self, room: &RoomSettings) -> Result<VisitorId, JsValue> {
        Ok(match self.address_tag(room) {
            Some(tag) => VisitorId::at(tag, dice::random_bytes()?),
            None => VisitorId(dice::random_bytes()?),
        })
    }

    /// The tag of the address that the request comes from, if it is known and counts.
    pub(super) fn address_tag(&self, room: &RoomSettings) -> Option<AddressTag> {
        let address = self.address().filter(|_| !room.is_rehearsal())?;
        Some(self.deployment.keyring.tag(address))
    }

    /// The address that the request comes from. Only what Cloudflare itself writes counts; behind anything else there is none. Whoever has one that
    /// cannot be read shares the limits of [`Address::UNREADABLE`] with all others, and the log says so.
    pub(super) fn address(&self) -> Option<Address> {
        let told = self.incoming.header("cf-connecting-ip")?;
        if told.trim().is_empty() {
            return None;
        }
        let address = Address::parse(&told);
        if address.is_none() && memory::begin_saying_address(dice::now_ms()) {
            log::say(&Remark::front(Code::AddressUnreadable));
        }
        Some(address.unwrap_or(Address::UNREADABLE))
    }
}

/// Asks the platform's limiter whether this visitor may ask for a number. Counts by account if the shop's token names one, otherwise by
/// address. If the limiter fails, everybody may.
pub async fn check_limit(env: &Env, received: &Received, room: &RoomSettings, account: Option<AccountId>) -> Result<(), Limited> {
    let limiter = Reflect::get(env, &BINDING.into()).unwrap_or_default();
    let is_asked = !limiter.is_falsy() && !room.is_rehearsal();
    let address = received.address().filter(|_| is_asked);
    let name = match (account, address) {
        (Some(AccountId(id)), _) if is_asked => VisitorId(id).to_string(),
        (_, Some(address)) => VisitorId::at(received.deployment.keyring.tag(address), [0; 8]).to_string(),
        (_, None) => return Ok(()),
    };
    let key = format!("{}/{name}", room.name);
    let asked = ask_limiter(&limiter, &key);
    let lets = match lobby::within(LIMITER_TIMEOUT_MS, asked).await {
        Some(Ok(lets)) => lets,
        Some(Err(error)) => {
            let remark = Remark::front(Code::LimiterFailed).in_room(&room.name);
            log::say(&remark.because(js::describe(&error)));
            true
        }
        None => true,
    };
    lets.then_some(()).ok_or(Limited {
        by: Share::Address,
        retry_after_s: LIMITER_RETRY_S,
    })
}

/// Answers a call over a limit.
pub fn limited(limited: Limited) -> Draft {
    let draft = match reason(limited.by, Language::DEFAULT) {
        Some(reason) => Draft::error_saying(ErrorCode::TooManyRequests, reason),
        None => Draft::error(ErrorCode::LineFull),
    };
    draft.with("Retry-After", limited.retry_after_s.to_string())
}

/// Returns the page for a navigation over a limit: it says why, and refreshes when that is worth it.
pub fn limited_page(language: Language, room: &RoomSettings, status: Status, limited: Limited, cookies: Vec<String>) -> Waiting {
    let retry_after_s = limited.retry_after_s;
    let mut status = Status {
        poll_after_s: retry_after_s,
        ..status
    };
    let Some(reason) = reason(limited.by, language) else {
        return Waiting::full(room, status, retry_after_s, cookies);
    };
    status.message = Some(reason.to_owned());
    status.messages.clear();
    Waiting {
        retry_after_s,
        ..Waiting::told(room, status, cookies)
    }
}

async fn ask_limiter(limiter: &JsValue, key: &str) -> Result<bool, JsValue> {
    let limit: Function = Reflect::get(limiter, &"limit".into())?.dyn_into()?;
    let options = js_sys::Object::new();
    Reflect::set(&options, &"key".into(), &key.into())?;
    let outcome: Promise = limit.call1(limiter, &options)?.dyn_into()?;
    let outcome = JsFuture::from(outcome).await?;
    Ok(!Reflect::get(&outcome, &"success".into())?.is_falsy())
}

/// Returns which share is used up, in plain words; `None` if it is the line that is full, which the page itself says.
const fn reason(by: Share, language: Language) -> Option<&'static str> {
    let words = FrontWords::of(language);
    match by {
        Share::Visitor => Some(words.too_often),
        Share::Address => Some(words.too_many_at_once),
        Share::Tickets => Some(words.too_many_in_line),
        Share::Line => None,
    }
}
