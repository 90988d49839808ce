//! The line: who waits, and in which order.
//!
//! Numbers are consecutive, so a ticket needs no object: it is a few bits at `number - base` (`chunk`, `plane`), with sums over the chunks (`chunks`,
//! `sums`) that make every rank O(log n). Who is away stands in groups with a common end (`away`). The line knows no permits, no clock and no reasons. It
//! must never decide anything.

mod accounts;
mod away;
mod chunk;
mod chunks;
mod holders;
mod owners;
mod pages;
mod places;
mod plane;
mod present;
mod stored;
mod sums;

pub use away::Away;
use away::Groups;
use chunk::Chunk;
use chunks::Chunks;
use facts::holder::Holder;
use facts::limits::sizes;
use facts::planted::{self, Bug};
use facts::units::{Ahead, LobbyId, Number};
pub use places::Places;
pub use plane::WORDS;
use serde::Deserialize;
use stored::Stored;

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
    chunks: Chunks,
    away: Groups,
    alive: u64,
    present: u64,
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
        if let Some(chunk) = self.chunks.get_mut(index) {
            chunk.set_holder(at, holder);
        }
    }

    /// Calls `each` for the living tickets of a lobby from a number on, in order, with how many are in front, until `each` returns
    /// false. O(chunks + those).
    pub fn of_lobby(&self, lobby: LobbyId, from: Number, mut each: impl FnMut(Number, Ahead) -> bool) {
        let mut before = 0;
        let mut goes_on = true;
        for (index, chunk) in self.chunks.each() {
            let alive = self.chunks.alive_in(index);
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
        self.chunks.each().map(|(_, chunk)| chunk.holder_bytes()).sum()
    }

    /// Returns how many living tickets are in front of a number. O(log n).
    #[must_use]
    pub fn ahead(&self, number: Number) -> Ahead {
        let alive = self.chunks.alive_before(number.min(self.next));
        let left_out = if planted::is(Bug::AheadLeavesOutTheAway) { self.away() } else { 0 };
        Ahead(alive.saturating_sub(left_out))
    }

    /// Returns the living number that has `rank` living ones in front. O(log n).
    #[must_use]
    pub fn nth(&self, rank: u64) -> Option<Number> {
        self.chunks.nth_alive(rank)
    }

    /// Issues numbers to one lobby, one for each holder, all present, and returns the first. O(holders + log n).
    pub fn join(&mut self, lobby: LobbyId, holders: &[Holder]) -> Number {
        let first = self.next;
        let count = holders.len() as u64;
        let mut left = holders;
        while !left.is_empty() {
            let room = sizes().chunk as usize - split(self.next).1;
            let (here, later) = left.split_at(left.len().min(room));
            self.chunks.join(self.next, here, lobby);
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
        if let Some(chunk) = self.chunks.filling(index) {
            chunk.pass(at, lobby);
        }
        self.next = number.plus(u64::from(!planted::is(Bug::NumberReused)));
        self.chunks.drop_empty_head(split(self.next).0);
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
        let (index, filling) = (split(number).0, split(self.next).0);
        if index < filling {
            self.chunks.squeeze(index);
        }
        self.chunks.drop_empty_head(filling);
    }

    /// Forgets who held the numbers, if nobody is in line. O(1), because only the chunk that is being filled is left then.
    pub fn forget_holders(&mut self) {
        if self.alive == 0 {
            self.chunks.forget_holders();
        }
    }

    /// Records that a ticket missed its call. O(1).
    pub fn set_missed(&mut self, number: Number) {
        let (index, at) = split(number);
        if let Some(chunk) = self.chunks.get_mut(index) {
            chunk.set_missed(at);
        }
    }

    /// Moves one ticket to another place, and counts and sums with it. Only [`Self::expire_away`] ends tickets without it, a group at a time.
    fn move_to(&mut self, number: Number, to: Place) {
        let from = self.place(number);
        if from == to {
            return;
        }
        if from == Place::Present {
            self.present -= 1;
        }
        if to == Place::Present {
            self.present += 1;
            self.present_from = self.present_from.min(number);
        }
        if to == Place::Gone {
            self.alive -= 1;
        }
        self.away.moves(from, to);
        self.chunks.set(number, (from, to));
    }

    fn chunk(&self, number: Number) -> Option<(&Chunk, usize)> {
        if number >= self.next {
            return None;
        }
        let (index, at) = split(number);
        Some((self.chunks.get(index)?, at))
    }

    /// Calls `each` with the living numbers of `from..to` as bits: the number of the first bit, a multiple of 64, and at most [`WORDS`] words, the
    /// lowest number first. It may leave out chunks in which nobody is alive. O(numbers / 64).
    pub fn living_bits(&self, from: Number, to: Number, mut each: impl FnMut(Number, &[u64])) {
        for (index, chunk) in self.chunks.of_range((from, to)) {
            let first = number_at(index, 0);
            let offset = |number: Number| number.0.saturating_sub(first.0).min(sizes().chunk) as usize;
            chunk.living_bits(offset(from), offset(to), |at, words| each(number_at(index, at), words));
        }
    }

    /// Counts everything again, bit by bit, and returns true if the running counts agree. O(n); for the laws.
    #[must_use]
    pub fn recount_agrees(&self) -> bool {
        let mut fresh = self.chunks.clone();
        fresh.sum_up();
        let counts = (self.alive, self.present);
        let away = self.living().map(|(_, place)| place);
        fresh.sums() == counts && self.chunks.sums() == counts && self.present_before(self.present_from) == 0 && self.away.counts(away)
    }

    /// Returns every living number with its place, in order. O(numbers kept).
    pub fn living(&self) -> impl Iterator<Item = (Number, Place)> + '_ {
        (number_at(self.chunks.first(), 0).0..self.next.0)
            .map(|number| (Number(number), self.place(Number(number))))
            .filter(|(_, place)| *place != Place::Gone)
    }
}
