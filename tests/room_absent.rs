//! Whose turn comes while they are away (`room/absent.rs`): who is told of what, once, and within which bounds when ten thousand are called and the
//! receiver is slow, or gone.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::Row;
use baton::facts::holder::{Comes, Held, Key, Member};
use baton::facts::units::{Instant, LobbyId, Number};
use baton::room::Room;
use baton::room::absent::{ACCOUNTS_MAX, Absent, MESSAGE_EVERY_MS, NOTICE_LIFE_MS, NOTICES_MAX, Summons};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use wishes::holder;

const LOBBY: LobbyId = LobbyId(0);

/// A room without permits that is followed; people are numbered from 1, and each has the account of the same number.
#[derive(Clone)]
struct Shop {
    room: Room,
    now: Instant,
    absent: Absent,
    people: BTreeMap<Key, u64>,
}

/// The account of a person. It is spread as hashes are.
fn account(person: u64) -> Key {
    Key(holder(person).key.0.rotate_left(32))
}

impl Shop {
    fn new(near_ahead: u64) -> Self {
        let mut room = Room::new();
        let now = Instant(1_000_000);
        let mut row = room.open_row(now);
        let config = RoomConfig {
            permits: 0,
            walk_in: false,
            ..RoomConfig::default()
        };
        room.configure(&config, &mut row);
        let absent = Absent::begin(&room, near_ahead, None);
        let people = (1..=30_000).map(|person| (account(person), person));
        Self {
            room,
            now,
            absent,
            people: people.collect(),
        }
    }

    fn turn(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row)) {
        let mut row = self.room.open_row(self.now);
        act(&mut self.room, self.now, &mut row);
        self.absent.follow(&self.room, &row.events);
    }

    fn say(&mut self, command: &Command) {
        self.turn(|room, now, row| room.perform(now, command, LOBBY, row));
    }

    fn join(&mut self, people: std::ops::RangeInclusive<u64>) {
        let member = |person| Member {
            holder: holder(person),
            account: account(person),
            comes: Comes::Anew,
        };
        self.say(&Command::join(people.map(member).collect::<Vec<_>>()));
    }

    fn joins_without_account(&mut self, person: u64) {
        self.say(&Command::join(vec![holder(person)]));
    }

    /// These go away, or come back.
    fn are(&mut self, people: std::ops::RangeInclusive<u64>, here: bool) {
        let held = |number| Held {
            number: Number(number),
            key: holder(number).key,
        };
        let (mut there, mut gone) = (people.map(held).collect(), vec![]);
        if !here {
            std::mem::swap(&mut there, &mut gone);
        }
        let as_of = self.room.version();
        self.say(&Command::Presence {
            as_of,
            here: there,
            away: gone,
        });
    }

    fn permits(&mut self, permits: u32) {
        let config = RoomConfig {
            permits,
            ..self.room.config().clone()
        };
        self.turn(|room, now, row| {
            room.configure(&config, row);
            room.take_turn(now, row);
        });
    }

    fn take(&mut self) -> Option<(Summons, Vec<u64>)> {
        let (what, accounts) = self.absent.take(&self.room, self.now)?;
        let person = |key: &Key| self.people.get(key).copied().unwrap();
        Some((what, accounts.iter().map(person).collect()))
    }
}

#[test]
fn whoever_is_passed_while_away_is_told_once_and_nobody_who_is_there() {
    let mut shop = Shop::new(1);
    shop.join(1..=6);
    shop.joins_without_account(7);
    shop.are(1..=2, false);
    shop.are(4..=4, false);
    shop.permits(2);
    assert_eq!(shop.take(), Some((Summons::Called, vec![1, 2, 4])), "3 and 5 were called");
    assert_eq!(shop.take(), Some((Summons::Near, vec![4])).filter(|_| false));
    shop.permits(3);
    assert_eq!(shop.take(), None, "6 was called, and everybody was told");
}

