//! Where the bench's room keeps its snapshot and its pages, as an object's SQLite would.

use baton::facts::holder::Salt;
use baton::facts::units::Edition;
use baton::journal::{Page, PageId, Sealed, Shelf, Snapshot, Store};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A store that holds one snapshot and its pages. A clone is the same store.
#[derive(Clone, Default)]
pub struct Kept(Rc<Plates>);

#[derive(Default)]
struct Plates {
    snapshot: RefCell<Option<Snapshot>>,
    pages: RefCell<BTreeMap<PageId, Page>>,
}

impl Kept {
    pub fn ids(&self) -> BTreeSet<PageId> {
        self.0.pages.borrow().keys().copied().collect()
    }

    pub fn put(&self, page: Page) {
        self.0.pages.borrow_mut().insert(page.id, page);
    }

    pub fn drop_pages(&self) {
        self.0.pages.borrow_mut().clear();
    }

    /// Which row the snapshot is of, and its bytes; zeros if there is none.
    pub fn snapshot(&self) -> (u64, u64) {
        let snapshot = self.0.snapshot.borrow();
        snapshot
            .as_ref()
            .map_or((0, 0), |of| (of.version, of.parts.iter().map(Vec::len).sum::<usize>() as u64))
    }
}

impl Store for Kept {
    type Error = core::convert::Infallible;

    fn put_row(&self, _: Sealed) -> Result<(), Self::Error> {
        Ok(())
    }

    fn rows_after(&self, _: u64) -> Result<Vec<Sealed>, Self::Error> {
        Ok(Vec::new())
    }

    fn put_snapshot(&self, snapshot: Snapshot, _: u64) -> Result<(), Self::Error> {
        self.0.snapshot.replace(Some(snapshot));
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Self::Error> {
        Ok(self.0.snapshot.borrow().clone())
    }

    fn put_page(&self, page: Page) -> Result<(), Self::Error> {
        self.put(page);
        Ok(())
    }

    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> Result<(), Self::Error> {
        self.0.pages.borrow_mut().retain(|id, _| kept.contains(id));
        Ok(())
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, Self::Error> {
        Ok(self.ids())
    }

    fn shelf(&self) -> Result<Arc<dyn Shelf>, Self::Error> {
        let pages = self.0.pages.borrow();
        let bytes = pages.values().map(|page| (page.id, page.bytes.clone()));
        Ok(Arc::new(bytes.collect::<BTreeMap<_, _>>()))
    }

    fn put_salt(&self, _: Edition, _: Salt) -> Result<(), Self::Error> {
        Ok(())
    }

    fn salt(&self, _: Edition) -> Result<Option<Salt>, Self::Error> {
        Ok(None)
    }

    fn drop_salts(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    fn put_alarm(&self, _: u64) -> Result<(), Self::Error> {
        Ok(())
    }
}
