//! What is stored comes back, and what is damaged is named and refused, never guessed at.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use baton::clock::{Clock, SLACK_MS};
use baton::journal::{self, Damage, FORMAT, Fold, Hash, PART_BYTES_MAX, Sealed, Snapshot, Store};
use baton::lobby::{Book, Phase, event::LobbyEvent};
use baton::room::Room;
use baton::room::command::{Batch, Command};
use baton::room::config::RoomConfig;
use baton::room::event::{Event, Row};
use baton::units::{Edition, Fence, Instant, LobbyId, Number, Version, VisitorId};
use baton::wire::Reason;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Rows and a snapshot in memory.
#[derive(Clone, Default)]
struct Shelf {
    rows: RefCell<Vec<Sealed>>,
    snapshot: RefCell<Option<Snapshot>>,
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

    fn put_alarm(&self, _: u64) -> Result<(), String> {
        Err("full".into())
    }
}

fn wall_ms(at: Instant) -> u64 {
    at.0 + 7
}

fn command(rng: &mut fastrand::Rng, room: &Room) -> Command {
    let number = Number(rng.u64(0..room.line().next().0 + 2));
    let fence = Fence(rng.u64(0..room.permits().last_fence().0 + 2));
    match rng.u8(0..10) {
        0 | 1 => Command::Join {
            count: rng.u32(1..4),
        },
        2 => Command::WalkIn,
        3 | 4 => Command::Claim(number),
        5 => Command::Renew(fence),
        6 => Command::Release(fence),
        7 => Command::Leave(number),
        8 => Command::Away(vec![number]),
        _ => Command::Back(number),
    }
}

/// A random room whose every row is put away, and its state after each.
fn walk(seed: u64, steps: u64, shelf: &Shelf, snapshot_after: Option<u64>) -> Vec<Room> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut room = Room::new();
    let mut states = vec![room.clone()];
    let mut now = Instant(1_000_000);
    let mut sequence = 0;
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
            _ => {
                sequence += 1;
                let commands = (0..rng.usize(0..4))
                    .map(|_| command(&mut rng, &room))
                    .collect();
                let batch = Batch {
                    lobby: LobbyId(0),
                    epoch: 1,
                    sequence,
                    attempts: 0,
                    edition: Edition::FIRST,
                    acknowledged: Version(rng.u64(0..=room.version().0)),
                    roster: vec![],
                    commands,
                };
                room.receive(now, &batch, &mut row).expect("taken");
            }
        }
        if row.events.is_empty() {
            continue;
        }
        let sealed = journal::seal(
            &shelf.tip(),
            row.version.0,
            row.at,
            wall_ms(row.at),
            &row.events,
        )
        .unwrap();
        shelf.put_row(sealed).unwrap();
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
        let shelf = Shelf::default();
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
        let (with, without) = (Shelf::default(), Shelf::default());
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
    let shelf = Shelf::default();
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

fn visitor(byte: u8) -> VisitorId {
    VisitorId([byte; 16])
}

fn book_event(rng: &mut fastrand::Rng) -> LobbyEvent {
    let who = visitor(rng.u8(0..30));
    match rng.u8(0..5) {
        0 => LobbyEvent::Woke {
            epoch: rng.u64(0..9),
        },
        1 => LobbyEvent::Joined {
            visitors: vec![who],
            first: Number(rng.u64(0..500)),
            ahead: rng.u64(0..50),
            version: Version(rng.u64(0..99)),
        },
        2 => LobbyEvent::Noticed(Version(rng.u64(0..99))),
        3 => LobbyEvent::PassedOn(who),
        _ => LobbyEvent::Stands {
            visitor: who,
            number: Number(rng.u64(0..500)),
            phase: match rng.u8(0..3) {
                0 => Phase::Waiting {
                    away: rng.bool(),
                    missed: rng.bool(),
                },
                1 => Phase::Called {
                    fence: Fence(rng.u64(0..99)),
                    claim_by: Instant(rng.u64(0..9)),
                },
                _ => Phase::Over(Reason::Left),
            },
            ahead: None,
            version: Version(rng.u64(0..99)),
        },
    }
}

#[test]
fn a_restored_book_is_the_book() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shelf = Shelf::default();
        let mut book = Book::default();
        for version in 1..80 {
            let events: Vec<LobbyEvent> =
                (0..rng.usize(1..4)).map(|_| book_event(&mut rng)).collect();
            events.iter().for_each(|event| book.apply(event));
            let at = Instant(version * 10);
            shelf
                .put_row(journal::seal(&shelf.tip(), version, at, wall_ms(at), &events).unwrap())
                .unwrap();
            if version % 20 == seed % 20 {
                let snapshot =
                    journal::snapshot(version, at, wall_ms(at), &shelf.tip(), &book).unwrap();
                shelf.put_snapshot(snapshot, u64::MAX).unwrap();
            }
        }
        assert_eq!(
            journal::restore::<Book, _>(&shelf).unwrap().state,
            book,
            "seed {seed}"
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

fn three_rows() -> Shelf {
    let shelf = Shelf::default();
    let joined = |first| {
        vec![Event::Joined {
            lobby: LobbyId(3),
            first: Number(first),
            count: 1,
        }]
    };
    for version in 1..=3 {
        let at = Instant(100 + version);
        shelf
            .put_row(
                journal::seal(&shelf.tip(), version, at, wall_ms(at), &joined(version)).unwrap(),
            )
            .unwrap();
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
        rows[1] = journal::seal(&Hash([9; 32]), 2, rows[1].at, rows[1].wall_ms, &events).unwrap();
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

impl Fold for Large {
    type Event = u8;

    fn fold(&mut self, _: u64, _: Instant, events: &[u8]) {
        self.0.extend(events);
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
