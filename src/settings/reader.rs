//! Reads one room's keys by the schema's table: type, range and default come from there alone.

use serde_json::{Map, Value};

use super::forms::{thousandths, wrong_address, wrong_text};
use super::lanes::{Hours, lanes};
use super::problem::{distance, unknown};
use super::ramp;
use super::schema::{KEYS, Key, Kind, range_text};
use super::steps::steps;
use super::{Crawlers, EntryPolicy, Home, Limits, OpenPolicy, PageSettings, PreflightPolicy, Problem, RoomSettings, Strict};
use facts::config::{Change, LiveKey, RoomConfig, Setting, Source};
use facts::hall::Draw;
use facts::hours::{Date, Period};
use facts::lanes::Lane;
use facts::limits::PERIODS_MAX;
use facts::live::Ramped;
use facts::notice::Notice;
use facts::schedule::Step;
use room::hours::periods;
use spelling::{CookieDomain, Exception, Pattern};

/// Reads one room's keys by the schema.
pub(super) struct Reader<'a> {
    pub table: &'a Map<String, Value>,
    pub at: String,
    pub problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// Makes a reader of this table, which stands at `at`.
    pub const fn new(table: &'a Map<String, Value>, at: String) -> Self {
        Self {
            table,
            at,
            problems: Vec::new(),
        }
    }
}

