//! What an object stores and how it comes back: a journal of rows and, now and then, a snapshot.
//!
//! The state is the fold of the rows. A snapshot only bounds how many rows must be folded after a
//! restart; it never replaces their meaning. Every stored piece says its format and carries a
//! checksum over itself *and* its place, so that a damaged, swapped or missing piece is named and
//! refused, never guessed at.
//!
//! The storage itself is behind [`Store`]: SQLite in the objects, something that fails on purpose
//! in tests.

use crate::units::Instant;
use core::fmt;
use serde::{Serialize, de::DeserializeOwned};

/// The form written here. Forms that were ever released stay readable.
pub const FORMAT: u8 = 1;
/// A snapshot is written after so many rows, so a restart folds at most this many.
pub const ROWS_PER_SNAPSHOT: u64 = 1_000;
/// A stored piece of a snapshot is at most this long: well below the 2 MB a row may have.
pub const PART_BYTES_MAX: usize = 1_000_000;

/// A state that is the fold of events.
pub trait Fold: Default + Serialize + DeserializeOwned {
    /// The facts.
    type Event: Serialize + DeserializeOwned;
    /// Folds one row's facts in.
    fn fold(&mut self, version: u64, at: Instant, events: &[Self::Event]);
}

/// One stored row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Counts up by one from 1.
    pub version: u64,
    /// The object's time.
    pub at: Instant,
    /// The wall clock, Unix ms: what the object's time continues from after a restart.
    pub wall_ms: u64,
    /// Format, facts, checksum.
    pub bytes: Vec<u8>,
}

/// A stored snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The last row folded into it.
    pub version: u64,
    /// The object's time.
    pub at: Instant,
    /// The wall clock, Unix ms.
    pub wall_ms: u64,
    /// Each with format and checksum.
    pub parts: Vec<Vec<u8>>,
}

/// Where rows and snapshots are kept. Nothing here may yield: what one turn puts commits as one.
pub trait Store {
    /// What can go wrong.
    type Error: fmt::Display;

    /// Adds a row.
    ///
    /// # Errors
    /// When the store did not take it. The state in memory must then be dropped.
    fn put_row(&self, row: &Sealed) -> Result<(), Self::Error>;

    /// The rows after `version`, in order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn rows_after(&self, version: u64) -> Result<Vec<Sealed>, Self::Error>;

    /// Replaces the snapshot, and forgets rows up to it that are older than `keep_from_ms` (Unix).
    ///
    /// # Errors
    /// When the store did not take it.
    fn put_snapshot(&self, snapshot: &Snapshot, keep_from_ms: u64) -> Result<(), Self::Error>;

    /// The snapshot, if one was ever written.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn snapshot(&self) -> Result<Option<Snapshot>, Self::Error>;
}

/// Why a store does not yield a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The store itself failed.
    Store(String),
    /// This row does not say what was written.
    Row(u64),
    /// This row is missing.
    Missing(u64),
    /// This row or snapshot was written by a newer Baton.
    Newer(u8),
    /// This part of the snapshot does not say what was written.
    Part(usize),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the store failed: {error}"),
            Self::Row(version) => write!(f, "journal row {version} is damaged"),
            Self::Missing(version) => write!(f, "journal row {version} is missing"),
            Self::Newer(format) => {
                write!(
                    f,
                    "written in format {format}, this Baton reads up to {FORMAT}: upgrade it"
                )
            }
            Self::Part(index) => write!(f, "part {index} of the snapshot is damaged"),
        }
    }
}

/// What comes back from a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored<T> {
    /// The state.
    pub state: T,
    /// The last row in it.
    pub version: u64,
    /// The last row's time and wall clock, if there was one.
    pub clock: Option<(Instant, u64)>,
    /// How many rows were folded.
    pub replayed: u64,
}

/// Seals one row's facts. O(bytes).
///
/// # Errors
/// When the facts cannot be encoded, which is a bug.
pub fn seal<E: Serialize>(
    version: u64,
    at: Instant,
    wall_ms: u64,
    events: &[E],
) -> Result<Sealed, Damage> {
    let facts = postcard::to_allocvec(events).map_err(|_| Damage::Row(version))?;
    let bytes = close(&facts, &[version, at.0, wall_ms]);
    Ok(Sealed {
        version,
        at,
        wall_ms,
        bytes,
    })
}

