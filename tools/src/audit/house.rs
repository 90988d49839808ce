//! Audits the journal of the house: which rooms there were beside those of the file, and which generation of each. It keeps books of its own, as for
//! a room, and shares only the form of the facts with the house's code.

use super::turn::Wrong;
use super::{Broken, Check, require};
use baton::facts::house::HouseEvent;
use core::fmt;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most rooms whose paths are gated at once.
const ROOMS_MAX: usize = 1_000;
/// The most bytes of one room's definition, and of all together.
const TABLE_BYTES_MAX: usize = 16_384;
const HOUSE_BYTES_MAX: usize = 1_000_000;

const FORM: &str = "a row is one change of the house";
const SAME: &str = "a change changes something";
const GENERATIONS: &str = "generations follow each other";
const FREED_FIRST: &str = "a name is used again when its paths are released";
const THERE: &str = "no fact about a room that is not there";
const TABLES: &str = "a definition is a table";
const BOUNDS: &str = "the house is bounded";
const NOBODY: &str = "nobody is removed who was not there";

/// A room of the house.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    stands: Stands,
    table: String,
    generation: u32,
    since: u64,
    over: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Stands {
    Open,
    Archived,
    Freed,
}

/// The books after the rows so far. Memory: every name that was ever used, with its definition.
#[derive(Clone, Debug, Default)]
pub struct Books {
    rooms: BTreeMap<String, Entry>,
    /// The rooms that the last row changed, as they were before it.
    before: BTreeMap<String, Option<Entry>>,
    /// The brands laid over pages, by room, and those that the last row changed, as they were before it.
    brands: BTreeMap<String, String>,
    brands_before: BTreeMap<String, Option<String>>,
    facts: u64,
    /// How often somebody was made an operator, or an operator was changed.
    set: u64,
    /// How often an operator was removed.
    removed: u64,
}

/// The house after the last row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The number of facts.
    pub facts: u64,
    /// The rooms, by every name that was ever used.
    pub rooms: BTreeMap<String, RoomStanding>,
}

/// One room of the house.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoomStanding {
    /// `open`, `archived`, or `freed`, which means: over, and its paths are released.
    stands: Stands,
    /// The number of rooms of this name so far.
    generation: u32,
    /// The row since which it stands so.
    since: u64,
}

impl Books {
    /// Checks a row and enters its facts. O(facts · rooms).
    pub(super) fn enter(&mut self, row: u64, events: &[HouseEvent]) -> Result<(), Wrong> {
        let whole = |check: Check| check.map_err(|broken| (None, broken));
        let form = matches!(events, [HouseEvent::Changed { .. }, _, ..]);
        whole(require(FORM, form, || {
            "it does not begin with `changed`, or nothing follows it".to_owned()
        }))?;
        let facts = events.get(1..).unwrap_or_default();
        let names = facts.iter().filter_map(room_of);
        let before: BTreeMap<_, _> = names.map(|room| (room.clone(), self.rooms.get(room).cloned())).collect();
        let rebranded = facts.iter().filter_map(|event| self.rebranded(event));
        let brands_before: BTreeMap<_, _> = rebranded.map(|room| (room.clone(), self.brands.get(room).cloned())).collect();
        let undo = self.undo();
        let is_undo = !undo.is_empty() && facts == undo;
        for (at, event) in facts.iter().enumerate() {
            let lawful = if is_undo { self.may_take_back(event) } else { self.check(event) };
            lawful.map_err(|broken| (Some(at + 2), broken))?;
            self.put(row, event);
        }
        self.before = before;
        self.brands_before = brands_before;
        self.facts += events.len() as u64;
        whole(self.bounds())
    }

    /// Returns the facts that take the last row back: what it replaced is as before, and what it made is freed.
    fn undo(&self) -> Vec<HouseEvent> {
        let mut facts = Vec::new();
        for (room, before) in &self.before {
            let archived = HouseEvent::Archived { room: room.clone() };
            match before {
                Some(entry) if entry.stands == Stands::Open => facts.push(HouseEvent::Defined {
                    room: room.clone(),
                    table: entry.table.clone(),
                    generation: entry.generation,
                    over: entry.over.clone(),
                }),
                Some(entry) if entry.stands == Stands::Archived => facts.push(archived),
                _ => facts.extend([archived, HouseEvent::Freed { room: room.clone() }]),
            }
        }
        for (room, brand) in &self.brands_before {
            let (room, brand) = (room.clone(), brand.clone());
            facts.push(HouseEvent::Branded { room, brand });
        }
        facts
    }

