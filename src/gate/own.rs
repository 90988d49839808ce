//! The routes below `/__baton/`. Exact spelling only: any other is not ours and goes the way of all paths.

use super::{
    ErrorCode, Gate, Host, Language, OriginVerdict, Refusal, Request, Room, check_origin,
    without_query,
};
use crate::facts::units::{Fence, Number};
use crate::room::tale::Mark;
use crate::settings::is_room_name;
use crate::token::Role;

/// The longest a status call may wait, in seconds. Proxies commonly give up at 30.
pub const WAIT_S_MAX: u64 = 25;

/// The prefix of everything of Baton's own.
const PREFIX: &str = "/__baton";

/// What a visitor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorCall {
    /// `GET …/socket`, an upgrade.
    Socket,
    /// `POST …/join`
    Join,
    /// `GET …/status`
    Status {
        /// Wait so long for a change, 0 to [`WAIT_S_MAX`] seconds.
        wait_s: u64,
    },
    /// `POST …/take`: the account's place comes to this device.
    Take,
    /// `POST …/claim`
    Claim,
    /// `POST …/leave`
    Leave,
    /// `POST …/carry`: a link that takes the place over.
    Offer,
    /// `POST …/verify`: the answer to Turnstile's question.
    Verify,
    /// `POST …/socket`: a token with which an app's page opens the socket.
    Knock,
    /// `POST …/enter`: in, or a place, in one call and without cookies.
    Enter,
}

/// What is done with such a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarryCall {
    /// `GET …/carry/{code}`: a page with a button. Whoever merely looks, such as the preview of a messenger, changes
    /// nothing.
    Look,
    /// `POST …/carry/{code}`
    Take,
}

/// What a monitor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorCall {
    /// `GET /__baton/health`, public.
    Health,
    /// `GET /__baton/metrics`, with the operator's token.
    Metrics,
}

