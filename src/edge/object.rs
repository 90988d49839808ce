//! What all objects do alike: come into memory, answer and ring under watch, and fail.

use super::log::{self, Code, Remark};
use super::watchdog::{self, Who};
use crate::envelope::Unreadable;
use crate::living::Fault;
use std::cell::RefCell;
use std::future::Future;
use worker::{Response, Result, State};

/// Brings an object into memory if it is not there. `restore` is told when the stored alarm rings, Unix ms,
/// or `None` if it rings right now or there is none.
pub async fn wake<T>(
    state: &State,
    living: &RefCell<Option<T>>,
    restore: impl FnOnce(Option<u64>) -> Result<T>,
) -> Result<()> {
    if living.borrow().is_some() {
        return Ok(());
    }
    let alarm_ms = state.storage().get_alarm().await?;
    // Other events ran during the await: look again.
    if living.borrow().is_none() {
        let restored = restore(alarm_ms.and_then(|ms| u64::try_from(ms).ok()))?;
        *living.borrow_mut() = Some(restored);
    }
    Ok(())
}

/// Runs an object's `fetch` under watch. If it fails, the caller gets a 503, and `about` begins the line of the log.
pub async fn fetch(
    who: Who,
    place: &'static str,
    about: impl FnOnce(Code) -> Remark,
    answer: impl Future<Output = Result<Response>>,
) -> Result<Response> {
    watchdog::guard(who, place, async move {
        answer.await.or_else(|error| {
            log::say(&about(Code::ObjectFailed).because(&error));
            Response::error(error.to_string(), 503)
        })
    })
    .await
}

/// Runs an object's alarm under watch. If it fails, it is logged with `about` and set anew, since the platform gives up an
/// alarm that fails again and again, and this one must never end.
pub async fn alarm(
    state: &State,
    place: &'static str,
    about: impl FnOnce(Code) -> Remark,
    ring: impl Future<Output = Result<()>>,
) -> Result<Response> {
    watchdog::guard(Who::object(state), place, async move {
        if let Err(error) = ring.await {
            let remark = about(Code::AlarmFailed);
            log::say(&remark.clone().because(&error));
            if let Err(error) = state.storage().set_alarm(1_000).await {
                log::say(&remark.because(&error));
            }
        }
        Response::ok("")
    })
    .await
}

/// Answers a message that this build cannot read. `body` says so to callers that can read it. A message of another build should be
/// sent again, since a deploy reaches every object in the end.
pub fn unread(why: Unreadable, body: Vec<u8>) -> Result<Response> {
    let response = Response::from_bytes(body)?;
    match why {
        Unreadable::Malformed => Ok(response.with_status(400)),
        Unreadable::Version => {
            let response = response.with_status(503);
            response.headers().set("Retry-After", "1")?;
            Ok(response)
        }
    }
}

/// Turns a fault of an object's memory into an error.
pub fn broken(fault: Fault) -> worker::Error {
    error(&fault.to_string())
}

/// Turns a text into an error.
pub fn error(what: &str) -> worker::Error {
    worker::Error::RustError(what.to_owned())
}
