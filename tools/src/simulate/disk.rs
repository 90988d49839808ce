//! What survives a crash: rows, a snapshot, pages, salts and one alarm. The writes of one turn are staged and become durable together, as in an
//! object's transaction. Writes fail on purpose.

use super::faults::{Kind, Shared};
use baton::facts::holder::Salt;
use baton::facts::units::Edition;
use baton::journal::{Page, PageId, Sealed, Shelf, Snapshot, Store};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The room's disk.
#[derive(Clone, Debug)]
pub struct Disk {
    plates: Rc<Plates>,
    faults: Shared,
}

#[derive(Debug, Default)]
struct Plates {
    rows: RefCell<VecDeque<Sealed>>,
    snapshot: RefCell<Option<Snapshot>>,
    pages: RefCell<BTreeMap<PageId, Page>>,
    salts: RefCell<BTreeMap<Edition, Salt>>,
    alarm: Cell<Option<u64>>,
    staged: RefCell<Vec<Write>>,
    /// The host's clock when the transaction began, Unix ms.
    wall_ms: Cell<u64>,
}

#[derive(Debug)]
enum Write {
    Row(Sealed),
    Snapshot(Snapshot, u64),
    Page(Page),
    KeepPages(BTreeSet<PageId>),
    Salt(Edition, Salt),
    NoSalts,
    Alarm(u64),
}

impl Disk {
    /// Makes an empty disk.
    #[must_use]
    pub fn new(faults: &Shared) -> Self {
        Self {
            plates: Rc::default(),
            faults: Rc::clone(faults),
        }
    }

    /// A backup: another disk with what is durable on this one.
    #[must_use]
    pub fn copy(&self) -> Self {
        let plates = Plates {
            rows: self.plates.rows.clone(),
            snapshot: self.plates.snapshot.clone(),
            pages: self.plates.pages.clone(),
            salts: self.plates.salts.clone(),
            alarm: self.plates.alarm.clone(),
            ..Plates::default()
        };
        Self {
            plates: Rc::new(plates),
            faults: Rc::clone(&self.faults),
        }
    }

    /// Begins a transaction. `wall_ms` is the host's clock.
    pub fn begin(&self, wall_ms: u64) {
        self.plates.wall_ms.set(wall_ms);
        self.plates.staged.borrow_mut().clear();
    }

    /// Returns whether writes wait to become durable.
    #[must_use]
    pub fn has_staged(&self) -> bool {
        !self.plates.staged.borrow().is_empty()
    }

    /// Drops the transaction: none of its writes happened.
    pub fn undo(&self) {
        self.plates.staged.borrow_mut().clear();
    }

    /// Makes the whole transaction durable. Returns the time on the host's clock for which it set the alarm; `None` if it set none.
    pub fn commit(&self) -> Option<u64> {
        let mut alarm = None;
        for write in self.plates.staged.borrow_mut().drain(..) {
            match write {
                Write::Row(row) => self.plates.rows.borrow_mut().push_back(row),
                Write::Page(page) => {
                    self.plates.pages.borrow_mut().insert(page.id, page);
                }
                Write::KeepPages(kept) => {
                    let mut pages = self.plates.pages.borrow_mut();
                    pages.retain(|id, _| kept.contains(id));
                }
                Write::Salt(edition, salt) => {
                    let mut salts = self.plates.salts.borrow_mut();
                    salts.insert(edition, salt);
                    salts.retain(|kept, _| kept.0 + 1 >= edition.0);
                }
                Write::NoSalts => self.plates.salts.borrow_mut().clear(),
                Write::Alarm(wall_ms) => {
                    alarm = Some(wall_ms);
                    self.plates.alarm.set(alarm);
                }
                Write::Snapshot(snapshot, keep_from_ms) => {
                    let forgotten = |row: &Sealed| row.version <= snapshot.version && row.wall_ms < keep_from_ms;
                    let mut rows = self.plates.rows.borrow_mut();
                    while rows.front().is_some_and(forgotten) {
                        rows.pop_front();
                    }
                    *self.plates.snapshot.borrow_mut() = Some(snapshot);
                }
            }
        }
        alarm
    }

    /// The time on the host's clock for which the alarm is set, or `None` if it is not set.
    #[must_use]
    pub fn alarm(&self) -> Option<u64> {
        self.plates.alarm.get()
    }

    /// Sets or clears the alarm, as the platform does.
    pub fn set_alarm(&self, wall_ms: Option<u64>) {
        self.plates.alarm.set(wall_ms);
    }

    /// The number of the last row, in the journal or in the snapshot.
    #[must_use]
    pub fn version(&self) -> u64 {
        let rows = self.plates.rows.borrow();
        let snapshot = self.plates.snapshot.borrow();
        let of_snapshot = snapshot.as_ref().map_or(0, |snapshot| snapshot.version);
        rows.back().map_or(0, |row| row.version).max(of_snapshot)
    }

    fn takes(&self, write: Write) -> Result<(), &'static str> {
        if self.faults.borrow_mut().strikes(Kind::WriteFails) {
            return Err("the disk is having a moment");
        }
        self.plates.staged.borrow_mut().push(write);
        Ok(())
    }
}

impl Store for Disk {
    type Error = &'static str;

    fn put_row(&self, row: Sealed) -> Result<(), Self::Error> {
        self.takes(Write::Row(row))
    }

    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Self::Error> {
        let rows = self.plates.rows.borrow();
        let before = rows.partition_point(|row| row.version <= version);
        Ok(rows.range(before..).cloned().collect())
    }

    fn put_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> Result<(), Self::Error> {
        self.takes(Write::Snapshot(snapshot, keep_from_ms))
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Self::Error> {
        Ok(self.plates.snapshot.borrow().clone())
    }

    fn put_page(&self, page: Page) -> Result<(), Self::Error> {
        self.takes(Write::Page(page))
    }

    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> Result<(), Self::Error> {
        self.takes(Write::KeepPages(kept.clone()))
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, Self::Error> {
        Ok(self.plates.pages.borrow().keys().copied().collect())
    }

    fn shelf(&self) -> Result<Arc<dyn Shelf>, Self::Error> {
        let pages = self.plates.pages.borrow();
        let bytes = pages.values().map(|page| (page.id, page.bytes.clone()));
        Ok(Arc::new(bytes.collect::<BTreeMap<_, _>>()))
    }

    fn put_salt(&self, edition: Edition, salt: Salt) -> Result<(), Self::Error> {
        self.takes(Write::Salt(edition, salt))
    }

    fn salt(&self, edition: Edition) -> Result<Option<Salt>, Self::Error> {
        Ok(self.plates.salts.borrow().get(&edition).copied())
    }

    fn drop_salts(&self) -> Result<(), Self::Error> {
        self.takes(Write::NoSalts)
    }

    fn put_alarm(&self, in_ms: u64) -> Result<(), Self::Error> {
        let wall_ms = self.plates.wall_ms.get();
        self.takes(Write::Alarm(wall_ms.saturating_add(in_ms)))
    }
}