impl Reader<'_> {
    /// Reads every setting of a room. Long because it names each of them.
    pub fn room(&mut self, name: &str) -> RoomSettings {
        let home = Home {
            location: self.word("location"),
            generation: self.small("generation"),
            jurisdiction: Some(self.word("jurisdiction")).filter(|word| !word.is_empty()),
        };
        RoomSettings {
            name: name.to_owned(),
            bound_as: home.bound(name),
            paths: self.patterns("paths", Pattern::parse),
            hosts: self.hosts("hosts"),
            cookie_domain: self.domain("cookie_domain"),
            bypass_paths: self.patterns("bypass_paths", Exception::parse),
            bypass_addresses: self.networks("bypass_addresses"),
            app_origins: self.app_origins("app_origins"),
            widget_origins: self.widget_origins("widget_origins"),
            core: RoomConfig::read(self),
            crowd: self.small("crowd"),
            linger_ms: self.number("linger_s"),
            carry_within_ms: self.number("carry_within_s"),
            near_ahead: self.small("near_ahead"),
            pass_ttl_ms: self.number("pass_ttl_s"),
            strict: self.strict("strict"),
            limits: Limits {
                tickets_per_ip_max: self.small("tickets_per_ip_max"),
                walk_ins_per_ip_max: self.small("walk_ins_per_ip_max"),
                walk_ins_per_ip_max_percent: self.small("walk_ins_per_ip_max_percent"),
                joins_per_ip_per_minute: self.small("joins_per_ip_per_minute"),
                joins_per_visitor_per_minute: self.small("joins_per_visitor_per_minute"),
                ipv4_share: self.small("ipv4_share"),
            },
            turnstile: self.switch("turnstile"),
            entry: match self.word("entry").as_str() {
                "optional" => EntryPolicy::Optional,
                "required" => EntryPolicy::Required,
                _ => EntryPolicy::Off,
            },
            entry_spares_turnstile: self.switch("entry_spares_turnstile"),
            staff_epoch: self.small("staff_epoch"),
            fail_open: self.fail_open(),
            waiting_status: self.small("waiting_status").try_into().unwrap_or(200),
            crawlers: match self.word("crawlers").as_str() {
                "origin" => Crawlers::Origin,
                _ => Crawlers::Wait,
            },
            preflights: self.preflights(),
            home,
            journal_keep_days: self.small("journal_keep_days"),
            page_start: self.text("page_start"),
            page: PageSettings::read(self),
            defined: None,
            over: Vec::new(),
            is_over: false,
        }
    }

    pub fn problem(&mut self, key: &str, what: String, cure: String) {
        let at = format!("{}.{key}", self.at);
        self.problems.push(Problem::new(at, self.table.get(key), what, cure));
    }

    /// Returns the key's kind and its value, or its default if the table has none. A missing key that is required is a problem.
    pub fn value(&mut self, name: &str) -> Option<(Kind, Value)> {
        let key = KEYS.iter().find(|key| key.name == name)?;
        if let Some(value) = self.table.get(name) {
            return Some((key.kind, value.clone()));
        }
        let Some(default) = key.default else {
            let cure = format!("Write e.g. {name} = {}", key.example());
            self.problem(name, "is missing".to_owned(), cure);
            return None;
        };
        Some((key.kind, serde_json::from_str(default).ok()?))
    }

    fn wrong_number(&mut self, name: &str, kind: Kind, value: &Value) {
        let what = match kind {
            Kind::Rate { .. } => "a number with at most three decimals, from",
            Kind::OneOf(_) => "one of",
            Kind::Seconds { .. } => "a whole number of seconds from",
            Kind::Millis { .. } => "a whole number of milliseconds from",
            _ => "a whole number from",
        };
        let quoted = value.as_str().is_some_and(|text| thousandths(text).is_some());
        let hint = if quoted { ", without quotes" } else { "" };
        let example = KEYS.iter().find(|key| key.name == name);
        let example = example.map_or("", Key::example);
        self.problem(
            name,
            format!("is not {what} {}", range_text(kind).replace('`', "")),
            format!("Write e.g. {name} = {example}{hint}"),
        );
    }

    fn small(&mut self, name: &str) -> u32 {
        u32::read(name, self)
    }

    /// Reads what `fail` allows. Both bounds are read in any case, so that a wrong one is reported before it matters.
    fn fail_open(&mut self) -> Option<OpenPolicy> {
        let policy = OpenPolicy {
            for_ms: self.number("fail_open_s"),
            milli_per_s: self.number("fail_open_per_s"),
        };
        (self.word("fail") == "open").then_some(policy)
    }

    fn preflights(&mut self) -> PreflightPolicy {
        match self.word("preflights").as_str() {
            "answer" => PreflightPolicy::Answer,
            _ => PreflightPolicy::Shop,
        }
    }

    fn strict(&mut self, name: &str) -> Strict {
        let Some((_, value)) = self.value(name) else {
            return Strict::Off;
        };
        match (&value, value.as_str()) {
            (Value::Bool(false), _) => Strict::Off,
            (_, Some("unsafe")) => Strict::Unsafe,
            (_, Some("all")) => Strict::All,
            _ => {
                let what = format!("is none of {}", range_text(Kind::Strict).replace('`', ""));
                let cure = "Write strict = \"all\", strict = \"unsafe\" or strict = false";
                self.problem(name, what, cure.to_owned());
                Strict::Off
            }
        }
    }

    /// Reads dates. Returns `None` if there are too many, or if one is no date.
    pub fn dates_of(&mut self, name: &str) -> Option<Vec<Date>> {
        let (_, value) = self.value(name)?;
        let listed = match &value {
            Value::Array(list) => list.as_slice(),
            one => core::slice::from_ref(one),
        };
        let read = |value: &Value| value.as_str().and_then(Date::parse).ok_or(value.to_string());
        let dates: Result<Vec<Date>, String> = listed.iter().map(read).collect();
        let cure = format!("Write {name} = \"2026-12-01T10:00:00+09:00\", in quotes and with the offset from UTC");
        match dates {
            Ok(dates) if dates.len() <= PERIODS_MAX => return Some(dates),
            Ok(_) => {
                let cure = "Give the next ones later, while the room runs".to_owned();
                self.problem(name, format!("has more than {PERIODS_MAX} dates"), cure);
            }
            Err(wrong) => {
                self.problem(name, format!("contains {wrong}, which is no date"), cure);
            }
        }
        None
    }

    fn domain(&mut self, name: &str) -> Option<CookieDomain> {
        let (_, value) = self.value(name)?;
        let parsed = match value.as_str() {
            Some("") => return None,
            Some(text) => CookieDomain::parse(text),
            None => Err("is not a text"),
        };
        let cure = "Write the name that all hosts end in, such as \"example.com\", without a dot in front";
        parsed.map_err(|what| self.problem(name, what.to_owned(), cure.to_owned())).ok()
    }
}

