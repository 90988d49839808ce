//! How holders and accounts are stored: in pages, each of which is written once, when its last number is issued, and read when somebody first asks
//! for whoever is on it (`owners`).
//!
//! A holder is 12 bytes and hardly ever changes; where a ticket stands is two bits that change all the time. So snapshots have the bits, and of the
//! holders only those behind the last full page. Beside the pages the room keeps the new holders of places that were carried since
//! (`Book::open`). A page to which many accounts came later is written anew (`room/accounts.rs`).

use super::plane::ones;
use super::{Line, number_at, split};
use facts::holder::{Holder, Key, Tag};
use facts::limits::sizes;
use facts::units::Number;
use journal::LatePage;
use std::sync::Arc;

/// The bytes of a key and a tag. A page has one bit for each number, eight a byte, the lowest first, and then the holders of the
/// numbers whose bit is set.
const HOLDER_BYTES: usize = 12;
/// The bytes of a key. If any number of the page has an account, bits follow in the same form, and then the accounts of the numbers whose bit is set.
const ACCOUNT_BYTES: usize = 8;

impl Line {
    /// Returns true if a number is in line. O(1).
    #[must_use]
    pub fn lives(&self, number: Number) -> bool {
        self.chunk(number).is_some_and(|(chunk, at)| chunk.lives(at))
    }

    /// Returns the first numbers of the pages that are full and not all over, in order.
    pub fn pages(&self) -> impl Iterator<Item = Number> + use<> {
        let size = sizes().holders_page;
        let first = self.nth(0).unwrap_or(self.next);
        let pages = first.0 / size..self.next.0 / size;
        pages.map(move |page| Number(page * size))
    }

    /// Returns true if [`pages`](Self::pages) has the page that begins with this number. O(log n).
    #[must_use]
    pub fn has_page(&self, first: Number) -> bool {
        let size = sizes().holders_page;
        let end = first.plus(size);
        let living = self.nth(0).unwrap_or(self.next);
        first.0.is_multiple_of(size) && end <= self.next && end > living
    }

    /// Returns the page that begins with this number, as bytes. O(page).
    #[must_use]
    pub fn page(&self, first: Number) -> Vec<u8> {
        self.stored_between(first, first.plus(sizes().holders_page))
    }

    /// Takes back a page that is read when somebody first asks, after all pages before it. O(chunks of the page).
    pub fn put_late(&mut self, page: &Arc<LatePage>) {
        let last = page.first() + sizes().holders_page - 1;
        for index in split(Number(page.first())).0..=split(Number(last)).0 {
            // Of a chunk in which nobody is in line nobody needs a page.
            let needs = self.chunks.alive_in(index) > 0;
            if let Some(chunk) = self.chunks.get_mut(index).filter(|_| needs) {
                chunk.put_late(number_at(index, 0).0, page);
            }
        }
    }

    /// Reads what is left of the pages of a range. O(pages), and O(chunks) if nothing is.
    pub fn read(&mut self, range: (Number, Number)) {
        for index in self.chunks.within(range) {
            if let Some(chunk) = self.chunks.get_mut(index) {
                chunk.read();
            }
        }
    }

    /// Takes back the holders and accounts behind the last full page, after all pages. Returns `None` if they do not fit the living numbers, or if
    /// those are not as many as were stored.
    pub fn put_tail(&mut self) -> Option<()> {
        if self.chunks.sums() != (self.alive, self.present) {
            return None;
        }
        let tail = core::mem::take(&mut self.unread_tail);
        let (from, to) = (self.tail_from(), self.next);
        let numbers = usize::try_from(to.0.checked_sub(from.0)?).ok()?;
        let stored = stored(&tail, numbers)?;
        let mut living = 0;
        for index in split(from).0..=split(to).0 {
            let chunk_first = number_at(index, 0);
            let [begin, end] = [chunk_first.max(from), number_at(index + 1, 0).min(to)];
            let [at, begin, end] = [begin.0 - chunk_first.0, begin.0 - from.0, end.0.max(begin.0) - from.0].map(|at| at as usize);
            if let Some(chunk) = self.chunks.get_mut(index) {
                living += chunk.put_back(at, &stored.part(begin, end));
            }
        }
        let all = stored.holders.told.len() as u64;
        let alive = self.chunks.alive_before(to).saturating_sub(self.chunks.alive_before(from));
        (living == alive && living == all).then_some(())
    }

    /// Returns the first number whose holder is in the snapshot itself.
    pub fn tail_from(&self) -> Number {
        let size = sizes().holders_page;
        Number(self.next.0 / size * size)
    }

    pub(super) fn stored_between(&self, from: Number, to: Number) -> Vec<u8> {
        let numbers = usize::try_from(to.0.saturating_sub(from.0)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(numbers.div_ceil(8) + numbers * HOLDER_BYTES);
        let holders = self.holders(from, to).map(|(number, holder)| {
            let ([a, b, c, d, e, f, g, h], [i, j, k, l]) = (holder.key.into(), holder.tag.into());
            (number, [a, b, c, d, e, f, g, h, i, j, k, l])
        });
        put_set::<HOLDER_BYTES>(&mut bytes, from, numbers, holders);
        let mut accounts = self.accounts(from, to).peekable();
        if accounts.peek().is_some() {
            let accounts = accounts.map(|(number, account)| (number, account.into()));
            put_set::<ACCOUNT_BYTES>(&mut bytes, from, numbers, accounts);
        }
        bytes
    }

    /// Returns the living numbers of a range with their holders, in order. O(64 a chunk of the range + those).
    pub fn holders(&self, from: Number, to: Number) -> impl Iterator<Item = (Number, Holder)> + '_ {
        let holders = self.chunks.of_range((from, to)).flat_map(|(index, chunk)| {
            let holders = chunk.holders();
            holders.map(move |(at, holder)| (number_at(index, at), holder))
        });
        holders.filter(move |(number, _)| from <= *number && *number < to)
    }

