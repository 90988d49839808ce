//! What an origin says of its own address, in the visitors' terms. An origin that is forwarded to by URL may write that URL into
//! `Location`, `Refresh` and `Content-Location`, and its host into a cookie's `Domain`. Visitors must not be sent there: it is
//! shut to them, and a browser keeps no cookie of a host that it did not ask.
//!
//! An address is parsed as browsers do (the [URL standard](https://url.spec.whatwg.org/#url-parsing)) and changed only if its
//! scheme, host and port are the origin's. Path, query and fragment stay as they are, whatever stands in them; so do bodies.
//! Each function answers `None` where nothing is to be changed, which is nearly always.

use core::ops::Range;

use super::{Host, Scheme, Site};

/// The headers of an answer that hold an address, in lower case.
pub const ADDRESS_HEADERS: [&str; 3] = ["location", "refresh", "content-location"];

/// From the origin's address to the one that the visitor uses.
#[derive(Debug, Clone)]
pub struct Relocation<'a> {
    /// As the origin was asked.
    pub from: Site,
    /// The visitor's scheme.
    pub scheme: Scheme,
    /// The visitor's host.
    pub host: &'a Host,
}

impl Relocation<'_> {
    /// The value of one of [`ADDRESS_HEADERS`], in lower case. O(length).
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

    /// A `Set-Cookie` line without its `Domain`, if that is the origin's host. The attribute goes and the cookie stays:
    /// it is the visitor's host's own from then on. O(length).
    #[must_use]
    pub fn cookie(&self, line: &str) -> Option<String> {
        if self.from.host.name() == self.host.name() {
            return None;
        }
        // The last of several counts (RFC 6265, 5.3), so without it an earlier one must not begin to count.
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
            // Browsers read an address as if these were not there.
            return self.address(&trimmed.replace(['\t', '\n', '\r'], ""));
        }
        let (scheme, rest) = match split_scheme(trimmed) {
            Some((scheme, rest)) => (Scheme::of_url(scheme)?, rest),
            // `//host/path` has the scheme of the page that it is on.
            None => (self.from.scheme, trimmed),
        };
        let authority = rest.trim_start_matches(is_slash);
        if rest.len() - authority.len() < 2 {
            return None;
        }
        let end = authority
            .find(|c| is_slash(c) || matches!(c, '?' | '#'))
            .unwrap_or(authority.len());
        let (authority, rest) = authority.split_at(end);
        let host_at = authority.rfind('@').map_or(0, |at| at + 1);
        let (user, host) = authority.split_at(host_at);
        let is_origins = scheme == self.from.scheme
            && Host::of_url(scheme, host).is_some_and(|host| host == self.from.host);
        let is_visitors = scheme == self.scheme && self.from.host == *self.host;
        if !is_origins || is_visitors {
            return None;
        }
        // What reads `\` as a part of the host's name must not find another host behind it.
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

/// What stands before the first `:`, if that is a scheme.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let mut letters = scheme.bytes();
    let is_scheme = letters.next().is_some_and(|b| b.is_ascii_alphabetic())
        && letters.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    is_scheme.then_some((scheme, rest))
}

/// The value of a cookie's attribute if that is a `Domain` that says something, without its leading dot.
fn domain_of(attribute: &str) -> Option<&str> {
    const BLANKS: [char; 2] = [' ', '\t'];
    let (name, value) = attribute.split_once('=')?;
    let value = value.trim_matches(BLANKS);
    let value = value.strip_prefix('.').unwrap_or(value);
    let is_domain = name.trim_matches(BLANKS).eq_ignore_ascii_case("domain") && !value.is_empty();
    is_domain.then_some(value)
}

/// Where the address stands in a `Refresh` header: the *shared declarative refresh steps* of the HTML standard.
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
