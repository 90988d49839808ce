//! Ordered maps and sets, filled one by one.
//!
//! The standard library's `collect` sorts before it builds. In what ships that is a copy of the whole stable sort for
//! each place that collects, 5 KB each; inserting is code that is there anyway.

/// A map or a set of these items; of two with the same key the later one stays. O(n log n).
pub fn filled<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut filled = C::default();
    filled.extend(items);
    filled
}
