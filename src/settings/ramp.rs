//! Reads ramps as the operator writes them: `{"to": 200, "over_s": 300}`, from the value in force or from a given number.

use serde_json::{Map, Value, json};

use super::Problem;
use super::forms::thousandths;
use super::problem::unknown;
use facts::config::{Change, LiveKey};
use facts::live::{Ramped, per_s};
use facts::units::Instant;
use room::ramp::Ramp;

/// The longest ramp, in seconds: a day.
pub const RAMP_S_MAX: u64 = 86_400;

/// The keys that the operator may write in a ramp.
const WRITTEN: [&str; 3] = ["from", "over_s", "to"];

/// Checks a ramp, but not that its ends lie in the key's range. Returns how long it takes, in ms.
pub(super) fn check(at: &str, key: &str, ramp: &Map<String, Value>, problems: &mut Vec<Problem>) -> u64 {
    let others = ramp.iter().filter(|(part, _)| !WRITTEN.contains(&part.as_str()));
    problems.extend(others.map(|(part, value)| unknown(at, part, value, &WRITTEN)));
    let mut problem = |part: &str, what: &str, cure: &str| {
        let what = if ramp.contains_key(part) { what } else { "is missing" };
        let at = format!("{at}.{part}");
        problems.push(Problem::new(at, ramp.get(part), what, cure));
    };
    if !ramp.contains_key("to") {
        let cure = "Write where it leads, such as {\"to\": 200, \"over_s\": 300}";
        problem("to", "", cure);
    }
    let over_s = ramp.get("over_s").and_then(milli);
    let over_s = over_s.filter(|milli| milli % 1_000 == 0).map(|ms| ms / 1_000);
    let over_s = over_s.filter(|s| (1..=RAMP_S_MAX).contains(s));
    if over_s.is_none() {
        let what = format!("is not a whole number of seconds from 1 to {RAMP_S_MAX}");
        let cure = "Write how long it takes, such as \"over_s\": 300";
        problem("over_s", &what, cure);
    }
    let is_rate = key == LiveKey::AdmissionsMilliPerS.name();
    for part in ["from", "to"] {
        if is_rate && ramp.get(part).and_then(milli) == Some(0) {
            problems.push(no_cap(at, part));
        }
    }
    over_s.unwrap_or_default().saturating_mul(1_000)
}

/// Checks a ramp that has begun at the value in force.
///
/// # Errors
/// Returns the problem of a ramp that would begin at no cap.
pub(super) fn check_begun(at: &str, change: &Change) -> Result<(), Problem> {
    match change {
        Change::AdmissionsMilliPerS(Some(Ramped::Ramp { from: Some(0), .. })) => {
            let at = format!("{at}.{}", change.key().name());
            Err(no_cap(&at, "from"))
        }
        _ => Ok(()),
    }
}

fn no_cap(at: &str, part: &str) -> Problem {
    let what = "is 0, which means no cap and is no number to go from or to";
    let cure = "Give a number above 0 on both sides: \"from\" as well, if there is no cap now";
    Problem::new(format!("{at}.{part}"), Some(&Value::from(0)), what, cure)
}

/// Returns the value that a ramp has at `now`, and the ramp itself while it runs. Returns `None` if the live value is no ramp.
pub(super) fn shown(change: &Change, now: Instant, tick_ms: u64) -> Option<(Value, Option<Value>)> {
    let (ramp, tell): (Ramp, fn(u64) -> Value) = match change {
        Change::Permits(Some(ramp)) => (Ramp::of(ramp)?, Value::from),
        Change::AdmissionsMilliPerS(Some(ramp)) => (Ramp::of(ramp)?, per_s),
        _ => return None,
    };
    let running = (!ramp.is_over(now, tick_ms)).then(|| {
        let ends = ramp.since.plus_ms(ramp.over_ms);
        json!({
            "from": tell(ramp.from),
            "to": tell(ramp.to),
            "over_s": ramp.over_ms / 1_000,
            "since_at_ms": ramp.since,
            "ends_at_ms": ends,
        })
    });
    Some((tell(ramp.at(now, tick_ms)), running))
}

fn milli(value: &Value) -> Option<u64> {
    thousandths(&value.as_number()?.to_string())
}
