//! One account, one place: whatever it comes with, and whatever happens to the place.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod wishes;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, Row};
use baton::facts::hall::{Door, Draw};
use baton::facts::holder::{Comes, Key, Member};
use baton::facts::hours::Period;
use baton::facts::message::{Change, Listed};
use baton::facts::reply::{NoTicket, Reached, Reply, Standing};
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::room::hall::Lots;
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use wishes::holder;

const HERE: LobbyId = LobbyId(0);
const THERE: LobbyId = LobbyId(1);
/// Devices.
const PHONE: u64 = 1;
const LAPTOP: u64 = 2;
const TABLET: u64 = 3;
/// Accounts.
const ANN: Key = Key(0xa11);
const BOB: Key = Key(0xb0b);

struct Shop {
    room: Room,
    now: Instant,
    facts: Vec<Event>,
}

impl Shop {
    fn new(permits: u32) -> Self {
        let mut shop = Self {
            room: Room::new(),
            now: Instant(1_000_000),
            facts: vec![],
        };
        let config = RoomConfig {
            permits,
            lease_idle_ms: 60_000,
            grace_ms: 14_000,
            ..RoomConfig::default()
        };
        shop.turn(|room, _, row| room.configure(&config, row));
        shop
    }

    /// One turn; every law holds after it.
    fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        laws::check_row(&before, &self.room, &row).expect("lawful");
        laws::check_state(&self.room, self.now).expect("lawful");
        self.facts = row.events;
        result
    }

    fn say(&mut self, lobby: LobbyId, command: Command) -> Reply {
        self.turn(|room, now, row| wishes::say(room, now, &command, lobby, row))
    }

    /// A device joins for an account: `None`, it has the account's place here.
    fn come(&mut self, device: u64, account: Key, comes: Comes) -> Option<NoTicket> {
        self.come_at(HERE, device, account, comes)
    }

    fn come_at(&mut self, lobby: LobbyId, device: u64, account: Key, comes: Comes) -> Option<NoTicket> {
        let member = Member {
            holder: holder(device),
            account,
            comes,
        };
        match self.say(lobby, Command::join(vec![member])) {
            Reply::Joined(without) => without.first().map(|(_, why)| *why),
            other => panic!("{other:?}"),
        }
    }

    fn join(&mut self, device: u64) {
        self.say(HERE, Command::join(vec![holder(device)]));
    }

    fn usher(&mut self) {
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    fn claim(&mut self, number: u64) {
        let claim = wishes::claim(&self.room, Number(number));
        self.say(HERE, claim);
    }

    /// The number of a device, and of an account.
    fn number(&self, device: u64) -> Option<u64> {
        let number = self.room.living_of(holder(device).key);
        number.map(|number| number.0)
    }

    fn place(&self, account: Key) -> Option<u64> {
        let number = self.room.living_of_account(account);
        number.map(|number| number.0)
    }
}

#[test]
fn an_account_gets_one_number_and_keeps_it() {
    let mut shop = Shop::new(0);
    shop.join(9);
    assert_eq!(shop.come(PHONE, ANN, Comes::Anew), None);
    let owned = Event::Owned {
        tickets: vec![Number(2)],
        accounts: vec![ANN],
    };
    assert!(shop.facts.contains(&owned), "{:?}", shop.facts);
    for comes in [Comes::Anew, Comes::Back, Comes::ByButton] {
        assert_eq!(shop.come(PHONE, ANN, comes), None);
        assert_eq!(shop.facts, [], "it has it already");
    }
    assert_eq!((shop.number(PHONE), shop.place(ANN)), (Some(2), Some(2)));
    // Logged out: the place stays.
    shop.join(PHONE);
    assert_eq!(shop.place(ANN), Some(2));
}

#[test]
fn the_newest_device_takes_over_a_place_that_waits() {
    let mut shop = Shop::new(0);
    shop.come(PHONE, ANN, Comes::Anew);
    let knew = shop.room.version();
    shop.join(LAPTOP);
    assert_eq!(shop.come(LAPTOP, ANN, Comes::Anew), None);
    assert_eq!((shop.number(LAPTOP), shop.number(PHONE)), (Some(1), None));
    assert_eq!(shop.room.line().alive(), 1, "its own place is left");
    // The phone's lobby hears whose the place is now, and a link made before is void.
    let changes = shop.room.book().changes_since(shop.room.tickets(), shop.now, HERE, knew).unwrap();
    let moved = |change: &Change| {
        matches!(change, Change::Lives(Listed { number: Number(1), holder: of, .. })
            if *of == holder(LAPTOP))
    };
    assert!(changes.iter().any(moved), "{changes:?}");
    let link = Command::Carry {
        place: baton::facts::holder::Held {
            number: Number(1),
            key: holder(LAPTOP).key,
        },
        row: knew,
        to: holder(TABLET),
    };
    assert_eq!(shop.say(HERE, link), Reply::None(NoTicket::Void));
    // Also one that is away.
    let away = wishes::away(&shop.room, &[Number(1)]);
    shop.say(HERE, away);
    assert_eq!(shop.come(TABLET, ANN, Comes::Anew), None);
    assert_eq!(shop.number(TABLET), Some(1));
}