/// Opens a row. O(bytes).
///
/// # Errors
/// [`Damage`] that names the row.
pub fn open<E: DeserializeOwned>(row: &Sealed) -> Result<Vec<E>, Damage> {
    let damaged = Damage::Row(row.version);
    let facts = read(&row.bytes, &[row.version, row.at.0, row.wall_ms], &damaged)?;
    postcard::from_bytes(facts).map_err(|_| damaged)
}

/// Makes a snapshot of a state. O(bytes).
///
/// # Errors
/// When the state cannot be encoded, which is a bug.
pub fn snapshot<T: Serialize>(
    version: u64,
    at: Instant,
    wall_ms: u64,
    state: &T,
) -> Result<Snapshot, Damage> {
    let bytes = postcard::to_allocvec(state).map_err(|_| Damage::Part(0))?;
    let count = bytes.len().div_ceil(PART_BYTES_MAX) as u64;
    let part = |(index, bytes): (u64, &[u8])| close(bytes, &[version, at.0, wall_ms, index, count]);
    let parts = (0..).zip(bytes.chunks(PART_BYTES_MAX)).map(part).collect();
    Ok(Snapshot {
        version,
        at,
        wall_ms,
        parts,
    })
}

fn open_snapshot<T: DeserializeOwned>(snapshot: &Snapshot) -> Result<T, Damage> {
    let count = snapshot.parts.len() as u64;
    let mut bytes = Vec::new();
    for (index, part) in snapshot.parts.iter().enumerate() {
        let place = [
            snapshot.version,
            snapshot.at.0,
            snapshot.wall_ms,
            index as u64,
            count,
        ];
        bytes.extend_from_slice(read(part, &place, &Damage::Part(index))?);
    }
    postcard::from_bytes(&bytes).map_err(|_| Damage::Part(0))
}

/// Brings a state back: snapshot, then every row after it. O(snapshot + rows).
///
/// # Errors
/// [`Damage`] that names what is wrong. Nothing is guessed.
pub fn restore<T: Fold, S: Store>(store: &S) -> Result<Restored<T>, Damage> {
    let failed = |error: S::Error| Damage::Store(error.to_string());
    let mut restored = match store.snapshot().map_err(failed)? {
        None => Restored {
            state: T::default(),
            version: 0,
            clock: None,
            replayed: 0,
        },
        Some(snapshot) => Restored {
            state: open_snapshot(&snapshot)?,
            version: snapshot.version,
            clock: Some((snapshot.at, snapshot.wall_ms)),
            replayed: 0,
        },
    };
    for row in store.rows_after(restored.version).map_err(failed)? {
        if row.version != restored.version + 1 {
            return Err(Damage::Missing(restored.version + 1));
        }
        restored
            .state
            .fold(row.version, row.at, &open::<T::Event>(&row)?);
        restored.version = row.version;
        restored.clock = Some((row.at, row.wall_ms));
        restored.replayed += 1;
    }
    Ok(restored)
}

/// Format byte, content, checksum over content and place.
fn close(content: &[u8], place: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(content.len() + 5);
    bytes.push(FORMAT);
    bytes.extend_from_slice(content);
    bytes.extend_from_slice(&checksum(content, place).to_le_bytes());
    bytes
}

fn read<'a>(bytes: &'a [u8], place: &[u64], damaged: &Damage) -> Result<&'a [u8], Damage> {
    let (format, rest) = bytes.split_first().ok_or_else(|| damaged.clone())?;
    if *format > FORMAT {
        return Err(Damage::Newer(*format));
    }
    let (content, sum) = rest
        .split_last_chunk::<4>()
        .ok_or_else(|| damaged.clone())?;
    if *format == FORMAT && checksum(content, place).to_le_bytes() == *sum {
        Ok(content)
    } else {
        Err(damaged.clone())
    }
}

fn checksum(content: &[u8], place: &[u64]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for value in place {
        hasher.update(&value.to_le_bytes());
    }
    hasher.update(content);
    hasher.finalize()
}

impl Fold for crate::room::Room {
    type Event = crate::room::event::Event;

    fn fold(&mut self, version: u64, at: Instant, events: &[Self::Event]) {
        for event in events {
            self.apply(crate::units::Version(version), at, event);
        }
    }
}

impl Fold for crate::lobby::Book {
    type Event = crate::lobby::event::LobbyEvent;

    fn fold(&mut self, _: u64, _: Instant, events: &[Self::Event]) {
        for event in events {
            self.apply(event);
        }
    }
}
