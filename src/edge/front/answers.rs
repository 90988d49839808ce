//! Hands Baton's own answers ([`Draft`]) to the platform.

use wasm_bindgen::JsValue;
use worker::web_sys::{Headers, Response};

use super::incoming::Incoming;
use super::js;
use gate::{CREDENTIALS_HEADER, Client, Finished, Reader};

pub use gate::{Draft, PRIVATE, RETRY_AFTER_S};

/// Why a call goes nowhere.
pub enum Stop {
    /// The caller is told why.
    Refused(Draft),
    /// The platform failed.
    Failed(JsValue),
}

impl From<Draft> for Stop {
    fn from(refusal: Draft) -> Self {
        Self::Refused(refusal)
    }
}

impl From<JsValue> for Stop {
    fn from(failure: JsValue) -> Self {
        Self::Failed(failure)
    }
}

/// Makes the answer to this request.
///
/// # Errors
/// When the platform refuses a header or the status.
pub fn finish(draft: Draft, incoming: &Incoming) -> Result<Response, JsValue> {
    let Finished { status, headers, body } = draft.finished(&client(incoming));
    js::answer(status, &headers, body.as_deref())
}

fn client(incoming: &Incoming) -> Client<'_> {
    Client {
        reader: incoming.reader().map(Reader::as_deref),
        credentials: incoming.credentials(),
        is_head: incoming.is_head(),
    }
}

/// Puts changed tokens on an answer of the origin's.
///
/// # Errors
/// When the platform refuses a header.
pub fn put_tokens(headers: &Headers, incoming: &Incoming, changes: &[String]) -> Result<(), JsValue> {
    for (name, value) in client(incoming).tokens(changes).0 {
        if name == CREDENTIALS_HEADER {
            headers.set(name, &value)?;
        } else {
            headers.append(name, &value)?;
        }
    }
    Ok(())
}
