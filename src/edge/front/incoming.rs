//! The request as it came, and the facts of it that everything else asks for. Never changed.

use wasm_bindgen::JsCast as _;
use worker::web_sys;

use super::js;
use crate::gate::{self, Host, Scheme};

/// A request that came in.
pub struct Incoming {
    raw: web_sys::Request,
    method: String,
    url: String,
    scheme: Scheme,
    /// Where host and path begin in `url`.
    host_at: usize,
    path_at: usize,
}

impl gate::Headers for Incoming {
    fn get(&self, name: &str) -> Option<String> {
        js::header(&self.raw.headers(), name)
    }
}

impl Incoming {
    /// Reads the facts off a request. workers-rs's own idea of a method is not used: it takes `PROPFIND` for `GET`.
    pub fn new(request: &worker::Request) -> Self {
        let raw: web_sys::Request = request
            .inner()
            .unchecked_ref::<web_sys::Request>()
            .to_owned();
        let url = raw.url();
        let (host_at, path_at) = parts_of(&url);
        let scheme = Scheme::parse(url.get(..host_at).unwrap_or_default());
        Self {
            method: raw.method(),
            raw,
            url,
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
        &self.method
    }

    /// `HEAD` gets no body.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// The whole address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How it came.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Path and query as sent.
    pub fn path_and_query(&self) -> &str {
        path_from(&self.url, self.path_at)
    }

    /// The host in its one spelling.
    pub fn host(&self) -> Option<Host> {
        Host::parse(self.scheme, self.raw_host())
    }

    /// The header of this lower-case name.
    pub fn header(&self, name: &str) -> Option<String> {
        gate::Headers::get(self, name)
    }

    /// For the gate.
    pub fn described(&self) -> gate::Request<'_> {
        gate::Request {
            method: &self.method,
            scheme: self.scheme,
            host: self.raw_host(),
            path_and_query: self.path_and_query(),
            headers: self,
        }
    }

    fn raw_host(&self) -> &str {
        self.url.get(self.host_at..self.path_at).unwrap_or_default()
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