impl Source for Reader<'_> {
    fn number(&mut self, name: &str) -> u64 {
        let Some((kind, value)) = self.value(name) else {
            return 0;
        };
        let parsed = value.as_number().and_then(|number| thousandths(&number.to_string()));
        let whole = parsed.filter(|milli| milli % 1_000 == 0).map(|milli| milli / 1_000);
        let found = match kind {
            Kind::Count { min, max } | Kind::Millis { min, max } => whole.filter(|n| (min..=max).contains(n)),
            Kind::Seconds { min, max } => whole.filter(|n| (min..=max).contains(n)).map(|s| s.saturating_mul(1_000)),
            Kind::OneOf(numbers) => whole.filter(|n| numbers.contains(n)),
            Kind::Rate { max } => parsed.filter(|milli| *milli <= max.saturating_mul(1_000)),
            _ => None,
        };
        found.unwrap_or_else(|| {
            self.wrong_number(name, kind, &value);
            0
        })
    }

    fn switch(&mut self, name: &str) -> bool {
        let Some((_, value)) = self.value(name) else {
            return false;
        };
        value.as_bool().unwrap_or_else(|| {
            let cure = format!("Write {name} = true or {name} = false, without quotes");
            self.problem(name, "is neither true nor false".to_owned(), cure);
            false
        })
    }

    fn word(&mut self, name: &str) -> String {
        let Some((Kind::Word(words), value)) = self.value(name) else {
            return String::new();
        };
        match value.as_str().filter(|word| words.contains(word)) {
            Some(word) => word.to_owned(),
            None => {
                let nearest = value
                    .as_str()
                    .and_then(|text| words.iter().filter(|word| !word.is_empty()).min_by_key(|word| distance(text, word)));
                let cure = format!("Write e.g. {name} = {:?}", nearest.copied().unwrap_or_default());
                let range = range_text(Kind::Word(words)).replace('`', "");
                self.problem(name, format!("is none of {range}"), cure);
                String::new()
            }
        }
    }

    /// Reads a text or an address for the page.
    fn text(&mut self, name: &str) -> String {
        let Some((kind, value)) = self.value(name) else {
            return String::new();
        };
        let Some(text) = value.as_str() else {
            let cure = format!("Write {name} = \"…\", in quotes");
            self.problem(name, "is not a text".to_owned(), cure);
            return String::new();
        };
        let wrong = match kind {
            Kind::Text { chars_max } => wrong_text(text, chars_max),
            _ => wrong_address(text, kind),
        };
        if let Some((what, cure)) = wrong {
            self.problem(name, what, cure.to_owned());
        }
        text.to_owned()
    }

    fn notice(&mut self, name: &str) -> Notice {
        self.notice_of(name)
    }

    fn steps(&mut self, name: &str) -> Vec<Step> {
        let Some(value) = self.table.get(name) else {
            return Vec::new();
        };
        steps(&self.at, name, value, &set_of_step).unwrap_or_else(|problems| {
            self.problems.extend(problems);
            Vec::new()
        })
    }

    fn lanes(&mut self, name: &str) -> Vec<Lane> {
        let Some(value) = self.table.get(name) else {
            return Vec::new();
        };
        lanes(&self.at, name, value, &hours_of_lane).unwrap_or_else(|problems| {
            self.problems.extend(problems);
            Vec::new()
        })
    }

    fn ramped<T: Setting>(&mut self, name: &str) -> Ramped<T> {
        let ramp = self.table.get(name).and_then(Value::as_object);
        let Some(ramp) = ramp else {
            return Ramped::At(T::read(name, self));
        };
        let at = format!("{}.{name}", self.at);
        let over_ms = ramp::check(&at, name, ramp, &mut self.problems);
        let mut part = |value: &Value, suffix: &str| {
            let table = Map::from_iter([(name.to_owned(), value.clone())]);
            let mut part = Reader::new(&table, self.at.clone());
            let value = T::read(name, &mut part);
            self.problems.extend(part.problems.into_iter().map(|mut problem| {
                problem.key += suffix;
                problem
            }));
            value
        };
        Ramped::Ramp {
            from: ramp.get("from").map(|from| part(from, ".from")),
            // A ramp that leads nowhere has been refused already.
            to: part(ramp.get("to").unwrap_or(&Value::from(1)), ""),
            over_ms,
            since: None,
        }
    }

    fn dates(&mut self, name: &str) -> Vec<Date> {
        self.dates_of(name).unwrap_or_default()
    }

    fn periods(&mut self) -> Vec<Period> {
        let (opens, closes) = (self.dates_of("opens_at"), self.dates_of("closes_at"));
        let (Some(opens), Some(closes)) = (opens, closes) else {
            return Vec::new();
        };
        paired(&opens, &closes).unwrap_or_else(|(key, what, cure)| {
            self.problem(key, what, cure);
            Vec::new()
        })
    }
}

