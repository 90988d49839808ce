//! What is stored comes back, and what is damaged is named and refused, never guessed at.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use baton::clock::{Clock, SLACK_MS};
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Held, Holder, Key, Salt, Tag};
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number};
use baton::journal::{
    self, Damage, FORMAT, Fold, Hash, Hides, PART_BYTES_MAX, Page, PageId, Sealed, Snapshot, Store,
    export,
};
use baton::living::{Chance, LivingRoom, RoomOptions};
use baton::room::Room;
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SALT: Salt = Salt([7; 16]);
const KEEP_MS: u64 = 30 * 86_400_000;

/// Rows, a snapshot and salts in memory.
#[derive(Clone, Default)]
struct Shelf {
    rows: RefCell<Vec<Sealed>>,
    snapshot: RefCell<Option<Snapshot>>,
    pages: RefCell<BTreeMap<PageId, Page>>,
    salts: RefCell<BTreeMap<Edition, Salt>>,
}

impl Store for Shelf {
    type Error = String;

    fn put_row(&self, row: Sealed) -> Result<(), String> {
        self.rows.borrow_mut().push(row);
        Ok(())
    }

    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, String> {
        Ok(self
            .rows
            .borrow()
            .iter()
            .filter(|row| row.version > version)
            .cloned()
            .collect())
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

    fn pages(&self) -> Result<Vec<Page>, String> {
        Ok(self.pages.borrow().values().cloned().collect())
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
    fn tip(&self) -> Hash {
        let last = self.rows.borrow().last().map(|row| row.hash);
        let snapshot = self
            .snapshot
            .borrow()
            .as_ref()
            .map(|snapshot| snapshot.hash);
        last.or(snapshot).unwrap_or_default()
    }

    /// A shelf that has the salt of the first edition.
    fn salted() -> Self {
        let shelf = Self::default();
        shelf.put_salt(Edition::FIRST, SALT).unwrap();
        shelf
    }

    /// Seals the next row and puts it away.
    fn add<E: Hides>(&self, salt: &Salt, version: u64, at: Instant, events: &[E]) {
        let row = journal::seal(&self.tip(), salt, version, at, wall_ms(at), events).unwrap();
        self.put_row(row).unwrap();
    }
}

/// A store that cannot be read.
struct Broken;

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

    fn pages(&self) -> Result<Vec<Page>, String> {
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

fn wall_ms(at: Instant) -> u64 {
    at.0 + 7
}

fn holder(who: u64) -> Holder {
    Holder {
        key: Key(who * 0x0101_0101_0101_0101),
        tag: Tag(0xabab_abab),
    }
}

fn command(rng: &mut fastrand::Rng, room: &Room) -> Command {
    let number = Number(rng.u64(0..room.line().next().0 + 2));
    let fence = Fence(rng.u64(0..room.permits().last_fence().0 + 2));
    let key = room.holder(number).unwrap_or_default().key;
    let place = Held { number, key };
    match rng.u8(0..11) {
        0 | 1 => Command::Join(
            (0..rng.usize(1..4))
                .map(|_| holder(rng.u64(1..99)))
                .collect(),
        ),
        2 => Command::WalkIn(holder(rng.u64(1..99))),
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
fn walk(seed: u64, steps: u64, shelf: &Shelf, snapshot_after: Option<u64>) -> Vec<Room> {
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
                let commands: Vec<Command> = (0..rng.usize(0..4))
                    .map(|_| command(&mut rng, &room))
                    .collect();
                room.take(now, LobbyId(0), &commands, rng.u32(0..2), &mut row);
            }
        }
        if row.events.is_empty() {
            continue;
        }
        shelf.add(&SALT, row.version.0, row.at, &row.events);
        if snapshot_after.is_some_and(|after| row.version.0.is_multiple_of(after)) {
            let snapshot =
                journal::snapshot(row.version.0, row.at, wall_ms(row.at), &shelf.tip(), &room)
                    .unwrap();
            shelf
                .put_snapshot(snapshot, rng.choice([0, now.0, u64::MAX]).unwrap())
                .unwrap();
        }
        states.push(room.clone());
    }
    states
}

#[test]
fn c46_a_restored_room_is_the_room_byte_for_byte() {
    for seed in 0..40 {
        let shelf = Shelf::salted();
        let states = walk(seed, 120, &shelf, None);
        let restored = journal::restore::<Room, _>(&shelf).unwrap();
        let room = states.last().unwrap();
        assert_eq!(restored.state, *room, "seed {seed}");
        let bytes = |room: &Room| postcard::to_allocvec(room).unwrap();
        assert_eq!(bytes(&restored.state), bytes(room));
        assert_eq!(restored.version, room.version().0);
        assert_eq!(restored.clock, Some((room.now(), wall_ms(room.now()))));
        assert_eq!(restored.replayed, states.len() as u64 - 1);
    }
}

#[test]
fn snapshot_and_rows_are_all_rows() {
    for seed in 0..40 {
        let (with, without) = (Shelf::salted(), Shelf::salted());
        let states = walk(seed, 120, &with, Some(seed % 17 + 1));
        walk(seed, 120, &without, None);
        let after = journal::restore::<Room, _>(&with).unwrap();
        assert!(
            after.replayed < seed % 17 + 1,
            "{} rows were folded",
            after.replayed
        );
        assert_eq!(after.state, *states.last().unwrap(), "seed {seed}");
    }
}

/// A crash after any row: what comes back is the state that was there.
#[test]
fn every_prefix_of_the_rows_is_a_state_that_was() {
    let shelf = Shelf::salted();
    let states = walk(3, 60, &shelf, None);
    let all = shelf.rows.borrow().clone();
    for (count, state) in states.iter().enumerate() {
        let part = Shelf {
            rows: RefCell::new(all[..count].to_vec()),
            ..Shelf::default()
        };
        assert_eq!(
            journal::restore::<Room, _>(&part).unwrap().state,
            *state,
            "{count} rows"
        );
    }
}

#[test]
fn an_empty_store_is_a_new_room() {
    let restored = journal::restore::<Room, _>(&Shelf::default()).unwrap();
    assert_eq!(
        (restored.state, restored.version, restored.clock),
        (Room::new(), 0, None)
    );
}

#[test]
fn a_store_that_fails_says_so() {
    let damage = journal::restore::<Room, _>(&Broken).unwrap_err();
    assert_eq!(damage, Damage::Store("unreadable".into()));
    assert_eq!(damage.to_string(), "the store failed: unreadable");
}

fn joined(number: u64) -> Event {
    Event::Joined {
        lobby: LobbyId(3),
        first: Number(number),
        count: 1,
        holders: vec![holder(number)],
    }
}

fn three_rows() -> Shelf {
    let shelf = Shelf::salted();
    for version in 1..=3 {
        shelf.add(&SALT, version, Instant(100 + version), &[joined(version)]);
    }
    shelf
}

fn damage_after(change: impl FnOnce(&mut Vec<Sealed>)) -> Damage {
    let shelf = three_rows();
    change(&mut shelf.rows.borrow_mut());
    journal::restore::<Room, _>(&shelf).expect_err("damaged")
}

#[test]
fn every_damaged_bit_of_a_row_is_refused_and_named() {
    let length = three_rows().rows.borrow()[1].bytes.len();
    for at in 0..length {
        for bit in 0..8 {
            let damage = damage_after(|rows| rows[1].bytes[at] ^= 1 << bit);
            let format = FORMAT ^ (1 << bit);
            let expected = if at == 0 && format > FORMAT {
                Damage::Newer(format)
            } else {
                Damage::Row(2)
            };
            assert_eq!(damage, expected, "byte {at} bit {bit}");
        }
    }
    for kept in 0..length {
        assert_eq!(
            damage_after(|rows| rows[1].bytes.truncate(kept)),
            Damage::Row(2),
            "{kept} bytes"
        );
    }
    assert_eq!(damage_after(|rows| rows[1].bytes.push(0)), Damage::Row(2));
    assert_eq!(damage_after(|rows| rows[1].at.0 += 1), Damage::Row(2));
    assert_eq!(damage_after(|rows| rows[1].wall_ms += 1), Damage::Row(2));
    for at in 0..32 {
        let damage = damage_after(|rows| rows[1].hash.0[at] ^= 1);
        assert_eq!(damage, Damage::Row(2), "byte {at} of the hash");
    }
    assert_eq!(Damage::Row(2).to_string(), "journal row 2 is damaged");
}

#[test]
fn a_missing_row_is_named() {
    assert_eq!(
        damage_after(|rows| drop(rows.remove(0))),
        Damage::Missing(1)
    );
    assert_eq!(
        damage_after(|rows| drop(rows.remove(1))),
        Damage::Missing(2)
    );
    assert_eq!(damage_after(|rows| rows[2].version = 4), Damage::Missing(3));
}

#[test]
fn swapped_and_doubled_rows_are_refused() {
    assert_eq!(damage_after(|rows| rows.swap(0, 1)), Damage::Missing(1));
    let contents = |rows: &mut Vec<Sealed>| {
        let first = rows[0].bytes.clone();
        rows[0].bytes = std::mem::replace(&mut rows[1].bytes, first);
    };
    // A row of another history, whole in itself.
    let foreign = |rows: &mut Vec<Sealed>| {
        let events = [Event::Left(Number(1))];
        let (at, wall_ms) = (rows[1].at, rows[1].wall_ms);
        rows[1] = journal::seal(&Hash([9; 32]), &SALT, 2, at, wall_ms, &events).unwrap();
    };
    assert_eq!(damage_after(foreign), Damage::Row(2));
    assert_eq!(damage_after(contents), Damage::Row(1));
    let doubled = |rows: &mut Vec<Sealed>| {
        let second = rows[1].clone();
        rows.insert(1, second);
    };
    assert_eq!(damage_after(doubled), Damage::Missing(3));
}

#[test]
fn a_newer_format_is_refused_with_the_way_out() {
    let damage = damage_after(|rows| rows[2].bytes[0] = FORMAT + 1);
    assert_eq!(damage, Damage::Newer(FORMAT + 1));
    assert!(damage.to_string().ends_with("upgrade it"));
    assert_eq!(damage_after(|rows| rows[2].bytes[0] = 0), Damage::Row(3));
}

#[test]
fn every_damaged_byte_of_a_snapshot_is_refused_and_named() {
    let whole = three_rows();
    let room = journal::restore::<Room, _>(&whole).unwrap().state;
    let good = journal::snapshot(3, Instant(103), 110, &Hash([7; 32]), &room).unwrap();
    let restored = |snapshot: Snapshot| {
        let shelf = Shelf {
            snapshot: RefCell::new(Some(snapshot)),
            ..Shelf::default()
        };
        journal::restore::<Room, _>(&shelf)
    };
    assert_eq!(restored(good.clone()).unwrap().state, room);
    for at in 0..good.parts[0].len() {
        let mut bad = good.clone();
        bad.parts[0][at] ^= 0x20;
        let expected = if at == 0 {
            Damage::Newer(FORMAT ^ 0x20)
        } else {
            Damage::Part(0)
        };
        assert_eq!(restored(bad).unwrap_err(), expected, "byte {at}");
    }
    for change in [
        (|s| s.version += 1) as fn(&mut Snapshot),
        |s| s.at.0 += 1,
        |s| s.wall_ms += 1,
        |s| s.hash.0[31] ^= 1,
        |s| s.parts.clear(),
        |s| s.parts.push(s.parts[0].clone()),
    ] {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(restored(bad).unwrap_err(), Damage::Part(0));
    }
}

/// Something large, of which every byte counts.
#[derive(Default, Debug, PartialEq, Serialize, Deserialize)]
struct Large(Vec<u8>);

/// A fact without anything private.
#[derive(Clone, Serialize, Deserialize)]
struct Byte(u8);

impl Hides for Byte {
    fn hide(&mut self, _: &mut Vec<u8>) -> postcard::Result<()> {
        Ok(())
    }

    fn reveal<'a>(&mut self, private: &'a [u8]) -> postcard::Result<&'a [u8]> {
        Ok(private)
    }
}

