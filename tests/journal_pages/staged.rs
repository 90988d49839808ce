//! A snapshot that is written in parts, a page of places a turn: whatever happens between two of them, what comes back is the room.

use super::disk::Disk;
use super::{HERE, SALT, Sale, held};
use baton::facts::command::Command;
use baton::facts::limits::{CHUNK, CHUNKS_PAGE, HOLDERS_PAGE};
use baton::facts::units::{Edition, Number};
use baton::journal::{self, Damage, PageId, PageKind, ROWS_LATE_MAX, Store};
use baton::room::Room;
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PAGE: u64 = CHUNKS_PAGE * CHUNK as u64;
const PAGES: u64 = 3;

impl Sale<'_> {
    /// Three pages of places are full, and a snapshot has them.
    fn of_three_pages<'a>(disk: &'a Disk) -> Sale<'a> {
        let mut sale = Sale::on(disk);
        sale.configure();
        sale.journal.rows_per_snapshot = u64::MAX;
        for some in 0..=PAGES * PAGE / 10_000 {
            sale.join(some * 10_000, 10_000);
        }
        sale.journal.rows_per_snapshot = 10;
        sale.until_snapshot();
        sale.comes_back();
        assert_eq!(sale.places().len() as u64, PAGES);
        sale
    }

    fn places(&self) -> BTreeSet<PageId> {
        let ids = self.ids().into_iter();
        ids.filter(|id| id.kind == PageKind::Places).collect()
    }

    /// Which row the last snapshot is of.
    fn snapshot(&self) -> u64 {
        let snapshot = self.journal.store().snapshot.borrow();
        snapshot.as_ref().map_or(0, |of| of.version)
    }

    /// Somebody of this page of places leaves: the `at`-th person of it.
    fn leaves(&mut self, page: u64, at: u64) -> usize {
        let number = page * PAGE + at;
        self.say(Command::Leave(held(number, number - 1)))
    }

    fn of_each_leaves_one(&mut self) {
        for page in 0..PAGES {
            assert_eq!(self.leaves(page, 5), 0, "no snapshot is due");
        }
    }

    /// Rows that change the first page of places, until a snapshot begins and the first of its pages is written.
    fn until_it_begins(&mut self) {
        for row in 0..40 {
            if self.leaves(0, 1_000 + row) > 0 {
                return;
            }
        }
        panic!("no snapshot began in forty rows");
    }
}

#[test]
fn a_snapshot_writes_a_page_a_turn_and_is_of_the_row_in_which_it_began() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    let (before, old) = (sale.snapshot(), sale.places());
    sale.of_each_leaves_one();
    sale.until_it_begins();
    let began = sale.journal.version() - 1;
    // Every page changes again before it is written.
    for page in 1..PAGES {
        assert_eq!(sale.snapshot(), before, "the one before stays meanwhile");
        assert!(sale.places().is_superset(&old), "and so do its pages");
        sale.comes_back();
        assert_eq!(sale.leaves(PAGES - page, 6), 1, "one page a turn");
    }
    assert_eq!(sale.snapshot(), began);
    let named: BTreeSet<_> = (0..PAGES).map(|page| PageId::of_places(page * PAGE, began)).collect();
    assert_eq!(sale.places(), named, "nobody needs the others");
    sale.comes_back();
    let again = journal::restore::<Room, _>(&&disk).unwrap();
    assert_eq!(again.replayed, sale.journal.version() - began);
}

#[test]
fn a_page_on_which_nothing_changed_is_not_written_again() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    let old = sale.places();
    sale.leaves(1, 7);
    sale.until_snapshot();
    let new = sale.places();
    let written: Vec<u64> = new.difference(&old).map(|id| id.first).collect();
    assert_eq!(written, [PAGE]);
    sale.comes_back();
    // Nor after a restart.
    let mut again = Sale::on(&disk);
    again.leaves(2, 7);
    again.until_snapshot();
    let written: Vec<u64> = again.places().difference(&new).map(|id| id.first).collect();
    assert_eq!(written, [2 * PAGE]);
    again.comes_back();
}

#[test]
fn a_life_that_ends_in_the_midst_leaves_nothing_behind() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    sale.of_each_leaves_one();
    sale.until_it_begins();
    let torn = sale.journal.version() - 1;
    let mut again = Sale::on(&disk);
    assert!(again.room == sale.room, "another room came back");
    again.until_snapshot();
    again.comes_back();
    assert!(again.snapshot() > torn);
    assert!(again.places().iter().all(|id| id.since != torn), "{:?}", again.places());
    assert_eq!(again.places().len() as u64, PAGES);
    assert_eq!(Sale::on(&disk).number(PAGE), Some(PAGE + 1));
}

