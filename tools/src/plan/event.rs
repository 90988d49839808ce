//! Makes an event that can be played from what was said. An error names what is impossible, its place and the cure.

use super::keys::{self, Key, Kind};
use super::lanes::{self, Group, LANES};
use super::said::{Place, Said, Value, Wrong};
use super::sense;
use crate::rehearse::trace::{self, Act};
use baton::settings::{CROWD_MAX, RoomSettings, parse_room};
use serde_json::{Map, json};
use std::collections::BTreeMap;

/// The distribution of stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Log-normal.
    LogNormal,
    /// Exponential: without memory.
    Exponential,
}

/// One arrival of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The time, ms from the trace's beginning.
    pub at_ms: u64,
    /// How long the visit lasts, ms; `None` if `stay` decides.
    pub stay_ms: Option<u64>,
}

/// Who comes when.
#[derive(Clone, Debug, PartialEq)]
pub enum Coming {
    /// Drawn from a shape.
    Drawn {
        /// The number of people in all.
        people: u64,
        /// The share who come before the opening.
        early: f64,
        /// Over how long before the opening those come, ms.
        early_ms: u64,
        /// Over how long the others come, ms.
        over_ms: u64,
        /// Whether the others rush.
        rush: bool,
    },
    /// Read from a trace, in order of time.
    Traced {
        /// The arrivals.
        arrivals: Vec<Arrival>,
        /// When the sale opens, ms from the trace's beginning.
        opens_ms: u64,
    },
}

/// Everything a plan needs to know. Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Who comes when.
    pub coming: Coming,
    /// The number of seats; `None` if they never end.
    pub seats: Option<u64>,
    /// The share of those inside who buy.
    pub buy: f64,
    /// The average number of seats of a purchase.
    pub seats_each: u64,
    /// The time from the last seat to the mode `sold_out`, ms.
    pub sold_out_after_ms: u64,
    /// The average stay, ms.
    pub stay_ms: u64,
    /// The standard deviation of stays, as a share of their average.
    pub stay_spread: f64,
    /// The distribution of stays.
    pub stay_shape: Shape,
    /// The share of those inside who close the tab.
    pub walks_off: f64,
    /// The shop's speed, each from a moment after the opening on (ms), in order of time.
    pub speeds: Vec<(u64, f64)>,
    /// The share who close the page when the wait gets long.
    pub gives_up: f64,
    /// How long half of those wait before they do, ms.
    pub patience_ms: u64,
    /// The share of those who come back.
    pub returns: f64,
    /// How long after that half of those are back, ms.
    pub returns_after_ms: u64,
    /// The share who sleep when called.
    pub sleeps: f64,
    /// How long a page loads on average, ms.
    pub page_ms: u64,
    /// The pages of a visit.
    pub pages: u64,
    /// The files of a visit.
    pub files: u64,
    /// How often an hour a waiting page is loaded again.
    pub reloads: f64,
    /// How long a batch is out, ms.
    pub round_ms: u64,
    /// How long after the opening the run goes on, ms.
    pub until_ms: u64,
    /// Who has which lane, in the order of the list; empty if all are one.
    pub groups: Vec<Group>,
    /// The room.
    pub room: RoomSettings,
    /// Remarks on what is possible but odd, in sentences.
    pub notes: Vec<String>,
}

