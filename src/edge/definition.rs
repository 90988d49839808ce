//! What an object knows of its room, or of the room that it is a lobby or porter of: settings and table, from the file or as the house defines them.
//!
//! An object of a room of the house keeps the definition beside its name, since an alarm brings none. A caller says by which row of the house it
//! knows the room ([`DEFINED_HEADER`](super::peers::DEFINED_HEADER)). An object that knows an older row asks the house, and takes only higher rows. A
//! new definition begins a new life of the object's memory, as a deploy does.
//!
//! An object keeps its home beside its name, as its first caller said it, who found it there. The file may name another home by now: then other
//! objects are the room, and this one goes on with those of its own home until nobody has a place there.

use super::object::error;
use super::peers::Address;
use super::store::Name;
use super::{config, dice, log};
use facts::log::{Code, Part, Remark};
use house::table::Definition;
use serde_json::Value;
use settings::{Home, RoomSettings, in_lines, name_in_file, parse_definition, settings_of_rehearsal, table_of_rehearsal};
use std::cell::Cell;
use worker::{Env, Result, State};

/// The part of the stored name that holds the definition.
const PART: &str = "definition";
/// The part of the stored name that holds the home.
const HOME: &str = "home";
/// How long the house may take to answer. An object that got no answer does not ask again for as long, so that no
/// caller waits for what another has just waited for in vain.
const PATIENCE_MS: u64 = 2_000;

/// A room as one of its objects knows it.
pub struct Known {
    /// The settings that follow from the table.
    pub settings: RoomSettings,
    /// The table over which live values are laid.
    pub table: Value,
}

impl Known {
    /// Reads the room of this name, at the home of this object: from the file, else from the stored definition.
    ///
    /// # Errors
    /// If there is no such room, or its definition contradicts this deployment's file.
    pub fn of(env: &Env, stored: &Name, name: &str) -> Result<Self> {
        let mut known = Self::wherever(env, stored, name)?;
        if let Some(home) = stored.get(HOME)?.as_deref().and_then(Home::of_text) {
            known.settings.home = home;
        }
        Ok(known)
    }

    fn wherever(env: &Env, stored: &Name, name: &str) -> Result<Self> {
        let deployment = config::load(env).map_err(|_| error("the configuration is not valid"))?;
        if let Some(settings) = deployment.room_of_object(name) {
            return Ok(Self {
                settings: settings.clone(),
                table: deployment.table_of_object(name),
            });
        }
        let unknown = || error(&format!("there is no room {name:?}"));
        let definition = read(stored)?.ok_or_else(unknown)?;
        let grounds = deployment.settings.grounds.as_ref().ok_or_else(unknown)?;
        let in_file = name_in_file(name);
        let room = parse_definition(&deployment.settings.rooms, grounds, in_file, &definition);
        let settings = room.map_err(|problems| error(&in_lines(&problems)))?;
        let table = definition.in_force();
        if in_file == name {
            return Ok(Self { settings, table });
        }
        Ok(Self {
            settings: settings_of_rehearsal(&settings, &table).ok_or_else(unknown)?,
            table: table_of_rehearsal(&table),
        })
    }
}

/// Remembers where this object lives, as a caller says it, unless it is known already.
pub fn settle(state: &State, said: Option<&str>) -> Result<()> {
    let stored = Name::open(state)?;
    match said.filter(|said| Home::of_text(said).is_some()) {
        Some(said) if stored.get(HOME)?.is_none() => stored.set(HOME, said),
        _ => Ok(()),
    }
}

/// What an object remembers of its questions to the house.
#[derive(Default)]
pub struct Learner {
    /// When the house last failed to answer, Unix ms.
    failed_at_ms: Cell<u64>,
}

impl Learner {
    /// Makes sure that the stored definition is at least that of row `shown`, if the house answers. `known` is the row of the definition in memory.
    /// Returns `true` if the stored definition has changed, so that what is in memory follows from an older one.
    ///
    /// # Errors
    /// If the storage fails.
    pub async fn learn(&self, (state, env): (&State, &Env), name: &str, known: Option<u64>, shown: u64) -> Result<bool> {
        let since_failure_ms = dice::now_ms().abs_diff(self.failed_at_ms.get());
        if known.is_some_and(|known| known >= shown) || since_failure_ms < PATIENCE_MS {
            return Ok(false);
        }
        let stored = read(&Name::open(state)?)?;
        if stored.is_some_and(|stored| stored.since >= shown) {
            return Ok(false);
        }
        match ask(state, env, name_in_file(name)).await {
            Some(definition) => keep(state, &definition),
            None => {
                self.failed_at_ms.set(dice::now_ms());
                log::say(&Remark::of(Part::House, Code::HouseUnreachable).in_room(name));
                Ok(false)
            }
        }
    }
}

/// Stores a definition, unless this one or a newer one is stored already. Returns whether it did.
fn keep(state: &State, definition: &Definition) -> Result<bool> {
    // The house took a while to answer: another call may have stored one.
    let stored = Name::open(state)?;
    let known = read(&stored)?.map(|definition| definition.since);
    if known.is_some_and(|known| known >= definition.since) {
        return Ok(false);
    }
    let text = serde_json::to_string(definition).map_err(|why| error(&why.to_string()))?;
    stored.set(PART, &text)?;
    Ok(true)
}

fn read(stored: &Name) -> Result<Option<Definition>> {
    let text = stored.get(PART)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

async fn ask(state: &State, env: &Env, name: &str) -> Option<Definition> {
    let deployment = config::load(env).ok()?;
    let house = Address::of_house(deployment.settings.grounds.as_ref()?);
    let answer = house.call((state, env), "room", name.as_bytes(), PATIENCE_MS);
    let answer = answer.await.ok().filter(|answer| answer.status == 200)?;
    serde_json::from_str(&answer.text()?).ok()
}
