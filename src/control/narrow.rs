//! What an operator is told of an answer. The front runs this on every answer to an operator, whoever made it.

use serde_json::{Map, Value};

use super::endpoints::{By, Endpoint, Where};
use journal::export::HOUSE;
use token::Operator;

/// Leaves of an answer what concerns the rooms that the operator sees, and operators for owners alone. Of what is not about one room, a field that this
/// does not know goes only to operators of all rooms.
pub fn narrow(endpoint: &Endpoint, told: &mut Map<String, Value>, operator: &Operator) {
    let is_of_all = operator.rooms.is_empty();
    let is_of_house = matches!(endpoint.by, By::House(_));
    let is_of_own = matches!(endpoint.needs, Some((_, Where::Own)));
    if !is_of_house && !is_of_own {
        // Which headers of clients stayed here: they may have been any room's.
        told.retain(|field, _| field != "headers_stay" || is_of_all);
        return;
    }
    told.retain(|field, value| match (field.as_str(), value) {
        // A journal has no operators of its own; a picture is told to its own operators by the house.
        ("revision" | "problems" | "operator" | "images" | "name" | "address", _) => true,
        ("rooms" | "released" | "brands", Value::Object(rooms)) => {
            rooms.retain(|room, _| operator.sees(room));
            true
        }
        ("rooms", Value::Array(rooms)) => {
            rooms.retain(|room| sees(operator, room));
            true
        }
        ("undo" | "changes", Value::Array(changes)) => {
            changes.retain(|change| concerns(operator, change));
            true
        }
        ("actions", Value::Array(actions)) => {
            actions.retain(|done| match done.get("room").and_then(Value::as_str) {
                Some(HOUSE) => done.get("what").is_some_and(|it| concerns(operator, it)),
                _ => sees(operator, done),
            });
            true
        }
        ("more" | "silent", Value::Array(journals)) => {
            journals.retain(|journal| sees(operator, journal));
            true
        }
        ("operators" | "operators_of_file", _) => operator.owns(),
        _ => is_of_all,
    });
}

/// Whether the operator sees the room that this names, or that it is the name of. Everybody may know of the house's journal.
fn sees(operator: &Operator, about: &Value) -> bool {
    let room = about.get("room").unwrap_or(about).as_str();
    room.is_some_and(|room| room == HOUSE || operator.sees(room))
}

/// Whether a change of the house concerns a room that the operator sees; one of operators concerns owners.
fn concerns(operator: &Operator, change: &Value) -> bool {
    match change.get("room").and_then(Value::as_str) {
        Some(room) => operator.sees(room),
        None => operator.owns(),
    }
}
