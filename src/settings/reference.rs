//! The reference for the docs, made from the table that parsing uses.

use std::fmt::Write as _;

use super::schema::{Change, KEYS};

/// A Markdown table of every key of a room.
#[must_use]
pub fn reference_markdown() -> String {
    let mut out = String::from(
        "| key | type | default | range | change | meaning |\n|---|---|---|---|---|---|\n",
    );
    for key in KEYS {
        let default = key
            .default
            .map_or_else(|| "required".to_owned(), |json| format!("`{json}`"));
        let change = match key.change {
            Change::Live => "live",
            Change::Deploy => "deploy",
        };
        // Writing to a String does not fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {default} | {} | {change} | {} |",
            key.name,
            key.kind.type_text(),
            key.kind.range_text(),
            key.doc
        );
    }
    out
}
