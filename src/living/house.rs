//! The house in memory, and its turn: decide, apply, write, and only then speak. It has no alarm, since nothing of it is ever due.

use super::{Fault, wound};
use crate::clock::Clock;
use facts::holder::Salt;
use facts::house::HouseEvent;
use facts::units::Edition;
use house::House;
use journal::{Damage, Journal, Store};

/// The house in memory.
#[derive(Clone, Debug)]
pub struct LivingHouse<S> {
    house: House,
    journal: Journal<S>,
    clock: Clock,
    /// The salt that blinds the names of operators in its journal.
    salt: Salt,
}

impl<S: Store> LivingHouse<S> {
    /// Brings the house back from what is stored. `salt` is for a house that has none yet. O(snapshot + rows).
    ///
    /// # Errors
    /// Returns [`Fault`] if what is stored is damaged.
    pub fn restore(store: S, salt: Salt, wall_ms: u64) -> Result<Self, Fault> {
        let (journal, restored) = Journal::open::<House>(store)?;
        let (clock, _) = wound(restored.clock, wall_ms, None);
        let stored = journal.store().salt(Edition::FIRST).map_err(Damage::store)?;
        let salt = match stored {
            Some(stored) => stored,
            None => {
                let put = journal.store().put_salt(Edition::FIRST, salt);
                put.map_err(Damage::store)?;
                salt
            }
        };
        Ok(Self {
            house: restored.state,
            journal,
            clock,
            salt,
        })
    }

    /// The core, to look at.
    pub const fn house(&self) -> &House {
        &self.house
    }

    /// The journal.
    pub const fn journal(&self) -> &Journal<S> {
        &self.journal
    }

    /// Writes an operator's change as one row: the operator's name, then the facts that [`House::decide`] or [`House::undo`] returned. All
    /// rows are kept, since they name rooms and operators but no visitor.
    ///
    /// # Errors
    /// Returns [`Fault`]; the memory must then be dropped.
    pub fn change(&mut self, wall_ms: u64, by: &str, events: Vec<HouseEvent>) -> Result<(), Fault> {
        let now = self.clock.advance(wall_ms, None);
        let by = by.to_owned();
        let events: Vec<_> = core::iter::once(HouseEvent::Changed { by }).chain(events).collect();
        let version = self.journal.version() + 1;
        self.house.apply(version, &events);
        self.journal.append(&self.salt, now, self.clock.wall_ms(), &events, &mut self.house, 0)?;
        Ok(())
    }
}
