//! Fills the waiting page's template (docs/protocol.md). One pass, so that what is filled in is never looked
//! at again; every value escaped for where it stands.

use std::fmt::Write as _;

use crate::settings::Mode;

/// The page's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageState {
    /// No ticket yet.
    Arriving,
    /// In line.
    Waiting,
    /// It is the visitor's turn.
    Called,
    /// In.
    Admitted,
    /// The ticket has ended.
    Over,
    /// The room cannot be reached.
    Unreachable,
}

impl PageState {
    /// As the page knows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arriving => "arriving",
            Self::Waiting => "waiting",
            Self::Called => "called",
            Self::Admitted => "admitted",
            Self::Over => "over",
            Self::Unreachable => "unreachable",
        }
    }
}

/// What a page is filled with. What does not apply is none, or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageValues<'a> {
    /// The state.
    pub state: PageState,
    /// Why the ticket is over, as in a status; else empty.
    pub reason: &'a str,
    /// The room's mode.
    pub mode: Mode,
    /// Whether a first call was missed.
    pub missed: bool,
    /// Whether something was to be submitted and was not.
    pub not_submitted: bool,
    /// The room's name.
    pub room: &'a str,
    /// The visitor's number.
    pub number: Option<u64>,
    /// People in front.
    pub ahead: Option<u64>,
    /// People in line.
    pub waiting: Option<u64>,
    /// The wait at least, in seconds.
    pub eta_min_s: Option<u64>,
    /// The wait at most, in seconds.
    pub eta_max_s: Option<u64>,
    /// Seconds between refreshes without JavaScript.
    pub refresh_s: u64,
    /// The operator's message, plain text.
    pub message: &'a str,
    /// The status object as JSON text, or empty.
    pub status: &'a str,
}

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// A placeholder that nothing fills.
    Unknown(String),
    /// `{{` without `}}`.
    Unclosed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(&'static str),
}

const PLACEHOLDERS: [&str; 14] = [
    "state",
    "reason",
    "mode",
    "missed",
    "notice",
    "room",
    "number",
    "ahead",
    "waiting",
    "eta_min",
    "eta_max",
    "refresh_s",
    "message",
    "status",
];

/// A template, taken apart once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

impl Template {
    /// Takes a template apart. O(length).
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            parts.push(Part::Text(before.to_owned()));
            let (name, after) = after.split_once("}}").ok_or(TemplateError::Unclosed)?;
            let name = name.trim();
            let known = PLACEHOLDERS.into_iter().find(|known| *known == name);
            parts.push(Part::Placeholder(known.ok_or_else(|| {
                TemplateError::Unknown(name.chars().take(40).collect())
            })?));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self { parts })
    }

    /// The page. O(length).
    #[must_use]
    pub fn fill(&self, values: &PageValues<'_>) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Placeholder("status") => escape_json_in_script(values.status, &mut out),
                Part::Placeholder(name) => escape_html(&value(name, values), &mut out),
            }
        }
        out
    }
}

fn value(name: &str, values: &PageValues<'_>) -> String {
    let decimal = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
    // Down and up, and a range even then; both or neither.
    let eta = values
        .eta_min_s
        .zip(values.eta_max_s)
        .map(|(min_s, max_s)| {
            let min = min_s / 60;
            (min, max_s.div_ceil(60).max(min.saturating_add(1)))
        });
    match name {
        "state" => values.state.as_str().to_owned(),
        "reason" => values.reason.to_owned(),
        "mode" => values.mode.name().to_owned(),
        "missed" => if values.missed { "true" } else { "" }.to_owned(),
        "notice" => if values.not_submitted {
            "not_submitted"
        } else {
            ""
        }
        .to_owned(),
        "room" => values.room.to_owned(),
        "number" => decimal(values.number),
        "ahead" => decimal(values.ahead),
        "waiting" => decimal(values.waiting),
        "eta_min" => decimal(eta.map(|(min, _)| min)),
        "eta_max" => decimal(eta.map(|(_, max)| max)),
        "refresh_s" => values.refresh_s.to_string(),
        "message" => values.message.to_owned(),
        _ => String::new(),
    }
}

/// Text for an element's content or a quoted attribute.
pub fn escape_html(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// JSON for a `<script type="application/json">`: the same JSON, with nothing in it that HTML could take for
/// a tag or a comment.
pub fn escape_json_in_script(json: &str, out: &mut String) {
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}