    /// Returns the room whose brand a fact changes. A room that is freed loses its brand.
    fn rebranded<'e>(&self, event: &'e HouseEvent) -> Option<&'e String> {
        match event {
            HouseEvent::Branded { room, .. } => Some(room),
            HouseEvent::Freed { room } if self.brands.contains_key(room) => Some(room),
            _ => None,
        }
    }

    /// A row that takes the last row back may do what no other row may, with one exception: a generation never falls.
    fn may_take_back(&self, event: &HouseEvent) -> Check {
        let HouseEvent::Defined { room, generation, .. } = event else {
            return Ok(());
        };
        let most = self.rooms.get(room).map_or(0, |entry| entry.generation);
        require(GENERATIONS, *generation >= most, || {
            format!("{room} falls from generation {most} to {generation}")
        })
    }

    fn check(&self, event: &HouseEvent) -> Check {
        match event {
            HouseEvent::Changed { .. } => require(FORM, false, || "`changed` twice".to_owned()),
            HouseEvent::Defined {
                room,
                table,
                generation,
                over,
            } => self.may_define(room, table, *generation, over),
            HouseEvent::Archived { room } => {
                let stands = self.stands(room)?;
                require(SAME, stands == Stands::Open, || format!("{room} is over already"))
            }
            HouseEvent::Freed { room } => {
                let stands = self.stands(room)?;
                require(THERE, stands == Stands::Archived, || {
                    format!("{room} is not over, and its paths are released")
                })
            }
            HouseEvent::Branded { room, brand } => self.may_brand(room, brand.as_ref()),
            HouseEvent::OperatorSet { .. } => Ok(()),
            // The private half says who it is, so the audit counts heads.
            HouseEvent::OperatorRemoved { .. } => require(NOBODY, self.removed < self.set, || {
                format!("{} were set, and one more is removed", self.set)
            }),
        }
    }

    /// Returns how a room stands, or an error if there is no such room.
    fn stands(&self, room: &str) -> Result<Stands, Broken> {
        let entry = self.rooms.get(room);
        let stands = entry.map_or(Stands::Freed, |entry| entry.stands);
        require(THERE, stands != Stands::Freed, || format!("there is no room {room}"))?;
        Ok(stands)
    }

    /// The books know nothing of the file's rooms, so any name may have a brand.
    fn may_brand(&self, room: &str, brand: Option<&String>) -> Check {
        require(SAME, self.brands.get(room) != brand, || format!("the page of {room} is so already"))?;
        let Some(brand) = brand else { return Ok(()) };
        let is_table = serde_json::from_str::<serde_json::Map<_, _>>(brand).is_ok();
        require(TABLES, is_table, || format!("the brand of {room} is {brand:?}"))?;
        require(BOUNDS, brand.len() <= TABLE_BYTES_MAX, || {
            format!("the brand of {room} has {} bytes", brand.len())
        })
    }

    fn may_define(&self, room: &str, table: &str, generation: u32, over: &[String]) -> Check {
        let is_table = serde_json::from_str::<serde_json::Map<_, _>>(table).is_ok();
        require(TABLES, is_table, || format!("{room} is {table:?}"))?;
        require(BOUNDS, table.len() <= TABLE_BYTES_MAX, || format!("{room} has {} bytes", table.len()))?;
        let follows = match self.rooms.get(room) {
            None => 1,
            Some(entry) => {
                require(FREED_FIRST, entry.stands != Stands::Archived, || {
                    format!("{room} is defined while its paths are still shut")
                })?;
                let same = entry.stands == Stands::Open && entry.table == table && entry.over == over;
                require(SAME, !same, || format!("{room} is defined as it is"))?;
                entry.generation + u32::from(entry.stands == Stands::Freed)
            }
        };
        require(GENERATIONS, generation == follows, || {
            format!("{room} is generation {generation}, {follows} comes next")
        })
    }

    fn put(&mut self, row: u64, event: &HouseEvent) {
        let mut stand = |room: &String, stands| {
            if let Some(entry) = self.rooms.get_mut(room) {
                (entry.stands, entry.since) = (stands, row);
            }
        };
        match event {
            HouseEvent::Changed { .. } => {}
            HouseEvent::OperatorSet { .. } => self.set += 1,
            HouseEvent::OperatorRemoved { .. } => self.removed += 1,
            HouseEvent::Archived { room } => stand(room, Stands::Archived),
            HouseEvent::Freed { room } => {
                stand(room, Stands::Freed);
                self.brands.remove(room);
            }
            HouseEvent::Branded { room, brand } => match brand {
                Some(brand) => drop(self.brands.insert(room.clone(), brand.clone())),
                None => drop(self.brands.remove(room)),
            },
            HouseEvent::Defined {
                room,
                table,
                generation,
                over,
            } => {
                let entry = Entry {
                    stands: Stands::Open,
                    table: table.clone(),
                    generation: *generation,
                    since: row,
                    over: over.clone(),
                };
                self.rooms.insert(room.clone(), entry);
            }
        }
    }

    fn bounds(&self) -> Check {
        let gated = || {
            let rooms = self.rooms.values();
            rooms.filter(|entry| entry.stands != Stands::Freed)
        };
        let tables = gated().map(|entry| entry.table.len());
        let bytes: usize = tables.chain(self.brands.values().map(String::len)).sum();
        require(
            BOUNDS,
            gated().count().max(self.brands.len()) <= ROOMS_MAX && bytes <= HOUSE_BYTES_MAX,
            || format!("{} rooms of {bytes} bytes", gated().count()),
        )
    }

    /// Returns the house as it stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let room = |(name, entry): (&String, &Entry)| {
            let Entry {
                stands, generation, since, ..
            } = *entry;
            let standing = RoomStanding { stands, generation, since };
            (name.clone(), standing)
        };
        Standing {
            facts: self.facts,
            rooms: self.rooms.iter().map(room).collect(),
        }
    }
}

/// Returns the room that a fact changes, brands aside.
const fn room_of(event: &HouseEvent) -> Option<&String> {
    match event {
        HouseEvent::Defined { room, .. } | HouseEvent::Archived { room } | HouseEvent::Freed { room } => Some(room),
        HouseEvent::Changed { .. } | HouseEvent::Branded { .. } | HouseEvent::OperatorSet { .. } | HouseEvent::OperatorRemoved { .. } => None,
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { facts, rooms } = self;
        let count = |stands| rooms.values().filter(|room| room.stands == stands).count();
        writeln!(
            f,
            "  facts       {facts}\n  rooms       {} open, {} archived, {} released",
            count(Stands::Open),
            count(Stands::Archived),
            count(Stands::Freed)
        )?;
        for (name, room) in rooms {
            let stands = match room.stands {
                Stands::Open => "open",
                Stands::Archived => "archived",
                Stands::Freed => "released",
            };
            writeln!(f, "  {stands:<11} {name}, generation {}, since row {}", room.generation, room.since)?;
        }
        Ok(())
    }
}
