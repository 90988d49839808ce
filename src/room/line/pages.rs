//! How holders and accounts are stored: in pages, each of which is written once, when its last number is issued.
//!
//! A holder is 12 bytes and hardly ever changes; where a ticket stands is two bits that change all the time. So snapshots have the bits, and of the
//! holders only those behind the last full page. Beside the pages the room keeps the new holders of places that were carried since
//! (`Room::open_book`). A page to which many accounts came later is written anew (`room/accounts.rs`).

use super::plane::ones;
use super::{Line, number_at, split};
use crate::facts::holder::{Holder, Key, Tag};
use crate::facts::limits::sizes;
use crate::facts::units::Number;

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
        let first = self.first_living().unwrap_or(self.next);
        let pages = first.0 / size..self.next.0 / size;
        pages.map(move |page| Number(page * size))
    }

    /// Returns true if [`pages`](Self::pages) has the page that begins with this number. O(log n).
    #[must_use]
    pub fn has_page(&self, first: Number) -> bool {
        let size = sizes().holders_page;
        let end = first.plus(size);
        let living = self.first_living().unwrap_or(self.next);
        first.0.is_multiple_of(size) && end <= self.next && end > living
    }

    /// Returns the page that begins with this number, as bytes. O(page).
    #[must_use]
    pub fn page(&self, first: Number) -> Vec<u8> {
        self.stored_between(first, first.plus(sizes().holders_page))
    }

    /// Takes a page's holders and accounts back, after those of all pages before it. Returns `None` if the bytes are no such page. O(page).
    pub fn put_page(&mut self, first: Number, bytes: &[u8]) -> Option<()> {
        self.put_between(first, first.plus(sizes().holders_page), bytes)?;
        Some(())
    }

    /// Returns the holders and accounts of the numbers behind the last full page, as bytes.
    pub(super) fn tail(&self) -> Vec<u8> {
        self.stored_between(self.tail_from(), self.next)
    }

    /// Takes back the holders and accounts behind the last full page, after those of all pages. Returns `None` if they do not fit the living numbers,
    /// or if those are not as many as were stored.
    pub fn put_tail(&mut self) -> Option<()> {
        let whole = self.alive_sums.before(usize::MAX) == self.alive && self.present_sums.before(usize::MAX) == self.present;
        if !whole {
            return None;
        }
        let tail = core::mem::take(&mut self.unread_tail);
        let over = self.put_between(self.tail_from(), self.next, &tail)?;
        (over == 0).then_some(())
    }

    /// Returns the first number whose holder is in the snapshot itself.
    pub fn tail_from(&self) -> Number {
        let size = sizes().holders_page;
        Number(self.next.0 / size * size)
    }

    fn stored_between(&self, from: Number, to: Number) -> Vec<u8> {
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

    /// Takes back what is stored of a range, and returns how many of its holders are over. Returns `None` if the bytes are not of this range, or if a
    /// living number has no holder in them.
    fn put_between(&mut self, from: Number, to: Number, bytes: &[u8]) -> Option<u64> {
        let numbers = usize::try_from(to.0.checked_sub(from.0)?).ok()?;
        let (holders, bytes) = take_set::<HOLDER_BYTES>(bytes, numbers)?;
        let accounts = match bytes {
            [] => None,
            _ => match take_set::<ACCOUNT_BYTES>(bytes, numbers)? {
                (accounts, []) => Some(accounts),
                _ => return None,
            },
        };
        let holders = holders.map(|(at, bytes)| (split(from.plus(at as u64)), bytes));
        let mut holders = holders.peekable();
        let (mut told, mut alive) = (0, 0);
        for index in split(from).0..=split(to).0 {
            let mut chunk = self.chunk_at_mut(index);
            while let Some(((_, at), bytes)) = holders.next_if(|((of, _), _)| *of == index) {
                told += 1;
                let chunk = chunk.as_mut();
                alive += u64::from(chunk.is_some_and(|chunk| chunk.put_back(at, holder_of(bytes))));
            }
        }
        for (at, account) in accounts.into_iter().flatten() {
            self.set_account(from.plus(at as u64), Key::from(*account));
        }
        (alive == self.alive_between(from, to)).then_some(told - alive)
    }

    fn alive_between(&self, from: Number, to: Number) -> u64 {
        self.alive_before(to).saturating_sub(self.alive_before(from))
    }

    /// Returns the living numbers of a range with their holders, in order. O(64 a chunk of the range + those).
    pub fn holders(&self, from: Number, to: Number) -> impl Iterator<Item = (Number, Holder)> + '_ {
        let chunks = split(from).0.max(self.first_chunk)..=split(to).0;
        let chunks = chunks.filter_map(|index| Some((index, self.chunk_at(index)?)));
        let holders = chunks.flat_map(|(index, chunk)| {
            let holders = chunk.holders();
            holders.map(move |(at, holder)| (number_at(index, at), holder))
        });
        holders.filter(move |(number, _)| from <= *number && *number < to)
    }

    /// Calls `found` for the living numbers of a range whose key `is` one that is looked for, in order. O(chunks + keys kept of them).
    pub fn keys_that(&self, (from, to): (Number, Number), is: impl Fn(Key) -> bool, mut found: impl FnMut(Key, Number)) {
        for index in split(from).0.max(self.first_chunk)..=split(to).0 {
            let Some(chunk) = self.chunk_at(index) else {
                continue;
            };
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
        let chunks = split(from).0.max(self.first_chunk)..=split(to).0;
        let chunks = chunks.filter_map(|index| Some((index, self.chunk_at(index)?)));
        let accounts = chunks.flat_map(|(index, chunk)| {
            let accounts = chunk.accounts();
            accounts.map(move |(at, account)| (number_at(index, at), account))
        });
        accounts.filter(move |(number, _)| from <= *number && *number < to)
    }
}

/// Reads a holder as [`Line::stored_between`] writes it.
fn holder_of(&[a, b, c, d, e, f, g, h, i, j, k, l]: &[u8; HOLDER_BYTES]) -> Holder {
    Holder {
        key: Key::from([a, b, c, d, e, f, g, h]),
        tag: Tag::from([i, j, k, l]),
    }
}

/// Appends one bit for each of `numbers` from `from` on, set if the number is in `told`, and then the bytes that `told` has of each.
fn put_set<const BYTES: usize>(to: &mut Vec<u8>, from: Number, numbers: usize, told: impl Iterator<Item = (Number, [u8; BYTES])>) {
    let begin = to.len();
    to.resize(begin + numbers.div_ceil(8), 0);
    for (number, bytes) in told {
        let at = (number.0 - from.0) as usize;
        if let Some(byte) = to.get_mut(begin + at / 8) {
            *byte |= 1 << (at % 8);
        }
        to.extend_from_slice(&bytes);
    }
}

/// An offset, and the bytes of its number.
type Told<'a, const BYTES: usize> = (usize, &'a [u8; BYTES]);

/// Reads what [`put_set`] has written: the bytes of each number by offset, and the rest. Returns `None` if there are too few bytes.
fn take_set<const BYTES: usize>(bytes: &[u8], numbers: usize) -> Option<(impl Iterator<Item = Told<'_, BYTES>>, &[u8])> {
    let (bits, rest) = bytes.split_at_checked(numbers.div_ceil(8))?;
    let count: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
    let (told, rest) = rest.split_at_checked(count as usize * BYTES)?;
    let (told, _) = told.as_chunks::<BYTES>();
    let set = bits.iter().enumerate();
    let set = set.flat_map(|(at, byte)| ones((*byte).into()).map(move |bit| 8 * at + bit));
    Some((set.zip(told), rest))
}
