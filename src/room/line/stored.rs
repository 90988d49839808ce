//! The line as a snapshot stores it.

use super::Line;
use super::away::{AWAY_SLOTS, Group};
use super::chunk::{Chunk, put_bytes};
use super::sums::Sums;
use crate::facts::units::Number;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::VecDeque;

/// What a snapshot has of a line: what the sums follow from, and the holders and accounts behind the last full page.
#[derive(Deserialize)]
pub(super) struct Stored {
    pub(super) next: Number,
    pub(super) first_chunk: u64,
    pub(super) chunks: VecDeque<Option<Box<Chunk>>>,
    pub(super) away: [Group; AWAY_SLOTS],
    pub(super) tail: Vec<u8>,
}

/// [`Stored`], borrowed to be written.
#[derive(Serialize)]
struct Storing<'a> {
    next: Number,
    first_chunk: u64,
    chunks: &'a VecDeque<Option<Box<Chunk>>>,
    away: &'a [Group; AWAY_SLOTS],
    #[serde(serialize_with = "put_bytes")]
    tail: Vec<u8>,
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let storing = Storing {
            next: self.next,
            first_chunk: self.first_chunk,
            chunks: &self.chunks,
            away: &self.away,
            tail: self.tail(),
        };
        storing.serialize(serializer)
    }
}

impl From<Stored> for Line {
    fn from(stored: Stored) -> Self {
        let mut line = Self {
            next: stored.next,
            first_chunk: stored.first_chunk,
            chunks: stored.chunks,
            away: stored.away,
            alive: 0,
            present: 0,
            sums_from: 0,
            alive_sums: Sums::default(),
            present_sums: Sums::default(),
            present_from: Number(0),
            unread_tail: stored.tail,
        };
        line.rebuild_sums();
        line.alive = line.alive_sums.before(usize::MAX);
        line.present = line.present_sums.before(usize::MAX);
        line
    }
}

/// Two lines are equal if they store the same; the sums follow from that.
impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.next == other.next
            && self.first_chunk == other.first_chunk
            && self.chunks == other.chunks
            && self.away == other.away
    }
}

impl Eq for Line {}
