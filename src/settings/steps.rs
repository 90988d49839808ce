//! Reads `schedule` as the operator writes it, `[{ at = "2026-12-01T10:00:00+09:00", set = { mode = "open" } }, …]`: which steps there are, and when.
//! `schedule.rs` judges what a step may set.

use serde_json::{Map, Value};

use super::Problem;
use super::problem::unknown;
use crate::facts::limits::{STEPS_MAX, VALUE_BYTES_MAX};
use crate::facts::schedule::Step;

const EXAMPLE: &str = "{ at = \"2026-12-01T10:00:00+09:00\", set = { mode = \"open\" } }";

/// Reads the steps of the key `name` in the table `at`, in order of time.
///
/// # Errors
/// Returns every problem of the list and of its steps.
pub(super) fn steps(at: &str, name: &str, value: &Value) -> Result<Vec<Step>, Vec<Problem>> {
    let key = format!("{at}.{name}");
    let problem =
        |what: String, cure: String| vec![Problem::new(key.as_str(), Some(value), what, cure)];
    let Some(list) = value.as_array() else {
        let cure = format!("Write {name} = [{EXAMPLE}]");
        return Err(problem("is not a list of steps".to_owned(), cure));
    };
    if list.len() > STEPS_MAX {
        let cure = "Leave out those that are over, and give the last ones later".to_owned();
        let what = format!("has {} steps, more than {STEPS_MAX}", list.len());
        return Err(problem(what, cure));
    }
    if value.to_string().len() > VALUE_BYTES_MAX {
        let cure = "Use fewer steps, or shorter texts in them".to_owned();
        let what = format!("is longer than {VALUE_BYTES_MAX} bytes");
        return Err(problem(what, cure));
    }
    let mut problems = Vec::new();
    let mut steps = Vec::new();
    for (index, value) in list.iter().enumerate() {
        match step(&format!("{key}[{index}]"), value) {
            Ok(step) => steps.push(step),
            Err(more) => problems.extend(more),
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
        problems.extend(problem(what, cure));
    }
    if problems.is_empty() {
        Ok(steps)
    } else {
        Err(problems)
    }
}

/// Returns the date of this moment as the operator wrote it.
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
        Some(_) => {}
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

/// Reads a date with its offset, as RFC 3339 has it, in whole Unix ms, from 1970 to 9999. Returns `None` for any other text.
pub(super) fn unix_ms(text: &str) -> Option<u64> {
    let date = chrono::DateTime::parse_from_rfc3339(text).ok()?;
    u64::try_from(date.timestamp_millis()).ok()
}
