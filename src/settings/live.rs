//! Live values: what the operator and the schedule change while the room runs. They are laid over the file's values, in their own types. A live
//! value wins until it is cleared; no deploy changes it. Operators and schedules change values through [`LiveTable`] alone.

use facts::few::FewMap;

use serde_json::{Map, Value, json};

use super::parse::contradictions;
use super::reader::{Reader, Writer, paired, read};
use super::schema::{KEYS, Key};
use super::{Problem, RoomSettings, in_lines, name_in_file, parse_room, ramp};
use facts::config::{Change, LiveKey, RoomConfig};
use facts::hours::Date;
use facts::ordered::filled;
use facts::schedule::BY_SCHEDULE;
use facts::units::Instant;
use room::live::Live;
use room::ramp::Ramps;

/// Live values by their setting.
pub type LiveValues = FewMap<LiveKey, Change>;

/// A room, over which live values are laid.
#[derive(Clone, Debug)]
pub struct LiveTable {
    /// The room as its table has it, with the mark in its name if it is a rehearsal.
    pub settings: RoomSettings,
    /// Its table in the file or the house.
    pub table: Value,
}

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
    /// Makes a room ready to be laid under live values.
    #[must_use]
    pub const fn new(settings: RoomSettings, table: Value) -> Self {
        Self { settings, table }
    }

    /// Returns the live values that the table allows, and the problems of the others. A deploy may make a live value bad that was good: it gives
    /// other values to the file, or has another schema. The rest of what the operator set must hold all the same: a paused room stays paused. A room
    /// that is over allows none. O(values²) at worst.
    #[must_use]
    pub fn usable(&self, live: &Live) -> (LiveValues, Vec<Problem>) {
        let (mut values, mut found) = (LiveValues::new(), Vec::new());
        if self.settings.is_over {
            return (values, found);
        }
        for (key, value) in live.values.iter() {
            let written = (key.name().to_owned(), value.change.written());
            match self.read(&Map::from_iter([written])) {
                Ok(_) => drop(values.insert(*key, value.change.clone())),
                Err(problems) => found.extend(problems),
            }
        }
        while let Err(problems) = self.laid(&values) {
            let name = name_in_file(&self.settings.name);
            let is_named = |key: &LiveKey| problems.iter().any(|one| one.is_at(name, key.name()));
            let mut bad: Vec<LiveKey> = values.keys().filter(|key| is_named(key)).copied().collect();
            if bad.is_empty() {
                // The problem is named after a key of the table that does not fit a live value.
                let fits = |key: &&LiveKey| {
                    let mut others = values.clone();
                    others.remove(key);
                    self.laid(&others).is_ok()
                };
                match values.keys().find(fits) {
                    Some(key) => bad.push(*key),
                    None => bad.extend(values.keys()),
                }
            }
            found.extend(problems);
            if bad.is_empty() {
                break;
            }
            bad.iter().for_each(|key| drop(values.remove(key)));
        }
        (values, found)
    }

    /// Lays live values over the room. A ramp counts as the value where it leads; [`Ramps`] says what is in force until then. O(keys).
    ///
    /// # Errors
    /// Returns every contradiction between the values.
    pub fn laid(&self, values: &LiveValues) -> Result<RoomSettings, Vec<Problem>> {
        let mut settings = self.settings.clone();
        values.values().for_each(|change| change.lay(&mut settings.core));
        let mut wrong = self.lay_dates(values, &mut settings.core);
        wrong.extend(contradictions(&settings));
        if wrong.is_empty() {
            return Ok(settings);
        }
        let problem = |(key, what, cure): (&str, String, String)| {
            let live = values.values().find(|change| change.key().name() == key);
            let live = live.map(Change::written);
            let value = live.as_ref().or_else(|| self.table.get(key));
            Problem::new(format!("{}.{key}", self.at()), value, what, cure)
        };
        Err(wrong.into_iter().map(problem).collect())
    }

    /// Pairs the dates of both lists, each from the live values or else from the table. Returns what is wrong with the pairs.
    fn lay_dates(&self, values: &LiveValues, config: &mut RoomConfig) -> Vec<(&'static str, String, String)> {
        let live = |key: LiveKey| match values.get(&key) {
            Some(Change::OpensAt(dates) | Change::ClosesAt(dates)) => dates.as_ref(),
            _ => None,
        };
        let (opens, closes) = (live(LiveKey::OpensAt), live(LiveKey::ClosesAt));
        if opens.or(closes).is_none() {
            return Vec::new();
        }
        let none = Map::new();
        let mut file = Reader::new(self.table.as_object().unwrap_or(&none), self.at());
        let mut dates = |live: Option<&Vec<Date>>, key: LiveKey| {
            let dates = live.cloned().or_else(|| file.dates_of(key.name()));
            dates.unwrap_or_default()
        };
        let opens = dates(opens, LiveKey::OpensAt);
        let closes = dates(closes, LiveKey::ClosesAt);
        match paired(&opens, &closes) {
            Ok(paired) => {
                config.periods = paired;
                Vec::new()
            }
            Err(wrong) => vec![wrong],
        }
    }

    /// Reads changes as an operator writes them.
    ///
    /// # Errors
    /// Returns every problem, among them keys that change only with a deploy.
    pub fn read(&self, written: &Map<String, Value>) -> Result<Vec<Change>, Vec<Problem>> {
        read(&self.at(), written, Writer::Operator)
    }

    /// Judges a change of these values that `by` makes at `now`. Ramps begin at the values of `config`, which is in force.
    ///
    /// # Errors
    /// Returns every problem, a line each. Nothing may change then.
    pub fn wanted(&self, live: &Live, config: &RoomConfig, now: Instant, by: &str, wanted: &Map<String, Value>) -> Result<Wanted, String> {
        let set = self.read(wanted).map_err(|problems| in_lines(&problems))?;
        self.set(live, config, now, by, set)
    }

    /// Judges a step of the schedule that sets these values at `now`.
    ///
    /// # Errors
    /// Returns every problem, a line each.
    pub fn step(&self, live: &Live, config: &RoomConfig, now: Instant, set: &[Change]) -> Result<Wanted, String> {
        self.set(live, config, now, BY_SCHEDULE, set.to_vec())
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
        put(&mut values, &live.before);
        self.judged(live, by, live.before.clone(), &values)
    }

    fn set(&self, live: &Live, config: &RoomConfig, now: Instant, by: &str, set: Vec<Change>) -> Result<Wanted, String> {
        let mut values = self.usable(live).0;
        let mut changes = Vec::new();
        for mut change in set {
            change.begin(now, config);
            ramp::check_begun(&self.at(), &change).map_err(|problem| problem.to_string())?;
            let known = live.values.get(&change.key()).map(|value| &value.change);
            if known.map_or(change.is_set(), |known| *known != change) {
                changes.push(change.clone());
            }
            put(&mut values, &[change]);
        }
        self.judged(live, by, changes, &values)
    }

    /// Judges these changes, which make `values` the live values.
    fn judged(&self, live: &Live, by: &str, changes: Vec<Change>, values: &LiveValues) -> Result<Wanted, String> {
        if self.settings.is_over {
            let why = "the room is archived: it stays closed, and nothing of it changes";
            return Err(why.to_owned());
        }
        if let Some(why) = live.refuses(by) {
            return Err(why.to_owned());
        }
        let settings = self.laid(values);
        Ok(Wanted {
            changes,
            settings: settings.map_err(|problems| in_lines(&problems))?,
            ramps: Ramps::of(values.values()),
        })
    }

    /// Where the room stands in the file.
    fn at(&self) -> String {
        format!("ROOMS.{}", name_in_file(&self.settings.name))
    }
}

