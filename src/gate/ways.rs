//! One way to use a route, and what every route reads alike: a number, a query value, an unknown name.

use super::calls::OwnCall;
use super::endpoints::From;
use super::{ErrorCode, Gate, Refusal};
use settings::is_room_name;

/// One way to use a route: its methods, where the request must come from, and the call.
pub(super) type Way = (&'static [&'static str], From, OwnCall);

/// Returns the refusal for a name: `unknown_room` if it could be a room's name and no room has it, else `not_found`.
pub(super) fn unknown_or_not_found(gate: &Gate, name: &str) -> Refusal {
    let unknown = is_room_name(name) && gate.room(name).is_none();
    Refusal::new(if unknown { ErrorCode::UnknownRoom } else { ErrorCode::NotFound })
}

/// Reads a decimal number, or refuses with a 400.
pub(super) fn number(text: &str) -> Result<u64, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = if digits { text.parse().ok() } else { None };
    value.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))
}

/// Returns the first value of this name in the query, not decoded.
pub(super) fn query_value<'a>(path_and_query: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = path_and_query.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })
}
