//! Reads JSON into settings, or reports every problem. Ranges and defaults come from the schema's table alone.

use facts::ordered::sort_few;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    Problem, RoomSettings, Settings,
    grounds::parse_grounds,
    lanes::vain_halls,
    operators::{Beside, parse_operators},
    origins::{Origins, parse_origins},
    problem::unknown,
    reader::Reader,
    schema::{KEYS, RESERVED_ROOMS, ROOM_NAME_BYTES_MAX, ROOMS_MAX, SITE_KEY_BYTES_MAX, is_room_name},
    sign_in::{parse_access, parse_oidc},
    webhooks::{self, parse_webhooks},
};
use spelling::{HostPattern, Pattern};

/// The variables that there may be beside the secrets.
const VARS: [&str; 14] = [
    "ACCESS",
    "CLEAR_SITE_DATA",
    "CLOUDFLARE",
    "FRONT_HEADERS",
    "GROUNDS",
    "OIDC",
    "ORIGIN",
    "ORIGIN_HOST",
    "ORIGIN_TIMEOUT_S",
    "OPERATORS",
    "PASS_HEADERS",
    "ROOMS",
    "TURNSTILE_SITE_KEY",
    "WEBHOOKS",
];

/// Secrets whose names begin neither with `BATON_` nor with `WEBHOOK_SECRET`.
const SECRETS: [&str; 5] = ["BYPASS_SECRET", "ENTRY_KEYS", "OIDC_CLIENT_SECRET", "ORIGIN_SECRET", "TURNSTILE_SECRET"];

/// Reads `{"ORIGIN": …, "ROOMS": {…}}`. Gives errors only: warnings come from [`check_secrets`](super::check_secrets) and
/// [`webhook_secrets`](super::webhook_secrets).
///
/// # Errors
/// Returns every problem there is.
pub fn parse(vars: &Value) -> Result<Settings, Vec<Problem>> {
    let mut problems = Vec::new();
    let Some(vars) = vars.as_object() else {
        return Err(vec![Problem::new(
            "configuration",
            Some(vars),
            "is not an object",
            "Give {\"ORIGIN\": …, \"ROOMS\": {…}}",
        )]);
    };
    check_vars(vars, &mut problems);
    let origins = parse_origins(vars).unwrap_or_else(|more| {
        problems.extend(more);
        Origins::default()
    });
    let rooms = parse_rooms(vars.get("ROOMS"), &mut problems);
    let grounds = parse_grounds(vars.get("GROUNDS"), &mut problems);
    let access = parse_access(vars.get("ACCESS"), &mut problems);
    let oidc = parse_oidc(vars.get("OIDC"), &mut problems);
    let beside = Beside {
        rooms: &rooms,
        has_house: grounds.is_some(),
        // A provider that is wrong has been reported already.
        has_providers: ["ACCESS", "OIDC"].iter().any(|name| vars.contains_key(*name)),
    };
    let operators = parse_operators(vars.get("OPERATORS"), beside, &mut problems);
    let beside = webhooks::Beside {
        rooms: &rooms,
        grounds: grounds.as_ref(),
        origins: &origins,
    };
    let webhooks = parse_webhooks(vars.get("WEBHOOKS"), &beside, &mut problems);
    let turnstile_site_key = parse_site_key(vars.get("TURNSTILE_SITE_KEY"), &rooms, &mut problems);
    if problems.is_empty() {
        Ok(Settings {
            origins,
            turnstile_site_key,
            operators,
            access,
            oidc,
            grounds,
            webhooks,
            rooms,
        })
    } else {
        Err(problems)
    }
}

/// Refuses variables that mean nothing, and secrets among the plain variables.
fn check_vars(vars: &Map<String, Value>, problems: &mut Vec<Problem>) {
    for (name, value) in vars {
        if name.starts_with("BATON_") || name.starts_with("WEBHOOK_SECRET") || SECRETS.contains(&name.as_str()) {
            let cure = format!("Remove it and run `npx wrangler secret put {name}`");
            problems.push(Problem::new(name, None, "is a secret and must not be a plain variable", cure));
        } else if !VARS.contains(&name.as_str()) {
            problems.push(unknown("", name, value, &VARS));
        }
    }
}

