//! The hall, in which people hold entries before the opening, and the draw, which turns entries into numbers.
//!
//! # The draw
//! When a hall begins, the room fixes a seed and tells everybody its SHA-256: the *commitment*. Nobody outside knows the seed, and the room cannot
//! choose another one later without being found out. At the opening the room tells the seed. An entry's *lot* is the SHA-256 of the seed and of the
//! entry as eight bytes, the highest first. The entries get numbers in the order of their lots, so anybody can repeat the draw and get the same
//! order. (Commit and reveal: Blum, *Coin flipping by telephone*, 1981; a shuffle by sorting random keys: Knuth, TAOCP 2, 3.4.2.)
//!
//! Every living entry takes part, even one that is away within its grace. A phone that slept at ten o'clock sharp loses nothing, as it would lose
//! nothing in the line, and holds nobody up there.

use super::line::Line;
use core::cmp::Ordering;
use facts::hall::{Door, Draw, Lot, Seed};
use facts::planted::{self, Bug};
use facts::units::{LaneId, Number, Version};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The room's keys, from which seeds follow: nothing secret is stored, and a room that crashes draws the same. The newest comes first; an older one
/// opens a commitment that was made before the secret changed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Lots(Vec<[u8; 32]>);

impl core::fmt::Debug for Lots {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Lots({} keys)", self.0.len())
    }
}

impl Lots {
    /// Takes the room's keys, the newest first.
    #[must_use]
    pub const fn new(keys: Vec<[u8; 32]>) -> Self {
        Self(keys)
    }

    /// Returns the seeds that follow from the keys. Two lanes whose halls began in one row have different seeds: the lane that opens first must not
    /// give away the other's.
    fn seeds(&self, lane: LaneId, nonce: Version) -> impl Iterator<Item = Seed> + '_ {
        const NONE: &[[u8; 32]] = &[[0; 32]];
        let keys = if self.0.is_empty() { NONE } else { &self.0 };
        keys.iter().filter_map(move |key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
            mac.update(&nonce.0.to_be_bytes());
            if lane != LaneId::FIRST {
                mac.update(&[lane.0]);
            }
            Some(Seed(mac.finalize().into_bytes().into()))
        })
    }

    pub(super) fn commit(&self, lane: LaneId, nonce: Version) -> Lot {
        let seed = self.seeds(lane, nonce).next().unwrap_or_default();
        Lot {
            nonce,
            commitment: seed.commitment(),
        }
    }

    /// Returns the seed that was committed to. If its secret is gone, returns the newest key's seed instead, and whoever checks the
    /// draw finds that out.
    pub(super) fn reveal(&self, lane: LaneId, lot: Lot) -> Seed {
        let mut seeds = self.seeds(lane, lot.nonce);
        let kept = seeds.find(|seed| seed.commitment() == lot.commitment);
        kept.or_else(|| self.seeds(lane, lot.nonce).next()).unwrap_or_default()
    }
}

/// A draw that was made: what anybody needs to repeat it and to find each entry's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// The row of the draw.
    pub version: Version,
    /// How the numbers were given.
    pub draw: Draw,
    /// The SHA-256 of the seed, as told before the draw.
    pub commitment: Seed,
    /// The seed, as told at the draw.
    pub seed: Seed,
    /// The first number given.
    pub first: Number,
    /// How many numbers were given.
    pub count: u64,
    /// The entries that took part, counted from 1, as the first and last of each run.
    pub runs: Vec<(u64, u64)>,
}

/// Groups ascending entries into runs, each as its first and last.
pub(super) fn runs(entries: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for entry in entries {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == entry => *last = entry,
            _ => runs.push((entry, entry)),
        }
    }
    runs
}

/// An entry's slip in the draw: the beginning of its lot, and its count. Twelve bytes, as a hall may hold millions.
#[derive(Clone, Copy)]
struct Slip {
    lot: [u32; 2],
    entry: u32,
}

/// The boxes that slips are put into, by the first byte of the lot. Each is sorted by itself and dropped once its numbers are given, so that the slips
/// go as the line comes.
const BOXES: usize = 256;

