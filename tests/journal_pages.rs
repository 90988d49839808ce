//! Whose the numbers are is stored in pages, each once: what comes back from them, whatever happened to the places since.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "recovery/disk.rs"]
mod disk;
#[path = "journal_pages/late.rs"]
mod late;
#[path = "journal_pages/staged.rs"]
mod staged;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::hall::Door;
use baton::facts::holder::{Comes, Held, Key, Member, Salt};
use baton::facts::hours::Period;
use baton::facts::limits::{HOLDERS_PAGE, LATE_ACCOUNTS_MAX};
use baton::facts::units::{Edition, Instant, LobbyId, Number, Version};
use baton::journal::{self, Damage, Journal, PageId, Store};
use baton::room::Room;
use baton::room::hall::Lots;
use disk::Disk;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use wishes::holder;

const SALT: Salt = Salt([7; 16]);
const HERE: LobbyId = LobbyId(3);

/// A room that writes its journal onto a disk, with a snapshot every ten rows.
struct Sale<'a> {
    room: Room,
    journal: Journal<&'a Disk>,
    now: Instant,
}

impl<'a> Sale<'a> {
    fn on(disk: &'a Disk) -> Self {
        for edition in 1..5 {
            disk.put_salt(Edition(edition), SALT).unwrap();
        }
        let (mut journal, restored) = Journal::open::<Room>(disk).unwrap();
        journal.rows_per_snapshot = 10;
        let now = restored.clock.map_or(Instant(1_000_000), |(at, _)| at);
        Self {
            room: restored.state,
            journal,
            now,
        }
    }

    /// One row; how many pages it wrote.
    fn row(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) -> usize {
        self.now = self.now.plus_ms(10);
        let before: Vec<PageId> = self.ids();
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        assert!(!row.events.is_empty(), "nothing happened");
        let wall_ms = self.now.0;
        self.journal
            .append(&SALT, row.at, wall_ms, &row.events, &mut self.room, u64::MAX)
            .unwrap();
        let after = self.ids();
        after.iter().filter(|id| !before.contains(id)).count()
    }

    fn ids(&self) -> Vec<PageId> {
        self.journal.store().pages.borrow().keys().copied().collect()
    }

    fn say(&mut self, command: Command) -> usize {
        self.row(|room, now, row| room.perform(now, &command, HERE, row))
    }

    fn join(&mut self, from: u64, count: u64) -> usize {
        self.say(Command::join((from..from + count).map(holder).collect::<Vec<_>>()))
    }

    fn configure(&mut self) {
        self.row(|room, _, row| {
            let config = RoomConfig {
                permits: 0,
                ..RoomConfig::default()
            };
            room.configure(&config, row);
        });
    }

    /// Rows of no weight until a snapshot was written.
    fn until_snapshot(&mut self) {
        let version = || {
            let snapshot = self.journal.store().snapshot.borrow();
            snapshot.as_ref().map_or(0, |snapshot| snapshot.version)
        };
        let before = version();
        for person in 0..40 {
            self.join(9_000_000 + self.now.0 * 100 + person, 1);
            let snapshot = self.journal.store().snapshot.borrow();
            if snapshot.as_ref().map_or(0, |snapshot| snapshot.version) > before {
                return;
            }
        }
        panic!("no snapshot in forty rows");
    }

    fn number(&self, person: u64) -> Option<u64> {
        let key = holder(person).key;
        self.room.living_of(key).map(|number| number.0)
    }

    /// What comes back from the disk is the room.
    fn comes_back(&self) {
        let back = journal::restore::<Room, _>(self.journal.store()).unwrap();
        assert!(back.state == self.room, "another room came back");
    }
}

fn held(number: u64, person: u64) -> Held {
    Held {
        number: Number(number),
        key: holder(person).key,
    }
}

