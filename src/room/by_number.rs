//! Finds the fence of the permit that a number has.
//!
//! People are called nearly in the order of their numbers, but many numbers in between have gone, and a permit may come back after a day. So whoever
//! looks for a number among ordered ones searches. This is a hash table instead, with open addressing and linear probing: Knuth, *The Art of Computer
//! Programming*, volume 3, section 6.4, algorithms L and R. Nobody iterates over it, so its order decides nothing. It follows from the permits, so it
//! is part of no snapshot.

use facts::units::{Fence, Number};

/// The least number of places in a table that holds anything.
const PLACES_MIN: usize = 16;

/// The table. At most half of its places are taken, at 24 bytes a place: for the most permits that a room may have it takes 6 MB.
#[derive(Clone, Debug, Default)]
pub struct ByNumber {
    /// A power of two of them, or none.
    places: Vec<Option<(Number, Fence)>>,
    taken: usize,
}

impl ByNumber {
    /// Returns the fence of a number. O(1) on average.
    #[must_use]
    pub fn get(&self, number: Number) -> Option<Fence> {
        let (_, fence) = self.places.get(self.find(number)?)?.as_ref()?;
        Some(*fence)
    }

    /// Sets the fence of a number, in place of any that it had. O(1) amortised.
    pub fn insert(&mut self, number: Number, fence: Fence) {
        if 2 * (self.taken + 1) > self.places.len() {
            self.grow();
        }
        if let Some(at) = self.find(number).or_else(|| self.free_for(number))
            && let Some(place) = self.places.get_mut(at)
        {
            self.taken += usize::from(place.is_none());
            *place = Some((number, fence));
        }
    }

    /// Removes a number. Whoever stands behind it only because their own place was taken moves up. O(1) on average.
    pub fn remove(&mut self, number: Number) {
        let Some(mut hole) = self.find(number) else {
            return;
        };
        if let Some(place) = self.places.get_mut(hole) {
            *place = None;
            self.taken -= 1;
        }
        let mut at = self.behind(hole);
        while let Some(Some((other, _))) = self.places.get(at) {
            let from_home = self.steps(self.home(*other), at);
            if from_home >= self.steps(hole, at) {
                self.places.swap(hole, at);
                hole = at;
            }
            at = self.behind(at);
        }
    }

    /// Returns the place of a number that is in the table.
    fn find(&self, number: Number) -> Option<usize> {
        let mut at = self.home(number);
        while let Some((other, _)) = self.places.get(at)? {
            if *other == number {
                return Some(at);
            }
            at = self.behind(at);
        }
        None
    }

    /// Returns the first free place for a number that is not in the table.
    fn free_for(&self, number: Number) -> Option<usize> {
        let mut at = self.home(number);
        while self.places.get(at)?.is_some() {
            at = self.behind(at);
        }
        Some(at)
    }

    /// Returns where a number stands if that place is free: the highest bits of a product with 2⁶⁴ ÷ φ, which spreads neighbours (Knuth's
    /// multiplicative hashing, same section).
    fn home(&self, number: Number) -> usize {
        let bits = self.places.len().max(1).ilog2();
        let spread = number.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        spread.checked_shr(64 - bits).unwrap_or(0) as usize
    }

    const fn behind(&self, at: usize) -> usize {
        (at + 1) & (self.places.len().saturating_sub(1))
    }

    /// Returns how many steps behind a place another one is.
    const fn steps(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.places.len().saturating_sub(1))
    }

    fn grow(&mut self) {
        let places = (2 * self.places.len()).max(PLACES_MIN);
        let before = core::mem::replace(&mut self.places, vec![None; places]);
        for (number, fence) in before.into_iter().flatten() {
            if let Some(at) = self.free_for(number)
                && let Some(place) = self.places.get_mut(at)
            {
                *place = Some((number, fence));
            }
        }
    }
}

/// Any two are equal: what a table says follows from the permits.
impl PartialEq for ByNumber {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ByNumber {}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::units::LaneId;
    use std::collections::BTreeMap;

    /// Compares with a plain map while numbers of several lanes come, go and come again, in tables of every fullness.
    #[test]
    fn agrees_with_a_plain_map() {
        let mut rng = fastrand::Rng::with_seed(8);
        let (mut table, mut plain) = (ByNumber::default(), BTreeMap::new());
        let mut most = 0;
        for next in 1..40_000_u64 {
            let lane = LaneId(rng.u8(0..3));
            // Now and then many are out, mostly few. Few numbers at first, so that most are looked for and set again.
            let within = rng.u64(0..=next.min(500 + next / 4));
            let number = lane.number(within);
            let wanted = if next / 5_000 % 2 == 0 { 40 } else { 2_000 };
            if plain.len() > wanted || rng.u8(0..3) == 0 {
                let some = plain.range(number..).next().map(|(of, _)| *of);
                let gone = some.unwrap_or(number);
                table.remove(gone);
                plain.remove(&gone);
            } else {
                table.insert(number, Fence(next));
                plain.insert(number, Fence(next));
            }
            most = most.max(plain.len());
            assert_eq!(table.taken, plain.len());
            assert_eq!(table.get(number), plain.get(&number).copied());
            if next % 500 == 0 {
                let all = (0..3).flat_map(|lane| (0..11_000).map(move |at| LaneId(lane).number(at)));
                for number in all {
                    assert_eq!(table.get(number), plain.get(&number).copied());
                }
                let places = table.places.len();
                assert!(places.is_power_of_two() && places >= 2 * table.taken);
            }
        }
        assert!(most > 1_500, "{most}");
        assert!(table.places.len() <= 4 * 2_048);
    }

    /// Consecutive numbers, as they are called, stand near their home.
    #[test]
    fn neighbours_do_not_crowd() {
        let mut table = ByNumber::default();
        for within in 0..1_000 {
            table.insert(LaneId(1).number(within * 3), Fence(within));
        }
        let away = (0..1_000).map(|within| {
            let number = LaneId(1).number(within * 3);
            let at = table.find(number).unwrap();
            table.steps(table.home(number), at)
        });
        assert!(away.max().unwrap() < 8);
    }
}
