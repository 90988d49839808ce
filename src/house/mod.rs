//! The house: which rooms there are beside those of the file, and what each is. A single writer keeps it with a journal as a room's,
//! so events come and go without a deploy.
//!
//! A pure core: [`House::decide`] looks and changes nothing, [`House::apply`] changes and decides nothing. It knows that a room has a
//! table and not what is in one; whether a table is good is for [`settings`](crate::settings) to say.
//!
//! | file | what |
//! |---|---|
//! | `mod` | what is kept, what may be wished for, what follows |
//! | `table` | what fronts and objects are told of it |
//! | `fresh` | how old a front's copy may be |
//!
//! A room's name is kept for ever: a name that is used again is another *generation*, with other objects and other tokens.

pub mod fresh;
pub mod table;

use crate::facts::house::HouseEvent;
use crate::facts::limits::{HOUSE_BYTES_MAX, HOUSE_ROOMS_MAX, TABLE_BYTES_MAX};
use crate::ordered::filled;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// The house.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct House {
    /// The last row: the revision that an operator has seen.
    version: u64,
    rooms: BTreeMap<String, Kept>,
    /// Each room that the last row changed, as it was before; none: it was new.
    before: BTreeMap<String, Option<Kept>>,
}

/// A room as the house keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Whether there is such a room.
    pub stands: Stands,
    /// The keys that a room has in the file, as JSON.
    pub table: String,
    /// How many rooms of this name there have been, with this one.
    pub generation: u32,
    /// The row that made it what it is.
    pub since: u64,
}

/// Whether a room of the house is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    /// It is.
    Open,
    /// It is over, and its paths stay shut.
    Archived,
    /// It is over, and its paths are nobody's. The name is remembered for the next generation.
    Freed,
}

/// What an operator wants of one room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// It shall be this, whether there is one or not.
    Define {
        /// Its name.
        room: String,
        /// Its table.
        table: Map<String, Value>,
    },
    /// It shall be over.
    Archive {
        /// Its name.
        room: String,
    },
    /// The paths of one that is over shall be nobody's.
    Free {
        /// Its name.
        room: String,
    },
}

/// Why the house does not do what is wished. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such room.
    Unknown(String),
    /// The room is over, and its paths are still shut.
    IsOver(String),
    /// The room is not over.
    IsOpen(String),
    /// There are as many rooms as there may be, or their definitions are as long together as they may be.
    Full,
    /// The room's table is too long.
    Long(String),
    /// Nothing was changed yet.
    NothingToUndo,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(room) => write!(f, "The house has no room {room}."),
            Self::IsOver(room) => write!(
                f,
                "The room {room} is archived and its paths are still shut. Undo that, or release its paths first."
            ),
            Self::IsOpen(room) => write!(
                f,
                "The room {room} is not archived. Delete it before its paths are released."
            ),
            Self::Full => write!(
                f,
                "The house keeps {HOUSE_ROOMS_MAX} rooms, and definitions of {HOUSE_BYTES_MAX} bytes together, and no more. Delete one that is over and release its paths."
            ),
            Self::Long(room) => write!(
                f,
                "The definition of {room} is longer than {TABLE_BYTES_MAX} bytes. Shorten it."
            ),
            Self::NothingToUndo => write!(f, "Nothing was changed yet that could be undone."),
        }
    }
}

/// A room before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// Its name.
    pub room: &'a str,
    /// As it was; none: it is new, or its name is used again.
    pub from: Option<&'a Kept>,
    /// As it will be.
    pub to: &'a Kept,
}

impl House {
    /// The last row; 0 before the first.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// Every name that was ever used, with what became of it.
    #[must_use]
    pub const fn rooms(&self) -> &BTreeMap<String, Kept> {
        &self.rooms
    }

    /// The rooms whose paths are gated: those that are open, and those that are over and not freed.
    pub fn gated(&self) -> impl Iterator<Item = (&String, &Kept)> {
        let gated = |(_, kept): &(&String, &Kept)| kept.stands != Stands::Freed;
        self.rooms.iter().filter(gated)
    }

