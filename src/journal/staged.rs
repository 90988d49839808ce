//! The journal that is being written, and its snapshots, each over as many turns as it has pages.
//!
//! # A snapshot in parts
//! In the turn of row V, in which a snapshot is due, the state is *frozen*: what is small is encoded, and of each page of places that changed since the
//! last snapshot an image is taken, which costs nothing (`Fold::freeze`). The turns that follow write one page each, as of row V. The turn that writes
//! the last of them also puts the snapshot itself in place of the one before, deletes pages that only the one before needed, and forgets old rows. If no
//! page changed, that is the first turn. The snapshot names the pages of places that it needs, of which most may be older ones.
//!
//! | what happens meanwhile | what follows |
//! |---|---|
//! | The object dies before the last page is written | The snapshot before, its pages and all rows since are there: no page has another's name, since a name has the row as of which the page is. Pages of the snapshot that was not finished are deleted with the next |
//! | The store refuses a page | The memory is dropped, and with it the marks of what changed |
//! | Rows follow V, of a reset, a draw, anything | Images do not change. A restart folds these rows onto row V |
//! | A page of holders becomes full, empty or another | It was decided at row V which of them are needed |
//! | A page is lost, or a bit of it flips | It is named and refused; its sum covers its name |
//! | No row follows for long | What is left waits in memory. Should the object sleep, the next life begins another snapshot |
//! | Its lives are all shorter than a snapshot | Past [`ROWS_LATE_MAX`] rows all is written in one turn |
//! | The room forgets who came | What was begun is dropped, and everything is written in that turn |

use super::seal::{encoded, page, seal, summed};
use super::{
    Damage, Fold, Hash, Image, Late, PageId, PageKind, PlacesPages, ROWS_LATE_MAX, ROWS_PER_SNAPSHOT, Restored, Snapshot, Store, restore_late,
};
use facts::holder::Salt;
use facts::planted::{self, Bug};
use facts::units::Instant;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// A journal that is being written.
#[derive(Clone, Debug)]
pub struct Journal<S> {
    store: S,
    version: u64,
    hash: Hash,
    has_rows: bool,
    rows_since_snapshot: u64,
    /// Every page that is stored.
    pages: BTreeSet<PageId>,
    /// The pages of places that the last frozen snapshot names.
    places: PlacesPages,
    staged: Option<Staged>,
    /// The pages of holders that the state reads late.
    late: Late,
    /// The number of rows after which a snapshot is due: [`ROWS_PER_SNAPSHOT`], unless a test sets it otherwise.
    pub rows_per_snapshot: u64,
}

/// A snapshot of which something is still to be written.
#[derive(Clone, Debug)]
struct Staged {
    /// The snapshot without sums.
    snapshot: Snapshot,
    /// The pages that are left.
    left: VecDeque<(PageId, Rc<dyn Image>)>,
    /// The pages that nobody needs once this snapshot is there.
    gone: BTreeSet<PageId>,
}

impl<S: Store> Journal<S> {
    /// Restores the state from the store and returns it with a journal that continues from there. The state reads its pages of holders when it needs
    /// them. O(snapshot + rows).
    ///
    /// # Errors
    /// Returns [`Damage`] that names what is wrong.
    pub fn open<T: Fold>(store: S) -> Result<(Self, Restored<T>), Damage> {
        let mut restored = restore_late::<T, S>(&store)?;
        let first = store.first_row().map_err(Damage::store)?;
        let journal = Self {
            store,
            version: restored.version,
            hash: restored.hash,
            has_rows: first.is_some(),
            rows_since_snapshot: restored.replayed,
            places: core::mem::take(&mut restored.places),
            pages: core::mem::take(&mut restored.pages),
            staged: None,
            late: restored.late.clone(),
            rows_per_snapshot: ROWS_PER_SNAPSHOT,
        };
        Ok((journal, restored))
    }

    /// The store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The number of the last row; 0 before the first.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The hash of the last row, which binds every row before it; zeros before the first.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Returns whether every page that the state has asked for was whole.
    ///
    /// # Errors
    /// Returns [`Damage`] that names the page. The state in memory must then be dropped: whoever asked found nobody on it.
    pub fn whole(&self) -> Result<(), Damage> {
        self.late.whole()
    }

    /// Whether any row is kept.
    pub const fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// Deletes every row and every salt. What remains is a snapshot of `state`, from which numbers, fences and the hash chain go on. O(state).
    ///
    /// # Errors
    /// Returns [`Damage`] if the store does not take it. The state in memory must then be dropped.
    pub fn forget<T: Fold>(&mut self, at: Instant, wall_ms: u64, state: &mut T) -> Result<(), Damage> {
        while let Some(id) = state.page_due(&self.pages) {
            self.put_page(id, &state.page(id))?;
        }
        self.places.clear();
        let staged = self.freeze(at, wall_ms, state)?;
        self.finish(staged, state, u64::MAX)?;
        self.store.drop_salts().map_err(Damage::store)?;
        self.has_rows = false;
        Ok(())
    }