#[test]
fn a_page_is_written_once_when_it_is_full_and_at_most_one_in_a_turn() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    assert_eq!(sale.join(0, 10_000), 0);
    assert_eq!(sale.join(10_000, HOLDERS_PAGE - 10_002), 0, "number 0 is nobody's");
    assert_eq!(sale.join(HOLDERS_PAGE, 1), 1);
    assert_eq!(sale.join(20_000, 10_000), 0);
    assert_eq!(sale.join(40_000, 10_000), 1);
    assert_eq!(sale.join(60_000, 10_000), 0);
    assert_eq!(sale.join(80_000, 10_000), 1);
    sale.until_snapshot();
    let snapshot = disk.snapshot.borrow().clone().unwrap();
    let bytes: usize = snapshot.parts.iter().map(Vec::len).sum();
    let tail = sale.room.line().next().0 % HOLDERS_PAGE;
    let tail = usize::try_from(tail).unwrap() * 13;
    assert!(bytes < 20_000 + tail, "{bytes} bytes, {tail} of them holders");
    sale.comes_back();
    let again = Sale::on(&disk);
    assert_eq!(again.number(40_000), Some(HOLDERS_PAGE + 10_000));
    assert_eq!(again.number(20_000), sale.number(20_000));
    assert_eq!(again.number(1_000_000), None);
}

#[test]
fn many_pages_at_once_are_written_one_a_turn_and_the_snapshot_waits() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    for some in 0..9 {
        sale.row(|room, now, row| {
            for part in 0..2 {
                let from = some * 20_000 + part * 10_000;
                let join = Command::join((from..from + 10_000).map(holder).collect::<Vec<_>>());
                room.perform(now, &join, HERE, row);
            }
        });
        sale.comes_back();
    }
    // Ten pages and more are full; nine rows have written nine at most.
    let full = sale.room.line().next().0 / HOLDERS_PAGE;
    while (sale.ids().len() as u64) < full {
        assert!(disk.snapshot.borrow().is_none(), "a snapshot without all its pages");
        assert_eq!(sale.join(1_000_000 + sale.now.0, 1), 1);
    }
    sale.until_snapshot();
    sale.comes_back();
}

#[test]
fn a_place_that_was_carried_is_its_new_holders_whatever_its_page_says() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.join(0, 10_000);
    sale.join(10_000, 10_000);
    let carry = |number, from, to| Command::Carry {
        place: held(number, from),
        row: Version(u64::MAX),
        to: holder(to),
    };
    sale.say(carry(5, 4, 70_000));
    sale.say(carry(20_000, 19_999, 70_001));
    sale.until_snapshot();
    sale.say(carry(6, 5, 70_002));
    sale.comes_back();
    sale.until_snapshot();
    sale.comes_back();
    let again = Sale::on(&disk);
    let numbers: Vec<_> = [70_000, 70_001, 70_002, 4, 5, 6].map(|person| again.number(person)).to_vec();
    assert_eq!(numbers, [Some(5), Some(20_000), Some(6), None, None, Some(7)]);
}

#[test]
fn a_page_goes_when_all_on_it_are_over_and_a_half_empty_one_is_read_all_the_same() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    for some in 0..4 {
        sale.join(some * 10_000, 10_000);
    }
    // Everybody of the first page, and most of the second.
    for number in 1..2 * HOLDERS_PAGE - 100 {
        let place = held(number, number - 1);
        let mut row = sale.room.open_row(sale.now);
        sale.room.perform(sale.now, &Command::Leave(place), HERE, &mut row);
        let events = row.events;
        sale.journal.append(&SALT, row.at, 0, &events, &mut sale.room, u64::MAX).unwrap();
    }
    sale.until_snapshot();
    let firsts: Vec<u64> = sale.ids().iter().map(|id| id.first).collect();
    assert_eq!(firsts, [HOLDERS_PAGE]);
    sale.comes_back();
    assert_eq!(Sale::on(&disk).number(2 * HOLDERS_PAGE), Some(2 * HOLDERS_PAGE + 1));
}

/// A page is read by the byte, and whoever is over stands in another byte of a word than its first.
#[test]
fn one_who_is_over_leaves_all_others_of_a_page_their_places() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.join(0, 10_000);
    sale.join(10_000, 10_000);
    let over = HOLDERS_PAGE / 2 + 20;
    sale.say(Command::Leave(held(over, over - 1)));
    sale.until_snapshot();
    sale.comes_back();
    let again = Sale::on(&disk);
    let numbers = [over - 2, over - 1, over, HOLDERS_PAGE - 2].map(|person| again.number(person));
    assert_eq!(numbers, [Some(over - 1), None, Some(over + 1), Some(HOLDERS_PAGE - 1)]);
}

