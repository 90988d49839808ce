//! One way to use a route, and what is read of a route alike wherever it leads: a number, a query's value, an unknown name.

use super::calls::OwnCall;
use super::{ErrorCode, Gate, Refusal};
use crate::settings::is_room_name;

/// Which requests to a route are looked at for their origin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// They are not.
    Anywhere,
    /// From this host, or one that the room names.
    Ours,
}

/// One thing that can be done at a route: methods, from where, what.
pub(super) type Way = (&'static [&'static str], From, OwnCall);

pub(super) const READ: &[&str] = &["GET", "HEAD"];
pub(super) const GET: &[&str] = &["GET"];
pub(super) const POST: &[&str] = &["POST"];
pub(super) const PATCH: &[&str] = &["PATCH"];
pub(super) const DELETE: &[&str] = &["DELETE"];

/// A name that could be a room's but is none, or nothing at all.
pub(super) fn unknown_or_not_found(gate: &Gate, name: &str) -> Refusal {
    let unknown = is_room_name(name) && gate.room(name).is_none();
    Refusal::new(if unknown {
        ErrorCode::UnknownRoom
    } else {
        ErrorCode::NotFound
    })
}

/// A decimal number, or 400.
pub(super) fn number(text: &str) -> Result<u64, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = if digits { text.parse().ok() } else { None };
    value.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))
}

/// The first value of this name in the query, as sent.
pub(super) fn query_value<'a>(path_and_query: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = path_and_query.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })
}
