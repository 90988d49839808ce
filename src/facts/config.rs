//! What an operator can set on a room, in the core's units. One table defines the core's configuration, its keys in the file, how
//! they are read, and their defaults.

use super::hall::Draw;
use super::hours::Period;
use super::lanes::{Lane, LanesRule};
use super::limits::{LINE_MAX, PERMITS_MAX, TEXT_CHARS_MAX};
use super::notice::Notice;
use super::schedule::Step;
use super::setting::Change::{Deploy, Live};
use super::setting::{DAY_S, Defaults, HOUR_S, Key, Kind, MINUTE_S, Setting, Source, key};
use serde::{Deserialize, Serialize};

/// What the room does with the people who come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The room gives out permits.
    #[default]
    Open,
    /// The line forms, but nobody is called and nobody walks in. Leases go on.
    Paused,
    /// Everybody passes without a permit. The line stands still.
    Bypass,
    /// The room is outside its hours: nobody joins and nobody is called. Whoever waits keeps the place, and leases go on.
    Closed,
    /// Nothing is left: the room tells everybody who waits and ends their tickets. Nobody joins.
    SoldOut,
    /// Nobody joins any more. The room still calls those in line.
    Drain,
    /// Everybody passes and nobody waits. If no permit is free, the room makes one for the visitor: it counts how many would have been inside.
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

    /// The names of the modes, in the order of [`Self::ALL`].
    pub const NAMES: [&str; Self::ALL.len()] = [
        Self::Open.name(),
        Self::Paused.name(),
        Self::Bypass.name(),
        Self::Closed.name(),
        Self::SoldOut.name(),
        Self::Drain.name(),
        Self::Observe.name(),
    ];

    /// Returns the mode with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns whether the room calls those in line.
    #[must_use]
    pub const fn calls(self) -> bool {
        matches!(self, Self::Open | Self::Drain)
    }

    /// Returns whether the room issues tickets.
    #[must_use]
    pub const fn issues(self) -> bool {
        matches!(
            self,
            Self::Open | Self::Paused | Self::Bypass | Self::Observe
        )
    }

    /// Returns whether everybody passes, with or without a permit, and nobody is kept waiting.
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

/// Generates the configuration, [`KEYS`] and the function that reads the settings, all from one table.
macro_rules! settings {
    ($($(#[$more:meta])* $field:ident: $type:ty {
        $name:literal, $kind:expr, $default:expr, $change:ident, $doc:literal
        $(; $name_2:literal, $kind_2:expr, $default_2:expr, $change_2:ident, $doc_2:literal)?
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
    };
}

// This table alone defines a setting of the core: the field and its type, then its key in the file, what the key takes, its default, who may change
// it, and its line in the reference, which also documents the field.
settings! {
    permits: u32 { "permits", Kind::Count { min: 0, max: PERMITS_MAX as u64 }, None, Live,
        "How many visitors may be inside at once; a load test of the origin finds it" }
    mode: Mode { "mode", Kind::Word(&Mode::NAMES), Some("\"open\""), Live,
        "What the room does with visitors; see *Modes*" }
    /// A visitor walks in only when nobody present waits.
    walk_in: bool { "walk_in", Kind::Switch, Some("true"), Live,
        "Whether a visitor goes straight in while a permit is free and nobody waits" }
    tick_ms: u64 { "tick_ms", Kind::Millis { min: 20, max: 60_000 }, Some("1000"), Live,
        "The least time between two turns of the usher" }
    /// A walk-in that has not shown its cookie yet keeps its permit for the same time.
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
        "The most errors (5xx, or none) among the origin's answers to people inside; above it [nobody is called](operating.md#when-the-origin-fails). 0: off" }
    origin_errors_window_ms: u64 { "origin_errors_window_s", Kind::Seconds { min: 1, max: 10 * MINUTE_S }, Some("30"), Live,
        "How long these are counted, and how long calling then stops" }
    stock_line: bool { "stock_line", Kind::Switch, Some("false"), Deploy,
        "Whether the page says up to which number people can expect a seat; needs `ORIGIN_SECRET` and [the shop's reports](protocol.md#the-stock-line)" }
    message: Notice { "message", Kind::Notice { chars_max: TEXT_CHARS_MAX }, Some("\"\""), Live,
        "What the operator tells everybody who waits; text, never markup. By language: `{ any = \"…\", ja = \"…\" }`" }
    /// The periods are in order, with gaps between them. Without any, the room is always open.
    periods: Vec<Period> { "opens_at", Kind::Dates, Some("[]"), Live,
        "When the room opens, such as `\"2026-12-01T10:00:00+09:00\"`; a list for several days, with a `closes_at` between any two. None: it is open";
        "closes_at", Kind::Dates, Some("[]"), Live,
        "When it closes, as by `mode = \"closed\"`. None: it stays open" }
    hall_ms: u64 { "hall_s", Kind::Seconds { min: 0, max: 7 * DAY_S }, Some("3600"), Live,
        "How long before an opening people may come and take part in the draw; 0: not at all" }
    draw: Draw { "draw", Kind::Word(&Draw::NAMES), Some("\"shuffle\""), Live,
        "How people who came before an opening get [numbers](draw.md): by lot, or (`\"arrival\"`) in the order they came" }
    /// The steps are in order of time, no two at the same moment.
    schedule: Vec<Step> { "schedule", Kind::Schedule, Some("[]"), Live,
        "What changes by itself, and when; see [operating.md](operating.md#a-schedule)" }
    /// The lanes are in order: the first is the best, the last is everybody's. Without any, the room has one line.
    lanes: Vec<Lane> { "lanes", Kind::Lanes, Some("[]"), Live,
        "Several lines that share the permits; see [lanes.md](lanes.md)" }
    lanes_rule: LanesRule { "lanes_rule", Kind::Word(&LanesRule::NAMES), Some("\"strict\""), Live,
        "Which lane is called next: the first with anybody present, or (`\"shares\"`) each in turn, by its `share`" }
    /// People of other lanes come with the shop's word, so they do not count and are never turned away for it.
    line_max: u32 { "line_max", Kind::Count { min: 0, max: LINE_MAX }, Some("0"), Live,
        "The most people with a place in everybody's line, its hall included; whoever comes then is told that [the line is full](operating.md#a-full-line). 0: no cap" }
}

/// The configuration of a file that sets nothing. `permits` has no default and is 200 here.
impl Default for RoomConfig {
    fn default() -> Self {
        Self::read(&mut Defaults(KEYS))
    }
}