/// Lays changes over live values; one that goes back to the file's takes its value out.
pub fn put(values: &mut LiveValues, changes: &[Change]) {
    for change in changes {
        if change.is_set() {
            values.insert(change.key(), change.clone());
        } else {
            values.remove(&change.key());
        }
    }
}

/// Reads a room's table with the operator's live values, as they are written, laid over it. A live `null` means the file's value.
///
/// # Errors
/// Returns every problem.
pub fn parse_live(name: &str, file: &Value, live: &Value) -> Result<RoomSettings, Vec<Problem>> {
    let table = LiveTable::new(parse_room(name, file)?, file.clone());
    let Some(written) = live.as_object() else {
        let cure = "Send an object such as {\"permits\": 300}";
        let what = "is not an object";
        return Err(vec![Problem::new(name, Some(live), what, cure)]);
    };
    let mut values = LiveValues::new();
    put(&mut values, &table.read(written)?);
    table.laid(&values)
}

/// Returns every key of a room with the value in force and its source: `"live"`, `"file"` or `"default"`. For a ramp that is the value in force at
/// `now`, and the ramp itself while it runs. `live` holds the live values alone. O(keys).
#[must_use]
pub fn in_force(file: &Value, live: &LiveValues, now: Instant, tick_ms: u64) -> Map<String, Value> {
    let in_force = |key: &Key| {
        let default = || serde_json::from_str(key.default?).ok();
        let set = live.values().find(|change| change.key().name() == key.name);
        let (value, source) = match (set, file.get(key.name)) {
            (Some(change), _) => (change.written(), "live"),
            (None, Some(value)) => (value.clone(), "file"),
            (None, None) => (default().unwrap_or(Value::Null), "default"),
        };
        let (value, running) = match set.and_then(|change| ramp::shown(change, now, tick_ms)) {
            Some((now, running)) => (now, running),
            None => (value, None),
        };
        let mut entry = json!({ "value": value, "source": source, "live": key.is_live() });
        if let (Some(entry), Some(ramp)) = (entry.as_object_mut(), running) {
            entry.insert("ramp".to_owned(), ramp);
        }
        (key.name.to_owned(), entry)
    };
    filled(KEYS.iter().map(in_force))
}
