//! Entry tokens: the front judges the shop's signature once and remembers the result in a token of Baton's own; and it answers visitors whose token
//! does not count. It must never write a token into a log, an address or a request to the origin.

use std::rc::Rc;

use js_sys::{Promise, Uint8Array};
use serde::Deserialize;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::Response;

use super::answers::{Draft, Stop};
use super::operator::value_of;
use super::waiting::{Waiting, unknown};
use super::{Front, memory};
use crate::dice;
use crate::log::{self, Code, Remark};
use crate::orders::AccountEnd;
use facts::entry::{EntryRefusal, EntryRefusals};
use facts::overheard::Overheard;
use facts::units::LobbyId;
use facts::wire::Status;
use gate::{
    AdminCall, Barred, ENTRY_HEADER, EntryLink, EntryVerdict, PageState, better_entrant, entry_body, gives_place_away, is_entry_text, judge_entry,
    path_shape,
};
use settings::{EntryPolicy, RoomSettings};
use token::{Audience, Bearer, Entrant, Opened, Question, account_id};

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
impl Front {
    /// Answers an address with a token: remembers the token and redirects to the address without it. Asks no object, so it moves no place.
    pub async fn entry_link(&self, room: &RoomSettings, link: &EntryLink) -> Result<Response, JsValue> {
        if let Some(opened) = self.staff_link_opened(room, link) {
            return opened;
        }
        let draft = sent_on(link.path_and_query.clone());
        if room.entry == EntryPolicy::Off {
            return self.finish(draft);
        }
        let now_ms = dice::now_ms();
        let identity = self.identity(room, now_ms).by_name();
        let new = self.judge_token(room, &link.token, now_ms).await;
        let kept = better_entrant(new, identity.entrant, &self.deployment.entry_keys, now_ms);
        let site = self.incoming.described().whence();
        let holds_place = identity.shown().is_some();
        let kept = kept.filter(|new| {
            let is_same = identity.entrant.map(|known| known.bearer) == Some(new.bearer);
            // An invitation binds the place to no account. It could only replace another voucher or an account, and here there is neither.
            let takes_nothing = matches!(new.bearer, Bearer::Voucher(_)) && identity.entry == EntryVerdict::Nobody;
            is_same || takes_nothing || !gives_place_away(room.entry, site, holds_place)
        });
        let cookie = kept.map(|entrant| self.issuer(room).entry(&entrant));
        self.finish(draft.cookies(cookie.into_iter().collect()))
    }

    /// Answers a link with a token to a path of no room. Logs the path once: the shop, or an operator, leads people past the room that would take it.
    pub fn stray_entry_link(&self, link: EntryLink) -> Result<Response, JsValue> {
        let path = path_shape(self.incoming.path_and_query());
        if memory::begin_saying_unheeded(&path) {
            log::say(&Remark::front(Code::EntryLinkStrays).because(path));
        }
        self.finish(sent_on(link.path_and_query))
    }

    /// Judges the token in the header of an app's call. Returns `None` if the call shows none.
    pub async fn shown_in_header(&self, room: &RoomSettings, now_ms: u64) -> Option<Entrant> {
        if room.entry == EntryPolicy::Off {
            return None;
        }
        let text = self.incoming.header(&ENTRY_HEADER.to_ascii_lowercase())?;
        Some(self.judge_token(room, &text, now_ms).await)
    }

    /// Judges a token of the shop's or an invitation. Returns what it says, or why it is refused.
    async fn judge_token(&self, room: &RoomSettings, text: &str, now_ms: u64) -> Entrant {
        let here = Audience {
            room: room.name_in_file(),
            host: self.host.as_str(),
        };
        let judged = async {
            if !is_entry_text(text) {
                return Err(EntryRefusal::Malformed);
            }
            if let Some(invited) = self.invited(room, text, now_ms) {
                return invited;
            }
            let signed = match self.deployment.entry_keys.open(text)? {
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

    /// Decides what follows from the token that the visitor showed.
    pub fn entry_verdict(&self, room: &RoomSettings, entrant: Option<&Entrant>, now_ms: u64) -> EntryVerdict {
        judge_entry(room.entry, entrant, &self.deployment.entry_keys, now_ms)
    }
}

/// Asks the platform whether the signature is good.
async fn verify(question: &Question<'_>) -> bool {
    let bytes = |bytes: &[u8]| Uint8Array::from(bytes);
    let (key, signature) = (bytes(&question.key), bytes(&question.signature));
    let asked = SIGNATURES.with(|signatures| signatures.ed25519(key, signature, bytes(&question.signed)));
    JsFuture::from(asked).await.is_ok_and(|is_good| is_good.is_truthy())
}

// Visitors without an entry token that counts.
impl Front {
    /// Counts a refusal. One refusal in a while sets out to tell the room.
    pub(super) fn note_refusal(self: &Rc<Self>, room: &RoomSettings, why: EntryRefusal) {
        let heard = Overheard {
            entry: EntryRefusals::one(why),
            ..Overheard::default()
        };
        self.overhear(room, LobbyId(0), heard);
    }

    /// Counts a refusal and returns the page that tells the visitor why.
    pub fn turned_away(self: &Rc<Self>, room: &RoomSettings, barred: Barred, cookies: Vec<String>) -> Waiting {
        self.note_refusal(room, barred.why);
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
    pub fn entry_refused(self: &Rc<Self>, room: &RoomSettings, barred: Barred) -> Draft {
        if self.is_form() {
            return Draft::new(303).with("Location", self.way_back(room));
        }
        self.note_refusal(room, barred.why);
        Draft::json(403, entry_body(&barred))
    }
}

/// One of the shop's customers, named as in the shop's tokens; `iss` is left out where they have none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Customer {
    #[serde(default)]
    iss: String,
    sub: String,
}

impl Front {
    /// Ends the place of one of the shop's customers, whose name goes no further than here.
    pub(super) async fn leave_account(&self, call: &AdminCall, by: &str) -> Result<Value, Stop> {
        let room = self.room_named(call.text("room"))?;
        let Customer { iss, sub } = self.typed_body(call.endpoint).await?;
        let end = AccountEnd {
            by: by.to_owned(),
            account: account_id(&iss, &sub),
        };
        value_of(self.send(room, "leave", &end).await)
    }
}

/// Sends the visitor to the address without the token, of which no other page is told.
fn sent_on(path_and_query: String) -> Draft {
    Draft::new(303).with("Location", path_and_query).with("Referrer-Policy", "no-referrer")
}