    /// Calls `found` for the living numbers of a range whose key `is` one that is looked for, in order. O(chunks + keys kept of them).
    pub fn keys_that(&self, (from, to): (Number, Number), is: impl Fn(Key) -> bool, mut found: impl FnMut(Key, Number)) {
        for (index, chunk) in self.chunks.of_range((from, to)) {
            for (at, key) in chunk.keys_that(&is) {
                let number = number_at(index, at);
                if from <= number && number < to {
                    found(key, number);
                }
            }
        }
    }

    /// Returns the living numbers of a range that have an account, with it, in order. O(64 a chunk of the range + those).
    pub fn accounts(&self, from: Number, to: Number) -> impl Iterator<Item = (Number, Key)> + '_ {
        let accounts = self.chunks.of_range((from, to)).flat_map(|(index, chunk)| {
            let accounts = chunk.accounts();
            accounts.map(move |(at, account)| (number_at(index, at), account))
        });
        accounts.filter(move |(number, _)| from <= *number && *number < to)
    }
}

/// Reads a holder as [`Line::stored_between`] writes it.
pub(super) fn holder_of(&[a, b, c, d, e, f, g, h, i, j, k, l]: &[u8; HOLDER_BYTES]) -> Holder {
    Holder {
        key: Key::from([a, b, c, d, e, f, g, h]),
        tag: Tag::from([i, j, k, l]),
    }
}

/// Appends one bit for each of `numbers` from `from` on, set if the number is in `told`, and then the bytes that `told` has of each.
fn put_set<const BYTES: usize>(to: &mut Vec<u8>, from: Number, numbers: usize, told: impl Iterator<Item = (Number, [u8; BYTES])>) {
    let begin = to.len();
    to.resize(begin + numbers.div_ceil(8), 0);
    told.for_each(|(number, bytes)| {
        let at = (number.0 - from.0) as usize;
        if let Some(byte) = to.get_mut(begin + at / 8) {
            *byte |= 1 << (at % 8);
        }
        to.extend_from_slice(&bytes);
    });
}

/// What [`put_set`] has written: one bit for each number, and the bytes of those whose bit is set.
#[derive(Clone, Copy)]
pub(super) struct Set<'a, const BYTES: usize> {
    pub(super) bits: &'a [u8],
    pub(super) told: &'a [[u8; BYTES]],
}

impl<const BYTES: usize> Set<'_, BYTES> {
    /// Returns what is told of the numbers at these offsets, of which the first is a multiple of 8, and so is the last unless it is the end.
    fn part(&self, from: usize, to: usize) -> Self {
        let (before, rest) = self.bits.split_at(self.bits.len().min(from / 8));
        let bits = rest.get(..to.div_ceil(8).saturating_sub(from / 8)).unwrap_or(rest);
        let told = self.told.get(count(before)..).unwrap_or_default();
        let told = told.get(..count(bits)).unwrap_or_default();
        Self { bits, told }
    }

    /// Returns the bytes of each number that is told, by offset.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &[u8; BYTES])> {
        let set = self.bits.iter().enumerate();
        let set = set.flat_map(|(at, byte)| ones((*byte).into()).map(move |bit| 8 * at + bit));
        set.zip(self.told)
    }
}

fn count(bits: &[u8]) -> usize {
    bits.iter().map(|byte| byte.count_ones() as usize).sum()
}

/// What [`Line::stored_between`] has written of a range of numbers.
pub(super) struct Stored<'a> {
    pub(super) holders: Set<'a, HOLDER_BYTES>,
    pub(super) accounts: Option<Set<'a, ACCOUNT_BYTES>>,
}

impl Stored<'_> {
    /// See [`Set::part`].
    pub(super) fn part(&self, from: usize, to: usize) -> Self {
        Self {
            holders: self.holders.part(from, to),
            accounts: self.accounts.map(|accounts| accounts.part(from, to)),
        }
    }
}

/// Reads what is stored of so many numbers, or returns `None` if the bytes are nothing such. O(numbers / 8).
pub(super) fn stored(bytes: &[u8], numbers: usize) -> Option<Stored<'_>> {
    let (holders, bytes) = take_set(bytes, numbers)?;
    let accounts = match bytes {
        [] => None,
        _ => match take_set(bytes, numbers)? {
            (accounts, []) => Some(accounts),
            _ => return None,
        },
    };
    Some(Stored { holders, accounts })
}

/// Reads what [`put_set`] has written, and returns it with the rest. Returns `None` if there are too few bytes.
fn take_set<const BYTES: usize>(bytes: &[u8], numbers: usize) -> Option<(Set<'_, BYTES>, &[u8])> {
    let (bits, rest) = bytes.split_at_checked(numbers.div_ceil(8))?;
    let (told, rest) = rest.split_at_checked(count(bits) * BYTES)?;
    let (told, _) = told.as_chunks::<BYTES>();
    Some((Set { bits, told }, rest))
}
