//! What is asked for without a place: by machines, which take no number and show no page, and by the waiting page itself.

use super::{Crawlers, EntryPolicy, Problem, RoomSettings, Settings};
use serde_json::Value;
use spelling::{HostPattern, Method, PathReading, Pattern, without_query};

/// An address of each kind, the pattern that excepts it, and what fails without it.
const MACHINES: [(&str, &str, &str); 2] = [
    ("/robots.txt", "/robots.txt", "crawlers stop"),
    ("/.well-known/acme-challenge/token", "/.well-known/*", "certificates are not renewed"),
];

/// Returns a warning for each room of which a pattern swallows addresses that machines ask for, and for each that shows search engines what only the
/// invited may see. O(rooms × patterns).
#[must_use]
pub fn check_machines(settings: &Settings) -> Vec<Problem> {
    let rooms = settings.rooms.iter();
    rooms.flat_map(|room| [swallowed(room), shown_to_crawlers(room)]).flatten().collect()
}

/// Returns a warning for each room whose page shows a logo that a room gates: whoever waits sees none. O(rooms² × patterns).
#[must_use]
pub fn check_logos(settings: &Settings) -> Vec<Problem> {
    let logo = |room: &'_ RoomSettings| -> Option<Problem> {
        let logo = room.page.logo.as_str();
        // A picture in the text itself has no path.
        let path = without_query(logo);
        let mut others = settings.rooms.iter().filter(|other| path.starts_with('/') && share_a_host(room, other));
        let of = others.find(|other| gating(other, path).is_some())?;
        let problem = Problem::new(
            format!("ROOMS.{}.page_logo", room.name),
            Some(&Value::from(logo)),
            format!("is gated by the room {}, so who waits does not see it", of.name),
            format!("Write bypass_paths = [{path:?}] in that room, or name a path that no room gates"),
        );
        Some(problem.warning())
    };
    settings.rooms.iter().filter_map(logo).collect()
}

/// Returns whether two rooms may be for the same host.
fn share_a_host(one: &RoomSettings, other: &RoomSettings) -> bool {
    let names = |room: &RoomSettings| -> Vec<String> {
        let hosts = room.hosts.iter();
        let hosts = hosts.filter_map(|host| HostPattern::parse(host));
        hosts.map(|host| host.name().to_owned()).collect()
    };
    let (own, others) = (names(one), names(other));
    own.is_empty() || others.is_empty() || own.iter().any(|name| others.contains(name))
}

/// Returns the pattern by which a room gates a GET of this plain path; `None` if it does not, or by an exception.
fn gating(room: &RoomSettings, address: &str) -> Option<Pattern> {
    let patterns = |texts: &[String]| -> Vec<Pattern> {
        let texts = texts.iter();
        texts.filter_map(|text| Pattern::parse(text).ok()).collect()
    };
    let path = PathReading::new(address);
    let is_exception = |pattern: &Pattern| pattern.matches_strictly(Method::Get, address);
    let gates = |pattern: &Pattern| pattern.takes(Method::Get) && pattern.surely_matches(&path);
    let is_open = || patterns(&room.bypass_paths).iter().any(is_exception);
    (patterns(&room.paths).into_iter()).find(gates).filter(|_| !is_open())
}

fn swallowed(room: &RoomSettings) -> Option<Problem> {
    let gated: Vec<_> = MACHINES.iter().filter_map(|machine| Some((gating(room, machine.0)?, machine))).collect();
    let (pattern, _) = gated.first()?;
    let of = |text: fn(&(&str, &str, &str)) -> String, between: &str| {
        let all: Vec<String> = gated.iter().map(|(_, machine)| text(machine)).collect();
        all.join(between)
    };
    let lost = of(|(_, excepted, fails)| format!("{excepted} ({fails})"), " and ");
    let cure = of(|(_, excepted, _)| format!("\"{excepted}\""), ", ");
    let problem = Problem::new(
        format!("ROOMS.{}.paths", room.name),
        Some(&Value::from(pattern.as_str())),
        format!("gates addresses that machines need: {lost}"),
        format!("Write bypass_paths = [{cure}]"),
    );
    Some(problem.warning())
}

fn shown_to_crawlers(room: &RoomSettings) -> Option<Problem> {
    let is_shown = room.crawlers == Crawlers::Origin && room.entry == EntryPolicy::Required;
    is_shown.then(|| {
        let problem = Problem::new(
            format!("ROOMS.{}.crawlers", room.name),
            Some(&Value::from("origin")),
            "shows search engines pages that only the invited may see".to_owned(),
            "Write crawlers = \"wait\", or leave it out".to_owned(),
        );
        problem.warning()
    })
}
