//! The room in which one rehearses for another: it has the settings of that room, and objects, a journal, cookies and tokens of its
//! own. Nothing that happens there is seen by the room of which it is the rehearsal, which stays closed.

use super::{RoomSettings, parse_room};
use serde_json::{Map, Value, json};

/// Stands at the end of its name. No room of the file has it in its name, and no address leads there.
const MARK: char = '~';

/// The name of the room in which one rehearses for this one.
#[must_use]
pub fn rehearsal_of(room: &str) -> String {
    format!("{room}{MARK}")
}

/// The name that stands in the file: of a rehearsal, the room's for which one rehearses.
#[must_use]
pub fn name_in_file(name: &str) -> &str {
    name.strip_suffix(MARK).unwrap_or(name)
}

/// The table of the rehearsal for a room with this table. It is closed until an operator begins one, whatever the dates say. The crowd
/// comes from one address, and no person is behind it who could answer a question or whom the shop knows; and what the shop says of its stock is meant for the sale.
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
        "joins_per_ip_per_minute": 0,
        "joins_per_visitor_per_minute": 0,
        "turnstile": false,
        "entry": "off",
        "entry_spares_turnstile": false,
        "fail": "closed",
        "stock_line": false,
        "carry_within_s": 0,
    });
    table.extend(other.as_object().cloned().unwrap_or_default());
    Value::Object(table)
}

/// The rehearsal for a room, whose table this is; none: that table leaves no room for one.
#[must_use]
pub fn settings_of_rehearsal(room: &RoomSettings, table: &Value) -> Option<RoomSettings> {
    let settings = parse_room(&room.name, &table_of_rehearsal(table)).ok()?;
    Some(RoomSettings {
        name: rehearsal_of(&room.name),
        bound_as: rehearsal_of(&room.bound_as),
        defined: room.defined,
        is_over: room.is_over,
        ..settings
    })
}

impl RoomSettings {
    /// Whether this is a rehearsal for another room.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.name.ends_with(MARK)
    }

    /// What the room is called towards the origin: a rehearsal by the name of the room for which one rehearses.
    #[must_use]
    pub fn name_in_file(&self) -> &str {
        name_in_file(&self.name)
    }
}
