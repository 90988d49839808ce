//! Keeps the rooms of several owners apart: over which rooms of the file a room of the house is put, which definitions reach into the room of somebody
//! else, and what an operator is told of the house. An operator may act in a list of rooms; an empty list means in all.
//!
//! Two rooms reach into each other if some host and path may be both rooms'. Whose such a request is depends on ranks, and a rank is no fence: a pattern
//! that names the host takes it from one that does not. So whoever makes a room reach into another one must have the right over both.

use serde_json::Value;

use super::grounds::Grounds;
use super::house::parse_definition;
use super::{Problem, RoomSettings};
use house::table::Definition;
use house::{House, Kept, Stands, Wish};
use spelling::{HostPattern, Pattern};

/// What a room claims: every path of its patterns at each of its hosts.
struct Claims {
    /// Empty means every host.
    hosts: Vec<HostPattern>,
    paths: Vec<Pattern>,
}

impl Claims {
    fn of(room: &RoomSettings) -> Self {
        let hosts = room.hosts.iter();
        let paths = room.paths.iter();
        Self {
            hosts: hosts.filter_map(|text| HostPattern::parse(text)).collect(),
            paths: paths.filter_map(|text| Pattern::parse(text).ok()).collect(),
        }
    }

    /// Returns what a room claims after a change that it did not claim before. Other hosts make other claims of all patterns.
    fn new_in(from: Option<&RoomSettings>, to: &RoomSettings) -> Self {
        let mut claims = Self::of(to);
        if let Some(from) = from.filter(|from| from.hosts == to.hosts) {
            let is_old = |pattern: &Pattern| from.paths.iter().any(|old| old == pattern.as_str());
            claims.paths.retain(|pattern| !is_old(pattern));
        }
        claims
    }

    /// Returns the first own pattern that some request shares with a pattern of the others. O(hosts² + patterns²).
    fn reaching_into(&self, others: &Self) -> Option<&Pattern> {
        let shares_host = |own: &HostPattern| others.hosts.iter().any(|other| own.overlaps(other));
        let is_apart = !self.hosts.is_empty() && !others.hosts.is_empty() && !self.hosts.iter().any(shares_host);
        let mut own = self.paths.iter().filter(|_| !is_apart);
        own.find(|own| others.paths.iter().any(|other| own.overlaps(other)))
    }
}

/// The rooms beside which an operator changes the house.
pub struct Neighbours<'a> {
    file: &'a [RoomSettings],
    grounds: &'a Grounds,
    /// The rooms in which the operator may act; empty means all.
    within: &'a [String],
}

impl<'a> Neighbours<'a> {
    /// Looks at a house beside this file, for an operator who may act within these rooms.
    #[must_use]
    pub const fn new(file: &'a [RoomSettings], grounds: &'a Grounds, within: &'a [String]) -> Self {
        Self { file, grounds, within }
    }

    /// Fills in over which rooms of the file each room is put that is defined here: for an operator of all rooms over those into which it reaches. For
    /// anybody else it stays as it is, or over none if the room claims anything new. O(definitions × rooms of the file × patterns²).
    pub fn place(&self, house: &House, wishes: &mut [Wish]) {
        for wish in wishes {
            let Wish::Define { room, table, over } = wish else {
                continue;
            };
            let definition = Definition {
                since: 0,
                generation: 1,
                is_over: false,
                table: Value::Object(table.clone()),
                over: Vec::new(),
            };
            let to = parse_definition(self.file, self.grounds, room, &definition).ok();
            *over = to.map_or_else(Vec::new, |to| self.over(house.rooms().get(room), &to));
        }
    }

    fn over(&self, kept: Option<&Kept>, to: &RoomSettings) -> Vec<String> {
        if self.within.is_empty() {
            let own = Claims::of(to);
            let under = self.file.iter();
            let under = under.filter(|room| own.reaching_into(&Claims::of(room)).is_some());
            return under.map(|room| room.name.clone()).collect();
        }
        let kept = kept.filter(|kept| kept.stands == Stands::Open);
        let from = kept.and_then(|kept| self.room(&to.name, kept));
        let is_as_before = Claims::new_in(from.as_ref(), to).paths.is_empty();
        let kept = kept.filter(|_| is_as_before);
        kept.map_or_else(Vec::new, |kept| kept.over.clone())
    }

    /// Returns a problem for each definition by which a room newly reaches into a room in which the operator may not act. Names none of those.
    /// O(definitions × rooms × patterns²).
    #[must_use]
    pub fn trespasses(&self, now: &House, next: &House) -> Vec<Problem> {
        if self.within.is_empty() {
            return Vec::new();
        }
        let is_others = |name: &str| !self.within.iter().any(|own| own == name);
        let of_file = self.file.iter().filter(|room| is_others(&room.name));
        let of_house = next.gated().filter(|(name, _)| is_others(name));
        let of_house = of_house.filter_map(|(name, kept)| self.room(name, kept));
        let others: Vec<Claims> = of_file.map(Claims::of).chain(of_house.map(|room| Claims::of(&room))).collect();
        let trespass = |step: house::Step<'_>| {
            let to = self.room(step.room, step.to)?;
            let from = step.from.and_then(|from| self.room(step.room, from));
            let claims = Claims::new_in(from.as_ref(), &to);
            let mut reaching = others.iter().filter_map(|one| claims.reaching_into(one));
            reaching.next().map(|pattern| trespassing(step.room, pattern))
        };
        now.steps(next).filter_map(trespass).collect()
    }

    /// Returns a room as it is defined, unless its paths are released or the definition is wrong.
    fn room(&self, name: &str, kept: &Kept) -> Option<RoomSettings> {
        let is_gated = kept.stands != Stands::Freed;
        let definition = is_gated.then(|| Definition::of(kept))?;
        parse_definition(self.file, self.grounds, name, &definition).ok()
    }
}

fn trespassing(room: &str, pattern: &Pattern) -> Problem {
    Problem::new(
        format!("rooms.{room}.paths"),
        Some(&Value::from(pattern.as_str())),
        "may match requests of a room in which you may not act",
        "Give the room paths or hosts that no other room has, or ask an owner of both rooms",
    )
}

/// Leaves the problems of rooms in which an operator may act, and says how many others there are. Names no other room.
#[must_use]
pub fn own_problems(problems: Vec<Problem>, within: &[String]) -> Vec<Problem> {
    if within.is_empty() {
        return problems;
    }
    let all = problems.len();
    let is_own = |problem: &Problem| {
        let key = problem.key.as_str();
        let mut parts = ["rooms.", "ROOMS.", "brands."].into_iter();
        let of_room = parts.find_map(|part| key.strip_prefix(part)?.split('.').next());
        // What the deployment lacks for a room is the room's problem.
        let room = of_room.or(problem.other.as_deref()).or_else(|| key.split('.').next());
        within.iter().any(|own| Some(own.as_str()) == room)
    };
    let mut own: Vec<Problem> = problems.into_iter().filter(is_own).collect();
    for problem in &mut own {
        let is_own = |other: &str| within.iter().any(|own| own == other);
        if problem.other.take_if(|other| !is_own(other)).is_some() {
            "is also gated by a room in which you may not act".clone_into(&mut problem.what);
        }
    }
    let others = all - own.len();
    if others > 0 {
        let what = format!("have {others} problems, in rooms in which you may not act");
        let cure = "Ask an owner of all rooms: until they are solved, nobody can change the house";
        own.push(Problem::new("rooms", None, what, cure));
    }
    own
}
