//! A rehearsal: a room beside another room, in which an operator tries that room out. It has the settings of that room, and objects, a journal,
//! cookies and tokens of its own. The room itself stays closed meanwhile, and sees nothing of what happens in its rehearsal.

use super::{RoomSettings, parse_room};
use serde_json::{Map, Value, json};

/// The last character of a rehearsal's name. No room of the file has it in its name, and no address leads to a rehearsal.
const MARK: char = '~';

/// Returns the name of the rehearsal of this room.
#[must_use]
pub fn rehearsal_of(room: &str) -> String {
    format!("{room}{MARK}")
}

/// Returns the name that stands in the file: for a rehearsal, the name of its room.
#[must_use]
pub fn name_in_file(name: &str) -> &str {
    name.strip_suffix(MARK).unwrap_or(name)
}

/// Returns the table of the rehearsal of a room with this table. The rehearsal is closed until an operator begins one, whatever the dates say.
/// Its crowd comes from one address, and behind it is no person who could answer a question or whom the shop knows. It is as large as it is, and
/// nobody in it is turned away. What the shop says of its stock is meant for the sale.
#[must_use]
pub fn table_of_rehearsal(table: &Value) -> Value {
    let mut table: Map<String, Value> = table.as_object().cloned().unwrap_or_default();
    let other = json!({
        "mode": "closed",
        "opens_at": [],
        "closes_at": [],
        "schedule": [],
        "lanes": [],
        "message": "",
        "tickets_per_ip_max": 0,
        "walk_ins_per_ip_max": 0,
        "walk_ins_per_ip_max_percent": 0,
        "joins_per_ip_per_minute": 0,
        "joins_per_visitor_per_minute": 0,
        "turnstile": false,
        "entry": "off",
        "entry_spares_turnstile": false,
        "fail": "closed",
        "stock_line": false,
        "carry_within_s": 0,
        "line_max": 0,
    });
    table.extend(other.as_object().cloned().unwrap_or_default());
    Value::Object(table)
}

/// Returns the rehearsal of a room with this table; `None` if the table allows none.
#[must_use]
pub fn settings_of_rehearsal(room: &RoomSettings, table: &Value) -> Option<RoomSettings> {
    let settings = parse_room(&room.name, &table_of_rehearsal(table)).ok()?;
    Some(RoomSettings {
        name: rehearsal_of(&room.name),
        bound_as: rehearsal_of(&room.bound_as),
        defined: room.defined,
        over: room.over.clone(),
        is_over: room.is_over,
        ..settings
    })
}

impl RoomSettings {
    /// Returns whether this is the rehearsal of another room.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.name.ends_with(MARK)
    }

    /// Returns the name that the origin is told: for a rehearsal, the name of its room.
    #[must_use]
    pub fn name_in_file(&self) -> &str {
        name_in_file(&self.name)
    }
}
