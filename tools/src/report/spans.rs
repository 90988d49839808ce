//! Keeps what happened by stretches of equal width, in bounded memory. If there would be too many, they are made wider: each width is a whole
//! multiple of the one before, so nothing is ever split.

use crate::sums::Sums;
use std::collections::BTreeMap;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Widths of stretches of time, ms. Ten years are 522 of the widest.
pub const OF_TIME: &[u64] = &[
    SECOND,
    5 * SECOND,
    10 * SECOND,
    30 * SECOND,
    MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    DAY,
    7 * DAY,
];
/// The same widths from a minute on.
pub const OF_MINUTES: &[u64] = OF_TIME.split_at(4).1;
/// Widths of groups of numbers in line. 2³¹ numbers, the most of an edition, are 215 of the widest.
pub const OF_NUMBERS: &[u64] = &[1, 10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000];

/// What is kept by stretches.
pub trait Kept: Sums {
    /// The widths that its stretches may have.
    const WIDTHS: &'static [u64];
    /// How many stretches there may be.
    const MOST: usize;
}

/// One value a stretch; a stretch in which nothing happened has none.
#[derive(Clone, Debug, Default)]
pub struct Spans<T> {
    /// The index of the width in use.
    width: usize,
    values: BTreeMap<u64, T>,
}

impl<T: Kept> Spans<T> {
    /// The width of each stretch.
    #[must_use]
    pub fn width(&self) -> u64 {
        T::WIDTHS.get(self.width).copied().unwrap_or(1).max(1)
    }

    /// Returns the value of the stretch in which this place lies. O(log stretches), and O(stretches) each time that they are made wider.
    pub fn at(&mut self, place: u64) -> &mut T {
        while self.values.len() >= T::MOST && !self.values.contains_key(&self.begin(place)) {
            if !self.widen() {
                break;
            }
        }
        self.values.entry(self.begin(place)).or_default()
    }

    fn begin(&self, place: u64) -> u64 {
        place - place % self.width()
    }

    /// Makes each stretch as wide as the next width. Returns false if there is none.
    fn widen(&mut self) -> bool {
        if self.width + 1 >= T::WIDTHS.len() {
            return false;
        }
        self.width += 1;
        for (place, value) in core::mem::take(&mut self.values) {
            let begin = self.begin(place);
            self.values.entry(begin).or_default().take(&value);
        }
        true
    }

    /// Returns a copy, widened until there are at most `most` stretches from the first to the last, empty ones counted.
    #[must_use]
    pub fn coarse(&self, most: u64) -> Self {
        let mut coarse = self.clone();
        while coarse.reach() > most && coarse.widen() {}
        coarse
    }

    /// The number of stretches from the first to the last, empty ones counted.
    fn reach(&self) -> u64 {
        let first = self.values.first_key_value().map_or(0, |(at, _)| *at);
        let last = self.values.last_key_value().map_or(0, |(at, _)| *at);
        (last - first) / self.width() + 1
    }

    /// Returns where each stretch begins, with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.values.iter().map(|(begin, value)| (*begin, value))
    }
}

/// Neighbouring stretches that are told as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<T> {
    /// Where it begins.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// The sum of its values.
    pub value: T,
}

/// Merges neighbours until each group has at least `least` by this count. The last, if it has fewer, goes to the one before. A single group may
/// have fewer. O(stretches).
pub fn groups<T: Kept>(spans: &Spans<T>, least: u64, count: impl Fn(&T) -> u64) -> Vec<Group<T>> {
    let mut groups: Vec<Group<T>> = Vec::new();
    for (from, value) in spans.iter() {
        let to = from + spans.width();
        match groups.last_mut() {
            Some(last) if count(&last.value) < least => {
                last.to = to;
                last.value.take(value);
            }
            _ => groups.push(Group {
                from,
                to,
                value: value.clone(),
            }),
        }
    }
    if let Some(short) = groups.pop_if(|last| count(&last.value) < least) {
        match groups.last_mut() {
            Some(last) => {
                last.to = short.to;
                last.value.take(&short.value);
            }
            None => groups.push(short),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default)]
    struct Count<const MOST: usize>(u64);

    impl<const MOST: usize> Sums for Count<MOST> {
        fn take(&mut self, later: &Self) {
            self.0 += later.0;
        }
    }

    impl<const MOST: usize> Kept for Count<MOST> {
        const WIDTHS: &'static [u64] = OF_NUMBERS;
        const MOST: usize = MOST;
    }

    fn told(spans: &Spans<Count<3>>) -> Vec<(u64, u64)> {
        spans.iter().map(|(at, value)| (at, value.0)).collect()
    }

    #[test]
    fn each_width_divides_the_next() {
        for widths in [OF_TIME, OF_MINUTES, OF_NUMBERS] {
            for pair in widths.windows(2) {
                let (narrow, wide) = (pair.first().copied(), pair.last().copied());
                let rest = wide.zip(narrow).map(|(wide, narrow)| wide % narrow);
                assert_eq!(rest, Some(0), "{pair:?}");
            }
        }
        assert_eq!(OF_MINUTES.first(), Some(&MINUTE));
    }

    #[test]
    fn too_many_become_wider_and_nothing_is_lost() {
        let mut spans = Spans::<Count<3>>::default();
        for place in [0, 1, 2, 9, 10, 25] {
            spans.at(place).0 += 1;
        }
        assert_eq!(spans.width(), 10);
        assert_eq!(told(&spans), [(0, 4), (10, 1), (20, 1)]);
        spans.at(120).0 += 1;
        assert_eq!(told(&spans), [(0, 6), (100, 1)]);
        assert_eq!(told(&spans.coarse(1)), [(0, 7)]);
    }

    #[test]
    fn groups_have_as_many_as_they_must() {
        let mut spans = Spans::<Count<99>>::default();
        for (place, count) in [(0, 4), (1, 7), (5, 12), (6, 3), (9, 6)] {
            spans.at(place).0 += count;
        }
        let told = |least| -> Vec<(u64, u64, u64)> {
            let groups = groups(&spans, least, |count| count.0);
            let groups = groups.into_iter();
            groups.map(|g| (g.from, g.to, g.value.0)).collect()
        };
        // The last nine are too few to stand alone.
        assert_eq!(told(10), [(0, 2, 11), (5, 10, 21)]);
        assert_eq!(told(100), [(0, 10, 32)]);
        assert_eq!(told(0).len(), 5);
    }
}
