//! Whether a call that changes something comes from the site itself, or from an app that the room names. No browser lets a page of another
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

/// Looks at `Origin` and `Sec-Fetch-Site`. `room`: whose pages may call, beside those of the host itself: those of the hosts
/// that the room names, and no other of the same site. A sibling host is as far from us as any site is.
///
/// - The origin of an app of the room is fine where cookies are not looked at, and only there.
/// - `Origin` must be this very scheme, host and port, or with the same scheme a host that the room names; `null` never is.
/// - No `Origin` is fine, unless the browser says that the call comes from elsewhere (`same-site`, `cross-site`).
#[must_use]
pub fn check_origin(request: &Request<'_>, own: &Host, room: Option<&Room>) -> OriginVerdict {
    let app = room.and_then(|room| room.app_origin(request));
    if app.is_some() && request.speaks_credentials() {
        return OriginVerdict::Fine;
    }
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
        return match site.as_str() {
            "same-site" => OriginVerdict::Foreign,
            _ => OriginVerdict::Fine,
        };
    };
    let Some((scheme, host)) = parse(origin.trim()) else {
        return OriginVerdict::Foreign;
    };
    let is_named = || room.is_some_and(|room| room.names(&host));
    if scheme == request.scheme && (host == *own || is_named()) {
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
