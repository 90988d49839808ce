//! Before the opening: the hall, in which people hold entries, and the draw, which makes numbers of them.
//!
//! # The draw
//! When a hall begins, a seed is fixed and its SHA-256 is told to everybody: the *commitment*. Nobody outside knows the
//! seed, and the room can't choose another one later without being found out. At the opening the seed is told. An
//! entry's *lot* is SHA-256 of the seed and of the entry as eight bytes, the highest first; the numbers go to the entries in
//! the order of their lots. So anybody can do it again, and get the same order. (Commit and reveal: Blum, *Coin flipping by
//! telephone*, 1981; a shuffle by sorting random keys: Knuth, TAOCP 2, 3.4.2.)
//!
//! Every entry that lives takes part, also one that is away within its grace: a telephone that slept at ten o'clock
//! sharp loses nothing, as it would lose nothing in the line, and holds nobody up there.

use super::Room;
use super::apply::away_grain_ms;
use super::hours::{self, Moment};
use super::line::{Line, Place};
use crate::facts::config::Mode;
use crate::facts::event::{Event, Row};
use crate::facts::hall::{Door, Draw, Lot, Seed};
use crate::facts::units::{Number, Version};
use crate::planted::{self, Bug};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

impl Seed {
    /// What is told before the draw: SHA-256 of the seed.
    #[must_use]
    pub fn commitment(&self) -> Self {
        Self(Sha256::digest(self.0).into())
    }

    /// An entry's lot: who has the least goes first.
    #[must_use]
    pub fn lot(&self, entry: u64) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(entry.to_be_bytes());
        hash.finalize().into()
    }
}

/// Where seeds come from: the room's keys, so that nothing secret is stored and a room that crashes draws the same. The
/// newest first; an older one opens a commitment that was made before the secret was changed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Lots(Vec<[u8; 32]>);

impl core::fmt::Debug for Lots {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Lots({} keys)", self.0.len())
    }
}

impl Lots {
    /// Of these keys, the newest first.
    #[must_use]
    pub const fn new(keys: Vec<[u8; 32]>) -> Self {
        Self(keys)
    }

    fn seeds(&self, nonce: Version) -> impl Iterator<Item = Seed> + '_ {
        const NONE: &[[u8; 32]] = &[[0; 32]];
        let keys = if self.0.is_empty() { NONE } else { &self.0 };
        keys.iter().filter_map(move |key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
            mac.update(&nonce.0.to_be_bytes());
            Some(Seed(mac.finalize().into_bytes().into()))
        })
    }

    fn commit(&self, nonce: Version) -> Lot {
        let seed = self.seeds(nonce).next().unwrap_or_default();
        Lot {
            nonce,
            commitment: seed.commitment(),
        }
    }

    /// The seed that was committed to. When the secret is gone there is none, the newest key gives another, and
    /// whoever checks the draw finds that out.
    fn reveal(&self, lot: Lot) -> Seed {
        let mut seeds = self.seeds(lot.nonce);
        let kept = seeds.find(|seed| seed.commitment() == lot.commitment);
        kept.or_else(|| self.seeds(lot.nonce).next())
            .unwrap_or_default()
    }
}

/// A draw that was made: what anybody needs to make it again, and each entry's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// The row of the draw.
    pub version: Version,
    /// How.
    pub draw: Draw,
    /// What was told before.
    pub commitment: Seed,
    /// What was told then.
    pub seed: Seed,
    /// The first number.
    pub first: Number,
    /// How many there are.
    pub count: u64,
    /// The entries that took part, as first and last of each run, counted from 1.
    pub runs: Vec<(u64, u64)>,
}

/// Entries in ascending order as first and last of each run.
fn runs(entries: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for entry in entries {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == entry => *last = entry,
            _ => runs.push((entry, entry)),
        }
    }
    runs
}

/// What a room knows of who waits for its opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hall {
    pub(super) door: Door,
    /// Who holds an entry. Their numbers are entries ([`Number::is_entry`]).
    pub(super) line: Line,
    lot: Option<Lot>,
    /// The last draw.
    drawn: Option<Drawn>,
}

impl Default for Hall {
    fn default() -> Self {
        Self {
            door: Door::default(),
            line: Line::starting_at(Number::FIRST_ENTRY),
            lot: None,
            drawn: None,
        }
    }
}

