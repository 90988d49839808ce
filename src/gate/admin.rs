//! The operators' routes, below `/__baton/admin/`. Their texts name rooms, tickets, leases and rows.

use super::calls::{AdminCall, HouseCall, OwnCall};
use super::ways::{
    DELETE, From, GET, PATCH, POST, PUT, READ, Way, number, query_value, unknown_or_not_found,
};
use super::{ErrorCode, Gate, Refusal, Request};
use crate::facts::units::{Fence, Number};
use crate::room::tale::Mark;
use crate::settings::is_room_name;

/// What there is at a path below `/__baton/admin/`. Who asks is not looked at here.
pub(super) fn admin_ways(
    gate: &Gate,
    rest: &str,
    request: &Request<'_>,
) -> Result<Vec<Way>, Refusal> {
    let admin = |methods, call| (methods, From::Ours, OwnCall::Admin(call));
    let mut parts = rest.split('/');
    let parts = (
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
    );
    let known = |room: &str| match gate.room(room) {
        Some(_) => Ok(room.to_owned()),
        None => Err(unknown_or_not_found(gate, room)),
    };
    Ok(match parts {
        (Some(""), None, ..) => {
            vec![(READ, From::Anywhere, OwnCall::Admin(AdminCall::Shell))]
        }
        (Some("session"), None, ..) => vec![
            admin(POST, AdminCall::SignIn),
            admin(DELETE, AdminCall::SignOut),
        ],
        (Some("openapi.json"), None, ..) => vec![admin(GET, AdminCall::OpenApi)],
        (Some("house"), what, name, then, None, _) => house_ways(request, what, name, then)?,
        (Some("rooms"), None, ..) => vec![admin(GET, AdminCall::Rooms)],
        (Some("rooms"), Some(room), None, ..) => {
            let room = known(room)?;
            vec![
                admin(GET, AdminCall::Room { room: room.clone() }),
                admin(PATCH, AdminCall::Change { room }),
            ]
        }
        (Some("rooms"), Some(room), Some("undo"), None, ..) => {
            let room = known(room)?;
            vec![admin(POST, AdminCall::Undo { room })]
        }
        (Some("rooms"), Some(room), Some("journal"), None, ..) => {
            let (room, after) = (known(room)?, after(request)?);
            vec![admin(GET, AdminCall::Journal { room, after })]
        }
        (Some("rooms"), Some(room), Some("rehearsal"), None, ..) => {
            let room = known(room)?;
            vec![
                admin(GET, AdminCall::Rehearsal { room: room.clone() }),
                admin(POST, AdminCall::Rehearse { room: room.clone() }),
                admin(DELETE, AdminCall::EndRehearsal { room }),
            ]
        }
        (Some("rooms"), Some(room), Some("rehearsal"), Some("journal"), None, _) => {
            let (room, after) = (known(room)?, after(request)?);
            vec![admin(GET, AdminCall::RehearsalJournal { room, after })]
        }
        (Some("rooms"), Some(room), Some(what @ ("hour" | "outlook" | "probe")), None, ..) => {
            let room = known(room)?;
            let call = match what {
                "hour" => AdminCall::Hour { room },
                "outlook" => AdminCall::Outlook { room },
                _ => AdminCall::Probe { room },
            };
            vec![admin(GET, call)]
        }
        (Some("rooms"), Some(room), Some("tickets"), Some(text), None, _) => {
            let from = match query_value(request.path_and_query, "from") {
                Some(text) if !text.is_empty() && request.method == "GET" => text.parse().ok(),
                _ => Some(Mark::default()),
            };
            vec![admin(
                GET,
                AdminCall::Ticket {
                    room: known(room)?,
                    number: Number(number(text)?),
                    from: from.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))?,
                },
            )]
        }
        (Some("rooms"), Some(room), Some("reset"), None, ..) => {
            let room = known(room)?;
            vec![admin(POST, AdminCall::Reset { room })]
        }
        (Some("rooms"), Some(room), Some("tickets"), Some(text), Some("release"), None) => {
            let room = known(room)?;
            let number = Number(number(text)?);
            vec![admin(POST, AdminCall::Release { room, number })]
        }
        (Some("rooms"), Some(room), Some("leases"), Some(text), Some("release"), None) => {
            let room = known(room)?;
            let fence = Fence(number(text)?);
            vec![admin(POST, AdminCall::ReleaseLease { room, fence })]
        }
        _ => return Err(Refusal::new(ErrorCode::NotFound)),
    })
}

/// What there is at the house. Its rooms need not be known here.
fn house_ways(
    request: &Request<'_>,
    what: Option<&str>,
    name: Option<&str>,
    then: Option<&str>,
) -> Result<Vec<Way>, Refusal> {
    let way = |methods, call| (methods, From::Ours, OwnCall::Admin(AdminCall::House(call)));
    let named = |name: &str| {
        let is_name = is_room_name(name).then(|| name.to_owned());
        is_name.ok_or_else(|| Refusal::new(ErrorCode::NotFound))
    };
    Ok(match (what, name, then) {
        (None, None, None) => vec![way(GET, HouseCall::Look)],
        (Some("plan"), None, None) => vec![way(POST, HouseCall::Plan)],
        (Some("apply"), None, None) => vec![way(POST, HouseCall::Apply)],
        (Some("undo"), None, None) => vec![way(POST, HouseCall::Undo)],
        (Some("journal"), None, None) => {
            let after = after(request)?;
            vec![way(GET, HouseCall::Journal { after })]
        }
        (Some("rooms"), Some(room), None) => {
            let room = named(room)?;
            let define = HouseCall::Define { room: room.clone() };
            vec![way(PUT, define), way(DELETE, HouseCall::Archive { room })]
        }
        (Some("rooms"), Some(room), Some("release")) => {
            let room = named(room)?;
            vec![way(POST, HouseCall::Release { room })]
        }
        _ => return Err(Refusal::new(ErrorCode::NotFound)),
    })
}

/// After which row a journal is to be read.
fn after(request: &Request<'_>) -> Result<u64, Refusal> {
    match query_value(request.path_and_query, "after") {
        Some(text) if !text.is_empty() && request.method == "GET" => number(text),
        _ => Ok(0),
    }
}