/// Reads a file that an event names: returns its text, or why it cannot be read.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl Event {
    /// Makes an event of what was said.
    ///
    /// # Errors
    /// Returns everything that is wrong.
    pub fn new(said: &Said, read: ReadFile<'_>) -> Result<Self, Vec<Wrong>> {
        let mut taken = Taken {
            said,
            wrong: Vec::new(),
        };
        let coming = taken.coming(read);
        let lanes = taken.lanes();
        let room = taken.room(people_of(&coming), lanes.settings);
        let mut event = Self {
            coming,
            seats: said
                .event
                .contains_key("seats")
                .then(|| taken.whole("seats")),
            buy: taken.number("buy"),
            seats_each: taken.whole("seats_each"),
            sold_out_after_ms: taken.whole("sold_out_after"),
            stay_ms: taken.whole("stay"),
            stay_spread: taken.number("stay_spread"),
            stay_shape: match taken.word("stay_shape").as_str() {
                "exponential" => Shape::Exponential,
                _ => Shape::LogNormal,
            },
            walks_off: taken.number("walks_off"),
            speeds: taken.speeds(),
            gives_up: taken.number("gives_up"),
            patience_ms: taken.whole("patience"),
            returns: taken.number("returns"),
            returns_after_ms: taken.whole("returns_after"),
            sleeps: taken.number("sleeps"),
            page_ms: taken.whole("page"),
            pages: taken.whole("pages"),
            files: taken.whole("files"),
            reloads: taken.number("reloads"),
            round_ms: taken.whole("round"),
            until_ms: taken.whole("until"),
            groups: lanes.groups,
            room: match room {
                Some(room) => room,
                None => return Err(taken.wrong),
            },
            notes: Vec::new(),
        };
        taken.possible(&event);
        event.notes = sense::notes(&event);
        if taken.wrong.is_empty() {
            Ok(event)
        } else {
            Err(taken.wrong)
        }
    }

    /// The number of people who come.
    #[must_use]
    pub fn people(&self) -> u64 {
        people_of(&self.coming)
    }

    /// Returns when the sale opens, ms from the beginning.
    #[must_use]
    pub fn opens_ms(&self) -> u64 {
        match &self.coming {
            Coming::Drawn {
                early, early_ms, ..
            } if *early > 0.0 => *early_ms,
            Coming::Drawn { .. } => 0,
            Coming::Traced { opens_ms, .. } => *opens_ms,
        }
    }

    /// Returns how long people come, from the beginning to the last arrival, ms.
    #[must_use]
    pub fn span_ms(&self) -> u64 {
        match &self.coming {
            Coming::Drawn { over_ms, .. } => self.opens_ms() + over_ms,
            Coming::Traced { arrivals, .. } => arrivals.last().map_or(0, |last| last.at_ms),
        }
    }
}

fn people_of(coming: &Coming) -> u64 {
    match coming {
        Coming::Drawn { people, .. } => *people,
        Coming::Traced { arrivals, .. } => arrivals.len() as u64,
    }
}

