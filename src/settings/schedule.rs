//! Checks what the steps of a `schedule` set, each by itself: its keys, types and ranges. When a step is carried out, its values are judged
//! together with those in force then.

use serde_json::{Map, Value};

use super::Problem;
use super::problem::unknown;
use super::ramp::{self, as_ramp};
use super::reader::Reader;
use super::schema::{Change, KEYS};
use crate::ordered::filled;

/// The keys that mean something only together: each alone is only a list of dates.
const DATES: [&str; 2] = ["opens_at", "closes_at"];

/// Checks what the steps in the reader's table set, and notes the problems with the reader.
pub(super) fn check_sets(reader: &mut Reader<'_>) {
    let steps = reader.table.get("schedule").and_then(Value::as_array);
    for (index, step) in steps.into_iter().flatten().enumerate() {
        if let Some(set) = step.get("set").and_then(Value::as_object) {
            let at = format!("{}.schedule[{index}].set", reader.at);
            check(&at, set, &mut reader.problems);
        }
    }
}

/// Checks what a step sets, each key by itself, in a room that sets nothing else.
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

/// Reads these keys as those of a room that sets nothing else, and notes what is wrong with them. `part` is added to the key of each problem.
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
