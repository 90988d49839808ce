//! Takes values out of what was said of an event. An error names what is impossible, its place and the cure.

use super::keys::{self, Key, Kind};
use super::said::{Place, Said, Value, Wrong};

/// Takes values out of what was said, and collects what is wrong.
pub(super) struct Taken<'a> {
    pub(super) said: &'a Said,
    pub(super) wrong: Vec<Wrong>,
}

impl Taken<'_> {
    fn value(&self, key: &Key) -> Option<Value> {
        let default = || {
            key.default.map(|text| Value {
                text: text.to_owned(),
                place: Place::Default,
            })
        };
        self.said.event.get(key.name).cloned().or_else(default)
    }

    pub(super) fn wrong(&mut self, name: &str, value: &Value, what: &str, cure: &str) {
        self.wrong.push(Wrong::of(name, value, what, cure));
    }

    /// Takes a whole number, or a span in ms.
    pub(super) fn whole(&mut self, name: &str) -> u64 {
        let Some((key, value)) = keys::find(name).and_then(|key| Some((key, self.value(key)?))) else {
            return 0;
        };
        let (found, least, most) = match key.kind {
            Kind::Whole(least, most) => (value.text.parse().ok(), least, most),
            Kind::Span(least, most) => (keys::span_ms(&value.text), least, most),
            _ => return 0,
        };
        if let Some(number) = found.filter(|number| (least..=most).contains(number)) {
            return number;
        }
        let is_span = matches!(key.kind, Kind::Span(..));
        let cure = if is_span {
            let (least, most) = (keys::span_text(least), keys::span_text(most));
            format!("a time such as 90s, 10m or 1h30m, from {least} to {most}")
        } else {
            format!("a whole number from {least} to {most}")
        };
        let what = match (found, name) {
            (Some(0), "people") => "nobody comes",
            (Some(0), "stay") => "a visit that lasts no time needs no waiting room",
            (Some(0), "seats") => "there is nothing to sell",
            (Some(_), _) => "is out of range",
            (None, _) if is_span => "is no time",
            (None, _) => "is no whole number",
        };
        self.wrong(name, &value, what, &cure);
        least
    }

    /// Takes a share or an amount.
    pub(super) fn number(&mut self, name: &str) -> f64 {
        let Some((key, value)) = keys::find(name).and_then(|key| Some((key, self.value(key)?))) else {
            return 0.0;
        };
        let (least, most) = match key.kind {
            Kind::Amount(least, most) => (least, most),
            _ => (0.0, 1.0),
        };
        let found: Option<f64> = value.text.parse().ok();
        if let Some(number) = found.filter(|number| (least..=most).contains(number)) {
            return number;
        }
        let cure = match key.kind {
            Kind::Share => "a share of all, from 0 to 1: 0.6 is sixty of a hundred".to_owned(),
            _ => format!("a number from {least} to {most}"),
        };
        let what = if found.is_some() { "is out of range" } else { "is no number" };
        self.wrong(name, &value, what, &cure);
        least
    }

    /// Takes one of a few words.
    pub(super) fn word(&mut self, name: &str) -> String {
        let Some((key, value)) = keys::find(name).and_then(|key| Some((key, self.value(key)?))) else {
            return String::new();
        };
        if let Kind::Word(words) = key.kind
            && !words.contains(&value.text.as_str())
        {
            let cure = format!("one of {}", words.join(", "));
            self.wrong(name, &value, "is none of its words", &cure);
        }
        value.text
    }
}
