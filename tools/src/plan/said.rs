//! Collects what somebody said of an event, by flags and in an `event.toml`, each value with its place, so that an error can name it.
//! It reads no files: text in.

use super::keys::{self, KEYS, LANES};
use crate::rehearse::nearest;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;
use toml::de::{DeTable, DeValue};

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A flag.
    Flag,
    /// A line of a file, counted from 1.
    Line(String, usize),
    /// Nowhere: the value is the default.
    Default,
}

/// One value, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The text as it was written, without quotes.
    pub text: String,
    /// Where it was said.
    pub place: Place,
}

/// Everything that was said of the event and of its room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The event's values, by key.
    pub event: BTreeMap<&'static str, Value>,
    /// The room's values, by key.
    pub room: BTreeMap<&'static str, Value>,
}

/// What is wrong, where, and the cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong(String);

impl Wrong {
    /// An error about the value of a key.
    #[must_use]
    pub fn of(key: &str, value: &Value, what: &str, cure: &str) -> Self {
        let Value { text, place } = value;
        Self(match place {
            Place::Flag => format!("--{} {text}: {what}\n  cure: {cure}", key.replace('_', "-")),
            Place::Line(file, line) => {
                format!("{file}:{line}: {key} = {text}: {what}\n  cure: {cure}")
            }
            Place::Default => format!("{key} = {text}: {what}\n  cure: {cure}"),
        })
    }

    /// An error whose text names place and cure already.
    #[must_use]
    pub const fn said(text: String) -> Self {
        Self(text)
    }

    /// An error about no value that was said.
    #[must_use]
    pub fn plain(what: &str, cure: &str) -> Self {
        Self(format!("{what}\n  cure: {cure}"))
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Said {
    /// Collects flags: name with `_`, and text. It leaves out names that are neither the event's nor the room's.
    #[must_use]
    pub fn by_flags<'a>(flags: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut said = Self::default();
        for (name, text) in flags {
            said.put(name, text.to_owned(), Place::Flag);
        }
        said
    }

    /// Sets a value over an earlier one. Returns false if there is no such key.
    fn put(&mut self, name: &str, text: String, place: Place) -> bool {
        let value = Value { text, place };
        if let Some(key) = keys::find(name) {
            self.event.insert(key.name, value);
        } else if let Some(key) = keys::room_keys().find(|key| key.name == name) {
            self.room.insert(key.name, value);
        } else {
            return false;
        }
        true
    }

    /// Returns the keys of the event that nobody said, in the order of the help, with the values that the plan supposes. It leaves out what says nothing of
    /// an event like this.
    #[must_use]
    pub fn supposed(&self) -> Vec<(&'static str, &'static str)> {
        let has = |name: &str| self.event.contains_key(name);
        let is_idle = |name: &str| match name {
            "before_opening" | "over" | "shape" => has("trace"),
            "early_over" => !has("before_opening"),
            "opens_after" => !has("trace"),
            "seats_each" | "sold_out_after" => !has("seats"),
            _ => false,
        };
        let unsaid = keys::KEYS.iter().filter(|key| !has(key.name) && !is_idle(key.name));
        unsaid.filter_map(|key| Some((key.name, key.default?))).collect()
    }

    /// Returns this with what `other` says laid over it.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.event.extend(other.event);
        self.room.extend(other.room);
        self
    }

    /// Reads the differences of another plan: `key=value key=value`.
    ///
    /// # Errors
    /// Returns an error for the first word that is no known key with a value.
    pub fn by_words(words: &str) -> Result<Self, Wrong> {
        let mut said = Self::default();
        for word in words.split_whitespace() {
            let cure = "write key=value, as in --versus \"permits=240 draw=arrival\"";
            let Some((name, text)) = word.split_once('=') else {
                return Err(Wrong::plain(&format!("--versus: `{word}` has no `=`"), cure));
            };
            let name = name.trim_start_matches('-').replace('-', "_");
            if !said.put(&name, text.to_owned(), Place::Flag) {
                return Err(Wrong::plain(
                    &format!("--versus: `{name}` is no key"),
                    &meant(&name).unwrap_or_else(|| "--help lists all keys".to_owned()),
                ));
            }
        }
        Ok(said)
    }

