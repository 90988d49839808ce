//! 4,096 consecutive numbers of the line as bits.
//!
//! A waiting ticket is two bits (`alive`, `present`) and its share of the lobby table. Only a chunk in which somebody was away or missed a
//! call pays for five more planes. So a waiting ticket costs 0.25 bytes, 0.875 in the worst chunk. A lobby costs 4 bytes for each *run* of
//! its numbers, at most 1 byte a ticket (256 lobbies taking turns). A ticket's holder takes 12 bytes more, and its account, if it is one's, 8
//! ([`Owners`]).

use super::owners::Owners;
use super::pages::Stored;
use super::plane::{Plane, ones};
use super::{Away, Place};
use facts::holder::{Holder, Key};
use facts::limits::CHUNK;
use facts::units::LobbyId;
use journal::LatePage;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::sync::Arc;

const AWAY_PLANES: usize = 4;
/// A chunk that keeps at most this many numbers that are over is not worth a squeeze.
const SQUEEZE_MIN: u64 = 64;
/// Past this many runs (4 bytes each) a plain table of one byte a ticket is smaller.
const RUNS_MAX: usize = CHUNK / 4;

/// What a chunk needs only if somebody in it was away or missed a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Rare {
    missed: Plane,
    /// The away group of each number, bit-sliced, so that a few word operations find all numbers of a group.
    away: [Plane; AWAY_PLANES],
}

impl Rare {
    fn new() -> Self {
        Self {
            missed: Plane::new(),
            away: [(); AWAY_PLANES].map(|()| Plane::new()),
        }
    }

    fn away(&self, at: usize) -> Option<Away> {
        let bits = self.away.iter().rev().fold(0, |bits, plane| bits << 1 | u8::from(plane.get(at)));
        Away::new(bits)
    }

    fn set_away(&mut self, at: usize, slot: Option<Away>) {
        let bits = slot.map_or(0, Away::bits);
        for (i, plane) in self.away.iter_mut().enumerate() {
            plane.set(at, bits >> i & 1 == 1);
        }
    }

    /// Returns the numbers of one word that are in this group, as bits.
    fn in_slot(&self, word: usize, slot: Away) -> u64 {
        let mut hits = u64::MAX;
        for (i, plane) in self.away.iter().enumerate() {
            let bits = plane.word(word);
            hits &= if slot.bits() >> i & 1 == 1 { bits } else { !bits };
        }
        hits
    }

    fn clear_away(&mut self, word: usize, bits: u64) {
        for plane in &mut self.away {
            plane.clear(word, bits);
        }
    }
}

/// Which lobby took each number: as runs, each with its first offset and its lobby, or as one lobby for each offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Lobbies {
    #[serde(serialize_with = "put_runs", deserialize_with = "take_runs")]
    Runs(Vec<(u16, u16)>),
    #[serde(serialize_with = "put_bytes", deserialize_with = "take_table")]
    Table(Vec<u8>),
}

/// Writes four bytes a run, all in one piece: a line of a million has ten thousand of them.
fn put_runs<S: Serializer>(runs: &[(u16, u16)], to: S) -> Result<S::Ok, S::Error> {
    let mut bytes = vec![0; 4 * runs.len()];
    for (run, (at, lobby)) in bytes.as_chunks_mut().0.iter_mut().zip(runs) {
        *run = (u32::from(*lobby) << 16 | u32::from(*at)).to_le_bytes();
    }
    to.serialize_bytes(&bytes)
}

fn take_runs<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(u16, u16)>, D::Error> {
    let bytes = <&[u8]>::deserialize(from)?;
    let (runs, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(D::Error::invalid_length(bytes.len(), &"four bytes a run"));
    }
    let run = |[a, b, c, d]: &[u8; 4]| (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
    Ok(runs.iter().map(run).collect())
}

/// Writes bytes in one piece; `serde` would write them one by one.
pub(super) fn put_bytes<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bytes(bytes)
}

fn take_table<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    <&[u8]>::deserialize(from).map(<[u8]>::to_vec)
}

