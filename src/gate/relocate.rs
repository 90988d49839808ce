//! Rewrites the origin's own address in its answers to the visitors' address. An origin to which Baton forwards by URL may write that URL
//! into `Location`, `Refresh` and `Content-Location`, and its host into a cookie's `Domain`. Visitors must not be sent there: the origin is
//! shut to them, and a browser keeps no cookie for a host that it did not ask.
//!
//! An address is parsed as browsers do it (the [URL standard](https://url.spec.whatwg.org/#url-parsing)), and changed only if its scheme,
//! host and port are the origin's. Path, query and fragment stay as they are, whatever they hold; so do bodies. Each function returns
//! `None` if nothing is to change, which is nearly always the case.

use core::ops::Range;

use super::{Host, Scheme, Site};

/// The headers of an answer that hold an address, in lower case.
pub const ADDRESS_HEADERS: [&str; 3] = ["location", "refresh", "content-location"];

/// The way from the origin's address to the visitor's.
#[derive(Debug, Clone)]
pub struct Relocation<'a> {
    /// The address at which the origin was asked.
    pub from: Site,
    /// The visitor's scheme.
    pub scheme: Scheme,
    /// The visitor's host.
    pub host: &'a Host,
}

impl Relocation<'_> {
    /// Rewrites the value of one of [`ADDRESS_HEADERS`]; `name` is in lower case. O(length).
    #[must_use]
    pub fn header(&self, name: &str, value: &str) -> Option<String> {
        if name != "refresh" {
            return self.address(value);
        }
        let span = refresh_url(value)?;
        let address = self.address(value.get(span.clone())?)?;
        let (before, after) = (value.get(..span.start)?, value.get(span.end..)?);
        Some(format!("{before}{address}{after}"))
    }

    /// Removes the `Domain` from a `Set-Cookie` line if it is the origin's host. The cookie itself stays: from then on it belongs to the
    /// visitor's host alone. O(length).
    #[must_use]
    pub fn cookie(&self, line: &str) -> Option<String> {
        if self.from.host.name() == self.host.name() {
            return None;
        }
        // The last of several counts (RFC 6265, 5.3). All are removed, or an earlier one would begin to count.
        let domain = line.split(';').skip(1).filter_map(domain_of).last()?;
        if !domain.eq_ignore_ascii_case(self.from.host.name()) {
            return None;
        }
        let mut kept = String::with_capacity(line.len());
        for (at, part) in line.split(';').enumerate() {
            if at == 0 {
                kept.push_str(part);
            } else if domain_of(part).is_none() {
                kept.push(';');
                kept.push_str(part);
            }
        }
        Some(kept)
    }

    fn address(&self, value: &str) -> Option<String> {
        let trimmed = value.trim_matches(|c| c <= ' ');
        if trimmed.contains(['\t', '\n', '\r']) {
            // Browsers read an address as if these characters were not there.
            return self.address(&trimmed.replace(['\t', '\n', '\r'], ""));
        }
        let (scheme, rest) = match split_scheme(trimmed) {
            Some((scheme, rest)) => (Scheme::of_url(scheme)?, rest),
            // `//host/path` takes the scheme of the page that it is on.
            None => (self.from.scheme, trimmed),
        };
        let authority = rest.trim_start_matches(is_slash);
        if rest.len() - authority.len() < 2 {
            return None;
        }
        let end = authority.find(|c| is_slash(c) || matches!(c, '?' | '#')).unwrap_or(authority.len());
        let (authority, rest) = authority.split_at(end);
        let host_at = authority.rfind('@').map_or(0, |at| at + 1);
        let (user, host) = authority.split_at(host_at);
        let is_origins = scheme == self.from.scheme && Host::of_url(scheme, host).is_some_and(|host| host == self.from.host);
        let is_visitors = scheme == self.scheme && self.from.host == *self.host;
        if !is_origins || is_visitors {
            return None;
        }
        // A reader that takes `\` as part of the host's name must not find another host behind it.
        let (slash, rest) = match rest.strip_prefix('\\') {
            Some(rest) => ("/", rest),
            None => ("", rest),
        };
        let (to, host) = (self.scheme.as_str(), self.host);
        Some(format!("{to}://{user}{host}{slash}{rest}"))
    }
}

const fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

/// Splits a URL at its first `:`. Returns `None` if what precedes it is no scheme.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let mut letters = scheme.bytes();
    let is_scheme = letters.next().is_some_and(|b| b.is_ascii_alphabetic()) && letters.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    is_scheme.then_some((scheme, rest))
}

/// Returns the value of a cookie's attribute, without its leading dot. Returns `None` if the attribute is no `Domain`, or an empty one.
fn domain_of(attribute: &str) -> Option<&str> {
    const BLANKS: [char; 2] = [' ', '\t'];
    let (name, value) = attribute.split_once('=')?;
    let value = value.trim_matches(BLANKS);
    let value = value.strip_prefix('.').unwrap_or(value);
    let is_domain = name.trim_matches(BLANKS).eq_ignore_ascii_case("domain") && !value.is_empty();
    is_domain.then_some(value)
}

/// Finds the address in a `Refresh` header, by the *shared declarative refresh steps* of the HTML standard.
fn refresh_url(value: &str) -> Option<Range<usize>> {
    let blank = |c: char| c.is_ascii_whitespace();
    let rest = value.trim_start_matches(blank);
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c| blank(c) || matches!(c, ';' | ',')) {
        return None;
    }
    let rest = rest.trim_start_matches(blank);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_start_matches(blank);
    let named = rest
        .split_at_checked(3)
        .filter(|(name, _)| name.eq_ignore_ascii_case("url"))
        .and_then(|(_, after)| after.trim_start_matches(blank).strip_prefix('='));
    let rest = named.map_or(rest, |after| after.trim_start_matches(blank));
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let rest = rest.get(quote.map_or(0, char::len_utf8)..)?;
    let length = quote.and_then(|quote| rest.find(quote));
    let start = value.len() - rest.len();
    Some(start..start + length.unwrap_or(rest.len()))
}
