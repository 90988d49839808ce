//! The journal as JSON lines, for operators and the audit. It must never hold personal data: it shows only the public half
//! of the facts, which speak of numbers, fences and lobbies.
//!
//! The first line names the room and the hash that the chain continues from. Then comes one line per row: the facts in readable
//! form, the same facts as stored, the hash of their private half, and the row's hash. Anybody can recompute the chain: SHA-256
//! over the previous hash (32 bytes), `version`, `at_ms`, `wall_ms` (64 bits each, little-endian), the SHA-256 of the decoded
//! `facts`, and `private` (32 bytes; zeros if there is none).

use super::{Damage, Hash, Hides, Sealed, halves};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// The format version of the export.
pub const EXPORT_FORMAT: u8 = 1;

/// Stands in for a room's name in the journal of the house. No room has this name.
pub const HOUSE: &str = "~house";

/// The first line of an export, or of one page of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`EXPORT_FORMAT`].
    pub baton_journal: u8,
    /// The room's name.
    pub room: String,
    /// The export begins after this row.
    pub after: u64,
    /// The hash of row `after`, 64 hex digits; zeros if `after` is 0.
    pub previous: String,
}

/// One line of the export: one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line<E> {
    /// The row's number; counts up by one from 1.
    pub version: u64,
    /// The room's time, in ms.
    pub at_ms: u64,
    /// The wall clock, Unix ms.
    pub wall_ms: u64,
    /// The public half of the facts, in readable form.
    pub events: Vec<E>,
    /// The same half as stored, in standard base64.
    pub facts: String,
    /// The blinded hash of the private half, 64 hex digits; `None` if the facts have nothing private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<String>,
    /// The row's hash, 64 hex digits.
    pub hash: String,
}

/// Returns the first line, including its line end.
///
/// # Errors
/// Returns [`Damage`] if the line cannot be encoded, which is a bug.
pub fn header(room: &str, after: u64, previous: &Hash) -> Result<String, Damage> {
    json(&Header {
        baton_journal: EXPORT_FORMAT,
        room: room.to_owned(),
        after,
        previous: previous.to_string(),
    })
}

/// Returns a row's line, including its line end, after checking that the row is whole and follows the row with the
/// hash `previous`. `E` is the type of its facts. O(bytes).
///
/// # Errors
/// Returns [`Damage`] that names the row.
pub fn line<E: Hides>(previous: &Hash, row: &Sealed) -> Result<String, Damage> {
    let halves = halves::<E>(previous, row)?;
    let hidden = (halves.hidden != Hash::default()).then_some(halves.hidden);
    json(&Line {
        version: row.version,
        at_ms: row.at.0,
        wall_ms: row.wall_ms,
        events: halves.events,
        facts: STANDARD.encode(halves.public),
        private: hidden.map(|hidden| hidden.to_string()),
        hash: row.hash.to_string(),
    })
}

fn json(value: &impl Serialize) -> Result<String, Damage> {
    let mut text = serde_json::to_string(value).map_err(Damage::store)?;
    text.push('\n');
    Ok(text)
}
