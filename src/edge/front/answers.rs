//! Answers of Baton's own: headers that all of them carry, errors and status objects as JSON.

use wasm_bindgen::JsValue;
use worker::web_sys::{Headers, Response};

use super::incoming::Incoming;
use super::js;
use crate::gate::{ErrorCode, Refusal, error_body};
use crate::wire::Status;

/// What no cache may keep.
pub const PRIVATE: &str = "private, no-store";
/// What the choice between a page and JSON, and all that is in them, depends on.
pub const VARY: &str = "Accept, Accept-Language, Cookie, Sec-Fetch-Dest";
/// A client that found the room out of reach comes back after this many seconds, spread over as many more.
pub const RETRY_AFTER_S: u64 = 5;

/// An answer in the making.
pub struct Draft {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

impl Draft {
    /// Nothing but a status, kept by no cache.
    pub fn new(status: u16) -> Self {
        let headers = vec![
            ("Cache-Control", PRIVATE.to_owned()),
            ("X-Content-Type-Options", "nosniff".to_owned()),
        ];
        Self {
            status,
            headers,
            body: None,
        }
    }

    /// With JSON.
    pub fn json(status: u16, body: String) -> Self {
        Self::new(status)
            .with("Content-Type", "application/json; charset=utf-8")
            .body(body)
    }

    /// An error of the contract.
    pub fn error(code: ErrorCode) -> Self {
        Self::error_told(code, None)
    }

    /// An error of the contract, in other words than its own.
    pub fn error_saying(code: ErrorCode, message: &str) -> Self {
        Self::error_told(code, Some(message))
    }

    fn error_told(code: ErrorCode, message: Option<&str>) -> Self {
        let draft = Self::json(code.status(), error_body(code, message));
        match code {
            ErrorCode::RoomUnavailable | ErrorCode::VerificationUnavailable => {
                draft.with("Retry-After", RETRY_AFTER_S.to_string())
            }
            ErrorCode::UpgradeRequired => draft.with("Upgrade", "websocket"),
            _ => draft,
        }
    }

    /// A request that was refused by the gate alone.
    pub fn refusal(refusal: &Refusal) -> Self {
        let draft = Self::error(refusal.code);
        match &refusal.allow {
            Some(allow) => draft.with("Allow", allow.clone()),
            None => draft,
        }
    }

    /// A status object.
    ///
    /// # Errors
    /// When it can't be written, which no status ever caused.
    pub fn status(code: u16, status: &Status) -> worker::Result<Self> {
        let body = serde_json::to_string(status)?;
        Ok(Self::json(code, body))
    }

    /// One header more.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// `Set-Cookie`, each on a line of its own.
    pub fn cookies(mut self, cookies: Vec<String>) -> Self {
        self.headers
            .extend(cookies.into_iter().map(|cookie| ("Set-Cookie", cookie)));
        self
    }

    /// The body.
    pub fn body(mut self, body: String) -> Self {
        self.body = Some(body);
        self
    }

    /// The answer to this request; a `HEAD` gets no body.
    ///
    /// # Errors
    /// When the platform refuses a header or the status.
    pub fn finish(self, incoming: &Incoming) -> Result<Response, JsValue> {
        let headers = Headers::new()?;
        for (name, value) in &self.headers {
            headers.append(name, value)?;
        }
        let body = self.body.as_deref().filter(|_| !incoming.is_head());
        js::answer(self.status, &headers, body)
    }
}
