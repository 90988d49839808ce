//! Reads one room's keys by the schema's table: type, range and default come from there alone.

use serde_json::{Map, Value};

use super::lanes::{Hours, lanes};
use super::problem::distance;
use super::schema::{ADDRESS_BYTES_MAX, KEYS, Key, Kind};
use super::steps::{steps, unix_ms};
use super::{
    Crawlers, EntryPolicy, Home, Limits, OpenPolicy, PageSettings, PreflightPolicy, Problem,
    RoomSettings, Strict,
};
use crate::brand::image::{IMAGES_AT, named_by};
use crate::facts::config::RoomConfig;
use crate::facts::hall::Draw;
use crate::facts::hours::Period;
use crate::facts::lanes::Lane;
use crate::facts::limits::PERIODS_MAX;
use crate::facts::notice::Notice;
use crate::facts::schedule::Step;
use crate::facts::setting::{Setting as _, Source};
use crate::room::hours::periods;
use crate::spelling::{CookieDomain, Exception, Pattern};

/// Reads one room's keys by the schema.
pub(super) struct Reader<'a> {
    pub table: &'a Map<String, Value>,
    pub at: String,
    pub problems: Vec<Problem>,
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
            page: PageSettings {
                title: self.text("page_title"),
                logo: self.text("page_logo"),
                message: self.text("page_message"),
                help_url: self.text("page_help_url"),
                style: self.colours("page_colours"),
                texts: self.texts("page_texts"),
            },
            defined: None,
            over: Vec::new(),
            is_over: false,
        }
    }

    pub fn problem(&mut self, key: &str, what: String, cure: String) {
        let at = format!("{}.{key}", self.at);
        self.problems
            .push(Problem::new(at, self.table.get(key), what, cure));
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
        let quoted = value
            .as_str()
            .is_some_and(|text| thousandths(text).is_some());
        let hint = if quoted { ", without quotes" } else { "" };
        let example = KEYS.iter().find(|key| key.name == name);
        let example = example.map_or("", Key::example);
        self.problem(
            name,
            format!("is not {what} {}", kind.range_text().replace('`', "")),
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
                let what = format!("is none of {}", Kind::Strict.range_text().replace('`', ""));
                let cure = "Write strict = \"all\", strict = \"unsafe\" or strict = false";
                self.problem(name, what, cure.to_owned());
                Strict::Off
            }
        }
    }

    /// Reads dates in Unix ms. Returns `None` if there are too many, or if one is no date.
    pub fn dates(&mut self, name: &str) -> Option<Vec<u64>> {
        let (_, value) = self.value(name)?;
        let listed = match &value {
            Value::Array(list) => list.as_slice(),
            one => core::slice::from_ref(one),
        };
        let read = |value: &Value| value.as_str().and_then(unix_ms).ok_or(value.to_string());
        let dates: Result<Vec<u64>, String> = listed.iter().map(read).collect();
        let cure = format!(
            "Write {name} = \"2026-12-01T10:00:00+09:00\", in quotes and with the offset from UTC"
        );
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
        let cure =
            "Write the name that all hosts end in, such as \"example.com\", without a dot in front";
        parsed
            .map_err(|what| self.problem(name, what.to_owned(), cure.to_owned()))
            .ok()
    }
}

