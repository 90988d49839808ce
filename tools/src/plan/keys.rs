//! The keys of an event, in one table: each with its kind, its default and its meaning. Flags, `event.toml` and the help are made of it. The room's
//! own settings are not in it; they come from the settings' schema ([`room_keys`]).

use baton::facts::lanes::SHARE_MAX;
use baton::settings;

/// The room's key for its lanes.
pub(super) const LANES: &str = "lanes";
/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number in this range.
    Whole(u64, u64),
    /// A share of all, 0 to 1.
    Share,
    /// A number in this range.
    Amount(f64, f64),
    /// A span, such as `90s`, `10m` or `1h30m`, in this range, ms.
    Span(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The shop's speed from a moment on, such as `0.5@5m`; several with commas.
    Speeds,
    /// The name of a file.
    File,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name in `event.toml`; the flag has `-` for `_`.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The value if nobody says one; `None` if it then has none, or must be said.
    pub default: Option<&'static str>,
    /// The line for the help.
    pub doc: &'static str,
}

const fn key(name: &'static str, kind: Kind, default: Option<&'static str>, doc: &'static str) -> Key {
    Key { name, kind, default, doc }
}

const MINUTE_MS: u64 = 60_000;
const DAY_MS: u64 = 24 * 60 * MINUTE_MS;
/// The most people. No room's line takes more.
const PEOPLE_MAX: u64 = baton::facts::limits::LINE_MAX;

/// Every key of an event, in the order of the help.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("people", Kind::Whole(1, PEOPLE_MAX), None, "How many people come in all"),
    key("before_opening", Kind::Share, Some("0"), "Which share of them comes before the opening, into the hall"),
    key("early_over", Kind::Span(1_000, 7 * DAY_MS), Some("30m"), "Over how long before the opening those come, ever more of them towards it"),
    key("over", Kind::Span(1_000, 7 * DAY_MS), Some("10m"), "Over how long the others come, from the opening on"),
    key("shape", Kind::Word(&["rush", "even"]), Some("rush"), "How the others come: a rush and a long tail, or evenly"),
    key("vip", Kind::Share, None, "Which share of the people has a VIP lane: called first, or by vip_share; 0: no lanes"),
    key("vip_share", Kind::Whole(1, SHARE_MAX), None, "So many calls to VIPs, then one to the others, while both wait; without it VIPs are first"),
    key("trace", Kind::File, None, "Who comes when, out of a file as in crowds/, instead of all these"),
    key("opens_after", Kind::Span(0, 7 * DAY_MS), Some("0s"), "With a trace: how long after its beginning the sale opens"),
    key("seats", Kind::Whole(1, baton::facts::limits::STOCK_MAX as u64), None, "How many seats there are; without it they never end"),
    key("buy", Kind::Share, Some("0.8"), "Which share of those who get in buys"),
    key("seats_each", Kind::Whole(1, 100), Some("2"), "Seats of a purchase on average: 1 to twice this less 1, each as often"),
    key("sold_out_after", Kind::Span(0, DAY_MS), Some("30s"), "How long after the last seat the room is set to sold out"),
    key("stay", Kind::Span(1, DAY_MS), Some("3m"), "How long people stay in the shop, on average"),
    key("stay_spread", Kind::Amount(0.0, 3.0), Some("0.5"), "How far stays differ: standard deviation over average"),
    key("stay_shape", Kind::Word(&["lognormal", "exponential"]), Some("lognormal"), "How stays are spread; exponential has a spread of 1"),
    key("walks_off", Kind::Share, Some("0.05"), "Which share of those inside closes the tab, so that the permit is back only when the lease is over"),
    key("slow", Kind::Speeds, None, "The shop's speed from a moment after the opening on: 0.5@5m, or 0.5@5m,1@20m"),
    key("gives_up", Kind::Share, Some("0.15"), "Which share closes the page when the wait gets too long"),
    key("patience", Kind::Span(1_000, 7 * DAY_MS), Some("30m"), "How long half of those wait before they do"),
    key("returns", Kind::Share, Some("0.3"), "Which share of those who closed it, or slept, comes back to look"),
    key("returns_after", Kind::Span(1_000, 7 * DAY_MS), Some("5m"), "How long after half of those are back"),
    key("sleeps", Kind::Share, Some("0.03"), "Which share has a device asleep when called, and misses the call"),
    key("page", Kind::Span(0, MINUTE_MS), Some("1500ms"), "How long a page takes to load, on average"),
    key("pages", Kind::Whole(1, 1_000), Some("5"), "Pages of the shop that a visit loads, for the costs"),
    key("files", Kind::Whole(0, 10_000), Some("40"), "Its images, styles and scripts that go through the worker, for the costs"),
    key("reloads", Kind::Amount(0.0, 1_000.0), Some("2"), "How often an hour somebody who waits loads the page again, for the costs"),
    key("round", Kind::Span(0, 60_000), Some("20ms"), "How long a lobby's batch is out: to the room and back"),
    key("until", Kind::Span(1_000, 7 * DAY_MS), Some("12h"), "How long after the opening it is looked at"),
];

/// Returns the key of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the room's settings that a plan may set: all but texts, hosts, paths and dates, which change nothing here.
pub fn room_keys() -> impl Iterator<Item = &'static settings::Key> {
    use settings::Kind as Set;
    settings::KEYS.iter().filter(|key| {
        matches!(
            key.kind,
            Set::Count { .. }
                | Set::Seconds { .. }
                | Set::Millis { .. }
                | Set::Rate { .. }
                | Set::Switch
                | Set::Word(_)
                | Set::Strict
                | Set::OneOf(_)
                | Set::Lanes
        )
    })
}

/// Reads `90s`, `10m`, `1h30m`, `250ms`, or a number of seconds, as milliseconds. Returns `None` if the text is none of these.
#[must_use]
pub fn span_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return milliseconds(seconds, 1_000.0);
    }
    let (mut total, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let unit_ms = match unit.trim() {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" | "min" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total = total.checked_add(milliseconds(number.parse().ok()?, unit_ms)?)?;
        rest = next;
    }
    (!text.is_empty()).then_some(total)
}

fn milliseconds(amount: f64, unit_ms: f64) -> Option<u64> {
    let ms = (amount * unit_ms).round();
    (ms.is_finite() && (0.0..1e15).contains(&ms)).then_some(ms as u64)
}

/// Writes milliseconds as `90s`, `10m` or `1h30m`.
#[must_use]
pub fn span_text(ms: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    let (mut left, mut text) = (ms, String::new());
    for (unit, name) in units {
        if left >= unit {
            text.push_str(&format!("{}{name}", left / unit));
            left %= unit;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}
