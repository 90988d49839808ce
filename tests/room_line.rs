//! The line against a naive model: a plain list of tickets, each with its place spelt out.
//! `BATON_SEED=<seed> cargo test --test room_line` replays a failure.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "room_line/kept.rs"]
mod kept;
mod wishes;

use baton::facts::holder::Holder;
use baton::facts::limits::HOLDERS_PAGE;
use baton::facts::units::{Ahead, Instant, LobbyId, Number};
use baton::journal::Image;
use baton::room::line::{Line, Place, WORDS};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// So many holders, whoever they are.
fn people(count: u64) -> Vec<Holder> {
    (0..count).map(wishes::holder).collect()
}

/// What is stored of a holder: a key and a tag.
const HOLDER_BYTES: usize = 12;
const GRACE_MS: u64 = 14_000;
const GRAIN_MS: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    Gone,
    Present,
    /// Over at this moment at the earliest.
    Away(Instant),
    Called,
}

#[derive(Clone, Copy, Debug)]
struct Ticket {
    is: Is,
    missed: bool,
    lobby: LobbyId,
}

/// Number `i + 1` is at `i`.
#[derive(Default)]
struct Model(Vec<Ticket>);

impl Model {
    fn add(&mut self, is: Is, lobby: LobbyId) {
        self.0.push(Ticket { is, missed: false, lobby });
    }

    fn numbers(&self, wanted: impl Fn(Is) -> bool) -> Vec<Number> {
        let living = self.0.iter().enumerate().filter(|(_, ticket)| wanted(ticket.is));
        living.map(|(i, _)| Number(i as u64 + 1)).collect()
    }

    fn ticket(&mut self, number: Number) -> Option<&mut Ticket> {
        self.0.get_mut(usize::try_from(number.0.checked_sub(1)?).ok()?)
    }
}

struct Pair {
    rng: fastrand::Rng,
    line: Line,
    model: Model,
    now: Instant,
}