    /// Writes the next row, sealed with the salt of the edition that the state was in before this row. If a page of `state` is due, or a snapshot is
    /// being written, writes one page too; with the last page of a snapshot the snapshot, and then forgets the rows in it that are older than
    /// `keep_from_ms` (Unix ms). O(facts + page), and now and then O(state without its pages).
    ///
    /// # Errors
    /// Returns [`Damage`] if the store does not take it. The state in memory must then be dropped.
    pub fn append<T: Fold>(
        &mut self,
        salt: &Salt,
        at: Instant,
        wall_ms: u64,
        events: &[T::Event],
        state: &mut T,
        keep_from_ms: u64,
    ) -> Result<(), Damage> {
        let row = seal(&self.hash, salt, self.version + 1, at, wall_ms, events)?;
        (self.version, self.hash) = (row.version, row.hash);
        self.store.put_row(row).map_err(Damage::store)?;
        self.has_rows = true;
        self.rows_since_snapshot += 1;
        if let Some(id) = state.page_due(&self.pages) {
            return self.put_page(id, &state.page(id));
        }
        if let Some(staged) = self.staged.take() {
            return self.go_on(staged, state, keep_from_ms);
        }
        if self.rows_since_snapshot >= self.rows_per_snapshot {
            let staged = self.freeze(at, wall_ms, state)?;
            if staged.left.is_empty() || self.is_late() {
                return self.finish(staged, state, keep_from_ms);
            }
            self.staged = Some(staged);
        }
        Ok(())
    }

    /// Whether a snapshot is so late that whatever is left of it is written in one turn.
    const fn is_late(&self) -> bool {
        self.rows_since_snapshot >= self.rows_per_snapshot.saturating_add(ROWS_LATE_MAX)
    }

    /// Begins a snapshot of the state as it is now. O(state without its pages).
    fn freeze(&mut self, at: Instant, wall_ms: u64, state: &mut impl Fold) -> Result<Staged, Damage> {
        let before = core::mem::take(&mut self.places);
        let frozen = state.freeze(&|first| !before.contains_key(&first));
        let mut left = VecDeque::new();
        for (first, image) in frozen {
            let kept = before.get(&first).copied();
            let image = image.filter(|_| !(kept.is_some() && planted::is(Bug::ChangedPageNotWritten)));
            let since = kept.filter(|_| image.is_none()).unwrap_or(self.version);
            self.places.insert(first, since);
            left.extend(image.map(|image| (PageId::of_places(first, since), image)));
        }
        let gone = self.pages.iter().filter(|id| match id.kind {
            PageKind::Places => self.places.get(&id.first) != Some(&id.since),
            PageKind::Holders => !state.has_page(**id),
        });
        Ok(Staged {
            snapshot: Snapshot {
                version: self.version,
                at,
                wall_ms,
                hash: self.hash,
                parts: encoded(&self.places, state)?,
            },
            left,
            gone: gone.copied().collect(),
        })
    }

    /// Writes the next page of a snapshot, and the snapshot with the last.
    fn go_on(&mut self, mut staged: Staged, state: &impl Fold, keep_from_ms: u64) -> Result<(), Damage> {
        if staged.left.len() <= 1 || self.is_late() {
            return self.finish(staged, state, keep_from_ms);
        }
        if let Some((id, image)) = staged.left.pop_front() {
            self.put_image(id, &*image, state)?;
        }
        self.staged = Some(staged);
        Ok(())
    }

    /// Writes everything that is left of a snapshot. It takes the place of the one before.
    fn finish(&mut self, staged: Staged, state: &impl Fold, keep_from_ms: u64) -> Result<(), Damage> {
        self.staged = None;
        for (id, image) in staged.left {
            self.put_image(id, &*image, state)?;
        }
        let version = staged.snapshot.version;
        let put = self.store.put_snapshot(summed(staged.snapshot), keep_from_ms);
        put.map_err(Damage::store)?;
        self.rows_since_snapshot = self.version - version;
        if !staged.gone.is_empty() {
            self.pages.retain(|id| !staged.gone.contains(id));
            self.store.keep_pages(&self.pages).map_err(Damage::store)?;
        }
        Ok(())
    }

    fn put_image(&mut self, id: PageId, image: &dyn Image, state: &impl Fold) -> Result<(), Damage> {
        if planted::is(Bug::PageAheadOfItsRow) {
            return self.put_page(id, &state.page(id));
        }
        self.put_page(id, &image.bytes())
    }

    fn put_page(&mut self, id: PageId, content: &[u8]) -> Result<(), Damage> {
        self.whole()?;
        self.store.put_page(page(id, content)).map_err(Damage::store)?;
        self.pages.insert(id);
        Ok(())
    }
}
