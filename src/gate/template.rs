//! The template of a page. It is parsed once and filled in one pass, so that nothing that was filled in is ever parsed again. `{{name}}` is
//! a value; `{{#name}}…{{/name}}` is shown if the value is not empty, `{{^name}}…{{/name}}` if it is empty. Sections do not nest.
//!
//! An element for some states (`data-on="waiting called"`), for a reason (`data-why`), for a way of giving numbers (`data-by`) or for the answer to a code
//! (`data-unspent`) gets `hidden` where another is so, and the page's script keeps that true. So the page says one thing without its style sheet too,
//! and to whatever takes its text alone.

use std::fmt::Write as _;

use super::PageValues;

/// Why a text is not a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// It has a placeholder that nothing fills.
    Unknown(String),
    /// It has `{{` without `}}`, or a section without its end.
    Unclosed,
    /// It has an end without its section, or a section within another.
    Tangled(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Value(&'static str),
    /// Parts that are shown only if the value is not empty (`there`), or only if it is empty.
    Section {
        name: &'static str,
        there: bool,
        parts: Vec<Part>,
    },
    /// ` hidden`, unless the element is for what the page shows.
    HiddenUnless {
        is: Choice,
        one_of: Vec<String>,
        near: Option<bool>,
    },
}

/// The value that decides whether an element is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    State,
    Reason,
    Draw,
    Code,
}

/// The attributes that say what an element is for: words with a space between them.
const CHOICES: [(&str, Choice); 4] = [
    ("on=\"", Choice::State),
    ("why=\"", Choice::Reason),
    ("by=\"", Choice::Draw),
    ("unspent=\"", Choice::Code),
];

const NAMES: [&str; 42] = [
    "state",
    "refused",
    "full",
    "reason",
    "mode",
    "unsaid",
    "missed",
    "near",
    "notice",
    "room",
    "number",
    "lane",
    "behind",
    "better",
    "code",
    "ahead",
    "waiting",
    "eta_min",
    "eta_max",
    "opens_min",
    "seats",
    "seats_to",
    "draw",
    "entry",
    "now_ms",
    "refresh_s",
    "message",
    "title",
    "logo",
    "page_message",
    "help_url",
    "style",
    "text_hall",
    "text_waiting",
    "text_paused",
    "text_closed",
    "text_sold_out",
    "back",
    "to",
    "refresh_to",
    "start",
    "status",
];

/// A section whose end has not come yet: its name, whether its value must be non-empty, its parts so far.
type Open = (&'static str, bool, Vec<Part>);

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

impl Template {
    /// Parses a template. O(length).
    ///
    /// # Errors
    /// [`TemplateError`] says why the text is not a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut open: Option<Open> = None;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (tag, after) = after.split_once("}}").ok_or(TemplateError::Unclosed)?;
            rest = after;
            let tag = tag.trim();
            let tangled = || TemplateError::Tangled(tag.chars().take(40).collect());
            push_text(innermost(&mut parts, &mut open), before);
            match (tag.strip_prefix(['#', '^']), tag.strip_prefix('/')) {
                (Some(name), _) if open.is_none() => {
                    open = Some((known(name)?, tag.starts_with('#'), Vec::new()));
                }
                (_, Some(name)) => match open.take() {
                    Some((opened, there, inner)) if opened == known(name)? => {
                        parts.push(Part::Section {
                            name: opened,
                            there,
                            parts: inner,
                        });
                    }
                    _ => return Err(tangled()),
                },
                (Some(_), None) => return Err(tangled()),
                (None, None) => innermost(&mut parts, &mut open).push(Part::Value(known(tag)?)),
            }
        }
        if open.is_some() {
            return Err(TemplateError::Unclosed);
        }
        push_text(&mut parts, rest);
        Ok(Self { parts })
    }

    /// Fills the template and returns the page. O(length).
    #[must_use]
    pub fn fill(&self, values: &PageValues<'_>) -> String {
        let mut out = String::new();
        fill(&self.parts, values, &mut out);
        out
    }
}

/// Returns the list to which the next part belongs.
fn innermost<'a>(parts: &'a mut Vec<Part>, open: &'a mut Option<Open>) -> &'a mut Vec<Part> {
    match open {
        Some((_, _, inner)) => inner,
        None => parts,
    }
}

/// Adds text, and what hides its elements right after the attribute that says what each is for. An element of the class `near` or `far` is for whoever
/// is, or is not, almost called.
fn push_text(parts: &mut Vec<Part>, mut text: &str) {
    let mut from = 0;
    while let Some((at, attribute)) = text
        .get(from..)
        .and_then(|rest| rest.split_once(" data-"))
        .map(|(before, rest)| (from + before.len(), rest))
    {
        from = text.len() - attribute.len();
        let chosen = CHOICES
            .iter()
            .find_map(|(name, is)| Some((is, attribute.strip_prefix(name)?.split_once('"')?)));
        let Some((is, (words, after))) = chosen else { continue };
        let (begun, rest) = text.split_at(at);
        let tag = [begun.rsplit('<').next(), rest.split('>').next()];
        let has_class = |name: &str| tag.iter().flatten().any(|part| part.contains(&format!(" class=\"{name}\"")));
        parts.push(Part::Text(text.get(..text.len() - after.len()).unwrap_or_default().to_owned()));
        parts.push(Part::HiddenUnless {
            is: *is,
            one_of: words.split_whitespace().map(str::to_owned).collect(),
            near: has_class("near").then_some(true).or_else(|| has_class("far").then_some(false)),
        });
        (text, from) = (after, 0);
    }
    parts.push(Part::Text(text.to_owned()));
}

fn known(name: &str) -> Result<&'static str, TemplateError> {
    let found = NAMES.into_iter().find(|known| *known == name.trim());
    found.ok_or_else(|| TemplateError::Unknown(name.chars().take(40).collect()))
}

fn fill(parts: &[Part], values: &PageValues<'_>, out: &mut String) {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Value("status") => escape_json_in_script(values.status, out),
            Part::Value(name) => escape_html(&values.value(name), out),
            Part::Section { name, there, parts } => {
                if values.value(name).is_empty() != *there {
                    fill(parts, values, out);
                }
            }
            Part::HiddenUnless { is, one_of, near } => {
                let value = match is {
                    Choice::State => values.state.as_str(),
                    Choice::Reason if values.reason.is_empty() => "other",
                    Choice::Reason => values.reason,
                    Choice::Draw => values.draw.unwrap_or_default().name(),
                    Choice::Code => values.code,
                };
                let is_for_it = one_of.iter().any(|word| word == value) && near.is_none_or(|near| near == values.near);
                out.push_str(if is_for_it { "" } else { " hidden" });
            }
        }
    }
}

/// Escapes a text for an element's content or a quoted attribute.
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

/// Writes JSON for a `<script type="application/json">`: the same JSON, without anything that HTML could take for a tag or a comment.
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
