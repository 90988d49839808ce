//! What an object stores and how it comes back: a journal of rows and, now and then, a snapshot.
//!
//! The state is the fold of the rows. A snapshot only bounds how many rows a restart folds; it never replaces their meaning. What it would repeat
//! each time is in *pages*, of which a turn writes at most one (`staged`). Rows form a hash chain: each carries a SHA-256 over its facts, its place *and* the hash of the row before. The private halves of facts
//! are hashed apart (`private`). So a damaged, swapped, missing or foreign piece is named and refused, never guessed at, and whoever holds the last
//! hash can verify the whole history (`docs/audit.md`). The idea is Haber and Stornetta's (*How to time-stamp a digital document*, 1991).
//!
//! | file | what |
//! |---|---|
//! | `mod` | [`Store`], [`Journal`]: what is kept, and how it is written and read |
//! | `late` | pages of holders that are read when somebody first asks |
//! | `staged` | a snapshot that is written in parts, a page a turn, and how it survives whatever happens meanwhile |
//! | `seal`, `sum` | a row, a page and a snapshot as bytes; the checksum of the last two |
//! | `private` | the part of a fact that only the operator may read, and its hash |
//! | `export` | rows as JSON lines, for the audit |
//! | `ticket`, `actions` | what the facts say of one ticket; who did what |
//!
//! The storage itself is behind [`Store`]: SQLite in the objects, a store that fails on purpose in tests and in the simulator.

#![warn(unused_crate_dependencies)]

pub mod actions;
pub mod export;
mod late;
mod private;
mod seal;
mod staged;
mod sum;
pub mod ticket;

pub use late::{Late, LatePage, Shelf};
pub use private::Hides;
pub use seal::{FORMAT, Halves, Hash, PART_BYTES_MAX, halves, open, page, seal, snapshot};
pub use staged::Journal;

use core::fmt;
use facts::holder::Salt;
use facts::ordered::{filled, sort_many};
use facts::units::{Edition, Instant};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The number of rows after which a snapshot is due. A restart folds about this many rows.
pub const ROWS_PER_SNAPSHOT: u64 = 1_000;
/// The number of rows by which a snapshot may be late. Past it, whatever is left of it is written in one turn, so a restart never folds many more rows
/// than twice [`ROWS_PER_SNAPSHOT`].
pub const ROWS_LATE_MAX: u64 = 1_000;

/// A state that is the fold of facts.
pub trait Fold: Default + Serialize + DeserializeOwned {
    /// The type of the facts.
    type Event: Hides;
    /// Folds the facts of one row into the state.
    fn fold(&mut self, version: u64, at: Instant, events: &[Self::Event]);
    /// The edition in which the next row begins. The salt of this edition seals the private half of that row.
    fn edition(&self) -> Edition {
        Edition::FIRST
    }
    /// Returns the first full page of holders that is not in `stored`, or `None` if all are. Such a page is written once. O(pages).
    fn page_due(&self, _stored: &BTreeSet<PageId>) -> Option<PageId> {
        None
    }
    /// Whether the state has this page of holders. O(1).
    fn has_page(&self, _id: PageId) -> bool {
        false
    }
    /// Returns the content of a page. O(page).
    fn page(&self, _id: PageId) -> Vec<u8> {
        Vec::new()
    }
    /// Returns the pages of places: the first number of each and, of those that changed since the last call or that `needs` names, how it is at this
    /// moment. O(chunks).
    fn freeze(&mut self, _needs: &dyn Fn(u64) -> bool) -> Vec<(u64, Option<Rc<dyn Image>>)> {
        Vec::new()
    }
    /// Takes back the content of a page of places, after the snapshot, in the order of their first numbers. Returns `false` if this is no such page.
    /// O(page).
    fn put_page(&mut self, _id: PageId, _bytes: &[u8]) -> bool {
        false
    }
    /// Takes a page of holders that is not read yet, after all pages of places, in the order of their first numbers. O(1).
    fn put_late(&mut self, _page: &Arc<LatePage>) {}
    /// Reads what is left of the pages of holders. O(pages).
    fn read_all(&mut self) {}
    /// Counts what the pages of places have, after all were read and before the first page of holders. O(chunks).
    fn placed(&mut self) {}
    /// Rebuilds what follows from the rest, after a snapshot and all its pages were read. Returns `false` if the state is not whole.
    fn opened(&mut self) -> bool {
        true
    }
}

