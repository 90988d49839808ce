//! What a change of the house does to each room and each operator. The operator reads it before it is made, and the house
//! checks what must hold for it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::brand::{LOGO, parse_brand};
use super::grounds::Grounds;
use super::house::{fixed_changes, parse_definition, parse_house};
use super::lanes::{dropped, why_kept};
use super::schema::KEYS;
use super::{Problem, RoomSettings};
use brand::image::named_by;
use facts::lane_name::LaneName;
use house::table::Definition;
use house::{BrandStep, House, OperatorStep, Stands, Step};
use token::Operator;

/// What a change of the house does to a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// The room is new, or its name is used again.
    Create,
    /// The room's table changes.
    Change,
    /// The room is over from now on.
    Archive,
    /// The operator took back the room's end.
    Reopen,
    /// The house releases the room's paths.
    Release,
    /// The room's brand changes.
    Brand,
}

/// A change of one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The room's name.
    pub room: String,
    /// What the change does to the room.
    pub does: Does,
    /// Each key that changes, with its value before and after; `null` stands for the default.
    pub keys: Map<String, Value>,
    /// The changed keys that may change only while nobody has a place.
    pub fixed: Vec<&'static str>,
    /// The room before the change; `None` if it is new. A change of the brand has neither `from` nor `to`.
    pub from: Option<RoomSettings>,
    /// The room after the change; `None` if its paths are released.
    pub to: Option<RoomSettings>,
}

impl Change {
    /// Returns the change as JSON, for the operator to read.
    #[must_use]
    pub fn told(&self) -> Value {
        json!({ "room": self.room, "does": self.does, "keys": self.keys, "needs_nobody_for": self.fixed })
    }

    /// Returns the room, as it is now, that must be asked before the change is made; `None` if none must. Nobody may have a place in a room that ends
    /// or whose fixed keys change, or in a lane that is taken out.
    #[must_use]
    pub fn asks(&self) -> Option<&RoomSettings> {
        let must = self.ends() || !self.fixed.is_empty() || self.takes_lanes();
        self.from.as_ref().filter(|_| must)
    }

    /// Returns whether the change takes out a lane.
    fn takes_lanes(&self) -> bool {
        let lanes = |room: &Option<RoomSettings>| -> Vec<LaneName> {
            let lanes = room.iter().flat_map(|room| &room.core.lanes);
            lanes.map(|lane| lane.name).collect()
        };
        let next = lanes(&self.to);
        self.to.is_some() && lanes(&self.from).iter().any(|name| !next.contains(name))
    }

    /// Returns why the change may not take out its lanes, or `None` if it may. `have` says how many have a place in each lane, as for [`dropped`].
    #[must_use]
    pub fn drops_lane(&self, have: &[(&str, u64)]) -> Option<String> {
        let next = self.to.as_ref().filter(|_| self.takes_lanes())?;
        let lane = dropped(have, &next.core.lanes)?;
        Some(format!("The room {}: {}", self.room, why_kept(lane)))
    }

    /// Returns whether an open room ends: it is deleted, or an undo takes back what made it.
    fn ends(&self) -> bool {
        let is_open = self.from.as_ref().is_some_and(|room| !room.is_over);
        is_open && matches!(self.does, Does::Archive | Does::Release)
    }

    /// Returns why the room refuses this change, or `None` if it may be made. `living` people have a place in the room.
    #[must_use]
    pub fn hindered(&self, is_closed: bool, living: u64) -> Option<String> {
        let room = &self.room;
        if self.ends() && !is_closed {
            return Some(format!(
                "The room {room} is not closed. Set its mode to \"closed\" first, and wait until nobody has a place."
            ));
        }
        let what = if self.ends() {
            "be deleted".to_owned()
        } else {
            format!("change {}", self.fixed.join(", "))
        };
        let must = self.ends() || !self.fixed.is_empty();
        (must && living > 0)
            .then(|| format!("The room {room} cannot {what} while {living} people have a place in it. Close it and wait, or reset it."))
    }
}

/// A change of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorChange {
    /// The operator's name.
    pub name: String,
    /// The table before the change, as operators may read it; `None` if the operator is new.
    from: Option<Value>,
    /// The table after the change; `None` if the operator is removed.
    to: Option<Value>,
}

impl OperatorChange {
    /// Returns the change as JSON, for the operator to read.
    #[must_use]
    pub fn told(&self) -> Value {
        let does = match (&self.from, &self.to) {
            (None, _) => "create",
            (_, None) => "remove",
            _ => "change",
        };
        json!({ "operator": self.name, "does": does, "from": self.from, "to": self.to })
    }
}

/// Returns an operator's table as operators may read it. It says whether there is a token, and leaves out the hash.
#[must_use]
pub fn operator_told(table: &str) -> Value {
    let mut table: Map<String, Value> = serde_json::from_str(table).unwrap_or_default();
    let has_token = table.remove("sha256").is_some();
    table.insert("token".to_owned(), Value::from(has_token));
    Value::Object(table)
}

/// Returns an operator of the file in the form of [`operator_told`].
#[must_use]
pub fn operator_shown(operator: &Operator) -> Value {
    let mut table = Map::new();
    let mut put = |key: &str, value: Value| table.insert(key.to_owned(), value);
    put("role", Value::from(operator.role.name()));
    put("token", Value::from(operator.has_token()));
    if !operator.rooms.is_empty() {
        put("rooms", Value::from(operator.rooms.clone()));
    }
    if let Some(email) = &operator.email {
        put("email", Value::from(email.as_str()));
    }
    let ends_at = operator.ends_at_ms.and_then(|ms| i64::try_from(ms).ok());
    let ends_at = ends_at.and_then(chrono::DateTime::from_timestamp_millis);
    if let Some(ends_at) = ends_at {
        put("ends_at", Value::from(format!("{ends_at:?}")));
    }
    Value::Object(table)
}

