//! A note as the outbox sends it: its id, and the body in the form of Standard Webhooks.

use super::{Kind, Note};
use facts::holder::Key;
use serde_json::Value;

/// Maximum bytes of a body. A note repeats at most 4 KB of values; a change of the house may name a hundred rooms.
pub const BODY_BYTES_MAX: usize = 16_384;
/// Maximum bytes of `data` in the body.
const DATA_BYTES_MAX: usize = BODY_BYTES_MAX - 256;

/// What is sent, except its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The id, which is the same for the same fact, however often it is sent.
    pub id: String,
    /// The body, as JSON.
    pub body: String,
}

/// Writes the letter that tells a note. `object` is the name of the object whose journal it is from, `room` the room's name, or `None` for the
/// house, and `operators` says whether the letter names who did it. O(bytes).
#[must_use]
pub fn letter(object: &str, room: Option<&str>, note: &Note, operators: bool) -> Letter {
    let mut data = match room {
        // A room's name needs no escapes.
        Some(room) => format!("\"room\":\"{room}\",\"edition\":{},", note.edition),
        None => String::new(),
    };
    data += &format!("\"row\":{}", note.row);
    if let (true, Some(by)) = (operators, &note.by) {
        data += &format!(",\"by\":{}", Value::from(by.as_str()));
    }
    if !note.data.is_empty() && data.len() + note.data.len() < DATA_BYTES_MAX {
        data += ",";
        data += &note.data;
    }
    let body = body(note.kind, note.wall_ms, &data);
    Letter { id: id(object, note), body }
}

/// Writes the letter with which an operator tries a webhook. `nonce` differs each time.
#[must_use]
pub fn test_letter(hook: &str, now_ms: u64, nonce: u64) -> Letter {
    let data = format!("\"webhook\":\"{hook}\"");
    Letter {
        id: format!("{hook}_test_{nonce:016x}"),
        body: body(Kind::WebhookTest, now_ms, &data),
    }
}

/// Writes the letter that tells a shop whose turn comes while they are away. `object`, `room` and `edition` say where, `now_ms` when, and `nonce` differs
/// each time. `salt` is what `accounts` are hashed with: without it they are worth nothing. O(accounts).
#[must_use]
pub fn summons_letter(
    (object, room, edition): (&str, &str, u32),
    kind: Kind,
    (now_ms, nonce): (u64, u64),
    salt: [u8; 16],
    accounts: &[Key],
) -> Letter {
    let accounts: Vec<String> = accounts.iter().map(|key| format!("\"{key}\"")).collect();
    let salt: String = salt.iter().map(|byte| format!("{byte:02x}")).collect();
    let accounts = accounts.join(",");
    let data = format!("\"room\":\"{room}\",\"edition\":{edition},\"salt\":\"{salt}\",\"accounts\":[{accounts}]");
    let (object, name) = (plain(object), plain(kind.name()));
    Letter {
        id: format!("{object}_{edition}_{name}_{nonce:016x}"),
        body: body(kind, now_ms, &data),
    }
}

/// Writes a body. `data` is the fields of a JSON object.
fn body(kind: Kind, wall_ms: u64, data: &str) -> String {
    let (kind, at) = (kind.name(), iso(wall_ms));
    format!("{{\"type\":\"{kind}\",\"timestamp\":\"{at}\",\"data\":{{{data}}}}}")
}

/// Makes an id from object, edition, row and kind; a second note of this kind in the row adds its position. The form allows no full stop in an id.
fn id(object: &str, note: &Note) -> String {
    let (object, kind) = (plain(object), plain(note.kind.name()));
    let id = format!("{object}_{}_{}_{kind}", note.edition, note.row);
    match note.nth {
        0 | 1 => id,
        nth => format!("{id}_{nth}"),
    }
}

fn plain(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// Writes a time as `2026-11-23T10:00:00.000Z`.
fn iso(wall_ms: u64) -> String {
    let ms = i64::try_from(wall_ms).unwrap_or(i64::MAX);
    let date = chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default();
    format!("{date:?}")
}
