//! A crash in every state: what comes back from the journal is the room, and the world goes on
//! from what came back.

use crate::promises::require;
use crate::world::World;
use baton::facts::event::Row;
use baton::facts::holder::Salt;
use baton::facts::units::Edition;
use baton::journal::{self, Damage, Hash, Page, PageId, Sealed, Shelf, Snapshot, Store};
use baton::room::Room;
use baton::room::laws::Check;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

const SALT: Salt = Salt([7; 16]);

fn shown(of: &str, damage: Option<Damage>) -> String {
    match damage {
        Some(damage) => format!("{of}: {damage}"),
        None => format!("{of} another room came back"),
    }
}

/// A world's rows as they are on disk, and a snapshot.
struct Disk<'a> {
    rows: &'a [Sealed],
    snapshot: Option<Snapshot>,
}

impl Store for Disk<'_> {
    type Error = Infallible;

    fn put_row(&self, _: Sealed) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }

    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Infallible> {
        let after = self.rows.iter().filter(|row| row.version > version);
        Ok(after.cloned().collect())
    }

    fn put_snapshot(&self, _: Snapshot, _: u64) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, Infallible> {
        Ok(self.snapshot.clone())
    }

    fn put_page(&self, _: Page) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }

    fn keep_pages(&self, _: &BTreeSet<PageId>) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, Infallible> {
        Ok(BTreeSet::new())
    }

    fn shelf(&self) -> Result<Arc<dyn Shelf>, Infallible> {
        Ok(Arc::new(BTreeMap::new()))
    }

    fn put_salt(&self, _: Edition, _: Salt) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }

    fn salt(&self, _: Edition) -> Result<Option<Salt>, Infallible> {
        Ok(Some(SALT))
    }

    fn drop_salts(&self) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }

    fn put_alarm(&self, _: u64) -> Result<(), Infallible> {
        unreachable!("nothing is written while a room comes back")
    }
}

/// The journal of one path, and the room before its last row.
#[derive(Default)]
pub struct Journal {
    rows: Vec<Sealed>,
    before_last: Option<Room>,
}

impl Journal {
    /// Adds what a step wrote. `before` is the room in which it was written.
    pub fn put(&mut self, row: &Row, before: &Room) {
        if row.events.is_empty() {
            return;
        }
        let hash = self.rows.last().map_or(Hash::default(), |row| row.hash);
        let sealed = journal::seal(&hash, &SALT, row.version.0, row.at, row.at.0, &row.events);
        self.rows.push(sealed.expect("facts can be written"));
        self.before_last = Some(before.clone());
    }

    /// Law 9. Brings the room back from all rows, and from a snapshot before the last row and
    /// that row, and goes on with the latter.
    pub fn crash(&self, world: &mut World) -> Check {
        const LAW: &str = "what comes back is what was there (9)";
        let mut disk = Disk {
            rows: &self.rows,
            snapshot: None,
        };
        let all = journal::restore::<Room, _>(&disk);
        let same = all.as_ref().is_ok_and(|all| all.state == world.room);
        require(LAW, same, || shown("of all rows", all.err()))?;
        let before = self.before_last.as_ref().expect("the first row");
        let (version, at) = (before.version().0, before.now());
        if let [.., row, _] = self.rows.as_slice() {
            disk.snapshot = journal::snapshot(version, at, at.0, &row.hash, before).ok();
        }
        let last = journal::restore::<Room, _>(&disk);
        let same = last.as_ref().is_ok_and(|last| last.state == world.room);
        require(LAW, same, || shown("of a snapshot and a row", last.as_ref().err().cloned()))?;
        world.room = last.map(|last| last.state).unwrap_or_default();
        Ok(())
    }
}