/// Returns the changes of operators from one house to the next. O(what changed).
#[must_use]
pub fn operator_changes(now: &House, next: &House) -> Vec<OperatorChange> {
    let change = |moved: OperatorStep<'_>| OperatorChange {
        name: moved.name.to_owned(),
        from: moved.from.map(operator_told),
        to: moved.to.map(operator_told),
    };
    now.moved(next).map(change).collect()
}

/// Returns whether somebody is left who may decide who operates: the holder of the secret, or one of these operators.
#[must_use]
pub fn somebody_owns(has_secret: bool, file: &[Operator], house: &[Operator]) -> bool {
    let mut named = file.iter().chain(house);
    // An operator who has an end does not count: when that end comes, nobody would notice that the last owner is gone.
    has_secret || named.any(|operator| operator.owns() && operator.ends_at_ms.is_none())
}

/// Returns the changes of rooms from one house to the next, if every room of the next one is valid.
///
/// # Errors
/// Returns every problem of the next house.
pub fn changes(file: &[RoomSettings], grounds: &Grounds, now: &House, next: &House) -> Result<Vec<Change>, Vec<Problem>> {
    let definitions: Vec<(String, Definition)> = next.gated().map(|(name, kept)| (name.clone(), Definition::of(kept))).collect();
    let rooms = definitions.iter().map(|(name, of)| (name, of));
    parse_house(file, grounds, rooms)?;
    let change = |step: Step<'_>| change(file, grounds, &step);
    let mut changes: Vec<Change> = now.steps(next).map(change).collect();
    let mut problems = Vec::new();
    for step in now.brand_steps(next) {
        match branded(file, next, &step) {
            Ok(change) => changes.push(change),
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(changes) } else { Err(problems) }
}

/// Returns the change of a brand. Its room must exist, unless the change removes the brand.
fn branded(file: &[RoomSettings], next: &House, step: &BrandStep<'_>) -> Result<Change, Vec<Problem>> {
    let read = |brand: Option<&str>| -> Value {
        let read = brand.map(|brand| serde_json::from_str(brand).unwrap_or_default());
        read.unwrap_or_else(|| Value::Object(Map::new()))
    };
    let (from, to) = (read(step.from), read(step.to));
    if step.to.is_some() {
        let is_ours = next.gated().any(|(name, _)| name == step.room);
        if !is_ours && !file.iter().any(|room| room.name == step.room) {
            let at = format!("brands.{}", step.room);
            let cure = "Name a room of the house or of wrangler.toml";
            return Err(vec![Problem::new(at, None, "is no room", cure)]);
        }
        parse_brand(step.room, &to)?;
    }
    Ok(Change {
        room: step.room.to_owned(),
        does: Does::Brand,
        keys: differing(Some(&from), &to),
        fixed: Vec::new(),
        from: None,
        to: None,
    })
}

/// Returns a problem for each picture that these changes would show on pages and that the house does not keep.
pub fn missing_pictures(changes: &[Change], has: impl Fn(&str) -> bool) -> Vec<Problem> {
    let missing = |change: &Change| {
        let to = change.keys.get(LOGO)?.get("to")?;
        let name = named_by(to.as_str()?).filter(|name| !has(name))?;
        let what = format!("is a picture that the house does not keep: {name}");
        let cure = "Upload it first: PUT /__baton/admin/images";
        let at = format!("{}.{LOGO}", change.room);
        Some(Problem::new(at, Some(to), what, cure))
    };
    changes.iter().filter_map(missing).collect()
}

fn change(file: &[RoomSettings], grounds: &Grounds, step: &Step<'_>) -> Change {
    let parse = |definition: &Definition| parse_definition(file, grounds, step.room, definition).ok();
    let from = step.from.map(Definition::of);
    let to = Definition::of(step.to);
    let old = step.from.filter(|kept| kept.stands != Stands::Freed);
    let does = match (old.map(|kept| kept.stands), step.to.stands) {
        (_, Stands::Freed) => Does::Release,
        (_, Stands::Archived) => Does::Archive,
        (None, Stands::Open) => Does::Create,
        (Some(Stands::Archived), Stands::Open) => Does::Reopen,
        (Some(_), Stands::Open) => Does::Change,
    };
    let before = old.and(from.as_ref());
    let rooms = (before.and_then(parse), Some(&to).filter(|_| does != Does::Release).and_then(parse));
    let fixed = match (&rooms.0, &rooms.1) {
        (Some(from), Some(to)) => fixed_changes(from, to),
        _ => Vec::new(),
    };
    Change {
        room: step.room.to_owned(),
        does,
        keys: differing(before.map(|before| &before.table), &to.table),
        fixed,
        from: rooms.0,
        to: rooms.1,
    }
}

/// Returns each key whose value differs between these two tables, with both values.
fn differing(from: Option<&Value>, to: &Value) -> Map<String, Value> {
    let value = |of: Option<&Value>, key: &str| {
        let value = of.and_then(|of| of.get(key));
        value.cloned().unwrap_or(Value::Null)
    };
    let mut keys = Map::new();
    for key in KEYS {
        let (from, to) = (value(from, key.name), value(Some(to), key.name));
        if from != to {
            let change = json!({ "from": from, "to": to });
            keys.insert(key.name.to_owned(), change);
        }
    }
    keys
}
