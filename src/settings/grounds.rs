//! Reads `GROUNDS`: the hosts and paths within which the house may put rooms.

use serde_json::{Map, Value};

use super::problem::unknown;
use super::schema::{self, Kind, PATTERN_BYTES_MAX, PATTERNS_MAX};
use super::{Home, Problem, RoomSettings};
use spelling::{Host, HostPattern, Pattern};

/// The keys of `GROUNDS`.
pub(super) const KEYS: [&str; 4] = ["hosts", "jurisdiction", "location", "paths"];

/// The grounds of the house. Its rooms gate within them and nowhere else; for a request outside, no front asks the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounds {
    /// Empty means every host.
    hosts: Vec<HostPattern>,
    paths: Vec<Pattern>,
    home: Home,
}

impl Grounds {
    /// Where the house's object lives.
    #[must_use]
    pub const fn home(&self) -> &Home {
        &self.home
    }

    /// Returns whether every path lies within.
    #[must_use]
    pub fn are_everywhere(&self) -> bool {
        self.paths.iter().any(Pattern::is_everything)
    }

    /// Returns whether a request to this host may be for a room of the house. O(hosts).
    #[must_use]
    pub fn have(&self, host: &Host) -> bool {
        self.hosts.is_empty() || self.hosts.iter().any(|own| own.matches(host))
    }

    /// The hosts; an empty list means every host.
    #[must_use]
    pub fn hosts(&self) -> &[HostPattern] {
        &self.hosts
    }

    /// The paths, for matching.
    #[must_use]
    pub fn paths(&self) -> &[Pattern] {
        &self.paths
    }

    /// Returns a problem if the room names a path or a host outside the grounds.
    pub(super) fn outside(&self, at: &str, room: &RoomSettings) -> Option<Problem> {
        let path = room.paths.iter().find(|text| {
            let pattern = Pattern::parse(text).ok();
            !pattern.is_some_and(|pattern| self.paths.iter().any(|own| own.covers(&pattern)))
        });
        if let Some(path) = path {
            let own: Vec<&str> = self.paths.iter().map(Pattern::as_str).collect();
            let what = format!("lies outside the grounds of the house ({})", own.join(", "));
            let cure = "Give another path, or widen [vars.GROUNDS] in wrangler.toml and deploy";
            let path = Value::from(path.as_str());
            return Some(Problem::new(format!("{at}.paths"), Some(&path), what, cure));
        }
        if self.hosts.is_empty() {
            return None;
        }
        let is_ours = |text: &String| {
            let host = HostPattern::parse(text);
            host.is_some_and(|host| self.hosts.iter().any(|own| own.covers(&host)))
        };
        let own: Vec<String> = self.hosts.iter().map(ToString::to_string).collect();
        let what = format!("name hosts outside the grounds of the house ({})", own.join(", "));
        let cure = "Name hosts within the grounds, at least one";
        let wrong = room.hosts.is_empty() || !room.hosts.iter().all(is_ours);
        wrong.then(|| Problem::new(format!("{at}.hosts"), None, what, cure))
    }
}

/// Reads `GROUNDS`. Returns `None` if it is not there, or a problem leaves nothing to use.
pub(super) fn parse_grounds(value: Option<&Value>, problems: &mut Vec<Problem>) -> Option<Grounds> {
    let value = value.filter(|value| !value.is_null())?;
    let cure = "Write [vars.GROUNDS] with paths = [\"/*\"], and hosts = [\"tickets.example.com\"] if it is not for all";
    let Some(table) = value.as_object() else {
        problems.push(Problem::new("GROUNDS", Some(value), "is not a table", cure));
        return None;
    };
    for (key, value) in table {
        if !KEYS.contains(&key.as_str()) {
            problems.push(unknown("GROUNDS", key, value, &KEYS));
        }
    }
    let hosts = texts(table, "hosts", problems)?;
    let hosts = each(&hosts, "GROUNDS.hosts", problems, |text| HostPattern::parse(text).ok_or("is no host"));
    let paths = texts(table, "paths", problems)?;
    if paths.is_empty() {
        problems.push(Problem::new("GROUNDS.paths", None, "names no path", cure));
    }
    let paths = each(&paths, "GROUNDS.paths", problems, |text| {
        let pattern = Pattern::parse(text);
        let pattern = pattern.map_err(|_| "is no path pattern")?;
        let bounds = pattern.bounds_others();
        bounds.then_some(pattern).ok_or("does not end with /*, or has another * or a method")
    });
    let home = Home {
        location: word(table, "location", "auto", problems),
        generation: 1,
        jurisdiction: Some(word(table, "jurisdiction", "", problems)).filter(|it| !it.is_empty()),
    };
    Some(Grounds { hosts, paths, home })
}

/// Reads one of the words that a room's key of the same name takes.
fn word(table: &Map<String, Value>, name: &str, default: &str, problems: &mut Vec<Problem>) -> String {
    let key = schema::KEYS.iter().find(|key| key.name == name);
    let words = match key.map(|key| key.kind) {
        Some(Kind::Word(words)) => words,
        _ => &[],
    };
    match table.get(name) {
        None => default.to_owned(),
        Some(value) => match value.as_str().filter(|text| words.contains(text)) {
            Some(text) => text.to_owned(),
            None => {
                let what = format!("is none of {}", words.join(", "));
                let cure = format!("Write {name} = \"{default}\", or another of these");
                let at = format!("GROUNDS.{name}");
                problems.push(Problem::new(at, Some(value), what, cure));
                default.to_owned()
            }
        },
    }
}

fn texts(table: &Map<String, Value>, key: &str, problems: &mut Vec<Problem>) -> Option<Vec<String>> {
    let Some(value) = table.get(key) else {
        return Some(Vec::new());
    };
    let list = value.as_array().filter(|list| list.len() <= PATTERNS_MAX).map(|list| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        list.iter().map(text).collect::<Option<Vec<_>>>()
    });
    let list = list.flatten();
    if list.is_none() {
        let what = format!("is not a list of at most {PATTERNS_MAX} texts");
        let cure = format!("Write {key} = [\"…\"]");
        problems.push(Problem::new(format!("GROUNDS.{key}"), Some(value), what, cure));
    }
    list
}

fn each<T>(list: &[String], at: &str, problems: &mut Vec<Problem>, read: impl Fn(&str) -> Result<T, &'static str>) -> Vec<T> {
    let mut found = Vec::new();
    for text in list {
        let long = (text.len() > PATTERN_BYTES_MAX).then_some("is too long");
        match long.map_or_else(|| read(text), Err) {
            Ok(one) => found.push(one),
            Err(what) => {
                let cure = "Write such as \"/*\" or \"/events/*\", and hosts without a scheme";
                problems.push(Problem::new(at, Some(&Value::from(text.as_str())), what, cure));
            }
        }
    }
    found
}
