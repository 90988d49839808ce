//! Decides which call a request below `/__baton/` is. Only the exact spelling counts: any other path is not ours, and is judged like every path.

use super::calls::{CarryCall, OwnCall, RoomCall, VisitorCall, WAIT_S_MAX};
use super::ways::{ComesFrom, GET, POST, READ, Way, choose, number, query_value, rest_of, unknown_or_not_found};
use super::{ErrorCode, Gate, Host, Language, Refusal, Request, Room, without_query};
use brand::image::kind_of_name;
use settings::is_room_name;

/// Returns whether a path is that of `…/enter`, which sets no cookie. This call is answered with credentials even if the client showed none.
#[must_use]
pub fn speaks_credentials(path_and_query: &str) -> bool {
    let path = without_query(path_and_query);
    let room = path.strip_prefix("/__baton/").and_then(|rest| rest.strip_suffix("/enter"));
    room.is_some_and(is_room_name)
}

/// Decides which call a request is. Returns `None` if its path is not Baton's own.
pub(super) fn route(gate: &Gate, request: &Request<'_>, host: &Host) -> Option<Result<OwnCall, Refusal>> {
    let rest = rest_of(request.path_and_query)?;
    if is_for_operators(rest) {
        return Some(Ok(OwnCall::Operators));
    }
    let room = room_at(gate, request.path_and_query);
    Some(ways(gate, rest, request).and_then(|ways| call(room, ways, request, host)))
}

/// A room may be called `administration`: only the whole segment is the operators'.
fn is_for_operators(rest: &str) -> bool {
    matches!(rest.split('/').next(), Some("admin" | "metrics"))
}

/// Decides which of these calls a request is. `room` is the room whose route it is; `None` means that the route is no room's.
fn call(room: Option<&Room>, ways: Vec<Way<OwnCall>>, request: &Request<'_>, host: &Host) -> Result<OwnCall, Refusal> {
    let call = match choose(ways, request, host, room) {
        Err(refusal) if refusal.code == ErrorCode::MethodNotAllowed => return preflight(room, request, refusal),
        chosen => chosen?,
    };
    if call.is_visitors() && request.is_speculative() {
        return Err(Refusal::new(ErrorCode::Speculative));
    }
    let is_socket = matches!(
        call,
        OwnCall::Room {
            call: RoomCall::Visitor(VisitorCall::Socket),
            ..
        }
    );
    if is_socket && !request.opens_socket() {
        return Err(Refusal::new(ErrorCode::UpgradeRequired));
    }
    Ok(call)
}

/// Returns the answer to a preflight of one of the room's apps, which may use the methods that the 405 allows. Any other request is refused with
/// that 405.
fn preflight(room: Option<&Room>, request: &Request<'_>, refusal: Refusal) -> Result<OwnCall, Refusal> {
    let app = room.filter(|room| request.is_preflight() && room.app_origin(request).is_some());
    match (app, refusal.allow) {
        (Some(room), Some(methods)) => Ok(OwnCall::Preflight {
            room: room.settings.name.clone(),
            methods,
        }),
        (_, allow) => Err(Refusal { allow, ..refusal }),
    }
}

/// Returns the room whose route stands at a path. Returns `None` if there is no such room. No room has the name of another route.
pub(super) fn room_at<'g>(gate: &'g Gate, path_and_query: &str) -> Option<&'g Room> {
    gate.room(rest_of(path_and_query)?.split('/').next()?)
}

/// Returns the ways to use a path. A path that leads nowhere is refused here. An unreadable query value is refused only if the method is
/// the one that reads it: any other method gets its 405.
fn ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way<OwnCall>>, Refusal> {
    let not_found = || Refusal::new(ErrorCode::NotFound);
    if let Some(file) = rest.strip_prefix("static/") {
        let way = Way::new(READ, ComesFrom::Anywhere, OwnCall::Static { file: file.to_owned() });
        return if is_static_file(file) { Ok(vec![way]) } else { Err(not_found()) };
    }
    if let Some(name) = rest.strip_prefix("images/") {
        kind_of_name(name).ok_or_else(not_found)?;
        let name = name.to_owned();
        return Ok(vec![Way::new(READ, ComesFrom::Anywhere, OwnCall::Image { name })]);
    }
    if rest == "health" {
        return Ok(vec![Way::new(READ, ComesFrom::Anywhere, OwnCall::Health)]);
    }
    visitor_ways(gate, rest, request)
}

fn visitor_ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way<OwnCall>>, Refusal> {
    let Some((room, call)) = rest.split_once('/') else {
        return Err(unknown_or_not_found(gate, rest));
    };
    if gate.room(room).is_none() {
        return Err(unknown_or_not_found(gate, room));
    }
    if let Some(code) = call.strip_prefix("carry/") {
        return carry_ways(room, code);
    }
    let to_room = |call| OwnCall::Room { room: room.to_owned(), call };
    let open = |call| vec![Way::new(READ, ComesFrom::Anywhere, to_room(call))];
    let way = |methods, call| Way::new(methods, ComesFrom::Ours, to_room(RoomCall::Visitor(call)));
    let posted = |call| vec![way(POST, call)];
    Ok(match call {
        "draw" => open(RoomCall::Draw),
        "chain" => open(RoomCall::Chain),
        "left" => open(RoomCall::Left),
        "socket" => vec![way(GET, VisitorCall::Socket), way(POST, VisitorCall::Knock)],
        "carry" => posted(VisitorCall::Offer),
        "join" => posted(VisitorCall::Join),
        "take" => posted(VisitorCall::Take),
        "claim" => posted(VisitorCall::Claim),
        "leave" => posted(VisitorCall::Leave),
        "verify" => posted(VisitorCall::Verify),
        "code" => posted(VisitorCall::Code),
        "enter" => posted(VisitorCall::Enter),
        "status" => {
            let wait_s = match query_value(request.path_and_query, "wait_s") {
                Some(text) if request.method == "GET" => number(text)?.min(WAIT_S_MAX),
                _ => 0,
            };
            vec![way(GET, VisitorCall::Status { wait_s })]
        }
        _ => {
            let language = call.strip_prefix("language/").and_then(Language::from_tag);
            let language = language.ok_or(Refusal::new(ErrorCode::NotFound))?;
            vec![Way::new(POST, ComesFrom::Ours, to_room(RoomCall::Speak(language)))]
        }
    })
}

/// Returns the ways to use a link that carries a place. A page anywhere may lead to a look, since links are followed from anywhere; only
/// our own page may take the place.
fn carry_ways(room: &str, code: &str) -> Result<Vec<Way<OwnCall>>, Refusal> {
    const BYTES_MAX: usize = 200;
    let is_code = (1..=BYTES_MAX).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if !is_code {
        return Err(Refusal::new(ErrorCode::NotFound));
    }
    let carry = |call| OwnCall::Room {
        room: room.to_owned(),
        call: RoomCall::Carry { code: code.to_owned(), call },
    };
    Ok(vec![
        Way::new(READ, ComesFrom::Anywhere, carry(CarryCall::Look)),
        Way::new(POST, ComesFrom::Ours, carry(CarryCall::Take)),
    ])
}

fn is_static_file(file: &str) -> bool {
    const BYTES_MAX: usize = 200;
    file.len() <= BYTES_MAX
        && file.split('/').all(|segment| {
            !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
        })
}
