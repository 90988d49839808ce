//! The chunks of a line, and sums over them.

use super::away::Away;
use super::chunk::Chunk;
use super::sums::Sums;
use super::{Place, number_at, split};
use facts::holder::Holder;
use facts::limits::{CHUNK, sizes};
use facts::units::{LobbyId, Number};
use std::collections::VecDeque;

/// The chunks that are kept, in order. The sums are those of their bits: whatever changes where a number stands changes both.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    /// The index of the first chunk that is kept.
    first: u64,
    /// `None` for a chunk that has no number yet.
    kept: VecDeque<Option<Chunk>>,
    /// The chunk with which the sums begin, so that dropping a chunk at the head does not rebuild them each time.
    sums_from: u64,
    alive: Sums,
    present: Sums,
}

impl Chunks {
    /// Takes chunks, of which the first has this index. O(chunks).
    pub(super) fn of(first: u64, kept: VecDeque<Option<Chunk>>) -> Self {
        let mut chunks = Self {
            first,
            kept,
            sums_from: first,
            alive: Sums::default(),
            present: Sums::default(),
        };
        chunks.sum_up();
        chunks
    }

    /// The index of the first chunk that is kept.
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// The chunks that are kept, from the first on.
    pub(super) const fn kept(&self) -> &VecDeque<Option<Chunk>> {
        &self.kept
    }

    fn slot_of(&self, index: u64) -> Option<usize> {
        usize::try_from(index.checked_sub(self.first)?).ok()
    }

    pub(super) fn get(&self, index: u64) -> Option<&Chunk> {
        self.kept.get(self.slot_of(index)?)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, index: u64) -> Option<&mut Chunk> {
        let slot = self.slot_of(index)?;
        self.kept.get_mut(slot)?.as_mut()
    }

    /// Puts a chunk in its place, if that is kept. The sums are to be made anew once all are there, by [`sum_up`](Self::sum_up).
    pub(super) fn put(&mut self, index: u64, chunk: Chunk) {
        if let Some(place) = self.slot_of(index).and_then(|slot| self.kept.get_mut(slot)) {
            *place = Some(chunk);
        }
    }

    /// The chunks that are kept and have numbers, with their indexes, in order.
    pub(super) fn each(&self) -> impl Iterator<Item = (u64, &Chunk)> {
        let chunks = (self.first..).zip(&self.kept);
        chunks.filter_map(|(index, chunk)| Some((index, chunk.as_ref()?)))
    }

    /// The indexes of the chunks that are kept and have numbers of a range.
    pub(super) fn within(&self, (from, to): (Number, Number)) -> core::ops::Range<u64> {
        let end = self.first + self.kept.len() as u64;
        split(from).0.max(self.first)..end.min(to.0.div_ceil(sizes().chunk))
    }

    /// The chunks that are kept and have numbers of a range, with their indexes.
    pub(super) fn of_range(&self, range: (Number, Number)) -> impl Iterator<Item = (u64, &Chunk)> {
        self.within(range).filter_map(|index| Some((index, self.get(index)?)))
    }

    /// Returns the chunk that is being filled, and makes it for its first number.
    pub(super) fn filling(&mut self, index: u64) -> Option<&mut Chunk> {
        if self.kept.is_empty() {
            self.first = index;
            self.sum_up();
        }
        while self.slot_of(index).is_some_and(|slot| slot >= self.kept.len()) {
            self.kept.push_back(None);
            self.alive.push(0);
            self.present.push(0);
        }
        let slot = self.slot_of(index)?;
        let entry = self.kept.get_mut(slot)?;
        Some(entry.get_or_insert_with(Chunk::new))
    }

    /// Adds new tickets of one lobby from a number on: one for each holder, all present and all in its chunk. O(holders + log n).
    pub(super) fn join(&mut self, first: Number, holders: &[Holder], lobby: LobbyId) {
        let (index, at) = split(first);
        if let Some(chunk) = self.filling(index) {
            chunk.join(at, holders, lobby);
        }
        let position = self.position(index);
        self.alive.add(position, holders.len() as u64);
        self.present.add(position, holders.len() as u64);
    }

    /// Moves a number to another place than it has. O(log n).
    pub(super) fn set(&mut self, number: Number, (from, to): (Place, Place)) {
        let (index, at) = split(number);
        let position = self.position(index);
        if from == Place::Present {
            self.present.take(position, 1);
        }
        if to == Place::Present {
            self.present.add(position, 1);
        }
        if to == Place::Gone {
            self.alive.take(position, 1);
        }
        if let Some(chunk) = self.get_mut(index) {
            chunk.set(at, to);
        }
    }