/// A page as it was at one moment, whatever is folded into the state afterwards.
pub trait Image: fmt::Debug {
    /// Returns the content of the page. O(page).
    fn bytes(&self) -> Vec<u8>;
}

/// What a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageKind {
    /// Where numbers stand. A snapshot names its pages of places.
    Places,
    /// Who has the numbers. The state says which pages it needs.
    Holders,
}

/// The name of a page. Under one name there is only ever one content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageId {
    /// What the page has.
    pub kind: PageKind,
    /// Of places: the row as of which the page is. Of holders: the row since which it is what it is; before it, its numbers or accounts were others.
    pub since: u64,
    /// The first number on it.
    pub first: u64,
}

impl PageId {
    /// Names the page of places that begins with this number and is as of this row.
    #[must_use]
    pub const fn of_places(first: u64, since: u64) -> Self {
        Self {
            kind: PageKind::Places,
            since,
            first,
        }
    }
}

/// Pages of places: by the first number of each, as of which row it is.
pub type PlacesPages = BTreeMap<u64, u64>;

/// A stored page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The page's name.
    pub id: PageId,
    /// The content, with format and checksum.
    pub bytes: Vec<u8>,
}

/// One stored row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The row's number; counts up by one from 1.
    pub version: u64,
    /// The object's time.
    pub at: Instant,
    /// The wall clock, Unix ms; after a restart, the object's time continues from here.
    pub wall_ms: u64,
    /// The format, the public half of the facts and, apart from it, the private half.
    pub bytes: Vec<u8>,
    /// The SHA-256 over the facts, their place and the hash of the row before.
    pub hash: Hash,
}

/// A stored snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The last row folded into the snapshot.
    pub version: u64,
    /// The object's time at that row.
    pub at: Instant,
    /// The wall clock at that row, Unix ms.
    pub wall_ms: u64,
    /// The hash of that row.
    pub hash: Hash,
    /// The state in parts, each with format and checksum.
    pub parts: Vec<Vec<u8>>,
}

/// Where an object keeps its rows, its snapshot and its one alarm. Nothing here may yield: everything that one turn puts commits as one.
pub trait Store {
    /// The type of the store's errors.
    type Error: fmt::Display;

    /// Adds a row.
    ///
    /// # Errors
    /// Returns an error if the store does not take it. The state in memory must then be dropped.
    fn put_row(&self, row: Sealed) -> Result<(), Self::Error>;

    /// Returns the rows after `version`, in order.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Self::Error>;

    /// Replaces the snapshot, and forgets the rows up to it that are older than `keep_from_ms` (Unix ms).
    ///
    /// # Errors
    /// Returns an error if the store does not take it.
    fn put_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> Result<(), Self::Error>;

    /// Returns the snapshot, or `None` if none was ever written.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn snapshot(&self) -> Result<Option<Snapshot>, Self::Error>;

    /// Adds a page.
    ///
    /// # Errors
    /// Returns an error if the store does not take it.
    fn put_page(&self, page: Page) -> Result<(), Self::Error>;

    /// Forgets all pages except these.
    ///
    /// # Errors
    /// Returns an error if the store does not take it.
    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> Result<(), Self::Error>;

    /// Returns the names of all pages.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn page_ids(&self) -> Result<BTreeSet<PageId>, Self::Error>;

    /// Returns what single pages are read from, now and later. A store in memory may take them all at once.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn shelf(&self) -> Result<Arc<dyn Shelf>, Self::Error>;

    /// Keeps the salt of an edition, and forgets all older salts but that of the edition before.
    /// Without a salt nobody can tell whose its keys were.
    ///
    /// # Errors
    /// Returns an error if the store does not take it.
    fn put_salt(&self, edition: Edition, salt: Salt) -> Result<(), Self::Error>;

    /// Returns the salt of an edition, or `None` if it is not kept.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn salt(&self, edition: Edition) -> Result<Option<Salt>, Self::Error>;

    /// Returns the number of the first row that is kept, or `None` if no row is.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn first_row(&self) -> Result<Option<u64>, Self::Error> {
        let first = self.rows_after(0)?.into_iter().next();
        Ok(first.map(|row| row.version))
    }

    /// Forgets every salt. Nobody can then tell whose a key was.
    ///
    /// # Errors
    /// Returns an error if the store does not take it.
    fn drop_salts(&self) -> Result<(), Self::Error>;

    /// Sets the alarm to ring in `in_ms` milliseconds by the wall clock, in place of any earlier alarm.
    ///
    /// # Errors
    /// Returns an error if the store does not take it.
    fn put_alarm(&self, in_ms: u64) -> Result<(), Self::Error>;
}