    /// What follows from these wishes, one after the other: all of them or none. No events: everything is so already.
    /// O(rooms + wishes).
    ///
    /// # Errors
    /// [`Refusal`], the first.
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
            Wish::Define { room, table } => self.define(room, table),
            Wish::Archive { room } => match known(room)?.stands {
                Stands::Open => Ok(Some(HouseEvent::Archived { room: room.clone() })),
                _ => Ok(None),
            },
            Wish::Free { room } => match known(room)?.stands {
                Stands::Open => Err(Refusal::IsOpen(room.clone())),
                _ => Ok(Some(HouseEvent::Freed { room: room.clone() })),
            },
        }
    }

    fn define(
        &self,
        room: &str,
        table: &Map<String, Value>,
    ) -> Result<Option<HouseEvent>, Refusal> {
        let text = serde_json::to_string(table).unwrap_or_default();
        if text.len() > TABLE_BYTES_MAX {
            return Err(Refusal::Long(room.to_owned()));
        }
        let kept = self.rooms.get(room);
        let generation = match kept.map(|kept| (kept.stands, kept)) {
            None => 1,
            Some((Stands::Freed, kept)) => kept.generation.saturating_add(1),
            Some((Stands::Archived, _)) => return Err(Refusal::IsOver(room.to_owned())),
            Some((Stands::Open, kept)) if kept.table == text => return Ok(None),
            Some((Stands::Open, kept)) => kept.generation,
        };
        let others = self.gated().filter(|(name, _)| *name != room);
        let (count, bytes) = others.fold((0, 0), |(count, bytes), (_, kept)| {
            (count + 1, bytes + kept.table.len())
        });
        if count >= HOUSE_ROOMS_MAX || bytes + text.len() > HOUSE_BYTES_MAX {
            return Err(Refusal::Full);
        }
        Ok(Some(HouseEvent::Defined {
            room: room.to_owned(),
            table: text,
            generation,
        }))
    }

    /// What takes the last change back. O(what it changed).
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
                }),
                (Some(Stands::Archived), _) => events.push(HouseEvent::Archived { room: room() }),
                _ => {
                    events.push(HouseEvent::Archived { room: room() });
                    events.push(HouseEvent::Freed { room: room() });
                }
            }
        }
        if events.is_empty() {
            Err(Refusal::NothingToUndo)
        } else {
            Ok(events)
        }
    }

    /// The house as these facts would leave it.
    #[must_use]
    pub fn after(&self, events: &[HouseEvent]) -> Self {
        let mut after = self.clone();
        after.apply(self.version + 1, events);
        after
    }

    /// The rooms that are another in `after`, by name.
    pub fn steps<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = Step<'a>> {
        after.before.keys().filter_map(move |room| {
            let to = after.rooms.get(room)?;
            let from = self.rooms.get(room);
            let from = from.filter(|from| from.generation == to.generation);
            Some(Step { room, from, to })
        })
    }

    /// Folds one row's facts in.
    pub fn apply(&mut self, version: u64, events: &[HouseEvent]) {
        let rooms = events.iter().filter_map(room_of);
        let before = filled(rooms.map(|room| (room.clone(), self.rooms.get(room).cloned())));
        for event in events {
            self.fold_one(version, event);
        }
        self.version = version;
        self.before = before;
    }

    fn fold_one(&mut self, version: u64, event: &HouseEvent) {
        let mut stand = |room: &String, stands| {
            if let Some(kept) = self.rooms.get_mut(room) {
                (kept.stands, kept.since) = (stands, version);
            }
        };
        match event {
            HouseEvent::Changed { .. } => {}
            HouseEvent::Archived { room } => stand(room, Stands::Archived),
            HouseEvent::Freed { room } => stand(room, Stands::Freed),
            HouseEvent::Defined {
                room,
                table,
                generation,
            } => {
                let kept = Kept {
                    stands: Stands::Open,
                    table: table.clone(),
                    generation: *generation,
                    since: version,
                };
                self.rooms.insert(room.clone(), kept);
            }
        }
    }
}

/// The room that a fact is of.
const fn room_of(event: &HouseEvent) -> Option<&String> {
    match event {
        HouseEvent::Changed { .. } => None,
        HouseEvent::Defined { room, .. }
        | HouseEvent::Archived { room }
        | HouseEvent::Freed { room } => Some(room),
    }
}
