//! Writes a path as Baton sends it on. The platform writes addresses as the URL standard says: `/a/%2e%2e/b` goes out as `/b`, and `\` as
//! `/`. The gate must judge what is sent, so it writes the path this way **before** it decides anything about it.
//!
//! This is the path state of the [URL standard](https://url.spec.whatwg.org/#path-state), and the encoding of its query. Nothing here knows
//! rooms. `edge/front/onward.rs` compares the result with the path that the platform made.

use std::borrow::Cow;

/// Writes path and query as they go on the wire: dot segments resolved, `\` as `/`, no fragment, escapes where the standard requires them.
/// The result begins with `/`. Applying it again changes nothing. O(length).
#[must_use]
pub fn as_sent(path_and_query: &str) -> Cow<'_, str> {
    if is_as_sent(path_and_query) {
        return Cow::Borrowed(path_and_query);
    }
    let without_breaks: String = path_and_query.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let whole = without_breaks.split('#').next().unwrap_or_default();
    let (path, query) = match whole.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (whole, None),
    };
    let mut out = resolved(path);
    if let Some(query) = query {
        out.push('?');
        encode_into(&mut out, query, is_escaped_in_query);
    }
    Cow::Owned(out)
}

/// Returns whether path and query are already as they would be sent. Nearly all are.
fn is_as_sent(text: &str) -> bool {
    let path = text.split('?').next().unwrap_or_default();
    let query = text.get(path.len()..).unwrap_or_default();
    path.starts_with('/')
        && !text.contains('#')
        && !path.chars().any(|c| c == '\\' || c.is_whitespace() || is_escaped_in_path(c))
        && !query.chars().any(is_escaped_in_query)
        && !path.split('/').any(|segment| dots_of(segment) > 0)
}

fn resolved(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix('/').unwrap_or(&path);
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match dots_of(segment) {
            0 => kept.push(segment),
            dots => {
                if dots == 2 {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
        }
    }
    let mut out = String::with_capacity(path.len() + 1);
    for segment in kept {
        out.push('/');
        encode_into(&mut out, segment, is_escaped_in_path);
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

/// Returns 1 for `.` and 2 for `..`, where each dot may be written as `%2e`; 0 for everything else.
fn dots_of(segment: &str) -> usize {
    let mut rest = segment;
    let mut dots = 0;
    while let Some(after) = after_dot(rest) {
        dots += 1;
        rest = after;
    }
    if rest.is_empty() && dots <= 2 { dots } else { 0 }
}

fn after_dot(text: &str) -> Option<&str> {
    text.strip_prefix('.')
        .or_else(|| text.strip_prefix("%2e"))
        .or_else(|| text.strip_prefix("%2E"))
}

fn is_escaped_in_path(c: char) -> bool {
    is_escaped_everywhere(c) || matches!(c, '?' | '^' | '`' | '{' | '}')
}

fn is_escaped_in_query(c: char) -> bool {
    is_escaped_everywhere(c) || c == '\''
}

fn is_escaped_everywhere(c: char) -> bool {
    c <= ' ' || c > '~' || matches!(c, '"' | '#' | '<' | '>')
}

fn encode_into(out: &mut String, text: &str, is_escaped: fn(char) -> bool) {
    for c in text.chars() {
        if !is_escaped(c) {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}
