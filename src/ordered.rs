//! Ordered maps and sets, filled one by one.
//!
//! The standard library's `collect` sorts before it builds, so each place that collects puts a copy of the stable sort into
//! the worker, 5 KB each. Inserting is code that is there anyway.

/// Builds a map or a set of these items. The later of two with the same key stays. O(n log n).
pub fn filled<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut filled = C::default();
    filled.extend(items);
    filled
}
