//! The request as it came, and the facts about it that everything else asks for. It never changes.

use core::cell::OnceCell;
use core::net::IpAddr;
use core::ops::Range;
use std::borrow::Cow;

use wasm_bindgen::JsValue;
use worker::web_sys;

use super::js;
use gate::{Cookies, Host, Reader, Scheme, as_sent};
use settings::RoomSettings;

/// `Baton-Credentials` as the platform spells it.
const CREDENTIALS_NAME: &str = "baton-credentials";

/// A request that came in.
pub struct Incoming {
    raw: web_sys::Request,
    /// Method, address, then name and value of each header, one a line: everything that was read from the platform.
    lines: String,
    method_end: usize,
    url_end: usize,
    /// Where each header's name and value are in `lines`: every request looks headers up a dozen times.
    headers: Vec<(Range<usize>, Range<usize>)>,
    scheme: Scheme,
    /// Where host and path begin in the address as it came.
    host_at: usize,
    path_at: usize,
    /// Path and query as they are sent on, if that differs from how they came.
    sent: Option<String>,
    /// The value of `Baton-Credentials`; `None` if the client speaks cookies.
    credentials: Option<String>,
    /// The pages of another origin that may read Baton's answer.
    reader: OnceCell<Reader<String>>,
}

impl gate::Headers for Incoming {
    fn get(&self, name: &str) -> Option<String> {
        let mut headers = self.headers();
        headers.find(|(header, _)| *header == name).map(|(_, value)| value.to_owned())
    }
}

impl Incoming {
    /// Reads the facts of a request. It must not use workers-rs's idea of a method, which takes `PROPFIND` for `GET`.
    pub fn new(raw: web_sys::Request) -> Self {
        let lines = js::read_request(&raw);
        let mut from = 0;
        let mut spans = lines.split('\n').map(|line| {
            let span = from..from + line.len();
            from = span.end + 1;
            span
        });
        let method_end = spans.next().unwrap_or_default().end;
        let url_span = spans.next().unwrap_or_default();
        let url_end = url_span.end;
        let headers = core::iter::from_fn(|| Some((spans.next()?, spans.next()?))).collect();
        let url = lines.get(url_span).unwrap_or_default();
        let (host_at, path_at) = parts_of(url);
        let scheme = Scheme::parse(url.get(..host_at).unwrap_or_default());
        let sent = match as_sent(path_from(url, path_at)) {
            Cow::Borrowed(_) => None,
            Cow::Owned(sent) => Some(sent),
        };
        let mut incoming = Self {
            raw,
            lines,
            method_end,
            url_end,
            headers,
            scheme,
            host_at,
            path_at,
            sent,
            credentials: None,
            reader: OnceCell::new(),
        };
        let speaks_them = incoming.described().speaks_credentials();
        let shown = incoming.header(CREDENTIALS_NAME);
        incoming.credentials = shown.or(speaks_them.then(String::new));
        incoming
    }

    /// Lets these pages read Baton's answer.
    pub fn let_read(&self, reader: Reader<&str>) {
        self.reader.get_or_init(|| reader.into_owned());
    }

    /// The pages of another origin that may read Baton's answer.
    pub fn reader(&self) -> Option<&Reader<String>> {
        self.reader.get()
    }

    /// The client's credentials, perhaps empty; `None` if it speaks cookies. With credentials no cookie is looked at.
    pub fn credentials(&self) -> Option<&str> {
        self.credentials.as_deref()
    }

    /// A room's cookies, or what stands for them, and the text that shows them.
    pub fn tokens<'r>(&self, host: &Host, room: &'r RoomSettings) -> (Cookies<'r>, Option<String>) {
        let cookies = Cookies::of_room(self.scheme, host, room);
        match &self.credentials {
            Some(shown) => (cookies.as_credentials(), Some(shown.clone())),
            None => (cookies, self.header("cookie")),
        }
    }

    /// The platform's own request.
    pub fn raw(&self) -> &web_sys::Request {
        &self.raw
    }

    /// Reads the body as text. Returns `None` if it has more than `bytes_max` bytes; the caller answers 413.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn text(&self, bytes_max: usize) -> Result<Option<String>, JsValue> {
        js::text_of(&self.raw, bytes_max).await
    }

    /// The method as sent.
    pub fn method(&self) -> &str {
        self.lines.get(..self.method_end).unwrap_or_default()
    }

    /// Whether the request is a `HEAD`, which gets no body.
    pub fn is_head(&self) -> bool {
        self.method() == "HEAD"
    }

    /// The whole address, with its path as it is sent on.
    pub fn url(&self) -> Cow<'_, str> {
        let url = self.raw_url();
        match &self.sent {
            None => Cow::Borrowed(url),
            Some(sent) => Cow::Owned(url.get(..self.path_at).unwrap_or_default().to_owned() + sent),
        }
    }

    fn raw_url(&self) -> &str {
        let url = self.lines.get(self.method_end + 1..self.url_end);
        url.unwrap_or_default()
    }

    /// The scheme by which the request came.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Path and query as they are sent on. Every decision goes by them.
    pub fn path_and_query(&self) -> &str {
        self.sent.as_deref().unwrap_or_else(|| path_from(self.raw_url(), self.path_at))
    }

    /// The host in its one spelling.
    pub fn host(&self) -> Option<Host> {
        Host::parse(self.scheme, self.raw_host())
    }

    /// Every header's lower-case name and its value; values of the same name are joined by `, `.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let text = |span: &Range<usize>| self.lines.get(span.clone()).unwrap_or_default();
        self.headers.iter().map(move |(name, value)| (text(name), text(value)))
    }

    /// The value of the header with this lower-case name.
    pub fn header(&self, name: &str) -> Option<String> {
        gate::Headers::get(self, name)
    }

    /// The client's address, if Cloudflare gives it. Only what Cloudflare itself writes counts; behind anything else there is none.
    pub fn client(&self) -> Option<String> {
        let address = self.header("cf-connecting-ip")?;
        address.trim().parse::<IpAddr>().ok()?;
        Some(address.trim().to_owned())
    }

    /// Whether this text is the client's address.
    pub fn is_client(&self, text: &str) -> bool {
        let said = text.trim().parse::<IpAddr>();
        let known = self.client().map(|client| client.parse::<IpAddr>());
        known.is_some_and(|known| said.is_ok() && known == said)
    }

    /// The request as the gate judges it.
    pub fn described(&self) -> gate::Request<'_> {
        gate::Request {
            method: self.method(),
            scheme: self.scheme,
            host: self.raw_host(),
            path_and_query: self.path_and_query(),
            has_body: self.method() == "OPTIONS" && self.raw.body().is_some(),
            headers: self,
        }
    }

    /// Whether the request is the page's own form.
    pub fn is_form(&self) -> bool {
        self.described().is_form()
    }

    fn raw_host(&self) -> &str {
        self.raw_url().get(self.host_at..self.path_at).unwrap_or_default()
    }
}

/// The path and query of an address.
pub fn path_of(url: &str) -> &str {
    path_from(url, parts_of(url).1)
}

/// Returns where the host of an address begins, and where its path.
fn parts_of(url: &str) -> (usize, usize) {
    let host_at = url.find("://").map_or(0, |at| at + 3);
    let rest = url.get(host_at..).unwrap_or_default();
    (host_at, host_at + rest.find(['/', '?', '#']).unwrap_or(rest.len()))
}

fn path_from(url: &str, path_at: usize) -> &str {
    match url.get(path_at..) {
        None | Some("") => "/",
        Some(path) => path,
    }
}