impl Lobbies {
    fn record(&mut self, at: usize, count: usize, lobby: LobbyId) {
        match self {
            Self::Runs(runs) => {
                if runs.last().is_none_or(|(_, last)| *last != lobby.0) {
                    // A chunk has 4,096 numbers, so an offset fits.
                    runs.push((at as u16, lobby.0));
                }
                if runs.len() > RUNS_MAX {
                    let filled = at + count;
                    let table = (0..filled).map(|at| self.of(at).0 as u8).collect();
                    *self = Self::Table(table);
                }
            }
            Self::Table(table) => table.resize(at + count, lobby.0 as u8),
        }
    }

    /// Returns true if the lobby took any of the offsets `from..to`. O(log runs + runs in between).
    fn has(&self, from: usize, to: usize, lobby: LobbyId) -> bool {
        match self {
            Self::Runs(runs) => {
                let after = runs.partition_point(|(at, _)| usize::from(*at) <= from);
                let within = runs.iter().skip(after.saturating_sub(1));
                let mut within = within.take_while(|(at, _)| usize::from(*at) < to);
                within.any(|(_, of)| *of == lobby.0)
            }
            Self::Table(table) => table.iter().skip(from).take(to - from).any(|of| u16::from(*of) == lobby.0),
        }
    }

    fn of(&self, at: usize) -> LobbyId {
        LobbyId(match self {
            Self::Runs(runs) => {
                let after = runs.partition_point(|(from, _)| usize::from(*from) <= at);
                after.checked_sub(1).and_then(|i| runs.get(i)).map_or(0, |(_, lobby)| *lobby)
            }
            Self::Table(table) => table.get(at).copied().unwrap_or(0).into(),
        })
    }
}

/// Where 4,096 consecutive numbers stand: what a snapshot has of a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bits {
    alive: Plane,
    present: Plane,
    rare: Option<Box<Rare>>,
    lobbies: Lobbies,
}

/// 4,096 consecutive numbers.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Shared with a snapshot that is being written: whoever changes them meanwhile gets a copy. Tests search worlds on several threads, hence `Arc`.
    bits: Arc<Bits>,
    /// Whether the bits changed since a snapshot took them.
    changed: bool,
    owners: Owners,
}

impl Serialize for Chunk {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.bits.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bits = Bits::deserialize(from)?;
        Ok(Self {
            changed: true,
            ..Self::from(Arc::new(bits))
        })
    }
}

/// A chunk as a snapshot has it. Holders and accounts are read later.
impl From<Arc<Bits>> for Chunk {
    fn from(bits: Arc<Bits>) -> Self {
        Self {
            bits,
            changed: false,
            owners: Owners::default(),
        }
    }
}

/// Compares everything but the holders and accounts of numbers that are over.
impl PartialEq for Chunk {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits && self.holders().eq(other.holders()) && self.accounts().eq(other.accounts())
    }
}

impl Eq for Chunk {}

impl Bits {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(|| Box::new(Rare::new()))
    }

    /// Returns true if anybody who lives is in this away group. O(64).
    fn has_any_in(&self, slot: Away) -> bool {
        let words = self.alive.words().iter().enumerate();
        let mut words = words.filter(|(_, alive)| **alive != 0);
        let rare = self.rare.as_ref();
        rare.is_some_and(|rare| words.any(|(index, alive)| rare.in_slot(index, slot) & alive != 0))
    }
}

impl Chunk {
    pub fn new() -> Self {
        let bits = Bits {
            alive: Plane::new(),
            present: Plane::new(),
            rare: None,
            lobbies: Lobbies::Runs(Vec::new()),
        };
        Self {
            changed: true,
            ..Self::from(Arc::new(bits))
        }
    }

    /// Returns true if the bits changed since [`freeze`](Self::freeze).
    pub const fn has_changed(&self) -> bool {
        self.changed
    }

    /// Returns the bits as they are now, for a snapshot. O(1).
    pub fn freeze(&mut self) -> Arc<Bits> {
        self.changed = false;
        Arc::clone(&self.bits)
    }

    /// Returns the bits as they are now. O(1).
    pub fn bits(&self) -> Arc<Bits> {
        Arc::clone(&self.bits)
    }

    /// The bits, to be changed. O(1), and O(4096) for the first change while a snapshot still has them.
    fn bits_mut(&mut self) -> &mut Bits {
        self.changed = true;
        Arc::make_mut(&mut self.bits)
    }

