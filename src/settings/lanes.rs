//! Reads `lanes` as the operator writes them, `[{ name = "members", share = 3 }, …]`: the keys of each lane, and the rules between lanes. Keys that a
//! lane shares with its room are read as the room's are.

use serde_json::{Map, Value};

use super::problem::unknown;
use super::{Problem, RoomSettings};
use facts::hall::Draw;
use facts::hours::Period;
use facts::lane_name::{LANE_NAME_BYTES_MAX, LaneName};
use facts::lanes::{LANE_TITLE_CHARS_MAX, LANES_MAX, Lane, SHARE_MAX};
use facts::limits::VALUE_BYTES_MAX;

const EXAMPLE: &str = "{ name = \"members\", title = \"Members\" }";
/// The keys that a lane may have.
const LANE_KEYS: [&str; 7] = ["name", "title", "share", "opens_at", "closes_at", "hall_s", "draw"];
/// The calls that a lane without `share` gets in its turn.
const SHARE_USUAL: u32 = 1;

/// The keys that a lane shares with its room; `None` means that the room's value applies.
pub(super) struct Hours {
    pub periods: Option<Vec<Period>>,
    pub hall_ms: Option<u64>,
    pub draw: Option<Draw>,
}

/// Reads [`Hours`] from a lane's table. The text says where the table stands.
pub(super) type ReadHours<'r> = &'r dyn Fn(&Map<String, Value>, &str) -> Result<Hours, Vec<Problem>>;