/// What the operator asks. Whether it *is* the operator is not decided here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdminCall {
    /// `GET /__baton/admin/`: a page without data.
    Shell,
    /// `POST /__baton/admin/session`: the token for a cookie.
    SignIn,
    /// `DELETE /__baton/admin/session`
    SignOut,
    /// `GET /__baton/admin/openapi.json`: what there is to call.
    OpenApi,
    /// `GET /__baton/admin/rooms`
    Rooms,
    /// `GET /__baton/admin/rooms/{room}`
    Room {
        /// The room's name.
        room: String,
    },
    /// `PATCH /__baton/admin/rooms/{room}`
    Change {
        /// The room's name.
        room: String,
    },
    /// `POST /__baton/admin/rooms/{room}/undo`
    Undo {
        /// The room's name.
        room: String,
    },
    /// `POST …/reset`: a new edition.
    Reset {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/rehearsal`: begins a rehearsal.
    Rehearse {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/rehearsal`: how it stands.
    Rehearsal {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/rehearsal/journal?after=`
    RehearsalJournal {
        /// The room's name.
        room: String,
        /// Only rows after this one; 0: from the first.
        after: u64,
    },
    /// `DELETE …/rooms/{room}/rehearsal`: ends it.
    EndRehearsal {
        /// The room's name.
        room: String,
    },
    /// `POST …/tickets/{number}/release`
    Release {
        /// The room's name.
        room: String,
        /// Whose permit.
        number: Number,
    },
    /// `POST …/leases/{fence}/release`, by a machine of the shop
    ReleaseLease {
        /// The room's name.
        room: String,
        /// Which lease.
        fence: Fence,
    },
    /// `GET …/tickets/{number}?from=`
    Ticket {
        /// The room's name.
        room: String,
        /// Whose story.
        number: Number,
        /// Where an earlier answer said to go on.
        from: Mark,
    },
    /// `GET …/rooms/{room}/hour`
    Hour {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/outlook`: what a forecast needs to know.
    Outlook {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/probe`: the way front – lobby – room, as they measure it.
    Probe {
        /// The room's name.
        room: String,
    },
    /// `GET …/journal?after=`
    Journal {
        /// The room's name.
        room: String,
        /// Only rows after this one; 0: from the first.
        after: u64,
    },
}

impl AdminCall {
    /// Which role may ask this; none: it is a door, at which nobody need be known yet.
    #[must_use]
    pub const fn needs(&self) -> Option<Role> {
        match self {
            Self::Shell | Self::SignIn | Self::SignOut => None,
            Self::OpenApi
            | Self::Rooms
            | Self::Room { .. }
            | Self::Journal { .. }
            | Self::Ticket { .. }
            | Self::Hour { .. }
            | Self::Outlook { .. }
            | Self::Probe { .. }
            | Self::Rehearsal { .. }
            | Self::RehearsalJournal { .. } => Some(Role::View),
            Self::ReleaseLease { .. } => Some(Role::Release),
            Self::Change { .. }
            | Self::Undo { .. }
            | Self::Reset { .. }
            | Self::Rehearse { .. }
            | Self::EndRehearsal { .. }
            | Self::Release { .. } => Some(Role::Operate),
        }
    }
}

/// A call of Baton's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCall {
    /// Of a visitor to a room.
    Visitor {
        /// The room's name; it exists.
        room: String,
        /// What is asked.
        call: VisitorCall,
    },
    /// A link that takes a place over.
    Carry {
        /// The room's name; it exists.
        room: String,
        /// As it stands in the path.
        code: String,
        /// What is done with it.
        call: CarryCall,
    },
    /// `POST /__baton/{room}/language/{tag}`: the page in another language from now on.
    Speak {
        /// The room's name; it exists.
        room: String,
        /// Which.
        language: Language,
    },
    /// `GET /__baton/{room}/draw`: the last draw, and what the next is bound to, for everybody.
    Draw {
        /// The room's name; it exists.
        room: String,
    },
    /// A CORS preflight of an app's page to one of a room's calls.
    Preflight {
        /// The room's name; it exists.
        room: String,
        /// What may be done there.
        methods: String,
    },
    /// `GET /__baton/static/{file}`
    Static {
        /// A plain relative path, no dots at its beginning.
        file: String,
    },
    /// Of a monitor.
    Monitor(MonitorCall),
    /// Of the operator.
    Admin(AdminCall),
}

impl OwnCall {
    /// Whether it means the same under every host: nothing of it is forwarded, and no visitor asks it.
    #[must_use]
    pub const fn is_same_anywhere(&self) -> bool {
        matches!(
            self,
            Self::Static { .. } | Self::Monitor(_) | Self::Admin(_)
        )
    }
}

/// Whether a path is of a call that is answered with credentials even if none were shown: `…/enter`, which sets no cookie.
#[must_use]
pub fn speaks_credentials(path_and_query: &str) -> bool {
    let path = without_query(path_and_query);
    let room = path
        .strip_prefix("/__baton/")
        .and_then(|rest| rest.strip_suffix("/enter"));
    room.is_some_and(is_room_name)
}

/// Which requests to a route are looked at for their origin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Anywhere,
    /// From this host, or one that the room names.
    Ours,
}

/// One thing that can be done at a route: methods, from where, what.
type Way = (&'static [&'static str], From, OwnCall);

const READ: &[&str] = &["GET", "HEAD"];
const GET: &[&str] = &["GET"];
const POST: &[&str] = &["POST"];
const PATCH: &[&str] = &["PATCH"];
const DELETE: &[&str] = &["DELETE"];

/// Decides about a request if its path is Baton's own; nothing if it is not.
pub(super) fn route(
    gate: &Gate,
    request: &Request<'_>,
    host: &Host,
) -> Option<Result<OwnCall, Refusal>> {
    let path = without_query(request.path_and_query);
    let rest = path.strip_prefix(PREFIX)?;
    if rest.is_empty() {
        return Some(Err(Refusal::new(ErrorCode::NotFound)));
    }
    let rest = rest.strip_prefix('/')?;
    Some(ways(gate, rest, request).and_then(|ways| choose(gate, ways, request, host)))
}

fn choose(
    gate: &Gate,
    ways: Vec<Way>,
    request: &Request<'_>,
    host: &Host,
) -> Result<OwnCall, Refusal> {
    let allow: Vec<&'static str> = ways
        .iter()
        .flat_map(|(methods, ..)| methods.iter().copied())
        .collect();
    let calls: Vec<OwnCall> = ways.iter().map(|(_, _, call)| call.clone()).collect();
    let found = ways
        .into_iter()
        .find(|(methods, ..)| methods.contains(&request.method));
    let Some((_, from, call)) = found else {
        if let Some(preflight) = preflight(gate, &calls, &allow, request) {
            return Ok(preflight);
        }
        return Err(Refusal::method_not_allowed(&allow));
    };
    let is_foreign =
        || check_origin(request, host, room_called(gate, &call)) == OriginVerdict::Foreign;
    if from == From::Ours && is_foreign() {
        return Err(Refusal::new(ErrorCode::ForbiddenOrigin));
    }
    let is_socket = matches!(
        call,
        OwnCall::Visitor {
            call: VisitorCall::Socket,
            ..
        }
    );
    if is_socket && !request.is_upgrade() {
        return Err(Refusal::new(ErrorCode::UpgradeRequired));
    }
    Ok(call)
}

/// The answer to an app's preflight; none: it is no preflight, or of nobody whom the room names.
fn preflight(
    gate: &Gate,
    calls: &[OwnCall],
    allow: &[&str],
    request: &Request<'_>,
) -> Option<OwnCall> {
    let room = room_called(gate, calls.first()?)?;
    let is_apps = request.is_preflight() && room.app_origin(request).is_some();
    is_apps.then(|| OwnCall::Preflight {
        room: room.settings.name.clone(),
        methods: allow.join(", "),
    })
}

/// The room whose call stands at a path, if there is such a room. For who reads the answer; it decides nothing.
pub(super) fn room_at<'g>(gate: &'g Gate, path_and_query: &str) -> Option<&'g Room> {
    let rest = without_query(path_and_query).strip_prefix("/__baton/")?;
    gate.room(rest.split('/').next()?)
}

/// The room that a visitor's call is for.
fn room_called<'g>(gate: &'g Gate, call: &OwnCall) -> Option<&'g Room> {
    match call {
        OwnCall::Visitor { room, .. }
        | OwnCall::Carry { room, .. }
        | OwnCall::Speak { room, .. }
        | OwnCall::Draw { room }
        | OwnCall::Preflight { room, .. } => gate.room(room),
        _ => None,
    }
}

/// What there is at a path. A query value that cannot be read is the call's own refusal only if the method
/// fits, so it is reported last; a path that is nothing is refused here.
fn ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
    let not_found = || Refusal::new(ErrorCode::NotFound);
    if let Some(file) = rest.strip_prefix("static/") {
        let way = (
            READ,
            From::Anywhere,
            OwnCall::Static {
                file: file.to_owned(),
            },
        );
        return if is_static_file(file) {
            Ok(vec![way])
        } else {
            Err(not_found())
        };
    }
    let monitor = |call| Ok(vec![(READ, From::Anywhere, OwnCall::Monitor(call))]);
    match rest {
        "health" => return monitor(MonitorCall::Health),
        "metrics" => return monitor(MonitorCall::Metrics),
        _ => {}
    }
    if let Some(rest) = rest.strip_prefix("admin") {
        return match rest.strip_prefix('/') {
            Some(rest) => admin_ways(gate, rest, request),
            None if rest.is_empty() => admin_ways(gate, "", request),
            None => Err(unknown_or_not_found(gate, &format!("admin{rest}"))),
        };
    }
    visitor_ways(gate, rest, request)
}

fn visitor_ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
    let Some((room, call)) = rest.split_once('/') else {
        return Err(unknown_or_not_found(gate, rest));
    };
    if gate.room(room).is_none() {
        return Err(unknown_or_not_found(gate, room));
    }
    if let Some(code) = call.strip_prefix("carry/") {
        return carry_ways(room, code);
    }
    if call == "draw" {
        let room = room.to_owned();
        return Ok(vec![(READ, From::Anywhere, OwnCall::Draw { room })]);
    }
    if call == "socket" {
        let way = |methods, call| {
            let room = room.to_owned();
            (methods, From::Ours, OwnCall::Visitor { room, call })
        };
        return Ok(vec![
            way(GET, VisitorCall::Socket),
            way(POST, VisitorCall::Knock),
        ]);
    }
    let (methods, call) = match call {
        "carry" => (POST, VisitorCall::Offer),
        "join" => (POST, VisitorCall::Join),
        "take" => (POST, VisitorCall::Take),
        "claim" => (POST, VisitorCall::Claim),
        "leave" => (POST, VisitorCall::Leave),
        "verify" => (POST, VisitorCall::Verify),
        "enter" => (POST, VisitorCall::Enter),
        "status" => {
            let wait_s = match query_value(request.path_and_query, "wait_s") {
                Some(text) if request.method == "GET" => number(text)?.min(WAIT_S_MAX),
                _ => 0,
            };
            (GET, VisitorCall::Status { wait_s })
        }
        _ => {
            let language = call.strip_prefix("language/").and_then(Language::from_tag);
            let language = language.ok_or(Refusal::new(ErrorCode::NotFound))?;
            let room = room.to_owned();
            return Ok(vec![(POST, From::Ours, OwnCall::Speak { room, language })]);
        }
    };
    Ok(vec![(
        methods,
        From::Ours,
        OwnCall::Visitor {
            room: room.to_owned(),
            call,
        },
    )])
}

/// Looking may be done from anywhere, since links are followed from anywhere; taking only from that page.
fn carry_ways(room: &str, code: &str) -> Result<Vec<Way>, Refusal> {
    const BYTES_MAX: usize = 200;
    let is_code = (1..=BYTES_MAX).contains(&code.len())
        && code
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if !is_code {
        return Err(Refusal::new(ErrorCode::NotFound));
    }
    let carry = |call| OwnCall::Carry {
        room: room.to_owned(),
        code: code.to_owned(),
        call,
    };
    Ok(vec![
        (READ, From::Anywhere, carry(CarryCall::Look)),
        (POST, From::Ours, carry(CarryCall::Take)),
    ])
}

fn admin_ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
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

/// A name that could be a room's but is none, or nothing at all.
fn unknown_or_not_found(gate: &Gate, name: &str) -> Refusal {
    let unknown = is_room_name(name) && gate.room(name).is_none();
    Refusal::new(if unknown {
        ErrorCode::UnknownRoom
    } else {
        ErrorCode::NotFound
    })
}

/// After which row a journal is to be read.
fn after(request: &Request<'_>) -> Result<u64, Refusal> {
    match query_value(request.path_and_query, "after") {
        Some(text) if !text.is_empty() && request.method == "GET" => number(text),
        _ => Ok(0),
    }
}

/// A decimal number, or 400.
fn number(text: &str) -> Result<u64, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = if digits { text.parse().ok() } else { None };
    value.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))
}

/// The first value of this name in the query, as sent.
fn query_value<'a>(path_and_query: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = path_and_query.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })
}

fn is_static_file(file: &str) -> bool {
    const BYTES_MAX: usize = 200;
    file.len() <= BYTES_MAX
        && file.split('/').all(|segment| {
            !segment.is_empty()
                && !segment.starts_with('.')
                && segment
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
        })
}
