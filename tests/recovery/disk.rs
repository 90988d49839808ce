//! A disk that does what it is told.

use baton::facts::holder::Salt;
use baton::facts::units::Edition;
use baton::journal::{Page, PageId, Sealed, Shelf, Snapshot, Store};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

/// Rows, a snapshot and salts in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    pub rows: RefCell<Vec<Sealed>>,
    pub snapshot: RefCell<Option<Snapshot>>,
    pub pages: RefCell<BTreeMap<PageId, Page>>,
    pub salts: RefCell<BTreeMap<Edition, Salt>>,
}

impl Store for &Disk {
    type Error = Infallible;

    fn put_row(&self, row: Sealed) -> Result<(), Infallible> {
        self.rows.borrow_mut().push(row);
        Ok(())
    }

    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Infallible> {
        let rows = self.rows.borrow();
        let after = rows.iter().filter(|row| row.version > version);
        Ok(after.cloned().collect())
    }

    fn put_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> Result<(), Infallible> {
        let kept = |row: &Sealed| row.version > snapshot.version || row.wall_ms >= keep_from_ms;
        self.rows.borrow_mut().retain(kept);
        *self.snapshot.borrow_mut() = Some(snapshot);
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Infallible> {
        Ok(self.snapshot.borrow().clone())
    }

    fn put_page(&self, page: Page) -> Result<(), Infallible> {
        self.pages.borrow_mut().insert(page.id, page);
        Ok(())
    }

    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> Result<(), Infallible> {
        self.pages.borrow_mut().retain(|id, _| kept.contains(id));
        Ok(())
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, Infallible> {
        Ok(self.pages.borrow().keys().copied().collect())
    }

    fn shelf(&self) -> Result<Arc<dyn Shelf>, Infallible> {
        let pages = self.pages.borrow();
        let bytes = pages.values().map(|page| (page.id, page.bytes.clone()));
        Ok(Arc::new(bytes.collect::<BTreeMap<_, _>>()))
    }

    fn put_salt(&self, edition: Edition, salt: Salt) -> Result<(), Infallible> {
        self.salts.borrow_mut().insert(edition, salt);
        Ok(())
    }

    fn salt(&self, edition: Edition) -> Result<Option<Salt>, Infallible> {
        Ok(self.salts.borrow().get(&edition).copied())
    }

    fn drop_salts(&self) -> Result<(), Infallible> {
        self.salts.borrow_mut().clear();
        Ok(())
    }

    fn put_alarm(&self, _: u64) -> Result<(), Infallible> {
        Ok(())
    }
}
