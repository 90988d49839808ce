//! What an operator can set on a room, in the core's units. One table defines the core's configuration, its keys in the file, how
//! they are read, and their defaults.

use super::hall::Draw;
use super::hours::{Date, Period};
use super::lanes::{Lane, LanesRule};
use super::limits::{LINE_MAX, PERMITS_MAX, TEXT_CHARS_MAX};
use super::live::{Lay as _, Ramped, Written};
pub use super::mode::Mode;
use super::notice::Notice;
use super::ordered::filled;
use super::setting::Changes::{Deploy, Live, Ramp};
use super::setting::{DAY_S, HOUR_S, Key, Kind, MINUTE_S, key};
use super::units::Instant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

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
    /// Reads a number that may be a ramp.
    fn ramped<T: Setting>(&mut self, name: &str) -> Ramped<T>;
    /// Reads the dates of one list.
    fn dates(&mut self, name: &str) -> Vec<Date>;
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

impl Setting for Vec<Date> {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.dates(name)
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

impl Setting for Mode {
    fn read(name: &str, source: &mut impl Source) -> Self {
        Self::named(&source.word(name)).unwrap_or_default()
    }
}

impl<T: Setting> Setting for Ramped<T> {
    fn read(name: &str, source: &mut impl Source) -> Self {
        source.ramped(name)
    }
}

/// The type of a live value: that of the setting, unless the table gives another.
macro_rules! live_type {
    (Ramp, $type:ty) => { Ramped<$type> };
    (Live, $type:ty) => { $type };
    (Live, $type:ty, $live:ty) => { $live };
}

/// Generates the configuration, [`KEYS`], the function that reads the settings, and the changes of live values, all from one table.
macro_rules! settings {
    ($($(#[$more:meta])* $field:ident: $type:ty {
        $name:literal, $kind:expr, $default:expr, $change:ident $(($variant:ident $(: $live:ty)?))?, $doc:literal
        $(; $name_2:literal, $kind_2:expr, $default_2:expr, $change_2:ident($variant_2:ident: $live_2:ty), $doc_2:literal)?
    })*) => {
        /// The settings that the core decides by. Durations are in milliseconds of the room's clock, rates in thousandths. The settings are stored
        /// by position, so a new one goes to the end.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct RoomConfig {
            $(#[doc = $doc] $(#[doc = ""] #[doc = $doc_2])? $(#[doc = ""] #[$more])* pub $field: $type,)*
        }

        /// The keys of these settings in the file, in the same order.
        pub const KEYS: &[Key] = &[$(
            key($name, $kind, $default, $change, $doc),
            $(key($name_2, $kind_2, $default_2, $change_2, $doc_2),)?
        )*];

        impl RoomConfig {
            /// Reads every setting.
            pub fn read(source: &mut impl Source) -> Self {
                Self { $($field: Setting::read($name, source),)* }
            }
        }

        /// A setting that may change while people wait.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum LiveKey {
            $($(#[doc = $doc] $variant,)? $(#[doc = $doc_2] $variant_2,)?)*
        }

        /// A change of one setting while people wait: its new value, or `None` to go back to the file's. Changes are stored by position, so a new
        /// setting goes to the end.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Change {
            $(
                $(#[doc = $doc] $variant(Option<live_type!($change, $type $(, $live)?)>),)?
                $(#[doc = $doc_2] $variant_2(Option<$live_2>),)?
            )*
        }

        impl LiveKey {
            /// Every setting that may change while people wait.
            pub const ALL: &[Self] = &[$($(Self::$variant,)? $(Self::$variant_2,)?)*];

            /// Returns the setting's name in the file.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$variant => { $name })? $(Self::$variant_2 => { $name_2 })?)*
                }
            }

            /// Returns the change back to the file's value.
            #[must_use]
            pub const fn cleared(self) -> Change {
                match self {
                    $($(Self::$variant => { Change::$variant(None) })? $(Self::$variant_2 => { Change::$variant_2(None) })?)*
                }
            }

            /// Reads the new value of this setting.
            pub fn read(self, source: &mut impl Source) -> Change {
                match self {
                    $(
                        $(Self::$variant => { Change::$variant(Some(Setting::read($name, source))) })?
                        $(Self::$variant_2 => { Change::$variant_2(Some(Setting::read($name_2, source))) })?
                    )*
                }
            }
        }

        impl Change {
            /// Returns the setting that changes.
            #[must_use]
            pub const fn key(&self) -> LiveKey {
                match self {
                    $($(Self::$variant(_) => { LiveKey::$variant })? $(Self::$variant_2(_) => { LiveKey::$variant_2 })?)*
                }
            }

            /// Returns whether this sets a value, and does not go back to the file's.
            #[must_use]
            pub const fn is_set(&self) -> bool {
                match self {
                    $($(Self::$variant(to) => { to.is_some() })? $(Self::$variant_2(to) => { to.is_some() })?)*
                }
            }

            /// Writes the value as the operator writes it; `null` for the file's.
            #[must_use]
            pub fn written(&self) -> Value {
                match self {
                    $(
                        $(Self::$variant(to) => { to.as_ref().map_or(Value::Null, |to| to.written($kind)) })?
                        $(Self::$variant_2(to) => { to.as_ref().map_or(Value::Null, |to| to.written($kind_2)) })?
                    )*
                }
            }

            /// Lets a ramp begin at `now`, from the value of this configuration, which is in force, unless it says from where.
            pub fn begin(&mut self, now: Instant, in_force: &RoomConfig) {
                match self {
                    $(
                        $(Self::$variant(to) => { if let Some(to) = to { to.begin(now, &in_force.$field); } })?
                        $(Self::$variant_2(to) => { if let Some(to) = to { to.begin(now, &in_force.$field); } })?
                    )*
                }
            }

            /// Lays the value over this configuration; a ramp counts as the value where it leads. The file's value changes nothing, nor does
            /// one of the two lists of dates.
            pub fn lay(&self, config: &mut RoomConfig) {
                match self {
                    $(
                        $(Self::$variant(to) => { if let Some(to) = to { to.lay(&mut config.$field); } })?
                        $(Self::$variant_2(to) => { if let Some(to) = to { to.lay(&mut config.$field); } })?
                    )*
                }
            }
        }
    };
}

// This table alone defines a setting of the core: the field and its type, then its key in the file, what the key takes, its default, who may change
// it, and its line in the reference, which also documents the field. `Live` and `Ramp` name the variant of `Change`; a `Ramp` may change bit by bit.
settings! {
    permits: u32 { "permits", Kind::Count { min: 0, max: PERMITS_MAX as u64 }, None, Ramp(Permits),
        "How many visitors may be inside at once; a load test of the origin finds it" }
    mode: Mode { "mode", Kind::Word(&Mode::NAMES), Some("\"open\""), Live(Mode),
        "What the room does with visitors; see *Modes*" }
    /// A visitor walks in only when nobody present waits.
    walk_in: bool { "walk_in", Kind::Switch, Some("true"), Live(WalkIn),
        "Whether a visitor goes straight in while a permit is free and nobody waits" }
    tick_ms: u64 { "tick_ms", Kind::Millis { min: 20, max: 60_000 }, Some("1000"), Live(TickMs),
        "The least time between two turns of the usher" }
    /// A walk-in that has not shown its cookie yet keeps its permit for the same time.
    claim_within_ms: u64 { "claim_within_s", Kind::Seconds { min: 1, max: HOUR_S }, Some("30"), Live(ClaimWithinMs),
        "How long a called visitor has to come" }
    /// A place is kept at least this long, and at most a fourteenth and one tick longer.
    grace_ms: u64 { "grace_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("3600"), Live(GraceMs),
        "How long somebody may be away and keep the place" }
    lease_idle_ms: u64 { "lease_idle_s", Kind::Seconds { min: 1, max: 7 * DAY_S }, Some("300"), Live(LeaseIdleMs),
        "How long a visitor may be idle inside; activity begins it anew" }
    lease_max_ms: u64 { "lease_max_s", Kind::Seconds { min: 1, max: 7 * DAY_S }, Some("1800"), Live(LeaseMaxMs),
        "How long a visitor may be inside in all" }
    lease_extend_max_ms: u64 { "lease_extend_max_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("1800"), Live(LeaseExtendMaxMs),
        "How far `Baton-Extend` may move that end, in all" }
    admissions_milli_per_s: u64 { "admissions_per_s", Kind::Rate { max: 100_000 }, Some("0"), Ramp(AdmissionsMilliPerS),
        "The most calls a second, up to three decimals; 0: no cap" }
    origin_errors_max_percent: u32 { "origin_errors_max_percent", Kind::Count { min: 0, max: 99 }, Some("0"), Live(OriginErrorsMaxPercent),
        "The most errors (5xx, or none to a GET or HEAD) among the origin's answers to people inside; above it [nobody is called](operating.md#when-the-origin-fails). 0: off" }
    origin_errors_window_ms: u64 { "origin_errors_window_s", Kind::Seconds { min: 1, max: 10 * MINUTE_S }, Some("30"), Live(OriginErrorsWindowMs),
        "How long these are counted, and how long calling then stops" }
    stock_line: bool { "stock_line", Kind::Switch, Some("false"), Deploy,
        "Whether the page says up to which number people can expect a seat; needs `ORIGIN_SECRET` and [the shop's reports](protocol.md#the-stock-line)" }
    message: Notice { "message", Kind::Notice { chars_max: TEXT_CHARS_MAX }, Some("\"\""), Live(Message),
        "What the operator tells everybody who waits; text, never markup. By language: `{ any = \"…\", ja = \"…\" }`" }
    /// The periods are in order, with gaps between them. Without any, the room is always open.
    periods: Vec<Period> { "opens_at", Kind::Dates, Some("[]"), Live(OpensAt: Vec<Date>),
        "When the room opens, such as `\"2026-12-01T10:00:00+09:00\"`; a list for several days, with a `closes_at` between any two. None: it is open";
        "closes_at", Kind::Dates, Some("[]"), Live(ClosesAt: Vec<Date>),
        "When it closes, as by `mode = \"closed\"`; `bypass` and `observe` know no hours. None: it stays open" }
    hall_ms: u64 { "hall_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("3600"), Live(HallMs),
        "How long before an opening people may come and take part in the draw; 0: not at all" }
    draw: Draw { "draw", Kind::Word(&Draw::NAMES), Some("\"shuffle\""), Live(Draw),
        "How people who came before an opening get [numbers](draw.md): by lot, or (`\"arrival\"`) in the order they came" }
    /// The steps are in order of time, no two at the same moment.
    schedule: Vec<Step> { "schedule", Kind::Schedule, Some("[]"), Live(Schedule),
        "What changes by itself, and when; see [operating.md](operating.md#a-schedule)" }
    /// The lanes are in order: the first is the best, the last is everybody's. Without any, the room has one line.
    lanes: Vec<Lane> { "lanes", Kind::Lanes, Some("[]"), Live(Lanes),
        "Several lines that share the permits; see [lanes.md](lanes.md)" }
    lanes_rule: LanesRule { "lanes_rule", Kind::Word(&LanesRule::NAMES), Some("\"strict\""), Live(LanesRule),
        "Which lane is called next: the first with anybody present, or (`\"shares\"`) each in turn, by its `share`" }
    /// People of other lanes come with the shop's word, so they do not count and are never turned away for it.
    line_max: u32 { "line_max", Kind::Count { min: 0, max: LINE_MAX }, Some("0"), Live(LineMax),
        "The most people with a place in everybody's line, its hall included; whoever comes then is told that [the line is full](operating.md#a-full-line). 0: no cap" }
}

/// The configuration of a file that sets nothing. `permits` has no default and is 200 here.
impl Default for RoomConfig {
    fn default() -> Self {
        Self::read(&mut Defaults(KEYS))
    }
}

/// One step: at this moment the room takes these live values, as if an operator had set them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When the step is due, in Unix ms: the wall clock rules, not the room's. No two steps of a schedule share a moment.
    pub at_ms: u64,
    /// The offset from UTC in which the operator wrote the moment, in seconds.
    pub offset_s: i32,
    /// What changes. A ramp stands here as it was written; where and when it begins is known only when the room carries out the step.
    pub set: Vec<Change>,
}

impl Written for Vec<Step> {
    fn written(&self, _: Kind) -> Value {
        let step = |step: &Step| {
            let set = step.set.iter();
            let set: Map<String, Value> = filled(set.map(|change| (change.key().name().to_owned(), change.written())));
            let at = Date {
                at_ms: step.at_ms,
                offset_s: step.offset_s,
            };
            json!({ "at": at.text(), "set": set })
        };
        self.iter().map(step).collect()
    }
}

/// A file that contains nothing but an example for each key without a default.
struct Defaults(&'static [Key]);

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

    fn ramped<T: Setting>(&mut self, name: &str) -> Ramped<T> {
        Ramped::At(T::read(name, self))
    }

    fn dates(&mut self, _: &str) -> Vec<Date> {
        Vec::new()
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