impl Source for Reader<'_> {
    fn number(&mut self, name: &str) -> u64 {
        let Some((kind, value)) = self.value(name) else {
            return 0;
        };
        let parsed = value
            .as_number()
            .and_then(|number| thousandths(&number.to_string()));
        let whole = parsed
            .filter(|milli| milli % 1_000 == 0)
            .map(|milli| milli / 1_000);
        let found = match kind {
            Kind::Count { min, max } | Kind::Millis { min, max } => {
                whole.filter(|n| (min..=max).contains(n))
            }
            Kind::Seconds { min, max } => whole
                .filter(|n| (min..=max).contains(n))
                .map(|s| s.saturating_mul(1_000)),
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
                let nearest = value.as_str().and_then(|text| {
                    words
                        .iter()
                        .filter(|word| !word.is_empty())
                        .min_by_key(|word| distance(text, word))
                });
                let cure = format!(
                    "Write e.g. {name} = {:?}",
                    nearest.copied().unwrap_or_default()
                );
                let range = Kind::Word(words).range_text().replace('`', "");
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
        steps(&self.at, name, value).unwrap_or_else(|problems| {
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

    fn periods(&mut self) -> Vec<Period> {
        let (opens, closes) = (self.dates("opens_at"), self.dates("closes_at"));
        let (Some(opens), Some(closes)) = (opens, closes) else {
            return Vec::new();
        };
        periods(&opens, &closes).unwrap_or_else(|(what, cure)| {
            let key = if opens.is_empty() {
                "closes_at"
            } else {
                "opens_at"
            };
            self.problem(key, what.to_owned(), cure.to_owned());
            Vec::new()
        })
    }
}

/// Reads the keys that a lane shares with its room, as the room's are read.
fn hours_of_lane(table: &Map<String, Value>, at: &str) -> Result<Hours, Vec<Problem>> {
    let mut reader = Reader {
        table,
        at: at.to_owned(),
        problems: Vec::new(),
    };
    let gives = |key: &str| table.contains_key(key);
    let has_hours = gives("opens_at") || gives("closes_at");
    let hours = Hours {
        periods: has_hours.then(|| reader.periods()),
        hall_ms: gives("hall_s").then(|| reader.number("hall_s")),
        draw: gives("draw").then(|| Draw::read("draw", &mut reader)),
    };
    if reader.problems.is_empty() {
        Ok(hours)
    } else {
        Err(reader.problems)
    }
}

/// Returns what is wrong with a text for visitors, and the cure; `None` if nothing is.
pub(super) fn wrong_text(text: &str, chars_max: usize) -> Option<(String, &'static str)> {
    let chars = text.chars().count();
    if chars > chars_max {
        let what = format!("has {chars} characters, more than {chars_max}");
        return Some((what, "Say it shorter"));
    }
    let control = text.chars().any(|c| c.is_control() && c != '\n');
    control.then(|| {
        let cure = "Use plain text; \\n begins a new line";
        ("has control characters".to_owned(), cure)
    })
}

/// Returns what is wrong with an address on the page, and the cure; `None` if nothing is. It refuses whatever could run a script.
fn wrong_address(text: &str, kind: Kind) -> Option<(String, &'static str)> {
    let (begins, cure): (&[&str], _) = match kind {
        Kind::Picture => (
            &["/", "data:image/"],
            "Write a path of the site such as \"/logo.svg\", or \"data:image/…\"",
        ),
        Kind::Page => (&["/"], "Write a path of the site such as \"/tickets\""),
        _ => (
            &["/", "https://", "mailto:"],
            "Write \"https://…\", \"mailto:…\" or a path of the site such as \"/help\"",
        ),
    };
    let plain = text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    let known = begins.iter().any(|begin| text.starts_with(begin)) && !text.starts_with("//");
    let honest = !matches!(kind, Kind::Picture) || is_of_one_picture(text);
    if text.is_empty() || (plain && known && honest && text.len() <= ADDRESS_BYTES_MAX) {
        return None;
    }
    let what = if text.len() > ADDRESS_BYTES_MAX {
        format!("is longer than {ADDRESS_BYTES_MAX} bytes")
    } else {
        "is no address that the page may use".to_owned()
    };
    Some((what, cure))
}

/// Returns whether the address of a picture has one spelling: whose picture it shows is decided by its text. Browsers take out dot segments, a query and a
/// fragment before Baton sees the path, so a picture of the house is named without any of them.
fn is_of_one_picture(text: &str) -> bool {
    if !text.starts_with('/') {
        return true;
    }
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let is_dotted = path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    });
    !is_dotted && (!path.starts_with(IMAGES_AT) || named_by(text).is_some())
}

/// Reads a decimal text in thousandths, exactly: `"200"`, `"200.0"`, `"0.125"`. Returns `None` for anything else (signs, exponents, more decimals,
/// numbers beyond u64). It computes with no float.
pub(super) fn thousandths(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let decimals = match decimals.trim_end_matches('0') {
        "" if digits(decimals) => "0",
        rest => rest,
    };
    if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
        return None;
    }
    let milli: u64 = format!("{decimals:0<3}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(milli)
}
