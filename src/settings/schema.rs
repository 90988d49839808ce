//! The schema: every key of a room, with type, default, range and meaning. The keys that the core goes by stand in its own table
//! ([`RoomConfig`](facts::config::RoomConfig)), those of the page in `page.rs`, the others here. Nothing else in the project states a default or a range.

pub use facts::setting::{Changes, Key, Kind};

use super::page;
use brand::texts::TEXTS;
use facts::config;
use facts::lanes::LANES_MAX;
use facts::limits::{LOBBIES_MAX, PERIODS_MAX, STEPS_MAX};
use facts::setting::Changes::Deploy;
use facts::setting::{HOUR_S, MINUTE_S, key};

/// The platform's location hints. A room's editions follow from the order: a new one comes last, 16 at most.
pub const LOCATIONS: &[&str] = &["auto", "wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"];
/// Where objects can be made to stay by law; the empty one is anywhere. A new one comes last, 4 at most.
pub const JURISDICTIONS: &[&str] = &["", "eu", "fedramp"];
/// The most generations: with them, the last edition is below those of rehearsals (`gate/headers.rs`).
const GENERATIONS_MAX: u64 = 15_000;

/// The people that one lobby holds. Each has a socket, and an object takes 32,768; a frame to all of them costs 10,000 × 27 µs = 0.27 s.
pub const CROWD_PER_LOBBY: u64 = 10_000;
/// The most lobbies that bring the room their batches themselves. From five on, a porter costs less than the rows that it saves (docs/scale.md).
pub const LOBBIES_WITHOUT_PORTER: u16 = 4;
/// The most lobbies that share one porter, as one gives the fewest rows. Even by Cloudflare's guidance, the pessimist's choice, it has at
/// most 16 × 20 batches a second.
pub const LOBBIES_OF_ONE_PORTER: u16 = 16;
/// The porters of a room with more lobbies than that: enough for as many lobbies as there can be.
pub const PORTERS: u16 = 2;
/// The largest crowd: 256 lobbies × 10,000.
pub const CROWD_MAX: u64 = CROWD_PER_LOBBY * LOBBIES_MAX as u64;
/// The largest limit on what one address may have at once; a lobby holds 16,000 tickets.
pub const SHARE_MAX: u64 = 100_000;
/// The largest limit on numbers in a minute: each number costs a whole millisecond at least.
pub const RATE_MAX: u64 = 60_000;
/// The most rooms in the file of one deployment.
pub const ROOMS_MAX: usize = 100;
/// The most patterns or hosts in one list of one room.
pub const PATTERNS_MAX: usize = 64;
/// The most bytes of one pattern or host.
pub const PATTERN_BYTES_MAX: usize = 512;
/// The most bytes of a room's name.
pub const ROOM_NAME_BYTES_MAX: usize = 32;
/// The most bytes of an address on the page. A small logo written as a `data:` address fits.
pub const ADDRESS_BYTES_MAX: usize = 8_192;
/// The most bytes of the key of Turnstile's widget; real keys have about 30.
pub const SITE_KEY_BYTES_MAX: usize = 100;
/// Names that mean something else below `/__baton/`.
pub const RESERVED_ROOMS: [&str; 5] = ["admin", "static", "health", "metrics", "images"];

/// Every key of a room, in the order of the reference: the core's keys come after those that say what is gated, those of the page at the end.
pub const KEYS: &[Key] = &joined::<{ GATED.len() + config::KEYS.len() + FRONT.len() + page::KEYS.len() }>([GATED, config::KEYS, FRONT, page::KEYS]);

const fn joined<const N: usize>(parts: [&[Key]; 4]) -> [Key; N] {
    let [mut left, mut next, mut third, mut last] = parts;
    let mut all = [key("", Kind::Switch, None, Deploy, ""); N];
    let mut places: &mut [Key] = &mut all;
    while let Some((place, others)) = places.split_first_mut() {
        if left.is_empty() {
            (left, next, third, last) = (next, third, last, &[]);
        }
        if let Some((key, rest)) = left.split_first() {
            *place = *key;
            left = rest;
        }
        places = others;
    }
    all
}

