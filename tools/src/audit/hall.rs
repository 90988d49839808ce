//! Who waits for the opening, and the draw done again. The order is worked out here by itself, from the seed that the
//! journal shows and from who was in the hall; and the seed must be the one that was committed to.

use super::ledger::Ledger;
use super::line::{Line, Place};
use super::{Check, require};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::hall::{Door, Draw, Lot, Seed};
use baton::facts::units::Number;
use sha2::{Digest, Sha256};

const HOURS: &str = "hours are kept";
const DRAW: &str = "the draw is what was committed to";
const ENTRIES: &str = "entries are consecutive";

/// The hall of one room.
#[derive(Clone, Debug, Default)]
pub struct Hall {
    /// Who is in it, by entry.
    pub line: Line,
    pub door: Door,
    lot: Option<Lot>,
}

impl Hall {
    pub fn turn(&mut self, door: Door) -> Check {
        require(HOURS, self.door != door, || {
            format!("{door:?} was so before")
        })?;
        self.door = door;
        Ok(())
    }

    pub fn commit(&mut self, lot: Lot) -> Check {
        require(DRAW, self.lot.is_none(), || {
            "another seed was committed to, and the first was not told".to_owned()
        })?;
        self.lot = Some(lot);
        Ok(())
    }

    /// The entry that gets the number in this place of a draw, counted from 0. O(n log n).
    pub fn drawn_at(&self, draw: Draw, seed: &Seed, place: u64) -> Option<u64> {
        let order = self.order(draw, seed);
        let entry = order.get(usize::try_from(place).ok()?)?;
        Some(entry.0)
    }

    /// The entries in the order of the draw. O(n log n).
    fn order(&self, draw: Draw, seed: &Seed) -> Vec<(u64, Place, u16)> {
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

impl Ledger {
    /// Whether who comes gets an entry.
    pub fn takes_entries(&self) -> bool {
        let config = self.config.as_ref();
        matches!(self.hall.door, Door::Hall { .. })
            && config.is_some_and(|c| matches!(c.mode, Mode::Open | Mode::Paused))
    }

    /// Where a number, or an entry, stands.
    pub fn place(&self, number: Number) -> Option<Place> {
        match number.entry() {
            Some(entry) => self.hall.line.place(entry),
            None => self.line.place(number.0),
        }
    }

    /// The line that it stands in, and its name there.
    pub fn line_of(&mut self, number: Number) -> (&mut Line, u64) {
        match number.entry() {
            Some(entry) => (&mut self.hall.line, entry),
            None => (&mut self.line, number.0),
        }
    }

    pub(super) fn entered(&mut self, lobby: u16, first: Number, count: u32) -> Check {
        require(HOURS, self.takes_entries(), || {
            "entries were issued, and there is no hall now".to_owned()
        })?;
        require(DRAW, self.hall.lot.is_some(), || {
            "entries were issued before a seed was committed to".to_owned()
        })?;
        let next = self.hall.line.issued() + 1;
        require(ENTRIES, first.entry() == Some(next), || {
            format!("{first} was issued, entry {next} is next")
        })?;
        self.fits(next, count)?;
        self.hall.line.join(lobby, u64::from(count));
        self.totals.entered += u64::from(count);
        Ok(())
    }

    pub(super) fn drawn(
        &mut self,
        config: &RoomConfig,
        draw: Draw,
        seed: &Seed,
        (first, count): (u64, u64),
    ) -> Check {
        let open = matches!(self.hall.door, Door::Open { .. });
        require(HOURS, open && draw == config.draw, || {
            format!(
                "there was a draw by {}, and the room is not open or draws by {}",
                draw.name(),
                config.draw.name()
            )
        })?;
        let commitment = Seed(Sha256::digest(seed.0).into());
        let told = self.hall.lot.map(|lot| lot.commitment);
        require(DRAW, told == Some(commitment), || match told {
            Some(told) => format!("the seed's hash is {commitment}, {told} was told before"),
            None => "no seed was committed to".to_owned(),
        })?;
        let order = self.hall.order(draw, seed);
        let next = self.line.issued() + 1;
        let all = count == order.len() as u64 && count > 0;
        require(DRAW, first == next && all, || {
            let there = order.len();
            format!("{count} numbers from {first} were drawn; {there} from {next} were due")
        })?;
        self.owned_are_drawn(first, order.iter().map(|(entry, ..)| *entry));
        for (number, (entry, place, lobby)) in (first..).zip(order) {
            self.line.join(lobby, 1);
            if matches!(place, Place::Away(_)) {
                let until_ms = self.hall.line.kept_until_ms(entry).unwrap_or_default();
                self.line.stay_away(number, until_ms, config.grace_ms);
            }
        }
        self.hall.line.end_all();
        self.hall.lot = None;
        self.totals.drawn += count;
        Ok(())
    }

    /// Whether the door stands as the dates say at `wall_ms`, at the beginning of a row. O(periods).
    /// `committed`: the row committed to a seed, as it must when a hall begins and no seed waits to be told.
    pub fn hours_kept(&self, wall_ms: u64, committed: bool) -> Check {
        let Some(config) = self.config.as_ref() else {
            return Ok(());
        };
        let current = config.periods.iter().find(|p| wall_ms < p.closes_at_ms);
        let expected = match current {
            _ if config.periods.is_empty() => Door::Open { closes_at_ms: None },
            None => Door::Shut { opens_at_ms: None },
            Some(period) if period.opens_at_ms <= wall_ms => Door::Open {
                closes_at_ms: (period.closes_at_ms < u64::MAX).then_some(period.closes_at_ms),
            },
            Some(period) => {
                let opens_at_ms = period.opens_at_ms;
                let near = config.hall_ms > 0 && opens_at_ms - wall_ms <= config.hall_ms;
                if near || self.hall.line.alive() > 0 {
                    Door::Hall { opens_at_ms }
                } else {
                    let opens_at_ms = Some(opens_at_ms);
                    Door::Shut { opens_at_ms }
                }
            }
        };
        require(HOURS, self.hall.door == expected, || {
            format!("{:?} where the dates say {expected:?}", self.hall.door)
        })?;
        let hall = matches!(expected, Door::Hall { .. });
        let bound = if hall {
            self.hall.lot.is_some()
        } else {
            !committed
        };
        require(DRAW, bound, || {
            "a seed is committed to when a hall begins, and not otherwise".to_owned()
        })?;
        let undrawn = matches!(expected, Door::Open { .. }) && self.hall.line.alive() > 0;
        require(HOURS, !undrawn, || {
            format!("open, and {} still in the hall", self.hall.line.alive())
        })
    }
}