impl Fold for Large {
    type Event = Byte;

    fn fold(&mut self, _: u64, _: Instant, events: &[Byte]) {
        self.0.extend(events.iter().map(|byte| byte.0));
    }
}

#[test]
fn a_large_state_is_stored_in_parts_and_each_knows_its_place() {
    let large = Large((0..2_500_000_u32).map(|i| (i % 251) as u8).collect());
    let snapshot = journal::snapshot(9, Instant(1), 2, &Hash::default(), &large).unwrap();
    assert_eq!(snapshot.parts.len(), 3);
    assert!(
        snapshot
            .parts
            .iter()
            .all(|part| part.len() <= PART_BYTES_MAX + 5)
    );
    let restored = |snapshot: &Snapshot| {
        let shelf = Shelf {
            snapshot: RefCell::new(Some(snapshot.clone())),
            ..Shelf::default()
        };
        journal::restore::<Large, _>(&shelf).map(|restored| restored.state)
    };
    assert_eq!(restored(&snapshot).unwrap(), large);
    let mut swapped = snapshot.clone();
    swapped.parts.swap(0, 1);
    assert_eq!(restored(&swapped), Err(Damage::Part(0)));
    let mut shorter = snapshot.clone();
    shorter.parts.pop();
    assert_eq!(restored(&shorter), Err(Damage::Part(0)));
    let mut hit = snapshot;
    hit.parts[2][77] ^= 1;
    assert_eq!(restored(&hit), Err(Damage::Part(2)));
}

