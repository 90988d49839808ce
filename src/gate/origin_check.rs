//! Whether a call that changes something comes from the site itself. No browser lets a page of another
//! site forge `Origin` or `Sec-Fetch-Site`; what is no browser sends neither and has no cookies to abuse.

use super::{Host, Request, Room, Scheme};

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginVerdict {
    /// The site itself, or no browser.
    Fine,
    /// Another site, or one that hides (`null`).
    Foreign,
}

/// Whose pages may call, beside those of the host itself.
#[derive(Debug, Clone, Copy)]
pub enum Kin<'g> {
    /// Those of every host that the browser calls the same site.
    Site,
    /// Those of this room's hosts, and no other of the site's: their shared cookies reach them all.
    Hosts(&'g Room),
}

/// Looks at `Origin` and `Sec-Fetch-Site`:
///
/// - `Sec-Fetch-Site: cross-site` is foreign, whatever else is said;
/// - no `Origin` is fine;
/// - `Origin` must be this very scheme, host and port, or that of one of `kin`: another host of the same site is fine
///   only if the browser itself says `same-site` (Baton has no list of public suffixes), a host of a room that shares
///   its cookies if it is named there; `null` never is.
#[must_use]
pub fn check_origin(request: &Request<'_>, own: &Host, kin: Kin<'_>) -> OriginVerdict {
    let site = request
        .headers
        .get("sec-fetch-site")
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if site == "cross-site" {
        return OriginVerdict::Foreign;
    }
    let Some(origin) = request.headers.get("origin") else {
        return OriginVerdict::Fine;
    };
    let Some((scheme, host)) = parse(origin.trim()) else {
        return OriginVerdict::Foreign;
    };
    let is_own = scheme == request.scheme && host == *own;
    let is_kin = match kin {
        Kin::Site => site == "same-site",
        Kin::Hosts(room) => scheme == request.scheme && room.names(&host),
    };
    if is_own || is_kin {
        OriginVerdict::Fine
    } else {
        OriginVerdict::Foreign
    }
}

/// Whether `Origin` is there and is this very scheme, host and port. For what a cookie alone allows and a sibling host must
/// not do.
#[must_use]
pub fn is_own_origin(origin: Option<&str>, scheme: Scheme, own: &Host) -> bool {
    let parsed = origin.and_then(|origin| parse(origin.trim()));
    parsed.is_some_and(|(its_scheme, host)| its_scheme == scheme && host == *own)
}

/// `scheme://host[:port]` and nothing more. `null`, lists and other schemes are none.
fn parse(origin: &str) -> Option<(Scheme, Host)> {
    let (scheme, host) = origin.split_once("://")?;
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return None,
    };
    Some((scheme, Host::parse(scheme, host)?))
}