/// Reads the keys that a lane shares with its room, as the room's are read.
fn hours_of_lane(table: &Map<String, Value>, at: &str) -> Result<Hours, Vec<Problem>> {
    let mut reader = Reader::new(table, at.to_owned());
    let gives = |key: &str| table.contains_key(key);
    let has_hours = gives("opens_at") || gives("closes_at");
    let hours = Hours {
        periods: has_hours.then(|| reader.periods()),
        hall_ms: gives("hall_s").then(|| reader.number("hall_s")),
        draw: gives("draw").then(|| Draw::read("draw", &mut reader)),
    };
    if reader.problems.is_empty() { Ok(hours) } else { Err(reader.problems) }
}

/// Reads what a step of the schedule sets.
fn set_of_step(set: &Map<String, Value>, at: &str) -> Result<Vec<Change>, Vec<Problem>> {
    read(at, set, Writer::Step)
}

/// Who writes changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// An operator, while the room runs.
    Operator,
    /// A step of the schedule.
    Step,
}

/// Pairs dates to periods. The error is the key at fault, what is wrong and the cure.
pub(super) fn paired(opens: &[Date], closes: &[Date]) -> Result<Vec<Period>, (&'static str, String, String)> {
    let ms = |dates: &[Date]| dates.iter().map(|date| date.at_ms).collect::<Vec<u64>>();
    periods(&ms(opens), &ms(closes)).map_err(|(what, cure)| {
        let key = if opens.is_empty() { LiveKey::ClosesAt } else { LiveKey::OpensAt };
        (key.name(), what.to_owned(), cure.to_owned())
    })
}

/// Reads the changes in the table `at`.
///
/// # Errors
/// Returns every problem, among them keys that this writer may not change.
pub(super) fn read(at: &str, written: &Map<String, Value>, by: Writer) -> Result<Vec<Change>, Vec<Problem>> {
    let mut reader = Reader::new(written, at.to_owned());
    let mut changes = Vec::new();
    for (name, value) in written {
        let key = LiveKey::ALL.iter().find(|key| key.name() == name);
        match (key, by) {
            (Some(LiveKey::Schedule), Writer::Step) => reader.problems.push(Problem::new(
                format!("{at}.{name}"),
                None,
                "would change the schedule itself",
                "Write its steps beside this one",
            )),
            (Some(key), _) if value.is_null() => changes.push(key.cleared()),
            (Some(key), _) => changes.push(key.read(&mut reader)),
            (None, _) => reader.problems.push(not_live(at, name, value, by)),
        }
    }
    if reader.problems.is_empty() { Ok(changes) } else { Err(reader.problems) }
}

/// Makes the problem of a key that is none that may change while people wait.
fn not_live(at: &str, name: &str, value: &Value, by: Writer) -> Problem {
    if KEYS.iter().any(|key| key.name == name) {
        let cure = match by {
            Writer::Operator => "Change it in wrangler.toml and deploy",
            Writer::Step => "Leave it out of the schedule, and change it with a deploy",
        };
        let what = "cannot be changed while the room runs";
        return Problem::new(format!("{at}.{name}"), Some(value), what, cure);
    }
    let names: Vec<&str> = LiveKey::ALL.iter().map(|key| key.name()).collect();
    unknown(at, name, value, &names)
}
