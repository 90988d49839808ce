//! What a change of the house comes to, room by room and operator by operator: for an operator to read before it is done, and with what
//! must hold for it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::brand::{LOGO, parse_brand};
use super::grounds::Grounds;
use super::house::{fixed_changes, parse_definition, parse_house};
use super::lanes::{dropped, why_kept};
use super::schema::KEYS;
use super::{Problem, RoomSettings};
use crate::brand::image::named_by;
use crate::facts::lane_name::LaneName;
use crate::house::table::Definition;
use crate::house::{BrandStep, House, OperatorStep, Stands, Step};
use crate::token::Operator;

/// What becomes of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// It is new, or its name is used again.
    Create,
    /// It is another.
    Change,
    /// It is over.
    Archive,
    /// It is over no more.
    Reopen,
    /// Its paths are nobody's.
    Release,
    /// Its page is another.
    Brand,
}

/// What becomes of one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub room: String,
    /// What becomes of it.
    pub does: Does,
    /// Each key that is another, with what it was and what it will be; `null`: the default.
    pub keys: Map<String, Value>,
    /// What may only change while nobody has a place.
    pub fixed: Vec<&'static str>,
    /// As it was; none: there was none.
    pub from: Option<RoomSettings>,
    /// As it will be; none: its paths are nobody's.
    pub to: Option<RoomSettings>,
}

impl Change {
    /// For the operator.
    #[must_use]
    pub fn told(&self) -> Value {
        json!({ "room": self.room, "does": self.does, "keys": self.keys, "needs_nobody_for": self.fixed })
    }

    /// The room that must be asked before this is done, as it is now: nobody may have a place in one that ends or whose fixed keys
    /// change.
    #[must_use]
    pub fn asks(&self) -> Option<&RoomSettings> {
        let must = self.ends() || !self.fixed.is_empty() || self.takes_lanes();
        self.from.as_ref().filter(|_| must)
    }

    /// Whether a lane that there was will be gone.
    fn takes_lanes(&self) -> bool {
        let lanes = |room: &Option<RoomSettings>| -> Vec<LaneName> {
            let lanes = room.iter().flat_map(|room| &room.core.lanes);
            lanes.map(|lane| lane.name).collect()
        };
        let next = lanes(&self.to);
        self.to.is_some() && lanes(&self.from).iter().any(|name| !next.contains(name))
    }

    /// Why this may not be done to a room in whose lanes so many have a place; `None`: it may. `have`: see [`dropped`].
    #[must_use]
    pub fn drops_lane(&self, have: &[(&str, u64)]) -> Option<String> {
        let next = self.to.as_ref().filter(|_| self.takes_lanes())?;
        let lane = dropped(have, &next.core.lanes)?;
        Some(format!("The room {}: {}", self.room, why_kept(lane)))
    }

    /// Whether a room that is open will be none: by a deletion, or by an undo of what made it.
    fn ends(&self) -> bool {
        let is_open = self.from.as_ref().is_some_and(|room| !room.is_over);
        is_open && matches!(self.does, Does::Archive | Does::Release)
    }

    /// Why this may not be done to a room of which this is so; `None`: it may.
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
        (must && living > 0).then(|| {
            format!(
                "The room {room} cannot {what} while {living} people have a place in it. Close it and wait, or reset it."
            )
        })
    }
}

/// What becomes of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorChange {
    /// Who.
    pub name: String,
    /// As it was, as operators read it; none: there was none.
    from: Option<Value>,
    /// As it will be.
    to: Option<Value>,
}

impl OperatorChange {
    /// For the operator.
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

/// An operator's table as operators may read it: whether there is a token, and nothing made of it.
#[must_use]
pub fn operator_told(table: &str) -> Value {
    let mut table: Map<String, Value> = serde_json::from_str(table).unwrap_or_default();
    let has_token = table.remove("sha256").is_some();
    table.insert("token".to_owned(), Value::from(has_token));
    Value::Object(table)
}

/// An operator of the file in the same form.
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

/// What becomes of operators between one house and the next. O(what changed).
#[must_use]
pub fn operator_changes(now: &House, next: &House) -> Vec<OperatorChange> {
    let change = |moved: OperatorStep<'_>| OperatorChange {
        name: moved.name.to_owned(),
        from: moved.from.map(operator_told),
        to: moved.to.map(operator_told),
    };
    now.moved(next).map(change).collect()
}

/// Whether somebody is left who may say who operates: the holder of the secret, or one of these.
#[must_use]
pub fn somebody_owns(has_secret: bool, file: &[Operator], house: &[Operator]) -> bool {
    let mut named = file.iter().chain(house);
    // An operator who has an end is gone one day, and nobody need notice.
    has_secret || named.any(|operator| operator.owns() && operator.ends_at_ms.is_none())
}

/// What the step from one house to the next comes to, if every room of the next one is good.
///
/// # Errors
/// Every problem of the next one.
pub fn changes(
    file: &[RoomSettings],
    grounds: &Grounds,
    now: &House,
    next: &House,
) -> Result<Vec<Change>, Vec<Problem>> {
    let definitions: Vec<(String, Definition)> = next
        .gated()
        .map(|(name, kept)| (name.clone(), Definition::of(kept)))
        .collect();
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
    if problems.is_empty() {
        Ok(changes)
    } else {
        Err(problems)
    }
}

/// A brand is one of a room that is there, unless it goes.
fn branded(
    file: &[RoomSettings],
    next: &House,
    step: &BrandStep<'_>,
) -> Result<Change, Vec<Problem>> {
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

/// Pictures that these changes would have pages show and that the house does not keep.
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
    let parse =
        |definition: &Definition| parse_definition(file, grounds, step.room, definition).ok();
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
    let rooms = (
        before.and_then(parse),
        Some(&to).filter(|_| does != Does::Release).and_then(parse),
    );
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

/// Each key of these two tables that is another.
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