impl Pair {
    fn new(seed: u64) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(seed),
            line: Line::default(),
            model: Model::default(),
            now: Instant(1_000_000),
        }
    }

    /// Mostly somebody near the head, where the work is; now and then anybody, or nobody.
    fn somebody(&mut self) -> Number {
        let next = self.line.next().0;
        match self.rng.u8(0..4) {
            0 => Number(self.rng.u64(0..next + 3)),
            _ => {
                let rank = self.rng.u64(0..40);
                self.line.nth(rank).unwrap_or(Number(0))
            }
        }
    }

    fn step(&mut self, crowd: u64) {
        let lobby = LobbyId(self.rng.u16(0..256));
        self.now = self.now.plus_ms(self.rng.u64(0..40));
        match self.rng.u8(0..16) {
            0 => self.join(crowd, lobby),
            1 => {
                let number = self.line.pass(lobby);
                self.model.add(Is::Gone, lobby);
                assert_eq!(number.0, self.model.0.len() as u64);
            }
            2..5 => self.away(),
            5 | 6 => {
                let number = self.somebody();
                self.line.set_present(number);
                if let Some(ticket) = self.model.ticket(number)
                    && matches!(ticket.is, Is::Away(_))
                {
                    ticket.is = Is::Present;
                }
            }
            7 | 8 => {
                let number = self.line.first_present().unwrap_or(Number(0));
                self.line.set_called(number);
                if let Some(ticket) = self.model.ticket(number) {
                    ticket.is = Is::Called;
                }
            }
            9 => self.miss(),
            10..15 => {
                let number = self.somebody();
                self.line.remove(number);
                if let Some(ticket) = self.model.ticket(number) {
                    ticket.is = Is::Gone;
                }
            }
            _ => self.expire(),
        }
    }

    fn join(&mut self, crowd: u64, lobby: LobbyId) {
        let count = self.rng.u64(1..=crowd);
        let first = self.line.join(lobby, &people(count));
        assert_eq!(first.0, self.model.0.len() as u64 + 1);
        (0..count).for_each(|_| self.model.add(Is::Present, lobby));
    }

    fn away(&mut self) {
        let number = self.somebody();
        let due_at = self.now.plus_ms(GRACE_MS);
        self.line.set_away(number, due_at, GRAIN_MS);
        if let Some(ticket) = self.model.ticket(number)
            && matches!(ticket.is, Is::Present | Is::Called)
        {
            ticket.is = Is::Away(due_at);
        }
    }

    fn miss(&mut self) {
        let number = self.somebody();
        if self.line.place(number) != Place::Gone {
            self.line.set_missed(number);
            self.model.ticket(number).expect("lives").missed = true;
        }
    }

    /// Who is over is the line's business within a grain of the due moment, nobody's before it.
    fn expire(&mut self) {
        let announced = self.line.away_due(self.now);
        let mut shown = BTreeMap::new();
        let told = !announced.is_multiple_of(3);
        let ended = self.line.expire_away(self.now, told, |number, lobby| {
            assert_eq!(shown.insert(number, lobby), None);
        });
        assert_eq!(ended, announced);
        let mut over = BTreeMap::new();
        for (i, ticket) in self.model.0.iter_mut().enumerate() {
            let Is::Away(due_at) = ticket.is else {
                continue;
            };
            let gone = self.line.place(Number(i as u64 + 1)) == Place::Gone;
            assert!(!gone || due_at <= self.now, "number {} over too soon", i + 1);
            assert!(gone || self.now < due_at.plus_ms(GRAIN_MS), "number {} kept too long", i + 1);
            if gone {
                ticket.is = Is::Gone;
                over.insert(Number(i as u64 + 1), ticket.lobby);
            }
        }
        assert_eq!(over.len() as u64, announced);
        assert_eq!(shown, if told { over } else { BTreeMap::new() });
    }

    fn compare(&mut self) {
        let alive = self.model.numbers(|is| is != Is::Gone);
        let present = self.model.numbers(|is| is == Is::Present);
        let away = self.model.numbers(|is| matches!(is, Is::Away(_)));
        assert_eq!(self.line.alive(), alive.len() as u64);
        assert_eq!(self.line.present(), present.len() as u64);
        assert_eq!(self.line.away(), away.len() as u64);
        assert_eq!(self.line.first_present(), present.first().copied());
        assert_eq!(self.line.next().0, self.model.0.len() as u64 + 1);
        assert_eq!(self.line.nth(alive.len() as u64), None);
        assert!(self.line.recount_agrees());
        for _ in 0..30 {
            let number = self.somebody();
            self.compare_number(number, &alive, &present);
            let rank = self.rng.usize(0..alive.len() + 2);
            assert_eq!(self.line.nth(rank as u64), alive.get(rank).copied(), "rank {rank}");
        }
        let (from, to) = (self.somebody(), self.somebody());
        self.compare_bits(from.min(to), from.max(to), &alive);
    }

    fn compare_bits(&self, from: Number, to: Number, alive: &[Number]) {
        let mut found = vec![];
        self.line.living_bits(from, to, |first, words| {
            assert!(first.0.is_multiple_of(64) && words.len() <= WORDS);
            for (word, first) in words.iter().zip((first.0..).step_by(64)) {
                let set = (0..64).filter(|at| word >> at & 1 == 1);
                found.extend(set.map(|at| Number(first + at)));
            }
        });
        let [start, end] = [from, to].map(|number| alive.partition_point(|n| *n < number));
        assert_eq!(found, alive[start..end], "{from} to {to}");
    }

    fn compare_number(&mut self, number: Number, alive: &[Number], present: &[Number]) {
        let ahead = alive.partition_point(|n| *n < number);
        assert_eq!(self.line.ahead(number), Ahead(ahead as u64), "ahead of {number}");
        let after = present.partition_point(|n| *n <= number);
        let next = present.get(after).copied();
        assert_eq!(self.line.next_present(number), next, "next after {number}");
        let place = self.line.place(number);
        let (line_missed, line_lobby) = (self.line.missed(number), self.line.lobby(number));
        let Some(ticket) = self.model.ticket(number) else {
            assert_eq!(place, Place::Gone);
            return;
        };
        let same = matches!(
            (place, ticket.is),
            (Place::Gone, Is::Gone) | (Place::Present, Is::Present) | (Place::Away(_), Is::Away(_)) | (Place::Called, Is::Called)
        );
        assert!(same, "number {number}: {place:?}, {ticket:?}");
        if ticket.is != Is::Gone {
            assert_eq!(line_missed, ticket.missed, "missed {number}");
            assert_eq!(line_lobby, ticket.lobby, "lobby of {number}");
        }
    }

    fn round_trip(&self) {
        let back = stored(&self.line).0;
        assert_eq!(back, self.line);
        assert!(back.recount_agrees());
        assert_eq!((back.alive(), back.present()), (self.line.alive(), self.line.present()));
        assert_eq!(back.first_present(), self.line.first_present());
        assert_eq!(back.away_due_at(), self.line.away_due_at());
    }
}

