//! Where people stand, in pages: the bits of [`chunks_page`](facts::limits::Sizes::chunks_page) chunks in a row, once their last number is issued.
//!
//! A snapshot of a long line would otherwise repeat the places of a million, of which few have changed. So it writes only pages that did. It takes
//! them all at one moment, without copying them, and the journal writes them one by one in the turns that follow. Whoever changes a chunk meanwhile
//! gets a copy of its bits. The chunks behind the last full page are in the snapshot itself.

use super::chunk::{Bits, Chunk};
use super::{Line, number_at, split};
use facts::limits::sizes;
use facts::units::Number;
use journal::Image;
use std::sync::Arc;

/// The bits of one page: `None` for a chunk that had no number yet or that nobody needs any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(Vec<Option<Arc<Bits>>>);

impl Image for Places {
    fn bytes(&self) -> Vec<u8> {
        let chunks: Vec<Option<&Bits>> = self.0.iter().map(Option::as_deref).collect();
        postcard::to_allocvec(&chunks).unwrap_or_default()
    }
}

impl Line {
    /// Returns the first number of each page of places that the line has, in order, and whether any of its places changed since
    /// [`freeze_places`](Self::freeze_places). O(chunks).
    pub fn places_pages(&self) -> impl Iterator<Item = (Number, bool)> + '_ {
        let size = sizes().chunks_page;
        let full = self.behind_pages().div_ceil(size);
        (self.chunks.first() / size..full).filter_map(move |page| {
            let indexes = page * size..(page + 1) * size;
            let mut chunks = indexes.filter_map(|index| self.chunks.get(index)).peekable();
            chunks.peek()?;
            Some((number_at(page * size, 0), chunks.any(Chunk::has_changed)))
        })
    }

    /// Returns the places of the page that begins with this number, as they are now. O(chunks of the page).
    #[must_use]
    pub fn places(&self, first: Number) -> Places {
        let chunks = page_of(first).map(|index| Some(self.chunks.get(index)?.bits()));
        Places(chunks.collect())
    }

    /// Returns the same, and counts changes from now on. O(chunks of the page).
    pub fn freeze_places(&mut self, first: Number) -> Places {
        let chunks = page_of(first).map(|index| Some(self.chunks.get_mut(index)?.freeze()));
        Places(chunks.collect())
    }

    /// Takes back the page that begins with this number, after the snapshot and before any page of holders. Returns `None` if the bytes are no such
    /// page. O(page).
    pub fn put_places(&mut self, first: Number, bytes: &[u8]) -> Option<()> {
        let chunks: Vec<Option<Bits>> = postcard::from_bytes(bytes).ok()?;
        let indexes = page_of(first);
        if chunks.len() as u64 != sizes().chunks_page || indexes.end > self.behind_pages() {
            return None;
        }
        for (index, bits) in indexes.zip(chunks) {
            if let Some(bits) = bits {
                // The line may have forgotten chunks at its head since the page was written.
                self.chunks.put(index, Chunk::from(Arc::new(bits)));
            }
        }
        Some(())
    }

    /// Counts everybody by chunks, once all pages of places are read. O(chunks).
    pub fn sum_places(&mut self) {
        self.chunks.sum_up();
    }

    /// Returns the index of the first chunk that is on no page yet: the one behind the last full page.
    pub(super) fn behind_pages(&self) -> u64 {
        let size = sizes().chunks_page;
        split(self.next).0 / size * size
    }
}

/// Returns the indexes of the chunks on the page that begins with this number.
fn page_of(first: Number) -> core::ops::Range<u64> {
    let index = split(first).0;
    index..index + sizes().chunks_page
}
