//! The line: who waits, and in which order.
//!
//! Numbers are consecutive, so a ticket needs no object: it is a few bits at `number - base` (`chunk`, `plane`), with sums over the chunks (`sums`)
//! that make every rank O(log n). The line knows no permits, no clock and no reasons. It must never decide anything.

mod accounts;
mod away;
mod chunk;
mod holders;
mod owners;
mod pages;
mod places;
mod plane;
mod present;
mod stored;
mod sums;

pub use away::Away;
use away::{AWAY_SLOTS, Group};
use chunk::Chunk;
use facts::holder::Holder;
use facts::limits::{CHUNK, sizes};
use facts::planted::{self, Bug};
use facts::units::{Ahead, LobbyId, Number};
pub use places::Places;
pub use plane::WORDS;
use serde::Deserialize;
use std::collections::VecDeque;
use stored::Stored;
use sums::Sums;

/// Where a number stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not in the line: never issued, gone in, or over.
    Gone,
    /// Waits and is there.
    Present,
    /// Waits and is not there. It keeps its place until its group runs out.
    Away(Away),
    /// Was given a permit and has not come for it yet. It counts as ahead of those behind it.
    Called,
}

/// The line of one lane, or of a hall.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Line {
    /// The next number to be issued.
    next: Number,
    /// The index of the first chunk that is kept.
    first_chunk: u64,
    /// `None` for a chunk that has no number yet.
    chunks: VecDeque<Option<Chunk>>,
    away: [Group; AWAY_SLOTS],
    alive: u64,
    present: u64,
    /// Sums by chunk. Their first entry is chunk `sums_from`, so that dropping a chunk at the head does not rebuild them each time.
    sums_from: u64,
    alive_sums: Sums,
    present_sums: Sums,
    /// Nobody before this number is present. People are called in order, so the first who is present stands right behind, as a rule.
    present_from: Number,
    /// The holders and accounts that a snapshot has, until [`Line::put_tail`] reads them: pages come before it.
    unread_tail: Vec<u8>,
}

impl Default for Line {
    fn default() -> Self {
        Self::starting_at(Number(1))
    }
}

/// Returns the chunk of a number, and the number's offset in it.
fn split(number: Number) -> (u64, usize) {
    let numbers = sizes().chunk;
    (number.0 / numbers, (number.0 % numbers) as usize)
}

/// Returns the number at an offset of a chunk: the inverse of [`split`].
fn number_at(index: u64, at: usize) -> Number {
    Number(index * sizes().chunk + at as u64)
}

impl Line {
    /// Makes an empty line whose next number is this.
    #[must_use]
    pub fn starting_at(next: Number) -> Self {
        Self::of(Stored {
            next,
            first_chunk: split(next).0,
            ..Stored::default()
        })
    }

    /// The number that the next ticket gets.
    #[must_use]
    pub const fn next(&self) -> Number {
        self.next
    }

    /// The number of tickets that are present, away or called.
    #[must_use]
    pub const fn alive(&self) -> u64 {
        self.alive
    }

    /// The number of tickets that wait and are there.
    #[must_use]
    pub const fn present(&self) -> u64 {
        self.present
    }

    /// Returns where a number stands. O(1).
    #[must_use]
    pub fn place(&self, number: Number) -> Place {
        self.chunk(number).map_or(Place::Gone, |(chunk, at)| chunk.place(at))
    }

    /// Returns true if a number has missed a call. O(1).
    #[must_use]
    pub fn missed(&self, number: Number) -> bool {
        self.chunk(number).is_some_and(|(chunk, at)| chunk.missed(at))
    }

    /// Returns the lobby that a living number came from. O(log runs of its chunk).
    #[must_use]
    pub fn lobby(&self, number: Number) -> LobbyId {
        self.chunk(number).map_or(LobbyId(0), |(chunk, at)| chunk.lobby(at))
    }

    /// Returns the holder of a number, or `None` if it is not in line. O(1).
    #[must_use]
    pub fn holder(&self, number: Number) -> Option<Holder> {
        let (chunk, at) = self.chunk(number)?;
        chunk.holder(at)
    }

    /// Gives a living number another holder. O(1).
    pub fn set_holder(&mut self, number: Number, holder: Holder) {
        let (index, at) = split(number);
        if let Some(chunk) = self.chunk_at_mut(index) {
            chunk.set_holder(at, holder);
        }
    }

    /// Calls `each` for the living tickets of a lobby from a number on, in order, with how many are in front, until `each` returns
    /// false. O(chunks + those).
    pub fn of_lobby(&self, lobby: LobbyId, from: Number, mut each: impl FnMut(Number, Ahead) -> bool) {
        let mut before = 0;
        let mut goes_on = true;
        for (index, chunk) in (self.first_chunk..).zip(&self.chunks) {
            let Some(chunk) = chunk else { continue };
            let alive = self.alive_sums.count(self.position(index));
            if goes_on && alive > 0 && index >= split(from).0 {
                chunk.of_lobby(lobby, |at, within| {
                    let number = number_at(index, at);
                    goes_on = goes_on && (number < from || each(number, Ahead(before + within)));
                });
            }
            before += alive;
        }
    }

