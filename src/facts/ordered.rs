//! Ordered maps and sets, filled one by one.
//!
//! The standard library's `collect` sorts before it builds, so each place that collects puts a copy of the stable sort into the worker, 5 KB each.
//! Inserting uses code that the worker has anyway.

/// Builds a map or a set of these items. Of two items with the same key the later one stays. O(n log n).
pub fn filled<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut filled = C::default();
    filled.extend(items);
    filled
}
