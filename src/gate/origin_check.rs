//! Decides whether a call that changes something comes from the site itself, or from an app that the room names. No browser lets a page of
//! another site forge `Origin` or `Sec-Fetch-Site`. Other clients send neither header, and have no cookies to abuse.

use super::{Host, Request, Room, Scheme, Whence};

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginVerdict {
    /// The site itself, an app that the room names, or a client that is no browser.
    Fine,
    /// Another site, or one that hides its origin (`null`).
    Foreign,
}

/// Judges a call by `Origin` and `Sec-Fetch-Site`. Beside the pages of the host itself, only pages of the hosts and apps that `room` names
/// may call: a sibling host is as foreign as any other site.
///
/// - An origin of one of the room's apps is fine, but only where cookies are not looked at.
/// - `Origin` must be this very scheme, host and port, or the same scheme with a host that the room names. `null` never is.
/// - A missing `Origin` is fine, unless the browser says that the call comes from elsewhere (`same-site`, `cross-site`).
#[must_use]
pub fn check_origin(request: &Request<'_>, own: &Host, room: Option<&Room>) -> OriginVerdict {
    let app = room.and_then(|room| room.app_origin(request));
    if app.is_some() && request.speaks_credentials() {
        return OriginVerdict::Fine;
    }
    let site = request.whence();
    if site == Whence::Other {
        return OriginVerdict::Foreign;
    }
    let Some(origin) = request.headers.get("origin") else {
        return match site {
            Whence::Sister => OriginVerdict::Foreign,
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

/// Returns whether the page that calls is this very host's, but came by https where the call comes by http: a proxy in front ends TLS and does not say so.
#[must_use]
pub fn differs_by_scheme(request: &Request<'_>, own: &Host) -> bool {
    let origin = request.headers.get("origin");
    let parsed = origin.and_then(|origin| parse(origin.trim()));
    request.scheme == Scheme::Http && parsed.is_some_and(|(scheme, host)| scheme == Scheme::Https && host == *own)
}

/// Returns whether `Origin` is present and is this very scheme, host and port. This check is for actions that a cookie alone allows and
/// that a sibling host must not take.
#[must_use]
pub fn is_own_origin(origin: Option<&str>, scheme: Scheme, own: &Host) -> bool {
    let parsed = origin.and_then(|origin| parse(origin.trim()));
    parsed.is_some_and(|(its_scheme, host)| its_scheme == scheme && host == *own)
}

/// Reads `scheme://host[:port]`. Returns `None` for anything else: `null`, a list, another scheme.
fn parse(origin: &str) -> Option<(Scheme, Host)> {
    let (scheme, host) = origin.split_once("://")?;
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return None,
    };
    Some((scheme, Host::parse(scheme, host)?))
}
