//! What machines get of a site, which take no number and show no page.

use super::{Crawlers, EntryPolicy, Problem, RoomSettings, Settings};
use crate::spelling::{Method, PathReading, Pattern};
use serde_json::Value;

/// An address of each kind, the pattern that excepts it, and what fails without it.
const MACHINES: [(&str, &str, &str); 2] = [
    ("/robots.txt", "/robots.txt", "crawlers stop"),
    (
        "/.well-known/acme-challenge/token",
        "/.well-known/*",
        "certificates are not renewed",
    ),
];

/// Returns a warning for each room of which a pattern swallows addresses that machines ask for, and for each that shows search engines what only the
/// invited may see. O(rooms × patterns).
#[must_use]
pub fn check_machines(settings: &Settings) -> Vec<Problem> {
    let rooms = settings.rooms.iter();
    rooms
        .flat_map(|room| [swallowed(room), shown_to_crawlers(room)])
        .flatten()
        .collect()
}

fn swallowed(room: &RoomSettings) -> Option<Problem> {
    let patterns = |texts: &[String]| -> Vec<Pattern> {
        let texts = texts.iter();
        texts.filter_map(|text| Pattern::parse(text).ok()).collect()
    };
    let (paths, exceptions) = (patterns(&room.paths), patterns(&room.bypass_paths));
    let gating = |address: &str| {
        let path = PathReading::new(address);
        let mut paths = paths.iter();
        let is_exception = |pattern: &Pattern| pattern.matches_strictly(Method::Get, address);
        let gates =
            |pattern: &&Pattern| pattern.takes(Method::Get) && pattern.surely_matches(&path);
        paths
            .find(gates)
            .filter(|_| !exceptions.iter().any(is_exception))
    };
    let gated: Vec<_> = MACHINES
        .iter()
        .filter_map(|machine| Some((gating(machine.0)?, machine)))
        .collect();
    let (pattern, _) = gated.first()?;
    let of = |text: fn(&(&str, &str, &str)) -> String, between: &str| {
        let all: Vec<String> = gated.iter().map(|(_, machine)| text(machine)).collect();
        all.join(between)
    };
    let lost = of(
        |(_, excepted, fails)| format!("{excepted} ({fails})"),
        " and ",
    );
    let cure = of(|(_, excepted, _)| format!("\"{excepted}\""), ", ");
    let problem = Problem::new(
        format!("ROOMS.{}.paths", room.name),
        Some(&Value::from(pattern.as_str())),
        format!("makes machines wait for {lost}"),
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
