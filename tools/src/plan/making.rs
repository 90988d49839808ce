//! Makes an event that can be played from what was said. An error names what is impossible, its place and the cure.

use super::event::{Arrival, Coming, Event, ReadFile, Shape, people_of};
use super::keys::{self, LANES};
use super::lanes;
use super::said::{Said, Value, Wrong};
use super::sense;
use super::taken::Taken;
use crate::rehearse::trace::{self, Act};
use baton::settings::{CROWD_MAX, RoomSettings, parse_room};
use serde_json::{Map, json};
use std::collections::BTreeMap;

impl Event {
    /// Makes an event of what was said.
    ///
    /// # Errors
    /// Returns everything that is wrong.
    pub fn new(said: &Said, read: ReadFile<'_>) -> Result<Self, Vec<Wrong>> {
        let mut taken = Taken { said, wrong: Vec::new() };
        let coming = taken.coming(read);
        let lanes = taken.lanes();
        let room = taken.room(people_of(&coming), lanes.settings);
        let mut event = Self {
            coming,
            seats: said.event.contains_key("seats").then(|| taken.whole("seats")),
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
        if taken.wrong.is_empty() { Ok(event) } else { Err(taken.wrong) }
    }
}

impl Taken<'_> {
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
        if parts.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a >= b)) {
            self.wrong("slow", &value, "time runs backwards", "put the moments in order");
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
            self.wrong.push(Wrong::plain("nobody is said to come", cure));
        }
        if let Some(value) = given("opens_after") {
            let cure = "leave it out: without a trace the opening follows from early_over";
            self.wrong("opens_after", &value, "is for a trace", cure);
        }
        let early = self.number("before_opening");
        if let Some(value) = given("early_over").filter(|_| early == 0.0) {
            let cure = "say which share does, --before-opening 0.6, or leave it out";
            self.wrong("early_over", &value, "nobody comes before the opening", cure);
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
            arrivals.push(Arrival { at_ms: step.at_ms, stay_ms });
        }
        if arrivals.is_empty() {
            self.wrong("trace", file, "nobody comes", "add rows such as 0,arrive,ann");
        }
        arrivals
    }

    /// Makes the room, with the settings' own reader.
    fn room(&mut self, people: u64, of_lanes: Map<String, serde_json::Value>) -> Option<RoomSettings> {
        let mut table: Map<String, serde_json::Value> = Map::new();
        table.insert("paths".to_owned(), json!(["/*"]));
        table.insert("crowd".to_owned(), json!(people.clamp(1, CROWD_MAX)));
        if self.said.event.contains_key("seats") {
            table.insert("stock_line".to_owned(), json!(true));
        }
        for (name, value) in self.said.room.iter().filter(|(name, _)| **name != LANES) {
            let parsed = serde_json::from_str(&value.text).ok();
            let parsed = parsed.filter(|json: &serde_json::Value| json.is_number() || json.is_boolean());
            table.insert((*name).to_owned(), parsed.unwrap_or_else(|| json!(value.text)));
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
                            &format!("--{} 200, or {name} = 200 below [room]", name.replace('_', "-")),
                        ),
                    };
                    self.wrong.push(wrong);
                }
                None
            }
        }
    }
}
