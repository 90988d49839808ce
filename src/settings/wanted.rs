//! Judges a change of live values: which values change, and which room they lead to. Operators and schedules change values through this alone.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    Problem, RAMP_KEYS, RoomSettings, begun, in_lines, name_in_file, parse_live, per_s, ramps,
};
use crate::facts::config::RoomConfig;
use crate::facts::schedule::{BY_SCHEDULE, Change};
use crate::facts::units::Instant;
use crate::ordered::filled;
use crate::room::live::{Live, LiveValue};
use crate::room::ramp::Ramps;

/// A room's table, over which live values are laid.
#[derive(Clone, Debug)]
pub struct LiveTable {
    /// The room's name, with the mark if it is a rehearsal.
    pub name: String,
    /// Its table in the file or the house.
    pub table: Value,
    /// See [`RoomSettings::is_over`].
    pub is_over: bool,
    /// The last live values that were good over this table: as they are kept, and parsed. A change is parsed once, when it is judged.
    good: RefCell<(Texts, Map<String, Value>)>,
}

/// Live values as they are kept, by key.
type Texts = BTreeMap<String, String>;

/// A change that may be made.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The values that change; empty if all are set so already.
    pub changes: Vec<Change>,
    /// The room once every ramp has ended.
    pub settings: RoomSettings,
    /// The ramps that lead there.
    pub ramps: Ramps,
}

impl LiveTable {
    /// Makes a room's table ready to be laid under live values.
    #[must_use]
    pub fn new(name: String, table: Value, is_over: bool) -> Self {
        Self {
            name,
            table,
            is_over,
            good: RefCell::default(),
        }
    }

    /// Returns the live values that the table allows, and the problems of the others. A deploy may make a live value bad that was good. The rest of
    /// what the operator set must hold all the same: a paused room stays paused. A room that is over allows none. O(values²) at worst.
    #[must_use]
    pub fn usable(&self, live: &Live) -> (Map<String, Value>, Vec<Problem>) {
        let texts = texts_of(live);
        let is_known = !texts.is_empty() && self.good.borrow().0 == texts;
        if is_known && !self.is_over {
            return (self.good.borrow().1.clone(), Vec::new());
        }
        let (mut values, mut found) = (Map::new(), Vec::new());
        if !self.is_over {
            values = values_of(live);
        }
        while let Err(problems) = self.parsed(&values) {
            let name = name_in_file(&self.name);
            let is_named = |key: &String| problems.iter().any(|problem| problem.is_at(name, key));
            let mut bad: Vec<String> = values.keys().filter(|key| is_named(key)).cloned().collect();
            if bad.is_empty() {
                // The problem is named after a key of the table that does not fit a live value.
                let fits = |key: &&String| {
                    let mut others = values.clone();
                    others.remove(*key);
                    self.parsed(&others).is_ok()
                };
                match values.keys().find(fits) {
                    Some(key) => bad.push(key.clone()),
                    None => bad.extend(values.keys().cloned()),
                }
            }
            found.extend(problems);
            if bad.is_empty() {
                break;
            }
            bad.iter().for_each(|key| drop(values.remove(key)));
        }
        if found.is_empty() {
            self.good.replace((texts, values.clone()));
        }
        (values, found)
    }

    /// Reads the table with these live values laid over it.
    ///
    /// # Errors
    /// Returns every problem.
    pub fn parsed(&self, values: &Map<String, Value>) -> Result<RoomSettings, Vec<Problem>> {
        let values = Value::Object(values.clone());
        parse_live(name_in_file(&self.name), &self.table, &values)
    }

    /// Judges a change of these values that `by` makes at `now`. Ramps begin at the values of `config`, which is in force.
    ///
    /// # Errors
    /// Returns every problem, a line each. Nothing may change then.
    pub fn wanted(
        &self,
        live: &Live,
        config: &RoomConfig,
        now: Instant,
        by: &str,
        wanted: &Map<String, Value>,
    ) -> Result<Wanted, String> {
        let mut values = self.usable(live).0;
        let mut changes = Vec::new();
        for (key, value) in wanted {
            let value = self.begun(config, now, key, value)?;
            let text = (!value.is_null()).then(|| value.to_string());
            let known = live.values.get(key).map(|value| value.json.as_str());
            if known != text.as_deref() {
                changes.push((key.clone(), text));
            }
            values.insert(key.clone(), value);
        }
        self.judged(live, by, changes, values)
    }

