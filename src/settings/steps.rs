//! Reads `schedule` as the operator writes it, `[{ at = "2026-12-01T10:00:00+09:00", set = { mode = "open" } }, …]`: which steps there are, when, and
//! what they set, each value by itself. When a step is carried out, its values are judged together with those in force then.

use facts::ordered::sort_few;
use serde_json::{Map, Value};

use super::Problem;
use super::problem::unknown;
use facts::hours::Date;
use facts::limits::{STEPS_MAX, VALUE_BYTES_MAX};
use facts::schedule::{Change, Step};

const EXAMPLE: &str = "{ at = \"2026-12-01T10:00:00+09:00\", set = { mode = \"open\" } }";

/// Reads what a step sets. The text says where the table stands.
pub(super) type ReadSet<'r> = &'r dyn Fn(&Map<String, Value>, &str) -> Result<Vec<Change>, Vec<Problem>>;

/// Reads the steps of the key `name` in the table `at`, in order of time.
///
/// # Errors
/// Returns every problem of the list and of its steps.
pub(super) fn steps(at: &str, name: &str, value: &Value, read: ReadSet<'_>) -> Result<Vec<Step>, Vec<Problem>> {
    let key = format!("{at}.{name}");
    let problem = |what: String, cure: String| vec![Problem::new(key.as_str(), Some(value), what, cure)];
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
        match step(&format!("{key}[{index}]"), value, read) {
            Ok(step) => steps.push(step),
            Err(more) => problems.extend(more),
        }
    }
    sort_few(&mut steps, |a: &Step, b| a.at_ms.cmp(&b.at_ms));
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
    if problems.is_empty() { Ok(steps) } else { Err(problems) }
}

/// Returns the date of this moment as the operator wrote it.
fn written_at(list: &[Value], at_ms: u64) -> String {
    let dates = list.iter().filter_map(|step| step.get("at")?.as_str());
    let mut same = dates.filter(|text| Date::parse(text).is_some_and(|date| date.at_ms == at_ms));
    same.next().unwrap_or_default().to_owned()
}

fn step(at: &str, value: &Value, read: ReadSet<'_>) -> Result<Step, Vec<Problem>> {
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
    let when = step.get("at").and_then(Value::as_str).and_then(Date::parse);
    if when.is_none() {
        let (key, what) = (format!("{at}.at"), missing_or(step, "at", "is no date"));
        let cure = "Write at = \"2026-12-01T10:00:00+09:00\", in quotes and with the offset from UTC";
        problems.push(Problem::new(key, step.get("at"), what, cure));
    }
    let set = step.get("set").and_then(Value::as_object);
    let set = match set.filter(|set| !set.is_empty()) {
        Some(set) => read(set, &format!("{at}.set")).unwrap_or_else(|more| {
            problems.extend(more);
            Vec::new()
        }),
        None => {
            let what = missing_or(step, "set", "sets nothing");
            let cure = "Write set = { mode = \"open\" }, with any keys that change while the room runs";
            problems.push(Problem::new(format!("{at}.set"), step.get("set"), what, cure));
            Vec::new()
        }
    };
    match when {
        Some(when) if problems.is_empty() => Ok(Step {
            at_ms: when.at_ms,
            offset_s: when.offset_s,
            set,
        }),
        _ => Err(problems),
    }
}

fn missing_or<'w>(step: &Map<String, Value>, key: &str, what: &'w str) -> &'w str {
    if step.contains_key(key) { what } else { "is missing" }
}
