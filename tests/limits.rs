//! What one address and one visitor may take, told as stories of a lobby with a real room behind it.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on stops"
)]

#[path = "limits/costs.rs"]
mod costs;
#[path = "limits/guesses.rs"]
mod guesses;
#[path = "limits/networks.rs"]
mod networks;
#[path = "limits/permits.rs"]
mod permits;

use baton::facts::config::RoomConfig;
use baton::facts::holder::{Salt, Shown};
use baton::facts::message::{FromRoom, ToRoom};
use baton::facts::units::{AddressTag, Instant, LobbyId, VisitorId};
use baton::facts::voucher::{CODE_KEYS, CodeHash, Spend, Unspent, Voucher};
use baton::facts::wire::{Ask, Share, State, Told, Wish};
use baton::gate::Address;
use baton::lobby::{Asker, COMPANY_MS_MAX, Effect, Limits, Lobby, LobbyConfig, Moment};
use baton::room::Room;
use baton::room::courier::Courier;
use baton::token::Keyring;
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WALL_MS: u64 = 1_700_000_000_000;
const JOIN: Wish = Wish::Join;
const STRANGER: Wish = Wish::Arrive { walk_in: true, join: false };

/// An address with a household behind it.
const HOME: u8 = 2;
/// One with a carrier behind it.
const CARRIER: u8 = 3;

/// The `nth` visitor who was named at an address.
fn at(address: u8, nth: u32) -> VisitorId {
    let [a, b, c, d] = nth.to_be_bytes();
    VisitorId::at(AddressTag([address; 8]), [0, 0, 0, 0, a, b, c, d])
}

/// A lobby, its room, and one visitor after the other.
struct Site {
    room: Room,
    courier: Courier,
    lobby: Lobby,
    config: LobbyConfig,
    now: Instant,
    asked: u64,
}

impl Site {
    fn new(permits: u32, limits: Limits) -> Self {
        let config = LobbyConfig {
            room: "onsale".into(),
            linger_ms: 600_000,
            spread_ms: 0,
            tickets_max: 40,
            limits,
            porter: false,
        };
        let now = Instant(1_000_000);
        let mut site = Self {
            room: Room::new(),
            courier: Courier::default(),
            lobby: Lobby::new(LobbyId(0), config.clone(), 1),
            config,
            now,
            asked: 0,
        };
        let mut row = site.room.open_row(now);
        let rules = RoomConfig {
            permits,
            walk_in: permits > 0,
            ..RoomConfig::default()
        };
        site.room.configure(&rules, &mut row);
        site
    }

    const fn moment(&self) -> Moment {
        Moment {
            now: self.now,
            wall_ms: WALL_MS,
        }
    }

    /// A visitor asks; what the lobby asks of the room is answered when `heard` says so.
    fn begin(&mut self, visitor: VisitorId, wish: Wish) -> Asker {
        let shown = self.lobby.ticket_of(visitor).map(|ticket| Shown {
            edition: self.room.edition(),
            number: ticket.number,
            row: ticket.row,
        });
        self.begin_with(Ask::plain(visitor, shown, wish))
    }

    fn begin_with(&mut self, ask: Ask) -> Asker {
        self.asked += 1;
        let asker = Asker(self.asked);
        self.lobby.handle_ask(self.moment(), asker, ask);
        asker
    }

    /// A visitor joins with a code that the room does not know.
    fn begin_guess(&mut self, visitor: VisitorId, code: u64) -> Asker {
        self.begin_with(Ask {
            spend: Some(Spend {
                voucher: Voucher::Code([CodeHash(code); CODE_KEYS]),
                at_ms: WALL_MS,
            }),
            ..Ask::plain(visitor, None, Wish::Join)
        })
    }

    /// The same, answered.
    fn guess(&mut self, visitor: VisitorId, code: u64) -> Told {
        let asker = self.begin_guess(visitor, code);
        let mut told = self.carried_out();
        *told.remove(&asker).expect("answered").expect("by the room")
    }

    /// A visitor asks, and what has to go to the room goes there.
    fn ask(&mut self, visitor: VisitorId, wish: Wish) -> Told {
        let asker = self.begin(visitor, wish);
        let mut told = self.settled();
        *told.remove(&asker).expect("answered").expect("by the room")
    }

