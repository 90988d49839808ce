//! Ordered maps and sets, filled one by one; and the order of few things.
//!
//! The standard library's `collect` sorts before it builds, so each place that collects puts a copy of the stable sort into the worker, 5 KB each, as does
//! each place that sorts. Inserting uses code that the worker has anyway.

use core::cmp::Ordering;

/// Builds a map or a set of these items. Of two items with the same key the later one stays. O(n log n).
pub fn filled<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut filled = C::default();
    filled.extend(items);
    filled
}

/// Sorts few things, at most some hundred: rooms, lanes, steps of a schedule. Those that are equal keep their order. O(n²), and O(n) if they are in order.
pub fn sort_few<T>(things: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    for end in 1..things.len() {
        let mut at = end;
        while let Some([before, thing]) = things.get(at.wrapping_sub(1)..=at)
            && order(before, thing) == Ordering::Greater
        {
            things.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Sorts many things on a path that is not busy. Those that are equal keep their order. O(n log n). It sorts their places, by one copy of the sort for
/// all types, and calls `order` through a pointer.
pub fn sort_many<T>(things: &mut Vec<T>, order: impl Fn(&T, &T) -> Ordering) {
    let compare = |a: usize, b: usize| match (things.get(a), things.get(b)) {
        (Some(a), Some(b)) => order(a, b),
        _ => Ordering::Equal,
    };
    let places = sorted_places(things.len(), &compare);
    let mut taken: Vec<Option<T>> = core::mem::take(things).into_iter().map(Some).collect();
    things.extend(places.into_iter().filter_map(|place| taken.get_mut(place)?.take()));
}

/// Returns the places of so many things in the order in which the things come.
fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use super::{sort_few, sort_many};

    /// Every list of four of three things, so that some are equal.
    #[test]
    fn things_are_sorted_as_the_standard_library_sorts_them() {
        for code in 0..81_u8 {
            let digit = |at: u32| (code / 3_u8.pow(at) % 3, at);
            let all: Vec<(u8, u32)> = (0..4).map(digit).collect();
            for count in 0..=all.len() {
                let (mut ours, mut theirs) = (all[..count].to_vec(), all[..count].to_vec());
                sort_few(&mut ours, |(a, _), (b, _)| a.cmp(b));
                theirs.sort_by_key(|(thing, _)| *thing);
                assert_eq!(ours, theirs);
                let mut ours = all[..count].to_vec();
                sort_many(&mut ours, |(a, _), (b, _)| a.cmp(b));
                assert_eq!(ours, theirs);
            }
        }
    }
}
