//! What becomes of the shop's `Clear-Site-Data`. A shop that signs somebody out with it clears every cookie of the site, Baton's too, and the
//! visitor's place would go with the session. So for a visitor who shows a place, Baton takes the cookies out of the header and expires the shop's
//! own one by one.
//!
//! A server sees a cookie's name and value, and neither the path nor the domain under which the browser keeps it. So each is expired for every path
//! and domain that would bring it with this request, and once more as a partitioned one. What the request did not show stays: cookies of paths beside
//! it and of sibling hosts, and HTTP authentication.

use super::cookies::{BLANKS, LOST, SEPARATOR};
use super::{CookieKind, Cookies, Host, without_query};
use facts::ordered::{filled, sort_few};
use std::collections::BTreeSet;

/// The name of the header.
pub const CLEAR_SITE_DATA: &str = "clear-site-data";

/// The most bytes of lines that expire cookies. A line has some 80, and a cookie 12 lines at `/logout` of a host with three labels: 17 cookies. Node's
/// client reads 16 KB of headers, Cloudflare sends 128 KB.
const EXPIRIES_BYTES_MAX: usize = 16 * 1024;

const COOKIES: &str = "\"cookies\"";
const EVERYTHING: &str = "\"*\"";
/// What `"*"` stands for, without the cookies.
const REST: [&str; 6] = [
    "\"cache\"",
    "\"clientHints\"",
    "\"executionContexts\"",
    "\"prefetchCache\"",
    "\"prerenderCache\"",
    "\"storage\"",
];

/// What becomes of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clearing {
    /// It stays as it is: it clears no cookies, or the visitor shows no place.
    AsItIs,
    /// It would take more lines than Baton adds, or a cookie that Baton cannot name. It stays as it is, and takes the place away.
    TooMuch,
    /// The header has this value instead, none if it is empty, and these `Set-Cookie` lines come behind all others.
    Instead(String, Vec<String>),
}

impl Cookies<'_> {
    /// Decides what becomes of `Clear-Site-Data` in the answer to a request for this host and path that showed `shown` as its `Cookie`. A ticket or a
    /// pass counts without a look at its signature: whoever shows a false one keeps nothing by it. O(length + lines).
    #[must_use]
    pub fn clearing(self, header: &str, shown: Option<&str>, host: &Host, path_and_query: &str) -> Clearing {
        let types: Vec<&str> = header.split(',').map(str::trim).collect();
        let is = |name: &'static str| move |found: &&str| found.eq_ignore_ascii_case(name);
        let clears_all = types.iter().any(is(EVERYTHING));
        let pairs = || shown.unwrap_or_default().split(SEPARATOR);
        if !(clears_all || types.iter().any(is(COOKIES))) || !pairs().any(|pair| self.is_place(pair)) {
            return Clearing::AsItIs;
        }
        let mut kept: Vec<&str> = types.into_iter().filter(|found| !is(EVERYTHING)(found) && !is(COOKIES)(found)).collect();
        if clears_all {
            let missing = REST.into_iter().filter(|name| !kept.contains(name));
            let missing: Vec<&str> = missing.collect();
            kept.extend(missing);
        }
        let names: BTreeSet<&str> = filled(pairs().filter(|pair| !self.is_own_pair(pair)).filter_map(name_of));
        match self.expiries(&names, host, without_query(path_and_query)) {
            Some(lines) => Clearing::Instead(kept.join(", "), lines),
            None => Clearing::TooMuch,
        }
    }

    /// Returns the lines that expire these cookies. Returns `None` if they are too many, or if one cannot be named.
    fn expiries(self, names: &BTreeSet<&str>, host: &Host, path: &str) -> Option<Vec<String>> {
        let (paths, domains) = (paths(path), domains(host.name()));
        let is_secure = self.kind() != CookieKind::Local;
        let mut lines = Vec::new();
        let mut room = EXPIRIES_BYTES_MAX;
        for name in names {
            if name.contains(LOST) {
                return None;
            }
            let is_hosts = name.to_ascii_lowercase().starts_with("__host-");
            for path in paths.iter().take(if is_hosts { 1 } else { paths.len() }) {
                for domain in domains.iter().take(if is_hosts { 1 } else { domains.len() }) {
                    let line = expiry(name, path, domain, is_secure);
                    let more = [Some(format!("{line}; Partitioned")).filter(|_| is_secure), Some(line)];
                    for line in more.into_iter().flatten() {
                        room = room.checked_sub(line.len())?;
                        lines.push(line);
                    }
                }
            }
        }
        Some(lines)
    }
}

fn expiry(name: &str, path: &str, domain: &str, is_secure: bool) -> String {
    // A browser ignores a cookie without a name that has no value either.
    let value = if name.is_empty() { "-" } else { "" };
    let mut line = format!("{name}={value}; Max-Age=0; Path={path}");
    if !domain.is_empty() {
        line.push_str("; Domain=");
        line.push_str(domain);
    }
    if is_secure {
        // A page of another site may have asked: then a browser takes no other line.
        line.push_str("; Secure; SameSite=None");
    }
    if name.starts_with("__") {
        // Some prefixes ask for it, and it does no harm.
        line.push_str("; HttpOnly");
    }
    line
}

/// Returns the name in a pair of the header: empty for a cookie without one. Returns `None` if it is no cookie.
fn name_of(pair: &str) -> Option<&str> {
    let pair = pair.trim_matches(BLANKS);
    let name = pair.split_once('=').map_or("", |(name, _)| name);
    let name = name.trim_matches(BLANKS);
    (!pair.is_empty() && !name.starts_with('$')).then_some(name)
}

/// Returns every path under which a browser may keep a cookie that it sends to `path`, the shortest first: RFC 6265, 5.1.4.
fn paths(path: &str) -> Vec<&str> {
    // The attribute ends at a `;`, so no browser keeps a longer path.
    let path = path.split(';').next().unwrap_or_default();
    let slashes = path.match_indices('/').map(|(at, _)| at);
    let mut ends: Vec<usize> = slashes.flat_map(|at| [at, at + 1]).collect();
    ends.push(path.len());
    sort_few(&mut ends, Ord::cmp);
    ends.dedup();
    let paths = ends.into_iter().filter_map(|end| path.get(..end));
    paths.filter(|path| !path.is_empty()).collect()
}

/// Returns every domain under which a browser may keep a cookie that it sends to this host: empty for the host's own.
fn domains(name: &str) -> Vec<&str> {
    let mut domains = vec![""];
    let is_name = name.contains('.') && name.ends_with(|c: char| c.is_ascii_alphabetic());
    let mut rest = Some(name).filter(|_| is_name);
    while let Some(domain) = rest.filter(|domain| domain.contains('.')) {
        domains.push(domain);
        rest = domain.split_once('.').map(|(_, parent)| parent);
    }
    domains
}
