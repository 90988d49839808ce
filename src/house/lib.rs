//! The house: the rooms beside those of the file, what each is, and who may operate beside those whom the file names. A single writer keeps it with
//! a journal like a room's, so rooms and operators come and go without a deploy.
//!
//! It is a pure core: [`House::decide`] looks and changes nothing, [`House::apply`] changes and decides nothing. It knows that a room or an
//! operator has a table, but not what is in it; [`settings`](settings) judges whether a table is good.
//!
//! | file | what |
//! |---|---|
//! | `mod` | what the house keeps, what operators may wish for, what follows |
//! | `operators` | who may operate: how an operator is set or changed |
//! | `refusal` | why the house refuses a wish |
//! | `steps` | which rooms, brands and operators a change affects |
//! | `table` | what fronts and objects are told of the house |
//! | `fresh` | how old a front's copy may be |
//!
//! The house keeps a room's name for ever: a name that is used again is another *generation*, with other objects and other tokens.
//!
//! # Who follows it, and how
//! 1. **One object writes**; a row is a whole change, judged by `settings/changes.rs` as it will stand beside the file. Before it writes it asks each
//!    room in which nobody may have a place. A definition names the rooms of the file over which it was put; it loses to all others (`gate/rooms.rs`).
//! 2. **A front** has a copy of the table (`edge/front/house.rs`). Higher versions win. The data centre's cache stands between, so the house is asked
//!    once a second and data centre.
//! 3. **The bound is 5 s** ([`fresh`]): up to 2 s nobody asks, up to 4 s one request asks beside its answer, then each waits, 1 s at most.
//! 4. **An object** keeps its definition beside its name. One that knows an older row than its caller asks the house (`edge/definition.rs`).
//! 5. **Away, the last table holds.** A front that never had one lets nobody through within the grounds.
//! 6. **Operators of the house** come with the table and pass the same check as the file's (`settings/operators.rs`), which wins. One place says what
//!    a call takes (`gate/calls.rs`), one decides whether somebody may (`Operator::may`).
//! 7. **A brand is laid over a page by fronts alone** (`settings/brand.rs`). No object hears of it. Pictures lie beside the journal under names of
//!    their bytes; the data centre's cache keeps one for ever.

#![warn(unused_crate_dependencies)]

mod fold;
pub mod fresh;
mod operators;
mod refusal;
mod steps;
pub mod table;

pub use refusal::Refusal;
pub use steps::{BrandStep, OperatorStep, Step};

use facts::house::HouseEvent;
use facts::limits::{HOUSE_BYTES_MAX, HOUSE_NAMES_MAX, HOUSE_ROOMS_MAX, TABLE_BYTES_MAX};
use facts::ordered::filled;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The house.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct House {
    /// The last row: the revision that an operator has seen.
    version: u64,
    rooms: BTreeMap<String, Kept>,
    /// Each room that the last row changed, as it was before; `None` if it was new.
    before: BTreeMap<String, Option<Kept>>,
    /// The brands, by room of the house or of the file: the keys laid over those of its page, as JSON.
    brands: BTreeMap<String, String>,
    /// Each brand that the last row changed, as it was before; `None` if there was none.
    brands_before: BTreeMap<String, Option<String>>,
    /// Who may operate, by name: the keys that an operator has in the file, as JSON.
    operators: BTreeMap<String, String>,
    /// Each operator that the last row changed, as it was before; `None` if it was new.
    operators_before: BTreeMap<String, Option<String>>,
}

/// A room as the house keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// How the room stands.
    pub stands: Stands,
    /// The room's table as JSON: the keys that a room has in the file. Empty once the paths are released.
    pub table: String,
    /// The number of rooms of this name so far, including this one.
    pub generation: u32,
    /// The row that made the room what it is.
    pub since: u64,
    /// The rooms of the file over which an owner of all rooms put it. The room loses to every other room of the file.
    pub over: Vec<String>,
}

impl Kept {
    /// Returns the bytes that this room adds to the house's.
    fn bytes(&self, name: &str) -> usize {
        match self.stands {
            Stands::Freed => name.len(),
            Stands::Open | Stands::Archived => bytes_of(&self.table, &self.over),
        }
    }
}

