//! A store in memory, and rooms whose rows are on it.

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder, Key, Salt, Tag};
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number};
use baton::journal::{self, Hash, Hides, Page, PageId, Sealed, Snapshot, Store};
use baton::room::Room;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub const SALT: Salt = Salt([7; 16]);
pub const KEEP_MS: u64 = 30 * 86_400_000;

/// Rows, a snapshot and salts in memory.
#[derive(Clone, Default)]
pub struct Shelf {
    pub rows: RefCell<Vec<Sealed>>,
    pub snapshot: RefCell<Option<Snapshot>>,
    pub pages: RefCell<BTreeMap<PageId, Page>>,
    pub salts: RefCell<BTreeMap<Edition, Salt>>,
}

impl Store for Shelf {
    type Error = String;

    fn put_row(&self, row: Sealed) -> Result<(), String> {
        self.rows.borrow_mut().push(row);
        Ok(())
    }

    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, String> {
        Ok(self.rows.borrow().iter().filter(|row| row.version > version).cloned().collect())
    }

    fn put_snapshot(&self, snapshot: Snapshot, keep_from_ms: u64) -> Result<(), String> {
        let kept = |row: &Sealed| row.version > snapshot.version || row.wall_ms >= keep_from_ms;
        self.rows.borrow_mut().retain(kept);
        *self.snapshot.borrow_mut() = Some(snapshot);
        Ok(())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, String> {
        Ok(self.snapshot.borrow().clone())
    }

    fn put_page(&self, page: Page) -> Result<(), String> {
        self.pages.borrow_mut().insert(page.id, page);
        Ok(())
    }

    fn keep_pages(&self, kept: &BTreeSet<PageId>) -> Result<(), String> {
        self.pages.borrow_mut().retain(|id, _| kept.contains(id));
        Ok(())
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, String> {
        Ok(self.pages.borrow().keys().copied().collect())
    }

    fn shelf(&self) -> Result<Arc<dyn journal::Shelf>, String> {
        let pages = self.pages.borrow();
        let bytes = pages.values().map(|page| (page.id, page.bytes.clone()));
        Ok(Arc::new(bytes.collect::<BTreeMap<_, _>>()))
    }

    fn put_salt(&self, edition: Edition, salt: Salt) -> Result<(), String> {
        self.salts.borrow_mut().insert(edition, salt);
        Ok(())
    }

    fn salt(&self, edition: Edition) -> Result<Option<Salt>, String> {
        Ok(self.salts.borrow().get(&edition).copied())
    }

    fn drop_salts(&self) -> Result<(), String> {
        self.salts.borrow_mut().clear();
        Ok(())
    }

    fn put_alarm(&self, _: u64) -> Result<(), String> {
        Ok(())
    }
}

impl Shelf {
    /// The hash that the next row goes on from.
    pub fn tip(&self) -> Hash {
        let last = self.rows.borrow().last().map(|row| row.hash);
        let snapshot = self.snapshot.borrow().as_ref().map(|snapshot| snapshot.hash);
        last.or(snapshot).unwrap_or_default()
    }

    /// A shelf that has the salt of the first edition.
    pub fn salted() -> Self {
        let shelf = Self::default();
        shelf.put_salt(Edition::FIRST, SALT).unwrap();
        shelf
    }

    /// Seals the next row and puts it away.
    pub fn add<E: Hides>(&self, salt: &Salt, version: u64, at: Instant, events: &[E]) {
        let row = journal::seal(&self.tip(), salt, version, at, wall_ms(at), events).unwrap();
        self.put_row(row).unwrap();
    }
}

/// A store that cannot be read.
pub struct Broken;

impl Store for Broken {
    type Error = String;

    fn put_row(&self, _: Sealed) -> Result<(), String> {
        Err("full".into())
    }

    fn rows_after(&self, _: u64) -> Result<Vec<Sealed>, String> {
        Err("unreadable".into())
    }

    fn put_snapshot(&self, _: Snapshot, _: u64) -> Result<(), String> {
        Err("full".into())
    }

    fn snapshot(&self) -> Result<Option<Snapshot>, String> {
        Ok(None)
    }

    fn put_page(&self, _: Page) -> Result<(), String> {
        Err("full".into())
    }

    fn keep_pages(&self, _: &BTreeSet<PageId>) -> Result<(), String> {
        Err("full".into())
    }

    fn page_ids(&self) -> Result<BTreeSet<PageId>, String> {
        Err("unreadable".into())
    }

    fn shelf(&self) -> Result<Arc<dyn journal::Shelf>, String> {
        Err("unreadable".into())
    }

    fn put_salt(&self, _: Edition, _: Salt) -> Result<(), String> {
        Err("full".into())
    }

    fn salt(&self, _: Edition) -> Result<Option<Salt>, String> {
        Err("unreadable".into())
    }

    fn drop_salts(&self) -> Result<(), String> {
        Err("full".into())
    }

    fn put_alarm(&self, _: u64) -> Result<(), String> {
        Err("full".into())
    }
}

pub fn wall_ms(at: Instant) -> u64 {
    at.0 + 7
}

pub fn holder(who: u64) -> Holder {
    Holder {
        key: Key(who * 0x0101_0101_0101_0101),
        tag: Tag(0xabab_abab),
    }
}

pub fn command(rng: &mut fastrand::Rng, room: &Room) -> Command {
    let number = Number(rng.u64(0..room.line().next().0 + 2));
    let fence = Fence(rng.u64(0..room.permits().last_fence().0 + 2));
    let key = room.tickets().holder(number).unwrap_or_default().key;
    let place = Held { number, key };
    match rng.u8(0..11) {
        0 | 1 => Command::join((0..rng.usize(1..4)).map(|_| holder(rng.u64(1..99))).collect::<Vec<_>>()),
        2 => Command::walk_in(holder(rng.u64(1..99))),
        3 | 4 => Command::Claim { place, fence },
        5 => Command::Renew(fence),
        6 => Command::Release(fence),
        7 => Command::Leave(place),
        8 => Command::Presence {
            as_of: room.version(),
            here: vec![],
            away: vec![place],
        },
        9 => Command::Carry {
            place,
            row: room.version(),
            to: holder(rng.u64(1..99)),
        },
        _ => Command::Presence {
            as_of: room.version(),
            here: vec![place],
            away: vec![],
        },
    }
}

/// A random room whose every row is put away, and its state after each.
pub fn walk(seed: u64, steps: u64, shelf: &Shelf, snapshot_after: Option<u64>) -> Vec<Room> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut room = Room::new();
    let mut states = vec![room.clone()];
    let mut now = Instant(1_000_000);
    for step in 0..steps {
        now = now.plus_ms(rng.u64(0..2_000));
        let mut row: Row = room.open_row(now);
        match rng.u8(0..4) {
            _ if step == 0 => {
                let config = RoomConfig {
                    permits: 2,
                    claim_within_ms: 4_000,
                    grace_ms: 20_000,
                    ..RoomConfig::default()
                };
                room.configure(&config, &mut row);
            }
            0 => room.take_turn(now, &mut row),
            1 if rng.u8(0..20) == 0 => drop(room.reset("desk", &mut row)),
            _ => {
                let commands: Vec<Command> = (0..rng.usize(0..4)).map(|_| command(&mut rng, &room)).collect();
                room.take(now, LobbyId(0), &commands, rng.u32(0..2), &mut row);
            }
        }
        if row.events.is_empty() {
            continue;
        }
        shelf.add(&SALT, row.version.0, row.at, &row.events);
        if snapshot_after.is_some_and(|after| row.version.0.is_multiple_of(after)) {
            let snapshot = journal::snapshot(row.version.0, row.at, wall_ms(row.at), &shelf.tip(), &room).unwrap();
            shelf.put_snapshot(snapshot, rng.choice([0, now.0, u64::MAX]).unwrap()).unwrap();
        }
        states.push(room.clone());
    }
    states
}

pub fn joined(number: u64) -> Event {
    Event::Joined {
        lobby: LobbyId(3),
        first: Number(number),
        count: 1,
        holders: vec![holder(number)],
    }
}

pub fn three_rows() -> Shelf {
    let shelf = Shelf::salted();
    for version in 1..=3 {
        shelf.add(&SALT, version, Instant(100 + version), &[joined(version)]);
    }
    shelf
}
