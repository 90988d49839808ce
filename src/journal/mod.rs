//! What an object stores and how it comes back: a journal of rows and, now and then, a snapshot.
//!
//! The state is the fold of the rows. A snapshot only bounds how many rows must be folded after a restart; it never replaces their meaning. The part
//! of the state that never changes any more is written once, as a *page* of its own, and not with each snapshot: at most one in a turn, and a
//! snapshot waits until none is due. Rows form a hash chain: each carries a SHA-256 over its facts, its place *and* the hash of the row before. The
//! private halves of facts are hashed apart (`private`). So a damaged, swapped, missing or foreign piece is named and refused, never guessed at, and
//! whoever holds the last hash holds the whole history to its word (`docs/audit.md`). The idea is Haber and Stornetta's (*How to time-stamp a digital
//! document*, 1991).
//!
//! | file | what |
//! |---|---|
//! | `mod` | [`Store`], [`Journal`]: what is kept, how it is written and read |
//! | `seal` | one row and one snapshot as bytes |
//! | `private` | what a fact says to the operator alone, and its hash |
//! | `export` | rows as JSON lines, for the audit |
//! | `ticket`, `actions` | what the facts say of one ticket; who did what |
//!
//! The storage itself is behind [`Store`]: SQLite in the objects, something that fails on purpose
//! in tests and in the simulator.

pub mod actions;
pub mod export;
mod private;
mod seal;
pub mod ticket;

pub use private::Hides;
pub use seal::{FORMAT, Halves, Hash, PART_BYTES_MAX, halves, open, page, seal, snapshot};

use crate::facts::holder::Salt;
use crate::facts::units::{Edition, Instant};
use core::fmt;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeSet;

/// A snapshot is written after so many rows, so a restart folds at most this many.
pub const ROWS_PER_SNAPSHOT: u64 = 1_000;

/// A state that is the fold of events.
pub trait Fold: Default + Serialize + DeserializeOwned {
    /// The facts.
    type Event: Hides;
    /// Folds one row's facts in.
    fn fold(&mut self, version: u64, at: Instant, events: &[Self::Event]);
    /// In which edition the next row begins: its private half was sealed with the salt of that.
    fn edition(&self) -> Edition {
        Edition::FIRST
    }
    /// The first page that the state has and that is not among these; `None`: there is none. O(pages).
    fn page_due(&self, _stored: &BTreeSet<PageId>) -> Option<PageId> {
        None
    }
    /// Whether the state has this page. O(1).
    fn has_page(&self, _id: PageId) -> bool {
        false
    }
    /// What is on it. O(page).
    fn page(&self, _id: PageId) -> Vec<u8> {
        Vec::new()
    }
    /// Takes back what is on it, in the order of their first numbers; false: that is no such page. O(page).
    fn put_page(&mut self, _id: PageId, _bytes: &[u8]) -> bool {
        false
    }
    /// It came out of a snapshot and all its pages are there: whatever follows from the rest is made anew. False: it is not whole.
    fn opened(&mut self) -> bool {
        true
    }
}

/// The name of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageId {
    /// Numbers mean what they mean since this row.
    pub since: u64,
    /// The first number on it.
    pub first: u64,
}

/// A stored page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Which.
    pub id: PageId,
    /// With format and checksum.
    pub bytes: Vec<u8>,
}

/// One stored row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Counts up by one from 1.
    pub version: u64,
    /// The object's time.
    pub at: Instant,
    /// The wall clock, Unix ms: what the object's time continues from after a restart.
    pub wall_ms: u64,
    /// Format and facts, what is private in them apart.
    pub bytes: Vec<u8>,
    /// Over the facts, their place and the hash before.
    pub hash: Hash,
}

/// A stored snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The last row folded into it.
    pub version: u64,
    /// The object's time.
    pub at: Instant,
    /// The wall clock, Unix ms.
    pub wall_ms: u64,
    /// The last row's hash.
    pub hash: Hash,
    /// Each with format and checksum.
    pub parts: Vec<Vec<u8>>,
}

/// Where an object's rows, its snapshot and its one alarm are kept. Nothing here may yield: what
/// one turn puts commits as one.
pub trait Store {
    /// What can go wrong.
    type Error: fmt::Display;

    /// Adds a row.
    ///
    /// # Errors
    /// When the store did not take it. The state in memory must then be dropped.
    fn put_row(&self, row: Sealed) -> Result<(), Self::Error>;

    /// The rows after `version`, in order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Self::Error>;

    /// Replaces the snapshot, and forgets rows up to it that are older than `keep_from_ms` (Unix).
    ///
    /// # Errors
    /// When the store did not take it.
    fn put_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> Result<(), Self::Error>;

    /// The snapshot, if one was ever written.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn snapshot(&self) -> Result<Option<Snapshot>, Self::Error>;