    /// Carries out what the lobby wants, and what it wants when joins have waited for company, as they do under load.
    fn settled(&mut self) -> BTreeMap<Asker, Option<Box<Told>>> {
        let mut told = self.carried_out();
        if told.is_empty() {
            self.wait(COMPANY_MS_MAX);
            self.lobby.handle_timeout(self.moment());
            told = self.carried_out();
        }
        told
    }

    /// Carries out what the lobby wants until it wants nothing more.
    fn carried_out(&mut self) -> BTreeMap<Asker, Option<Box<Told>>> {
        let mut told = BTreeMap::new();
        while let Some(effect) = self.lobby.poll_effect() {
            match effect {
                Effect::Call(call, said, _) => {
                    let answer = self.hear(&said);
                    self.lobby.handle_answer(self.moment(), call, Some(answer));
                }
                Effect::Answer(asker, answer) => drop(told.insert(asker, answer)),
                Effect::Tell { .. } | Effect::Frame(..) | Effect::CloseSilent => {}
            }
        }
        told
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
            ToRoom::Check(_) | ToRoom::Bundle(_) => panic!("nobody checks, or bundles, here"),
        }
    }

    fn join(&mut self, visitor: VisitorId) -> Result<u64, (Share, u64)> {
        let told = self.ask(visitor, JOIN);
        match told.limited {
            Some(limited) => {
                let none = matches!(told.status.state, State::None | State::Over);
                assert!(none, "no ticket");
                Err((limited.by, limited.retry_after_s))
            }
            None => Ok(told.status.number.expect("a number").0),
        }
    }

    fn wait(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    fn lease_walked_in(&mut self, visitor: VisitorId) -> bool {
        self.ask(visitor, STRANGER).lease.is_some()
    }
}

fn tickets(tickets_per_ip_max: u32) -> Limits {
    Limits {
        tickets_per_ip_max,
        ipv4_share: 5,
        ..Limits::default()
    }
}

#[test]
fn an_address_holds_so_many_tickets_and_others_are_not_touched() {
    let mut site = Site::new(0, tickets(3));
    for nth in 0..3 {
        site.join(at(HOME, nth)).expect("its share");
    }
    assert_eq!(site.join(at(HOME, 3)), Err((Share::Tickets, 60)));
    assert_eq!(site.join(at(HOME, 0)), Ok(1), "who has a ticket keeps it");
    assert_eq!(site.join(at(4, 0)), Ok(4));
    assert_eq!(site.join(VisitorId([7; 16])), Ok(5), "named where no address is known");
    site.ask(at(HOME, 1), Wish::Leave);
    assert_eq!(site.join(at(HOME, 3)), Ok(6), "a place was given up");
    assert!(site.join(at(HOME, 1)).is_err());
}

#[test]
fn behind_ipv4_there_may_be_many() {
    let mut site = Site::new(0, tickets(2));
    let given = (0..20).filter(|nth| site.join(at(CARRIER, *nth)).is_ok());
    assert_eq!(given.count(), 10, "five times as many");
}

#[test]
fn numbers_on_their_way_count() {
    let mut site = Site::new(0, tickets(2));
    site.ask(at(4, 0), Wish::Status { wait_ms: 0 });
    let asked: Vec<Asker> = (0..9).map(|nth| site.begin(at(HOME, nth), JOIN)).collect();
    let told = site.carried_out();
    let limited = |asker: &&Asker| {
        let told = told[*asker].as_ref().expect("answered");
        told.limited.is_some()
    };
    let given: Vec<&Asker> = asked.iter().filter(|asker| !limited(asker)).collect();
    assert_eq!(given, [&asked[0], &asked[1]], "all at once, before the room has answered");
}

#[test]
fn a_restart_forgets_no_ticket() {
    let mut site = Site::new(0, tickets(2));
    site.join(at(HOME, 0)).expect("its share");
    site.join(at(HOME, 1)).expect("its share");
    site.lobby = Lobby::new(LobbyId(0), site.config.clone(), 2);
    assert_eq!(site.join(at(HOME, 2)), Err((Share::Tickets, 60)));
}