fn walk(seed: u64, steps: u32, crowd: u64) {
    println!("BATON_SEED={seed} cargo test --test room_line");
    let mut pair = Pair::new(seed);
    for step in 0..steps {
        pair.step(crowd);
        if step % 16 == 0 {
            pair.compare();
        }
    }
    pair.compare();
    pair.round_trip();
}

fn seeds(count: u64) -> Vec<u64> {
    match option_env!("BATON_SEED").and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..count).collect(),
    }
}

#[test]
fn a_short_line_does_what_a_list_does() {
    seeds(24).into_iter().for_each(|seed| walk(seed, 1_500, 3));
}

/// Crowds join faster than they leave: several chunks of 4,096 are in use.
#[test]
fn a_long_line_does_what_a_list_does() {
    seeds(4).into_iter().for_each(|seed| walk(seed, 700, 900));
}

/// Chunk after chunk empties and is dropped at the head; later numbers keep their ranks.
#[test]
fn the_head_is_dropped_across_chunks() {
    let mut pair = Pair::new(99);
    for round in 0..60_u64 {
        pair.join(2_000, LobbyId(round as u16));
        let leave = pair.line.alive().saturating_sub(pair.rng.u64(0..50));
        for _ in 0..leave {
            // The last of a chunk, the first of the next and everything between.
            let number = pair.line.nth(0).expect("lives");
            pair.line.remove(number);
            pair.model.ticket(number).expect("lives").is = Is::Gone;
        }
        pair.compare();
        pair.round_trip();
    }
    assert!(pair.line.next().0 > 10 * 4_096, "{}", pair.line.next());
    let bytes = postcard::to_allocvec(&pair.line).expect("encodes").len();
    // Of the chunk that is being filled everybody's holder is kept.
    assert!(bytes < 6 * 4_096 + HOLDER_BYTES * 4_096, "{bytes} bytes for {} alive", pair.line.alive());
}

/// The boundaries themselves: joins and passes that end just before, at and after a chunk.
#[test]
fn chunk_boundaries_are_seamless() {
    for before in [4_094, 4_095, 4_096, 4_097, 8_190, 8_191, 8_192] {
        for count in [1, 2, 63, 64, 65, 4_095, 4_096, 4_097, 10_000] {
            let mut pair = Pair::new(before + count);
            pair.line.join(LobbyId(1), &people(before));
            (0..before).for_each(|_| pair.model.add(Is::Present, LobbyId(1)));
            pair.line.join(LobbyId(255), &people(count));
            (0..count).for_each(|_| pair.model.add(Is::Present, LobbyId(255)));
            pair.line.pass(LobbyId(3));
            pair.model.add(Is::Gone, LobbyId(3));
            pair.compare();
            let alive = pair.model.numbers(|is| is != Is::Gone);
            for number in [before, before + 1, before + count, before + count + 1] {
                pair.compare_number(Number(number), &alive, &alive);
            }
            pair.round_trip();
        }
    }
}

/// A line keeps 12 bytes of each holder. When most numbers are over it keeps at most twice what the rest need, and a bit for each number.
#[test]
fn a_line_that_empties_forgets_whose_numbers_are_over() {
    let chunk = 4_096;
    let numbers = 10 * chunk;
    let mut line = Line::default();
    line.join(LobbyId(0), &people(numbers));
    assert!(line.holder_bytes() >= numbers as usize * HOLDER_BYTES);
    let gone = (1..=numbers).filter(|number| number % 8 != 0);
    gone.for_each(|number| line.remove(Number(number)));
    let left = numbers as usize / 8 * HOLDER_BYTES;
    let most = 2 * left + numbers as usize / 8;
    assert!(line.holder_bytes() <= most, "{}", line.holder_bytes());
}

