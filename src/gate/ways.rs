//! One way to use a route, and what every route reads alike: a number, a query value, an unknown name.

use super::{ErrorCode, Gate, Host, OriginVerdict, Refusal, Request, Room, check_origin, without_query};
use settings::is_room_name;

/// The prefix of Baton's own routes.
const PREFIX: &str = "/__baton";

/// The methods of what links, redirects and monitors ask for.
pub const READ: &[&str] = &["GET", "HEAD"];
/// The method of what only looks.
pub const GET: &[&str] = &["GET"];
/// The method of what changes something.
pub const POST: &[&str] = &["POST"];

/// Whether a way checks where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComesFrom {
    /// It does not: a request may come from anywhere.
    Anywhere,
    /// A request must come from this host, or from one that the room names.
    Ours,
}

/// One way to use a route.
#[derive(Debug, Clone)]
pub struct Way<C> {
    /// Its methods.
    pub methods: &'static [&'static str],
    /// Where the request must come from.
    pub from: ComesFrom,
    /// The call.
    pub call: C,
}

impl<C> Way<C> {
    /// Makes the way.
    #[must_use]
    pub const fn new(methods: &'static [&'static str], from: ComesFrom, call: C) -> Self {
        Self { methods, from, call }
    }
}

/// Chooses the way that a request takes. `room` is the room whose route it is; `None` means that the route is no room's.
///
/// # Errors
/// A 405 if no way has the request's method; `forbidden_origin` if it must not come from where it comes from.
pub fn choose<C>(ways: Vec<Way<C>>, request: &Request<'_>, host: &Host, room: Option<&Room>) -> Result<C, Refusal> {
    let allow: Vec<&'static str> = ways.iter().flat_map(|way| way.methods.iter().copied()).collect();
    let found = ways.into_iter().find(|way| way.methods.contains(&request.method));
    let Some(way) = found else {
        return Err(Refusal::method_not_allowed(&allow));
    };
    if way.from == ComesFrom::Ours && check_origin(request, host, room) == OriginVerdict::Foreign {
        return Err(Refusal::new(ErrorCode::ForbiddenOrigin));
    }
    Ok(way.call)
}

/// Returns what stands below `/__baton/` in a path, without the query; empty for `/__baton` itself. Returns `None` if the path is none of Baton's own.
#[must_use]
pub fn rest_of(path_and_query: &str) -> Option<&str> {
    let rest = without_query(path_and_query).strip_prefix(PREFIX)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Returns the refusal for a name: `unknown_room` if it could be a room's name and no room has it, else `not_found`.
#[must_use]
pub fn unknown_or_not_found(gate: &Gate, name: &str) -> Refusal {
    let unknown = is_room_name(name) && gate.room(name).is_none();
    Refusal::new(if unknown { ErrorCode::UnknownRoom } else { ErrorCode::NotFound })
}

/// The largest number that is the same to everybody who reads it: JSON's readers and the storage round those beyond it.
const NUMBER_MAX: u64 = (1 << 53) - 1;

/// Reads a decimal number of at most 2^53 − 1.
///
/// # Errors
/// A 400, if it is none.
pub fn number(text: &str) -> Result<u64, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = if digits { text.parse().ok() } else { None };
    value
        .filter(|value| *value <= NUMBER_MAX)
        .ok_or_else(|| Refusal::new(ErrorCode::BadRequest))
}

/// Returns the first value of this name in the query, not decoded.
#[must_use]
pub fn query_value<'a>(path_and_query: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = path_and_query.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })
}
