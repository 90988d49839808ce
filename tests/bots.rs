//! A crowd that is honest beside bots from few addresses: with limits it hardly waits longer than without bots, and
//! without limits it does. One lobby and its room, simulated time.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

use baton::facts::config::RoomConfig;
use baton::facts::holder::{Salt, Shown};
use baton::facts::message::{FromRoom, ToRoom};
use baton::facts::units::{AddressTag, Instant, LobbyId, VisitorId};
use baton::facts::wire::{Ask, State, Wish};
use baton::lobby::{Asker, Effect, Limits, Lobby, LobbyConfig, Moment};
use baton::room::Room;
use baton::room::courier::Courier;
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
    // Even: an IPv6 network, each in a /48 of its own.
    VisitorId::at(AddressTag((address << 32).to_be_bytes()), nth.to_be_bytes())
}

fn honest(nth: u64) -> VisitorId {
    named(1_000_000 + nth, nth)
}

struct Sale {
    room: Room,
    courier: Courier,
    lobby: Lobby,
    now: Instant,
    step: u64,
    asked: u64,
    leaves: BTreeMap<u64, Vec<VisitorId>>,
    joined: BTreeMap<VisitorId, u64>,
    waited_ms: BTreeMap<VisitorId, u64>,
}

impl Sale {
    fn new(limits: Limits) -> Self {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: 3_600_000,
            spread_ms: 0,
            tickets_max: 16_000,
            limits,
            porter: false,
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
            courier: Courier::default(),
            lobby: Lobby::new(LobbyId(0), config, 1),
            now,
            step: 0,
            asked: 0,
            leaves: BTreeMap::new(),
            joined: BTreeMap::new(),
            waited_ms: BTreeMap::new(),
        }
    }

    const fn moment(&self) -> Moment {
        Moment { now: self.now, wall_ms: 0 }
    }

    fn ask(&mut self, visitor: VisitorId, wish: Wish) {
        let shown = self.lobby.ticket_of(visitor).map(|ticket| Shown {
            edition: self.room.edition(),
            number: ticket.number,
            row: ticket.row,
        });
        let ask = Ask::plain(visitor, shown, wish);
        self.asked += 1;
        self.lobby.handle_ask(self.moment(), Asker(self.asked), ask);
    }

    fn join(&mut self, visitor: VisitorId) {
        // An honest visitor holds a socket from then on.
        if self.joined.insert(visitor, self.step).is_none() {
            self.lobby.handle_socket_opened(self.moment(), visitor, None);
        }
        self.ask(visitor, Wish::Join);
    }

    /// Called people come; people inside leave after a while.
    fn heed(&mut self, visitor: VisitorId, state: State) {
        let Some(since) = self.joined.get(&visitor).copied() else {
            return;
        };
        match state {
            State::Called => self.ask(visitor, Wish::Claim),
            State::Admitted => {
                let waited_ms = (self.step - since) * STEP_MS;
                if self.waited_ms.insert(visitor, waited_ms).is_none() {
                    let leaving = self.leaves.entry(self.step + HOLD_STEPS);
                    leaving.or_default().push(visitor);
                }
            }
            State::None | State::Hall | State::Waiting | State::Over => {}
        }
    }

    /// Carries out what the lobby wants until it wants nothing more.
    fn talk(&mut self) {
        while let Some(effect) = self.lobby.poll_effect() {
            match effect {
                Effect::Call(call, said, _) => {
                    let answer = self.hear(&said);
                    self.lobby.handle_answer(self.moment(), call, Some(answer));
                }
                Effect::Tell { visitor, status, .. } => self.heed(visitor, status.state),
                Effect::Answer(..) | Effect::Frame(..) | Effect::CloseSilent => {}
            }
        }
    }

    fn hear(&mut self, said: &ToRoom) -> FromRoom {
        let now = self.now;
        match said {
            ToRoom::Hello(hello) => self.courier.hello(&self.room, now, Salt::default(), hello),
            ToRoom::More(more) => self.courier.more(&self.room, now, more),
            ToRoom::Batch(batch) => {
                self.courier.admit(&self.room, batch).expect("taken");
                let mut row = self.room.open_row(now);
                self.room.take(now, batch.lobby, &batch.commands, batch.attempts, &mut row);
                self.courier.answer(&self.room, now, batch).into()
            }
            ToRoom::Check(_) => FromRoom::Leases(vec![]),
            // No porter is here, so nobody sends one.
            ToRoom::Bundle(_) => FromRoom::Bundle(vec![]),
        }
    }

    fn advance(&mut self) {
        self.talk();
        if self.step.is_multiple_of(10) {
            let mut row = self.room.open_row(self.now);
            self.room.take_turn(self.now, &mut row);
        }
        for push in self.courier.pushes(&self.room, self.now) {
            let heard = self.lobby.handle_push(self.moment(), &push.said);
            self.talk();
            self.courier.finished(self.now, &push, Some(heard));
        }
        self.step += 1;
        self.now = self.now.plus_ms(STEP_MS);
        self.lobby.handle_timeout(self.moment());
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
                let wish = Wish::Arrive { walk_in: true, join: false };
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
    assert!(unlimited * 10 > alone * 11, "the bots are none: {unlimited} ms");
}