    /// Adds a page.
    ///
    /// # Errors
    /// When the store did not take it.
    fn put_page(&self, page: Page) -> Result<(), Self::Error>;

    /// Forgets all pages but these.
    ///
    /// # Errors
    /// When the store did not take it.
    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> Result<(), Self::Error>;

    /// Every page, in the order of their names.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn pages(&self) -> Result<Vec<Page>, Self::Error>;

    /// Keeps the salt of an edition, and forgets those before the edition before it: whose their keys were nobody can tell any more.
    ///
    /// # Errors
    /// When the store did not take it.
    fn put_salt(&self, edition: Edition, salt: Salt) -> Result<(), Self::Error>;

    /// The salt of an edition, if it is kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn salt(&self, edition: Edition) -> Result<Option<Salt>, Self::Error>;

    /// The first row that is kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn first_row(&self) -> Result<Option<u64>, Self::Error> {
        let first = self.rows_after(0)?.into_iter().next();
        Ok(first.map(|row| row.version))
    }

    /// Forgets every salt: nobody can tell any more whose a key was.
    ///
    /// # Errors
    /// When the store did not take it.
    fn drop_salts(&self) -> Result<(), Self::Error>;

    /// Sets the alarm anew: it rings in `in_ms` milliseconds by the wall clock.
    ///
    /// # Errors
    /// When the store did not take it.
    fn put_alarm(&self, in_ms: u64) -> Result<(), Self::Error>;
}

/// Why a store does not yield a state, or takes no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The store itself failed.
    Store(String),
    /// This row does not say what was written, or does not follow the row before.
    Row(u64),
    /// This row is missing.
    Missing(u64),
    /// This row or snapshot was written by a newer Baton.
    Newer(u8),
    /// This part of the snapshot does not say what was written.
    Part(usize),
    /// This page is missing, or does not say what was written.
    Page(PageId),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the store failed: {error}"),
            Self::Row(version) => write!(f, "journal row {version} is damaged"),
            Self::Missing(version) => write!(f, "journal row {version} is missing"),
            Self::Newer(format) => {
                write!(
                    f,
                    "written in format {format}, this Baton reads up to {FORMAT}: upgrade it"
                )
            }
            Self::Part(index) => write!(f, "part {index} of the snapshot is damaged"),
            Self::Page(PageId { since, first }) => write!(
                f,
                "the page of holders from number {first} on, since row {since}, is missing or damaged"
            ),
        }
    }
}

impl Damage {
    /// The store failed like this.
    pub fn store(error: impl fmt::Display) -> Self {
        Self::Store(error.to_string())
    }
}

/// What comes back from a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored<T> {
    /// The state.
    pub state: T,
    /// The last row in it.
    pub version: u64,
    /// The last row's hash; zeros before the first.
    pub hash: Hash,
    /// The last row's time and wall clock, if there was one.
    pub clock: Option<(Instant, u64)>,
    /// How many rows were folded.
    pub replayed: u64,
    /// The pages that are stored.
    pub pages: BTreeSet<PageId>,
}

/// Brings a state back: snapshot, then every row after it. O(snapshot + rows).
///
/// # Errors
/// [`Damage`] that names what is wrong. Nothing is guessed.
pub fn restore<T: Fold, S: Store>(store: &S) -> Result<Restored<T>, Damage> {
    let mut restored: Restored<T> = match store.snapshot().map_err(Damage::store)? {
        None => Restored::default(),
        Some(snapshot) => from_snapshot(store, &snapshot)?,
    };
    let rows = store.rows_after(restored.version).map_err(Damage::store)?;
    let mut salt = (Edition(0), None);
    for row in rows {
        if row.version != restored.version + 1 {
            return Err(Damage::Missing(restored.version + 1));
        }
        let edition = restored.state.edition();
        if salt.0 != edition {
            salt = (edition, store.salt(edition).map_err(Damage::store)?);
        }
        let events = open::<T::Event>(&restored.hash, &row, salt.1.as_ref())?;
        restored.state.fold(row.version, row.at, &events);
        restored.version = row.version;
        restored.hash = row.hash;
        restored.clock = Some((row.at, row.wall_ms));
        restored.replayed += 1;
    }
    Ok(restored)
}

