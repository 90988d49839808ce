//! What fronts and objects are told of the house: a table of its rooms with a version, and one room's definition. JSON, as the values
//! are the operator's own words.

use super::{House, Kept, Stands};
use crate::ordered::filled;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The rooms whose paths are gated, and who may operate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The last row of the house. The higher of two tables is right.
    pub version: u64,
    /// By name.
    pub rooms: BTreeMap<String, Definition>,
    /// By room, of the house or of the file: what is laid over the keys of its page.
    #[serde(default)]
    pub brands: BTreeMap<String, Value>,
    /// Who may operate, by name: the keys that an operator has in the file.
    #[serde(default)]
    pub operators: BTreeMap<String, Value>,
}

/// What a room of the house is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The row that made it so. The higher of two definitions of a room is right.
    pub since: u64,
    /// How many rooms of this name there have been, with this one.
    pub generation: u32,
    /// Whether the room is over: then it is closed, whatever its table says.
    pub is_over: bool,
    /// The keys that a room has in the file.
    pub table: Value,
}

impl Table {
    /// What the house says. O(bytes).
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

/// What is laid over the pages of which rooms. O(bytes).
#[must_use]
pub fn brands_of(house: &House) -> BTreeMap<String, Value> {
    let read = |text: &String| serde_json::from_str(text).unwrap_or_default();
    let brands = house.brands().iter();
    filled(brands.map(|(room, brand)| (room.clone(), read(brand))))
}

impl Definition {
    /// What the house says of a room.
    #[must_use]
    pub fn of(kept: &Kept) -> Self {
        Self {
            since: kept.since,
            generation: kept.generation,
            is_over: kept.stands != Stands::Open,
            table: serde_json::from_str(&kept.table).unwrap_or_default(),
        }
    }

    /// The table by which the room lives: its own, with its generation, and closed for ever once it is over.
    #[must_use]
    pub fn in_force(&self) -> Value {
        let mut table = self.table.as_object().cloned().unwrap_or_default();
        table.insert("generation".to_owned(), Value::from(self.generation));
        if self.is_over {
            let closed =
                json!({ "mode": "closed", "opens_at": [], "closes_at": [], "schedule": [] });
            table.extend(closed.as_object().cloned().unwrap_or_default());
        }
        Value::Object(table)
    }
}
