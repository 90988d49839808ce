//! What a setting is: its key in the file, what the key takes, its default, who may change it, and how it is read.

use super::hall::Draw;
use super::hours::Period;
use super::lanes::{Lane, LanesRule};
use super::notice::Notice;
use super::schedule::Step;

/// Seconds in a minute.
pub const MINUTE_S: u64 = 60;
/// Seconds in an hour.
pub const HOUR_S: u64 = 60 * MINUTE_S;
/// Seconds in a day.
pub const DAY_S: u64 = 24 * HOUR_S;

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in this range.
    Count {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// Whole seconds in this range, kept in ms.
    Seconds {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// Whole milliseconds in this range.
    Millis {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A rate per second with up to three decimals, at most `max`, kept in thousandths.
    Rate {
        /// The maximum, in whole units.
        max: u64,
    },
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these numbers.
    OneOf(&'static [u64]),
    /// A list of path patterns.
    Paths,
    /// A list of host names.
    Hosts,
    /// A list of addresses and networks.
    Networks,
    /// A list of origins of apps.
    Origins,
    /// A domain name.
    Domain,
    /// A date with its offset from UTC, or a list of them.
    Dates,
    /// A list of steps, each with its date and what it sets.
    Schedule,
    /// A list of lanes.
    Lanes,
    /// `false`, `"unsafe"` or `"all"`.
    Strict,
    /// Plain text for visitors.
    Text {
        /// The maximum number of characters.
        chars_max: usize,
    },
    /// Plain text for visitors, or such a text by language.
    Notice {
        /// The maximum number of characters of one text.
        chars_max: usize,
    },
    /// The address of a picture that the page's Content-Security-Policy lets in.
    Picture,
    /// The address to which a link of the page leads.
    Link,
    /// The path of a page of the site.
    Page,
    /// Colours of the page, for light and for dark screens.
    Colours,
    /// Texts of the page, by language.
    Texts,
}

/// How a key may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// An operator may change it while people wait.
    Live,
    /// It changes only in the file, with a deploy.
    Deploy,
}

/// One key of a room's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The name, as it stands in the file.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The default as JSON; `None` if the key must be given.
    pub default: Option<&'static str>,
    /// How it may be changed.
    pub change: Change,
    /// One line for the reference.
    pub doc: &'static str,
}

/// Makes a key.
#[must_use]
pub const fn key(
    name: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    change: Change,
    doc: &'static str,
) -> Key {
    Key {
        name,
        kind,
        default,
        change,
        doc,
    }
}

impl Key {
    /// A value that the key takes, as JSON: the default, if it has one.
    #[must_use]
    pub const fn example(&self) -> &'static str {
        match (self.default, self.kind) {
            (Some(default), _) => default,
            (None, Kind::Paths) => "[\"/buy/*\"]",
            (None, _) => "200",
        }
    }
}

/// Where settings are read from. A source answers in the core's units and records errors itself.
pub trait Source {
    /// Reads a whole number or a rate: durations in ms, rates in thousandths, counts as they are.
    fn number(&mut self, name: &str) -> u64;
    /// Reads `true` or `false`.
    fn switch(&mut self, name: &str) -> bool;
    /// Reads one of the words that the key takes.
    fn word(&mut self, name: &str) -> String;
    /// Reads a text.
    fn text(&mut self, name: &str) -> String;
    /// Reads a text, or a text by language.
    fn notice(&mut self, name: &str) -> Notice;
    /// Reads the dates of both lists, paired.
    fn periods(&mut self) -> Vec<Period>;
    /// Reads the steps of the schedule, in order of time.
    fn steps(&mut self, name: &str) -> Vec<Step>;
    /// Reads the lanes, in order.
    fn lanes(&mut self, name: &str) -> Vec<Lane>;
}

/// A type in which the core keeps a setting.
pub trait Setting {
    /// Reads the key of this name.
    fn read(name: &str, source: &mut impl Source) -> Self;
}

impl Setting for u64 {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.number(name)
    }
}

impl Setting for u32 {
    fn read(name: &str, source: &mut impl Source) -> Self {
        Self::try_from(source.number(name)).unwrap_or(Self::MAX)
    }
}

impl Setting for bool {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.switch(name)
    }
}

impl Setting for String {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.text(name)
    }
}

impl Setting for Notice {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.notice(name)
    }
}

impl Setting for Draw {
    fn read(name: &str, source: &mut impl Source) -> Self {
        Self::named(&source.word(name)).unwrap_or_default()
    }
}

/// Two keys make one setting: a date of one list means nothing without the other list.
impl Setting for Vec<Period> {
    fn read(_: &str, source: &mut impl Source) -> Self {
        source.periods()
    }
}

impl Setting for Vec<Step> {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.steps(name)
    }
}

impl Setting for Vec<Lane> {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.lanes(name)
    }
}

impl Setting for LanesRule {
    fn read(name: &str, source: &mut impl Source) -> Self {
        Self::named(&source.word(name)).unwrap_or_default()
    }
}

/// A file that contains nothing but an example for each key without a default.
pub(super) struct Defaults(pub &'static [Key]);

impl Defaults {
    fn key(&self, name: &str) -> Option<&'static Key> {
        self.0.iter().find(|key| key.name == name)
    }
}

impl Source for Defaults {
    fn number(&mut self, name: &str) -> u64 {
        let of = |key: &Key| {
            let number: u64 = key.example().parse().ok()?;
            let is_kept_finer = matches!(key.kind, Kind::Seconds { .. } | Kind::Rate { .. });
            Some(number * if is_kept_finer { 1_000 } else { 1 })
        };
        self.key(name).and_then(of).unwrap_or_default()
    }

    fn switch(&mut self, name: &str) -> bool {
        self.key(name).is_some_and(|key| key.example() == "true")
    }

    fn word(&mut self, name: &str) -> String {
        self.text(name)
    }

    fn text(&mut self, name: &str) -> String {
        let json = self.key(name).map_or("", Key::example);
        json.trim_matches('"').to_owned()
    }

    fn notice(&mut self, name: &str) -> Notice {
        Notice::of(&self.text(name))
    }

    fn periods(&mut self) -> Vec<Period> {
        Vec::new()
    }

    fn steps(&mut self, _: &str) -> Vec<Step> {
        Vec::new()
    }

    fn lanes(&mut self, _: &str) -> Vec<Lane> {
        Vec::new()
    }
}
