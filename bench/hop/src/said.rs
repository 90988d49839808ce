//! What crosses between the objects, and what a request says.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use baton::gate::{Headers, Request, Scheme, as_sent};
use std::ops::Range;

/// Writes a message for a header.
pub fn to_header(message: &str) -> String {
    STANDARD.encode(message)
}

/// Reads a message from a header.
pub fn of_header(text: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(text).ok()?).ok()
}

/// Writes bytes for a header.
pub fn bytes_to_header(message: &[u8]) -> String {
    STANDARD.encode(message)
}

/// Reads bytes from a header.
pub fn bytes_of_header(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// What a request says, as `Incoming` of src/edge/front reads it.
pub struct Incoming<'l> {
    lines: &'l str,
    method: &'l str,
    url: &'l str,
    headers: Vec<(Range<usize>, Range<usize>)>,
    host_at: usize,
    path_at: usize,
    sent: Option<String>,
    /// The client's credentials; `None` if it speaks cookies.
    pub credentials: Option<String>,
}

impl Headers for Incoming<'_> {
    fn get(&self, name: &str) -> Option<String> {
        let text = |span: &Range<usize>| self.lines.get(span.clone()).unwrap_or_default();
        let found = self.headers.iter().find(|(header, _)| text(header) == name)?;
        Some(text(&found.1).to_owned())
    }
}

impl<'l> Incoming<'l> {
    /// Reads method, address, then name and value of each header, one a line.
    pub fn new(lines: &'l str) -> Self {
        let mut from = 0;
        let mut spans = lines.split('\n').map(|line| {
            let span = from..from + line.len();
            from = span.end + 1;
            span
        });
        let text = |span: Option<Range<usize>>| lines.get(span.unwrap_or_default()).unwrap_or_default();
        let (method, url) = (text(spans.next()), text(spans.next()));
        let headers = std::iter::from_fn(|| Some((spans.next()?, spans.next()?))).collect();
        let host_at = url.find("://").map_or(0, |at| at + 3);
        let rest = url.get(host_at..).unwrap_or_default();
        let path_at = host_at + rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let sent = match as_sent(url.get(path_at..).unwrap_or("/")) {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(sent) => Some(sent),
        };
        let mut incoming = Self {
            lines,
            method,
            url,
            headers,
            host_at,
            path_at,
            sent,
            credentials: None,
        };
        let speaks_them = incoming.described().speaks_credentials();
        let shown = incoming.get("baton-credentials");
        incoming.credentials = shown.or(speaks_them.then(String::new));
        incoming
    }

    /// The scheme by which the request came.
    pub fn scheme(&self) -> Scheme {
        Scheme::parse(self.url.get(..self.host_at).unwrap_or_default())
    }

    /// Whether it is a `HEAD`.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// The request as the gate judges it.
    pub fn described(&self) -> Request<'_> {
        let path = || self.url.get(self.path_at..).unwrap_or("/");
        Request {
            method: self.method,
            scheme: self.scheme(),
            host: self.url.get(self.host_at..self.path_at).unwrap_or_default(),
            path_and_query: self.sent.as_deref().unwrap_or_else(path),
            has_body: false,
            headers: self,
        }
    }
}
