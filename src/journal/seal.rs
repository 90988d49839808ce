//! One row, one page and one snapshot as bytes: the format, the content, and a hash or checksum that shows that they are whole.

use super::private::{self, Hides};
use super::sum::sum;
use super::{Damage, Page, PageId, PlacesPages, Sealed, Snapshot};
use core::fmt;
use facts::holder::Salt;
use facts::units::Instant;
use postcard::ser_flavors::Flavor;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

/// The format written here. Every format that was released stays readable.
pub const FORMAT: u8 = 1;
/// The most content in one stored part of a snapshot, in bytes: well below the 2 MB that a row may have.
pub const PART_BYTES_MAX: usize = 1_000_000;
/// The bytes of a checksum.
const SUM_BYTES: usize = size_of::<u64>();

/// A SHA-256. Zeros stand for "before the first row", or for no private half.
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

/// Seals the facts of one row, which follows the row with the hash `previous`, in the edition that has this salt. O(bytes).
///
/// The stored bytes are the format, the public half and, if there is a private half, that half and its blinded hash.
///
/// # Errors
/// Returns [`Damage`] if the facts cannot be encoded, which is a bug.
pub fn seal<E: Hides>(previous: &Hash, salt: &Salt, version: u64, at: Instant, wall_ms: u64, events: &[E]) -> Result<Sealed, Damage> {
    let damaged = |_| Damage::Row(version);
    let (public, private) = private::split(events).map_err(damaged)?;
    let hidden = private::blinded(salt, version, &private);
    let mut bytes = postcard::to_extend(&public, vec![FORMAT]).map_err(damaged)?;
    let public = bytes.get(1..).unwrap_or_default();
    let hash = chained(previous, [version, at.0, wall_ms], public, &hidden);
    if !private.is_empty() {
        bytes.extend_from_slice(&private);
        bytes.extend_from_slice(&hidden.0);
    }
    Ok(Sealed {
        version,
        at,
        wall_ms,
        hash,
        bytes,
    })
}

/// The two halves of a row.
#[derive(Clone, Debug)]
pub struct Halves<'a, E> {
    /// The facts, without their private parts.
    pub events: Vec<E>,
    /// The same facts as stored.
    pub public: &'a [u8],
    /// The blinded hash of the private half, which the row's hash covers; zeros if there is no private half.
    pub hidden: Hash,
    private: &'a [u8],
}

impl<'a, E: Hides> Halves<'a, E> {
    fn of(row: &'a Sealed) -> Result<Self, Damage> {
        let damaged = || Damage::Row(row.version);
        let (format, facts) = row.bytes.split_first().ok_or_else(damaged)?;
        if *format > FORMAT {
            return Err(Damage::Newer(*format));
        }
        if *format < FORMAT {
            return Err(damaged());
        }
        let (events, rest) = postcard::take_from_bytes(facts).map_err(|_| damaged())?;
        let (private, hidden) = match rest.split_last_chunk::<32>() {
            _ if rest.is_empty() => (rest, Hash::default()),
            Some((private, hidden)) if !private.is_empty() => (private, Hash(*hidden)),
            _ => return Err(damaged()),
        };
        let public = facts.get(..facts.len() - rest.len()).unwrap_or_default();
        Ok(Self {
            events,
            public,
            hidden,
            private,
        })
    }
}

/// Returns the two halves of a row, after checking that the row is whole and follows the row with the hash `previous`. Does not check
/// the private half: only [`open`] can, with the salt. O(bytes).
///
/// # Errors
/// Returns [`Damage`] that names the row.
pub fn halves<'a, E: Hides>(previous: &Hash, row: &'a Sealed) -> Result<Halves<'a, E>, Damage> {
    let halves = Halves::of(row)?;
    let place = [row.version, row.at.0, row.wall_ms];
    let whole = chained(previous, place, halves.public, &halves.hidden) == row.hash;
    // A blinded hash of zeros means that there is no private half.
    if whole && (halves.private.is_empty() || halves.hidden != Hash::default()) {
        Ok(halves)
    } else {
        Err(Damage::Row(row.version))
    }
}

/// Returns the facts of a row that follows the row with the hash `previous`, with their private parts. `salt` is the salt of the row's edition. If
/// it was deleted (`None`), only the public half is checked. O(bytes).
///
/// # Errors
/// Returns [`Damage`] that names the row.
pub fn open<E: Hides>(previous: &Hash, row: &Sealed, salt: Option<&Salt>) -> Result<Vec<E>, Damage> {
    let damaged = || Damage::Row(row.version);
    let halves = halves(previous, row)?;
    let written = |salt| private::blinded(salt, row.version, halves.private) == halves.hidden;
    if !salt.is_none_or(written) {
        return Err(damaged());
    }
    let mut events: Vec<E> = halves.events;
    private::join(&mut events, halves.private).map_err(|_| damaged())?;
    Ok(events)
}

/// Makes a snapshot of a state that has no pages of places, after the row with this hash. O(bytes).
///
/// # Errors
/// Returns [`Damage`] if the state cannot be encoded, which is a bug.
pub fn snapshot<T: Serialize>(version: u64, at: Instant, wall_ms: u64, hash: &Hash, state: &T) -> Result<Snapshot, Damage> {
    Ok(summed(Snapshot {
        version,
        at,
        wall_ms,
        hash: *hash,
        parts: encoded(&PlacesPages::new(), state)?,
    }))
}

/// Encodes a state, without its pages, and the names of its pages of places: the parts of a snapshot, without their sums. O(bytes).
pub(super) fn encoded<T: Serialize>(places: &PlacesPages, state: &T) -> Result<Vec<Vec<u8>>, Damage> {
    let parts = postcard::serialize_with_flavor(&(places, state), Parts::default());
    parts.map_err(|_| Damage::Part(0))
}

