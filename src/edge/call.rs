//! How an object reads a call and answers it. A short message travels in a header ([`SAID_HEADER`]), which arrives with the event itself; a body is a
//! stream, and reading it costs as much again as the call.
//!
//! A caller that reads the header always sends it, empty while its message is in the body. Once an object has said which headers it reads, the caller asks
//! in them (`peers.js`). So this build and builds that know only bodies understand each other, in both directions.

use super::error::error;
use super::peers::{self, SAID_BYTES_MAX};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use worker::web_sys::{self, Response};
use worker::{Request, Result};

/// Carries a message or its answer as base64. If it is empty, the message is in the body, and the answer may come in this header.
pub const SAID_HEADER: &str = "Baton-Said";

/// A call that an object received.
pub struct Call {
    /// The headers of the call, as lines: a name, its value, the next name, and so on.
    lines: String,
    /// Where it leads: `/ask`.
    pub path: String,
    /// The message.
    pub body: Vec<u8>,
}

impl Call {
    /// Reads a request with this address and these headers to its end. Waits for nothing but a body.
    ///
    /// # Errors
    /// If the body breaks off, or the header is not base64.
    pub async fn of(request: web_sys::Request, url: &str, lines: String) -> Result<Self> {
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        let mut call = Self {
            lines,
            path: format!("/{path}"),
            body: Vec::new(),
        };
        call.body = match call.header(SAID_HEADER) {
            Some(said) if !said.is_empty() => STANDARD.decode(said).map_err(|_| error("a message in a header is not base64"))?,
            None if request.method() == "GET" => Vec::new(),
            _ => Request::from(request).bytes().await?,
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
        match self.header(SAID_HEADER) {
            Some(asked) if said.len() <= SAID_BYTES_MAX => Ok(peers::said(&STANDARD.encode(said), asked.is_empty())),
            _ => Ok(worker::Response::from_bytes(said)?.into()),
        }
    }
}