// What is private.

const NAME: &str = "Ermintrude";

/// One of each fact that has a private half, and some that have none.
fn private_facts() -> Vec<Event> {
    let by = || NAME.to_owned();
    vec![
        Event::Turned,
        Event::Joined {
            lobby: LobbyId(3),
            first: Number(1),
            count: 3,
            holders: vec![holder(1), holder(2), holder(3)],
        },
        Event::Entered {
            lobby: LobbyId(3),
            first: Number::FIRST_ENTRY,
            count: 1,
            holders: vec![holder(4)],
        },
        Event::WalkedIn {
            lobby: LobbyId(3),
            number: Number(4),
            fence: Fence(1),
            from: baton::facts::event::From::Hand,
            holder: Some(holder(5)),
        },
        Event::Slid { fence: Fence(1) },
        Event::Carried {
            number: Number(2),
            fences: None,
            to: Some(holder(6)),
        },
        Event::Adjusted {
            by: by(),
            values: vec![("permits".to_owned(), Some("3".to_owned()))],
        },
        Event::Dismissed {
            number: Number(3),
            by: by(),
        },
        Event::Reset {
            edition: Edition(2),
            by: by(),
            waiting: 2,
            inside: 1,
        },
    ]
}

/// Each alone, and all in one row.
fn private_rows() -> Vec<Vec<Event>> {
    let all = private_facts();
    let alone = all.iter().cloned().map(|event| vec![event]);
    alone.chain([all.clone()]).collect()
}

