//! A room that comes back from an older backup: it learns so from what people show, and nothing that was given is given again.

use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Holder, Shown};
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::units::{Edition, Fence, Instant, LobbyId, Number, Version};
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NOW: Instant = Instant(1_000_000);
const HERE: LobbyId = LobbyId(0);

/// One row of the room.
fn turn(room: &mut Room, act: impl FnOnce(&mut Room, &mut Row)) -> Row {
    let mut row = room.open_row(NOW);
    act(room, &mut row);
    room.follow_proved_edition(&mut row);
    row
}

fn perform(room: &mut Room, command: &Command) -> Row {
    turn(room, |room, row| room.perform(NOW, command, HERE, row))
}

/// A room in which so many people wait.
fn room_with(people: u32) -> Room {
    let mut room = Room::new();
    let config = RoomConfig {
        permits: 0,
        ..RoomConfig::default()
    };
    turn(&mut room, |room, row| room.configure(&config, row));
    let join = wishes::join(&room, people);
    perform(&mut room, &join);
    room
}

/// What somebody shows who got this number in this row.
fn shows(holder: Holder, number: u64, row: u64) -> Command {
    Command::Shows {
        key: holder.key,
        shown: Shown {
            edition: Edition::FIRST,
            number: Number(number),
            row: Version(row),
        },
    }
}

/// The events of the row, and whether the room says that the place is lost.
fn told(room: &mut Room, command: &Command) -> (usize, bool) {
    let before = room.clone();
    let row = perform(room, command);
    laws::check_row(&before, room, &row).expect("lawful");
    let answer = room.case(NOW).answers(HERE, core::slice::from_ref(command));
    (row.events.len(), answer == [Reply::None(NoTicket::Lost)])
}

#[test]
fn what_the_room_has_given_proves_nothing() {
    let mut room = room_with(3);
    let version = room.version().0;
    let two = room.tickets().holder(Number(2)).expect("waits");
    assert_eq!(told(&mut room, &shows(two, 2, version)), (0, false));
    let leave = wishes::leave(&room, Number(2));
    perform(&mut room, &leave);
    assert_eq!(told(&mut room, &shows(two, 2, version)), (0, false), "over");
    assert_eq!(room.rolled_back(), 0);
}

/// A key that differs is no proof of anything once the place was carried.
#[test]
fn a_place_that_was_carried_proves_nothing() {
    let mut room = room_with(3);
    let two = room.tickets().holder(Number(2)).expect("waits");
    let carry = Command::Carry {
        place: wishes::held(&room, Number(2)),
        row: room.version(),
        to: wishes::holder(77),
    };
    perform(&mut room, &carry);
    assert_eq!(told(&mut room, &shows(two, 2, 2)), (0, false));
}

#[test]
fn each_proof_moves_the_numbers_once() {
    let stranger = wishes::holder(99);
    for (number, row, next) in [(4, 1, 16_389), (3, 1, 16_388), (2, 1_000, 16_388), (20_000, 1_000, 36_385)] {
        let mut room = room_with(3);
        let shown = shows(stranger, number, row);
        assert_eq!(told(&mut room, &shown), (1, true), "{number} of {row}");
        assert_eq!(room.line().next(), Number(next), "{number} of {row}");
        assert_eq!(told(&mut room, &shown).0, 0, "again");
        assert_eq!(room.rolled_back(), 1);
        assert!(room.line().recount_agrees());
        let join = wishes::join(&room, 2);
        perform(&mut room, &join);
        assert_eq!(room.line().alive(), 5);
        assert_eq!(room.lanes().ahead(Number(next)).0, 3, "nobody of before moves");
    }
}

#[test]
fn the_numbers_left_out_cross_pages_and_come_back_from_a_snapshot() {
    let mut room = room_with(3);
    perform(&mut room, &shows(wishes::holder(99), 40_000, 1));
    let join = wishes::join(&room, 5_000);
    perform(&mut room, &join);
    let back = wishes::come_back(&room);
    assert!(back == room);
    assert_eq!(back.rolled_back(), 1);
}

/// Fences are above the wall clock's ms at which the room came into memory, so above all that an older life of it can have given.
#[test]
fn a_room_that_comes_into_memory_mints_above_all_that_may_have_been_given() {
    let mut room = room_with(2);
    let config = RoomConfig {
        permits: 3,
        ..room.config().clone()
    };
    turn(&mut room, |room, row| room.configure(&config, row));
    room.mint_above(Fence(1_700_000_000_000));
    room.mint_above(Fence(5));
    let row = turn(&mut room, |room, row| room.take_turn(NOW, row));
    let fences: Vec<u64> = row
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Called { fence, .. } => Some(fence.0),
            _ => None,
        })
        .collect();
    assert_eq!(fences, [1_700_000_000_001, 1_700_000_000_002]);
    let walk_in = wishes::walk_in(&room);
    let walked = perform(&mut room, &walk_in);
    assert!(matches!(walked.events[..], [Event::WalkedIn { fence, .. }] if fence == Fence(1_700_000_000_003)));
}