#[test]
fn an_address_takes_so_many_numbers_a_minute() {
    let mut site = Site::new(
        0,
        Limits {
            joins_per_ip_per_minute: 6,
            ..Limits::default()
        },
    );
    for nth in 0..5 {
        site.join(at(HOME, nth)).expect("five at once");
    }
    assert_eq!(site.join(at(HOME, 6)), Err((Share::Address, 10)));
    site.wait(9_999);
    assert_eq!(site.join(at(HOME, 6)), Err((Share::Address, 1)));
    site.wait(1);
    site.join(at(HOME, 6)).expect("one more each ten seconds");
    assert!(site.join(at(HOME, 7)).is_err());
    site.wait(3_600_000);
    let given = (10..30).filter(|nth| site.join(at(HOME, *nth)).is_ok());
    assert_eq!(given.count(), 5, "never more is saved");
}

/// What `wrangler.toml` says when it says nothing.
fn by_default() -> Limits {
    let room = serde_json::json!({ "paths": ["/buy/*"], "permits": 1 });
    let room = baton::settings::parse_room("onsale", &room).expect("good settings");
    room.limits
}

#[test]
fn c117_a_thousand_joins_of_one_address_are_a_handful_of_tickets() {
    for (address, most) in [(HOME, 5), (CARRIER, 12)] {
        let mut site = Site::new(0, by_default());
        let asked = (0..1_000).map(|nth| site.begin(at(address, nth), JOIN));
        let asked: Vec<Asker> = asked.collect();
        let mut told = site.carried_out();
        told.append(&mut site.settled());
        let told = asked.iter().map(|asker| told[asker].as_ref());
        let given = told.filter(|told| told.expect("answered").limited.is_none());
        assert_eq!(given.count(), most, "at once");
        assert!(site.join(at(4, 0)).is_ok(), "another address is not touched");
    }
}

#[test]
fn c117_behind_a_carriers_address_many_get_in_line_within_a_minute() {
    let mut site = Site::new(0, by_default());
    let mut given = 0;
    for second in 0..15 {
        given += (0..9).filter(|nth| site.join(at(CARRIER, second * 9 + nth)).is_ok()).count();
        site.wait(1_000);
    }
    assert!((38..=42).contains(&given), "{given} in a quarter of a minute");
}

#[test]
fn a_visitor_takes_so_many_numbers_a_minute_and_asking_again_costs_nothing() {
    let mut site = Site::new(
        0,
        Limits {
            joins_per_visitor_per_minute: 2,
            ..Limits::default()
        },
    );
    let greedy = at(HOME, 0);
    for _ in 0..2 {
        let number = site.join(greedy).expect("its share");
        for _ in 0..50 {
            assert_eq!(site.join(greedy), Ok(number), "a reload is no join");
        }
        site.ask(greedy, Wish::Leave);
    }
    assert_eq!(site.join(greedy), Err((Share::Visitor, 30)));
    site.join(at(HOME, 1)).expect("somebody else at the address");
}

