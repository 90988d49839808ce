//! What is damaged, missing or in the wrong place is refused and named.

use super::shelf::{SALT, Shelf, three_rows};
use baton::facts::event::Event;
use baton::facts::units::{Instant, Number};
use baton::journal::{self, Damage, FORMAT, Fold, Hash, Hides, PART_BYTES_MAX, Sealed, Snapshot};
use baton::room::Room;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

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
        assert_eq!(damage_after(|rows| rows[1].bytes.truncate(kept)), Damage::Row(2), "{kept} bytes");
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
    assert_eq!(damage_after(|rows| drop(rows.remove(0))), Damage::Missing(1));
    assert_eq!(damage_after(|rows| drop(rows.remove(1))), Damage::Missing(2));
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
        let expected = if at == 0 { Damage::Newer(FORMAT ^ 0x20) } else { Damage::Part(0) };
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
    assert!(snapshot.parts.iter().all(|part| part.len() <= PART_BYTES_MAX + 9));
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

/// A byte says that there are no pages, and three of the state say how many bytes there are.
#[test]
fn a_part_is_filled_before_another_is_begun() {
    for (bytes, parts) in [(PART_BYTES_MAX - 4, 1), (PART_BYTES_MAX - 3, 2)] {
        let large = Large(vec![7; bytes]);
        let snapshot = journal::snapshot(9, Instant(1), 2, &Hash::default(), &large).unwrap();
        assert_eq!(snapshot.parts.len(), parts, "{bytes}");
        assert_eq!(snapshot.parts[0].len(), PART_BYTES_MAX + 9);
    }
}

#[test]
fn a_hash_is_shown_by_its_digits() {
    let digits = "07".repeat(32);
    assert_eq!(Hash([7; 32]).to_string(), digits);
    assert_eq!(format!("{:?}", Hash([7; 32])), digits);
}
