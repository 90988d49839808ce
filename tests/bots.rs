//! A crowd that is honest beside bots from few addresses: with limits it hardly waits longer than without bots, and
//! without limits it does. One lobby and its room, simulated time.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

use baton::lobby::{Book, Delivered, Limits, Lobby, LobbyConfig, Progress};
use baton::room::Room;
use baton::room::config::RoomConfig;
use baton::units::{AddressTag, Instant, LobbyId, VisitorId};
use baton::wire::{Ask, State, Wish};
use std::collections::BTreeMap;

const STEP_MS: u64 = 100;
const STEPS: u64 = 2_400;
const HOLD_STEPS: u64 = 50;
const HONEST: u64 = 1_500;
const PERMITS: u32 = 50;
/// 100,000 requests without cookies in 2,000 steps, from three addresses.
const GHOSTS_A_STEP: u64 = 50;
const GHOST_STEPS: u64 = 2_000;
/// 1,000 clients from five addresses, who try every five seconds.
const GREEDY: u64 = 1_000;

fn named(address: u64, nth: u64) -> VisitorId {
    // Even: an IPv6 network.
    VisitorId::at(AddressTag((address * 2).to_be_bytes()), nth.to_be_bytes())
}

fn honest(nth: u64) -> VisitorId {
    named(1_000_000 + nth, nth)
}

struct Sale {
    room: Room,
    lobby: Lobby,
    now: Instant,
    step: u64,
    leaves: BTreeMap<u64, Vec<VisitorId>>,
    joined: BTreeMap<VisitorId, u64>,
    waited_ms: BTreeMap<VisitorId, u64>,
}

impl Sale {
    fn new(limits: Limits) -> Self {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: 3_600_000,
            tick_ms: 1_000,
            lease_idle_ms: 600_000,
            tickets_max: 16_000,
            limits,
        };
        let now = Instant(1_000_000);
        let mut room = Room::new();
        let mut row = room.open_row(now);
        let rules = RoomConfig {
            permits: PERMITS,
            ..RoomConfig::default()
        };
        room.configure(&rules, &mut row);
        Self {
            room,
            lobby: Lobby::wake(LobbyId(0), config, Book::default(), now),
            now,
            step: 0,
            leaves: BTreeMap::new(),
            joined: BTreeMap::new(),
            waited_ms: BTreeMap::new(),
        }
    }

    fn ask(&mut self, visitor: VisitorId, wish: Wish) {
        let ask = Ask {
            visitor,
            shown: None,
            wish,
        };
        // What it leads to is seen in the visitor's status.
        let _ = self.lobby.ask(self.now, 0, &ask, &Progress::default());
    }

    fn join(&mut self, visitor: VisitorId) {
        self.joined.entry(visitor).or_insert(self.step);
        self.ask(visitor, Wish::Join);
    }

    /// Whoever is called comes; whoever is in leaves after a while.
    fn heed(&mut self, delivered: Delivered) {
        for visitor in delivered.changed {
            if !self.joined.contains_key(&visitor) {
                continue;
            }
            match self.lobby.status(self.now, 0, visitor).state {
                State::Called => self.ask(visitor, Wish::Claim),
                State::Admitted => {
                    let since = self.joined.get(&visitor).copied().unwrap_or(self.step);
                    let waited_ms = (self.step - since) * STEP_MS;
                    if self.waited_ms.insert(visitor, waited_ms).is_none() {
                        let leaving = self.leaves.entry(self.step + HOLD_STEPS);
                        leaving.or_default().push(visitor);
                    }
                }
                State::None | State::Hall | State::Waiting | State::Over => {}
            }
        }
    }

    fn talk(&mut self) {
        while let Some(batch) = self.lobby.next_batch(self.now) {
            let mut row = self.room.open_row(self.now);
            let message = self
                .room
                .receive(self.now, &batch, &mut row)
                .expect("taken");
            let delivered = self.lobby.delivered(self.now, &message);
            self.heed(delivered);
        }
    }

    fn advance(&mut self) {
        self.talk();
        if self.step.is_multiple_of(10) {
            let mut row = self.room.open_row(self.now);
            self.room.take_turn(self.now, &mut row);
        }
        let message = self.room.message(self.now, LobbyId(0));
        let delivered = self.lobby.pushed(self.now, &message);
        self.heed(delivered);
        self.talk();
        let _ = self.lobby.take_unsaved();
        self.step += 1;
        self.now = self.now.plus_ms(STEP_MS);
        for visitor in self.leaves.remove(&self.step).unwrap_or_default() {
            self.ask(visitor, Wish::Leave);
            self.joined.remove(&visitor);
        }
    }
}

/// The honest crowd's mean wait, ms.
fn mean_wait_ms(limits: Limits, with_bots: bool) -> u64 {
    let mut sale = Sale::new(limits);
    let mut ghosts = 0;
    while sale.step < STEPS {
        let step = sale.step;
        if with_bots && step < GHOST_STEPS {
            for _ in 0..GHOSTS_A_STEP {
                ghosts += 1;
                let wish = Wish::Arrive {
                    walk_in: true,
                    join: false,
                };
                sale.ask(named(1 + ghosts % 3, ghosts), wish);
            }
            for nth in (0..GREEDY).filter(|nth| nth % 50 == step % 50) {
                sale.join(named(11 + nth % 5, nth));
            }
        }
        // All within twenty seconds.
        for nth in (0..HONEST).filter(|nth| nth % 200 == step) {
            sale.join(honest(nth));
        }
        sale.advance();
    }
    // Who did not come in at all has waited all the time.
    let wait_ms = |nth| sale.waited_ms.get(&honest(nth)).copied();
    let waits = (0..HONEST).map(|nth| wait_ms(nth).unwrap_or(STEPS * STEP_MS));
    waits.sum::<u64>() / HONEST
}

#[test]
fn bots_from_few_addresses_make_an_honest_crowd_wait_hardly_longer() {
    let limits = Limits {
        tickets_per_ip_max: 2,
        walk_ins_per_ip_max: 1,
        joins_per_ip_per_minute: 4,
        ..Limits::default()
    };
    let alone = mean_wait_ms(limits, false);
    let beside = mean_wait_ms(limits, true);
    let unlimited = mean_wait_ms(Limits::default(), true);
    println!("mean wait: {alone} ms alone, {beside} ms beside bots, {unlimited} ms without limits");
    assert!(beside * 10 <= alone * 11, "{beside} ms instead of {alone}");
    assert!(
        unlimited * 10 > alone * 11,
        "the bots are none: {unlimited} ms"
    );
}
