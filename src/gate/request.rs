//! The facts of a request, and what follows from its method, path and headers alone. What it wants is in `intent.rs`.

use super::{Host, METHOD_OVERRIDES, Method, Scheme, speaks_credentials};

/// The protocol that an app's page speaks on its socket.
pub const SOCKET_PROTOCOL: &str = "baton.v1";
/// The beginning of the protocol name that carries the token for the socket.
pub const SOCKET_TOKEN: &str = "baton.token.";

/// Looks up the headers of a request. Several headers of one name come joined by `, `, as the platform does it.
pub trait Headers {
    /// Returns the value of the header of this name, which is in lower case.
    fn get(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Headers for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// A description of a request.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method as sent, such as `GET`. Case matters.
    pub method: &'a str,
    /// The scheme by which the request came in.
    pub scheme: Scheme,
    /// The host and port as sent.
    pub host: &'a str,
    /// The path and query as they came.
    pub path_and_query: &'a str,
    /// Whether a body comes with the request. This matters for `OPTIONS` only.
    pub has_body: bool,
    /// The headers.
    pub headers: &'a dyn Headers,
}

impl Request<'_> {
    /// Returns whether the method is `GET` or `HEAD`.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self.method, "GET" | "HEAD")
    }

    /// Returns the method by which the request is judged: its own, or for a preflight the one that it asks for.
    #[must_use]
    pub fn judged_method(&self) -> Method {
        if self.is_preflight() {
            let asked = self.headers.get("access-control-request-method");
            return Method::of(asked.unwrap_or_default().trim());
        }
        Method::of(self.method)
    }

    /// Returns the methods that some origins would read from the headers of a POST in place of POST.
    pub fn other_methods(&self) -> impl Iterator<Item = Method> {
        let names = METHOD_OVERRIDES.iter().filter(|_| self.method == "POST");
        let values = names.filter_map(|name| self.headers.get(name));
        values.map(|value| Method::of(&value.trim().to_ascii_uppercase()))
    }

    /// Returns whether Baton answers with credentials and looks at no cookie. That is so if the request shows credentials, is the call that
    /// sets no cookie, or opens a socket with a token among its protocols.
    #[must_use]
    pub fn speaks_credentials(&self) -> bool {
        self.headers.get("baton-credentials").is_some() || speaks_credentials(self.path_and_query) || self.socket_token().is_some()
    }

    /// Returns the token with which an app's page opens a socket.
    #[must_use]
    pub fn socket_token(&self) -> Option<String> {
        let protocols = self.headers.get("sec-websocket-protocol")?;
        let mut protocols = protocols.split(',').map(str::trim);
        let token = protocols.find_map(|protocol| protocol.strip_prefix(SOCKET_TOKEN))?;
        self.is_upgrade().then(|| token.to_owned())
    }

    /// Returns whether the request wants to become a WebSocket.
    #[must_use]
    pub fn is_upgrade(&self) -> bool {
        self.has_token("upgrade", "websocket")
    }

    /// Returns whether the runtime makes a WebSocket of the request: of none that offers another protocol too.
    #[must_use]
    pub fn opens_socket(&self) -> bool {
        let offered = self.headers.get("upgrade");
        offered.is_some_and(|offered| offered.trim().eq_ignore_ascii_case("websocket"))
    }

    /// Returns whether this is a true CORS preflight: `OPTIONS` with `Origin` and `Access-Control-Request-Method`, and no body. Such a
    /// request never carries cookies, so no pass can be asked of it.
    #[must_use]
    pub fn is_preflight(&self) -> bool {
        // This check comes first: nearly no request is a preflight, and looking up a header costs more than this.
        if self.method != "OPTIONS" || self.has_body {
            return false;
        }
        let method = self.headers.get("access-control-request-method").unwrap_or_default();
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
        let origin = self.headers.get("origin");
        origin.is_some_and(|origin| !origin.trim().is_empty()) && is_token(method.trim())
    }

    fn has_token(&self, header: &str, token: &str) -> bool {
        self.headers
            .get(header)
            .is_some_and(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(token)))
    }

    /// Returns the host in its one spelling. Returns `None` if it is no host.
    #[must_use]
    pub fn parsed_host(&self) -> Option<Host> {
        Host::parse(self.scheme, self.host)
    }
}