    /// Judges a step of the schedule that sets these values at `now`.
    ///
    /// # Errors
    /// Returns every problem, a line each.
    pub fn step(
        &self,
        live: &Live,
        config: &RoomConfig,
        now: Instant,
        set: &[Change],
    ) -> Result<Wanted, String> {
        let parsed = |(key, text): &Change| {
            let value = text.as_deref().map(serde_json::from_str).transpose();
            let value = value.map_err(|error| format!("{key}: {error}"))?;
            Ok((key.clone(), value.unwrap_or_default()))
        };
        let set: Result<Vec<(String, Value)>, String> = set.iter().map(parsed).collect();
        self.wanted(live, config, now, BY_SCHEDULE, &filled(set?))
    }

    /// Judges an undo of the last change, made by `by`.
    ///
    /// # Errors
    /// Returns every problem, a line each.
    pub fn undone(&self, live: &Live, by: &str) -> Result<Wanted, String> {
        if live.before.is_empty() {
            return Err("nothing was changed yet that could be undone".to_owned());
        }
        let mut values = self.usable(live).0;
        for (key, value) in &live.before {
            put(&mut values, key, value.as_deref());
        }
        let changes = live.before.clone().into_iter().collect();
        self.judged(live, by, changes, values)
    }

    /// Returns a ramp as it begins now, from the value in force unless it says otherwise. Returns any other value unchanged.
    fn begun(
        &self,
        config: &RoomConfig,
        now: Instant,
        key: &str,
        value: &Value,
    ) -> Result<Value, String> {
        if !RAMP_KEYS.contains(&key) {
            return Ok(value.clone());
        }
        let in_force = match key {
            "permits" => Value::from(config.permits),
            _ => per_s(config.admissions_milli_per_s),
        };
        begun(&self.name, key, value, &in_force, now).map_err(|problem| problem.to_string())
    }

    /// Judges these changes, which make `values` the live values.
    fn judged(
        &self,
        live: &Live,
        by: &str,
        changes: Vec<Change>,
        mut values: Map<String, Value>,
    ) -> Result<Wanted, String> {
        if self.is_over {
            let why = "the room is archived: it stays closed, and nothing of it changes";
            return Err(why.to_owned());
        }
        if let Some(why) = live.refuses(by, &changes) {
            return Err(why.to_owned());
        }
        let settings = self.parsed(&values);
        let settings = settings.map_err(|problems| in_lines(&problems))?;
        let mut texts = texts_of(live);
        for (key, text) in &changes {
            match text {
                Some(text) => drop(texts.insert(key.clone(), text.clone())),
                None => drop(texts.remove(key)),
            }
        }
        let ramps = ramps(&values);
        values.retain(|_, value| !value.is_null());
        self.good.replace((texts, values));
        Ok(Wanted {
            changes,
            settings,
            ramps,
        })
    }
}

/// Lays one live value over others; `None` goes back to the file's.
pub fn put(values: &mut Map<String, Value>, key: &str, json: Option<&str>) {
    match json.and_then(|json| serde_json::from_str(json).ok()) {
        Some(value) => drop(values.insert(key.to_owned(), value)),
        None => drop(values.remove(key)),
    }
}

fn texts_of(live: &Live) -> Texts {
    let texts = live.values.iter();
    filled(texts.map(|(key, value)| (key.clone(), value.json.clone())))
}

/// Returns the live values, parsed. O(bytes).
#[must_use]
pub fn values_of(live: &Live) -> Map<String, Value> {
    let parsed = |(key, value): (&String, &LiveValue)| {
        Some((key.clone(), serde_json::from_str(&value.json).ok()?))
    };
    filled(live.values.iter().filter_map(parsed))
}
