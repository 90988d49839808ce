//! Whether an address leads to this very host, for what sends a visitor back. It must never lead to another site.

use super::{Host, Scheme};

/// Returns the path and query of an address of this host, by this scheme; `None` if it leads, or could be read to lead, anywhere else.
#[must_use]
pub fn path_of_origin<'u>(url: &'u str, scheme: Scheme, host: &Host) -> Option<&'u str> {
    let (said, rest) = url.split_once("://")?;
    let path_at = rest.find('/')?;
    let (named, path) = rest.split_at_checked(path_at)?;
    let said = match said {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return None,
    };
    let is_own = said == scheme && Host::parse(scheme, named)? == *host;
    (is_own && stays_here(path)).then_some(path)
}

/// Returns whether a path stays on this host: `//host` would lead elsewhere, and browsers read `\` as `/` and a tab as nothing.
#[must_use]
pub fn stays_here(path: &str) -> bool {
    path.starts_with('/') && !path.starts_with("//") && !path.contains(|c: char| c == '\\' || c <= ' ')
}
