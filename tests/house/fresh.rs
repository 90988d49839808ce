//! A front with an old copy never lets through what has been gated for longer than the bound, whatever requests come when, however
//! long the house takes, with or without the data centre's cache.

use baton::house::fresh::{
    BOUND_MS, CACHED_S, Copied, Due, FRESH_MS, OPERATORS_MS, STALE_MS, WAIT_MS,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// An isolate, its data centre's cache, and a house that changes at some moments.
struct World {
    now_ms: u64,
    /// Version 0 from the beginning, then one more at each of these.
    changes_ms: Vec<u64>,
    /// What the cache has, when it was asked for, and since when it is there.
    cache: Option<(usize, u64, u64)>,
    copied: Copied,
    version: Option<usize>,
    /// Questions that are under way: as of when, answered at, with what.
    coming: Vec<(u64, u64, usize)>,
}

impl World {
    fn version_at(&self, at_ms: u64) -> usize {
        self.changes_ms
            .iter()
            .filter(|change| **change <= at_ms)
            .count()
    }

    /// Asks by way of the cache; the answer takes `took_ms`.
    fn ask(&mut self, took_ms: u64) -> (u64, u64, usize) {
        let asked = self.now_ms;
        if let Some((version, as_of, since)) = self.cache
            && (since..since + CACHED_S * 1_000).contains(&asked)
        {
            return (as_of, asked, version);
        }
        let version = self.version_at(asked + took_ms / 2);
        self.cache = Some((version, asked, asked + took_ms));
        (asked, asked + took_ms, version)
    }

    fn take(&mut self, (as_of, _, version): (u64, u64, usize)) {
        self.version = self.version.max(Some(version));
        self.copied.came(as_of);
    }

    fn arrive(&mut self) {
        let now_ms = self.now_ms;
        let (due, rest): (Vec<_>, Vec<_>) = self
            .coming
            .iter()
            .copied()
            .partition(|(_, at, _)| *at <= now_ms);
        self.coming = rest;
        for answer in due {
            self.take(answer);
        }
    }

    /// A request; the version by which it is judged.
    fn request(&mut self, took_ms: u64) -> Option<usize> {
        self.arrive();
        match self.copied.due(self.now_ms) {
            Due::Nothing => {}
            Due::Beside => {
                self.copied.asked(self.now_ms);
                let answer = self.ask(took_ms);
                self.coming.push(answer);
            }
            Due::First => {
                let answer = self.ask(took_ms);
                if took_ms <= WAIT_MS {
                    self.now_ms = answer.1;
                    self.take(answer);
                } else {
                    self.now_ms += WAIT_MS;
                    self.copied.failed(self.now_ms);
                }
            }
        }
        self.version
    }
}

#[test]
fn a_change_holds_within_the_bound() {
    let mut waited = 0;
    for seed in 1..=2_000 {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ seed);
        let changes_ms = (0..8).map(|_| 20_000 + dice.below(60_000)).collect();
        let mut world = World {
            now_ms: 10_000,
            changes_ms,
            cache: None,
            copied: Copied::default(),
            version: None,
            coming: Vec::new(),
        };
        let pause = [20, 400, 1_500, 6_000][dice.below(4) as usize];
        while world.now_ms < 90_000 {
            world.now_ms += 1 + dice.below(pause);
            let asked_at = world.now_ms;
            let took_ms = dice.below(WAIT_MS);
            let judged = world.request(took_ms).expect("the house answers in time");
            waited += usize::from(world.now_ms > asked_at);
            let must = world.version_at(asked_at.saturating_sub(BOUND_MS));
            assert!(
                judged >= must,
                "seed {seed}, at {asked_at} ms: judged by {judged}, {must} has held for {BOUND_MS} ms"
            );
        }
    }
    assert!(waited > 1_000, "only {waited} requests waited");
}

#[test]
fn under_load_one_request_asks_beside_its_answer_and_none_waits() {
    let mut copied = Copied::default();
    assert_eq!(copied.due(0), Due::First, "nothing is known");
    copied.came(0);
    for now_ms in 0..FRESH_MS {
        assert_eq!(copied.due(now_ms), Due::Nothing);
    }
    assert_eq!(copied.due(FRESH_MS), Due::Beside);
    copied.asked(FRESH_MS);
    assert_eq!(copied.due(FRESH_MS + 1), Due::Nothing, "somebody is asking");
    copied.came(FRESH_MS);
    assert_eq!(copied.due(STALE_MS - 1), Due::Nothing);
    assert_eq!(copied.due(FRESH_MS + STALE_MS), Due::First);
}

#[test]
fn a_house_that_is_away_costs_one_request_its_patience_and_not_every_one() {
    let mut copied = Copied::default();
    copied.came(0);
    copied.failed(STALE_MS);
    assert_eq!(copied.due(STALE_MS + 1), Due::Nothing);
    assert_eq!(
        copied.due(STALE_MS + 2_000),
        Due::First,
        "it is tried again"
    );
    copied.came(STALE_MS + 2_000);
    copied.is_old();
    assert_eq!(
        copied.due(STALE_MS + 2_001),
        Due::First,
        "a change is waited for"
    );
}

#[test]
fn while_the_house_is_away_its_operators_go_on_for_so_long_and_no_longer() {
    let mut copied = Copied::default();
    assert!(!copied.vouches(1_000), "nobody was ever named here");
    copied.came(1_000);
    copied.is_old();
    copied.failed(5_000);
    assert!(copied.vouches(1_000 + OPERATORS_MS - 1));
    assert!(!copied.vouches(1_000 + OPERATORS_MS));
    copied.came(900_000);
    copied.came(2_000);
    assert!(
        copied.vouches(900_000 + OPERATORS_MS - 1),
        "an older answer takes nothing back"
    );
}