/// Why a store does not yield a state, or does not take a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The store itself failed.
    Store(String),
    /// The content of this row is not what was written, or the row does not follow the row before.
    Row(u64),
    /// This row is missing.
    Missing(u64),
    /// A row, a part of a snapshot or a page was written by a newer Baton, in this format.
    Newer(u8),
    /// The content of this part of the snapshot is not what was written.
    Part(usize),
    /// This page is missing, or its content is not what was written.
    Page(PageId),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the store failed: {error}"),
            Self::Row(version) => write!(f, "journal row {version} is damaged"),
            Self::Missing(version) => write!(f, "journal row {version} is missing"),
            Self::Newer(format) => {
                write!(f, "written in format {format}, this Baton reads up to {FORMAT}: upgrade it")
            }
            Self::Part(index) => write!(f, "part {index} of the snapshot is damaged"),
            Self::Page(PageId { kind, since, first }) => {
                let of = match kind {
                    PageKind::Places => "places",
                    PageKind::Holders => "holders",
                };
                write!(f, "the page of {of} from number {first} on, since row {since}, is missing or damaged")
            }
        }
    }
}

impl Damage {
    /// Wraps an error of the store.
    pub fn store(error: impl fmt::Display) -> Self {
        Self::Store(error.to_string())
    }
}

/// A state brought back from a store.
#[derive(Clone, Debug, Default)]
pub struct Restored<T> {
    /// The state.
    pub state: T,
    /// The last row folded into the state; 0 before the first.
    pub version: u64,
    /// The last row's hash; zeros before the first row.
    pub hash: Hash,
    /// The object's time and the wall clock of the last row, or `None` before the first row.
    pub clock: Option<(Instant, u64)>,
    /// The number of rows folded.
    pub replayed: u64,
    /// The names of the stored pages.
    pub pages: BTreeSet<PageId>,
    /// The pages of places that the snapshot names.
    pub places: PlacesPages,
    /// The pages of holders.
    pub late: Late,
}

/// Brings a state back whole: reads the snapshot and every page, then folds every row after it. O(state + rows).
///
/// # Errors
/// Returns [`Damage`] that names what is wrong. Nothing is guessed.
pub fn restore<T: Fold, S: Store>(store: &S) -> Result<Restored<T>, Damage> {
    let mut restored = restore_late::<T, S>(store)?;
    restored.state.read_all();
    restored.late.whole()?;
    Ok(restored)
}

/// Brings a state back that reads its pages of holders when it first needs them. O(snapshot + rows).
///
/// # Errors
/// Returns [`Damage`] that names what is wrong, but for the pages that are not read yet.
pub fn restore_late<T: Fold, S: Store>(store: &S) -> Result<Restored<T>, Damage> {
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
    restored.late.whole()?;
    Ok(restored)
}

fn from_snapshot<T: Fold, S: Store>(store: &S, snapshot: &Snapshot) -> Result<Restored<T>, Damage> {
    let (places, mut state): (PlacesPages, T) = seal::open_snapshot(snapshot)?;
    let pages = store.page_ids().map_err(Damage::store)?;
    let late = Late::on(store.shelf().map_err(Damage::store)?);
    for (first, since) in &places {
        let id = PageId::of_places(*first, *since);
        let page = late.read(id)?;
        let is_one = state.put_page(id, seal::content_of(&page));
        is_one.then_some(()).ok_or(Damage::Page(id))?;
    }
    state.placed();
    let holders = pages.iter().filter(|id| id.kind == PageKind::Holders);
    // A page that the snapshot does not know yet filled up in the rows after the snapshot.
    let mut holders: Vec<PageId> = holders.copied().filter(|id| state.has_page(*id)).collect();
    // A page that was written anew has a later `since` and so comes behind others by name, but its numbers come before theirs.
    sort_many(&mut holders, |a, b| a.first.cmp(&b.first));
    for id in &holders {
        state.put_late(&late.page(*id));
    }
    if let Some(missing) = state.page_due(&filled(holders)) {
        return Err(Damage::Page(missing));
    }
    let is_whole = state.opened();
    // A damaged page may be why it is not.
    late.whole()?;
    if !is_whole {
        return Err(Damage::Part(0));
    }
    Ok(Restored {
        state,
        version: snapshot.version,
        hash: snapshot.hash,
        clock: Some((snapshot.at, snapshot.wall_ms)),
        replayed: 0,
        pages,
        places,
        late,
    })
}