    /// Reads an `event.toml`, with the event's keys at the top and the room's under `[room]`.
    ///
    /// # Errors
    /// Returns everything that is wrong.
    pub fn by_file(file: &str, text: &str) -> Result<Self, Vec<Wrong>> {
        let parsed = match DeTable::parse(text) {
            Ok(parsed) => parsed.into_inner(),
            Err(error) => {
                let line = line_of(text, error.span().map_or(0, |span| span.start));
                let what = format!("{file}:{line}: not TOML: {}", error.message());
                let cure = "write key = value, texts in quotes: over = \"10m\"";
                return Err(vec![Wrong::plain(&what, cure)]);
            }
        };
        let mut reading = Reading {
            file,
            text,
            said: Self::default(),
            wrong: Vec::new(),
        };
        reading.table(&parsed, false);
        if reading.wrong.is_empty() {
            Ok(reading.said)
        } else {
            Err(reading.wrong)
        }
    }
}

struct Reading<'a> {
    file: &'a str,
    text: &'a str,
    said: Said,
    wrong: Vec<Wrong>,
}

impl Reading<'_> {
    fn table(&mut self, table: &DeTable<'_>, is_room: bool) {
        for (key, value) in table {
            let line = line_of(self.text, key.span().start);
            let name = key.get_ref().as_ref();
            match value.get_ref() {
                DeValue::Table(room) if name == "room" && !is_room => self.table(room, true),
                value => self.value(name, value, line, is_room),
            }
        }
    }

    fn value(&mut self, name: &str, value: &DeValue<'_>, line: usize, is_room: bool) {
        let place = Place::Line(self.file.to_owned(), line);
        let written = match value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => Some(number.as_str().replace('_', "")),
            DeValue::Float(number) => Some(number.as_str().replace('_', "")),
            DeValue::Boolean(is_on) => Some(is_on.to_string()),
            DeValue::Array(_) if name == LANES => Some(json_of(value).to_string()),
            _ => None,
        };
        let is_event_key = keys::find(name).is_some();
        let is_room_key = keys::room_keys().any(|key| key.name == name);
        let text = written.clone().unwrap_or_else(|| "…".to_owned());
        let value = Value {
            text: text.clone(),
            place: place.clone(),
        };
        let mut wrong = |what: &str, cure: &str| self.wrong.push(Wrong::of(name, &value, what, cure));
        if is_room && is_event_key && !is_room_key {
            wrong("is of the event, not of its room", "put it above [room]");
        } else if !is_room && is_room_key && !is_event_key {
            wrong("is a setting of the room", "put it below a line [room]");
        } else if !is_event_key && !is_room_key {
            let (what, cure) = unknown(name);
            wrong(what, &cure);
        } else if written.is_none() {
            wrong("is no single value", "give one text, number, true or false");
        } else {
            self.said.put(name, text, place);
        }
    }
}

/// Returns what is wrong with a key that a plan does not have, and the cure.
fn unknown(name: &str) -> (&'static str, String) {
    if ["opens_at", "closes_at"].contains(&name) {
        let cure = "leave it out: the plan's clock begins at the opening, and before_opening says how many come before";
        return ("is a date", cure.to_owned());
    }
    if baton::settings::KEYS.iter().any(|key| key.name == name) {
        return ("changes nothing in a plan", "leave it out".to_owned());
    }
    let cure = meant(name).unwrap_or_else(|| "leave it out; npm run plan -- --help lists all keys".to_owned());
    ("is no key", cure)
}

fn meant(name: &str) -> Option<String> {
    let known = KEYS.iter().map(|key| key.name);
    let known = known.chain(keys::room_keys().map(|key| key.name));
    nearest(name, known).map(|meant| format!("did you mean `{meant}`?"))
}

/// Returns the line of a byte, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.bytes().take(at);
    before.filter(|byte| *byte == b'\n').count() + 1
}

/// Returns a TOML value as JSON, with a date as text.
pub(super) fn json_of(value: &DeValue<'_>) -> Json {
    let number = |text: &str| serde_json::from_str(&text.replace('_', "")).unwrap_or(json!(text));
    match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(digits) => number(digits.as_str()),
        DeValue::Float(digits) => number(digits.as_str()),
        DeValue::Boolean(is_on) => json!(is_on),
        DeValue::Datetime(date) => json!(date.to_string()),
        DeValue::Array(list) => list.iter().map(|each| json_of(each.get_ref())).collect(),
        DeValue::Table(table) => {
            let each = table.iter();
            let each = each.map(|(key, value)| (key.get_ref().to_string(), json_of(value.get_ref())));
            Json::Object(each.collect())
        }
    }
}
