//! Where the bench's room keeps its snapshot and its pages, as an object's SQLite would.

use baton::facts::holder::Salt;
use baton::facts::units::Edition;
use baton::journal::{Page, PageId, Sealed, Snapshot, Store};
use std::collections::BTreeSet;

/// A store that holds one snapshot and its pages.
#[derive(Default)]
pub struct Kept {
    pub snapshot: Option<Snapshot>,
    pub pages: Vec<Page>,
}

impl Kept {
    pub fn ids(&self) -> BTreeSet<PageId> {
        self.pages.iter().map(|page| page.id).collect()
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

    fn put_snapshot(&self, _: Snapshot, _: u64) -> Result<(), Self::Error> {
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Self::Error> {
        Ok(self.snapshot.clone())
    }

    fn put_page(&self, _: Page) -> Result<(), Self::Error> {
        Ok(())
    }

    fn keep_pages(&self, _: &BTreeSet<PageId>) -> Result<(), Self::Error> {
        Ok(())
    }

    fn pages(&self) -> Result<Vec<Page>, Self::Error> {
        Ok(self.pages.clone())
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