/// A page that sleeps while its place moves on does not take it back by waking up.
#[test]
fn who_comes_back_without_a_place_takes_none() {
    let mut shop = Shop::new(0);
    shop.come(PHONE, ANN, Comes::Anew);
    shop.come(LAPTOP, ANN, Comes::Anew);
    let elsewhere = Some(NoTicket::Elsewhere(Reached::Waiting));
    assert_eq!(shop.come(PHONE, ANN, Comes::Back), elsewhere);
    assert_eq!((shop.number(LAPTOP), shop.facts.len()), (Some(1), 0));
    assert_eq!(shop.come(PHONE, ANN, Comes::ByButton), None);
    assert_eq!(shop.number(PHONE), Some(1));
    // One that has an anonymous place comes back with that.
    shop.join(LAPTOP);
    assert_eq!(shop.come(LAPTOP, ANN, Comes::Back), None);
    assert_eq!((shop.number(LAPTOP), shop.number(PHONE)), (Some(1), None));
}

#[test]
fn a_place_that_is_called_or_inside_moves_by_a_button() {
    let mut shop = Shop::new(1);
    shop.come(PHONE, ANN, Comes::Anew);
    shop.usher();
    let called = Some(NoTicket::Elsewhere(Reached::Called));
    assert_eq!(shop.come(LAPTOP, ANN, Comes::Anew), called);
    assert_eq!((shop.number(PHONE), shop.facts.len()), (Some(1), 0));
    assert_eq!(shop.come(LAPTOP, ANN, Comes::ByButton), None);
    let carried = |event: &Event| {
        matches!(
            event,
            Event::Carried {
                number: Number(1),
                fences: Some((Fence(1), Fence(2))),
                ..
            }
        )
    };
    assert!(shop.facts.iter().any(carried), "{:?}", shop.facts);
    shop.claim(1);
    let inside = Some(NoTicket::Elsewhere(Reached::Admitted));
    assert_eq!(shop.come(PHONE, ANN, Comes::Anew), inside);
    assert_eq!(shop.come(PHONE, ANN, Comes::ByButton), None);
    let (number, standing) = shop.room.case(shop.now).check(Fence(3));
    assert_eq!(number, Number(1));
    assert!(matches!(standing, Standing::Admitted { .. }), "{standing:?}");
    assert_eq!(shop.room.case(shop.now).check(Fence(2)).1, Standing::Over);
}

/// Whoever is called or inside without an account loses no permit by signing in.
#[test]
fn a_permit_is_left_for_an_accounts_place_by_a_button_only() {
    let mut shop = Shop::new(1);
    shop.join(LAPTOP);
    shop.usher();
    shop.come(PHONE, ANN, Comes::Anew);
    let waits = Some(NoTicket::Elsewhere(Reached::Waiting));
    assert_eq!(shop.come(LAPTOP, ANN, Comes::Anew), waits);
    assert_eq!((shop.number(LAPTOP), shop.number(PHONE)), (Some(1), Some(2)));
    // The permit that it leaves goes to the very place that moves.
    assert_eq!(shop.come(LAPTOP, ANN, Comes::ByButton), None);
    assert_eq!((shop.number(LAPTOP), shop.number(PHONE)), (Some(2), None));
    let (_, grant) = shop.room.permits().of_number(Number(2)).expect("called");
    assert_eq!(grant.account, Some(ANN));
}

#[test]
fn an_anonymous_place_becomes_the_accounts() {
    let mut shop = Shop::new(2);
    shop.join(PHONE);
    shop.join(LAPTOP);
    assert_eq!(shop.come(PHONE, ANN, Comes::Back), None);
    assert_eq!((shop.number(PHONE), shop.place(ANN)), (Some(1), Some(1)));
    // One that is called, and one that is inside.
    shop.usher();
    assert_eq!(shop.come(LAPTOP, BOB, Comes::Back), None);
    assert_eq!(shop.place(BOB), Some(2));
    shop.claim(2);
    assert_eq!(shop.place(BOB), Some(2));
    let mut shop = Shop::new(1);
    shop.say(HERE, Command::walk_in(holder(PHONE)));
    assert_eq!(shop.come(PHONE, ANN, Comes::Back), None);
    assert_eq!(shop.place(ANN), Some(1));
}