/// Reads one room's table.
///
/// # Errors
/// Returns every problem of this room.
pub fn parse_room(name: &str, room: &Value) -> Result<RoomSettings, Vec<Problem>> {
    let mut problems = Vec::new();
    let at = format!("ROOMS.{name}");
    check_name(name, &at, &mut problems);
    let Some(table) = room.as_object() else {
        let what = "is not a table";
        problems.push(Problem::new(at, Some(room), what, format!("Write [vars.ROOMS.{name}] and its keys")));
        return Err(problems);
    };
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    for (key, value) in table {
        if !names.contains(&key.as_str()) {
            problems.push(unknown(&at, key, value, &names));
        }
    }
    let mut reader = Reader { table, at, problems };
    let settings = reader.room(name);
    for (key, what, cure) in contradictions(&settings) {
        reader.problem(key, what, cure);
    }
    if reader.problems.is_empty() {
        Ok(settings)
    } else {
        Err(reader.problems)
    }
}

/// Reads the key of Turnstile's widget. A room that uses Turnstile needs one.
fn parse_site_key(value: Option<&Value>, rooms: &[RoomSettings], problems: &mut Vec<Problem>) -> Option<String> {
    let cure = "Write TURNSTILE_SITE_KEY = \"0x4AAA…\", the key that the dashboard shows beside the widget";
    let value = value.filter(|value| !value.is_null() && value.as_str() != Some(""));
    let Some(value) = value else {
        if let Some(room) = rooms.iter().find(|room| room.turnstile) {
            let what = format!("is missing, and the room {} uses Turnstile", room.name);
            problems.push(Problem::new("TURNSTILE_SITE_KEY", None, what, cure).beside(&room.name));
        }
        return None;
    };
    let is_key = |text: &&str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        text.len() <= SITE_KEY_BYTES_MAX && text.bytes().all(plain)
    };
    match value.as_str().filter(is_key) {
        Some(text) => Some(text.to_owned()),
        None => {
            let what = "is no site key";
            problems.push(Problem::new("TURNSTILE_SITE_KEY", Some(value), what, cure));
            None
        }
    }
}

fn parse_rooms(value: Option<&Value>, problems: &mut Vec<Problem>) -> Vec<RoomSettings> {
    let cure = "Write at least one [vars.ROOMS.name] with paths and permits";
    let Some(value) = value else {
        problems.push(Problem::new("ROOMS", None, "is missing", cure));
        return Vec::new();
    };
    let Some(table) = value.as_object() else {
        problems.push(Problem::new("ROOMS", Some(value), "is not a table of rooms", cure));
        return Vec::new();
    };
    if table.is_empty() {
        problems.push(Problem::new("ROOMS", Some(value), "names no room", cure));
    }
    if table.len() > ROOMS_MAX {
        let what = format!("names {} rooms, at most {ROOMS_MAX} are allowed", table.len());
        problems.push(Problem::new("ROOMS", None, what, "Join rooms, or deploy a second worker"));
    }
    let mut rooms = Vec::new();
    for (name, room) in table.iter().take(ROOMS_MAX) {
        match parse_room(name, room) {
            Ok(room) => rooms.push(room),
            Err(more) => problems.extend(more),
        }
    }
    sort_few(&mut rooms, |a, b| a.name.cmp(&b.name));
    check_pairs(&rooms, problems);
    rooms
}

/// Refuses two rooms that claim the same path of the same host; the problem names the later one. O(patterns × hosts × log).
pub(super) fn check_pairs(rooms: &[RoomSettings], problems: &mut Vec<Problem>) {
    let every_host = [String::new()];
    let mut claims: BTreeMap<(&str, String), Vec<(&RoomSettings, Pattern)>> = BTreeMap::new();
    for room in rooms {
        let hosts = match room.hosts.as_slice() {
            [] => every_host.as_slice(),
            named => named,
        };
        let patterns = room.paths.iter().filter_map(|path| Pattern::parse(path).ok());
        for pattern in patterns {
            let mut twin = None;
            for host in hosts {
                let claimed = claims.entry((host, pattern.shape())).or_default();
                let rivals = claimed.iter().filter(|(other, _)| other.name != room.name);
                let rival = rivals.into_iter().find(|(_, other)| other.same_as(&pattern));
                twin = twin.or(rival.map(|(other, text)| (other.name.clone(), text.clone())));
                claimed.push((room, pattern.clone()));
            }
            if let Some((other, text)) = twin {
                problems.push(same_path(room, &pattern, &other, &text));
            }
        }
    }
}