    /// The bytes that holders and accounts take. O(chunks).
    #[must_use]
    pub fn holder_bytes(&self) -> usize {
        self.chunks.iter().flatten().map(Chunk::holder_bytes).sum()
    }

    /// Returns how many living tickets are in front of a number. O(log n).
    #[must_use]
    pub fn ahead(&self, number: Number) -> Ahead {
        let alive = self.alive_before(number.min(self.next));
        let left_out = if planted::is(Bug::AheadLeavesOutTheAway) { self.away() } else { 0 };
        Ahead(alive.saturating_sub(left_out))
    }

    fn alive_before(&self, number: Number) -> u64 {
        let (index, at) = split(number);
        let within = self.chunk_at(index).map_or(0, |chunk| chunk.alive_before(at));
        self.alive_sums.before(self.position(index)) + within
    }

    /// Returns the living number that has `rank` living ones in front. O(log n).
    #[must_use]
    pub fn nth(&self, rank: u64) -> Option<Number> {
        let (position, before) = self.alive_sums.find(rank)?;
        let index = self.sums_from + position as u64;
        let at = self.chunk_at(index)?.nth_alive(rank - before)?;
        Some(number_at(index, at))
    }

    /// Returns the first living number. O(log n).
    #[must_use]
    pub fn first_living(&self) -> Option<Number> {
        self.nth(0)
    }

    /// Issues numbers to one lobby, one for each holder, all present, and returns the first. O(holders + log n).
    pub fn join(&mut self, lobby: LobbyId, holders: &[Holder]) -> Number {
        let first = self.next;
        let count = holders.len() as u64;
        let mut left = holders;
        while !left.is_empty() {
            let (index, at) = split(self.next);
            let room = sizes().chunk as usize - at;
            let (here, later) = left.split_at(left.len().min(room));
            if let Some(chunk) = self.chunk_to_fill(index) {
                chunk.join(at, here, lobby);
            }
            let position = self.position(index);
            self.alive_sums.add(position, here.len() as u64);
            self.present_sums.add(position, here.len() as u64);
            self.next = self.next.plus(here.len() as u64);
            left = later;
        }
        self.alive += count;
        self.present += count;
        first
    }

    /// Issues one number that never waits, and returns it. O(log n) amortised.
    pub fn pass(&mut self, lobby: LobbyId) -> Number {
        let number = self.next;
        let (index, at) = split(number);
        if let Some(chunk) = self.chunk_to_fill(index) {
            chunk.pass(at, lobby);
        }
        self.next = number.plus(u64::from(!planted::is(Bug::NumberReused)));
        self.drop_empty_head();
        number
    }

    /// Issues nothing below this number from now on; numbers in between are nobody's. O(1).
    pub fn skip_to(&mut self, next: Number) {
        self.next = self.next.max(next);
    }

    /// Marks an away ticket as present. O(log n).
    pub fn set_present(&mut self, number: Number) {
        if matches!(self.place(number), Place::Away(_)) {
            self.move_to(number, Place::Present);
        }
    }

    /// Marks a present ticket as called. O(log n).
    pub fn set_called(&mut self, number: Number) {
        if self.place(number) == Place::Present && !planted::is(Bug::TwoPermitsToOne) {
            let is_first = self.first_present() == Some(number);
            self.move_to(number, Place::Called);
            if is_first {
                self.present_from = number.plus(1);
            }
        }
    }

    /// Takes a living ticket out of the line: it has gone in or is over. O(log n) amortised.
    pub fn remove(&mut self, number: Number) {
        self.move_to(number, Place::Gone);
        self.squeeze(split(number).0);
        self.drop_empty_head();
    }

    /// Forgets who held the numbers, if nobody is in line. O(1), because only the chunk that is being filled is left then.
    pub fn forget_holders(&mut self) {
        if self.alive == 0 {
            let chunks = self.chunks.iter_mut().flatten();
            chunks.for_each(Chunk::forget_holders);
        }
    }

    /// Makes a full chunk forget the holders of numbers that are over. O(1), and O(4096) each time that a quarter of those kept are over.
    fn squeeze(&mut self, index: u64) {
        let alive = self.alive_sums.count(self.position(index));
        if index < split(self.next).0
            && let Some(chunk) = self.chunk_at_mut(index)
        {
            chunk.squeeze(alive);
        }
    }

    /// Records that a ticket missed its call. O(1).
    pub fn set_missed(&mut self, number: Number) {
        let (index, at) = split(number);
        if let Some(chunk) = self.chunk_at_mut(index) {
            chunk.set_missed(at);
        }
    }

    /// Moves one ticket to another place, and counts and sums with it. Only [`Self::expire_away`] ends tickets without it, a group at a time.
    fn move_to(&mut self, number: Number, to: Place) {
        let from = self.place(number);
        if from == to {
            return;
        }
        let (index, at) = split(number);
        let position = self.position(index);
        if from == Place::Present {
            self.present -= 1;
            self.present_sums.take(position, 1);
        }
        if to == Place::Present {
            self.present += 1;
            self.present_sums.add(position, 1);
            self.present_from = self.present_from.min(number);
        }
        if to == Place::Gone {
            self.alive -= 1;
            self.alive_sums.take(position, 1);
        }
        self.count_away(from, |count| count.saturating_sub(1));
        self.count_away(to, |count| count + 1);
        if let Some(chunk) = self.chunk_at_mut(index) {
            chunk.set(at, to);
        }
    }

