//! Hosts, each in one spelling: neither case, nor a trailing dot, nor a default port makes another host. Tokens are bound to that spelling,
//! and rooms name hosts by it. This file also has the domains by which hosts share cookies.

use core::net::Ipv6Addr;
use std::fmt;

/// The scheme by which a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain HTTP, for local development.
    Http,
    /// HTTPS, for everything else.
    Https,
}

impl Scheme {
    /// Reads `https`, `https:`, `wss`, … Anything that is not plain http counts as https.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let name = text.trim_end_matches(':').trim_end_matches("//").trim_end_matches(':');
        if name.eq_ignore_ascii_case("http") || name.eq_ignore_ascii_case("ws") {
            Self::Http
        } else {
            Self::Https
        }
    }

    /// Reads a URL's scheme. Returns `None` if it is neither `http` nor `https`.
    #[must_use]
    pub fn of_url(name: &str) -> Option<Self> {
        let of = |scheme: &Self| name.eq_ignore_ascii_case(scheme.as_str());
        [Self::Http, Self::Https].into_iter().find(of)
    }

    /// Returns `http` or `https`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A host with its port: in lower case, without a trailing dot, and without the port if it is the scheme's default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    text: String,
    name: String,
    port: u16,
}

impl Host {
    /// Reads a `Host` header or a URL's `host`. Returns `None` if it is no host; the request then gets a 400.
    #[must_use]
    pub fn parse(scheme: Scheme, raw: &str) -> Option<Self> {
        let (name, port) = split(raw)?;
        let port = port.unwrap_or(scheme.port());
        let text = if port == scheme.port() { name.clone() } else { format!("{name}:{port}") };
        Some(Self { text, name, port })
    }

    /// Reads the host and port of a URL. Writes an IPv6 address in one spelling too.
    #[must_use]
    pub fn of_url(scheme: Scheme, text: &str) -> Option<Self> {
        let Some((address, port)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
            return Self::parse(scheme, text);
        };
        let address: Ipv6Addr = address.parse().ok()?;
        Self::parse(scheme, &format!("[{address}]{port}"))
    }

    /// Returns the one spelling, to which tokens are bound.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host without its port.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether cookies without `__Host-` and `Secure` are acceptable: plain http on this very machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self.name.as_str(), "localhost" | "127.0.0.1" | "[::1]")
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The address of a site: the scheme, host and port of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The scheme.
    pub scheme: Scheme,
    /// The host, without the port if it is the scheme's default.
    pub host: Host,
}

impl Site {
    /// Reads `https://shop.example.net:8443`, with or without a slash at the end. Returns `None` for any other text.
    #[must_use]
    pub fn parse(url: &str) -> Option<Self> {
        let (scheme, host) = url.split_once("://")?;
        let scheme = Scheme::of_url(scheme)?;
        let host = Host::of_url(scheme, host.strip_suffix('/').unwrap_or(host))?;
        Some(Self { scheme, host })
    }

    /// Returns the URL without a path: `https://shop.example.net:8443`.
    #[must_use]
    pub fn base(&self) -> String {
        format!("{}://{}", self.scheme.as_str(), self.host)
    }
}

/// A host as the configuration names it. Without a port it covers every port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    name: String,
    port: Option<u16>,
}

impl HostPattern {
    /// Reads `name` or `name:port`. Returns `None` for anything else: a scheme, a path, a `*`, letters beyond ASCII.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, port) = split(text)?;
        Some(Self { name, port })
    }

    /// Returns the host without its port.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is an address, which has more spellings than its own.
    pub(super) fn is_address(&self) -> bool {
        is_address(&self.name)
    }

    /// Returns whether it covers one port only.
    #[must_use]
    pub const fn has_port(&self) -> bool {
        self.port.is_some()
    }

    /// Returns whether it covers every host and port that `other` covers.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.name == other.name && (self.port.is_none() || self.port == other.port)
    }

    /// Returns whether both cover some host and port.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    /// Returns whether it covers the host of a request.
    #[must_use]
    pub fn matches(&self, host: &Host) -> bool {
        self.name == host.name && self.port.is_none_or(|port| port == host.port)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Returns whether the name of a host is an address. No top-level domain begins with a digit, and browsers read whatever ends in a number as one.
fn is_address(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    name.starts_with('[') || last.bytes().next().is_some_and(|b| b.is_ascii_digit())
}

/// The domain by which a room's hosts share their cookies and tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CookieDomain {
    /// The name with a dot in front: `.example.com`.
    text: String,
}

impl CookieDomain {
    /// Reads `example.com`. Baton does not know public suffixes such as `co.uk`: their list changes every week.
    /// Browsers know them, and keep no cookie for one.
    ///
    /// # Errors
    /// Why the text is no such domain: it is not a bare name, or it is a single label or an address.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let Some((name, None)) = split(text) else {
            return Err("is not a bare domain name");
        };
        if is_address(&name) {
            return Err("is an address, which no two hosts share");
        }
        if !name.contains('.') {
            return Err("is a single label, for which browsers keep no cookies");
        }
        Ok(Self { text: format!(".{name}") })
    }

    /// Returns the value of a cookie's `Domain=`: `example.com`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.strip_prefix('.').unwrap_or(&self.text)
    }

    /// Returns the text to which tokens are bound: `.example.com`. No host begins with a dot, so a token of the domain never counts as a
    /// token of the host of that name, nor the reverse.
    #[must_use]
    pub fn binding(&self) -> &str {
        &self.text
    }

    /// Returns whether a host is the domain itself or below it.
    #[must_use]
    pub fn covers(&self, host: &HostPattern) -> bool {
        host.name == self.name() || host.name.ends_with(&self.text)
    }
}

/// Splits a host into its name, in lower case and without a trailing dot, and its port.
fn split(raw: &str) -> Option<(String, Option<u16>)> {
    const NAME_BYTES_MAX: usize = 253;
    let (name, port) = match raw.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']')?;
            let valid = !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit() || b == b':' || b == b'.');
            if !valid {
                return None;
            }
            let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
            (format!("[{}]", address.to_ascii_lowercase()), port)
        }
        None => {
            let (name, port) = raw.split_once(':').map_or((raw, None), |(name, port)| (name, Some(port)));
            let name = name.strip_suffix('.').unwrap_or(name);
            let valid = (1..=NAME_BYTES_MAX).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
                && !name.split('.').any(str::is_empty);
            if !valid {
                return None;
            }
            (name.to_ascii_lowercase(), port)
        }
    };
    let port = match port {
        None | Some("") => None,
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => Some(digits.parse().ok()?),
        Some(_) => return None,
    };
    Some((name, port))
}
