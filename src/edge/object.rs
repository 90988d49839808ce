//! What all objects do alike: come into memory, answer and ring under watch, and fail.

use super::call::Call;
use super::driven;
pub use super::error::error;
use super::log::{self, Code, Remark};
use super::store::{Name, set_alarm};
use super::watchdog::{self, Who};
use facts::envelope::Unreadable;
use gate::{ErrorCode, error_body};
use js_sys::Reflect;
use living::Fault;
use std::cell::{Cell, RefCell};
use std::future::Future;
use wasm_bindgen::JsValue;
use worker::{Response, Result, State, web_sys};

/// The pause after an alarm that failed for the first time, ms.
const PAUSE_MS: u64 = 1_000;
/// The longest pause between alarms that fail one after the other, ms. An object whose room is gone from the configuration fails at each of them, and
/// then costs 24 requests a day. Any call brings it into memory at once, and its next change arms the alarm for when it is due.
const PAUSE_MS_MAX: u64 = 3_600_000;
/// The part of the stored name that holds the last pause.
const PAUSE: &str = "pause_ms";

/// How an object's failing alarm comes ever later. The pause is stored, since an object that pauses leaves memory.
#[derive(Debug, Default)]
pub struct Pauses {
    /// True once this memory knows that no pause is stored.
    none: Cell<bool>,
}

impl Pauses {
    fn next_ms(&self, state: &State) -> Result<u64> {
        self.none.set(false);
        let stored = Name::open(state)?;
        let last_ms = stored.get(PAUSE)?.and_then(|ms| ms.parse::<u64>().ok());
        let next_ms = last_ms.map_or(PAUSE_MS, |ms| ms.saturating_mul(2).min(PAUSE_MS_MAX));
        stored.set(PAUSE, &next_ms.to_string())?;
        Ok(next_ms)
    }

    /// Forgets the pause. Looks first, since a write makes answers wait for the disk even if it changes nothing.
    fn end(&self, state: &State) -> Result<()> {
        if !self.none.replace(true) {
            let stored = Name::open(state)?;
            if stored.get(PAUSE)?.is_some() {
                stored.remove(PAUSE)?;
            }
        }
        Ok(())
    }
}

/// Brings an object into memory if it is not there. `restore` is told when the stored alarm rings, or for which time it rings right now, Unix ms;
/// `None` if there is none.
pub async fn wake<T>(state: &State, living: &RefCell<Option<T>>, restore: impl FnOnce(Option<u64>) -> Result<T>) -> Result<()> {
    if living.borrow().is_some() {
        return Ok(());
    }
    let stored_ms = state.storage().get_alarm().await?;
    let alarm_ms = stored_ms.and_then(|ms| u64::try_from(ms).ok());
    let alarm_ms = alarm_ms.or_else(|| rings_for_ms(state));
    // Other events ran during the await: look again.
    if living.borrow().is_none() {
        let restored = restore(alarm_ms)?;
        *living.borrow_mut() = Some(restored);
    }
    Ok(())
}

/// Returns for which time the object's alarm rings right now, Unix ms, as `entry.js` notes it: the platform counts it as set no more.
fn rings_for_ms(state: &State) -> Option<u64> {
    let raw: &JsValue = state.as_raw().as_ref();
    let noted = Reflect::get(raw, &"batonRingsFor".into()).ok()?;
    noted.as_f64().map(|ms| ms as u64)
}

/// Refuses what an operator asks. The front passes this on as it stands.
///
/// # Errors
/// When the platform refuses the status, which has never happened.
pub fn refuse(code: ErrorCode, why: &str) -> Result<Response> {
    Response::error(error_body(code, Some(why)), code.status())
}

/// Refuses an order that this code's own front never sends.
///
/// # Errors
/// As for [`refuse`].
pub fn unreadable() -> Result<Response> {
    refuse(ErrorCode::BadRequest, ErrorCode::BadRequest.message())
}

/// Answers a call to an object under watch. If that fails, the caller gets a 503, and `about` begins the line of the log. Returns the answer, or a promise
/// of it if the object waits for something.
///
/// # Errors
/// When the platform refuses even an error's answer.
pub fn hear<F: Future<Output = Result<web_sys::Response>> + 'static>(
    (request, url, lines): (web_sys::Request, String, String),
    place: &'static str,
    about: impl FnOnce(Code) -> Remark + 'static,
    answer: impl FnOnce(Call) -> F + 'static,
) -> std::result::Result<JsValue, JsValue> {
    let who = Who::raw(&request);
    driven::begin_by_promises(watchdog::guard(who, place, async move {
        let answered = match Call::of(request, &url, lines).await {
            Ok(call) => answer(call).await,
            Err(error) => Err(error),
        };
        answered.or_else(|error| unanswered(about, &error).map(Into::into))
    }))
}

/// Runs an object's `fetch` under watch, with the same end.
pub async fn fetch(
    who: Who,
    place: &'static str,
    about: impl FnOnce(Code) -> Remark,
    answer: impl Future<Output = Result<Response>>,
) -> Result<Response> {
    watchdog::guard(who, place, async move { answer.await.or_else(|error| unanswered(about, &error)) }).await
}

fn unanswered(about: impl FnOnce(Code) -> Remark, error: &worker::Error) -> Result<Response> {
    log::say(&about(Code::ObjectFailed).because(error));
    Response::error(error.to_string(), 503)
}

/// Answers the platform's own `fetch` of an object for which `entry.js` calls `hear`.
///
/// # Errors
/// Always.
pub fn unheard() -> Result<Response> {
    Err(error("entry.js has this object hear its calls"))
}

/// Runs an object's alarm under watch. If it fails, it is logged with `about` and set anew, since the platform gives up an
/// alarm that fails again and again, and this one must never end.
pub async fn alarm(
    (state, pauses): (&State, &Pauses),
    place: &'static str,
    about: impl FnOnce(Code) -> Remark,
    ring: impl Future<Output = Result<()>>,
) -> Result<Response> {
    watchdog::guard(Who::object(state), place, async move {
        match ring.await {
            // A pause that stays only makes the next one longer.
            Ok(()) => drop(pauses.end(state)),
            Err(error) => {
                let remark = about(Code::AlarmFailed);
                log::say(&remark.clone().because(&error));
                let pause_ms = pauses.next_ms(state).unwrap_or(PAUSE_MS);
                if let Err(error) = set_alarm(&state.storage(), pause_ms) {
                    log::say(&remark.because(&error));
                }
            }
        }
        Response::ok("")
    })
    .await
}

/// Answers a message that this build cannot read. `body` says so to callers that can read it. A message of another build should be
/// sent again, since a deploy reaches every object in the end.
pub fn unread(why: Unreadable, body: Vec<u8>) -> Result<web_sys::Response> {
    let response = Response::from_bytes(body)?;
    Ok(match why {
        Unreadable::Malformed => response.with_status(400),
        Unreadable::Version => {
            let response = response.with_status(503);
            response.headers().set("Retry-After", "1")?;
            response
        }
    }
    .into())
}

/// Turns a fault of an object's memory into an error.
pub fn broken(fault: Fault) -> worker::Error {
    error(&fault.to_string())
}
