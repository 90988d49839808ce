//! What a setting is: its key in the file, what the key takes, its default, and who may change it.

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
pub enum Changes {
    /// An operator may change it while people wait.
    Live,
    /// An operator may change it while people wait, at once or bit by bit.
    Ramp,
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
    pub change: Changes,
    /// One line for the reference.
    pub doc: &'static str,
}

/// Makes a key.
#[must_use]
pub const fn key(name: &'static str, kind: Kind, default: Option<&'static str>, change: Changes, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        default,
        change,
        doc,
    }
}

impl Key {
    /// Returns whether an operator may change the key while people wait.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        !matches!(self.change, Changes::Deploy)
    }

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
