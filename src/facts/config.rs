//! What an operator can set on a room, in the core's units: one table, from which follow the core's configuration, its keys in the
//! file, how they are read, and their defaults.

use super::hall::Draw;
use super::hours::Period;
use super::lanes::{Lane, LanesRule};
use super::limits::{PERMITS_MAX, TEXT_CHARS_MAX};
use super::schedule::Step;
use super::setting::Change::{Deploy, Live};
use super::setting::{DAY_S, Defaults, HOUR_S, Key, Kind, MINUTE_S, Setting, Source, key};
use serde::{Deserialize, Serialize};

/// What the room does with the people who come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Permits are given out.
    #[default]
    Open,
    /// The line forms, nobody is called and nobody walks in; leases go on.
    Paused,
    /// Everybody passes without a permit. The line stands still.
    Bypass,
    /// Outside the hours: nobody joins, nobody is called; who waits keeps the place, leases go on.
    Closed,
    /// There is nothing left: everybody who waits is told so and is over, nobody joins.
    SoldOut,
    /// Nobody joins any more; those in line are still called.
    Drain,
    /// Everybody passes and nobody waits, each with a permit that is made for it when none is free:
    /// the room counts how many would have been inside.
    Observe,
}

impl Mode {
    /// The name of the mode in configuration, status and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Bypass => "bypass",
            Self::Closed => "closed",
            Self::SoldOut => "sold_out",
            Self::Drain => "drain",
            Self::Observe => "observe",
        }
    }

    /// Every mode.
    pub const ALL: [Self; 7] = [
        Self::Open,
        Self::Paused,
        Self::Bypass,
        Self::Closed,
        Self::SoldOut,
        Self::Drain,
        Self::Observe,
    ];

    /// The names, in the same order.
    pub const NAMES: [&str; Self::ALL.len()] = [
        Self::Open.name(),
        Self::Paused.name(),
        Self::Bypass.name(),
        Self::Closed.name(),
        Self::SoldOut.name(),
        Self::Drain.name(),
        Self::Observe.name(),
    ];

    /// The mode of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether those in line are called.
    #[must_use]
    pub const fn calls(self) -> bool {
        matches!(self, Self::Open | Self::Drain)
    }

    /// Whether tickets are issued.
    #[must_use]
    pub const fn issues(self) -> bool {
        matches!(
            self,
            Self::Open | Self::Paused | Self::Bypass | Self::Observe
        )
    }

    /// Whether everybody passes, permit or not, and nobody is kept.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(self, Self::Bypass | Self::Observe)
    }
}

impl Setting for Mode {
    fn read(name: &str, source: &mut impl Source) -> Self {
        Self::named(&source.word(name)).unwrap_or_default()
    }
}

/// From the table of settings: the configuration, [`KEYS`], and how the one is read by the other.
macro_rules! settings {
    ($($(#[$more:meta])* $field:ident: $type:ty {
        $name:literal, $kind:expr, $default:expr, $change:ident, $doc:literal
        $(; $name_2:literal, $kind_2:expr, $default_2:expr, $change_2:ident, $doc_2:literal)?
    })*) => {
        /// The settings the core decides by. Durations in milliseconds of the room's clock, rates in thousandths. It is stored by
        /// position: a new setting goes to the end.
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
    };
}