/// The keys that say what is gated, and for how many people.
#[rustfmt::skip]
const GATED: &[Key] = &[
    key("paths", Kind::Paths, None, Deploy,
        "Path patterns that are gated, such as `/buy/*` or `POST /api/orders`; see *Paths*"),
    key("hosts", Kind::Hosts, Some("[]"), Deploy,
        "Hosts that the room is for; empty: every host. Without a port: any port"),
    key("cookie_domain", Kind::Domain, Some("\"\""), Deploy,
        "The domain of all `hosts`, which then share one place and pass; empty: each host has its own. Read [security.md](security.md#several-hosts) first"),
    key("bypass_paths", Kind::Paths, Some("[]"), Deploy,
        "Exceptions to `paths`, forwarded without a pass: only in this exact spelling and, if named, by this method and with this query; see *Paths*"),
    key("bypass_addresses", Kind::Networks, Some("[]"), Deploy,
        "Addresses and networks that [go in without waiting](invitations.md#addresses), such as `\"203.0.113.0/24\"`"),
    key("app_origins", Kind::Origins, Some("[]"), Deploy,
        "Origins of [apps](apps.md) whose pages may call without cookies, such as `\"capacitor://localhost\"`"),
    key("widget_origins", Kind::Origins, Some("[]"), Deploy,
        "Origins of pages that [embed the shop's widgets](embeds.md), such as `\"https://band.example\"`, or `\"*\"`: their scripts may read that somebody must wait"),
    key("crowd", Kind::Count { min: 1, max: CROWD_MAX }, Some("10000"), Deploy,
        "People expected in line at once; one lobby per 10,000"),
];

/// The keys that the lobbies, the front and the page go by.
#[rustfmt::skip]
const FRONT: &[Key] = &[
    key("linger_s", Kind::Seconds { min: 1, max: HOUR_S }, Some("10"), Deploy,
        "How long a visitor counts as present after the last sign of life"),
    key("carry_within_s", Kind::Seconds { min: 0, max: HOUR_S }, Some("300"), Deploy,
        "How long a link that carries a place to another device lasts; 0: none"),
    key("near_ahead", Kind::Count { min: 1, max: 100_000 }, Some("100"), Deploy,
        "How many people ahead, or fewer, count as near: for [webhooks](webhooks.md#people-who-are-away) about accounts that are away"),
    key("pass_ttl_s", Kind::Seconds { min: 1, max: HOUR_S }, Some("60"), Deploy,
        "How long Baton honours a pass without asking the room; it may outlive a release by as much"),
    key("strict", Kind::Strict, Some("false"), Deploy,
        "For which requests Baton asks the room first, so that a [pass dies](protocol.md#how-long-a-pass-lives) with its lease: `\"unsafe\"` WebSockets and all but GET and HEAD; `\"all\"` every one"),
    key("tickets_per_ip_max", Kind::Count { min: 0, max: SHARE_MAX }, Some("10"), Deploy,
        "Living tickets of one address (IPv6: of its /64; [a /56 and a /48](limits.md#shares-of-an-address-and-of-a-visitor) have more); 0: no limit"),
    key("walk_ins_per_ip_max", Kind::Count { min: 0, max: SHARE_MAX }, Some("20"), Deploy,
        "Walk-ins of one address whose cookie has not come back yet; more go through the page. 0: no limit"),
    key("walk_ins_per_ip_max_percent", Kind::Count { min: 0, max: 100 }, Some("5"), Deploy,
        "Up to which share of the permits, in percent, one address walks in, but up to five leases always; [more take a number](limits.md#shares-of-an-address-and-of-a-visitor). 0: no limit"),
    key("joins_per_ip_per_minute", Kind::Count { min: 0, max: RATE_MAX }, Some("6"), Deploy,
        "Numbers that one address may take in a minute; 0: no limit"),
    key("joins_per_visitor_per_minute", Kind::Count { min: 0, max: RATE_MAX }, Some("30"), Deploy,
        "Numbers that one visitor cookie may take in a minute; 0: no limit"),
    key("ipv4_share", Kind::Count { min: 1, max: 10_000 }, Some("20"), Deploy,
        "How many times as much an IPv4 address may take, and half of what an IPv6 /48 may; see [limits.md](limits.md#shares-of-an-address-and-of-a-visitor)"),
    key("turnstile", Kind::Switch, Some("false"), Deploy,
        "Whether visitors answer Turnstile before they get a number; needs `TURNSTILE_SITE_KEY` and `TURNSTILE_SECRET`"),
    key("entry", Kind::Word(&["off", "optional", "required"]), Some("\"off\""), Deploy,
        "Whether the shop [signs who may come](entry.md). `optional`: an account with its token has one place on all devices. `required`: nobody comes in without a token, [invitation or code](invitations.md)"),
    key("entry_spares_turnstile", Kind::Switch, Some("false"), Deploy,
        "Whether visitors with a good entry token skip Turnstile"),
    key("staff_epoch", Kind::Count { min: 1, max: 1_000_000 }, Some("1"), Deploy,
        "Raise it to end every [staff link](invitations.md#staff) of the room"),
    key("fail", Kind::Word(&["closed", "open"]), Some("\"closed\""), Deploy,
        "While the room cannot be reached, visitors without a pass wait (`closed`) or go in within the bounds of `fail_open_s` and `fail_open_per_s` (`open`)"),
    key("fail_open_s", Kind::Seconds { min: 1, max: 10 * MINUTE_S }, Some("60"), Deploy,
        "How long after the first failure visitors go in, in each isolate"),
    key("fail_open_per_s", Kind::Rate { max: 1_000 }, Some("1"), Deploy,
        "How many requests a second then go in, in each isolate, up to three decimals"),
    key("waiting_status", Kind::OneOf(&[200, 202, 429, 503]), Some("200"), Deploy,
        "The status of the waiting page for GET and HEAD"),
    key("crawlers", Kind::Word(&["wait", "origin"]), Some("\"wait\""), Deploy,
        "Whether a search engine's crawler, known by [its addresses](deploying.md#search-engines), comes like everybody (`wait`) or gets the shop's page without a permit (`origin`)"),
    key("preflights", Kind::Word(&["shop", "answer"]), Some("\"shop\""), Deploy,
        "Who answers [preflights](protocol.md#what-a-client-cannot-send) to the room's paths: the `shop`, or Baton, which refuses all but those of `app_origins` and `widget_origins` (`answer`)"),
    key("location", Kind::Word(LOCATIONS), Some("\"auto\""), Deploy,
        "Where the objects live, for ever; a deploy wants it chosen. `auto`: near the first visitor. Another value is a new, empty room"),
    key("generation", Kind::Count { min: 1, max: GENERATIONS_MAX }, Some("1"), Deploy,
        "Raise it, between sales, for a new, empty room at the same location"),
    key("jurisdiction", Kind::Word(JURISDICTIONS), Some("\"\""), Deploy,
        "Where the objects must stay by law; empty: anywhere. Another value is a new, empty room. Not for `self-host`"),
    key("journal_keep_days", Kind::Count { min: 1, max: 3_650 }, Some("30"), Deploy,
        "How many days the room keeps journal rows; when nothing happens for as long, it deletes all"),
    key("page_start", Kind::Page, Some("\"\""), Deploy,
        "Where the turn leads a visitor whom a form or a script brought into line from a page that is not gated; empty: the first of `paths`. Must be a page that GET opens"),
];