/// A line of nobody but walk-ins keeps nothing.
#[test]
fn numbers_that_never_wait_are_not_kept() {
    let mut line = Line::default();
    (0..50_000).for_each(|i| {
        line.pass(LobbyId(i as u16 % 256));
    });
    assert_eq!((line.next(), line.alive()), (Number(50_001), 0));
    let bytes = postcard::to_allocvec(&line).expect("encodes").len();
    assert!(bytes <= 2 * (4_096 + 1_100), "{bytes}");
    let number = line.join(LobbyId(7), &people(1));
    assert_eq!((line.ahead(number), line.lobby(number)), (Ahead(0), LobbyId(7)));
}

/// The line as it comes back from a snapshot and its pages, and how long the snapshot is.
fn stored(line: &Line) -> (Line, usize) {
    let bytes = postcard::to_allocvec(line).expect("encodes");
    let mut back: Line = postcard::from_bytes(&bytes).expect("decodes");
    for (first, _) in line.places_pages() {
        let page = line.places(first).bytes();
        back.put_places(first, &page).expect("a page of places");
    }
    back.sum_places();
    let pages = wishes::late(line.pages().map(|first| (first, line.page(first))));
    pages.iter().for_each(|page| back.put_late(page));
    back.put_tail().expect("whole");
    (back, bytes.len())
}

/// A million tickets of 256 lobbies taking turns, three in ten gone: ranks and selections against
/// running counts, and at most two bytes a waiter beside whose the numbers are.
#[test]
fn a_million_are_unnoticed() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut line = Line::default();
    let mut joined = 0;
    while joined < 1_000_000 {
        let count = rng.u64(1..20).min(1_000_000 - joined);
        line.join(LobbyId(rng.u16(0..256)), &people(count));
        joined += count;
    }
    let mut alive = vec![true; 1_000_000];
    for (i, lives) in alive.iter_mut().enumerate() {
        if rng.u8(0..10) < 3 {
            line.remove(Number(i as u64 + 1));
            *lives = false;
        } else if rng.u8(0..10) < 3 {
            line.set_away(Number(i as u64 + 1), Instant(rng.u64(1..14) * 1_000), 1_000);
        }
    }
    let mut rank = 0;
    for (i, lives) in alive.iter().enumerate() {
        let number = Number(i as u64 + 1);
        if i % 997 == 0 || (i + 2) % 4_096 < 4 {
            assert_eq!(line.ahead(number), Ahead(rank), "{number}");
            if *lives {
                assert_eq!(line.nth(rank), Some(number));
            }
        }
        rank += u64::from(*lives);
    }
    assert_eq!(line.alive(), rank);
    assert!(line.recount_agrees());
    let (back, bytes) = stored(&line);
    let line_bytes = bytes - (1_000_000 % HOLDERS_PAGE as usize) * HOLDER_BYTES;
    let milli_bytes = line_bytes as u64 * 1_000 / rank;
    println!("{bytes} bytes for {rank} waiters, of whom {milli_bytes} thousandths a waiter say where they stand");
    assert!(milli_bytes <= 2_000, "{milli_bytes} thousandths of a byte a waiter");
    assert!(back == line, "another line came back");
}

/// The worst case for the lobby table: every ticket through another lobby than the one before.
#[test]
fn lobbies_that_take_turns_cost_a_byte_a_ticket() {
    let mut line = Line::default();
    (0..20_000_u64).for_each(|i| {
        line.join(LobbyId((i % 256) as u16), &people(1));
    });
    for number in 1..=20_000 {
        assert_eq!(line.lobby(Number(number)), LobbyId(((number - 1) % 256) as u16));
    }
    let bytes = postcard::to_allocvec(&line).expect("encodes").len();
    assert!(bytes <= (2 + HOLDER_BYTES) * 20_000, "{bytes}");
}

/// Stored bytes that were cut short are refused.
#[test]
fn a_line_cut_short_is_refused() {
    let mut pair = Pair::new(5);
    (0..300).for_each(|_| pair.step(30));
    let bytes = postcard::to_allocvec(&pair.line).expect("encodes");
    for _ in 0..300 {
        let cut = pair.rng.usize(0..bytes.len());
        assert!(postcard::from_bytes::<Line>(&bytes[..cut]).is_err());
    }
}
