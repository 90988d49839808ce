//! The line as a snapshot stores it.

use super::Line;
use super::away::Groups;
use super::chunk::{Chunk, put_bytes};
use super::chunks::Chunks;
use facts::units::Number;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::collections::VecDeque;

/// What a snapshot has of a line: what the sums follow from, without the pages of places; and the holders and accounts behind the last full page of
/// holders.
#[derive(Default, Deserialize)]
pub(super) struct Stored {
    pub(super) next: Number,
    pub(super) alive: u64,
    pub(super) present: u64,
    pub(super) first_chunk: u64,
    /// How many chunks are on pages.
    #[serde(deserialize_with = "take_count")]
    pub(super) on_pages: usize,
    /// The chunks behind them.
    pub(super) chunks: Vec<Option<Chunk>>,
    pub(super) away: Groups,
    pub(super) tail: Vec<u8>,
}

/// The most chunks that a line can have: of so many numbers, 268 million, nobody's memory holds a line. Bytes that say more are not a line's.
const CHUNKS_MAX: usize = 65_536;

fn take_count<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(from)?;
    let is_one = count <= CHUNKS_MAX;
    is_one.then_some(count).ok_or_else(|| D::Error::custom("more chunks than a line has"))
}

/// [`Stored`], borrowed to be written.
#[derive(Serialize)]
struct Storing<'a> {
    next: Number,
    alive: u64,
    present: u64,
    first_chunk: u64,
    on_pages: usize,
    chunks: Vec<&'a Option<Chunk>>,
    away: &'a Groups,
    #[serde(serialize_with = "put_bytes")]
    tail: Vec<u8>,
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let on_pages = self.on_pages();
        let storing = Storing {
            next: self.next,
            alive: self.alive,
            present: self.present,
            first_chunk: self.chunks.first(),
            on_pages,
            chunks: self.chunks.kept().range(on_pages..).collect(),
            away: &self.away,
            tail: self.stored_between(self.tail_from(), self.next),
        };
        storing.serialize(serializer)
    }
}

impl TryFrom<Stored> for Line {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let on_pages = stored.on_pages;
        let line = Self::of(stored);
        let is_one = line.on_pages() == on_pages;
        is_one.then_some(line).ok_or("chunks that are not the line's")
    }
}

impl Line {
    pub(super) fn of(stored: Stored) -> Self {
        let mut chunks = VecDeque::new();
        chunks.resize_with(stored.on_pages, || None);
        chunks.extend(stored.chunks);
        Self {
            next: stored.next,
            chunks: Chunks::of(stored.first_chunk, chunks),
            away: stored.away,
            alive: stored.alive,
            present: stored.present,
            present_from: Number(0),
            unread_tail: stored.tail,
        }
    }

    /// Returns how many of the chunks are on pages of places.
    fn on_pages(&self) -> usize {
        let on_pages = self.behind_pages().saturating_sub(self.chunks.first());
        let on_pages = usize::try_from(on_pages).unwrap_or(usize::MAX);
        self.chunks.kept().len().min(on_pages)
    }
}

/// Two lines are equal if they store the same; the sums follow from that.
impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.next == other.next && self.chunks == other.chunks && self.away == other.away
    }
}

impl Eq for Line {}