#[test]
fn after_a_reset_and_after_a_draw_the_same_numbers_are_on_other_pages() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.join(0, 10_000);
    sale.join(10_000, 10_000);
    sale.until_snapshot();
    let before = sale.ids();
    sale.row(|room, _, row| {
        room.reset("somebody", row);
    });
    sale.join(50_000, 10_000);
    sale.comes_back();
    assert_eq!(sale.join(60_000, 10_000), 1);
    sale.comes_back();
    sale.until_snapshot();
    assert!(sale.ids().iter().all(|id| !before.contains(id)));
    sale.comes_back();
    let again = Sale::on(&disk);
    assert_eq!((again.number(0), again.number(50_000)), (None, Some(1)));

    // The hall has pages of its own, and the line gets others by the draw.
    let opens_at_ms = sale.now.0 + 60_000;
    let hours = RoomConfig {
        permits: 0,
        periods: vec![Period {
            opens_at_ms,
            closes_at_ms: opens_at_ms + 3_600_000,
        }],
        ..RoomConfig::default()
    };
    sale.row(|room, _, row| room.configure(&hours, row));
    let wall_ms = opens_at_ms - 30_000;
    sale.row(|room, _, row| room.keep_hours(wall_ms, &Lots::default(), row));
    assert!(matches!(sale.room.hall().door(), Door::Hall { .. }));
    sale.join(100_000, 10_000);
    sale.join(110_000, 10_000);
    sale.until_snapshot();
    sale.comes_back();
    assert_eq!(sale.ids().iter().filter(|id| id.first >= Number::of_entry(0).0).count(), 1);
    sale.row(|room, _, row| room.keep_hours(opens_at_ms, &Lots::default(), row));
    assert_eq!(sale.room.hall().line().alive(), 0);
    sale.comes_back();
    sale.until_snapshot();
    sale.comes_back();
    let again = Sale::on(&disk);
    assert_eq!(again.number(110_000), sale.number(110_000));
    assert!(again.number(110_000).is_some_and(|number| number > 20_000));
}

#[test]
fn a_page_that_is_missing_or_damaged_is_named() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.join(0, 10_000);
    sale.join(10_000, 10_000);
    sale.until_snapshot();
    let whole = disk.pages.borrow().clone();
    let (id, page) = whole.iter().next().map(|(id, page)| (*id, page.clone())).unwrap();
    let restored = || journal::restore::<Room, _>(&&disk).map(|restored| restored.version);
    assert!(restored().is_ok());
    for at in [1, 100, page.bytes.len() / 2, page.bytes.len() - 1] {
        disk.pages.borrow_mut().get_mut(&id).unwrap().bytes[at] ^= 4;
        assert_eq!(restored(), Err(Damage::Page(id)), "byte {at}");
        *disk.pages.borrow_mut() = whole.clone();
    }
    disk.pages.borrow_mut().get_mut(&id).unwrap().bytes[0] += 1;
    assert_eq!(restored(), Err(Damage::Newer(journal::FORMAT + 1)));
    disk.pages.borrow_mut().clear();
    assert_eq!(restored(), Err(Damage::Page(id)));
    assert_eq!(
        Damage::Page(id).to_string(),
        "the page of holders from number 0 on, since row 0, is missing or damaged"
    );
    // Another page under this name: its checksum covers the name.
    let foreign = PageId { since: 9, ..id };
    let mut other = journal::page(foreign, &page.bytes[1..page.bytes.len() - 4]);
    other.id = id;
    disk.pages.borrow_mut().insert(id, other);
    assert_eq!(restored(), Err(Damage::Page(id)));
    // Whole, but somebody who lives is not on it.
    let mut content = page.bytes[1..page.bytes.len() - 4].to_vec();
    content[40] &= !1;
    let end = content.len() - 12;
    content.truncate(end);
    disk.pages.borrow_mut().insert(id, journal::page(id, &content));
    assert_eq!(restored(), Err(Damage::Page(id)));
}

