//! Who did what: the facts of a row that an operator or a room's schedule brought about. Reads what is stored and knows nothing of who asks.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Hides;
use facts::event::Event;
use facts::house::HouseEvent;

/// One action of an operator or of the schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Action {
    /// Who acted: an operator's name, `operator` for the holder of the secret, or `schedule`. Empty once the name is no longer kept.
    pub by: String,
    /// The kind of action: `change`, `end_ticket`, `reset`, `make_sheet`, `withdraw_sheet`; `define`, `archive`,
    /// `release_paths`, `brand`, `set_operator`, `remove_operator`.
    pub does: &'static str,
    /// The details: keys and values, a number, an edition, or the name of a room or operator.
    pub what: Value,
}

/// Facts that may include actions of an operator or of the schedule.
pub trait Acts: Hides {
    /// Returns the actions in this row. O(facts).
    fn actions(events: &[Self]) -> Vec<Action>;
}

impl Acts for Event {
    fn actions(events: &[Self]) -> Vec<Action> {
        events.iter().filter_map(of_room).collect()
    }
}

fn of_room(event: &Event) -> Option<Action> {
    let (by, does, what) = match event {
        Event::Adjusted { by, values } => {
            let mut keys = Map::new();
            for change in values {
                keys.insert(change.key().name().to_owned(), change.written());
            }
            (by, "change", Value::Object(keys))
        }
        Event::Dismissed { by, number } => (by, "end_ticket", json!({ "number": number })),
        Event::Reset { by, edition, .. } => (by, "reset", json!({ "edition": edition })),
        Event::SheetMade { by, sheet, .. } => (by, "make_sheet", json!({ "sheet": sheet })),
        Event::SheetWithdrawn { by, sheet } => (by, "withdraw_sheet", json!({ "sheet": sheet })),
        _ => return None,
    };
    let by = by.clone();
    Some(Action { by, does, what })
}

/// Each row of the house is one operator's change and begins with that operator's name.
impl Acts for HouseEvent {
    fn actions(events: &[Self]) -> Vec<Action> {
        let Some((Self::Changed { by }, rest)) = events.split_first() else {
            return Vec::new();
        };
        rest.iter()
            .filter_map(|event| {
                let (does, what) = match event {
                    Self::Changed { .. } => return None,
                    Self::Defined { room, generation, .. } => ("define", json!({ "room": room, "generation": generation })),
                    Self::Archived { room } => ("archive", json!({ "room": room })),
                    Self::Freed { room } => ("release_paths", json!({ "room": room })),
                    Self::Branded { room, .. } => ("brand", json!({ "room": room })),
                    Self::OperatorSet { name, .. } => ("set_operator", json!({ "operator": name })),
                    Self::OperatorRemoved { name } => ("remove_operator", json!({ "operator": name })),
                };
                let by = by.clone();
                Some(Action { by, does, what })
            })
            .collect()
    }
}
