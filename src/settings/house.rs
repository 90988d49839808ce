//! Checks the rooms of the house: each by itself, beside those of the file, and within the grounds.

use super::grounds::Grounds;
use super::parse::{check_pairs, parse_room};
use super::{Problem, RoomSettings};
use house::table::Definition;

/// Reads the rooms of the house from their definitions, and checks them beside those of the file.
///
/// # Errors
/// Returns every problem of every room: its own, that it lies outside the grounds, that it shares its name or a path with another room.
pub fn parse_house<'a>(
    file: &[RoomSettings],
    grounds: &Grounds,
    rooms: impl Iterator<Item = (&'a String, &'a Definition)>,
) -> Result<Vec<RoomSettings>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut all = Vec::new();
    for (name, definition) in rooms {
        match parse_definition(file, grounds, name, definition) {
            Ok(room) => all.push(room),
            Err(more) => problems.extend(more),
        }
    }
    check_pairs(&[file, &all].concat(), &mut problems);
    if problems.is_empty() {
        return Ok(all);
    }
    for problem in &mut problems {
        if let Some(rest) = problem.key.strip_prefix("ROOMS.") {
            problem.key = format!("rooms.{rest}");
        }
    }
    Err(problems)
}

/// Reads one room of the house.
///
/// # Errors
/// Returns every problem of the room.
pub fn parse_definition(file: &[RoomSettings], grounds: &Grounds, name: &str, definition: &Definition) -> Result<RoomSettings, Vec<Problem>> {
    let at = format!("ROOMS.{name}");
    let mut problems = Vec::new();
    if file.iter().any(|room| room.name == name) {
        let cure = "Give it another name, or remove the room from wrangler.toml and deploy";
        let what = "is a room of wrangler.toml as well";
        problems.push(Problem::new(&at, None, what, cure));
    }
    if definition.table.get("generation").is_some() {
        let cure = "Remove it: the house counts it up when a name is used again";
        let what = "is not the operator's to set";
        problems.push(Problem::new(format!("{at}.generation"), None, what, cure));
    }
    match parse_room(name, &definition.in_force()) {
        Ok(mut room) => {
            problems.extend(grounds.outside(&at, &room));
            room.defined = Some(definition.since);
            room.over.clone_from(&definition.over);
            room.is_over = definition.is_over;
            if problems.is_empty() {
                return Ok(room);
            }
        }
        Err(more) => problems.extend(more),
    }
    Err(problems)
}

/// Returns the keys that differ and may not change while anybody has a place: they decide which objects make up the room,
/// and which tokens those accept.
#[must_use]
pub fn fixed_changes(from: &RoomSettings, to: &RoomSettings) -> Vec<&'static str> {
    let differs = [
        ("crowd", from.lobbies() != to.lobbies()),
        ("location", from.home.location != to.home.location),
        ("jurisdiction", from.home.jurisdiction != to.home.jurisdiction),
        ("cookie_domain", from.cookie_domain != to.cookie_domain),
    ];
    let differs = differs.into_iter().filter(|(_, differs)| *differs);
    differs.map(|(key, _)| key).collect()
}