    /// Adds new tickets of one lobby from offset `at` on: one for each holder, all present.
    pub fn join(&mut self, at: usize, holders: &[Holder], lobby: LobbyId) {
        let count = holders.len();
        let bits = self.bits_mut();
        bits.alive.fill(at, count);
        bits.present.fill(at, count);
        bits.lobbies.record(at, count, lobby);
        self.owners.put(&self.bits.alive, at, holders);
    }

    /// Records the lobby of a number that never waits (a walk-in). The permit has its holder.
    pub fn pass(&mut self, at: usize, lobby: LobbyId) {
        self.bits_mut().lobbies.record(at, 1, lobby);
    }

    /// Returns the holder of a number, or `None` if it is not in line. O(1).
    pub fn holder(&self, at: usize) -> Option<Holder> {
        let alive = self.bits.alive.get(at);
        alive.then(|| self.owners.of(&self.bits.alive).holders.get(at)).flatten()
    }

    /// Returns the holders of the numbers in line, by offset, in order. O(64 + those).
    pub fn holders(&self) -> impl Iterator<Item = (usize, Holder)> + '_ {
        self.owners.of(&self.bits.alive).holders.among(&self.bits.alive)
    }

    /// Returns the numbers in line whose key `is` one that is looked for, by offset, in order. O(keys kept).
    pub fn keys_that(&self, is: impl Fn(Key) -> bool) -> impl Iterator<Item = (usize, Key)> {
        let found = self.owners.of(&self.bits.alive).holders.keys_that(is);
        found.filter(|(at, _)| self.bits.alive.get(*at))
    }

    /// Takes a page that has holders of this chunk, whose first number is `first`. It is read when somebody first asks. O(1).
    pub fn put_late(&mut self, first: u64, page: &Arc<LatePage>) {
        self.owners.put_late(first, page);
    }

    /// Takes back what is stored of numbers that are in no page, from offset `at` on, right after the pages. Returns how many of these are in line.
    /// O(those).
    pub fn put_back(&mut self, at: usize, stored: &Stored<'_>) -> u64 {
        self.owners.put_back(&self.bits.alive, at, stored)
    }

    /// Reads what is left of the pages of this chunk. O(page), and O(1) if nothing is.
    pub fn read(&mut self) {
        self.owners.read(&self.bits.alive);
    }

    /// Gives the number another holder.
    pub fn set_holder(&mut self, at: usize, holder: Holder) {
        self.owners.of_mut(&self.bits.alive, |kept| kept.holders.set(at, holder));
    }

    /// Returns the account of a number, or `None` if it is not in line or has none. O(1).
    pub fn account(&self, at: usize) -> Option<Key> {
        let alive = self.bits.alive.get(at);
        alive.then(|| self.owners.of(&self.bits.alive).accounts.get(at)).flatten()
    }

    /// Returns the accounts of the numbers in line that have one, by offset, in order. O(64 + those).
    pub fn accounts(&self) -> impl Iterator<Item = (usize, Key)> + '_ {
        self.owners.of(&self.bits.alive).accounts.among(&self.bits.alive)
    }

    /// Gives the number to an account, if it is in line.
    pub fn set_account(&mut self, at: usize, account: Key) {
        if self.bits.alive.get(at) {
            self.owners.of_mut(&self.bits.alive, |kept| kept.accounts.set(at, account));
        }
    }

    /// Forgets the holders and accounts of numbers that are over, once these are a quarter of those kept. O(4096), which is at most some sixteen
    /// steps for each one that is forgotten.
    pub fn squeeze(&mut self, alive: u64) {
        // What is not read yet takes no memory.
        let Some(kept) = self.owners.kept_mut() else { return };
        if kept.holders.len() as u64 > alive + alive / 3 + SQUEEZE_MIN {
            kept.holders.squeeze(&self.bits.alive);
        }
        if kept.accounts.len() as u64 > alive + alive / 3 + SQUEEZE_MIN {
            kept.accounts.squeeze(&self.bits.alive);
        }
    }

    /// Forgets all holders and accounts: nobody in the chunk is alive. O(1).
    pub fn forget_holders(&mut self) {
        self.owners.forget();
    }

    /// The bytes that holders and accounts take.
    pub fn holder_bytes(&self) -> usize {
        self.owners.bytes()
    }

    /// Calls `each` for every number in line of a lobby, with its offset and how many living numbers of the chunk are in front. O(64 + those).
    pub fn of_lobby(&self, lobby: LobbyId, mut each: impl FnMut(usize, u64)) {
        let mut before = 0;
        for (index, word) in self.bits.alive.words().iter().enumerate() {
            if *word == 0 {
                continue;
            }
            let from = index * 64;
            if self.bits.lobbies.has(from, from + 64, lobby) {
                for bit in ones(*word) {
                    let at = from + bit;
                    if self.bits.lobbies.of(at) == lobby {
                        let in_front = (word & ((1_u64 << bit) - 1)).count_ones();
                        each(at, before + u64::from(in_front));
                    }
                }
            }
            before += u64::from(word.count_ones());
        }
    }

    pub fn lives(&self, at: usize) -> bool {
        self.bits.alive.get(at)
    }

    pub fn place(&self, at: usize) -> Place {
        if !self.lives(at) {
            return Place::Gone;
        }
        if self.bits.present.get(at) {
            return Place::Present;
        }
        match self.bits.rare.as_ref().and_then(|rare| rare.away(at)) {
            Some(slot) => Place::Away(slot),
            None => Place::Called,
        }
    }

    pub fn set(&mut self, at: usize, place: Place) {
        let bits = self.bits_mut();
        bits.alive.set(at, place != Place::Gone);
        bits.present.set(at, place == Place::Present);
        let slot = match place {
            Place::Away(slot) => Some(slot),
            Place::Gone | Place::Present | Place::Called => None,
        };
        if slot.is_some() || bits.rare.is_some() {
            bits.rare().set_away(at, slot);
        }
    }

    pub fn missed(&self, at: usize) -> bool {
        self.bits.rare.as_ref().is_some_and(|rare| rare.missed.get(at))
    }

    pub fn set_missed(&mut self, at: usize) {
        self.bits_mut().rare().missed.set(at, true);
    }

    pub fn lobby(&self, at: usize) -> LobbyId {
        self.bits.lobbies.of(at)
    }

    pub fn alive_before(&self, at: usize) -> u64 {
        self.bits.alive.count_before(at)
    }

    pub fn present_before(&self, at: usize) -> u64 {
        self.bits.present.count_before(at)
    }

    pub fn nth_alive(&self, rank: u64) -> Option<usize> {
        self.bits.alive.find(rank)
    }

    /// Returns the first present number from an offset on.
    pub fn first_present(&self, from: usize) -> Option<usize> {
        self.bits.present.first_from(from)
    }

    pub fn nth_present(&self, rank: u64) -> Option<usize> {
        self.bits.present.find(rank)
    }

    /// Calls `each` with the living numbers of the offsets `from..to` as bits: the offset of the first bit, and words of 64
    /// numbers, the lowest first.
    pub fn living_bits(&self, from: usize, to: usize, each: impl FnOnce(usize, &[u64])) {
        let mut words = *self.bits.alive.words();
        let above = |offset: usize| u64::MAX << (offset % 64);
        if let Some(first) = words.get_mut(from / 64) {
            *first &= above(from);
        }
        if let Some(last) = words.get_mut(to / 64) {
            *last &= !above(to);
        }
        if let Some(within) = words.get(from / 64..to.div_ceil(64)) {
            each(from / 64 * 64, within);
        }
    }

    /// Ends every ticket in this away group and returns how many. With `told` it calls `each` for each of them, with its lobby. A few word operations
    /// for each 64 tickets, whoever is in them, and O(log runs) for each that is told.
    pub fn expire(&mut self, slot: Away, told: bool, mut each: impl FnMut(usize, LobbyId)) -> u64 {
        if !self.bits.has_any_in(slot) {
            return 0;
        }
        let Bits {
            alive,
            rare: Some(rare),
            lobbies,
            ..
        } = self.bits_mut()
        else {
            return 0;
        };
        let mut ended = 0;
        for (index, alive) in alive.words_mut().iter_mut().enumerate() {
            let hits = rare.in_slot(index, slot) & *alive;
            if hits != 0 {
                *alive &= !hits;
                rare.clear_away(index, hits);
                ended += u64::from(hits.count_ones());
                for bit in ones(if told { hits } else { 0 }) {
                    let at = index * 64 + bit;
                    each(at, lobbies.of(at));
                }
            }
        }
        ended
    }
}