/// Another account on one browser: nobody's place is dropped, and the browser has one.
#[test]
fn another_account_on_this_device_drops_nobodys_place() {
    let mut shop = Shop::new(0);
    shop.come(PHONE, ANN, Comes::Anew);
    for comes in [Comes::Anew, Comes::Back, Comes::ByButton] {
        assert_eq!(shop.come(PHONE, BOB, comes), Some(NoTicket::Another));
        assert_eq!((shop.place(ANN), shop.place(BOB)), (Some(1), None));
    }
    shop.come(LAPTOP, BOB, Comes::Anew);
    for comes in [Comes::Anew, Comes::ByButton] {
        assert_eq!(shop.come(PHONE, BOB, comes), Some(NoTicket::Another));
        assert_eq!(shop.come(LAPTOP, ANN, comes), Some(NoTicket::Another));
        assert_eq!((shop.place(ANN), shop.place(BOB)), (Some(1), Some(2)));
    }
    // Who gives the place up can join for the other.
    let leave = wishes::leave(&shop.room, Number(1));
    shop.say(HERE, leave);
    assert_eq!(shop.come(PHONE, BOB, Comes::Anew), None);
    assert_eq!((shop.number(PHONE), shop.place(ANN)), (Some(2), None));
}

/// A ticket has one lobby for life: the device is sent there, and finds it is its own.
#[test]
fn a_place_of_another_lobby_moves_at_once_and_the_device_is_sent_there() {
    let mut shop = Shop::new(0);
    shop.come_at(HERE, PHONE, ANN, Comes::Anew);
    shop.say(THERE, Command::join(vec![holder(LAPTOP)]));
    let at = Some(NoTicket::At(HERE));
    assert_eq!(shop.come_at(THERE, LAPTOP, ANN, Comes::Anew), at);
    assert_eq!(shop.room.line().alive(), 1, "its own place there is left");
    assert_eq!(shop.come_at(HERE, LAPTOP, ANN, Comes::Anew), None);
    assert_eq!((shop.number(LAPTOP), shop.number(PHONE)), (Some(1), None));
    assert_eq!(shop.come_at(THERE, LAPTOP, BOB, Comes::Anew), at);
}

#[test]
fn joins_in_one_batch_are_taken_in_order() {
    let mut shop = Shop::new(0);
    let member = |device: u64, account: u64| Member {
        holder: holder(device),
        account: Key(account),
        comes: Comes::Anew,
    };
    let members = vec![member(1, 1), member(2, 2), member(3, 1), member(3, 2), member(4, 4), member(5, 5)];
    let answer = shop.say(HERE, Command::join(members));
    let elsewhere = NoTicket::Elsewhere(Reached::Waiting);
    let without = vec![(0, elsewhere), (3, NoTicket::Another)];
    assert_eq!(answer, Reply::Joined(without));
    assert_eq!(shop.place(Key(1)), Some(1));
    assert_eq!(shop.number(3), Some(1));
    assert_eq!((shop.number(4), shop.number(5)), (Some(3), Some(4)));
    let issued = |event: &&Event| matches!(event, Event::Joined { .. });
    assert_eq!(shop.facts.iter().filter(issued).count(), 2, "in runs");
}

#[test]
fn a_walk_in_is_the_accounts_and_none_has_a_place_beside_it() {
    let mut shop = Shop::new(2);
    let walk_in = |device: u64, account: Key| {
        Command::walk_in(Member {
            holder: holder(device),
            account,
            comes: Comes::Back,
        })
    };
    let answer = shop.say(HERE, walk_in(PHONE, ANN));
    assert!(matches!(answer, Reply::Stands(Number(1), _)), "{answer:?}");
    assert_eq!(shop.place(ANN), Some(1));
    let answer = shop.say(HERE, walk_in(LAPTOP, ANN));
    assert_eq!(answer, Reply::None(NoTicket::NoWalkIn));
    assert_eq!(shop.number(LAPTOP), None);
    // One that has run out is taken back first.
    shop.now = shop.now.plus_ms(60_000);
    let answer = shop.say(HERE, walk_in(LAPTOP, ANN));
    assert!(matches!(answer, Reply::Stands(Number(2), _)), "{answer:?}");
    assert_eq!(shop.place(ANN), Some(2));
}

