//! Writes the reference for the docs from the table that parsing uses.

use std::fmt::Write as _;

use super::grounds;
use super::schema::{Changes, KEYS, range_text, type_text};
use facts::config::Mode;

/// Writes Markdown tables of every key of a room, and of the modes.
#[must_use]
pub fn reference_markdown() -> String {
    let mut out = String::from("| key | type | default | range | change | meaning |\n|---|---|---|---|---|---|\n");
    for key in KEYS {
        let default = key.default.map_or_else(|| "required".to_owned(), |json| format!("`{json}`"));
        let change = match key.change {
            Changes::Live | Changes::Ramp => "live",
            Changes::Deploy => "deploy",
        };
        // Writing to a String does not fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {default} | {} | {change} | {} |",
            key.name,
            type_text(key.kind),
            short(&range_text(key.kind)),
            key.doc
        );
    }
    out.push_str("\n### Modes\n\n| mode | who comes | who waits | who is inside |\n|---|---|---|---|\n");
    for (mode, [comes, waits, inside]) in Mode::ALL.iter().zip(MODES) {
        let _ = writeln!(out, "| `{}` | {comes} | {waits} | {inside} |", mode.name());
    }
    out
}

/// Writes a Markdown table of every key of `GROUNDS`.
#[must_use]
pub fn grounds_markdown() -> String {
    let mut out = String::from("| key | default | range | meaning |\n|---|---|---|---|\n");
    for (name, [default, meaning]) in grounds::KEYS.iter().zip(GROUNDS) {
        let key = KEYS.iter().find(|key| key.name == *name);
        let range = match *name {
            "location" | "jurisdiction" => "as of a room".to_owned(),
            _ => key.map_or_else(String::new, |key| short(&range_text(key.kind))),
        };
        let _ = writeln!(out, "| `{name}` | {default} | {range} | {meaning} |");
    }
    out
}

/// Shortens a range for a table: `1–60`.
fn short(range: &str) -> String {
    range.replace(" to ", "–")
}

/// Default and meaning of each key of `GROUNDS`, in the order of [`grounds::KEYS`].
const GROUNDS: [[&str; 2]; grounds::KEYS.len()] = [
    [
        "`[]`",
        "Hosts at which it may gate; empty: every host. If given, each of its rooms names some of them",
    ],
    [
        "`\"\"`",
        "Where its object must stay by law. Another value is another house, without rooms",
    ],
    [
        "`\"auto\"`",
        "Where its object lives, for ever. Another value is another house, without rooms",
    ],
    [
        "required",
        "What it may gate: `/*` is everything. Each pattern ends with `/*` and has no other `*` and no method",
    ],
];

/// What each mode does, in the order of [`Mode::ALL`].
const MODES: [[&str; 3]; Mode::ALL.len()] = [
    ["walks in or gets a number", "is called in order", "stays"],
    ["gets a number", "keeps the place, and is told that nobody is called", "stays"],
    ["passes, without a permit", "passes within seconds", "stays"],
    ["is told that it is closed", "keeps the place, and nobody is called", "stays"],
    ["is told that it is sold out", "loses the ticket at once, and is told so", "stays"],
    ["is told that it is closed", "is called in order", "stays"],
    [
        "passes and is counted; a permit is made when none is free",
        "passes within seconds",
        "is counted; keeps the permit when the mode ends",
    ],
];
