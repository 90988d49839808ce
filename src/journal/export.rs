//! The journal as JSON lines, for operators and the audit. Free of personal data: it shows the public half of the facts, which
//! speak of numbers, fences and lobbies only.
//!
//! The first line says which room and what the chain goes on from; then one line a row, with the
//! facts in readable form, the same facts as they are stored, what stands for their private half, and the row's hash. Anybody can
//! recompute the chain: SHA-256 over the hash before (32 bytes), `version`, `at_ms`, `wall_ms`
//! (64 bits each, little-endian), the SHA-256 of the decoded `facts`, and `private` (32 bytes; zeros where there is none).

use super::{Damage, Hash, Hides, Sealed, halves};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// The form of the export.
pub const EXPORT_FORMAT: u8 = 1;

/// What stands for a room's name in the journal of the house. No room is called so.
pub const HOUSE: &str = "~house";

/// The first line of an export, or of a page of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`EXPORT_FORMAT`].
    pub baton_journal: u8,
    /// The room's name.
    pub room: String,
    /// The rows begin after this one.
    pub after: u64,
    /// That row's hash, 64 hex digits; zeros when `after` is 0.
    pub previous: String,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line<E> {
    /// Counts up by one from 1.
    pub version: u64,
    /// The room's time, ms.
    pub at_ms: u64,
    /// The wall clock, Unix ms.
    pub wall_ms: u64,
    /// The public half of the facts, readable.
    pub events: Vec<E>,
    /// The same as stored, standard base64.
    pub facts: String,
    /// What the row's hash covers of the private half, 64 hex digits; none where the facts have nothing private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<String>,
    /// 64 hex digits.
    pub hash: String,
}

/// The first line, with its line end.
///
/// # Errors
/// When it cannot be written, which is a bug.
pub fn header(room: &str, after: u64, previous: &Hash) -> Result<String, Damage> {
    json(&Header {
        baton_journal: EXPORT_FORMAT,
        room: room.to_owned(),
        after,
        previous: previous.to_string(),
    })
}

/// A row's line, with its line end, when the row is whole and follows the one with the hash
/// `previous`. `E`: the facts that it holds. O(bytes).
///
/// # Errors
/// [`Damage`] that names the row.
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