/// Takes values out of what was said, and collects what is wrong.
pub(super) struct Taken<'a> {
    pub(super) said: &'a Said,
    wrong: Vec<Wrong>,
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
        let Some((key, value)) = keys::find(name).and_then(|key| Some((key, self.value(key)?)))
        else {
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
        let Some((key, value)) = keys::find(name).and_then(|key| Some((key, self.value(key)?)))
        else {
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
        let what = if found.is_some() {
            "is out of range"
        } else {
            "is no number"
        };
        self.wrong(name, &value, what, &cure);
        least
    }

    fn word(&mut self, name: &str) -> String {
        let Some((key, value)) = keys::find(name).and_then(|key| Some((key, self.value(key)?)))
        else {
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

    fn speeds(&mut self) -> Vec<(u64, f64)> {
        let Some(value) = self.said.event.get("slow").cloned() else {
            return Vec::new();
        };
        let part = |part: &str| {
            let (speed, from) = part.split_once('@')?;
            let speed: f64 = speed.trim().parse().ok()?;
            let from_ms = keys::span_ms(from)?;
            (0.01..=100.0).contains(&speed).then_some((from_ms, speed))
        };
        let parts: Option<Vec<_>> = value.text.split(',').map(part).collect();
        let Some(parts) = parts else {
            let cure = "speed@when, as 0.5@5m: half as fast from five minutes after the opening on; speeds from 0.01 to 100";
            self.wrong("slow", &value, "is no speed of the shop", cure);
            return Vec::new();
        };
        if parts
            .windows(2)
            .any(|pair| matches!(pair, [(a, _), (b, _)] if a >= b))
        {
            self.wrong(
                "slow",
                &value,
                "time runs backwards",
                "put the moments in order",
            );
        }
        parts
    }

    fn coming(&mut self, read: ReadFile<'_>) -> Coming {
        let given = |name| self.said.event.get(name).cloned();
        if let Some(file) = given("trace") {
            for name in ["people", "before_opening", "early_over", "over", "shape"] {
                if let Some(value) = given(name) {
                    let cure = "leave one of the two out";
                    self.wrong(name, &value, "the trace says already who comes when", cure);
                }
            }
            let opens_ms = self.whole("opens_after");
            let arrivals = self.trace(&file, read);
            return Coming::Traced { arrivals, opens_ms };
        }
        if given("people").is_none() {
            let cure = "say how many come, --people 20000, or who comes when, --trace crowds/opening_rush.csv";
            self.wrong
                .push(Wrong::plain("nobody is said to come", cure));
        }
        if let Some(value) = given("opens_after") {
            let cure = "leave it out: without a trace the opening follows from early_over";
            self.wrong("opens_after", &value, "is for a trace", cure);
        }
        let early = self.number("before_opening");
        if let Some(value) = given("early_over").filter(|_| early == 0.0) {
            let cure = "say which share does, --before-opening 0.6, or leave it out";
            self.wrong(
                "early_over",
                &value,
                "nobody comes before the opening",
                cure,
            );
        }
        Coming::Drawn {
            people: self.whole("people"),
            early,
            early_ms: self.whole("early_over"),
            over_ms: self.whole("over"),
            rush: self.word("shape") == "rush",
        }
    }

    fn trace(&mut self, file: &Value, read: ReadFile<'_>) -> Vec<Arrival> {
        let text = match read(&file.text) {
            Ok(text) => text,
            Err(why) => {
                let cure = "name a readable file with the columns at_ms,event,visitor";
                self.wrong("trace", file, &why, cure);
                return Vec::new();
            }
        };
        let steps = match trace::parse(&file.text, &text) {
            Ok(steps) => steps,
            Err(flaw) => {
                self.wrong.push(Wrong::said(flaw.to_string()));
                return Vec::new();
            }
        };
        let mut arrivals = Vec::with_capacity(steps.len());
        for step in &steps {
            let Act::Arrive { stay_ms, .. } = step.act else {
                let what = format!("{}: `release` or `tick` at {} ms", file.text, step.at_ms);
                let cure = "a plan's people leave by themselves and its usher has its own alarm: keep the rows with `arrive` only";
                self.wrong.push(Wrong::plain(&what, cure));
                return Vec::new();
            };
            arrivals.push(Arrival {
                at_ms: step.at_ms,
                stay_ms,
            });
        }
        if arrivals.is_empty() {
            self.wrong(
                "trace",
                file,
                "nobody comes",
                "add rows such as 0,arrive,ann",
            );
        }
        arrivals
    }

    /// Makes the room, with the settings' own reader.
    fn room(
        &mut self,
        people: u64,
        of_lanes: Map<String, serde_json::Value>,
    ) -> Option<RoomSettings> {
        let mut table: Map<String, serde_json::Value> = Map::new();
        table.insert("paths".to_owned(), json!(["/*"]));
        table.insert("crowd".to_owned(), json!(people.clamp(1, CROWD_MAX)));
        if self.said.event.contains_key("seats") {
            table.insert("stock_line".to_owned(), json!(true));
        }
        for (name, value) in self.said.room.iter().filter(|(name, _)| **name != LANES) {
            let parsed = serde_json::from_str(&value.text).ok();
            let parsed =
                parsed.filter(|json: &serde_json::Value| json.is_number() || json.is_boolean());
            table.insert(
                (*name).to_owned(),
                parsed.unwrap_or_else(|| json!(value.text)),
            );
        }
        table.extend(of_lanes);
        match parse_room("plan", &serde_json::Value::Object(table)) {
            Ok(mut room) => {
                // The plan's own opening is the only one.
                room.core.periods.clear();
                Some(room)
            }
            Err(problems) => {
                let places: BTreeMap<_, _> = self.said.room.iter().collect();
                for problem in problems {
                    let name = problem.key.rsplit('.').next().unwrap_or_default();
                    let of_lanes = lanes::problem_of(&problem, self.said.room.get(LANES));
                    let wrong = match places.get(&name) {
                        _ if of_lanes.is_some() => of_lanes?,
                        Some(value) => Wrong::of(name, value, &problem.what, &problem.cure),
                        None => Wrong::plain(
                            &format!("{name}: {}", problem.what),
                            &format!(
                                "--{} 200, or {name} = 200 below [room]",
                                name.replace('_', "-")
                            ),
                        ),
                    };
                    self.wrong.push(wrong);
                }
                None
            }
        }
    }
}
