//! What survives a crash: rows, a snapshot and one alarm. What one turn writes is staged and
//! commits as one, as in an object's transaction.

use baton::journal::{Sealed, Snapshot, Store};
use std::cell::RefCell;
use std::convert::Infallible;

#[derive(Default)]
pub struct Disk {
    rows: RefCell<Vec<Sealed>>,
    snapshot: RefCell<Option<Snapshot>>,
    alarm: RefCell<Option<u64>>,
    staged: RefCell<Vec<Write>>,
}

enum Write {
    Row(Sealed),
    Snapshot(Snapshot, u64),
    Alarm(u64),
}

impl Disk {
    /// When the alarm is set for, on the wall clock.
    pub fn alarm(&self) -> Option<u64> {
        *self.alarm.borrow()
    }

    pub fn set_alarm(&self, wall_ms: Option<u64>) {
        *self.alarm.borrow_mut() = wall_ms;
    }

    pub fn stage_alarm(&self, wall_ms: u64) {
        self.staged.borrow_mut().push(Write::Alarm(wall_ms));
    }

    pub fn undo(&self) {
        self.staged.borrow_mut().clear();
    }

    /// Makes what was staged durable.
    pub fn commit(&self) {
        for write in self.staged.take() {
            match write {
                Write::Row(row) => self.rows.borrow_mut().push(row),
                Write::Alarm(wall_ms) => self.set_alarm(Some(wall_ms)),
                Write::Snapshot(snapshot, keep_from_ms) => {
                    let kept = |row: &Sealed| {
                        row.version > snapshot.version || row.wall_ms >= keep_from_ms
                    };
                    self.rows.borrow_mut().retain(kept);
                    *self.snapshot.borrow_mut() = Some(snapshot);
                }
            }
        }
    }
}

impl Store for Disk {
    type Error = Infallible;

    fn put_row(&self, row: &Sealed) -> Result<(), Infallible> {
        self.staged.borrow_mut().push(Write::Row(row.clone()));
        Ok(())
    }

    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Infallible> {
        Ok(self
            .rows
            .borrow()
            .iter()
            .filter(|row| row.version > version)
            .cloned()
            .collect())
    }

    fn put_snapshot(&self, snapshot: &Snapshot, keep_from_ms: u64) -> Result<(), Infallible> {
        self.staged
            .borrow_mut()
            .push(Write::Snapshot(snapshot.clone(), keep_from_ms));
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Infallible> {
        Ok(self.snapshot.borrow().clone())
    }

    fn put_alarm(&self, _: u64) -> Result<(), Infallible> {
        unreachable!("the world arms its alarms on its own wall clock")
    }
}
