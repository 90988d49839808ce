//! `schedule`: the steps as the operator writes them, `[{ at = "2026-12-01T10:00:00+09:00", set = { mode = "open" } }, …]`.
//!
//! A step's values are judged here one by one: its keys, types and ranges. Whether they fit beside the others is judged when the
//! step is carried out, beside those that are in force then.

use serde_json::{Map, Value};

use super::Problem;
use super::problem::unknown;
use super::ramp::{self, as_ramp};
use super::reader::{Reader, unix_ms};
use super::schema::{Change, KEYS};
use crate::facts::limits::{STEPS_MAX, VALUE_BYTES_MAX};
use crate::facts::schedule::Step;
use crate::ordered::filled;

const EXAMPLE: &str = "{ at = \"2026-12-01T10:00:00+09:00\", set = { mode = \"open\" } }";
/// The keys whose meaning lies between them: each alone is only a list of dates.
const DATES: [&str; 2] = ["opens_at", "closes_at"];

/// Reads the steps of the key `name`, in order of time. Every problem is noted with the reader.
pub(super) fn steps(reader: &mut Reader<'_>, name: &str) -> Vec<Step> {
    let Some(value) = reader.table.get(name) else {
        return Vec::new();
    };
    let mut problem = |what: String, cure: String| reader.problem(name, what, cure);
    let Some(list) = value.as_array() else {
        let cure = format!("Write {name} = [{EXAMPLE}]");
        problem("is not a list of steps".to_owned(), cure);
        return Vec::new();
    };
    if list.len() > STEPS_MAX {
        let cure = "Leave out those that are over, and give the last ones later".to_owned();
        let what = format!("has {} steps, more than {STEPS_MAX}", list.len());
        problem(what, cure);
        return Vec::new();
    }
    if value.to_string().len() > VALUE_BYTES_MAX {
        let cure = "Use fewer steps, or shorter texts in them".to_owned();
        problem(format!("is longer than {VALUE_BYTES_MAX} bytes"), cure);
        return Vec::new();
    }
    let mut steps = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let at = format!("{}.{name}[{index}]", reader.at);
        match step(&at, value) {
            Ok(step) => steps.push(step),
            Err(problems) => reader.problems.extend(problems),
        }
    }
    steps.sort_by_key(|step: &Step| step.at_ms);
    let twin = steps.windows(2).find_map(|pair| match pair {
        [a, b] if a.at_ms == b.at_ms => Some(a.at_ms),
        _ => None,
    });
    if let Some(at_ms) = twin {
        let when = written_at(list, at_ms);
        let what = format!("has two steps at {when}");
        let cure = "Write both into one step, or give them different times".to_owned();
        reader.problem(name, what, cure);
    }
    steps
}

/// The date of this moment as the operator wrote it.
fn written_at(list: &[Value], at_ms: u64) -> String {
    let dates = list.iter().filter_map(|step| step.get("at")?.as_str());
    let mut same = dates.filter(|text| unix_ms(text) == Some(at_ms));
    same.next().unwrap_or_default().to_owned()
}

fn step(at: &str, value: &Value) -> Result<Step, Vec<Problem>> {
    let Some(step) = value.as_object() else {
        let cure = format!("Write e.g. {EXAMPLE}");
        return Err(vec![Problem::new(at, Some(value), "is not a step", cure)]);
    };
    let mut problems = Vec::new();
    for (key, value) in step {
        if !["at", "set"].contains(&key.as_str()) {
            problems.push(unknown(at, key, value, &["at", "set"]));
        }
    }
    let when = step.get("at").and_then(Value::as_str).and_then(unix_ms);
    if when.is_none() {
        let (key, what) = (format!("{at}.at"), missing_or(step, "at", "is no date"));
        let cure =
            "Write at = \"2026-12-01T10:00:00+09:00\", in quotes and with the offset from UTC";
        problems.push(Problem::new(key, step.get("at"), what, cure));
    }
    let set = step.get("set").and_then(Value::as_object);
    match set.filter(|set| !set.is_empty()) {
        Some(set) => check(&format!("{at}.set"), set, &mut problems),
        None => {
            let what = missing_or(step, "set", "sets nothing");
            let cure =
                "Write set = { mode = \"open\" }, with any keys that change while the room runs";
            problems.push(Problem::new(
                format!("{at}.set"),
                step.get("set"),
                what,
                cure,
            ));
        }
    }
    match (when, set) {
        (Some(at_ms), Some(set)) if problems.is_empty() => {
            let text = |value: &Value| (!value.is_null()).then(|| value.to_string());
            let set = set.iter().map(|(key, value)| (key.clone(), text(value)));
            let set = set.collect();
            Ok(Step { at_ms, set })
        }
        _ => Err(problems),
    }
}

fn missing_or<'w>(step: &Map<String, Value>, key: &str, what: &'w str) -> &'w str {
    if step.contains_key(key) {
        what
    } else {
        "is missing"
    }
}

/// Checks what a step sets, each key by itself in a room in which nothing else is set.
fn check(at: &str, set: &Map<String, Value>, problems: &mut Vec<Problem>) {
    let mut table = Map::new();
    let mut others = Map::new();
    for (key, value) in set {
        match KEYS.iter().find(|known| known.name == key) {
            None => {
                let live = KEYS.iter().filter(|key| key.change == Change::Live);
                let names: Vec<&str> = live.map(|key| key.name).collect();
                problems.push(unknown(at, key, value, &names));
            }
            Some(known) if known.change == Change::Deploy => problems.push(Problem::new(
                format!("{at}.{key}"),
                Some(value),
                "cannot be changed while the room runs",
                "Leave it out of the schedule, and change it with a deploy",
            )),
            Some(_) if key == "schedule" => problems.push(Problem::new(
                format!("{at}.{key}"),
                None,
                "would change the schedule itself",
                "Write its steps beside this one",
            )),
            Some(_) if value.is_null() => {}
            Some(_) if let Some(ramp) = as_ramp(key, value) => {
                ramp::check_written(at, key, ramp, problems);
                table.extend(ramp.get("to").map(|to| (key.clone(), to.clone())));
                let from = ramp.get("from").map(|from| (key.clone(), from.clone()));
                others.extend(from);
            }
            Some(_) => drop(table.insert(key.clone(), value.clone())),
        }
    }
    alone(at, table, "", problems);
    alone(at, others, ".from", problems);
}

/// Reads these keys as those of a room in which nothing else is set; what is wrong with them is noted, `part` behind the key.
fn alone(at: &str, mut table: Map<String, Value>, part: &str, problems: &mut Vec<Problem>) {
    let dates: Map<String, Value> = filled(DATES.iter().filter_map(|key| table.remove_entry(*key)));
    table.entry("permits").or_insert(Value::from(1));
    table.entry("paths").or_insert(Value::from(vec!["/"]));
    let mut read = |table: &Map<String, Value>, keys: fn(&mut Reader<'_>)| {
        let mut reader = Reader {
            table,
            at: at.to_owned(),
            problems: Vec::new(),
        };
        keys(&mut reader);
        problems.extend(reader.problems.into_iter().map(|mut problem| {
            problem.key += part;
            problem
        }));
    };
    read(&table, |reader| drop(reader.room("step")));
    read(&dates, |reader| {
        DATES.iter().for_each(|key| drop(reader.dates(key)));
    });
}
