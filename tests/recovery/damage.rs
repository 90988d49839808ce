//! Rows and snapshots of a room that lived through everything, damaged in every way: each time
//! the right piece is named and nothing comes back.

use crate::disk::Disk;
use crate::scripted::{self, SNAPSHOT_AFTER, START};
use baton::journal::{self, Damage, FORMAT, Restored, Sealed, Snapshot};
use baton::room::Room;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// All rows, no snapshot.
fn rows_alone() -> Disk {
    let disk = Disk::default();
    scripted::room(&disk);
    disk.snapshot.take();
    disk
}

fn restore(disk: &Disk) -> Result<Restored<Room>, Damage> {
    journal::restore::<Room, _>(&disk)
}

/// What is said after a change of the rows.
fn after(disk: &Disk, change: impl FnOnce(&mut Vec<Sealed>)) -> Result<u64, Damage> {
    let disk = disk.clone();
    change(&mut disk.rows.borrow_mut());
    restore(&disk).map(|restored| restored.version)
}

/// What a flipped bit must lead to.
fn flipped(at: usize, bit: u8, otherwise: Damage) -> Damage {
    let format = FORMAT ^ (1 << bit);
    if at == 0 && format > FORMAT { Damage::Newer(format) } else { otherwise }
}

#[test]
fn c50_every_bit_of_every_row_counts() {
    let disk = rows_alone();
    let rows = disk.rows.borrow().clone();
    let whole = restore(&disk).unwrap();
    assert_eq!(whole.version, rows.len() as u64);
    for (index, row) in rows.iter().enumerate() {
        let named = Damage::Row(row.version);
        for at in 0..row.bytes.len() {
            for bit in 0..8 {
                let said = after(&disk, |rows| rows[index].bytes[at] ^= 1 << bit);
                assert_eq!(said, Err(flipped(at, bit, named.clone())), "row {index} byte {at} bit {bit}");
            }
            let cut = after(&disk, |rows| rows[index].bytes.truncate(at));
            assert_eq!(cut, Err(named.clone()), "row {index} cut to {at}");
        }
        for bit in 0..64 {
            let late = after(&disk, |rows| rows[index].at.0 ^= 1 << bit);
            assert_eq!(late, Err(named.clone()), "row {index}, time, bit {bit}");
            let wall = after(&disk, |rows| rows[index].wall_ms ^= 1 << bit);
            assert_eq!(wall, Err(named.clone()), "row {index}, wall clock, bit {bit}");
        }
        for at in 0..32 {
            let hash = after(&disk, |rows| rows[index].hash.0[at] ^= 1);
            assert_eq!(hash, Err(named.clone()), "row {index}, hash, byte {at}");
        }
        assert_eq!(after(&disk, |rows| rows[index].bytes.push(0)), Err(named));
    }
}

/// A row taken out, doubled, put elsewhere or brought from elsewhere.
#[test]
fn every_row_knows_its_place() {
    let disk = rows_alone();
    let other = {
        // The same room, one second later: whole in itself, and of the same length.
        let disk = Disk::default();
        let mut s = scripted::Scribe::new(&disk, u64::MAX, 0);
        s.now = START.plus_ms(1_000);
        s.configure(baton::facts::config::RoomConfig::default());
        (0..100).for_each(|_| {
            s.batch(3, vec![]);
        });
        disk
    };
    let count = disk.rows.borrow().len();
    for index in 0..count {
        let version = index as u64 + 1;
        let missing = Err(Damage::Missing(version));
        let is_last = index + 1 == count;
        let gone = after(&disk, |rows| drop(rows.remove(index)));
        // Nothing after it says that the last row ever was. Whoever wrote it was told so before
        // anybody heard of it, so the disk alone would have had to lose it.
        let lost = if is_last { Ok(version - 1) } else { missing.clone() };
        assert_eq!(gone, lost);
        if !is_last {
            assert_eq!(after(&disk, |rows| rows.swap(index, index + 1)), missing);
            let doubled = after(&disk, |rows| rows.insert(index, rows[index].clone()));
            assert_eq!(doubled, Err(Damage::Missing(version + 1)));
        }
        let here = Err(Damage::Row(version));
        // The facts of another row, and another row whole, under this one's number.
        let elsewhere = (index + 1) % count;
        let facts = after(&disk, |rows| rows[index].bytes = rows[elsewhere].bytes.clone());
        assert_eq!(facts, here);
        let renumbered = after(&disk, |rows| {
            rows[index] = rows[elsewhere].clone();
            rows[index].version = version;
        });
        assert_eq!(renumbered, here);
        // The row of this number of another room. The chain is what tells: either this row does
        // not follow, or, put first, the next does not.
        let foreign = after(&disk, |rows| rows[index] = other.rows.borrow()[index].clone());
        let named = if index == 0 { version + 1 } else { version };
        assert_eq!(foreign, Err(Damage::Row(named)), "row {version} of another room");
    }
}

#[test]
fn every_bit_of_a_snapshot_counts() {
    let disk = Disk::default();
    let room = scripted::room(&disk);
    let good = disk.snapshot.borrow().clone().expect("a snapshot");
    let whole = restore(&disk).unwrap();
    assert!(whole.state == room && whole.replayed < SNAPSHOT_AFTER);
    let after = |change: &dyn Fn(&mut Snapshot)| {
        let disk = disk.clone();
        change(disk.snapshot.borrow_mut().as_mut().expect("a snapshot"));
        restore(&disk).map(|restored| restored.version)
    };
    for at in 0..good.parts[0].len() {
        for bit in 0..8 {
            let said = after(&|s| s.parts[0][at] ^= 1 << bit);
            let named = flipped(at, bit, Damage::Part(0));
            assert_eq!(said, Err(named), "byte {at} bit {bit}");
        }
        assert_eq!(after(&|s| s.parts[0].truncate(at)), Err(Damage::Part(0)), "cut to {at}");
    }
    for bit in 0..64 {
        assert_eq!(after(&|s| s.version ^= 1 << bit), Err(Damage::Part(0)));
        assert_eq!(after(&|s| s.at.0 ^= 1 << bit), Err(Damage::Part(0)));
        assert_eq!(after(&|s| s.wall_ms ^= 1 << bit), Err(Damage::Part(0)));
    }
    for at in 0..32 {
        assert_eq!(after(&|s| s.hash.0[at] ^= 0x80), Err(Damage::Part(0)));
    }
    // A snapshot of an earlier row, whole in itself: the rows after it are folded again.
    let rows = disk.rows.borrow().clone();
    let early = Disk::default();
    early.rows.replace(rows[..4].to_vec());
    let state = restore(&early).unwrap();
    let (at, wall_ms) = state.clock.expect("rows");
    let older = journal::snapshot(4, at, wall_ms, &state.hash, &state.state).unwrap();
    disk.snapshot.replace(Some(older.clone()));
    assert!(restore(&disk).unwrap().state == room);
    // That of another room, whole in itself: the row after it does not follow.
    let hash = journal::Hash([8; 32]);
    let foreign = journal::snapshot(4, at, wall_ms, &hash, &state.state).unwrap();
    disk.snapshot.replace(Some(foreign));
    assert_eq!(restore(&disk).map(|r| r.version), Err(Damage::Row(5)));
    // And one whose rows are gone.
    disk.snapshot.replace(Some(older));
    disk.rows.borrow_mut().retain(|row| row.version != 5);
    assert_eq!(restore(&disk).map(|r| r.version), Err(Damage::Missing(5)));
}
