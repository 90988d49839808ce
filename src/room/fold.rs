//! How a room is folded from its journal: row by row, and page by page of the holders of numbers.

use super::Room;
use facts::event::Event;
use facts::units::{Edition, Instant, Number, Version};
use journal::{Fold, Image, LatePage, PageId, PageKind};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

impl Fold for Room {
    type Event = Event;

    fn fold(&mut self, version: u64, at: Instant, events: &[Self::Event]) {
        for event in events {
            self.apply(Version(version), at, event);
        }
    }

    fn edition(&self) -> Edition {
        Room::edition(self)
    }

    fn page_due(&self, stored: &BTreeSet<PageId>) -> Option<PageId> {
        let mut pages = self.tickets.holder_pages().map(|first| page_id(self, first));
        pages.find(|id| !stored.contains(id))
    }

    fn has_page(&self, id: PageId) -> bool {
        id == page_id(self, Number(id.first)) && self.tickets.has_holder_page(Number(id.first))
    }

    fn page(&self, id: PageId) -> Vec<u8> {
        let first = Number(id.first);
        match id.kind {
            PageKind::Places => self.tickets.places(first).bytes(),
            PageKind::Holders => self.tickets.holder_page(first),
        }
    }

    fn freeze(&mut self, needs: &dyn Fn(u64) -> bool) -> Vec<(u64, Option<Rc<dyn Image>>)> {
        let pages = self.tickets.places_pages().into_iter().map(|(first, changed)| {
            let image = (changed || needs(first.0)).then(|| self.tickets.freeze_places(first));
            (first.0, image.map(|image| Rc::new(image) as Rc<dyn Image>))
        });
        pages.collect()
    }

    fn put_page(&mut self, id: PageId, bytes: &[u8]) -> bool {
        id.kind == PageKind::Places && self.tickets.put_places(Number(id.first), bytes).is_some()
    }

    fn put_late(&mut self, page: &Arc<LatePage>) {
        self.tickets.put_holder_page(page);
    }

    fn read_all(&mut self) {
        // Whoever writes a page needs all that is on it.
        self.tickets.holder_pages().for_each(|first| drop(self.tickets.holder_page(first)));
    }

    fn placed(&mut self) {
        self.tickets.sum_places();
    }

    fn opened(&mut self) -> bool {
        self.book.open(&mut self.tickets).is_some()
    }
}

/// Names a page. The name changes with a draw or a reset, after which its numbers are other tickets', and when the
/// page is written anew for accounts that came later.
fn page_id(room: &Room, first: Number) -> PageId {
    PageId {
        kind: PageKind::Holders,
        since: room.book.accounts().repaged(first).max(room.told_from).0,
        first: first.0,
    }
}