/// Returns the bytes of a definition: its table and the names of the rooms over which it is put.
fn bytes_of(table: &str, over: &[String]) -> usize {
    table.len() + over.iter().map(String::len).sum::<usize>()
}

/// How a room of the house stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    /// The room is open, whatever its mode.
    Open,
    /// The room is over, and its paths stay shut.
    Archived,
    /// The room is over, and its paths belong to nobody. The house remembers the name for the next generation.
    Freed,
}

/// What an operator wants of one room, or of one operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// Defines the room, whether there is one or not.
    Define {
        /// Its name.
        room: String,
        /// Its table.
        table: Map<String, Value>,
        /// The rooms of the file over which it is put.
        #[serde(default)]
        over: Vec<String>,
    },
    /// Ends the room.
    Archive {
        /// Its name.
        room: String,
    },
    /// Releases the paths of a room that is over.
    Free {
        /// Its name.
        room: String,
    },
    /// Lays a brand over the room's page.
    Brand {
        /// Its name.
        room: String,
        /// The keys of its page; `None` for those of its table.
        brand: Option<Map<String, Value>>,
    },
    /// Sets an operator whole, whether the name is in use or not.
    SetOperator {
        /// The operator's name.
        name: String,
        /// The operator's table.
        table: Map<String, Value>,
    },
    /// Changes these keys of an operator that the house has; `null` removes a key. The other keys stay, including the token.
    ChangeOperator {
        /// The operator's name.
        name: String,
        /// The keys.
        keys: Map<String, Value>,
    },
    /// Removes an operator.
    RemoveOperator {
        /// The operator's name.
        name: String,
    },
}

impl Wish {
    /// The room that the wish is about; `None` if it is about an operator.
    #[must_use]
    pub fn room(&self) -> Option<&str> {
        match self {
            Self::Define { room, .. } | Self::Archive { room } | Self::Free { room } | Self::Brand { room, .. } => Some(room),
            Self::SetOperator { .. } | Self::ChangeOperator { .. } | Self::RemoveOperator { .. } => None,
        }
    }
}

impl House {
    /// The last row; 0 before the first.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// Every room name that was ever used, with what became of the room.
    #[must_use]
    pub const fn rooms(&self) -> &BTreeMap<String, Kept> {
        &self.rooms
    }

    /// Who may operate, by name, each with a table as JSON.
    #[must_use]
    pub const fn operators(&self) -> &BTreeMap<String, String> {
        &self.operators
    }

    /// Yields the rooms whose paths are gated: those that are open, and those that are over and not freed.
    pub fn gated(&self) -> impl Iterator<Item = (&String, &Kept)> {
        let gated = |(_, kept): &(&String, &Kept)| kept.stands != Stands::Freed;
        self.rooms.iter().filter(gated)
    }

    /// The brands laid over the keys of rooms' pages, as JSON, by room.
    #[must_use]
    pub const fn brands(&self) -> &BTreeMap<String, String> {
        &self.brands
    }

    /// Decides what follows from these wishes, one after the other: all of them or none. Returns no events if everything is so
    /// already. O(bytes + rooms · wishes).
    ///
    /// # Errors
    /// The first [`Refusal`].
    pub fn decide(&self, wishes: &[Wish]) -> Result<Vec<HouseEvent>, Refusal> {
        let mut after = self.clone();
        let mut events = Vec::new();
        for wish in wishes {
            if let Some(event) = after.decide_one(wish)? {
                after.fold_one(self.version + 1, &event);
                events.push(event);
            }
        }
        Ok(events)
    }

    fn decide_one(&self, wish: &Wish) -> Result<Option<HouseEvent>, Refusal> {
        let known = |room: &String| {
            let kept = self.rooms.get(room);
            let kept = kept.filter(|kept| kept.stands != Stands::Freed);
            kept.ok_or_else(|| Refusal::Unknown(room.clone()))
        };
        match wish {
            Wish::Define { room, table, over } => self.define(room, table, over),
            Wish::Archive { room } => match known(room)?.stands {
                Stands::Open => Ok(Some(HouseEvent::Archived { room: room.clone() })),
                _ => Ok(None),
            },
            Wish::Free { room } => match known(room)?.stands {
                Stands::Open => Err(Refusal::IsOpen(room.clone())),
                _ => Ok(Some(HouseEvent::Freed { room: room.clone() })),
            },
            Wish::Brand { room, brand } => self.brand(room, brand.as_ref()),
            Wish::SetOperator { name, table } => self.set_operator(name, table),
            Wish::ChangeOperator { name, keys } => self.change_operator(name, keys),
            Wish::RemoveOperator { name } if self.operators.contains_key(name) => {
                let name = name.clone();
                Ok(Some(HouseEvent::OperatorRemoved { name }))
            }
            Wish::RemoveOperator { name } => Err(Refusal::UnknownOperator(name.clone())),
        }
    }