#[test]
fn whoever_is_away_while_the_turn_comes_near_is_told_once() {
    let mut shop = Shop::new(1);
    shop.join(1..=5);
    shop.are(2..=4, false);
    assert_eq!(shop.take(), None, "2 was there when one was ahead");
    let leaves = |person| {
        Command::Leave(Held {
            number: Number(person),
            key: holder(person).key,
        })
    };
    shop.say(&leaves(1));
    assert_eq!(shop.take(), Some((Summons::Near, vec![3])));
    shop.are(3..=3, true);
    shop.are(3..=3, false);
    assert_eq!(shop.take(), None);
    shop.say(&leaves(2));
    assert_eq!(shop.take(), Some((Summons::Near, vec![4])));
}

#[test]
fn while_a_permit_is_free_and_nobody_is_there_the_first_are_told() {
    let mut shop = Shop::new(1);
    shop.join(1..=4);
    shop.are(1..=4, false);
    let _ = shop.take();
    shop.permits(2);
    assert_eq!(shop.take(), Some((Summons::Called, vec![1, 2])));
    shop.permits(3);
    assert_eq!(shop.take(), Some((Summons::Called, vec![3])));
}

#[test]
fn who_misses_a_call_is_told() {
    let mut shop = Shop::new(1);
    shop.join(1..=1);
    shop.permits(1);
    shop.now = shop.now.plus_ms(30_000);
    shop.turn(|room, now, row| room.take_turn(now, row));
    assert_eq!(shop.take(), Some((Summons::Called, vec![1])));
}

#[test]
fn who_is_back_or_gone_before_the_message_leaves_is_not_in_it() {
    let mut shop = Shop::new(1);
    shop.join(1..=5);
    shop.are(1..=4, false);
    shop.permits(1);
    shop.are(2..=2, true);
    shop.say(&Command::Leave(Held {
        number: Number(3),
        key: holder(3).key,
    }));
    assert_eq!(shop.take(), Some((Summons::Called, vec![1, 4])));
}

#[test]
fn a_room_that_comes_back_into_memory_tells_nobody_twice() {
    let mut shop = Shop::new(1);
    shop.join(1..=5);
    shop.are(1..=2, false);
    shop.permits(1);
    while shop.take().is_some() {}
    let stored = shop.absent.stored();
    shop.absent = Absent::begin(&shop.room, 1, Some(&stored));
    shop.are(4..=4, false);
    shop.permits(2);
    assert_eq!(shop.take(), Some((Summons::Called, vec![4])), "5 was called");
    shop.turn(|room, _, row| {
        room.reset("operator", row);
    });
    let anew = Absent::begin(&shop.room, 1, Some(&stored));
    assert_ne!(anew.stored(), stored, "another edition has other numbers");
}

/// Ten thousand are away when as many behind them are called in one turn.
fn ten_thousand() -> Shop {
    let mut shop = Shop::new(1);
    shop.join(1..=10_000);
    shop.join(10_001..=20_000);
    shop.are(1..=10_000, false);
    shop.permits(10_000);
    shop
}

#[test]
fn ten_thousand_leave_in_messages_of_a_hundred_and_no_more_wait_than_may() {
    let shop = ten_thousand();
    let mut quick = shop.clone();
    let mut told = 0;
    while let Some((Summons::Called, accounts)) = quick.take() {
        assert_eq!(accounts.len(), ACCOUNTS_MAX);
        told += accounts.len();
        quick.now = quick.now.plus_ms(MESSAGE_EVERY_MS);
    }
    assert_eq!(told, 10_000);

    let mut slow = shop.clone();
    let mut told = 0;
    let each_ms = MESSAGE_EVERY_MS + 5_000;
    while let Some((Summons::Called, accounts)) = slow.take() {
        told += accounts.len();
        slow.now = slow.now.plus_ms(each_ms);
    }
    let in_time = NOTICE_LIFE_MS / each_ms + 1;
    assert_eq!(told as u64, in_time * ACCOUNTS_MAX as u64);
    assert!(!slow.absent.has_any(), "the rest was dropped");

    // While the receiver is gone, a hundred more are away when somebody behind them is called.
    let mut gone = shop;
    gone.join(20_001..=20_101);
    gone.are(20_001..=20_100, false);
    gone.permits(10_001);
    let mut all = vec![];
    while let Some((Summons::Called, accounts)) = gone.take() {
        all.extend(accounts);
    }
    assert_eq!(all.len(), NOTICES_MAX);
    let (first, last) = (all.first(), all.last());
    assert_eq!((first, last), (Some(&101), Some(&20_100)), "the oldest made way");
}
