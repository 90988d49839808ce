//! Live values: what the operator changes while the room runs. They are laid over the file's values. A live value wins until it is
//! cleared; no deploy changes it.

use serde_json::{Map, Value, json};

use crate::facts::units::Instant;
use crate::ordered::filled;

use super::{
    Problem, RoomSettings, parse_room,
    ramp::{self, as_ramp},
    schema::{Change, KEYS, Key},
};

/// Reads a room's table with the operator's live values laid over it. A live `null` means the file's value. A ramp counts as the value where it
/// leads; [`ramps`](super::ramps) says what is in force until then.
///
/// # Errors
/// Returns every problem, among them keys that change only with a deploy.
pub fn parse_live(name: &str, file: &Value, live: &Value) -> Result<RoomSettings, Vec<Problem>> {
    let Some(live) = live.as_object() else {
        let cure = "Send an object such as {\"permits\": 300}";
        return Err(vec![Problem::new(
            name,
            Some(live),
            "is not an object",
            cure,
        )]);
    };
    let mut problems = Vec::new();
    let mut merged = file.as_object().cloned().unwrap_or_default();
    let mut begins = Vec::new();
    for (key, value) in live {
        match KEYS.iter().find(|known| known.name == key) {
            Some(Key {
                change: Change::Deploy,
                ..
            }) => problems.push(Problem::new(
                format!("ROOMS.{name}.{key}"),
                Some(value),
                "cannot be changed while the room runs",
                "Change it in wrangler.toml and deploy",
            )),
            Some(_) if value.is_null() => {}
            Some(_) if let Some(ramp) = as_ramp(key, value) => {
                ramp::check(name, key, ramp, &mut problems);
                merged.extend(ramp.get("to").map(|to| (key.clone(), to.clone())));
                begins.extend(ramp.get("from").map(|from| (key, from)));
            }
            // An unknown key goes in too: `parse_room` below refuses it.
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    for (key, from) in begins {
        ramp::check_from(name, key, from, &merged, &mut problems);
    }
    match parse_room(name, &Value::Object(merged)) {
        Ok(room) if problems.is_empty() => Ok(room),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

/// Returns every key of a room with the value in force and its source: `"live"`, `"file"` or `"default"`. For a ramp that is the value in force at
/// `now`, and the ramp itself while it runs. `live` holds the live values alone. O(keys).
#[must_use]
pub fn in_force(
    file: &Value,
    live: &Map<String, Value>,
    now: Instant,
    tick_ms: u64,
) -> Map<String, Value> {
    let in_force = |key: &Key| {
        let default = || serde_json::from_str(key.default?).ok();
        let (value, source) = match (live.get(key.name), file.get(key.name)) {
            (Some(value), _) => (value.clone(), "live"),
            (None, Some(value)) => (value.clone(), "file"),
            (None, None) => (default().unwrap_or(Value::Null), "default"),
        };
        let may_change = key.change == Change::Live;
        let (value, running) = match ramp::shown(key.name, live, now, tick_ms) {
            Some((now, running)) => (now, running),
            None => (value, None),
        };
        let entry = match running {
            Some(ramp) => {
                json!({ "value": value, "source": source, "live": may_change, "ramp": ramp })
            }
            None => json!({ "value": value, "source": source, "live": may_change }),
        };
        (key.name.to_owned(), entry)
    };
    filled(KEYS.iter().map(in_force))
}
