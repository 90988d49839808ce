//! The origins of apps, as browsers write them.

use super::{Host, Scheme};

/// Checks that a text is an app's origin as browsers write it: scheme and host in lower case, no default port, and nothing more.
///
/// # Errors
/// What is wrong with the text.
pub fn check_app_origin(text: &str) -> Result<(), &'static str> {
    /// Schemes whose pages have no origin of their own, or an origin that anybody may have.
    const NEVER: [&str; 6] = ["about", "blob", "data", "file", "filesystem", "javascript"];
    let (scheme, rest) = text.split_once("://").ok_or("has no scheme and host")?;
    let is_scheme = scheme
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-.".contains(&b));
    if scheme.is_empty() || !is_scheme || NEVER.contains(&scheme) {
        return Err("has a scheme that no app's pages have, or one in upper case");
    }
    let kind = Scheme::parse(scheme);
    let host = Host::parse(kind, rest).ok_or("has more than a host and perhaps a port behind its scheme")?;
    if host.as_str() != rest {
        return Err("is not as browsers write it: lower case, without the scheme's own port");
    }
    if scheme == "http" && !host.is_local() {
        return Err("is read and changed by everybody on the way: only this machine may do without https");
    }
    Ok(())
}
