//! What the objects do alike: come into memory, and fail.

use super::log::{self, Remark};
use crate::envelope::Unreadable;
use crate::living::Fault;
use std::cell::RefCell;
use worker::{Response, Result, State};

/// Brings an object into memory if it is not there. `restore` is told when the stored alarm rings, Unix ms, or `None`
/// when it rings right now or there is none.
pub async fn wake<T>(
    state: &State,
    living: &RefCell<Option<T>>,
    restore: impl FnOnce(Option<u64>) -> Result<T>,
) -> Result<()> {
    if living.borrow().is_some() {
        return Ok(());
    }
    let alarm_ms = state.storage().get_alarm().await?;
    // The await let others in: look again.
    if living.borrow().is_none() {
        let restored = restore(alarm_ms.and_then(|ms| u64::try_from(ms).ok()))?;
        *living.borrow_mut() = Some(restored);
    }
    Ok(())
}

/// The answer to a request that failed, which the log is told of.
pub fn failed(remark: Remark, error: &worker::Error) -> Result<Response> {
    log::say(&remark.because(error));
    Response::error(error.to_string(), 503)
}

/// The answer to a message that nobody here can read, as bytes for whoever may: one of another build is to be sent again, for a
/// deploy reaches everybody in the end.
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

/// Sets an alarm that failed anew: the platform gives up one that fails again and again; this one never ends.
pub async fn ring_again(state: &State, remark: Remark, error: &worker::Error) {
    log::say(&remark.clone().because(error));
    if let Err(error) = state.storage().set_alarm(1_000).await {
        log::say(&remark.because(error));
    }
}

/// What is wrong with an object's memory, as an error.
pub fn broken(fault: Fault) -> worker::Error {
    error(&fault.to_string())
}

/// `what` as an error.
pub fn error(what: &str) -> worker::Error {
    worker::Error::RustError(what.to_owned())
}
