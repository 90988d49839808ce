//! The straight way: a request with a fresh pass goes to the origin and its answer to the visitor, and nothing but the origin is awaited. So it needs
//! no future. JavaScript calls in once to learn what to send, sends it, and calls in once more with what a glance at the answer shows.
//!
//! The straight way decides nothing of its own: the gate, the pass, the headers and the meaning of an answer come from the functions of the long way.
//! Whatever is not plain goes the long way: [`finish_front`] resumes where the straight way stopped.
//!
//! Requests under way are kept here until the answer is in. JavaScript brings each back exactly once, because a request whose client has gone ends
//! too (`entry.js`). When the instance dies, all of them go with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use worker::web_sys::Response;
use worker::{Context, Env};

use super::incoming::Incoming;
use super::js::Seen;
use super::mode::{self, Together};
use super::platform::Platform;
use super::received::Received;
use super::returned::{Glance, Returned};
use super::way_in::{Cookie, Entry};
use super::{Front, health, house, or_error, rehearsal};
use crate::config::{self, Origin};
use crate::driven;
use crate::watchdog::{self, Who};
use gate::Plan;
use settings::RoomSettings;
use token::Pass;

/// A request under way.
struct Straight {
    front: Front,
    /// The room's name.
    room: String,
    pass: Pass,
    /// Whether nothing is done that the shop asks in its answer.
    gives_nothing_back: bool,
    /// When it was sent, Unix ms.
    sent_at_ms: u64,
}

thread_local! {
    static UNDER_WAY: RefCell<BTreeMap<u32, Straight>> = const { RefCell::new(BTreeMap::new()) };
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// Returns the `Cache-Control` with which the visitor gets the origin's answer, empty if as it is. Without one the caller must call [`finish_front`].
/// `seen` is what headers.js sees of the answer.
#[wasm_bindgen]
#[must_use]
pub fn as_plain_answer(id: u32, seen: &str) -> Option<String> {
    watchdog::fault_point("front.back");
    UNDER_WAY.with_borrow_mut(|under_way| {
        let cache_control = under_way.get(&id)?.as_plain(&Seen::read(seen))?;
        under_way.remove(&id);
        Some(cache_control)
    })
}

/// Goes on by the long way: with the origin's answer, or without one for the reason `why`. If there is neither, nothing was sent,
/// and the long way starts from the beginning.
///
/// # Errors
/// When no request of this id is under way.
#[wasm_bindgen]
pub fn finish_front(id: u32, answer: Option<Response>, why: Option<String>) -> Result<JsValue, JsValue> {
    let taken = UNDER_WAY.with_borrow_mut(|under_way| under_way.remove(&id));
    let straight = taken.ok_or_else(|| JsValue::from_str("nothing is under way by this name"))?;
    let who = straight.front.platform.who.clone();
    let work = straight.finish(answer, why);
    driven::begin(watchdog::guard(who, "front.fetch", work))
}

/// A cheap hint that saves needless work; it decides nothing.
pub fn may_be(incoming: &Incoming) -> bool {
    let shows = |(name, text): (&str, &str)| name == "cookie" && text.contains("-pass=");
    incoming.credentials().is_some() || incoming.headers().any(shows)
}

impl Straight {
    fn as_plain(&self, seen: &Seen) -> Option<String> {
        let room = self.settings()?;
        let glance = Glance::new(seen, self.sent_at_ms).ok()?;
        let cache_control = if mode::needs_pass(room) { glance.narrowed()? } else { String::new() };
        glance.is_plain().then(|| {
            health::note_plain(room, &self.pass, &glance, seen.at_ms);
            cache_control
        })
    }

    fn settings(&self) -> Option<&RoomSettings> {
        let room = self.front.received.deployment.gate.room(&self.room)?;
        Some(&room.settings)
    }

    async fn finish(self, answer: Option<Response>, why: Option<String>) -> worker::Result<Response> {
        let incoming = Rc::clone(&self.front.received.incoming);
        let came = match (answer, why) {
            (Some(answer), _) => Some(Ok(answer)),
            (None, Some(why)) => Some(Err(why)),
            (None, None) => None,
        };
        let front = &self.front;
        let answered = match (came, self.settings()) {
            (Some(came), Some(room)) => {
                let entry = Entry::Lease(self.pass, Cookie::Shown);
                let sends_nothing = incoming.described().is_read();
                let returned = Returned::of(Some(&entry.pledge(room)), self.sent_at_ms, sends_nothing, came);
                let looks = self.gives_nothing_back;
                front.came_back(room, looks, entry, Vec::new(), returned).await
            }
            _ => front.answer().await,
        };
        or_error(answered, &incoming)
    }
}

impl Front {
    /// Returns everything needed to answer a request, or `None` if somebody must be asked first.
    pub(super) fn at_hand(incoming: &Rc<Incoming>, env: &Env, context: &JsValue, who: &Who, now_ms: u64) -> Option<Self> {
        let host = incoming.host()?;
        let file = config::load(env).ok()?;
        let deployment = house::at_hand(&file, incoming, &host, || now_ms)?;
        Some(Self {
            platform: Platform {
                env: env.clone(),
                context: Context::new(context.clone().unchecked_into()),
                who: who.clone(),
            },
            received: Received {
                incoming: Rc::clone(incoming),
                host,
                deployment,
            },
        })
    }
}

impl Front {
    /// Returns what JavaScript is to send for a request with a fresh pass, or `None` for the long way. Each part is a line: the id
    /// here, the address, by whose machine, how (`w`: within, `s`: to the service, `e`: the request ends with the patience), the
    /// patience in ms, then the headers that change.
    pub(super) fn go_straight(self, now_ms: u64) -> Option<String> {
        watchdog::fault_point("front.straight");
        let Plan::Gated(gated) = self.received.plan() else {
            return None;
        };
        let room = &gated.room.settings;
        if gated.strict || gated.intent.is_foreign || rehearsal::is_rehearsing(&self.received.incoming) {
            return None;
        }
        let pass = self.received.pass_at_once(&gated, now_ms)?;
        let id = LAST.get().wrapping_add(1);
        let sending = {
            let onward = self.received.onward(Some(room));
            if onward.is_slow(room) || mode::together(onward.gate) == Together::Observed {
                return None;
            }
            let entry = Entry::Lease(pass, Cookie::Shown);
            let way = onward.way();
            let lines = onward.lines(&way, Some(&entry.pledge(room)), now_ms);
            let (timeout_ms, ends_then) = way.patience.parts();
            let mark = |is_so: bool, mark| if is_so { mark } else { "" };
            format!(
                "{id}\n{}\n{}\n{}{}{}\n{}\n{}",
                way.url,
                way.found_by.unwrap_or_default(),
                mark(way.is_within, "w"),
                mark(onward.origin == Origin::Service, "s"),
                mark(ends_then, "e"),
                timeout_ms?,
                lines.ok()?
            )
        };
        LAST.set(id);
        let (room, gives_nothing_back) = (room.name.clone(), gated.intent.gives_nothing_back());
        let straight = Straight {
            front: self,
            room,
            pass,
            gives_nothing_back,
            sent_at_ms: now_ms,
        };
        UNDER_WAY.with_borrow_mut(|under_way| under_way.insert(id, straight));
        Some(sending)
    }
}