    fn brand(&self, room: &str, brand: Option<&Map<String, Value>>) -> Result<Option<HouseEvent>, Refusal> {
        let brand = brand.map(|brand| serde_json::to_string(brand).unwrap_or_default());
        let bytes = brand.as_ref().map_or(0, String::len);
        if bytes > TABLE_BYTES_MAX {
            return Err(Refusal::Long(room.to_owned()));
        }
        let now = self.brands.get(room);
        if now == brand.as_ref() {
            return Ok(None);
        }
        let others = self.bytes() - now.map_or(0, String::len);
        let is_one_more = now.is_none() && self.brands.len() >= HOUSE_ROOMS_MAX;
        if is_one_more || others + bytes > HOUSE_BYTES_MAX {
            return Err(Refusal::Full);
        }
        let room = room.to_owned();
        Ok(Some(HouseEvent::Branded { room, brand }))
    }

    /// The bytes of all definitions and brands, and of the names that are left of freed rooms.
    fn bytes(&self) -> usize {
        let rooms = self.rooms.iter().map(|(name, kept)| kept.bytes(name));
        rooms.chain(self.brands.values().map(String::len)).sum()
    }

    fn define(&self, room: &str, table: &Map<String, Value>, over: &[String]) -> Result<Option<HouseEvent>, Refusal> {
        let text = serde_json::to_string(table).unwrap_or_default();
        if text.len() > TABLE_BYTES_MAX {
            return Err(Refusal::Long(room.to_owned()));
        }
        let kept = self.rooms.get(room);
        let generation = match kept.map(|kept| (kept.stands, kept)) {
            None => 1,
            Some((Stands::Freed, kept)) => kept.generation.saturating_add(1),
            Some((Stands::Archived, _)) => return Err(Refusal::IsOver(room.to_owned())),
            Some((Stands::Open, kept)) if kept.table == text && kept.over == over => {
                return Ok(None);
            }
            Some((Stands::Open, kept)) => kept.generation,
        };
        if kept.is_none() && self.rooms.len() >= HOUSE_NAMES_MAX {
            return Err(Refusal::FullOfNames);
        }
        let is_gated = kept.is_some_and(|kept| kept.stands != Stands::Freed);
        let others = self.bytes() - kept.map_or(0, |kept| kept.bytes(room));
        let is_one_more = !is_gated && self.gated().count() >= HOUSE_ROOMS_MAX;
        if is_one_more || others + bytes_of(&text, over) > HOUSE_BYTES_MAX {
            return Err(Refusal::Full);
        }
        Ok(Some(HouseEvent::Defined {
            room: room.to_owned(),
            table: text,
            generation,
            over: over.to_vec(),
        }))
    }

    /// Returns the facts that take the last change back. O(what it changed).
    ///
    /// # Errors
    /// [`Refusal::NothingToUndo`].
    pub fn undo(&self) -> Result<Vec<HouseEvent>, Refusal> {
        let mut events = Vec::new();
        for (room, before) in &self.before {
            let room = || room.clone();
            let stands = before.as_ref().map(|kept| kept.stands);
            match (stands, before) {
                (Some(Stands::Open), Some(kept)) => events.push(HouseEvent::Defined {
                    room: room(),
                    table: kept.table.clone(),
                    generation: kept.generation,
                    over: kept.over.clone(),
                }),
                (Some(Stands::Archived), _) => events.push(HouseEvent::Archived { room: room() }),
                _ => {
                    events.push(HouseEvent::Archived { room: room() });
                    events.push(HouseEvent::Freed { room: room() });
                }
            }
        }
        events.extend(self.brands_before.iter().map(|(room, brand)| {
            let (room, brand) = (room.clone(), brand.clone());
            HouseEvent::Branded { room, brand }
        }));
        for (name, before) in &self.operators_before {
            let name = name.clone();
            events.push(match before.clone() {
                Some(table) => HouseEvent::OperatorSet { name, table },
                None => HouseEvent::OperatorRemoved { name },
            });
        }
        if events.is_empty() { Err(Refusal::NothingToUndo) } else { Ok(events) }
    }