/// Every way in which a place ends leaves the account without one, and free to take another.
///
/// Long because it is one table, a row for each way in which a place ends.
#[test]
fn an_account_whose_place_ended_may_have_another() {
    type End = fn(&mut Shop);
    let ends: [(&str, End); 8] = [
        ("left", |shop| {
            let leave = wishes::leave(&shop.room, Number(1));
            shop.say(HERE, leave);
        }),
        ("away for too long", |shop| {
            let away = wishes::away(&shop.room, &[Number(1)]);
            shop.say(HERE, away);
            shop.now = shop.now.plus_ms(16_000);
            shop.usher();
        }),
        ("released", |shop| {
            shop.usher();
            shop.claim(1);
            shop.say(HERE, Command::Release(Fence(1)));
        }),
        ("expired", |shop| {
            shop.usher();
            shop.claim(1);
            shop.now = shop.now.plus_ms(3_600_000_000);
        }),
        ("missed twice", |shop| {
            shop.usher();
            for _ in 0..2 {
                shop.now = shop.now.plus_ms(120_000);
                shop.usher();
                let back = wishes::back(&shop.room, Number(1));
                shop.say(HERE, back);
                shop.usher();
            }
        }),
        ("dismissed", |shop| {
            let number = shop.room.living_of_account(ANN);
            assert_eq!(number, Some(Number(1)));
            assert!(shop.turn(|room, now, row| room.dismiss(now, Number(1), "desk", row)));
            assert_eq!(shop.room.living_of_account(ANN), None);
        }),
        ("sold out", |shop| {
            let open = shop.room.config().clone();
            let sold_out = RoomConfig {
                mode: Mode::SoldOut,
                ..open.clone()
            };
            shop.turn(|room, _, row| room.configure(&sold_out, row));
            shop.turn(|room, _, row| room.configure(&open, row));
        }),
        ("reset", |shop| {
            shop.turn(|room, _, row| room.reset("desk", row));
        }),
    ];
    for (name, end) in ends {
        let mut shop = Shop::new(1);
        shop.come(PHONE, ANN, Comes::Anew);
        end(&mut shop);
        let before = shop.room.line().next();
        assert_eq!(shop.come(LAPTOP, ANN, Comes::Anew), None, "{name}");
        assert_eq!(shop.place(ANN), Some(before.0), "{name}: another number");
        assert_eq!(shop.number(PHONE), None, "{name}");
    }
}

#[test]
fn a_draw_gives_an_account_one_number_for_its_entry() {
    let mut shop = Shop::new(0);
    let config = RoomConfig {
        hall_ms: 60_000,
        draw: Draw::Shuffle,
        periods: vec![Period {
            opens_at_ms: 1_000_000,
            closes_at_ms: 9_000_000,
        }],
        ..shop.room.config().clone()
    };
    shop.turn(|room, _, row| {
        room.configure(&config, row);
        room.keep_hours(980_000, &Lots::default(), row);
    });
    assert!(matches!(shop.room.hall().door(), Door::Hall { .. }));
    for device in 1..=5 {
        shop.come(device, Key(device), Comes::Anew);
    }
    assert_eq!(shop.come(9, Key(2), Comes::Anew), None);
    let hall = Some(NoTicket::Elsewhere(Reached::Hall));
    assert_eq!(shop.come(2, Key(2), Comes::Back), hall);
    shop.turn(|room, _, row| room.keep_hours(1_000_000, &Lots::default(), row));
    let mut numbers: Vec<_> = (1..=5).filter_map(|of| shop.place(Key(of))).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(shop.number(9), shop.place(Key(2)));
}

/// A snapshot, and every row after it, bring the accounts back.
#[test]
fn accounts_come_back_with_a_snapshot() {
    let mut shop = Shop::new(2);
    for device in 1..=6 {
        shop.come(device, Key(device), Comes::Anew);
    }
    shop.usher();
    shop.claim(1);
    let leave = wishes::leave(&shop.room, Number(5));
    shop.say(HERE, leave);
    shop.come(9, Key(6), Comes::Anew);
    let back = wishes::come_back(&shop.room);
    assert_eq!(back, shop.room);
    for account in (1..=7).map(Key) {
        let found = back.living_of_account(account);
        assert_eq!(found, shop.room.living_of_account(account), "{account}");
    }
    assert_eq!(back.living_of_account(Key(1)), Some(Number(1)));
    assert_eq!(back.version(), Version(shop.room.version().0));
}

/// A walk-in takes nothing over: not even a place that waits, as a join would. A place without an account becomes its own.
#[test]
fn a_walk_in_moves_no_place_and_makes_an_anonymous_one_the_accounts() {
    let mut shop = Shop::new(0);
    shop.come(PHONE, ANN, Comes::Anew);
    shop.join(LAPTOP);
    let walk_in = |account| {
        Command::walk_in(Member {
            holder: holder(LAPTOP),
            account,
            comes: Comes::Back,
        })
    };
    shop.say(HERE, walk_in(ANN));
    assert_eq!((shop.place(ANN), shop.facts.len()), (Some(1), 0));
    assert_eq!(shop.number(PHONE), Some(1));
    shop.say(HERE, walk_in(BOB));
    assert_eq!((shop.place(BOB), shop.number(LAPTOP)), (Some(2), Some(2)));
}