#[test]
fn ten_tabs_that_join_at_once_are_one_number() {
    let limits = Limits {
        joins_per_visitor_per_minute: 1,
        ..Limits::default()
    };
    let mut site = Site::new(0, limits);
    site.ask(at(4, 0), Wish::Status { wait_ms: 0 });
    let tabs: Vec<Asker> = (0..10).map(|_| site.begin(at(HOME, 0), JOIN)).collect();
    let told = site.carried_out();
    let numbers = tabs.iter().map(|tab| {
        let told = told[tab].as_ref().expect("answered");
        told.status.number.expect("nobody is limited").0
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [1; 10]);
}

#[test]
fn a_number_that_was_not_given_costs_nothing() {
    let limits = Limits {
        joins_per_visitor_per_minute: 1,
        joins_per_ip_per_minute: 1,
        ..Limits::default()
    };
    let mut site = Site::new(1, limits);
    assert!(site.lease_walked_in(at(HOME, 0)));
    let visitor = at(4, 0);
    site.wait(2_000);
    let arrive = Wish::Arrive { walk_in: true, join: true };
    // The walk-in fails, for the permit is taken; the number that follows is the one that counts.
    let told = site.ask(visitor, arrive);
    assert_eq!((told.limited, told.status.state), (None, State::Waiting));
    assert!(site.join(at(4, 1)).is_err());
}

#[test]
fn an_address_has_so_many_ghosts_inside_and_the_others_go_through_the_page() {
    let limits = Limits {
        walk_ins_per_ip_max: 2,
        ipv4_share: 3,
        ..Limits::default()
    };
    let mut site = Site::new(50, limits);
    let ghosts = |site: &mut Site, address, count| (0..count).filter(|nth| site.lease_walked_in(at(address, *nth))).count();
    assert_eq!(ghosts(&mut site, HOME, 20), 2);
    assert_eq!(ghosts(&mut site, CARRIER, 20), 6);
    let told = site.ask(at(HOME, 90), STRANGER);
    assert_eq!((told.limited, told.status.state), (None, State::None), "no reproach");
    assert_eq!(site.join(at(HOME, 91)), Ok(9), "a number is not refused");
    // Whoever shows the cookie is no ghost.
    let fence = site.ask(at(HOME, 0), STRANGER).lease.expect("a lease").fence;
    let told = site.ask(at(HOME, 0), Wish::Renew(fence));
    assert!(told.lease.is_some_and(|lease| !lease.provisional));
}

#[test]
fn addresses_are_read_and_folded() {
    let v6 = |text: &str| match Address::parse(text) {
        Some(Address::V6(network)) => network,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(v6("2001:db8:1:2::1"), v6("2001:DB8:1:2:ffff::9"), "one /64");
    assert_ne!(v6("2001:db8:1:2::1"), v6("2001:db8:1:3::1"));
    let v4 = Address::parse("203.0.113.7");
    assert!(matches!(v4, Some(Address::V4(_))));
    assert_eq!(Address::parse(" 203.0.113.7 "), v4);
    assert_eq!(Address::parse("::ffff:203.0.113.7"), v4);
    for none in ["", "unknown", "203.0.113", "203.0.113.7, 10.0.0.1", "203.0.113.7:80", "[::1]"] {
        assert_eq!(Address::parse(none), None, "{none:?}");
    }
}

#[test]
fn a_tag_says_nothing_but_which_and_how_shared() {
    let keyring = |secret: &str| Keyring::from_secrets(Some(secret), None).expect("good");
    let (one, two) = (keyring(&"a".repeat(32)), keyring(&"b".repeat(32)));
    let address = |text: &str| Address::parse(text).expect("an address");
    let v4 = address("203.0.113.7");
    assert_eq!(one.tag(v4), one.tag(v4));
    assert_ne!(one.tag(v4), two.tag(v4), "worth nothing without the secret");
    assert_ne!(one.tag(v4), one.tag(address("203.0.113.8")));
    assert!(one.tag(v4).is_shared());
    assert!(!one.tag(address("2001:db8::1")).is_shared());
    let name = VisitorId::at(one.tag(v4), [9; 8]);
    assert_eq!(name.tag(), one.tag(v4));
}

#[test]
fn c158_codes_are_guessed_at_most_ten_times_in_a_minute() {
    let mut site = Site::new(0, Limits::default());
    let mut looked_at = 0;
    for code in 0..=600 {
        let told = site.guess(at(HOME, 1), code);
        looked_at += u64::from(told.unspent == Some(Unspent::Unknown));
        assert_eq!(told.unspent.is_none(), told.limited.is_some());
        site.now = site.now.plus_ms(100);
    }
    assert_eq!(looked_at, 10);
}

#[test]
fn c158_another_name_at_the_same_address_has_no_guesses_of_its_own() {
    let mut site = Site::new(0, Limits::default());
    for person in 0..5 {
        let told = site.guess(at(HOME, person), person.into());
        assert_eq!(told.unspent, Some(Unspent::Unknown));
    }
    let told = site.guess(at(HOME, 9), 9);
    assert_eq!(told.limited.map(|limited| limited.by), Some(Share::Address));
    let elsewhere = site.guess(at(4, 9), 9);
    assert_eq!(elsewhere.unspent, Some(Unspent::Unknown));
}

#[test]
fn c158_codes_that_are_shown_at_once_are_as_many_guesses() {
    let mut site = Site::new(0, Limits::default());
    let askers: Vec<Asker> = (0..40).map(|code| site.begin_guess(at(HOME, 1), code)).collect();
    let mut told = site.carried_out();
    let answers = askers.iter().filter_map(|asker| told.remove(asker)?);
    let looked_at = answers.filter(|told| told.unspent.is_some()).count();
    assert_eq!(looked_at, 5);
}
