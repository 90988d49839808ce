//! The request as it came, and the facts of it that everything else asks for. Never changed.

use worker::web_sys;

use super::js;
use crate::gate::{self, Host, Scheme};

/// A request that came in.
pub struct Incoming {
    raw: web_sys::Request,
    /// Method, address, then name and value of each header, each a line: all that was asked of the platform.
    lines: String,
    method_end: usize,
    url_end: usize,
    scheme: Scheme,
    /// Where host and path begin in `url`.
    host_at: usize,
    path_at: usize,
}

impl gate::Headers for Incoming {
    fn get(&self, name: &str) -> Option<String> {
        let mut headers = self.headers();
        headers
            .find(|(header, _)| *header == name)
            .map(|(_, value)| value.to_owned())
    }
}

impl Incoming {
    /// Reads the facts off a request. workers-rs's own idea of a method is not used: it takes `PROPFIND` for `GET`.
    pub fn new(raw: web_sys::Request) -> Self {
        let lines = js::read_request(&raw);
        let end_of_line = |from: usize| {
            let rest = lines.get(from..).unwrap_or_default();
            rest.find('\n').map_or(lines.len(), |at| from + at)
        };
        let method_end = end_of_line(0);
        let url_end = end_of_line(method_end + 1);
        let url = lines.get(method_end + 1..url_end).unwrap_or_default();
        let (host_at, path_at) = parts_of(url);
        let scheme = Scheme::parse(url.get(..host_at).unwrap_or_default());
        Self {
            raw,
            lines,
            method_end,
            url_end,
            scheme,
            host_at,
            path_at,
        }
    }

    /// The platform's own.
    pub fn raw(&self) -> &web_sys::Request {
        &self.raw
    }

    /// As sent.
    pub fn method(&self) -> &str {
        self.lines.get(..self.method_end).unwrap_or_default()
    }

    /// `HEAD` gets no body.
    pub fn is_head(&self) -> bool {
        self.method() == "HEAD"
    }

    /// The whole address.
    pub fn url(&self) -> &str {
        let url = self.lines.get(self.method_end + 1..self.url_end);
        url.unwrap_or_default()
    }

    /// How it came.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Path and query as sent.
    pub fn path_and_query(&self) -> &str {
        path_from(self.url(), self.path_at)
    }

    /// The host in its one spelling.
    pub fn host(&self) -> Option<Host> {
        Host::parse(self.scheme, self.raw_host())
    }

    /// Every header's lower-case name and its value; several of one name are joined by `, `.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut lines = self
            .lines
            .get(self.url_end + 1..)
            .unwrap_or_default()
            .split('\n');
        core::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
    }

    /// The header of this lower-case name.
    pub fn header(&self, name: &str) -> Option<String> {
        gate::Headers::get(self, name)
    }

    /// For the gate.
    pub fn described(&self) -> gate::Request<'_> {
        gate::Request {
            method: self.method(),
            scheme: self.scheme,
            host: self.raw_host(),
            path_and_query: self.path_and_query(),
            headers: self,
        }
    }

    fn raw_host(&self) -> &str {
        self.url()
            .get(self.host_at..self.path_at)
            .unwrap_or_default()
    }
}

/// Path and query of an address.
pub fn path_of(url: &str) -> &str {
    path_from(url, parts_of(url).1)
}

/// Where the host of an address begins, and where its path.
fn parts_of(url: &str) -> (usize, usize) {
    let host_at = url.find("://").map_or(0, |at| at + 3);
    let rest = url.get(host_at..).unwrap_or_default();
    (
        host_at,
        host_at + rest.find(['/', '?', '#']).unwrap_or(rest.len()),
    )
}

fn path_from(url: &str, path_at: usize) -> &str {
    match url.get(path_at..) {
        None | Some("") => "/",
        Some(path) => path,
    }
}