/// Reads the lanes of the key `name` in the table `at`, in their order.
///
/// # Errors
/// Returns every problem of the list and of its lanes.
pub(super) fn lanes(at: &str, name: &str, value: &Value, hours: ReadHours<'_>) -> Result<Vec<Lane>, Vec<Problem>> {
    let key = format!("{at}.{name}");
    let problem = |what: String, cure: String| vec![Problem::new(key.as_str(), Some(value), what, cure)];
    let Some(list) = value.as_array() else {
        let cure = format!("Write {name} = [{EXAMPLE}]");
        return Err(problem("is not a list of lanes".to_owned(), cure));
    };
    if list.len() > LANES_MAX {
        let what = format!("has {} lanes, more than {LANES_MAX}", list.len());
        return Err(problem(what, "Join lanes".to_owned()));
    }
    if value.to_string().len() > VALUE_BYTES_MAX {
        let what = format!("is longer than {VALUE_BYTES_MAX} bytes");
        let cure = "Use shorter titles, or fewer dates".to_owned();
        return Err(problem(what, cure));
    }
    let mut problems = Vec::new();
    let mut lanes: Vec<Lane> = Vec::new();
    for (index, value) in list.iter().enumerate() {
        match lane(&format!("{key}[{index}]"), &key, value, hours) {
            Ok(lane) if lanes.iter().any(|known| known.name == lane.name) => {
                let what = format!("has two lanes with the name {}", lane.name);
                problems.extend(problem(what, "Give each a name of its own".to_owned()));
            }
            Ok(lane) => lanes.push(lane),
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(lanes) } else { Err(problems) }
}

/// Reads one lane. Its problems name it by its name, as `ROOMS.onsale.lanes.members.share`, or by its place in the list while the name is not known.
fn lane(place: &str, key: &str, value: &Value, hours: ReadHours<'_>) -> Result<Lane, Vec<Problem>> {
    let Some(table) = value.as_object() else {
        let (what, cure) = ("is not a lane", format!("Write e.g. {EXAMPLE}"));
        return Err(vec![Problem::new(place, Some(value), what, cure)]);
    };
    let name = table.get("name").and_then(Value::as_str);
    let Some(name) = name.and_then(LaneName::parse) else {
        let what = match table.get("name") {
            Some(_) => "is no lane's name",
            None => "is missing",
        };
        let cure = format!("Write 1 to {LANE_NAME_BYTES_MAX} of a-z, 0-9 and -");
        let at = format!("{place}.name");
        return Err(vec![Problem::new(at, table.get("name"), what, cure)]);
    };
    let at = format!("{key}.{name}");
    let mut problems = Vec::new();
    for (key, value) in table {
        if !LANE_KEYS.contains(&key.as_str()) {
            problems.push(unknown(&at, key, value, &LANE_KEYS));
        }
    }
    let mut note = |key: &str, (what, cure): (String, String)| {
        let at = format!("{at}.{key}");
        problems.push(Problem::new(at, table.get(key), what, cure));
    };
    let title = match table.get("title") {
        None => name.to_string(),
        Some(value) => title(value).unwrap_or_else(|wrong| {
            note("title", wrong);
            String::new()
        }),
    };
    let share = match table.get("share") {
        None => SHARE_USUAL,
        Some(value) => share(value).unwrap_or_else(|wrong| {
            note("share", wrong);
            SHARE_USUAL
        }),
    };
    match hours(table, &at) {
        Ok(hours) if problems.is_empty() => Ok(Lane {
            name,
            title,
            share,
            periods: hours.periods,
            hall_ms: hours.hall_ms,
            draw: hours.draw,
        }),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

/// Reads the title that visitors are shown. The error is what is wrong and the cure.
fn title(value: &Value) -> Result<String, (String, String)> {
    let Some(text) = value.as_str() else {
        let cure = "Write title = \"…\", in quotes".to_owned();
        return Err(("is not a text".to_owned(), cure));
    };
    let chars = text.chars().count();
    if chars == 0 || chars > LANE_TITLE_CHARS_MAX {
        let what = format!("has {chars} characters, and may have 1 to {LANE_TITLE_CHARS_MAX}");
        let cure = "Say it shorter, or leave it out for the name".to_owned();
        return Err((what, cure));
    }
    if text.chars().any(char::is_control) {
        let cure = "Use plain text in one line".to_owned();
        return Err(("has control characters".to_owned(), cure));
    }
    Ok(text.to_owned())
}

fn share(value: &Value) -> Result<u32, (String, String)> {
    let share = value.as_u64().filter(|share| (1..=SHARE_MAX).contains(share));
    let share = share.and_then(|share| u32::try_from(share).ok());
    share.ok_or_else(|| {
        let what = format!("is not a whole number from 1 to {SHARE_MAX}");
        let cure = "Write e.g. share = 3; to keep a lane shut write closes_at".to_owned();
        (what, cure)
    })
}

/// Returns the first lane that `next` leaves out while people have a place in it, and how many they are. `have` lists the lanes in order, with how
/// many have a place in each. If `next` is empty, the people of everybody's lane wait in the room's one line.
#[must_use]
pub fn dropped<'a>(have: &[(&'a str, u64)], next: &[Lane]) -> Option<(&'a str, u64)> {
    let others = match have.split_last() {
        Some((_, others)) if next.is_empty() => others,
        _ => have,
    };
    let is_left_out = |name: &str| next.iter().all(|lane| lane.name.as_str() != name);
    let mut gone = others.iter().filter(|(name, _)| is_left_out(name));
    gone.find(|(_, living)| *living > 0).copied()
}

/// Says why a lane that [`dropped`] returned may not go.
#[must_use]
pub fn why_kept((lane, living): (&str, u64)) -> String {
    let people = if living == 1 { "person has" } else { "people have" };
    format!("The lane {lane} cannot be taken out while {living} {people} a place in it. Close it and wait, or leave it in the list.")
}

/// Returns what is wrong, and the cure, for each lane that has a hall but no opening to wait for, neither its own nor the room's.
pub(super) fn vain_halls(room: &RoomSettings) -> impl Iterator<Item = (String, String)> + '_ {
    let is_vain = |lane: &&Lane| {
        let periods = lane.periods.as_ref().unwrap_or(&room.core.periods);
        let wants_hall = lane.draw.is_some() || lane.hall_ms.is_some_and(|ms| ms > 0);
        wants_hall && periods.is_empty()
    };
    room.core.lanes.iter().filter(is_vain).map(|lane| {
        let what = format!("has a hall in the lane {} and no opening for it", lane.name);
        let cure = "Give the lane opens_at, or leave out its hall_s and draw".to_owned();
        (what, cure)
    })
}