fn from_snapshot<T: Fold, S: Store>(store: &S, snapshot: &Snapshot) -> Result<Restored<T>, Damage> {
    let mut state: T = seal::open_snapshot(snapshot)?;
    let mut pages = BTreeSet::new();
    let mut read = BTreeSet::new();
    let mut stored = store.pages().map_err(Damage::store)?;
    // A page that was written anew is named after others, and its numbers stand before theirs.
    stored.sort_by_key(|page| page.id.first);
    for page in stored {
        // One that the state does not have yet became full in the rows after the snapshot.
        if state.has_page(page.id) {
            let content = seal::open_page(&page)?;
            if !state.put_page(page.id, content) {
                return Err(Damage::Page(page.id));
            }
            read.insert(page.id);
        }
        pages.insert(page.id);
    }
    if let Some(missing) = state.page_due(&read) {
        return Err(Damage::Page(missing));
    }
    if !state.opened() {
        return Err(Damage::Part(0));
    }
    Ok(Restored {
        state,
        version: snapshot.version,
        hash: snapshot.hash,
        clock: Some((snapshot.at, snapshot.wall_ms)),
        replayed: 0,
        pages,
    })
}

/// A journal that is being written.
#[derive(Clone, Debug)]
pub struct Journal<S> {
    store: S,
    version: u64,
    hash: Hash,
    has_rows: bool,
    rows_since_snapshot: u64,
    pages: BTreeSet<PageId>,
    /// A snapshot after so many rows; [`ROWS_PER_SNAPSHOT`] unless a test wants it otherwise.
    pub rows_per_snapshot: u64,
}

impl<S: Store> Journal<S> {
    /// Reads what is stored, to go on from there. O(snapshot + rows).
    ///
    /// # Errors
    /// [`Damage`] that names what is wrong.
    pub fn open<T: Fold>(store: S) -> Result<(Self, Restored<T>), Damage> {
        let mut restored = restore::<T, S>(&store)?;
        let first = store.first_row().map_err(Damage::store)?;
        let journal = Self {
            store,
            version: restored.version,
            hash: restored.hash,
            has_rows: first.is_some(),
            rows_since_snapshot: restored.replayed,
            pages: core::mem::take(&mut restored.pages),
            rows_per_snapshot: ROWS_PER_SNAPSHOT,
        };
        Ok((journal, restored))
    }

    /// The store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The last row's number; 0 before the first.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The last row's hash, which binds every row before it; zeros before the first.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Whether any row is kept.
    pub const fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// Every row and every salt goes; what is left is a snapshot of `state`, from which numbers, fences and the hash chain go on.
    /// O(state).
    ///
    /// # Errors
    /// When the store does not take it; the state in memory must then be dropped.
    pub fn forget<T: Fold>(&mut self, at: Instant, wall_ms: u64, state: &T) -> Result<(), Damage> {
        while let Some(id) = state.page_due(&self.pages) {
            self.put_page(state, id)?;
        }
        let snapshot = snapshot(self.version, at, wall_ms, &self.hash, state)?;
        let put = self.store.put_snapshot(snapshot, u64::MAX);
        put.and_then(|()| self.store.drop_salts())
            .map_err(Damage::store)?;
        self.keep_pages_of(state)?;
        (self.has_rows, self.rows_since_snapshot) = (false, 0);
        Ok(())
    }

    /// Writes the next row, sealed with the salt of the edition that the state was in before it; with it a page of `state` when one is
    /// due, else a snapshot when that is. Rows in it that are older than `keep_from_ms` (Unix) are then forgotten. O(facts), and now
    /// and then O(a page) or O(state without its pages).
    ///
    /// # Errors
    /// When the store does not take it; the state in memory must then be dropped.
    pub fn append<T: Fold>(
        &mut self,
        salt: &Salt,
        at: Instant,
        wall_ms: u64,
        events: &[T::Event],
        state: &T,
        keep_from_ms: u64,
    ) -> Result<(), Damage> {
        let row = seal(&self.hash, salt, self.version + 1, at, wall_ms, events)?;
        (self.version, self.hash) = (row.version, row.hash);
        self.store.put_row(row).map_err(Damage::store)?;
        self.has_rows = true;
        self.rows_since_snapshot += 1;
        if let Some(id) = state.page_due(&self.pages) {
            self.put_page(state, id)?;
        } else if self.rows_since_snapshot >= self.rows_per_snapshot {
            let snapshot = snapshot(self.version, at, wall_ms, &self.hash, state)?;
            self.store
                .put_snapshot(snapshot, keep_from_ms)
                .map_err(Damage::store)?;
            self.keep_pages_of(state)?;
            self.rows_since_snapshot = 0;
        }
        Ok(())
    }

    fn put_page(&mut self, state: &impl Fold, id: PageId) -> Result<(), Damage> {
        let page = page(id, &state.page(id));
        self.store.put_page(page).map_err(Damage::store)?;
        self.pages.insert(id);
        Ok(())
    }

    fn keep_pages_of(&mut self, state: &impl Fold) -> Result<(), Damage> {
        let before = self.pages.len();
        self.pages.retain(|id| state.has_page(*id));
        if self.pages.len() < before {
            self.store.keep_pages(&self.pages).map_err(Damage::store)?;
        }
        Ok(())
    }
}
