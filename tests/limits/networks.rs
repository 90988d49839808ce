//! IPv6 networks: whoever has one has all its addresses, and so has no more than its share.

use super::{STRANGER, Site, by_default};
use baton::facts::units::{AddressTag, LobbyId, Network, VisitorId};
use baton::facts::wire::{Ask, Told, Wish};
use baton::gate::{Address, home_lobby};
use baton::lobby::Lobby;
use baton::token::Keyring;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The tag of an address.
pub fn tag(address: &str) -> AddressTag {
    let keyring = Keyring::from_secrets(Some(&"a".repeat(32)), None).expect("good");
    keyring.tag(Address::parse(address).expect("an address"))
}

/// The tag of the `nth` /64 of a /48: each of its /56s has one before any has two.
pub fn of_slash48(nth: u16) -> AddressTag {
    tag(&format!("2001:db8:7:{:x}::1", nth.rotate_left(8)))
}

/// The `nth` visitor who was named at an address.
pub fn named(tag: AddressTag, nth: u32) -> VisitorId {
    let [a, b, c, d] = nth.to_be_bytes();
    VisitorId::at(tag, [0, 0, 0, 0, a, b, c, d])
}

impl Site {
    /// A site with everything as it is where nothing is set.
    pub fn at_defaults(permits: u32) -> Self {
        let mut site = Self::new(permits, by_default());
        site.config.tickets_max = 16_000;
        site.config.linger_ms = 10_000;
        site.lobby = Lobby::new(LobbyId(0), site.config.clone(), 1);
        site
    }

    /// A visitor asks from an address, wherever it was named.
    pub fn ask_from(&mut self, visitor: VisitorId, from: AddressTag, wish: Wish) -> Told {
        let asker = self.begin_with(Ask {
            from: Some(from),
            ..Ask::plain(visitor, None, wish)
        });
        let mut told = self.settled();
        *told.remove(&asker).expect("answered").expect("by the room")
    }

    /// How many of so many get a number who come one a second and stay; each is named by `who`.
    fn places(&mut self, count: u32, who: impl Fn(u32) -> VisitorId) -> usize {
        let joins = |nth: &u32| {
            let visitor = who(*nth);
            let is_in_line = self.join(visitor).is_ok();
            if is_in_line {
                let moment = self.moment();
                self.lobby.handle_socket_opened(moment, visitor, None);
            }
            self.wait(1_000);
            is_in_line
        };
        (0..count).filter(joins).count()
    }
}

#[test]
fn a_slash48_begins_in_one_lobby_and_others_are_spread() {
    let home = |tag| home_lobby(tag, 256).0;
    let homes = |tags: &mut dyn Iterator<Item = AddressTag>| tags.map(home).collect::<std::collections::BTreeSet<u16>>();
    assert_eq!(homes(&mut (0..2_000).map(of_slash48)).len(), 1);
    let others = |nth: u32| tag(&format!("2001:db8:{nth:x}::1"));
    let old = |nth: u32| tag(&format!("198.51.{}.{}", nth / 256, nth % 256));
    assert!(homes(&mut (0..2_000).map(others)).len() > 250);
    assert!(homes(&mut (0..2_000).map(old)).len() > 250);
    assert_eq!(home_lobby(tag("203.0.113.7"), 0).0, 0);
}

#[test]
fn tags_of_one_network_begin_alike_and_tell_its_parts_apart() {
    let common = |one: &str, other: &str| {
        let is_alike = |network: &&Network| tag(one).within(**network) == tag(other).within(**network);
        let networks = [Network::Address, Network::Slash56, Network::Slash48];
        networks.iter().find(is_alike).copied()
    };
    let home = "2001:db8:7:1200::1";
    assert_eq!(common(home, "2001:db8:7:1200:9::"), Some(Network::Address));
    assert_eq!(common(home, "2001:db8:7:1201::1"), Some(Network::Slash56));
    assert_eq!(common(home, "2001:db8:7:1300::1"), Some(Network::Slash48));
    assert_eq!(common(home, "2001:db8:8:1200::1"), None);
    assert_eq!(tag("203.0.113.7").networks(), [Network::Address]);
}

/// 200 and 400 of as many as like, where nothing is set; a campus still gets in as many as an office behind one IPv4 address, and more.
#[test]
fn c117_one_address_takes_200_places_and_a_whole_slash48_twice_as_many() {
    let v4 = |nth| named(tag("203.0.113.7"), nth);
    assert_eq!(Site::at_defaults(0).places(600, v4), 200);
    let v6 = |nth| named(of_slash48(nth as u16), nth);
    let mut site = Site::at_defaults(0);
    assert_eq!(site.places(900, v6), 400);
    let elsewhere = named(tag("2001:db8:8::1"), 1);
    assert!(site.join(elsewhere).is_ok(), "the next /48");
    site.lobby = Lobby::new(LobbyId(0), site.config.clone(), 2);
    assert_eq!(site.places(30, |nth| v6(1_000 + nth)), 0, "after a restart");
}

