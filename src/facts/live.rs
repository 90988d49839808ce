//! Live values: what an operator or a step of the schedule sets while the room runs, each in the type of its setting. The table of settings
//! (`config.rs`) says which settings those are, and makes the enum `Change` of them.

use super::hall::Draw;
use super::hours::{Date, EVER_MS, NEVER_MS, Period};
use super::lanes::{Lane, LanesRule};
use super::mode::Mode;
use super::notice::Notice;
use super::ordered::filled;
use super::setting::Kind;
use super::units::Instant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A number, or a ramp to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ramped<T> {
    /// The number, at once.
    At(T),
    /// On the way to a number.
    Ramp {
        /// Where the ramp begins; `None` until it begins, if the operator did not say: then the value in force.
        from: Option<T>,
        /// Where it leads.
        to: T,
        /// How long it takes, in ms: 1 s to a day.
        over_ms: u64,
        /// When it began, by the room's clock; `None` while it only stands in a step of the schedule.
        since: Option<Instant>,
    },
}

impl<T: Copy> Ramped<T> {
    /// Returns the number at the end of the way.
    #[must_use]
    pub const fn end(&self) -> T {
        match self {
            Self::At(to) | Self::Ramp { to, .. } => *to,
        }
    }
}

/// A value that can be laid over a field of the configuration.
pub trait Lay<T> {
    /// Lets a ramp begin at `now`, from this field of the configuration in force unless it says from where. Any other value stays as it is.
    fn begin(&mut self, _now: Instant, _in_force: &T) {}

    /// Puts the value in the field; a ramp counts as the value where it leads.
    fn lay(&self, field: &mut T);
}

impl<T: Clone> Lay<T> for T {
    fn lay(&self, field: &mut T) {
        field.clone_from(self);
    }
}

impl<T: Copy> Lay<T> for Ramped<T> {
    fn begin(&mut self, now: Instant, in_force: &T) {
        if let Self::Ramp { from, since, .. } = self {
            from.get_or_insert(*in_force);
            *since = Some(now);
        }
    }

    fn lay(&self, field: &mut T) {
        *field = self.end();
    }
}

/// One list of dates says nothing without the other, which may stand in the file: the settings pair them (`settings/live.rs`).
impl Lay<Vec<Period>> for Vec<Date> {
    fn lay(&self, _: &mut Vec<Period>) {}
}

/// A value that can be told as the operator writes it.
pub trait Written {
    /// Writes the value as a key of this kind has it in the file.
    fn written(&self, kind: Kind) -> Value;
}

impl Written for u64 {
    fn written(&self, kind: Kind) -> Value {
        match kind {
            Kind::Seconds { .. } => Value::from(self / 1_000),
            Kind::Rate { .. } => per_s(*self),
            _ => Value::from(*self),
        }
    }
}

impl Written for u32 {
    fn written(&self, kind: Kind) -> Value {
        u64::from(*self).written(kind)
    }
}

impl Written for bool {
    fn written(&self, _: Kind) -> Value {
        Value::from(*self)
    }
}

impl Written for Mode {
    fn written(&self, _: Kind) -> Value {
        Value::from(self.name())
    }
}

impl Written for Draw {
    fn written(&self, _: Kind) -> Value {
        Value::from(self.name())
    }
}

impl Written for LanesRule {
    fn written(&self, _: Kind) -> Value {
        Value::from(self.name())
    }
}

impl Written for Notice {
    fn written(&self, _: Kind) -> Value {
        if self.by_language.is_empty() {
            return Value::from(self.any.as_str());
        }
        let texts = self.by_language.iter();
        let mut all: Map<String, Value> = filled(texts.map(|(language, text)| (language.clone(), Value::from(text.as_str()))));
        all.insert("any".to_owned(), Value::from(self.any.as_str()));
        Value::Object(all)
    }
}

/// A single date is written by itself.
impl Written for Vec<Date> {
    fn written(&self, _: Kind) -> Value {
        let mut dates: Vec<Value> = self.iter().map(|date| Value::from(date.text())).collect();
        match (dates.len(), dates.pop()) {
            (1, Some(date)) => date,
            (_, last) => {
                dates.extend(last);
                Value::Array(dates)
            }
        }
    }
}

/// The dates of a lane are told in UTC.
impl Written for Vec<Lane> {
    fn written(&self, _: Kind) -> Value {
        let lane = |lane: &Lane| {
            let mut table = Map::new();
            let mut put = |key: &str, value: Value| drop(table.insert(key.to_owned(), value));
            put("name", Value::from(lane.name.as_str()));
            put("title", Value::from(lane.title.as_str()));
            put("share", Value::from(lane.share));
            if let Some(periods) = &lane.periods {
                put("opens_at", dates(periods.iter().map(|one| one.opens_at_ms)));
                put("closes_at", dates(periods.iter().map(|one| one.closes_at_ms)));
            }
            if let Some(hall_ms) = lane.hall_ms {
                put("hall_s", Value::from(hall_ms / 1_000));
            }
            if let Some(draw) = lane.draw {
                put("draw", Value::from(draw.name()));
            }
            Value::Object(table)
        };
        self.iter().map(lane).collect()
    }
}

fn dates(all: impl Iterator<Item = u64>) -> Value {
    let written = all.filter(|at_ms| ![EVER_MS, NEVER_MS].contains(at_ms));
    let written = written.map(|at_ms| Value::from(Date { at_ms, offset_s: 0 }.text()));
    written.collect()
}

/// A ramp is written as an operator could write it, so without when it began.
impl<T: Written> Written for Ramped<T> {
    fn written(&self, kind: Kind) -> Value {
        let (from, to, over_ms) = match self {
            Self::At(value) => return value.written(kind),
            Self::Ramp { from, to, over_ms, .. } => (from, to, over_ms),
        };
        let mut ramp = Map::new();
        let mut put = |key: &str, value: Value| drop(ramp.insert(key.to_owned(), value));
        if let Some(from) = from {
            put("from", from.written(kind));
        }
        put("to", to.written(kind));
        put("over_s", Value::from(over_ms / 1_000));
        Value::Object(ramp)
    }
}

/// Turns thousandths back into the number that the operator wrote.
#[must_use]
pub fn per_s(milli: u64) -> Value {
    let (whole, part) = (milli / 1_000, milli % 1_000);
    if part == 0 {
        return Value::from(whole);
    }
    serde_json::from_str(&format!("{whole}.{part:03}")).unwrap_or_default()
}
