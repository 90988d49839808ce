//! One row and one snapshot as bytes: format, content, and what shows that they are whole.

use super::{Damage, Sealed, Snapshot};
use crate::units::Instant;
use core::fmt;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

/// The form written here. Forms that were ever released stay readable.
pub const FORMAT: u8 = 1;
/// A stored piece of a snapshot is at most this long: well below the 2 MB a row may have.
pub const PART_BYTES_MAX: usize = 1_000_000;

/// A SHA-256. Zeros stand for "before the first row".
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Hash(pub [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Seals one row's facts, to follow the row with the hash `previous`. O(bytes).
///
/// # Errors
/// When the facts cannot be encoded, which is a bug.
pub fn seal<E: Serialize>(
    previous: &Hash,
    version: u64,
    at: Instant,
    wall_ms: u64,
    events: &[E],
) -> Result<Sealed, Damage> {
    let damaged = |_| Damage::Row(version);
    let bytes = postcard::to_extend(events, vec![FORMAT]).map_err(damaged)?;
    let facts = bytes.get(1..).unwrap_or_default();
    let hash = chained(previous, [version, at.0, wall_ms], facts);
    Ok(Sealed {
        version,
        at,
        wall_ms,
        hash,
        bytes,
    })
}

/// A row's facts as they are stored, when the row is whole and follows the one with the hash
/// `previous`. O(bytes).
///
/// # Errors
/// [`Damage`] that names the row.
pub fn facts<'a>(previous: &Hash, row: &'a Sealed) -> Result<&'a [u8], Damage> {
    let damaged = Damage::Row(row.version);
    let (format, facts) = row.bytes.split_first().ok_or_else(|| damaged.clone())?;
    if *format > FORMAT {
        return Err(Damage::Newer(*format));
    }
    let hash = chained(previous, [row.version, row.at.0, row.wall_ms], facts);
    if *format == FORMAT && hash == row.hash {
        Ok(facts)
    } else {
        Err(damaged)
    }
}

/// Opens a row that follows the one with the hash `previous`. O(bytes).
///
/// # Errors
/// [`Damage`] that names the row.
pub fn open<E: DeserializeOwned>(previous: &Hash, row: &Sealed) -> Result<Vec<E>, Damage> {
    let facts = facts(previous, row)?;
    postcard::from_bytes(facts).map_err(|_| Damage::Row(row.version))
}

/// Makes a snapshot of a state after the row with this hash. O(bytes).
///
/// # Errors
/// When the state cannot be encoded, which is a bug.
pub fn snapshot<T: Serialize>(
    version: u64,
    at: Instant,
    wall_ms: u64,
    hash: &Hash,
    state: &T,
) -> Result<Snapshot, Damage> {
    let bytes = postcard::to_allocvec(state).map_err(|_| Damage::Part(0))?;
    let mut snapshot = Snapshot {
        version,
        at,
        wall_ms,
        hash: *hash,
        parts: vec![],
    };
    let count = bytes.len().div_ceil(PART_BYTES_MAX);
    let parts = bytes.chunks(PART_BYTES_MAX).enumerate();
    snapshot.parts = parts
        .map(|(index, content)| {
            let mut part = Vec::with_capacity(content.len() + 5);
            part.push(FORMAT);
            part.extend_from_slice(content);
            part.extend_from_slice(&checksum(content, &snapshot, index, count).to_le_bytes());
            part
        })
        .collect();
    Ok(snapshot)
}

/// Opens a snapshot. O(bytes).
///
/// # Errors
/// [`Damage`] that names the part.
pub(super) fn open_snapshot<T: DeserializeOwned>(snapshot: &Snapshot) -> Result<T, Damage> {
    let mut bytes = Vec::new();
    for (index, part) in snapshot.parts.iter().enumerate() {
        bytes.extend_from_slice(content(part, snapshot, index)?);
    }
    postcard::from_bytes(&bytes).map_err(|_| Damage::Part(0))
}

fn content<'a>(part: &'a [u8], snapshot: &Snapshot, index: usize) -> Result<&'a [u8], Damage> {
    let damaged = Damage::Part(index);
    let (format, rest) = part.split_first().ok_or_else(|| damaged.clone())?;
    if *format > FORMAT {
        return Err(Damage::Newer(*format));
    }
    let (content, sum) = rest
        .split_last_chunk::<4>()
        .ok_or_else(|| damaged.clone())?;
    let whole = checksum(content, snapshot, index, snapshot.parts.len());
    if *format == FORMAT && whole.to_le_bytes() == *sum {
        Ok(content)
    } else {
        Err(damaged)
    }
}

/// SHA-256 over the hash before, the row's place and its facts.
fn chained(previous: &Hash, place: [u64; 3], facts: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(previous.0);
    for value in place {
        hasher.update(value.to_le_bytes());
    }
    hasher.update(facts);
    Hash(hasher.finalize().into())
}

/// A snapshot guards against accidents only; what happened is in the rows. So a CRC does, which
/// is ten times as fast over the megabytes of a long line.
fn checksum(content: &[u8], of: &Snapshot, index: usize, count: usize) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for value in [of.version, of.at.0, of.wall_ms, index as u64, count as u64] {
        hasher.update(&value.to_le_bytes());
    }
    hasher.update(&of.hash.0);
    hasher.update(content);
    hasher.finalize()
}
