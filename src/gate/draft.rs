//! Baton's own answers: the headers that all of them carry, errors and status objects as JSON, and how a client is told of changed tokens.

use super::{CREDENTIALS_HEADER, ErrorCode, Reader, Refusal, changed_credentials, error_body, with_credentials};
use facts::wire::Status;
use token::Denied;

/// `Cache-Control` of an answer that no cache may keep.
pub const PRIVATE: &str = "private, no-store";
/// Headers that a page of another origin may read on Baton's own answers; an app's reads its credentials besides.
const EXPOSED: &str = "Baton-Page, Baton-State, Retry-After";
/// Seconds until a client that could not reach the room comes back, spread over as many more.
pub const RETRY_AFTER_S: u64 = 5;

/// An answer being built.
#[derive(Debug, Clone)]
pub struct Draft {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
    /// `Set-Cookie` values, or pairs of credentials.
    cookies: Vec<String>,
    /// Whether credentials go into the body too.
    is_json: bool,
}

impl Draft {
    /// Starts an answer with a status, no body, and no cache allowed to keep it.
    #[must_use]
    pub fn new(status: u16) -> Self {
        let headers = vec![("Cache-Control", PRIVATE.to_owned()), ("X-Content-Type-Options", "nosniff".to_owned())];
        Self {
            status,
            headers,
            body: None,
            cookies: Vec::new(),
            is_json: false,
        }
    }

    /// Starts an answer with a JSON body.
    #[must_use]
    pub fn json(status: u16, body: String) -> Self {
        let draft = Self::new(status).with("Content-Type", "application/json; charset=utf-8");
        Self {
            is_json: true,
            ..draft.body(body)
        }
    }

    /// Starts an answer with a status object, and whether the visitor may go on to the gated paths now.
    #[must_use]
    pub fn entered(status: &Status, is_in: bool) -> Self {
        let mut told = serde_json::to_value(status).unwrap_or_default();
        if let Some(told) = told.as_object_mut() {
            told.insert("in".to_owned(), is_in.into());
        }
        let draft = Self::json(200, told.to_string());
        match is_in {
            true => draft,
            false => draft.with("Retry-After", status.poll_after_s.to_string()),
        }
    }

    /// Starts an answer with an error of the contract and its own message.
    #[must_use]
    pub fn error(code: ErrorCode) -> Self {
        Self::error_told(code, None)
    }

    /// Starts a 403 that says what the operator's role or list of rooms lacks.
    #[must_use]
    pub fn denied(denied: &Denied) -> Self {
        Self::error_saying(ErrorCode::Forbidden, &denied.to_string())
    }

    /// Starts an answer with an error of the contract and another message.
    #[must_use]
    pub fn error_saying(code: ErrorCode, message: &str) -> Self {
        Self::error_told(code, Some(message))
    }

    fn error_told(code: ErrorCode, message: Option<&str>) -> Self {
        let draft = Self::json(code.status(), error_body(code, message));
        match code {
            ErrorCode::RoomUnavailable | ErrorCode::VerificationUnavailable => draft.with("Retry-After", RETRY_AFTER_S.to_string()),
            ErrorCode::UpgradeRequired => draft.with("Upgrade", "websocket"),
            _ => draft,
        }
    }

    /// Starts an answer with an error as an object told it.
    #[must_use]
    pub fn passed(status: u16, body: String) -> Self {
        let draft = Self::json(status, body);
        match status {
            503 => draft.with("Retry-After", RETRY_AFTER_S.to_string()),
            _ => draft,
        }
    }

    /// Starts the answer to a request that the gate refused alone.
    #[must_use]
    pub fn refusal(refusal: &Refusal) -> Self {
        let draft = Self::error(refusal.code);
        match &refusal.allow {
            Some(allow) => draft.with("Allow", allow.clone()),
            None => draft,
        }
    }

    /// Starts an answer with a status object.
    #[must_use]
    pub fn status(code: u16, status: &Status) -> Self {
        // A status has nothing that JSON cannot hold.
        let body = serde_json::to_string(status).unwrap_or_default();
        Self::json(code, body)
    }

    /// Takes another status, if there is one.
    #[must_use]
    pub fn with_status(mut self, status: Option<u16>) -> Self {
        self.status = status.unwrap_or(self.status);
        self
    }

    /// Whether it is an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.status >= 400
    }

    /// Returns what [`Self::cookies`] added.
    #[must_use]
    pub fn into_cookies(self) -> Vec<String> {
        self.cookies
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds cookies to set and to clear, or the pairs that stand for them in the client's credentials.
    #[must_use]
    pub fn cookies(mut self, cookies: Vec<String>) -> Self {
        self.cookies.extend(cookies);
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: String) -> Self {
        self.body = Some(body);
        self
    }

    /// Makes the answer as this client takes it. A `HEAD` gets no body.
    #[must_use]
    pub fn finished(mut self, client: &Client<'_>) -> Finished {
        if let Some(Reader::App(origin) | Reader::Widget(origin)) = client.reader {
            self.headers.push(("Access-Control-Allow-Origin", origin.to_owned()));
            self.headers.push(("Vary", "Origin".to_owned()));
            self.headers.push(("Access-Control-Expose-Headers", EXPOSED.to_owned()));
        }
        let (tokens, credentials) = client.tokens(&self.cookies);
        self.headers.extend(tokens);
        if let (true, Some(credentials)) = (self.is_json, credentials) {
            self.body = self.body.map(|body| with_credentials(&body, &credentials));
        }
        Finished {
            status: self.status,
            headers: self.headers,
            body: self.body.filter(|_| !client.is_head),
        }
    }
}

/// An answer as it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The HTTP status.
    pub status: u16,
    /// Names and values; a name may come several times.
    pub headers: Vec<(&'static str, String)>,
    /// The body; `None` if there is none.
    pub body: Option<String>,
}

/// What an answer must know of the client that gets it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Client<'a> {
    /// The pages of another origin that may read the answer.
    pub reader: Option<Reader<&'a str>>,
    /// The client's credentials, perhaps empty; `None` if it speaks cookies.
    pub credentials: Option<&'a str>,
    /// Whether it asked by `HEAD`.
    pub is_head: bool,
}

impl Client<'_> {
    /// Returns the headers that tell the client about changed tokens: one `Set-Cookie` for each, or a single header with all
    /// credentials, which are then returned too.
    #[must_use]
    pub fn tokens(&self, changes: &[String]) -> (Vec<(&'static str, String)>, Option<String>) {
        let Some(shown) = self.credentials else {
            let cookies = changes.iter().map(|cookie| ("Set-Cookie", cookie.clone()));
            return (cookies.collect(), None);
        };
        let credentials = changed_credentials(shown, changes);
        let mut headers = vec![(CREDENTIALS_HEADER, credentials.clone())];
        if matches!(self.reader, Some(Reader::App(_))) {
            let exposed = CREDENTIALS_HEADER.to_owned();
            headers.push(("Access-Control-Expose-Headers", exposed));
        }
        (headers, Some(credentials))
    }
}