/// Returns whether this may be a room's name: `[a-z0-9-]{1,32}` and not reserved. O(length).
#[must_use]
pub fn is_room_name(name: &str) -> bool {
    (1..=ROOM_NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !RESERVED_ROOMS.contains(&name)
}

/// Returns the type's name, for people to read.
#[must_use]
pub fn type_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Count { .. } => "integer",
        Kind::Seconds { .. } => "seconds",
        Kind::Millis { .. } => "milliseconds",
        Kind::Rate { .. } => "number",
        Kind::Switch => "switch",
        Kind::Word(_) => "word",
        Kind::OneOf(_) => "number",
        Kind::Paths => "patterns",
        Kind::Hosts => "hosts",
        Kind::Networks => "networks",
        Kind::Origins => "origins",
        Kind::Domain => "domain",
        Kind::Dates => "date, dates",
        Kind::Schedule => "steps",
        Kind::Lanes => "lanes",
        Kind::Strict => "false or word",
        Kind::Text { .. } => "text",
        Kind::Picture | Kind::Link | Kind::Page => "address",
        Kind::Colours => "colours by shade",
        Kind::Texts => "texts by language",
        Kind::Notice { .. } => "text, or texts by language",
    }
}

/// Returns the range, for people to read.
#[must_use]
pub fn range_text(kind: Kind) -> String {
    match kind {
        Kind::Count { min, max } | Kind::Seconds { min, max } | Kind::Millis { min, max } => {
            format!("{min} to {max}")
        }
        Kind::Rate { max } => format!("0 to {max}"),
        Kind::Switch => "`true`, `false`".to_owned(),
        Kind::Word(words) => join(words.iter().map(|word| format!("`\"{word}\"`"))),
        Kind::OneOf(numbers) => join(numbers.iter().map(|number| format!("`{number}`"))),
        Kind::Paths | Kind::Hosts | Kind::Networks | Kind::Origins => {
            format!("at most {PATTERNS_MAX}")
        }
        Kind::Domain => "such as `\"example.com\"`".to_owned(),
        Kind::Dates => format!("at most {PERIODS_MAX}"),
        Kind::Schedule => format!("at most {STEPS_MAX}"),
        Kind::Lanes => format!("at most {LANES_MAX}"),
        Kind::Strict => "`false`, `\"unsafe\"`, `\"all\"`".to_owned(),
        Kind::Text { chars_max } | Kind::Notice { chars_max } => {
            format!("at most {chars_max} characters")
        }
        Kind::Picture => "`/…`, `data:image/…`".to_owned(),
        Kind::Link => "`/…`, `https://…`, `mailto:…`".to_owned(),
        Kind::Page => "`/…`".to_owned(),
        Kind::Colours => "`#rrggbb`, text 4.5 : 1 on its ground".to_owned(),
        Kind::Texts => join(TEXTS.iter().map(|(name, max)| format!("`{name}` {max}"))) + " characters",
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
