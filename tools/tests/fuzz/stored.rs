//! The targets for what is read from disk: rows and snapshots. The journal refuses bytes that it would not have written.

use super::Read;
use super::travel::of_postcard;
use super::worlds::{SALT, disk_of};
use baton::facts::event::Event;
use baton::facts::units::Instant;
use baton::journal::{self, Damage, Hash, Sealed, Snapshot};
use baton::room::Room;

/// Splits off the columns in front of a stored piece: hashes, then version, time and wall clock. Returns `None` if there are too few bytes.
fn columns<const HASHES: usize>(mut bytes: &[u8]) -> Option<([Hash; HASHES], [u64; 3], &[u8])> {
    let mut hashes = [Hash::default(); HASHES];
    for hash in &mut hashes {
        let (head, rest) = bytes.split_first_chunk::<32>()?;
        (*hash, bytes) = (Hash(*head), rest);
    }
    let mut numbers = [0; 3];
    for number in &mut numbers {
        let (head, rest) = bytes.split_first_chunk::<8>()?;
        (*number, bytes) = (u64::from_le_bytes(*head), rest);
    }
    Some((hashes, numbers, bytes))
}

/// Reads the hash of the row before, the row's own hash, version, time and wall clock, and then the row. Also takes the same bytes for the facts of a
/// row that is whole.
pub fn row(bytes: &[u8]) -> Read {
    let facts = of_postcard::<Vec<Event>>(bytes);
    if let Some(events) = &facts {
        let sealed = journal::seal(&Hash([1; 32]), &SALT, 9, Instant(8), 7, events).expect("sealed");
        let opened = journal::open::<Event>(&Hash([1; 32]), &sealed, Some(&SALT));
        assert_eq!(opened.as_ref(), Ok(events));
    }
    let Some(([previous, hash], [version, at, wall_ms], bytes)) = columns::<2>(bytes) else {
        return facts.is_some().into();
    };
    let row = Sealed {
        version,
        at: Instant(at),
        wall_ms,
        hash,
        bytes: bytes.to_vec(),
    };
    let opened = journal::open::<Event>(&previous, &row, Some(&SALT));
    match &opened {
        Ok(events) => {
            let again = journal::seal(&previous, &SALT, version, row.at, wall_ms, events);
            assert_eq!(again.as_ref(), Ok(&row), "a second spelling");
            for at in 0..row.bytes.len() {
                let mut hit = row.clone();
                hit.bytes[at] ^= 1;
                assert!(journal::open::<Event>(&previous, &hit, Some(&SALT)).is_err(), "byte {at}");
            }
        }
        Err(damage) => {
            let newer = row.bytes.first().map(|format| Damage::Newer(*format));
            assert!(*damage == Damage::Row(version) || Some(damage) == newer.as_ref());
        }
    }
    // The hash before the first row is zeros.
    let first = journal::open::<Event>(&Hash::default(), &row, Some(&SALT)).is_ok() && version == 1;
    let restored = journal::restore::<Room, _>(&disk_of(Some(row), None));
    assert_eq!(restored.is_ok(), first);
    opened.is_ok().into()
}

/// Reads the last row's hash, version, time and wall clock, and then the one part of a snapshot. Also reads the same bytes as a room's state.
pub fn snapshot(bytes: &[u8]) -> Read {
    let state = of_postcard::<Room>(bytes);
    let Some(([hash], [version, at, wall_ms], part)) = columns::<1>(bytes) else {
        return state.is_some().into();
    };
    let snapshot = Snapshot {
        version,
        at: Instant(at),
        wall_ms,
        hash,
        parts: vec![part.to_vec()],
    };
    let restored = journal::restore::<Room, _>(&disk_of(None, Some(snapshot.clone())));
    match &restored {
        Ok(restored) => {
            let again = journal::snapshot(version, Instant(at), wall_ms, &hash, &restored.state);
            assert_eq!(again.as_ref(), Ok(&snapshot), "a second spelling");
        }
        Err(damage) => {
            let newer = part.first().map(|format| Damage::Newer(*format));
            assert!(*damage == Damage::Part(0) || Some(damage) == newer.as_ref());
        }
    }
    restored.is_ok().into()
}