fn sealed(salt: &Salt, events: &[Event]) -> Sealed {
    journal::seal(&Hash([1; 32]), salt, 9, Instant(8), 7, events).unwrap()
}

fn opened(row: &Sealed, salt: Option<&Salt>) -> Result<Vec<Event>, Damage> {
    journal::open(&Hash([1; 32]), row, salt)
}

#[test]
fn facts_come_back_whole_with_their_salt_and_without_it() {
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        assert_eq!(opened(&row, Some(&SALT)).as_ref(), Ok(&events));
        assert_eq!(opened(&row, None), Ok(events));
    }
}

#[test]
fn the_same_facts_with_another_salt_or_in_another_row_have_another_hash() {
    let hidden = |row: &Sealed| {
        let halves = journal::halves::<Event>(&Hash([1; 32]), row).unwrap();
        halves.hidden
    };
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        let other = sealed(&Salt([8; 16]), &events);
        let later = journal::seal(&Hash([1; 32]), &SALT, 10, Instant(8), 7, &events).unwrap();
        let has_private = hidden(&row) != Hash::default();
        let public = [Event::Turned, Event::Slid { fence: Fence(1) }];
        assert_eq!(
            has_private,
            !events.iter().all(|event| public.contains(event))
        );
        assert_eq!(hidden(&row) != hidden(&other), has_private);
        assert_eq!(row.hash != other.hash, has_private);
        assert_eq!(hidden(&row) != hidden(&later), has_private);
        let with_other = opened(&other, Some(&SALT));
        assert_eq!(
            with_other.is_err(),
            has_private,
            "opened with the wrong salt"
        );
    }
}

