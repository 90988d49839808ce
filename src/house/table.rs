//! What fronts and objects are told of the house: a table of its rooms with a version, and one room's definition. They are JSON, because the
//! values are the operator's own words.

use super::{House, Kept, Stands};
use facts::ordered::filled;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The rooms whose paths are gated, and who may operate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The last row of the house. Of two tables, the one with the higher row is right.
    pub version: u64,
    /// The gated rooms, by name.
    pub rooms: BTreeMap<String, Definition>,
    /// The brands, by room of the house or of the file: the keys laid over those of its page.
    #[serde(default)]
    pub brands: BTreeMap<String, Value>,
    /// Who may operate, by name: the keys that an operator has in the file.
    #[serde(default)]
    pub operators: BTreeMap<String, Value>,
}

/// The definition of a room of the house.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The row that made it so. Of two definitions, the one with the higher row is right.
    pub since: u64,
    /// The number of rooms of this name so far, including this one.
    pub generation: u32,
    /// Whether the room is over. Then it is closed, whatever its table says.
    pub is_over: bool,
    /// The keys that a room has in the file.
    pub table: Value,
    /// The rooms of the file over which an owner of all rooms put it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
}

impl Table {
    /// Makes the table of this house. O(bytes).
    #[must_use]
    pub fn of(house: &House) -> Self {
        let rooms = house.gated();
        let operators = house.operators().iter();
        let read = |text: &String| serde_json::from_str(text).unwrap_or_default();
        Self {
            version: house.version(),
            rooms: filled(rooms.map(|(name, kept)| (name.clone(), Definition::of(kept)))),
            brands: brands_of(house),
            operators: filled(operators.map(|(name, text)| (name.clone(), read(text)))),
        }
    }
}

/// Returns the brands laid over the pages of rooms, by room. O(bytes).
#[must_use]
pub fn brands_of(house: &House) -> BTreeMap<String, Value> {
    let read = |text: &String| serde_json::from_str(text).unwrap_or_default();
    let brands = house.brands().iter();
    filled(brands.map(|(room, brand)| (room.clone(), read(brand))))
}

impl Definition {
    /// Makes the definition of a room from what the house keeps.
    #[must_use]
    pub fn of(kept: &Kept) -> Self {
        Self {
            since: kept.since,
            generation: kept.generation,
            is_over: kept.stands != Stands::Open,
            table: serde_json::from_str(&kept.table).unwrap_or_default(),
            over: kept.over.clone(),
        }
    }

    /// Returns the table by which the room lives: its own, with its generation, and closed for ever once the room is over.
    #[must_use]
    pub fn in_force(&self) -> Value {
        let mut table = self.table.as_object().cloned().unwrap_or_default();
        table.insert("generation".to_owned(), Value::from(self.generation));
        if self.is_over {
            let closed = json!({ "mode": "closed", "opens_at": [], "closes_at": [], "schedule": [] });
            table.extend(closed.as_object().cloned().unwrap_or_default());
        }
        Value::Object(table)
    }
}
