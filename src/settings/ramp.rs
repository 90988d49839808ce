//! Reads ramps as the operator writes them: `{"to": 200, "over_s": 300}`, from the value in force or from a given number. A ramp is kept with where
//! and when it began, so that it means the same after a restart and when a change is undone.

use serde_json::{Map, Value, json};

use super::problem::unknown;
use super::{Problem, parse_room, reader::thousandths};
use crate::facts::units::Instant;
use crate::room::ramp::{Ramp, Ramps};

/// The keys whose value may be a ramp.
pub const RAMP_KEYS: [&str; 2] = ["permits", "admissions_per_s"];
/// The longest ramp, in seconds: a day.
pub const RAMP_S_MAX: u64 = 86_400;

/// The keys that the operator may write in a ramp.
const WRITTEN: [&str; 3] = ["from", "over_s", "to"];
/// The key that says when the ramp began, in Unix ms of the room's clock; [`begun`] adds it.
const SINCE: &str = "since_at_ms";

/// Returns the table of a value that is written as a ramp, if the key may have one; `None` for any other value.
pub(super) fn as_ramp<'v>(key: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
    value.as_object().filter(|_| RAMP_KEYS.contains(&key))
}

/// Returns a ramp as it begins at `now`, from `in_force` unless it says from where. Returns any other value unchanged.
///
/// # Errors
/// Returns a problem if the ramp has a key that no ramp has.
pub fn begun(
    name: &str,
    key: &str,
    value: &Value,
    in_force: &Value,
    now: Instant,
) -> Result<Value, Problem> {
    let Some(ramp) = as_ramp(key, value) else {
        return Ok(value.clone());
    };
    let at = format!("ROOMS.{name}.{key}");
    for (part, value) in ramp {
        if !WRITTEN.contains(&part.as_str()) {
            return Err(unknown(&at, part, value, &WRITTEN));
        }
    }
    let mut begun = ramp.clone();
    begun.entry("from").or_insert_with(|| in_force.clone());
    begun.insert(SINCE.to_owned(), Value::from(now.0));
    Ok(Value::Object(begun))
}

/// Checks a ramp, but not that its ends lie in the key's range: the caller checks `to` as the key's value, and [`check_from`] checks `from`.
pub(super) fn check(name: &str, key: &str, ramp: &Map<String, Value>, problems: &mut Vec<Problem>) {
    check_at(&format!("ROOMS.{name}.{key}"), key, ramp, problems);
}

fn check_at(at: &str, key: &str, ramp: &Map<String, Value>, problems: &mut Vec<Problem>) {
    let mut problem = |part: &str, what: &str, cure: &str| {
        let what = if ramp.contains_key(part) {
            what
        } else {
            "is missing"
        };
        problems.push(Problem::new(
            format!("{at}.{part}"),
            ramp.get(part),
            what,
            cure,
        ));
    };
    if !ramp.contains_key("to") {
        problem(
            "to",
            "",
            "Write where it leads, such as {\"to\": 200, \"over_s\": 300}",
        );
    }
    let over_s = ramp.get("over_s").and_then(whole);
    if !over_s.is_some_and(|s| (1..=RAMP_S_MAX).contains(&s)) {
        let what = format!("is not a whole number of seconds from 1 to {RAMP_S_MAX}");
        problem(
            "over_s",
            &what,
            "Write how long it takes, such as \"over_s\": 300",
        );
    }
    for part in ["from", "to"] {
        if key == "admissions_per_s" && ramp.get(part).and_then(milli) == Some(0) {
            let cure =
                "Give a number above 0 on both sides: \"from\" as well, if there is no cap now";
            problem(
                part,
                "is 0, which means no cap and is no number to go from or to",
                cure,
            );
        }
    }
}

/// Checks a ramp that has not begun yet, but not that its ends lie in the key's range. `at` is the key of the table that it stands in.
pub(super) fn check_written(
    at: &str,
    key: &str,
    ramp: &Map<String, Value>,
    problems: &mut Vec<Problem>,
) {
    let at = format!("{at}.{key}");
    let others = ramp
        .iter()
        .filter(|(part, _)| !WRITTEN.contains(&part.as_str()));
    problems.extend(others.map(|(part, value)| unknown(&at, part, value, &WRITTEN)));
    check_at(&at, key, ramp, problems);
}

/// Checks the value where a ramp begins, in the room that the ramp leads to.
pub(super) fn check_from(
    name: &str,
    key: &str,
    from: &Value,
    room: &Map<String, Value>,
    problems: &mut Vec<Problem>,
) {
    let mut room = room.clone();
    room.insert(key.to_owned(), from.clone());
    let found = parse_room(name, &Value::Object(room))
        .err()
        .unwrap_or_default();
    let at = format!("ROOMS.{name}.{key}");
    problems.extend(
        found
            .into_iter()
            .filter(|problem| problem.key == at)
            .map(|mut problem| {
                problem.key += ".from";
                problem
            }),
    );
}

/// Returns the ramps among the live values, running or over.
#[must_use]
pub fn ramps(live: &Map<String, Value>) -> Ramps {
    let ramp = |key: &str, unit: fn(&Value) -> Option<u64>| {
        let ramp = as_ramp(key, live.get(key)?)?;
        Some(Ramp {
            from: unit(ramp.get("from")?)?,
            to: unit(ramp.get("to")?)?,
            since: Instant(ramp.get(SINCE)?.as_u64()?),
            over_ms: whole(ramp.get("over_s")?)?.saturating_mul(1_000),
        })
    };
    Ramps {
        permits: ramp("permits", whole),
        admissions_milli_per_s: ramp("admissions_per_s", milli),
    }
}

/// Returns the value that a ramp has at `now`, and the ramp itself while it runs. Returns `None` if the live value is no ramp.
pub(super) fn shown(
    key: &str,
    live: &Map<String, Value>,
    now: Instant,
    tick_ms: u64,
) -> Option<(Value, Option<Value>)> {
    let written = as_ramp(key, live.get(key)?)?;
    let ramps = ramps(live);
    let (ramp, value) = match key {
        "permits" => {
            let ramp = ramps.permits?;
            (ramp, Value::from(ramp.at(now, tick_ms)))
        }
        _ => {
            let ramp = ramps.admissions_milli_per_s?;
            (ramp, per_s(ramp.at(now, tick_ms)))
        }
    };
    let running = (!ramp.is_over(now, tick_ms)).then(|| {
        let ends = ramp.since.plus_ms(ramp.over_ms);
        json!({ "from": written.get("from"), "to": written.get("to"), "over_s": written.get("over_s"), SINCE: ramp.since, "ends_at_ms": ends })
    });
    Some((value, running))
}

/// Turns thousandths back into the number that the operator wrote.
#[must_use]
pub fn per_s(milli: u64) -> Value {
    let (whole, part) = (milli / 1_000, milli % 1_000);
    if part == 0 {
        return Value::from(whole);
    }
    serde_json::from_str(&format!("{whole}.{part:03}")).unwrap_or_default()
}

fn milli(value: &Value) -> Option<u64> {
    thousandths(&value.as_number()?.to_string())
}

fn whole(value: &Value) -> Option<u64> {
    let milli = milli(value)?;
    (milli % 1_000 == 0).then_some(milli / 1_000)
}