impl Hall {
    /// Nobody holds an entry, and entries begin at 1. What the next draw is bound to stays: it was told to everybody, and nobody
    /// knows more of it than before.
    pub(super) fn begin(&mut self) {
        *self = Self {
            door: self.door,
            lot: self.lot,
            ..Self::default()
        };
    }

    /// Whether the room is open, by its hours.
    #[must_use]
    pub const fn door(&self) -> Door {
        self.door
    }

    /// Who holds an entry.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// What the next draw is bound to.
    #[must_use]
    pub const fn lot(&self) -> Option<Lot> {
        self.lot
    }

    /// The last draw.
    #[must_use]
    pub const fn drawn(&self) -> Option<&Drawn> {
        self.drawn.as_ref()
    }

    /// The order of the draw: its entries, who goes first at the head. O(entries · log entries).
    fn order(&self, draw: Draw, seed: &Seed) -> Vec<Number> {
        let entries = self.line.living().map(|(number, _)| number);
        if draw == Draw::Arrival {
            return entries.collect();
        }
        let lot = |number: Number| seed.lot(number.entry().unwrap_or(0));
        let mut lots: Vec<([u8; 32], Number)> = entries.map(|n| (lot(n), n)).collect();
        lots.sort_unstable();
        if planted::is(Bug::DrawFavoursTheLast) {
            lots.rotate_right(1);
        }
        lots.into_iter().map(|(_, number)| number).collect()
    }
}

impl Room {
    /// Who waits for the opening, to look at.
    #[must_use]
    pub const fn hall(&self) -> &Hall {
        &self.hall
    }