/// Adds their sums to the parts of a snapshot. O(bytes).
pub(super) fn summed(mut snapshot: Snapshot) -> Snapshot {
    let mut parts = core::mem::take(&mut snapshot.parts);
    let count = parts.len();
    for (index, part) in parts.iter_mut().enumerate() {
        let content = part.get(1..).unwrap_or_default();
        let sum = checksum(content, &snapshot, index, count);
        part.extend_from_slice(&sum.to_le_bytes());
    }
    Snapshot { parts, ..snapshot }
}

/// Writes a snapshot's bytes where they will stay: in parts, each after its format byte and with room for its
/// checksum. This saves one more copy of a megabyte.
#[derive(Default)]
struct Parts {
    full: Vec<Vec<u8>>,
    filling: Vec<u8>,
}

impl Parts {
    /// The most bytes in a part before its checksum: the format byte and the content.
    const LEN_MAX: usize = 1 + PART_BYTES_MAX;

    /// Returns how many more bytes fit into the part that is being filled: at least one, since a full part is followed by a new one.
    #[inline]
    fn left(&mut self) -> usize {
        if matches!(self.filling.len(), 0 | Self::LEN_MAX) {
            self.begin();
        }
        Self::LEN_MAX - self.filling.len()
    }

    #[cold]
    fn begin(&mut self) {
        if !self.filling.is_empty() {
            self.full.push(core::mem::take(&mut self.filling));
        }
        self.filling.reserve_exact(Self::LEN_MAX + SUM_BYTES);
        self.filling.push(FORMAT);
    }
}

impl Flavor for Parts {
    type Output = Vec<Vec<u8>>;

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.left();
        self.filling.push(byte);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, mut bytes: &[u8]) -> postcard::Result<()> {
        while !bytes.is_empty() {
            let (here, later) = bytes.split_at(bytes.len().min(self.left()));
            self.filling.extend_from_slice(here);
            bytes = later;
        }
        Ok(())
    }

    fn finalize(mut self) -> postcard::Result<Self::Output> {
        let len = self.filling.len();
        if len < PART_BYTES_MAX / 2 {
            self.filling.shrink_to(len + SUM_BYTES);
        }
        if len > 0 {
            self.full.push(self.filling);
        }
        Ok(self.full)
    }
}

/// Opens a snapshot. O(bytes).
///
/// # Errors
/// Returns [`Damage`] that names the part.
pub(super) fn open_snapshot<T: DeserializeOwned>(snapshot: &Snapshot) -> Result<T, Damage> {
    let mut bytes = Vec::new();
    for (index, part) in snapshot.parts.iter().enumerate() {
        bytes.extend_from_slice(content(part, snapshot, index)?);
    }
    postcard::from_bytes(&bytes).map_err(|_| Damage::Part(0))
}

fn content<'a>(part: &'a [u8], snapshot: &Snapshot, index: usize) -> Result<&'a [u8], Damage> {
    let count = snapshot.parts.len();
    unwrapped(part, Damage::Part(index), |content| checksum(content, snapshot, index, count))
}

/// Makes a page. O(bytes).
#[must_use]
pub fn page(id: PageId, content: &[u8]) -> Page {
    let bytes = wrapped(content, checksum_of_page(content, id));
    Page { id, bytes }
}

/// Opens a page. O(bytes).
///
/// # Errors
/// Returns [`Damage`] that names the page.
pub(super) fn open_page(page: &Page) -> Result<&[u8], Damage> {
    unwrapped(&page.bytes, Damage::Page(page.id), |content| checksum_of_page(content, page.id))
}

/// Returns the content of a page that [`open_page`] has opened before. O(1).
pub(super) fn content_of(page: &Page) -> &[u8] {
    let end = page.bytes.len().saturating_sub(SUM_BYTES);
    page.bytes.get(1..end).unwrap_or_default()
}

fn wrapped(content: &[u8], sum: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + content.len() + SUM_BYTES);
    bytes.push(FORMAT);
    bytes.extend_from_slice(content);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

fn unwrapped(bytes: &[u8], damaged: Damage, sum_of: impl FnOnce(&[u8]) -> u64) -> Result<&[u8], Damage> {
    let Some((format, rest)) = bytes.split_first() else {
        return Err(damaged);
    };
    if *format > FORMAT {
        return Err(Damage::Newer(*format));
    }
    match rest.split_last_chunk::<SUM_BYTES>() {
        Some((content, sum)) if *format == FORMAT && sum_of(content).to_le_bytes() == *sum => Ok(content),
        _ => Err(damaged),
    }
}

/// Returns the SHA-256 over the previous hash, the row's place and the hashes of its two halves.
fn chained(previous: &Hash, place: [u64; 3], public: &[u8], hidden: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(previous.0);
    for value in place {
        hasher.update(value.to_le_bytes());
    }
    hasher.update(Sha256::digest(public));
    hasher.update(hidden.0);
    Hash(hasher.finalize().into())
}

/// A checksum suffices: a snapshot is guarded against accidents only, since the rows hold what happened. It is many
/// times as fast over the megabytes of a long line.
fn checksum(content: &[u8], of: &Snapshot, index: usize, count: usize) -> u64 {
    let place = [of.version, of.at.0, of.wall_ms, index as u64, count as u64];
    let hash = of.hash.0.as_chunks().0.iter();
    let hash = hash.map(|word| u64::from_le_bytes(*word));
    sum(place.into_iter().chain(hash), content)
}

fn checksum_of_page(content: &[u8], PageId { kind, since, first }: PageId) -> u64 {
    sum([kind as u64, since, first], content)
}
