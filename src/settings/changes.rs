//! What a change of the house comes to, room by room: for an operator to read before it is done, and with what must hold of a room
//! for it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::grounds::Grounds;
use super::house::{fixed_changes, parse_definition, parse_house};
use super::schema::KEYS;
use super::{Problem, RoomSettings};
use crate::house::table::Definition;
use crate::house::{House, Stands, Step};

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
        let must = self.ends() || !self.fixed.is_empty();
        self.from.as_ref().filter(|_| must)
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
        (living > 0).then(|| {
            format!(
                "The room {room} cannot {what} while {living} people have a place in it. Close it and wait, or reset it."
            )
        })
    }
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
    Ok(now.steps(next).map(change).collect())
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
        keys: differing(before, &to),
        fixed,
        from: rooms.0,
        to: rooms.1,
    }
}

fn differing(from: Option<&Definition>, to: &Definition) -> Map<String, Value> {
    let value = |of: Option<&Definition>, key: &str| {
        let value = of.and_then(|of| of.table.get(key));
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
