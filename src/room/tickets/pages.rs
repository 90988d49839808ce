//! What is stored of the tickets in pages: who holds them, and where they stand.

use super::Tickets;
use crate::line::{Line, Places};
use facts::units::Number;
use journal::LatePage;
use std::sync::Arc;

impl Tickets {
    /// The pages of holders that are full and not entirely over: their first numbers, in order. A line's first page begins one number before the
    /// line's first number, so a page's second number says which line it belongs to.
    pub fn holder_pages(&self) -> impl Iterator<Item = Number> + '_ {
        self.lanes.lines().flat_map(Line::pages)
    }

    /// Returns whether a page beginning with this number is one of [`holder_pages`](Self::holder_pages). O(log n).
    #[must_use]
    pub fn has_holder_page(&self, first: Number) -> bool {
        self.lanes.line_of(first.plus(1)).has_page(first)
    }

    /// Returns the page that begins with this number, as bytes. O(page).
    #[must_use]
    pub fn holder_page(&self, first: Number) -> Vec<u8> {
        self.lanes.line_of(first.plus(1)).page(first)
    }

    /// Takes back a page that is read when somebody first asks, after all pages of places and all pages before it. O(1).
    pub(crate) fn put_holder_page(&mut self, page: &Arc<LatePage>) {
        self.lanes.line_of_mut(Number(page.first() + 1)).put_late(page);
    }

    /// The pages of places that are full and in which somebody may live: the first number of each, in order, and whether any of its places changed
    /// since [`freeze_places`](Self::freeze_places). Their names say which line they belong to as those of pages of holders do. O(chunks).
    #[must_use]
    pub fn places_pages(&self) -> Vec<(Number, bool)> {
        self.lanes.lines().flat_map(Line::places_pages).collect()
    }

    /// Returns the page of places that begins with this number, as it is now. O(chunks of the page).
    #[must_use]
    pub fn places(&self, first: Number) -> Places {
        self.lanes.line_of(first.plus(1)).places(first)
    }

    /// Returns the same, and counts changes from now on. O(chunks of the page).
    pub(crate) fn freeze_places(&mut self, first: Number) -> Places {
        self.lanes.line_of_mut(first.plus(1)).freeze_places(first)
    }

    /// Reads a page of places back in, before any page of holders. Returns `None` if the bytes are not such a page. O(page).
    pub(crate) fn put_places(&mut self, first: Number, bytes: &[u8]) -> Option<()> {
        self.lanes.line_of_mut(first.plus(1)).put_places(first, bytes)
    }

    /// Counts everybody by chunks, after all pages of places were read. O(chunks).
    pub(crate) fn sum_places(&mut self) {
        self.lanes.lines_mut().for_each(Line::sum_places);
    }
}