    fn chunk(&self, number: Number) -> Option<(&Chunk, usize)> {
        if number >= self.next {
            return None;
        }
        let (index, at) = split(number);
        Some((self.chunk_at(index)?, at))
    }

    fn slot_of(&self, index: u64) -> Option<usize> {
        usize::try_from(index.checked_sub(self.first_chunk)?).ok()
    }

    fn chunk_at(&self, index: u64) -> Option<&Chunk> {
        self.chunks.get(self.slot_of(index)?)?.as_ref()
    }

    fn chunk_at_mut(&mut self, index: u64) -> Option<&mut Chunk> {
        let slot = self.slot_of(index)?;
        self.chunks.get_mut(slot)?.as_mut()
    }

    /// Returns where a chunk stands in the sums. A chunk before the sums begin has position 0: nothing is before it.
    fn position(&self, index: u64) -> usize {
        usize::try_from(index.saturating_sub(self.sums_from)).unwrap_or(usize::MAX)
    }

    /// Returns the chunk that is being filled, and makes it for its first number.
    fn chunk_to_fill(&mut self, index: u64) -> Option<&mut Chunk> {
        if self.chunks.is_empty() {
            self.first_chunk = index;
            self.rebuild_sums();
        }
        while self.slot_of(index).is_some_and(|slot| slot >= self.chunks.len()) {
            self.chunks.push_back(None);
            self.alive_sums.push(0);
            self.present_sums.push(0);
        }
        let slot = self.slot_of(index)?;
        let entry = self.chunks.get_mut(slot)?;
        Some(entry.get_or_insert_with(Chunk::new))
    }

    /// Frees full chunks at the head in which nobody is alive. The sums keep the entries of freed chunks until those are the
    /// larger half: O(1) amortised.
    fn drop_empty_head(&mut self) {
        let filling = split(self.next).0;
        while self.first_chunk < filling && !self.chunks.is_empty() && self.alive_sums.count(self.position(self.first_chunk)) == 0 {
            self.chunks.pop_front();
            self.first_chunk += 1;
        }
        let dead = self.first_chunk - self.sums_from.min(self.first_chunk);
        if dead > (self.chunks.len() as u64).max(16) {
            self.rebuild_sums();
        }
    }

    fn rebuild_sums(&mut self) {
        let counts = |count: fn(&Chunk) -> u64| Sums::from_counts(self.chunks.iter().map(|chunk| chunk.as_ref().map_or(0, count)));
        let alive = counts(|chunk| chunk.alive_before(CHUNK));
        let present = counts(|chunk| chunk.present_before(CHUNK));
        self.alive_sums = alive;
        self.present_sums = present;
        self.sums_from = self.first_chunk;
    }

    /// Calls `each` with the living numbers of `from..to` as bits: the number of the first bit, a multiple of 64, and at most [`WORDS`] words, the
    /// lowest number first. It may leave out chunks in which nobody is alive. O(numbers / 64).
    pub fn living_bits(&self, from: Number, to: Number, mut each: impl FnMut(Number, &[u64])) {
        let end = self.first_chunk + self.chunks.len() as u64;
        for index in split(from).0.max(self.first_chunk)..end.min(split(to).0 + 1) {
            let Some(chunk) = self.chunk_at(index) else {
                continue;
            };
            let first = number_at(index, 0);
            let offset = |number: Number| number.0.saturating_sub(first.0).min(sizes().chunk) as usize;
            chunk.living_bits(offset(from), offset(to), |at, words| {
                each(number_at(index, at), words);
            });
        }
    }

    /// Counts everything again, bit by bit, and returns true if the running counts agree. O(n); for the laws.
    #[must_use]
    pub fn recount_agrees(&self) -> bool {
        let mut fresh = self.clone();
        fresh.rebuild_sums();
        let mut away = [0_u64; AWAY_SLOTS];
        for number in number_at(self.first_chunk, 0).0..self.next.0 {
            if let Place::Away(slot) = self.place(Number(number))
                && let Some(count) = away.get_mut(slot.index())
            {
                *count += 1;
            }
        }
        fresh.alive_sums.before(usize::MAX) == self.alive
            && fresh.present_sums.before(usize::MAX) == self.present
            && self.alive_sums.before(usize::MAX) == self.alive
            && self.present_sums.before(usize::MAX) == self.present
            && self.present_before(self.present_from) == 0
            && self.away.iter().zip(away).all(|(group, count)| group.count == count)
    }

    /// Returns every living number with its place, in order. O(numbers kept).
    pub fn living(&self) -> impl Iterator<Item = (Number, Place)> + '_ {
        (number_at(self.first_chunk, 0).0..self.next.0)
            .map(|number| (Number(number), self.place(Number(number))))
            .filter(|(_, place)| *place != Place::Gone)
    }
}
