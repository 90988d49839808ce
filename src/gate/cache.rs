//! Decides whether a shared cache may keep the origin's answer. The cache would replay a cookie on such an answer to other visitors, so the
//! answer gets no cookie. Where a cookie must go out (a first admission), the answer is made private first.

/// What the origin's answer says about shared caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cacheability {
    /// A shared cache may keep the answer: attach no cookie, or make the answer private first.
    Public,
    /// The answer does not say, and caches may guess. A cookie may go out if the answer is made private.
    Unstated,
    /// No shared cache keeps the answer: a cookie may go out.
    Private,
}

/// Returns whether a header speaks to shared caches alone, so that it is removed when an answer is made private. Each cache has a word of its own before
/// `Cache-Control` (RFC 9213 names `CDN-`, and others follow: `Vercel-CDN-`, `Netlify-CDN-`), so the end of the name decides. `name` is in lower case.
/// `headers.js` has the same rule.
#[must_use]
pub fn is_for_shared_caches(name: &str) -> bool {
    let others = ["surrogate-control", "edge-control", "x-accel-expires"];
    name.ends_with("-cache-control") || others.contains(&name)
}

/// Returns what a header [for shared caches](is_for_shared_caches) says, in the words of `Cache-Control`: nginx's own has a number of seconds, or `@` and a date.
#[must_use]
pub fn said_to_shared(name: &str, value: String) -> String {
    match (name, value.trim()) {
        ("x-accel-expires", "0") => "no-store".to_owned(),
        ("x-accel-expires", _) => "public".to_owned(),
        _ => value,
    }
}

/// Judges an answer by its `Cache-Control` and by the headers [for shared caches](is_for_shared_caches); `shared` holds their values, joined by `,`.
/// Within `Cache-Control`, `no-store` or an unqualified `private` wins over `public`. It does not win over a CDN's own header, because a
/// CDN prefers that one. `Expires` and `Last-Modified` alone count as unstated: a `Cache-Control: private` overrules them. O(length).
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

/// Returns the `Cache-Control` to send with a cookie; the caller must then remove the headers [for shared caches](is_for_shared_caches).
/// Returns `None` if the origin's may stay.
#[must_use]
pub fn cache_control_with_cookie(cacheability: Cacheability) -> Option<&'static str> {
    match cacheability {
        Cacheability::Private => None,
        Cacheability::Public | Cacheability::Unstated => Some("private, no-store"),
    }
}

/// Returns the `Cache-Control` of an answer that needed a pass, so that no shared cache keeps it: `private` in place of what lets one do so. Everything
/// else that the shop said stays; what a browser keeps is between the shop and its visitor. `kept` is [`cacheability`]; the caller must then remove
/// the headers [for shared caches](is_for_shared_caches). Returns `None` if the origin's may stay. O(length).
#[must_use]
pub fn private_cache_control(cache_control: Option<&str>, kept: Cacheability) -> Option<String> {
    if kept == Cacheability::Private {
        return None;
    }
    let mut narrowed = "private".to_owned();
    for directive in directives(cache_control.unwrap_or_default()) {
        let name = directive.split('=').next().unwrap_or_default().trim();
        let lets_share = ["private", "public", "s-maxage"].iter().any(|known| name.eq_ignore_ascii_case(known));
        if !lets_share && !directive.is_empty() {
            narrowed.push_str(", ");
            narrowed.push_str(directive);
        }
    }
    Some(narrowed)
}

fn judge(cache_control: &str) -> Cacheability {
    let (mut private, mut public) = (false, false);
    for directive in directives(cache_control) {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
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

/// Splits at commas outside quotes.
fn directives(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .map(str::trim)
}
