//! What a call brings an object, and the way its answer goes back. A short message stands in a header ([`SAID_HEADER`]), where it
//! comes with the event itself; a body is a stream, which costs as much again as the call.
//!
//! A caller that reads headers says so by that header, if need be an empty one, and asks in it once it has been answered in it
//! (`peers.js`). So builds that know bodies only understand each other with this one, in both directions.

use super::object::error;
use super::peers;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use worker::{Method, Request, Response, Result};

/// Carries a message, or its answer, as base64. Empty: it is in the body, and the answer may stand here.
pub const SAID_HEADER: &str = "Baton-Said";
/// Longer ones go in the body: the platform takes 128 KB of headers in all.
const SAID_BYTES_MAX: usize = 8_192;

/// A call as it came.
pub struct Call {
    /// Name and value of each header in turn, each a line.
    lines: String,
    /// What was said.
    pub body: Vec<u8>,
}

impl Call {
    /// Reads a request to its end.
    ///
    /// # Errors
    /// When its body breaks off, or its header is not base64.
    pub async fn of(request: &mut Request) -> Result<Self> {
        let mut call = Self {
            lines: peers::headers_of(request),
            body: Vec::new(),
        };
        call.body = match call.header(SAID_HEADER) {
            Some(said) if !said.is_empty() => STANDARD
                .decode(said)
                .map_err(|_| error("a message in a header is not base64"))?,
            None if request.method() == Method::Get => Vec::new(),
            _ => request.bytes().await?,
        };
        Ok(call)
    }

    /// A header's value. The platform spells names in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.lines.split('\n');
        while let (Some(found), Some(value)) = (lines.next(), lines.next()) {
            if found.eq_ignore_ascii_case(name) {
                return Some(value);
            }
        }
        None
    }

    /// The answer to it.
    ///
    /// # Errors
    /// When the platform does not take it.
    pub fn answer(&self, said: Vec<u8>) -> Result<Response> {
        if self.header(SAID_HEADER).is_none() || said.len() > SAID_BYTES_MAX {
            return Response::from_bytes(said);
        }
        let response = Response::empty()?;
        let text = STANDARD.encode(said);
        response.headers().set(SAID_HEADER, &text)?;
        Ok(response)
    }
}