    /// The mode in force: outside its hours a room that lets people in, or calls them, is closed.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        let by_hours = matches!(self.config.mode, Mode::Open | Mode::Paused | Mode::Drain);
        match self.hall.door {
            Door::Shut { .. } if by_hours => Mode::Closed,
            _ => self.config.mode,
        }
    }

    /// Whether those in line are called, by mode and hours.
    #[must_use]
    pub const fn calls(&self) -> bool {
        self.mode().calls() && !matches!(self.hall.door, Door::Hall { .. })
    }

    /// Opens and closes by the hours, and draws. Nothing when it is done for `wall_ms` already. O(periods), at a
    /// draw O(entries · log entries).
    pub fn keep_hours(&mut self, wall_ms: u64, lots: &Lots, row: &mut Row) {
        let door = self.door_at(wall_ms);
        if door == self.hall.door && !self.draw_is_due() {
            return;
        }
        if matches!(door, Door::Hall { .. }) && self.hall.lot.is_none() {
            let lot = lots.commit(row.version);
            self.commit([Event::Committed(lot)], row);
        }
        if door != self.hall.door {
            self.commit([Event::Doors(door)], row);
        }
        if self.draw_is_due() {
            let lot = self.hall.lot.unwrap_or_else(|| lots.commit(row.version));
            let drawn = Event::Drawn {
                draw: self.config.draw,
                seed: lots.reveal(lot),
                first: self.line.next(),
                count: self.hall.line.alive(),
            };
            self.commit([drawn], row);
        }
    }

    /// Those in the hall wait for nothing any more.
    const fn draw_is_due(&self) -> bool {
        matches!(self.hall.door, Door::Open { .. }) && self.hall.line.alive() > 0
    }

    fn door_at(&self, wall_ms: u64) -> Door {
        match hours::moment(&self.config.periods, wall_ms) {
            Moment::Open { closes_at_ms } => Door::Open { closes_at_ms },
            Moment::Shut {
                opens_at_ms: Some(opens_at_ms),
            } => {
                let soon = opens_at_ms.saturating_sub(wall_ms) <= self.config.hall_ms;
                // An opening that is put off sends nobody home.
                if (soon && self.config.hall_ms > 0) || self.hall.line.alive() > 0 {
                    Door::Hall { opens_at_ms }
                } else {
                    Door::Shut {
                        opens_at_ms: Some(opens_at_ms),
                    }
                }
            }
            Moment::Shut { opens_at_ms: None } => Door::Shut { opens_at_ms: None },
        }
    }

    /// When the hours change something next, Unix ms. O(1).
    #[must_use]
    pub const fn hours_due_ms(&self) -> Option<u64> {
        match self.hall.door {
            Door::Open { closes_at_ms } => closes_at_ms,
            Door::Hall { opens_at_ms } => Some(opens_at_ms),
            Door::Shut {
                opens_at_ms: Some(at),
            } => Some(at.saturating_sub(self.config.hall_ms)),
            Door::Shut { opens_at_ms: None } => None,
        }
    }

    /// When the room opens, Unix ms, while it is not open.
    #[must_use]
    pub const fn opens_at_ms(&self) -> Option<u64> {
        match self.hall.door {
            Door::Open { .. } => None,
            Door::Shut { opens_at_ms } => opens_at_ms,
            Door::Hall { opens_at_ms } => Some(opens_at_ms),
        }
    }

    /// The line in which a number stands: the hall's for an entry.
    #[must_use]
    pub const fn line_of(&self, number: Number) -> &Line {
        if number.is_entry() {
            &self.hall.line
        } else {
            &self.line
        }
    }

    pub(super) const fn line_of_mut(&mut self, number: Number) -> &mut Line {
        if number.is_entry() {
            &mut self.hall.line
        } else {
            &mut self.line
        }
    }

    pub(super) fn apply_commitment(&mut self, lot: Lot) {
        self.hall.lot = Some(lot);
    }

    pub(super) const fn apply_door(&mut self, door: Door) {
        self.hall.door = door;
        self.announced = self.version;
    }

    /// The numbers go to the entries, with their holders, their lobbies and their presence. What is known of the lobbies' tickets is of
    /// another life from now on.
    pub(super) fn apply_draw(&mut self, draw: Draw, seed: Seed) {
        let order = self.hall.order(draw, &seed);
        let empty = Line::starting_at(self.hall.line.next());
        let hall = core::mem::replace(&mut self.hall.line, empty);
        let first = self.line.next();
        if self.line.alive() == 0 {
            self.rhythm.clear();
        }
        let living = self.line.first_living().unwrap_or(first);
        self.times.joins.joined(first, self.now, living);
        self.told_from = self.version;
        self.changes.forget(self.version);
        let grain_ms = away_grain_ms(&self.config);
        for entry in &order {
            let holder = hall.holder(*entry).unwrap_or_default();
            let number = self.line.join(hall.lobby(*entry), &[holder]);
            if let Place::Away(slot) = hall.place(*entry) {
                self.line.set_away(number, hall.away_until(slot), grain_ms);
            }
            self.carried.remove(entry);
            self.enter_in_book(number, holder);
            if let Some(account) = hall.account(*entry) {
                self.own_unpaged(number, account);
            }
        }
        // Pages are of another life, and all are due.
        self.accounts.repage_all();
        self.totals.joined += order.len() as u64;
        let lot = self.hall.lot.take();
        self.hall.drawn = Some(Drawn {
            version: self.version,
            draw,
            commitment: lot.map_or_else(|| seed.commitment(), |lot| lot.commitment),
            seed,
            first,
            count: order.len() as u64,
            runs: runs(hall.living().filter_map(|(number, _)| number.entry())),
        });
        self.announced = self.version;
    }

    /// Whether who comes now gets an entry.
    pub(super) const fn enters_hall(&self) -> bool {
        matches!(self.hall.door, Door::Hall { .. })
            && matches!(self.config.mode, Mode::Open | Mode::Paused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_read_as_it_is_written() {
        let seed = Seed([0xa5; 32]);
        assert_eq!(seed.to_string().parse(), Ok(seed));
        assert!("a5".parse::<Seed>().is_err());
        assert!("é".repeat(32).parse::<Seed>().is_err());
        let json = serde_json::to_string(&seed).unwrap();
        assert_eq!(serde_json::from_str::<Seed>(&json).unwrap(), seed);
        let bytes = postcard::to_allocvec(&seed).unwrap();
        assert_eq!(bytes.len(), 32);
        assert_eq!(postcard::from_bytes::<Seed>(&bytes).unwrap(), seed);
    }

    #[test]
    fn a_commitment_opens_with_the_key_it_was_made_with() {
        let (old, new) = ([1; 32], [2; 32]);
        let lot = Lots::new(vec![old]).commit(Version(7));
        let seed = Lots::new(vec![old]).reveal(lot);
        assert_eq!(seed.commitment(), lot.commitment);
        assert_eq!(Lots::new(vec![new, old]).reveal(lot), seed);
        assert_ne!(
            Lots::new(vec![new]).reveal(lot).commitment(),
            lot.commitment
        );
        assert_eq!(format!("{:?}", Lots::new(vec![old])), "Lots(1 keys)");
    }
}
