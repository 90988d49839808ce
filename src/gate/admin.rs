//! The operators' routes, below `/__baton/admin/`: which call a request is. Their paths name rooms, tickets, leases and the like.

use super::calls::{AdminCall, HouseCall, ImageCall, OwnCall};
use super::ways::{
    DELETE, From, GET, PATCH, POST, PUT, READ, Way, number, query_value, unknown_or_not_found,
};
use super::{ErrorCode, Gate, Refusal, Request};
use crate::brand::image::kind_of_name;
use crate::facts::units::{Fence, Number};
use crate::facts::voucher::SheetId;
use crate::journal::export::HOUSE;
use crate::room::tale::Mark;
use crate::settings::{is_operator_name, is_room_name};

/// The most segments in the path of a room's route, the room's name included.
const PARTS_MAX: usize = 4;

/// Returns the ways to use a path below `/__baton/admin/`. It does not check who asks; [`AdminCall::needs`] says what each call takes.
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
            admin(GET, AdminCall::Ways),
        ],
        // Links and redirects come from anywhere. The cookie shows whether a redirect answers a question of this very browser.
        "oidc" => vec![from_anywhere(AdminCall::ToProvider)],
        "oidc/callback" => vec![from_anywhere(AdminCall::FromProvider)],
        "openapi.json" => vec![admin(GET, AdminCall::OpenApi)],
        "rooms" => vec![admin(GET, AdminCall::Rooms)],
        "actions" => vec![admin(GET, actions(gate, request)?)],
        "house" => house_ways(&[], request)?,
        "images" => vec![
            admin(GET, AdminCall::Images(ImageCall::List)),
            admin(PUT, AdminCall::Images(ImageCall::Put)),
        ],
        _ if let Some(name) = rest.strip_prefix("images/") => {
            kind_of_name(name).ok_or_else(|| Refusal::new(ErrorCode::NotFound))?;
            let name = name.to_owned();
            vec![admin(DELETE, AdminCall::Images(ImageCall::Drop { name }))]
        }
        "webhooks" => vec![admin(GET, AdminCall::Webhooks)],
        _ => {
            let mut parts = rest.split('/').take(PARTS_MAX + 2);
            let of = parts.next();
            let parts: Vec<&str> = parts.collect();
            match of {
                Some("rooms") => room_ways(gate, &parts, request)?,
                Some("house") => house_ways(&parts, request)?,
                Some("webhooks") => webhook_ways(&parts, request)?,
                _ => return Err(Refusal::new(ErrorCode::NotFound)),
            }
        }
    })
}

const fn admin(methods: &'static [&'static str], call: AdminCall) -> Way {
    (methods, From::Ours, OwnCall::Admin(call))
}

const fn from_anywhere(call: AdminCall) -> Way {
    (GET, From::Anywhere, OwnCall::Admin(call))
}

/// Returns the ways to use a route of one room. `parts` are the room's name and what follows it. A path that leads nowhere is `not_found`,
/// whether the room exists or not.
///
/// Long because it has an arm for each path.
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
        [room, "sheets"] => {
            let room = known(room)?;
            vec![
                admin(GET, AdminCall::Sheets { room: room.clone() }),
                admin(POST, AdminCall::MakeSheet { room }),
            ]
        }
        [room, "sheets", text] => {
            let (room, sheet) = (known(room)?, SheetId(narrow(text)?));
            vec![admin(DELETE, AdminCall::WithdrawSheet { room, sheet })]
        }
        [room, "sheets", text, "invitations"] => {
            let (room, sheet) = (known(room)?, SheetId(narrow(text)?));
            let from = match query_value(request.path_and_query, "from") {
                Some(text) if !text.is_empty() && request.method == "GET" => narrow(text)?,
                _ => 0,
            };
            vec![admin(GET, AdminCall::Invitations { room, sheet, from })]
        }
        [room, "staff"] => {
            let room = known(room)?;
            vec![admin(POST, AdminCall::StaffLink { room })]
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

/// Returns the ways to use a route of the house. A room that it names need not exist yet.
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
        ["brands", room] => {
            let room = named(room)?;
            let brand = HouseCall::Brand { room: room.clone() };
            vec![way(PUT, brand), way(DELETE, HouseCall::Unbrand { room })]
        }
        ["rooms", room, "release"] => {
            let room = named(room)?;
            vec![way(POST, HouseCall::Release { room })]
        }
        ["operators", name] if is_operator_name(name) => {
            let name = name.to_owned();
            let set = HouseCall::SetOperator { name: name.clone() };
            let change = HouseCall::ChangeOperator { name: name.clone() };
            vec![
                way(PUT, set),
                way(PATCH, change),
                way(DELETE, HouseCall::RemoveOperator { name }),
            ]
        }
        _ => return Err(Refusal::new(ErrorCode::NotFound)),
    })
}

/// Reads a decimal number that fits 32 bits, or refuses with a 400.
fn narrow(text: &str) -> Result<u32, Refusal> {
    u32::try_from(number(text)?).map_err(|_| Refusal::new(ErrorCode::BadRequest))
}

/// Returns the ways to use a route of one webhook. Only the outbox knows whether a webhook of this name exists.
fn webhook_ways(parts: &[&str], request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
    let not_found = || Refusal::new(ErrorCode::NotFound);
    let [name, what] = *parts else {
        return Err(not_found());
    };
    let webhook = is_room_name(name).then(|| name.to_owned());
    let webhook = webhook.ok_or_else(not_found)?;
    let id = query_value(request.path_and_query, "id").filter(|id| !id.is_empty());
    let call = match what {
        "test" => AdminCall::TestWebhook { webhook },
        "again" => AdminCall::Resend {
            webhook,
            id: id.map(str::to_owned),
        },
        _ => return Err(not_found()),
    };
    Ok(vec![admin(POST, call)])
}

/// Returns the call for one ticket's story, which begins where the query's `from` says.
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

/// Returns the call for who did what: in which room, before which row, and since when.
fn actions(gate: &Gate, request: &Request<'_>) -> Result<AdminCall, Refusal> {
    let value = |name: &str| {
        let value = query_value(request.path_and_query, name);
        value.filter(|text| !text.is_empty() && request.method == "GET")
    };
    let room = value("room").map(|room| match room {
        HOUSE => Ok(room.to_owned()),
        _ if gate.room(room).is_some() => Ok(room.to_owned()),
        _ => Err(Refusal::new(ErrorCode::UnknownRoom)),
    });
    Ok(AdminCall::Actions {
        room: room.transpose()?,
        before: value("before").map(number).transpose()?,
        since_ms: value("since").map(number).transpose()?.unwrap_or(0),
    })
}

/// Returns the row after which a journal is to be read; 0 means from the first row.
fn after(request: &Request<'_>) -> Result<u64, Refusal> {
    match query_value(request.path_and_query, "after") {
        Some(text) if !text.is_empty() && request.method == "GET" => number(text),
        _ => Ok(0),
    }
}
