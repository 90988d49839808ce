//! Keeps who waits for a lane's opening, and does the draw again. It works out the order by itself, from the seed that the journal shows and from who
//! was in the hall.

use super::line::{Line, Place};
use super::{Check, require};
use baton::facts::hall::{Door, Draw, Lot, Seed};
use sha2::{Digest, Sha256};

pub(super) const HOURS: &str = "hours are kept";
pub(super) const DRAW: &str = "the draw is what was committed to";

/// The hall of one lane.
#[derive(Clone, Debug, Default)]
pub struct Hall {
    /// The people in it, by entry.
    pub line: Line,
    pub door: Door,
    pub(super) lot: Option<Lot>,
}

impl Hall {
    /// Turns the door.
    pub(super) fn turn(&mut self, door: Door) -> Check {
        require(HOURS, self.door != door, || format!("{door:?} was so before"))?;
        self.door = door;
        Ok(())
    }

    /// Commits to a seed.
    pub(super) fn commit(&mut self, lot: Lot) -> Check {
        require(DRAW, self.lot.is_none(), || {
            "another seed was committed to, and the first was not told".to_owned()
        })?;
        self.lot = Some(lot);
        Ok(())
    }

    /// Forgets door and seed: another lane has the slot now.
    pub(super) fn forget(&mut self) {
        (self.door, self.lot) = <_>::default();
    }

    /// Returns the entry that gets the number at this place of a draw, counted from 0. O(n log n).
    pub fn drawn_at(&self, draw: Draw, seed: &Seed, place: u64) -> Option<u64> {
        let order = self.order(draw, seed);
        let entry = order.get(usize::try_from(place).ok()?)?;
        Some(entry.0)
    }

    /// Returns the place in a draw that an entry gets, counted from 0. O(n log n).
    pub fn place_of(&self, draw: Draw, seed: &Seed, entry: u64) -> Option<u64> {
        let order = self.order(draw, seed);
        let place = order.iter().position(|(own, ..)| *own == entry)?;
        u64::try_from(place).ok()
    }

    /// Returns the entries in the order of the draw. O(n log n).
    pub fn order(&self, draw: Draw, seed: &Seed) -> Vec<(u64, Place, u16)> {
        let mut entries: Vec<(u64, Place, u16)> = self.line.living().collect();
        if draw == Draw::Shuffle {
            entries.sort_by_cached_key(|(entry, ..)| {
                let mut lot = Sha256::new();
                lot.update(seed.0);
                lot.update(entry.to_be_bytes());
                <[u8; 32]>::from(lot.finalize())
            });
        }
        entries
    }
}
