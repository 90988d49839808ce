//! How an object reads a call and answers it. A short message travels in a header ([`SAID_HEADER`]), which arrives with the event itself; a body is a
//! stream, and reading it costs as much again as the call.
//!
//! A caller that reads the header always sends it, empty while its message is in the body. Once an object has answered in the header, the caller asks
//! in it too (`peers.js`). So this build and builds that know only bodies understand each other, in both directions.

use super::object::error;
use super::peers;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use worker::{Method, Request, Response, Result};

/// Carries a message or its answer as base64. If it is empty, the message is in the body, and the answer may come in this header.
pub const SAID_HEADER: &str = "Baton-Said";
/// The most bytes of a message in the header; longer ones go in the body. The platform takes 128 KB of headers in all.
const SAID_BYTES_MAX: usize = 8_192;

/// A call that an object received.
pub struct Call {
    /// The headers of the call, as lines: a name, its value, the next name, and so on.
    lines: String,
    /// The message.
    pub body: Vec<u8>,
}

impl Call {
    /// Reads a request to its end.
    ///
    /// # Errors
    /// If the body breaks off, or the header is not base64.
    pub async fn of(request: &mut Request) -> Result<Self> {
        let mut call = Self {
            lines: peers::headers_of(request),
            body: Vec::new(),
        };
        call.body = match call.header(SAID_HEADER) {
            Some(said) if !said.is_empty() => STANDARD.decode(said).map_err(|_| error("a message in a header is not base64"))?,
            None if request.method() == Method::Get => Vec::new(),
            _ => request.bytes().await?,
        };
        Ok(call)
    }

    /// Returns the value of a header. The platform spells names in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.lines.split('\n');
        while let (Some(found), Some(value)) = (lines.next(), lines.next()) {
            if found.eq_ignore_ascii_case(name) {
                return Some(value);
            }
        }
        None
    }

    /// Makes the answer to this call: in the header if the caller reads it there and the answer is short, else in the body.
    ///
    /// # Errors
    /// If the platform refuses the response.
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
