//! The address that a person probably meant who asks for one with a dot, a blank or an invisible character too many: it came out of a text, not out
//! of a link.

use super::reading::{Piece, classify, decode_once};
use super::written::encode_segment;

/// Returns a path without what pasting adds: dots and blanks around segments, characters that nobody sees, escapes that are none. Everything else keeps
/// its meaning, the query its spelling; the result begins with exactly one `/`. O(length).
#[must_use]
pub fn tidied(path_and_query: &str) -> String {
    let (path, query) = match path_and_query.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path_and_query, None),
    };
    let segments = path.split('/').map(tidied_segment);
    let segments: Vec<String> = segments.filter(|segment| !segment.is_empty()).collect();
    let mut out = format!("/{}", segments.join("/"));
    if path.ends_with('/') && out.len() > 1 {
        out.push('/');
    }
    if let Some(query) = query {
        out.push('?');
        out.push_str(query);
    }
    out
}

fn tidied_segment(segment: &str) -> String {
    let decoded = String::from_utf8_lossy(&decode_once(segment.as_bytes()).bytes).into_owned();
    let is_seen = |c: &char| !matches!(classify(*c), Piece::Noise | Piece::Control) && *c != char::REPLACEMENT_CHARACTER;
    let seen: String = decoded.chars().filter(is_seen).collect();
    let text = seen.trim().trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    encode_segment(text)
}