    /// Ends every ticket of an away group, and returns how many; see [`Chunk::expire`].
    pub(super) fn expire(&mut self, slot: Away, told: bool, each: &mut impl FnMut(Number, LobbyId)) -> u64 {
        let mut ended = 0;
        let base = self.position(self.first);
        for (i, entry) in self.kept.iter_mut().enumerate() {
            let Some(chunk) = entry else { continue };
            let index = self.first + i as u64;
            let here = chunk.expire(slot, told, |at, lobby| each(number_at(index, at), lobby));
            if here > 0 {
                self.alive.take(base + i, here);
                ended += here;
            }
        }
        ended
    }

    /// Makes a chunk forget the holders of numbers that are over. O(1), and O(4096) each time that a quarter of those kept are over.
    pub(super) fn squeeze(&mut self, index: u64) {
        let alive = self.alive_in(index);
        if let Some(chunk) = self.get_mut(index) {
            chunk.squeeze(alive);
        }
    }

    /// Frees chunks at the head in which nobody is alive, up to the one that is being filled. The sums keep the entries of freed chunks until those are
    /// the larger half: O(1) amortised.
    pub(super) fn drop_empty_head(&mut self, filling: u64) {
        while self.first < filling && !self.kept.is_empty() && self.alive_in(self.first) == 0 {
            self.kept.pop_front();
            self.first += 1;
        }
        let dead = self.first - self.sums_from.min(self.first);
        if dead > (self.kept.len() as u64).max(16) {
            self.sum_up();
        }
    }

    /// Forgets all holders and accounts: nobody is alive. O(chunks).
    pub(super) fn forget_holders(&mut self) {
        self.kept.iter_mut().flatten().for_each(Chunk::forget_holders);
    }

    /// Makes the sums anew. O(chunks).
    pub(super) fn sum_up(&mut self) {
        let counts = |count: fn(&Chunk) -> u64| Sums::from_counts(self.kept.iter().map(|chunk| chunk.as_ref().map_or(0, count)));
        let alive = counts(|chunk| chunk.alive_before(CHUNK));
        let present = counts(|chunk| chunk.present_before(CHUNK));
        (self.alive, self.present) = (alive, present);
        self.sums_from = self.first;
    }

    /// Returns the sums of all chunks: how many are alive, and how many present.
    pub(super) fn sums(&self) -> (u64, u64) {
        (self.alive.before(usize::MAX), self.present.before(usize::MAX))
    }

    /// Returns where a chunk stands in the sums. A chunk before the sums begin has position 0: nothing is before it.
    fn position(&self, index: u64) -> usize {
        usize::try_from(index.saturating_sub(self.sums_from)).unwrap_or(usize::MAX)
    }

    /// The number of living tickets in a chunk. O(1).
    pub(super) fn alive_in(&self, index: u64) -> u64 {
        self.alive.count(self.position(index))
    }

    /// Returns how many living tickets are in front of a number. O(log n).
    pub(super) fn alive_before(&self, number: Number) -> u64 {
        let (index, at) = split(number);
        let within = self.get(index).map_or(0, |chunk| chunk.alive_before(at));
        self.alive.before(self.position(index)) + within
    }

    /// Returns how many present tickets are in front of a number. O(log n).
    pub(super) fn present_before(&self, number: Number) -> u64 {
        let (index, at) = split(number);
        let within = self.get(index).map_or(0, |chunk| chunk.present_before(at));
        self.present.before(self.position(index)) + within
    }

    /// Returns the living number that has `rank` living ones in front. O(log n).
    pub(super) fn nth_alive(&self, rank: u64) -> Option<Number> {
        let (position, before) = self.alive.find(rank)?;
        let index = self.sums_from + position as u64;
        let at = self.get(index)?.nth_alive(rank - before)?;
        Some(number_at(index, at))
    }

    /// Returns the present number that has `rank` present ones in front. O(log n).
    pub(super) fn nth_present(&self, rank: u64) -> Option<Number> {
        let (position, before) = self.present.find(rank)?;
        let index = self.sums_from + position as u64;
        let at = self.get(index)?.nth_present(rank - before)?;
        Some(number_at(index, at))
    }
}

/// Compares what the sums follow from.
impl PartialEq for Chunks {
    fn eq(&self, other: &Self) -> bool {
        self.first == other.first && self.kept == other.kept
    }
}

impl Eq for Chunks {}
