//! The operators' routes, below `/__baton/admin/`. Their texts name rooms, tickets, leases and rows.

use super::calls::{AdminCall, HouseCall, OwnCall};
use super::ways::{
    DELETE, From, GET, PATCH, POST, PUT, READ, Way, number, query_value, unknown_or_not_found,
};
use super::{ErrorCode, Gate, Refusal, Request};
use crate::facts::units::{Fence, Number};
use crate::room::tale::Mark;
use crate::settings::is_room_name;

/// The most parts that a room's path has, its name included.
const PARTS_MAX: usize = 4;

/// What there is at a path below `/__baton/admin/`. Who asks is not looked at here.
pub(super) fn admin_ways(
    gate: &Gate,
    rest: &str,
    request: &Request<'_>,
) -> Result<Vec<Way>, Refusal> {
    Ok(match rest {
        "" => vec![(READ, From::Anywhere, OwnCall::Admin(AdminCall::Shell))],
        "session" => vec![
            admin(POST, AdminCall::SignIn),
            admin(DELETE, AdminCall::SignOut),
        ],
        "openapi.json" => vec![admin(GET, AdminCall::OpenApi)],
        "rooms" => vec![admin(GET, AdminCall::Rooms)],
        "house" => house_ways(&[], request)?,
        _ => {
            let mut parts = rest.split('/').take(PARTS_MAX + 2);
            let of = parts.next();
            let parts: Vec<&str> = parts.collect();
            match of {
                Some("rooms") => room_ways(gate, &parts, request)?,
                Some("house") => house_ways(&parts, request)?,
                _ => return Err(Refusal::new(ErrorCode::NotFound)),
            }
        }
    })
}

const fn admin(methods: &'static [&'static str], call: AdminCall) -> Way {
    (methods, From::Ours, OwnCall::Admin(call))
}

/// What there is of one room: its name, and what stands behind it. A path that is nothing is not found whether the room exists or not.
fn room_ways(gate: &Gate, parts: &[&str], request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
    let known = |room: &str| match gate.room(room) {
        Some(_) => Ok(room.to_owned()),
        None => Err(unknown_or_not_found(gate, room)),
    };
    Ok(match *parts {
        [room] => {
            let room = known(room)?;
            vec![
                admin(GET, AdminCall::Room { room: room.clone() }),
                admin(PATCH, AdminCall::Change { room }),
            ]
        }
        [room, what @ ("undo" | "reset")] => {
            let room = known(room)?;
            let call = match what {
                "undo" => AdminCall::Undo { room },
                _ => AdminCall::Reset { room },
            };
            vec![admin(POST, call)]
        }
        [room, "journal"] => {
            let (room, after) = (known(room)?, after(request)?);
            vec![admin(GET, AdminCall::Journal { room, after })]
        }
        [room, "rehearsal"] => {
            let room = known(room)?;
            vec![
                admin(GET, AdminCall::Rehearsal { room: room.clone() }),
                admin(POST, AdminCall::Rehearse { room: room.clone() }),
                admin(DELETE, AdminCall::EndRehearsal { room }),
            ]
        }
        [room, "rehearsal", "journal"] => {
            let (room, after) = (known(room)?, after(request)?);
            vec![admin(GET, AdminCall::RehearsalJournal { room, after })]
        }
        [room, what @ ("hour" | "outlook" | "probe")] => {
            let room = known(room)?;
            let call = match what {
                "hour" => AdminCall::Hour { room },
                "outlook" => AdminCall::Outlook { room },
                _ => AdminCall::Probe { room },
            };
            vec![admin(GET, call)]
        }
        [room, "leave"] => {
            let room = known(room)?;
            vec![admin(POST, AdminCall::Leave { room })]
        }
        [room, "tickets", text] => vec![admin(GET, story(known(room)?, text, request)?)],
        [room, "tickets", text, "release"] => {
            let (room, number) = (known(room)?, Number(number(text)?));
            vec![admin(POST, AdminCall::Release { room, number })]
        }
        [room, "leases", text, "release"] => {
            let (room, fence) = (known(room)?, Fence(number(text)?));
            vec![admin(POST, AdminCall::ReleaseLease { room, fence })]
        }
        _ => return Err(Refusal::new(ErrorCode::NotFound)),
    })
}

/// What there is at the house. Its rooms need not be known here.
fn house_ways(parts: &[&str], request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
    let way = |methods, call| (methods, From::Ours, OwnCall::Admin(AdminCall::House(call)));
    let named = |name: &str| {
        let is_name = is_room_name(name).then(|| name.to_owned());
        is_name.ok_or_else(|| Refusal::new(ErrorCode::NotFound))
    };
    Ok(match *parts {
        [] => vec![way(GET, HouseCall::Look)],
        ["plan"] => vec![way(POST, HouseCall::Plan)],
        ["apply"] => vec![way(POST, HouseCall::Apply)],
        ["undo"] => vec![way(POST, HouseCall::Undo)],
        ["journal"] => {
            let after = after(request)?;
            vec![way(GET, HouseCall::Journal { after })]
        }
        ["rooms", room] => {
            let room = named(room)?;
            let define = HouseCall::Define { room: room.clone() };
            vec![way(PUT, define), way(DELETE, HouseCall::Archive { room })]
        }
        ["rooms", room, "release"] => {
            let room = named(room)?;
            vec![way(POST, HouseCall::Release { room })]
        }
        _ => return Err(Refusal::new(ErrorCode::NotFound)),
    })
}

/// What is asked of one ticket, and from where on.
fn story(room: String, text: &str, request: &Request<'_>) -> Result<AdminCall, Refusal> {
    let from = match query_value(request.path_and_query, "from") {
        Some(text) if !text.is_empty() && request.method == "GET" => text.parse().ok(),
        _ => Some(Mark::default()),
    };
    Ok(AdminCall::Ticket {
        room,
        number: Number(number(text)?),
        from: from.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))?,
    })
}

/// After which row a journal is to be read.
fn after(request: &Request<'_>) -> Result<u64, Refusal> {
    match query_value(request.path_and_query, "after") {
        Some(text) if !text.is_empty() && request.method == "GET" => number(text),
        _ => Ok(0),
    }
}
