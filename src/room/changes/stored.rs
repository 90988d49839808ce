//! Stores changes in a snapshot: each as its difference from the one before, all in one byte string. A snapshot has some 25,000 changes of a hundred
//! lobbies, too many for `postcard` to write them field by field.

use super::super::varint;
use super::Changed;
use facts::message::Ended;
use facts::units::{Number, Version};
use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
use std::collections::VecDeque;

/// The lowest bits of a change's first byte say how its tickets ended; 0 means that they live.
const ENDED_BITS: u8 = 0b0111;
/// This bit is set if the count is not 1; the count then follows.
const MANY: u8 = 0b1000;
/// This bit is set if the first number is lower than that of the change before.
const LOWER: u8 = 0b1_0000;

/// The most bytes of a change: its first byte, a row, a number and a count.
const CHANGED_BYTES_MAX: usize = 1 + 10 + 10 + 5;

/// Returns how an end is stored in the lowest bits. This must never change.
const fn code(ended: Ended) -> u8 {
    match ended {
        Ended::Left => 1,
        Ended::Missed => 2,
        Ended::Away => 3,
        Ended::Released => 4,
        Ended::Expired => 5,
        Ended::Moved => 6,
    }
}

fn decoded(bits: u8) -> Option<Option<Ended>> {
    let all = [Ended::Left, Ended::Missed, Ended::Away, Ended::Released, Ended::Expired, Ended::Moved];
    match bits {
        0 => Some(None),
        _ => Some(Some(all.into_iter().find(|ended| code(*ended) == bits)?)),
    }
}

pub fn put<S: Serializer>(changed: &VecDeque<Changed>, to: S) -> Result<S::Ok, S::Error> {
    let mut bytes = vec![0; CHANGED_BYTES_MAX * changed.len()];
    let mut left = bytes.iter_mut();
    let (mut row, mut first) = (0, 0);
    for of in changed {
        let ended = of.ended.map_or(0, code);
        let many = if of.count == 1 { 0 } else { MANY };
        let lower = if of.first.0 < first { LOWER } else { 0 };
        varint::write(&mut left, (ended | many | lower).into());
        varint::write(&mut left, of.row.0.wrapping_sub(row));
        varint::write(&mut left, of.first.0.abs_diff(first));
        if many != 0 {
            varint::write(&mut left, of.count.into());
        }
        (row, first) = (of.row.0, of.first.0);
    }
    let unused = left.len();
    bytes.truncate(bytes.len() - unused);
    to.serialize_bytes(&bytes)
}

pub fn take<'de, D: Deserializer<'de>>(from: D) -> Result<VecDeque<Changed>, D::Error> {
    let mut bytes = <&[u8]>::deserialize(from)?;
    let mut changed = VecDeque::new();
    let (mut row, mut first) = (0, 0);
    while !bytes.is_empty() {
        let next = taken(&mut bytes, row, first);
        let next = next.ok_or_else(|| D::Error::custom("a change that is none"))?;
        (row, first) = (next.row.0, next.first.0);
        changed.push_back(next);
    }
    Ok(changed)
}

fn taken(bytes: &mut &[u8], row: u64, first: u64) -> Option<Changed> {
    let (head, rest) = bytes.split_first()?;
    *bytes = rest;
    let ended = decoded(head & ENDED_BITS)?;
    let row = row.wrapping_add(varint::take(bytes)?);
    let by = varint::take(bytes)?;
    let first = match head & LOWER {
        0 => first.checked_add(by)?,
        _ => first.checked_sub(by)?,
    };
    let count = match head & MANY {
        0 => 1,
        _ => u32::try_from(varint::take(bytes)?).ok()?,
    };
    Some(Changed {
        row: Version(row),
        first: Number(first),
        count,
        ended,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Window;
    use super::*;

    fn bytes_of(changed: VecDeque<Changed>) -> Vec<u8> {
        postcard::to_allocvec(&Window { from: Version(9), changed }).unwrap()
    }

    fn read(bytes: &[u8]) -> Option<VecDeque<Changed>> {
        let window = postcard::from_bytes::<Window>(bytes).ok()?;
        Some(window.changed)
    }

    #[test]
    fn what_is_stored_comes_back() {
        let mut rng = fastrand::Rng::with_seed(11);
        let ends_of = [0, 1, 2, 3, 4, 5].map(|bits| decoded(bits).unwrap());
        let ends = [0, 1, 127, 128, 1 << 31, 1 << 48, u64::MAX];
        let mut changed = VecDeque::new();
        for row in 0..500 {
            let far = ends[rng.usize(0..ends.len())];
            changed.push_back(Changed {
                row: Version(if row > 400 { rng.u64(..) } else { row * 3 }),
                first: Number(if row % 7 == 0 { far } else { rng.u64(0..1_000_000) }),
                count: [1, 1, 0, 2, u32::MAX][rng.usize(0..5)],
                ended: ends_of[rng.usize(0..6)],
            });
        }
        let bytes = bytes_of(changed.clone());
        assert_eq!(read(&bytes), Some(changed));
        assert!(read(&bytes[..bytes.len() - 1]).is_none());
    }

    #[test]
    fn bytes_that_say_nothing_are_refused() {
        let said = |blob: &[u8]| read(&[&[9, blob.len() as u8], blob].concat());
        assert_eq!(said(&[]).map(|changed| changed.len()), Some(0));
        assert_eq!(said(&[0, 1, 1]).map(|changed| changed.len()), Some(1));
        let ended_by_nothing = [7, 1, 1];
        let below_zero = [LOWER, 1, 1];
        let too_many = [MANY, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F];
        let too_long = [&[0][..], &[0xFF; 10], &[1, 1]].concat();
        let cut = [0, 1];
        for blob in [&ended_by_nothing[..], &below_zero, &too_many, &too_long, &cut] {
            assert_eq!(said(blob), None, "{blob:?}");
        }
    }
}
