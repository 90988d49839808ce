//! Pages of holders that a restart leaves in the store until somebody asks for what is on them.
//!
//! A page has one content under its name for ever, so it decides nothing when a page is read. Its sum is looked at then. What is wrong is noted for
//! the whole state ([`Late::whole`]): whoever asked found nobody there, so nothing that follows may be written or said.

use super::seal::{content_of, open_page};
use super::{Damage, Page, PageId};
use core::fmt;
use facts::planted::{self, Bug};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where pages are read from after a restart. It belongs to no thread, since tests search worlds on several.
pub trait Shelf: fmt::Debug + Send + Sync {
    /// Returns the bytes of a page, or `None` if there is no such page.
    ///
    /// # Errors
    /// Returns what the store says if it cannot be read.
    fn read(&self, id: PageId) -> Result<Option<Vec<u8>>, String>;
}

/// Pages in memory.
impl Shelf for BTreeMap<PageId, Vec<u8>> {
    fn read(&self, id: PageId) -> Result<Option<Vec<u8>>, String> {
        Ok(self.get(&id).cloned())
    }
}

/// The pages of one state that came back, and what was wrong with the first that was damaged.
#[derive(Clone, Debug)]
pub struct Late {
    shelf: Arc<dyn Shelf>,
    damage: Arc<OnceLock<Damage>>,
    /// The page that was read last: as a rule the next who asks needs it too. More would be in memory twice.
    last: Arc<Mutex<Option<Arc<Page>>>>,
}

/// There are no pages.
impl Default for Late {
    fn default() -> Self {
        Self::on(Arc::new(BTreeMap::new()))
    }
}

impl Late {
    /// Begins with pages that are on this shelf.
    #[must_use]
    pub fn on(shelf: Arc<dyn Shelf>) -> Self {
        Self {
            shelf,
            damage: Arc::default(),
            last: Arc::default(),
        }
    }

    /// Returns a page of which nothing is read yet.
    #[must_use]
    pub fn page(&self, id: PageId) -> Arc<LatePage> {
        Arc::new(LatePage { id, from: self.clone() })
    }

    /// Reads a page now.
    pub(super) fn read(&self, id: PageId) -> Result<Page, Damage> {
        let bytes = self.shelf.read(id).map_err(Damage::Store)?;
        let page = bytes.map(|bytes| Page { id, bytes }).ok_or(Damage::Page(id))?;
        if !planted::is(Bug::LatePageUnsummed) {
            open_page(&page)?;
        }
        Ok(page)
    }

    /// Returns whether every page that was asked for was there and whole.
    ///
    /// # Errors
    /// Returns the first [`Damage`]. The state in memory must then be dropped.
    pub fn whole(&self) -> Result<(), Damage> {
        self.damage.get().map_or(Ok(()), |damage| Err(damage.clone()))
    }

    /// Reads a page, unless it is the last that was read.
    fn read_again(&self, id: PageId) -> Result<Arc<Page>, Damage> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = last.as_ref().filter(|page| page.id == id) {
            return Ok(Arc::clone(page));
        }
        let page = Arc::new(self.read(id)?);
        *last = Some(Arc::clone(&page));
        Ok(page)
    }

    fn note(&self, damage: Damage) {
        self.damage.get_or_init(|| damage);
    }
}

/// A page that is read when somebody first asks for what is on it.
#[derive(Debug)]
pub struct LatePage {
    id: PageId,
    from: Late,
}

impl LatePage {
    /// The first number on the page.
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.id.first
    }

    /// Shows the content of the page; nothing if it is missing or damaged, which is noted. If what is shown `fits` not, the page counts as damaged.
    /// O(page).
    pub fn show(&self, fits: impl FnOnce(&[u8]) -> bool) {
        let page = self.from.read_again(self.id);
        let page = page.map_err(|damage| self.from.note(damage)).ok();
        if !fits(page.as_deref().map_or(&[], content_of)) {
            self.from.note(Damage::Page(self.id));
        }
    }
}