// A setting of the core is said here and nowhere else: the field and its type, then its key in the file, what that takes, its
// default, who may change it, and its line in the reference, which documents the field too.
settings! {
    permits: u32 { "permits", Kind::Count { min: 0, max: PERMITS_MAX as u64 }, None, Live,
        "How many visitors may be inside at once; a load test of the origin finds it" }
    mode: Mode { "mode", Kind::Word(&Mode::NAMES), Some("\"open\""), Live,
        "What the room does with visitors; see *Modes*" }
    /// Somebody goes straight through only when nobody present waits.
    walk_in: bool { "walk_in", Kind::Switch, Some("true"), Live,
        "Whether a visitor goes straight in while a permit is free and nobody waits" }
    tick_ms: u64 { "tick_ms", Kind::Millis { min: 20, max: 60_000 }, Some("1000"), Live,
        "The least time between two turns of the usher" }
    /// A walk-in that has not shown its cookie yet keeps its permit as long.
    claim_within_ms: u64 { "claim_within_s", Kind::Seconds { min: 1, max: HOUR_S }, Some("30"), Live,
        "How long a called visitor has to come" }
    /// A place is kept at least this long, and at most a fourteenth and one tick longer.
    grace_ms: u64 { "grace_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("3600"), Live,
        "How long somebody may be away and keep the place" }
    lease_idle_ms: u64 { "lease_idle_s", Kind::Seconds { min: 1, max: 7 * DAY_S }, Some("300"), Live,
        "How long a visitor may be idle inside; activity begins it anew" }
    lease_max_ms: u64 { "lease_max_s", Kind::Seconds { min: 1, max: 7 * DAY_S }, Some("1800"), Live,
        "How long a visitor may be inside in all" }
    lease_extend_max_ms: u64 { "lease_extend_max_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("1800"), Live,
        "How far `Baton-Extend` may move that end, in all" }
    admissions_milli_per_s: u64 { "admissions_per_s", Kind::Rate { max: 100_000 }, Some("0"), Live,
        "The most calls a second, up to three decimals; 0: no cap" }
    origin_errors_max_percent: u32 { "origin_errors_max_percent", Kind::Count { min: 0, max: 99 }, Some("0"), Live,
        "The most errors (5xx, or none) among the origin's answers to people inside; above it [nobody is called](operating.md#when-the-origin-fails). 0: no matter" }
    origin_errors_window_ms: u64 { "origin_errors_window_s", Kind::Seconds { min: 1, max: 10 * MINUTE_S }, Some("30"), Live,
        "How long these are counted, and how long calling then stops" }
    stock_line: bool { "stock_line", Kind::Switch, Some("false"), Deploy,
        "Whether people read up to which number they can expect a seat; needs `ORIGIN_SECRET` and [the shop's reports](protocol.md#the-stock-line)" }
    message: String { "message", Kind::Text { chars_max: TEXT_CHARS_MAX }, Some("\"\""), Live,
        "What the operator tells everybody who waits; text, never markup" }
    /// The periods are in order and apart; none: always open.
    periods: Vec<Period> { "opens_at", Kind::Dates, Some("[]"), Live,
        "When the room opens, such as `\"2026-12-01T10:00:00+09:00\"`; a list for several days, with a `closes_at` between any two. None: it is open";
        "closes_at", Kind::Dates, Some("[]"), Live,
        "When it closes, as by `mode = \"closed\"`. None: it stays open" }
    hall_ms: u64 { "hall_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("3600"), Live,
        "How long before an opening people may come and take part in the draw; 0: not at all" }
    draw: Draw { "draw", Kind::Word(&Draw::NAMES), Some("\"shuffle\""), Live,
        "How people who came before an opening get [numbers](draw.md): by lot, or (`\"arrival\"`) in the order they came" }
    /// In order of time, no two at once.
    schedule: Vec<Step> { "schedule", Kind::Schedule, Some("[]"), Live,
        "What changes by itself, and when; see [operating.md](operating.md#a-schedule)" }
    /// In order: the first is the best, the last is everybody's. None: the room has one line.
    lanes: Vec<Lane> { "lanes", Kind::Lanes, Some("[]"), Live,
        "Lines of their own that share the permits; see [lanes.md](lanes.md)" }
    lanes_rule: LanesRule { "lanes_rule", Kind::Word(&LanesRule::NAMES), Some("\"strict\""), Live,
        "Which lane is called next: the first with anybody present, or (`\"shares\"`) each in turn, by its `share`" }
}

/// As in a file in which nothing is set. `permits` has no default: 200.
impl Default for RoomConfig {
    fn default() -> Self {
        Self::read(&mut Defaults(KEYS))
    }
}
