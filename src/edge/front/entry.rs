//! Entry tokens: the front judges the shop's signature once and remembers the result in a token of Baton's own; and it answers visitors whose token
//! does not count. It must never write a token into a log, an address or a request to the origin.

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::Response;

use super::answers::Draft;
use super::platform::Platform;
use super::received::Received;
use super::waiting::{Waiting, unknown};
use super::{beside, health, memory, vouchers};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::entry::{EntryRefusal, EntryRefusals};
use facts::overheard::Overheard;
use facts::units::LobbyId;
use facts::wire::Status;
use gate::{Barred, ENTRY_HEADER, EntryLink, EntryVerdict, PageState, better_entrant, entry_body, gives_place_away, is_entry_text, path_shape};
use settings::{EntryPolicy, RoomSettings};
use token::{Audience, Bearer, Entrant, Opened, Question};

/// The longest time until a refused visitor's page refreshes without JavaScript, seconds.
const LOOK_AGAIN_S_MAX: u64 = 300;
/// The shortest such time, seconds, for a visitor who comes a little early.
const LOOK_AGAIN_S_MIN: u64 = 5;

#[wasm_bindgen(module = "/front/entry.js")]
extern "C" {
    type Signatures;
    #[wasm_bindgen(thread_local_v2, js_name = signatures)]
    static SIGNATURES: Signatures;

    #[wasm_bindgen(method)]
    fn ed25519(this: &Signatures, key: Uint8Array, signature: Uint8Array, signed: Uint8Array) -> Promise;
}

// What a visitor shows.
/// Answers an address with a token: remembers the token and redirects to the address without it. Asks no object, so it moves no place.
pub async fn answer_link(received: &Received, room: &RoomSettings, link: &EntryLink) -> Result<Response, JsValue> {
    if let Some(opened) = beside::staff_link_opened(received, room, link) {
        return opened;
    }
    let draft = sent_on(link.path_and_query.clone());
    if room.entry == EntryPolicy::Off {
        return received.finish(draft);
    }
    let now_ms = dice::now_ms();
    let identity = received.identity(room, now_ms).by_name();
    let new = judge_token(received, room, &link.token, now_ms).await;
    let kept = better_entrant(new, identity.entrant, &received.deployment.entry_keys, now_ms);
    let site = received.incoming.described().whence();
    let holds_place = identity.shown().is_some();
    let kept = kept.filter(|new| {
        let is_same = identity.entrant.map(|known| known.bearer) == Some(new.bearer);
        // An invitation binds the place to no account. It could only replace another voucher or an account, and here there is neither.
        let takes_nothing = matches!(new.bearer, Bearer::Voucher(_)) && identity.entry == EntryVerdict::Nobody;
        is_same || takes_nothing || !gives_place_away(room.entry, site, holds_place)
    });
    let cookie = kept.map(|entrant| received.issuer(room).entry(&entrant));
    received.finish(draft.cookies(cookie.into_iter().collect()))
}

/// Answers a link with a token to a path of no room. Logs the path once: the shop, or an operator, leads people past the room that would take it.
pub fn answer_stray_link(received: &Received, link: EntryLink) -> Result<Response, JsValue> {
    let path = path_shape(received.incoming.path_and_query());
    if memory::begin_saying_unheeded(&path) {
        log::say(&Remark::front(Code::EntryLinkStrays).because(path));
    }
    received.finish(sent_on(link.path_and_query))
}

/// Judges the token in the header of an app's call. Returns `None` if the call shows none.
pub async fn shown_in_header(received: &Received, room: &RoomSettings, now_ms: u64) -> Option<Entrant> {
    if room.entry == EntryPolicy::Off {
        return None;
    }
    let text = received.incoming.header(&ENTRY_HEADER.to_ascii_lowercase())?;
    Some(judge_token(received, room, &text, now_ms).await)
}

/// Judges a token of the shop's or an invitation. Returns what it says, or why it is refused.
async fn judge_token(received: &Received, room: &RoomSettings, text: &str, now_ms: u64) -> Entrant {
    let here = Audience {
        room: room.name_in_file(),
        host: received.host.as_str(),
    };
    let judged = async {
        if !is_entry_text(text) {
            return Err(EntryRefusal::Malformed);
        }
        if let Some(invited) = vouchers::invited(received, room, text, now_ms) {
            return invited;
        }
        let signed = match received.deployment.entry_keys.open(text)? {
            Opened::Signed(signed) => signed,
            Opened::Asked(question) => {
                let is_good = verify(&question).await;
                question.answered(is_good)?
            }
        };
        signed.judge(here, now_ms)
    };
    judged.await.unwrap_or_else(Entrant::refused)
}

/// Asks the platform whether the signature is good.
async fn verify(question: &Question<'_>) -> bool {
    let bytes = |bytes: &[u8]| Uint8Array::from(bytes);
    let (key, signature) = (bytes(&question.key), bytes(&question.signature));
    let asked = SIGNATURES.with(|signatures| signatures.ed25519(key, signature, bytes(&question.signed)));
    JsFuture::from(asked).await.is_ok_and(|is_good| is_good.is_truthy())
}

// Visitors without an entry token that counts.
/// Counts a refusal. One refusal in a while sets out to tell the room.
pub(super) fn note_refusal(platform: &Platform, room: &RoomSettings, why: EntryRefusal) {
    let heard = Overheard {
        entry: EntryRefusals::one(why),
        ..Overheard::default()
    };
    health::overhear(platform, room, LobbyId(0), heard);
}

/// Returns the page that tells the visitor why nobody without a token comes in.
pub fn turned_away(room: &RoomSettings, barred: Barred, cookies: Vec<String>) -> Waiting {
    let in_s = barred.from_at_ms.map(|at_ms| at_ms.saturating_sub(dice::now_ms()).div_ceil(1_000));
    let retry_after_s = in_s.map_or(LOOK_AGAIN_S_MAX, |s| s.clamp(LOOK_AGAIN_S_MIN, LOOK_AGAIN_S_MAX));
    let status = Status {
        opens_at_ms: barred.from_at_ms,
        poll_after_s: retry_after_s,
        ..unknown(room)
    };
    Waiting {
        state: PageState::Refused,
        status,
        retry_after_s,
        barred: Some(barred),
        ..Waiting::arriving(room, cookies)
    }
}

/// Answers a call that is refused for lack of an entry token. A form leads back to the page, which says why.
pub fn refused(platform: &Platform, received: &Received, room: &RoomSettings, barred: Barred) -> Draft {
    if received.incoming.is_form() {
        return Draft::new(303).with("Location", received.way_back(room).page());
    }
    note_refusal(platform, room, barred.why);
    Draft::json(403, entry_body(&barred))
}

/// Sends the visitor to the address without the token, of which no other page is told.
fn sent_on(path_and_query: String) -> Draft {
    Draft::new(303).with("Location", path_and_query).with("Referrer-Policy", "no-referrer")
}