/// Joins for the accounts of the same names.
fn join_as(people: impl Iterator<Item = u64>) -> Command {
    let member = |person| Member {
        holder: holder(person),
        account: Key(person << 32),
        comes: Comes::Anew,
    };
    Command::join(people.map(member).collect::<Vec<_>>())
}

impl Sale<'_> {
    fn place(&self, account: u64) -> Option<u64> {
        let number = self.room.living_of_account(Key(account << 32));
        number.map(|number| number.0)
    }
}

#[test]
fn accounts_come_back_from_pages_and_those_that_came_later_from_the_snapshot() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.say(join_as(0..10_000));
    assert_eq!(sale.join(10_000, 10_000), 1);
    sale.until_snapshot();
    let bytes = || {
        let snapshot = disk.snapshot.borrow().clone().unwrap();
        snapshot.parts.iter().map(Vec::len).sum::<usize>()
    };
    let before = bytes();
    // Two on the page that is written, one behind it.
    for person in [10_000, 10_001, 19_000] {
        sale.say(join_as(person..person + 1));
    }
    sale.comes_back();
    sale.until_snapshot();
    assert!(bytes() < before + 1_000, "{} after {before}", bytes());
    assert_eq!(sale.ids().len(), 1);
    sale.comes_back();
    let again = Sale::on(&disk);
    let places = [0, 9_999, 10_000, 10_001, 10_002, 19_000].map(|of| again.place(of));
    assert_eq!(places, [Some(1), Some(10_000), Some(10_001), Some(10_002), None, Some(19_001)]);
}

/// The old page stays as long as a snapshot needs it.
#[test]
fn a_page_to_which_many_accounts_came_later_is_written_anew() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    sale.join(0, 10_000);
    sale.join(10_000, 10_000);
    sale.until_snapshot();
    let first = sale.ids();
    let many = LATE_ACCOUNTS_MAX as u64;
    assert_eq!(sale.say(join_as(0..many)), 0);
    assert_eq!(sale.say(join_as(many..many + 1)), 1, "one too many");
    assert_eq!(sale.ids().len(), 2);
    sale.comes_back();
    assert_eq!(sale.say(join_as(5_000..5_001)), 0);
    sale.comes_back();
    sale.until_snapshot();
    assert_eq!(sale.ids().len(), 1);
    assert_ne!(sale.ids(), first);
    sale.comes_back();
    let again = Sale::on(&disk);
    let places = [0, many - 1, many, many + 1, 5_000].map(|of| again.place(of));
    assert_eq!(places, [Some(1), Some(many), Some(many + 1), None, Some(5_001)]);
    assert_eq!(again.number(many + 1), Some(many + 2), "no account's");
    // Nobody whose place is over has an account there any more.
    sale.say(Command::Leave(held(1, 0)));
    sale.until_snapshot();
    sale.comes_back();
    assert_eq!(Sale::on(&disk).place(0), None);
}

#[test]
fn a_later_page_counts_its_own_accounts() {
    let disk = Disk::default();
    let mut sale = Sale::on(&disk);
    sale.configure();
    for tens in 0..4 {
        sale.join(tens * 10_000, 10_000);
    }
    sale.until_snapshot();
    let pages = sale.ids().len();
    let (from, many) = (20_000, LATE_ACCOUNTS_MAX as u64);
    assert_eq!(sale.say(join_as(from..from + many)), 0);
    assert_eq!(sale.say(join_as(0..1)), 0, "another page's");
    let last = from + many;
    assert_eq!(sale.say(join_as(last..last + 1)), 1, "one too many");
    assert_eq!(sale.ids().len(), pages + 1);
    sale.comes_back();
    let again = Sale::on(&disk);
    let places = [0, from, last, last + 1].map(|of| again.place(of));
    let numbers = [Some(1), Some(from + 1), Some(last + 1), None];
    assert_eq!(places, numbers);
}
