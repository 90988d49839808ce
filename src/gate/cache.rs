//! Whether a shared cache may keep the origin's answer. A cookie on such an answer would be replayed to
//! others, so it gets none; where a cookie must go out (a first admission), the answer is made private.

/// What the origin says about shared caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cacheability {
    /// A shared cache may keep it: attach no cookie, or make it private first.
    Public,
    /// Nothing said. Caches may guess: a cookie may go out, with the answer made private.
    Unstated,
    /// No shared cache keeps it: a cookie may go out.
    Private,
}

/// Headers that speak to shared caches alone. Removed when an answer is made private.
pub const SHARED_CACHE_HEADERS: [&str; 3] = [
    "cdn-cache-control",
    "cloudflare-cdn-cache-control",
    "surrogate-control",
];

/// Judges an answer by `Cache-Control`, and by the headers of [`SHARED_CACHE_HEADERS`] (`shared`: those that
/// are there, joined by `,`). `no-store` or an unqualified `private` in `Cache-Control` wins over `public`
/// there, but not over a CDN's own header, which a CDN prefers. `Expires` and `Last-Modified` alone count as
/// unstated: a `Cache-Control: private` overrules them. O(length).
#[must_use]
pub fn cacheability(cache_control: Option<&str>, shared: Option<&str>) -> Cacheability {
    if shared.is_some_and(|value| judge(value) != Cacheability::Private) {
        return Cacheability::Public;
    }
    match cache_control {
        Some(value) => judge(value),
        None if shared.is_some() => Cacheability::Private,
        None => Cacheability::Unstated,
    }
}

/// The `Cache-Control` to send so that a cookie may go out; none: leave the origin's as it is. Remove
/// [`SHARED_CACHE_HEADERS`] when it is some.
#[must_use]
pub fn cache_control_with_cookie(cacheability: Cacheability) -> Option<&'static str> {
    match cacheability {
        Cacheability::Private => None,
        Cacheability::Public | Cacheability::Unstated => Some("private, no-store"),
    }
}

fn judge(cache_control: &str) -> Cacheability {
    let (mut private, mut public) = (false, false);
    for directive in directives(cache_control) {
        let (name, value) = directive.split_once('=').unwrap_or((&directive, ""));
        let value = value.trim().trim_matches('"');
        match name.trim() {
            "no-store" => private = true,
            // `private="set-cookie"` keeps only that header out of shared caches.
            "private" if value.is_empty() => private = true,
            "public" => public = true,
            "s-maxage" | "max-age" if !value.trim_matches('0').is_empty() => public = true,
            _ => {}
        }
    }
    match (private, public) {
        (true, _) => Cacheability::Private,
        (false, true) => Cacheability::Public,
        (false, false) => Cacheability::Unstated,
    }
}

/// Splits at commas outside quotes, lower case.
fn directives(text: &str) -> Vec<String> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .map(|part| part.trim().to_ascii_lowercase())
    .collect()
}
