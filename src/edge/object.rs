//! What the objects do alike: come into memory, show their journal, and fail.

use super::log::{self, Remark};
use super::store::SqlStore;
use crate::envelope::Unreadable;
use crate::journal::{Damage, Hides, export};
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

/// Most rows in one page of a journal.
const PAGE_ROWS_MAX: i32 = 2_000;
/// A page of a journal ends with the row that makes it this long.
const PAGE_BYTES: usize = 1_000_000;

/// A page of a journal as JSON lines: the rows after `after`. `of`: whose it is; `E`: the facts in it.
pub fn journal_page<E: Hides>(store: &SqlStore, of: &str, after: u64) -> Result<Response> {
    let Some(mut previous) = store.hash_of(after)? else {
        return Response::error(format!("row {after} is not kept"), 404);
    };
    let failed = |damage: Damage| error(&damage.to_string());
    let mut page = export::header(of, after, &previous).map_err(failed)?;
    for row in store.page_after(after, PAGE_ROWS_MAX)? {
        page += &export::line::<E>(&previous, &row).map_err(failed)?;
        previous = row.hash;
        if page.len() > PAGE_BYTES {
            break;
        }
    }
    Response::ok(page)
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
