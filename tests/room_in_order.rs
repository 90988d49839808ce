//! The map for keys that nearly come in order against an ordinary one.
//! `BATON_SEED=<seed> cargo test --test room_in_order` replays a failure.

#![allow(clippy::expect_used, reason = "a test that cannot go on stops")]

use baton::room::in_order::{InOrder, Key};
use core::cell::Cell;
use core::cmp::Ordering;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

thread_local! {
    static COMPARED: Cell<u64> = const { Cell::new(0) };
}

/// A key that counts how often it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counted(u64);

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> Ordering {
        COMPARED.set(COMPARED.get() + 1);
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key for Counted {
    fn steps_to(self, later: Self) -> usize {
        usize::try_from(later.0.saturating_sub(self.0)).unwrap_or(usize::MAX)
    }
}

/// How keys come and go.
#[derive(Clone, Copy, Debug)]
enum Habit {
    /// One after the other, and go as they came: a line.
    Line,
    /// In order, and go whenever they like: visits of all lengths.
    Visits,
    /// As visits, but every fifth is an earlier one: calls of those who were away.
    Returns,
    /// A handful of keys that come and go: gaps are filled again.
    Few,
    /// Anywhere in 64 bits.
    Anywhere,
}

const HABITS: [Habit; 5] = [Habit::Line, Habit::Visits, Habit::Returns, Habit::Few, Habit::Anywhere];

struct Pair {
    rng: fastrand::Rng,
    habit: Habit,
    next: u64,
    map: InOrder<Counted, u64>,
    model: BTreeMap<u64, u64>,
}

impl Pair {
    fn new(seed: u64, habit: Habit) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(seed),
            habit,
            next: 0,
            map: InOrder::default(),
            model: BTreeMap::new(),
        }
    }

    fn new_key(&mut self) -> u64 {
        match self.habit {
            Habit::Line | Habit::Visits => {}
            Habit::Returns if self.rng.u8(0..5) > 0 => {}
            Habit::Returns => return self.rng.u64(0..=self.next),
            Habit::Few => return self.rng.u64(0..24),
            Habit::Anywhere => return self.rng.u64(..),
        }
        // Now and then some are missing.
        self.next += 1 + u64::from(self.rng.u8(0..20) == 0) * 3;
        self.next
    }

    fn some_key(&mut self) -> u64 {
        let count = self.model.len();
        let nth = match self.habit {
            Habit::Line => 0,
            _ if count == 0 => 0,
            _ => self.rng.usize(0..count),
        };
        let known = self.model.keys().nth(nth).copied();
        known.filter(|_| self.rng.u8(0..8) > 0).unwrap_or_else(|| self.new_key())
    }

    fn insert(&mut self) {
        let (key, value) = (self.new_key(), self.rng.u64(..));
        self.map.insert(Counted(key), value);
        self.model.insert(key, value);
    }

    fn remove(&mut self) {
        let key = self.some_key();
        assert_eq!(self.map.remove(Counted(key)), self.model.remove(&key));
    }

    fn step(&mut self, upto: usize) {
        match self.rng.u8(0..100) {
            0..46 if self.model.len() < upto => self.insert(),
            0..92 => self.remove(),
            92..97 => {
                let (key, value) = (self.some_key(), self.rng.u64(..));
                if let Some(kept) = self.map.get_mut(Counted(key)) {
                    *kept = value;
                }
                self.model.entry(key).and_modify(|kept| *kept = value);
            }
            97 => {
                let odd = self.rng.u64(0..7);
                self.map.retain(|key, value| (key.0 ^ value) % 7 != odd);
                self.model.retain(|key, value| (*key ^ *value) % 7 != odd);
            }
            98 => {
                // As over a restart.
                let bytes = postcard::to_allocvec(&self.map).expect("encodes");
                let plain = postcard::to_allocvec(&self.model).expect("encodes");
                assert_eq!(bytes, plain, "the stored form is an ordinary map's");
                let back = postcard::from_bytes(&bytes).expect("decodes");
                assert_eq!(self.map, back);
                self.map = back;
            }
            _ if self.rng.u8(0..20) == 0 => {
                self.map.clear();
                self.model.clear();
            }
            _ => {}
        }
    }

    fn compare(&mut self) {
        let some = self.some_key();
        let model = &self.model;
        assert_eq!(self.map.len(), model.len());
        assert_eq!(self.map.is_empty(), model.is_empty());
        let least = model.keys().next().copied();
        assert_eq!(self.map.first().map(|key| key.0), least);
        assert_eq!(self.map.get(Counted(some)), model.get(&some));
        let plain = |(key, value): (Counted, &u64)| (key.0, *value);
        let all = self.map.iter().map(plain);
        assert!(all.eq(model.iter().map(|(key, value)| (*key, *value))));
    }
}

fn seeds() -> Vec<u64> {
    match option_env!("BATON_SEED").and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..40).collect(),
    }
}

#[test]
fn it_is_an_ordinary_map() {
    for seed in seeds() {
        for habit in HABITS {
            println!("BATON_SEED={seed} cargo test --test room_in_order ({habit:?})");
            let mut pair = Pair::new(seed, habit);
            for _ in 0..600 {
                pair.step(60);
                pair.compare();
            }
        }
    }
}

/// Two that hold the same are equal, whatever came and went before; others are not.
#[test]
fn equality_is_of_what_is_held() {
    let key = Counted;
    let mut one = InOrder::default();
    let mut other = InOrder::default();
    (1..=9).for_each(|i| one.insert(key(i), i));
    (1..=9).rev().for_each(|i| other.insert(key(i), i));
    assert_eq!(one, other);
    (3..8).for_each(|i| assert_eq!(one.remove(key(i)), Some(i)));
    assert_ne!(one, other);
    (3..8).for_each(|i| assert_eq!(other.remove(key(i)), Some(i)));
    assert_eq!(one, other);
    other.insert(key(9), 0);
    assert_ne!(one, other);
}

/// How often keys are compared for each insertion, look-up and removal while `held` are held.
fn compared(habit: Habit, held: usize) -> u64 {
    let mut pair = Pair::new(11, habit);
    let mut keys: Vec<u64> = Vec::new();
    let mut counted = 0;
    for i in 0..held * 4 {
        if keys.len() >= held {
            let gone = match habit {
                Habit::Line => keys.remove(0),
                _ => keys.swap_remove(pair.rng.usize(0..keys.len())),
            };
            assert!(pair.map.remove(Counted(gone)).is_some());
        }
        let key = match habit {
            // The last first: nothing that comes is in order.
            Habit::Few => u64::MAX - i as u64,
            _ => pair.new_key(),
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
        let before = COMPARED.get();
        pair.map.insert(Counted(key), 0);
        assert!(pair.map.get(Counted(key)).is_some());
        counted += COMPARED.get() - before;
    }
    counted / (held as u64 * 4)
}

/// Whatever the keys are, a step more for each doubling and no more; and in a line nothing is searched.
#[test]
fn an_adversary_gets_logarithms() {
    for habit in HABITS {
        let (few, many) = (compared(habit, 250), compared(habit, 4_000));
        println!("{habit:?}: {few} comparisons with 250 keys, {many} with 4,000");
        // Four doublings, for each at most a B-tree's node of eleven keys, for one insertion and one look-up.
        assert!(many <= few + 2 * 2 * 11, "{habit:?}: {few}, then {many}");
        assert!(many <= 120, "{habit:?}: {many}");
    }
    assert!(compared(Habit::Line, 4_000) <= 8);
}
