//! To which share of the room's permits one address walks in.

use super::{CARRIER, HOME, STRANGER, Site, at};
use baton::facts::event::Event;
use baton::facts::units::{LobbyId, VisitorId};
use baton::facts::wire::{State, Wish};
use baton::lobby::{Asker, Limits, Lobby};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn share(walk_ins_per_ip_max_percent: u32) -> Limits {
    Limits {
        walk_ins_per_ip_max_percent,
        ipv4_share: 20,
        ..Limits::default()
    }
}

impl Site {
    /// How many of so many who come one after the other walk in, each of them seen again.
    fn walk_ins(&mut self, address: u8, from: u32, count: u32) -> usize {
        let mut walks_in = |nth: &u32| {
            let who = at(address, *nth);
            let came = self.ask(who, STRANGER).lease.is_some();
            let again = self.ask(who, Wish::Status { wait_ms: 0 });
            came && again.lease.is_some_and(|lease| !lease.provisional)
        };
        (from..from + count).filter(|nth| walks_in(nth)).count()
    }
}

#[test]
fn one_address_walks_in_to_its_share_of_the_permits_whether_proven_or_not() {
    let mut site = Site::new(100, share(10));
    assert_eq!(site.walk_ins(HOME, 0, 9), 9);
    assert!(site.lease_walked_in(at(HOME, 9)), "a ghost is the tenth");
    assert_eq!(site.walk_ins(HOME, 10, 20), 0);
    assert_eq!(site.walk_ins(CARRIER, 0, 30), 10, "IPv4 has no multiple");
    assert_eq!(site.walk_ins(4, 0, 1), 1, "others walk in");
    assert!(site.lease_walked_in(VisitorId([7; 16])), "as does who has none");
    assert_eq!(site.room.report(site.now).inside_of_one_address, 10);
    site.ask(at(HOME, 0), Wish::Leave);
    assert_eq!(site.walk_ins(HOME, 30, 5), 1, "what came back is free again");
}

#[test]
fn who_is_over_the_share_takes_a_number_and_is_called_in_order() {
    let mut site = Site::new(100, share(5));
    assert_eq!(site.walk_ins(HOME, 0, 9), 5);
    let arrive = Wish::Arrive { walk_in: true, join: true };
    let told = site.ask(at(HOME, 9), arrive);
    assert_eq!((told.limited, told.status.state), (None, State::Waiting));
    // Somebody of another address comes later, and stands behind.
    assert_eq!(site.join(at(4, 0)), Ok(7));
    let mut row = site.room.open_row(site.now);
    site.room.take_turn(site.now, &mut row);
    let called: Vec<u64> = row
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Called { number, .. } => Some(number.0),
            _ => None,
        })
        .collect();
    assert_eq!(called, [6, 7], "no permit waits for an address");
}

#[test]
fn an_address_may_walk_in_five_times_in_any_room_and_a_small_room_has_no_such_limit() {
    for (permits, percent, most) in [(1, 5, 1), (5, 5, 5), (30, 5, 5), (200, 5, 10), (50, 0, 39)] {
        let mut site = Site::new(permits, share(percent));
        assert_eq!(site.walk_ins(HOME, 0, 39), most, "{permits} permits");
    }
}

#[test]
fn walk_ins_on_their_way_count_and_so_do_those_of_a_life_before() {
    let mut site = Site::new(100, share(5));
    site.ask(at(4, 0), Wish::Status { wait_ms: 0 });
    let asked: Vec<Asker> = (0..9).map(|n| site.begin(at(HOME, n), STRANGER)).collect();
    let told = site.carried_out();
    let came = |asker: &&Asker| told[*asker].as_ref().is_some_and(|t| t.lease.is_some());
    assert_eq!(asked.iter().filter(came).count(), 5);
    site.lobby = Lobby::new(LobbyId(0), site.config.clone(), 2);
    assert_eq!(site.walk_ins(HOME, 9, 9), 0, "after a restart");
}