#[test]
fn every_damaged_bit_of_either_half_is_found_while_the_salt_is_kept() {
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        let halves = journal::halves::<Event>(&Hash([1; 32]), &row).unwrap();
        let private = 1 + halves.public.len()..row.bytes.len().saturating_sub(32);
        for at in 1..row.bytes.len() {
            for bit in 0..8 {
                let mut hit = row.clone();
                hit.bytes[at] ^= 1 << bit;
                assert_eq!(opened(&hit, Some(&SALT)), Err(Damage::Row(9)), "byte {at}");
                // Whose the tickets were nobody can tell any more, and nobody can vouch for it.
                if !private.contains(&at) {
                    assert_eq!(opened(&hit, None), Err(Damage::Row(9)), "byte {at}");
                }
            }
        }
        for more in [&[0][..], &[0; 32], &[0; 33], &[1; 40]] {
            let mut longer = row.clone();
            longer.bytes.extend_from_slice(more);
            assert!(opened(&longer, Some(&SALT)).is_err(), "{more:?}");
            assert!(opened(&longer, None).is_err(), "{more:?}");
            let halves = journal::halves::<Event>(&Hash([1; 32]), &longer);
            assert!(halves.is_err(), "{more:?}");
        }
    }
}

/// Puts more away than it takes back.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hoarder;

impl Hides for Hoarder {
    fn hide(&mut self, private: &mut Vec<u8>) -> postcard::Result<()> {
        private.push(1);
        Ok(())
    }

    fn reveal<'a>(&mut self, private: &'a [u8]) -> postcard::Result<&'a [u8]> {
        Ok(private)
    }
}

#[test]
fn a_private_half_with_more_than_the_facts_take_is_refused() {
    let before = Hash::default();
    let row = journal::seal(&before, &SALT, 1, Instant(8), 7, &[Hoarder]).unwrap();
    let damage = journal::open::<Hoarder>(&before, &row, Some(&SALT)).unwrap_err();
    assert_eq!(damage, Damage::Row(1));
}

#[test]
fn a_state_comes_back_after_its_salt_was_deleted_and_the_chain_still_holds() {
    let shelf = three_rows();
    shelf.salts.borrow_mut().clear();
    let room = journal::restore::<Room, _>(&shelf).unwrap().state;
    assert_eq!(
        room,
        journal::restore::<Room, _>(&three_rows()).unwrap().state
    );
    assert_eq!(room.living_of(holder(2).key), Some(Number(2)));
    // Public.
    let at = 3;
    shelf.rows.borrow_mut()[1].bytes[at] ^= 1;
    let damage = journal::restore::<Room, _>(&shelf).unwrap_err();
    assert_eq!(damage, Damage::Row(2));
}

/// The row of a reset is of the edition that ends.
#[test]
fn each_edition_has_its_salt() {
    let shelf = Shelf::salted();
    let next = Salt([8; 16]);
    shelf.put_salt(Edition(2), next).unwrap();
    let mut room = Room::new();
    let mut row = room.open_row(Instant(1));
    room.configure(&RoomConfig::default(), &mut row);
    room.reset(NAME, &mut row);
    shelf.add(&SALT, 1, row.at, &row.events);
    let mut row = room.open_row(Instant(2));
    let join = Command::Join(vec![holder(1)]);
    room.take(Instant(2), LobbyId(0), &[join], 0, &mut row);
    shelf.add(&next, 2, row.at, &row.events);
    assert_eq!(journal::restore::<Room, _>(&shelf).unwrap().state, room);
    shelf.put_salt(Edition(2), SALT).unwrap();
    let damage = journal::restore::<Room, _>(&shelf).unwrap_err();
    assert_eq!(damage, Damage::Row(2));
}

/// A room as an object keeps it: each row is sealed with the salt of the edition that it begins in, a reset's with that of the one
/// that ends.
#[test]
fn a_living_room_seals_with_the_salt_of_its_edition() {
    let options = RoomOptions {
        config: RoomConfig::default(),
        ramps: Ramps::default(),
        journal_keep_ms: KEEP_MS,
        lots: Lots::default(),
    };
    let wake = |shelf: Shelf, chance| {
        LivingRoom::restore(shelf, options.clone(), Chance([chance; 32]), 9, None).unwrap()
    };
    let mut living = wake(Shelf::default(), 1);
    living.turn(10, |_, _, _| ()).unwrap();
    living.reset(11, NAME).unwrap();
    living
        .adjust(13, NAME, vec![("permits".into(), None)], options.clone())
        .unwrap();
    let shelf = living.journal().store().clone();
    assert_eq!(shelf.salts.borrow().len(), 2);
    let again = wake(shelf.clone(), 2);
    assert_eq!(again.room(), living.room());
    let rows = shelf.rows.borrow();
    let mut previous = Hash::default();
    let mut names = 0;
    for row in rows.iter() {
        let salts = [Edition(1), Edition(2)].map(|edition| shelf.salts.borrow()[&edition]);
        let opens = |salt| journal::open::<Event>(&previous, row, Some(&salt)).is_ok();
        let halves = journal::halves::<Event>(&previous, row).unwrap();
        if halves.hidden != Hash::default() {
            names += 1;
            let of_first = matches!(halves.events[..], [Event::Reset { .. }]);
            assert_eq!(salts.map(opens), [of_first, !of_first]);
        }
        previous = row.hash;
    }
    assert_eq!(names, 2);
}