/// Its lives were all shorter than a snapshot: none went on with what another began, and rows gathered.
#[test]
fn a_snapshot_that_is_late_is_written_in_one_turn() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    let before = sale.snapshot();
    sale.of_each_leaves_one();
    sale.journal.rows_per_snapshot = u64::MAX;
    while sale.journal.version() < before + 10 + ROWS_LATE_MAX - 2 {
        sale.leaves(0, 10 + sale.journal.version());
    }
    let mut again = Sale::on(&disk);
    assert_eq!(again.leaves(0, 6), 0, "a row is left: it only begins");
    assert_eq!(again.snapshot(), before);
    let mut last = Sale::on(&disk);
    assert_eq!(last.leaves(0, 7), 3);
    assert_eq!(last.snapshot(), last.journal.version());
    last.comes_back();
}

#[test]
fn a_reset_in_the_midst_is_of_the_rows_that_follow() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    sale.of_each_leaves_one();
    sale.until_it_begins();
    sale.row(|room, _, row| {
        room.reset("somebody", row);
    });
    sale.comes_back();
    for some in 0..=PAGE / 10_000 {
        sale.join(1_000_000 + some * 10_000, 10_000);
        sale.comes_back();
    }
    sale.until_snapshot();
    sale.until_snapshot();
    sale.comes_back();
    let since = sale.snapshot();
    assert!(since > 0 && sale.places().iter().all(|id| id.first == 0));
    assert_eq!(Sale::on(&disk).number(1_000_000), Some(1));
}

/// The snapshot is of a row in which people on it lived.
#[test]
fn a_page_of_holders_that_empties_in_the_midst_stays_for_the_snapshot() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    sale.of_each_leaves_one();
    sale.until_it_begins();
    let before = sale.snapshot();
    let all = |sale: &mut Sale<'_>| {
        sale.row(|room, now, row| {
            for number in 1..HOLDERS_PAGE {
                let leave = Command::Leave(held(number, number - 1));
                room.perform(now, &leave, HERE, row);
            }
        })
    };
    assert_eq!(all(&mut sale), 1);
    assert_eq!(sale.leaves(1, 6), 1);
    assert!(sale.snapshot() > before);
    sale.comes_back();
    let of_first = |id: &PageId| id.kind == PageKind::Holders && id.first == 0;
    assert!(sale.ids().iter().any(of_first), "it is still needed");
    sale.until_snapshot();
    sale.until_snapshot();
    assert!(!sale.ids().iter().any(of_first));
    sale.comes_back();
}

#[test]
fn a_room_that_forgets_who_came_drops_what_was_begun() {
    let disk = Disk::default();
    let mut sale = Sale::of_three_pages(&disk);
    sale.of_each_leaves_one();
    sale.until_it_begins();
    let (at, wall_ms) = (sale.now, sale.now.0);
    sale.journal.forget(at, wall_ms, &mut sale.room).unwrap();
    sale.comes_back();
    assert_eq!(sale.snapshot(), sale.journal.version());
    assert!(sale.places().iter().all(|id| id.since == sale.snapshot()));
    (&disk).put_salt(Edition::FIRST, SALT).unwrap();
    sale.leaves(2, 9);
    sale.comes_back();
}

#[test]
fn a_page_of_places_that_is_missing_or_damaged_is_named() {
    let disk = Disk::default();
    let sale = Sale::of_three_pages(&disk);
    let whole = disk.pages.borrow().clone();
    let restored = || journal::restore::<Room, _>(&&disk).map(|restored| restored.version);
    assert!(restored().is_ok());
    for id in sale.places() {
        let bytes = whole[&id].bytes.len();
        for at in [1, 100, bytes / 2, bytes - 1] {
            disk.pages.borrow_mut().get_mut(&id).unwrap().bytes[at] ^= 4;
            assert_eq!(restored(), Err(Damage::Page(id)), "byte {at}");
            *disk.pages.borrow_mut() = whole.clone();
        }
        disk.pages.borrow_mut().remove(&id);
        assert_eq!(restored(), Err(Damage::Page(id)));
        // A page of another row, whole in itself, in its place.
        let other = PageId { since: id.since + 1, ..id };
        let mut foreign = journal::page(other, &whole[&id].bytes[1..bytes - 8]);
        foreign.id = id;
        disk.pages.borrow_mut().insert(id, foreign);
        assert_eq!(restored(), Err(Damage::Page(id)));
        // And one that is whole, and of which a place is missing: the room knows how many there are.
        let mut content = whole[&id].bytes[1..bytes - 8].to_vec();
        let living = content.iter().position(|byte| *byte == 0xFF).expect("eight who wait");
        content[living] &= !1;
        disk.pages.borrow_mut().insert(id, journal::page(id, &content));
        assert!(restored().is_err());
        *disk.pages.borrow_mut() = whole.clone();
    }
    let name = Damage::Page(PageId::of_places(PAGE, 7)).to_string();
    assert_eq!(name, "the page of places from number 65536 on, since row 7, is missing or damaged");
    assert_eq!(sale.room.line().ahead(Number(PAGE)).0, PAGE - 1);
}
