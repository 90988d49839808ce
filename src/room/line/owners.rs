//! Who holds the numbers of a chunk, and which accounts they belong to: in memory, or still in pages that are read when somebody first asks.
//!
//! After a restart nobody needs a million holders before the first answer. So a chunk comes back with the pages that it stands on, and whoever asks for
//! one of its holders reads them. What a page says does not change, and of those on it only the ones who are in line then are kept. So it does not
//! matter when a page is read.

use super::accounts::Accounts;
use super::holders::Holders;
use super::pages::{Set, Stored, holder_of, stored};
use super::plane::Plane;
use facts::holder::{Holder, Key};
use facts::limits::sizes;
use journal::LatePage;
use std::sync::{Arc, OnceLock};

/// What a chunk keeps of its numbers.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub holders: Holders,
    pub accounts: Accounts,
}

impl Kept {
    fn begin(alive: &Plane) -> Self {
        Self {
            holders: Holders::begin_back(alive),
            accounts: Accounts::default(),
        }
    }

    /// Takes back those of the next numbers who are in line. The first of these numbers has offset `at`, a multiple of 8. Returns how many they are.
    fn take_back(&mut self, alive: &Plane, at: usize, stored: &Stored<'_>) -> u64 {
        let before = self.holders.len();
        let alive_byte = |byte: usize| (alive.word(byte / 8) >> (byte % 8 * 8)) as u8;
        let mut bits = (at / 8..).zip(stored.holders.bits);
        // As a rule all on a page still wait.
        if bits.all(|(byte, told)| told & !alive_byte(byte) == 0) {
            self.holders.take_back(stored.holders.told.iter().map(holder_of));
        } else {
            let living = stored.holders.each().filter(|(offset, _)| alive.get(at + offset));
            living.for_each(|(_, bytes)| self.holders.take_back(core::iter::once(holder_of(bytes))));
        }
        for (offset, account) in stored.accounts.iter().flat_map(Set::each) {
            if alive.get(at + offset) {
                self.accounts.set(at + offset, Key::from(*account));
            }
        }
        (self.holders.len() - before) as u64
    }
}

/// See the file's documentation.
#[derive(Clone, Debug)]
pub struct Owners {
    /// The pages with numbers of the chunk, in order, until [`read`](Self::read): of each the first number of the chunk and the page.
    pages: Vec<(u64, Arc<LatePage>)>,
    /// Empty as long as the pages are unread.
    kept: OnceLock<Kept>,
}

impl Default for Owners {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            kept: Kept::default().into(),
        }
    }
}

impl Owners {
    /// Takes a page behind all that came before; nothing else was put into the chunk yet. `first` is the first number of the chunk.
    pub fn put_late(&mut self, first: u64, page: &Arc<LatePage>) {
        self.pages.push((first, Arc::clone(page)));
        self.kept = OnceLock::new();
    }

    /// Returns what the chunk keeps. `alive` are the offsets in line. O(page) the first time.
    pub fn of(&self, alive: &Plane) -> &Kept {
        self.kept.get_or_init(|| self.on_pages(alive))
    }

    /// Changes what the chunk keeps. O(page) the first time.
    pub fn of_mut<T>(&mut self, alive: &Plane, change: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        self.read(alive);
        self.kept_mut().map(change)
    }

    /// What the chunk keeps, or `None` if that is not read yet.
    pub fn kept_mut(&mut self) -> Option<&mut Kept> {
        self.kept.get_mut()
    }

    /// Reads what is left of the pages, and drops them.
    pub fn read(&mut self, alive: &Plane) {
        self.of(alive);
        self.pages = Vec::new();
    }

    /// Adds holders from offset `at` on, behind all that were added before.
    pub fn put(&mut self, alive: &Plane, at: usize, holders: &[Holder]) {
        self.of_mut(alive, |kept| kept.holders.put(at, holders));
    }

    /// Takes back, once and before anything else is put into the chunk, what is behind its pages and in none, from offset `at` on. Returns how many
    /// of these are in line. O(those).
    pub fn put_back(&mut self, alive: &Plane, at: usize, stored: &Stored<'_>) -> u64 {
        if self.pages.is_empty() {
            self.kept = Kept::begin(alive).into();
        }
        self.of_mut(alive, |kept| kept.take_back(alive, at, stored)).unwrap_or(0)
    }

    fn on_pages(&self, alive: &Plane) -> Kept {
        let mut kept = Kept::begin(alive);
        let size = sizes().holders_page;
        for (chunk, page) in &self.pages {
            let end = (chunk + sizes().chunk).saturating_sub(page.first()).min(size);
            let [at, from, to] = [page.first().saturating_sub(*chunk), chunk.saturating_sub(page.first()), end].map(|at| at as usize);
            page.show(|content| {
                stored(content, size as usize).is_some_and(|all| {
                    let living = kept.take_back(alive, at, &all.part(from, to));
                    let behind = (at + to).saturating_sub(from);
                    living == alive.count_before(behind) - alive.count_before(at)
                })
            });
        }
        kept
    }

    /// Forgets everything. O(1).
    pub fn forget(&mut self) {
        self.pages = Vec::new();
        if let Some(kept) = self.kept.get_mut() {
            kept.holders.forget();
            kept.accounts.forget();
        } else {
            let mut kept = Kept::default();
            kept.holders.forget();
            self.kept = kept.into();
        }
    }

    /// The bytes that holders and accounts take in memory.
    pub fn bytes(&self) -> usize {
        self.kept.get().map_or(0, |kept| kept.holders.bytes() + kept.accounts.bytes())
    }
}