#[test]
fn one_slash56_takes_four_times_as_much_as_one_slash64() {
    let one = |nth| named(tag("2001:db8:7:1200::1"), nth);
    assert_eq!(Site::at_defaults(0).places(300, one), 10);
    let many = |nth: u32| named(tag(&format!("2001:db8:7:12{:02x}::1", nth % 256)), nth);
    assert_eq!(Site::at_defaults(0).places(300, many), 40);
}

#[test]
fn c117_a_flood_of_a_slash48_takes_its_share_of_numbers_a_minute() {
    let mut site = Site::at_defaults(0);
    let asked = (0..1_000).map(|nth| site.begin(named(of_slash48(nth), nth.into()), Wish::Join));
    let asked: Vec<_> = asked.collect();
    let mut told = site.carried_out();
    told.append(&mut site.settled());
    let given = asked.iter().filter(|asker| {
        let told = told[*asker].as_ref().expect("answered");
        told.limited.is_none()
    });
    assert_eq!(given.count(), 24, "at once, a tenth of a minute's worth");
}

#[test]
fn c190_a_slash48_walks_in_to_a_tenth_of_the_permits() {
    let mut site = Site::at_defaults(200);
    let walk_in = |site: &mut Site, tag, nth| {
        let who = named(tag, nth);
        let came = site.ask(who, STRANGER).lease.is_some();
        site.ask(who, Wish::Status { wait_ms: 0 });
        came
    };
    let v6 = (0..300).filter(|nth| walk_in(&mut site, of_slash48(*nth), u32::from(*nth)));
    assert_eq!(v6.count(), 20);
    let told = site.room.report(site.now).inside_of_one_address;
    assert_eq!(told, 20, "the desk is told of the /48, and not of a /64");
    let v4 = (0..300).filter(|nth| walk_in(&mut site, tag("203.0.113.7"), *nth));
    assert_eq!(v4.count(), 10);
    let others = tag("2001:db8:8::1");
    assert!(walk_in(&mut site, others, 1), "others walk in");
}

/// Numbers on their way count for the network, before the room has answered.
#[test]
fn what_a_network_asks_for_at_once_counts() {
    let mut site = Site::at_defaults(200);
    site.ask(named(tag("198.51.100.1"), 0), Wish::Status { wait_ms: 0 });
    let asked = (0..60).map(|nth| site.begin(named(of_slash48(nth), nth.into()), STRANGER));
    let asked: Vec<_> = asked.collect();
    let told = site.carried_out();
    let came = asked.iter().filter(|asker| {
        let told = told[*asker].as_ref().expect("answered");
        told.lease.is_some()
    });
    assert_eq!(came.count(), 20);
}

/// Cookies that were got one each at 60 addresses are one address's when they join there. Those of one address that join elsewhere pay there.
#[test]
fn the_joining_address_pays_wherever_cookies_were_given() {
    let mut site = Site::at_defaults(0);
    let carrier = tag("203.0.113.7");
    let far = |nth: u32| tag(&format!("198.51.100.{nth}"));
    let join = |site: &mut Site, visitor, from| site.ask_from(visitor, from, Wish::Join).limited.is_none();
    let all_here = (0..60).filter(|nth| join(&mut site, named(far(*nth), 0), carrier));
    let all_here = all_here.count();
    assert!((12..=14).contains(&all_here), "{all_here}, as were they named there");
    site.wait(60_000);
    let all_there = (0..60).filter(|nth| join(&mut site, named(carrier, *nth), far(*nth)));
    assert_eq!(all_there.count(), 60);
    let ghosts = (0..60).map(|nth| site.ask_from(named(far(nth), 1), carrier, STRANGER));
    assert_eq!(ghosts.filter(|told| told.lease.is_some()).count(), 0, "no permit is free");
}

/// A relay has one /64 for the people of a city, and many cities in a /48.
#[test]
fn a_city_behind_a_relay_gets_in_as_an_office_does() {
    let city = |cell: u32| tag(&format!("2a02:26f7:c100:{cell:x}::1"));
    assert!(city(0x4000).is_shared());
    assert_ne!(city(0x4000), city(0x4001));
    let mut site = Site::at_defaults(0);
    for cell in [0x4000, 0x4001, 0x4002] {
        assert_eq!(site.places(300, |nth| named(city(cell), nth)), 200);
    }
    assert!(!tag("2a02:26f8:c100:4000::1").is_shared());
}
