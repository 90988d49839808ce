//! Problems of a configuration, in words that say what to do.

use std::fmt;

use serde_json::Value;

/// Whether a problem stops the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The configuration is refused.
    Error,
    /// The configuration works, but not well.
    Warning,
}

/// One problem of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether it stops the start.
    pub severity: Severity,
    /// The full key, such as `ROOMS.onsale.permits`.
    pub key: String,
    /// The value as JSON, cut to 80 characters; empty if it is missing or secret.
    pub value: String,
    /// What is wrong with it.
    pub what: String,
    /// What to do.
    pub cure: String,
    /// The room that `what` names, if that is not the room of the key.
    pub other: Option<Box<str>>,
}

impl Problem {
    /// Returns whether this is a problem of a room's key, or of something in its value.
    #[must_use]
    pub(super) fn is_at(&self, room: &str, key: &str) -> bool {
        let rest = self.key.strip_prefix("ROOMS.");
        let rest = rest.and_then(|rest| rest.strip_prefix(room)?.strip_prefix('.'));
        let rest = rest.and_then(|rest| rest.strip_prefix(key));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// Makes an error at `key`.
    pub(super) fn new(key: impl Into<String>, value: Option<&Value>, what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            key: key.into(),
            value: value.map(shown).unwrap_or_default(),
            what: what.into(),
            cure: cure.into(),
            other: None,
        }
    }

    /// Says that `what` names this room, which is not that of the key.
    pub(super) fn beside(mut self, other: &str) -> Self {
        self.other = Some(other.into());
        self
    }

    /// Turns the problem into a warning.
    pub(super) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

fn shown(value: &Value) -> String {
    const CHARS_MAX: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= CHARS_MAX {
        return text;
    }
    text.chars().take(CHARS_MAX).chain(['…']).collect()
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.severity == Severity::Warning {
            f.write_str("warning: ")?;
        }
        f.write_str(&self.key)?;
        if !self.value.is_empty() {
            write!(f, " = {}", self.value)?;
        }
        write!(f, ": {}. {}.", self.what, self.cure)
    }
}

/// Writes every problem on a line of its own.
#[must_use]
pub fn in_lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Makes the problem of a key that is not known. The cure names the nearest known key.
pub(super) fn unknown(at: &str, key: &str, value: &Value, known: &[&str]) -> Problem {
    let full = if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    let nearest = known.iter().min_by_key(|name| distance(key, name)).copied().unwrap_or_default();
    let shown = Some(value).filter(|value| !value.is_null());
    Problem::new(full, shown, "is not a known key", format!("Did you mean {nearest}? Otherwise remove it"))
}

/// Counts the letters that must be inserted, removed or changed to get from one key to the other; case does not count. O(a × b).
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    const CHARS_MAX: usize = 64;
    let b: Vec<char> = b.chars().take(CHARS_MAX).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, from) in a.chars().take(CHARS_MAX).map(|c| c.to_ascii_lowercase()).enumerate() {
        let mut next = Vec::with_capacity(row.len());
        let mut left = at + 1;
        next.push(left);
        for ((to, above), corner) in b.iter().zip(row.iter().skip(1)).zip(&row) {
            let change = corner + usize::from(to.to_ascii_lowercase() != from);
            left = change.min(above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