/// Calls `each` with the living entries of a hall in the order of the draw. Beside the hall it needs 13 bytes an entry, and less with each entry
/// called. O(entries · log entries).
pub(super) fn in_drawn_order(hall: &Line, draw: Draw, seed: &Seed, mut each: impl FnMut(Number)) {
    if draw == Draw::Arrival {
        return hall.living().for_each(|(number, _)| each(number));
    }
    let lot = |entry: u32| {
        let [a, b, c, d, e, f, g, h, ..] = seed.lot(entry.into());
        [u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])]
    };
    // Lots are even, so few boxes need more than their share and a sixteenth.
    let share = usize::try_from(hall.alive()).unwrap_or(0) / BOXES;
    let mut boxes: Vec<Vec<Slip>> = Vec::new();
    boxes.resize_with(BOXES, || Vec::with_capacity(share + share / 16));
    for (number, _) in hall.living() {
        // A hall has fewer than 2³¹ entries.
        let entry = number.within() as u32;
        let mut lot = lot(entry);
        if planted::is(Bug::DrawFavoursTheLast) && number.plus(1) == hall.next() {
            lot = [0; 2];
        }
        if let Some(slips) = boxes.get_mut((lot[0] >> 24) as usize) {
            slips.push(Slip { lot, entry });
        }
    }
    let lane = hall.next().lane();
    for mut slips in boxes {
        slips.sort_unstable_by(|a, b| a.lot.cmp(&b.lot).then_with(|| by_whole_lot(a, b, seed)));
        slips.iter().for_each(|slip| each(lane.entry(slip.entry.into())));
    }
}

/// The order of two slips whose lots begin alike: in one draw of a million out of some 40 million there are two. Inlined, it would be in each of the
/// sort's comparisons.
#[cold]
#[inline(never)]
fn by_whole_lot(a: &Slip, b: &Slip, seed: &Seed) -> Ordering {
    let whole = |slip: &Slip| seed.lot(slip.entry.into());
    whole(a).cmp(&whole(b))
}

/// What the room knows of those who wait for the opening of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hall {
    pub(super) door: Door,
    /// Those who hold an entry. Their numbers are entries ([`Number::is_entry`]).
    pub(super) line: Line,
    pub(super) lot: Option<Lot>,
    /// The last draw; `None` if there was none.
    pub(super) drawn: Option<Drawn>,
}

impl Hall {
    /// Returns the hall of a lane with nobody in it.
    pub(super) fn of(lane: LaneId) -> Self {
        Self {
            door: Door::default(),
            line: Line::starting_at(lane.entry(1)),
            lot: None,
            drawn: None,
        }
    }

    /// Empties the hall for a new edition; entries begin at 1. The commitment to the next draw stays: everybody was told of it, and nobody knows more
    /// of the seed than before.
    pub(super) fn begin(&mut self, lane: LaneId) {
        *self = Self {
            door: self.door,
            lot: self.lot,
            ..Self::of(lane)
        };
    }

    /// Forgets door and draws when another lane takes the slot.
    pub(super) fn forget(&mut self) {
        (self.door, self.lot, self.drawn) = <_>::default();
    }

    /// Whether the lane is open, by its hours.
    #[must_use]
    pub const fn door(&self) -> Door {
        self.door
    }

    /// Those who hold an entry.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// The commitment to the next draw; `None` if there is none.
    #[must_use]
    pub const fn lot(&self) -> Option<Lot> {
        self.lot
    }

    /// The last draw; `None` if there was none.
    #[must_use]
    pub const fn drawn(&self) -> Option<&Drawn> {
        self.drawn.as_ref()
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
        let lot = Lots::new(vec![old]).commit(LaneId::FIRST, Version(7));
        let seed = Lots::new(vec![old]).reveal(LaneId::FIRST, lot);
        assert_eq!(seed.commitment(), lot.commitment);
        assert_eq!(Lots::new(vec![new, old]).reveal(LaneId::FIRST, lot), seed);
        assert_ne!(Lots::new(vec![new]).reveal(LaneId::FIRST, lot).commitment(), lot.commitment);
        assert_eq!(format!("{:?}", Lots::new(vec![old])), "Lots(1 keys)");
    }
}