    /// Returns the house as these facts would leave it.
    #[must_use]
    pub fn after(&self, events: &[HouseEvent]) -> Self {
        let mut after = self.clone();
        after.apply(self.version + 1, events);
        after
    }

    /// The room whose brand a fact changes; `None` if it changes none. A room that is freed loses its brand.
    fn rebranded_by<'e>(&self, event: &'e HouseEvent) -> Option<&'e String> {
        match event {
            HouseEvent::Branded { room, .. } => Some(room),
            HouseEvent::Freed { room } => Some(room).filter(|room| self.brands.contains_key(*room)),
            _ => None,
        }
    }

    /// Folds in the facts of one row.
    pub fn apply(&mut self, version: u64, events: &[HouseEvent]) {
        let rooms = events.iter().filter_map(room_of);
        let before = filled(rooms.map(|room| (room.clone(), self.rooms.get(room).cloned())));
        let branded = events.iter().filter_map(|event| self.rebranded_by(event));
        let brands_before = filled(branded.map(|room| (room.clone(), self.brands.get(room).cloned())));
        let names = events.iter().filter_map(operator_of);
        let operators = filled(names.map(|name| (name.clone(), self.operators.get(name).cloned())));
        for event in events {
            self.fold_one(version, event);
        }
        self.version = version;
        (self.before, self.brands_before, self.operators_before) = (before, brands_before, operators);
    }

    /// Brings back the table of a room whose release is undone. It is with what the last row replaced, and only that row can be undone.
    fn fetch_table(&mut self, room: &str) {
        let Some(kept) = self.rooms.get_mut(room).filter(|kept| kept.table.is_empty()) else {
            return;
        };
        if let Some(Some(before)) = self.before.get(room) {
            kept.table.clone_from(&before.table);
        }
    }

    fn fold_one(&mut self, version: u64, event: &HouseEvent) {
        let mut stand = |room: &String, stands| {
            if let Some(kept) = self.rooms.get_mut(room) {
                (kept.stands, kept.since) = (stands, version);
            }
        };
        match event {
            HouseEvent::Changed { .. } => {}
            HouseEvent::Archived { room } => {
                stand(room, Stands::Archived);
                self.fetch_table(room);
            }
            HouseEvent::Freed { room } => {
                stand(room, Stands::Freed);
                if let Some(kept) = self.rooms.get_mut(room) {
                    kept.table = String::new();
                }
                // The next room of this name is another one, and takes over nothing from this one.
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
                let kept = Kept {
                    stands: Stands::Open,
                    table: table.clone(),
                    generation: *generation,
                    since: version,
                    over: over.clone(),
                };
                self.rooms.insert(room.clone(), kept);
            }
            HouseEvent::OperatorSet { name, table } => {
                self.operators.insert(name.clone(), table.clone());
            }
            HouseEvent::OperatorRemoved { name } => {
                self.operators.remove(name);
            }
        }
    }
}

/// The room that a fact defines, archives or frees; `None` for any other fact.
const fn room_of(event: &HouseEvent) -> Option<&String> {
    match event {
        HouseEvent::Defined { room, .. } | HouseEvent::Archived { room } | HouseEvent::Freed { room } => Some(room),
        HouseEvent::Changed { .. } | HouseEvent::Branded { .. } | HouseEvent::OperatorSet { .. } | HouseEvent::OperatorRemoved { .. } => None,
    }
}

/// The operator whom a fact sets or removes; `None` for any other fact.
const fn operator_of(event: &HouseEvent) -> Option<&String> {
    match event {
        HouseEvent::OperatorSet { name, .. } | HouseEvent::OperatorRemoved { name } => Some(name),
        HouseEvent::Changed { .. }
        | HouseEvent::Defined { .. }
        | HouseEvent::Archived { .. }
        | HouseEvent::Freed { .. }
        | HouseEvent::Branded { .. } => None,
    }
}