/// Bytes are looked for, not fields.
#[test]
fn an_export_has_no_key_and_no_name_in_it() {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let contains = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|at| at == part);
    for events in private_rows() {
        let row = sealed(&SALT, &events);
        let line = export::line(&Hash([1; 32]), &row).unwrap();
        let fields: export::Line = serde_json::from_str(&line).unwrap();
        let facts = STANDARD.decode(&fields.facts).unwrap();
        let mut secrets: Vec<Vec<u8>> = vec![NAME.into(), vec![0xab; 4]];
        for who in 1..=6 {
            let [key @ .., _, _, _, _] = <[u8; 8]>::from(holder(who).key);
            secrets.push(key.to_vec());
            secrets.push(format!("{:x}", holder(who).key.0).into());
            secrets.push(holder(who).key.0.to_string().into());
        }
        for secret in &secrets {
            assert!(!contains(line.as_bytes(), secret), "{line}");
            assert!(!contains(&facts, secret), "{line}");
        }
        // The stored row has them: the desk's story of a ticket says who did what.
        if events.len() > 1 {
            assert!(contains(&row.bytes, NAME.as_bytes()) && contains(&row.bytes, &[0xab; 4]));
        }
    }
}

// The clock.

/// (wall clock's step, ms to the armed alarm if one is armed, how far the clock goes)
#[test]
fn c53_the_clock_never_runs_back_and_never_leaps_past_its_alarm() {
    const HOUR_MS: i64 = 3_600_000;
    for (step, armed_in_ms, goes) in [
        (1_000, Some(1_000), 1_000),
        (0, Some(1_000), 0),
        (-HOUR_MS, Some(1_000), 0),
        (-HOUR_MS, None, 0),
        (HOUR_MS, Some(1_000), 1_000 + SLACK_MS),
        (HOUR_MS, Some(0), SLACK_MS),
        (HOUR_MS, Some(2 * HOUR_MS as u64), HOUR_MS as u64),
        (HOUR_MS, None, HOUR_MS as u64),
        (61_000, Some(1_000), 61_000),
        (61_001, Some(1_000), 61_000),
    ] {
        let start = 1_700_000_000_000_u64;
        let mut clock = Clock::new(start);
        let armed = armed_in_ms.map(|ms| clock.now().plus_ms(ms));
        let wall = start.saturating_add_signed(step);
        let now = clock.advance(wall, armed);
        assert_eq!(now.0 - start, goes, "wall {step}, alarm in {armed_in_ms:?}");
        // From there on time goes on as before.
        assert_eq!(
            clock.advance(wall + 500, Some(now.plus_ms(500))),
            now.plus_ms(500)
        );
        assert_eq!(clock.to_wall_ms(clock.now().plus_ms(9)), wall + 509);
        assert_eq!(clock.at_wall_ms(wall + 509), clock.now().plus_ms(9));
    }
}

#[test]
fn an_overdue_alarm_still_lets_a_minute_pass() {
    let mut clock = Clock::new(1_000_000);
    let armed = Some(Instant(900_000));
    assert_eq!(clock.advance(1_030_000, armed), Instant(1_030_000));
    assert_eq!(
        clock.advance(9_000_000, armed),
        Instant(1_030_000 + SLACK_MS)
    );
}

#[test]
fn the_clock_goes_on_after_a_restart() {
    let mut clock = Clock::resume(Instant(5_000), 1_000_000);
    assert_eq!(
        clock.advance(1_000_250, Some(Instant(5_100))),
        Instant(5_250)
    );
    assert_eq!(clock.wall_ms(), 1_000_250);
}