fn same_path(room: &RoomSettings, own: &Pattern, other: &str, text: &Pattern) -> Problem {
    let methods = if own.as_str() == text.as_str() {
        ""
    } else {
        ", and some requests belong to both"
    };
    Problem::new(
        format!("ROOMS.{}.paths", room.name),
        Some(&Value::from(own.as_str())),
        format!("is also gated by the room {other} (as {:?}) for the same host{methods}", text.as_str()),
        "Leave it in one of the two rooms, or give them different hosts",
    )
    .beside(other)
}

fn check_name(name: &str, at: &str, problems: &mut Vec<Problem>) {
    if RESERVED_ROOMS.contains(&name) {
        let what = format!("{name:?} means something else below /__baton/");
        problems.push(Problem::new(at, None, what, "Give the room another name"));
    } else if !is_room_name(name) {
        let what = format!("{name:?} is not a room's name");
        let cure = format!("Use 1 to {ROOM_NAME_BYTES_MAX} of a-z, 0-9 and -");
        problems.push(Problem::new(at, None, what, cure));
    }
}

/// A contradiction between two keys: the key at fault, what is wrong and the cure.
type Contradiction = (&'static str, String, String);

/// Returns what is wrong with a cookie domain: a room that has one names its hosts, and the domain covers all of them.
fn domain_problem(room: &RoomSettings) -> Option<Contradiction> {
    let domain = room.cookie_domain.as_ref()?;
    let name = domain.name();
    if room.hosts.is_empty() {
        let cure = format!("Write e.g. hosts = [\"a.{name}\", \"b.{name}\"]");
        let what = "is shared by no hosts: hosts is empty".to_owned();
        return Some(("cookie_domain", what, cure));
    }
    let patterns = room.hosts.iter().filter_map(|host| HostPattern::parse(host));
    let outside: Vec<String> = patterns.filter(|host| !domain.covers(host)).map(|host| host.to_string()).collect();
    if outside.is_empty() {
        return None;
    }
    let what = format!("does not cover {}", outside.join(", "));
    let cure = "Leave those hosts out (a room of their own may gate the same paths), or name a domain above all";
    Some(("cookie_domain", what, cure.to_owned()))
}

/// Returns what contradicts what among the settings of a room, each of which is good by itself.
pub(super) fn contradictions(room: &RoomSettings) -> Vec<Contradiction> {
    let mut found: Vec<Contradiction> = domain_problem(room).into_iter().collect();
    found.extend(vain_halls(room).map(|(what, cure)| ("lanes", what, cure)));
    let core = &room.core;
    // 0 stands for a value that was refused already.
    if (1..core.tick_ms).contains(&core.claim_within_ms) {
        let what = format!("is shorter than one tick (tick_ms = {})", core.tick_ms);
        let cure = "Raise claim_within_s, or lower tick_ms".to_owned();
        found.push(("claim_within_s", what, cure));
    }
    if core.lease_max_ms > 0 && core.lease_idle_ms > core.lease_max_ms {
        let what = format!("is longer than lease_max_s ({})", core.lease_max_ms / 1_000);
        let cure = "Lower lease_idle_s, or raise lease_max_s".to_owned();
        found.push(("lease_idle_s", what, cure));
    }
    found
}

/// Returns a problem if there are grounds but no house is bound to this worker.
#[must_use]
pub fn check_binding(settings: &Settings, is_bound: bool) -> Option<Problem> {
    let cure = "Write [[durable_objects.bindings]] with name = \"HOUSE\" and class_name = \"HouseObject\", and name the class in the migrations; or leave [vars.GROUNDS] out";
    let lacks = settings.grounds.is_some() && !is_bound;
    lacks.then(|| Problem::new("GROUNDS", None, "are there, but no house", cure))
}
