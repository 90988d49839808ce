//! The moving picture of the line.

use crate::office::{Office, TICK_MS, lobbies, message};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::LanesRule;
use baton::facts::message::{Heard, LobbyLife};
use baton::facts::units::LaneId;
use baton::room::courier::{Push, RETRY_MS};
use baton::room::frame::Frame;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_frame_at_most_once_a_tick_and_only_when_the_line_changed() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.batch(0, vec![]);
    let start = office.now;
    let pushes = office.pushes();
    assert!(!message(&pushes[0]).frames.is_empty(), "the first at once");
    office.arrived(&pushes);
    let mut framed_at = vec![];
    for step in 0..50 {
        office.wait(100);
        if step < 30 {
            office.join(0, 1);
        }
        let pushes = office.pushes();
        if pushes.iter().any(|push| !message(push).frames.is_empty()) {
            framed_at.push(office.now.since_ms(start));
        }
        office.arrived(&pushes);
    }
    assert_eq!(framed_at, [1_000, 2_000, 3_000]);
}

/// A turn that changes nothing to see draws no new picture.
#[test]
fn the_same_picture_is_not_sent_again() {
    let mut office = Office::new(0);
    office.join(0, 5);
    office.settle();
    for _ in 0..5 {
        office.wait(TICK_MS);
        let version = office.room.version();
        let number = baton::facts::units::Number(3);
        let word = match office.room.line().present() {
            5 => crate::wishes::away(&office.room, &[number]),
            _ => crate::wishes::back(&office.room, number),
        };
        office.batch(0, vec![word]);
        assert!(office.room.version() > version);
        assert_eq!(office.pushes(), []);
        assert_eq!(office.courier.due_at(&office.room), None);
    }
    office.join(0, 1);
    assert_eq!(lobbies(&office.pushes()), [0]);
}

#[test]
fn every_watching_lobby_gets_the_same_frame() {
    let mut office = Office::new(0);
    for lobby in 0..4 {
        office.join(lobby, 3);
        office.batch(lobby, vec![]);
    }
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1, 2, 3]);
    let frames: Vec<_> = pushes.iter().map(|push| message(push).frames.clone()).collect();
    assert!(frames.iter().all(|frame| frame == &frames[0]));
    let frame = Frame::decode(&frames[0][0].1).expect("decodes");
    assert_eq!((frame.waiting, frame.version), (12, office.room.version().0));
    // Lobby 2 has nobody left: it is spared until it speaks again.
    for push in &pushes {
        office.arrives(push, push.lobby.0 != 2);
    }
    office.wait(TICK_MS);
    office.join(0, 1);
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1, 3]);
    office.arrived(&pushes);
    office.batch(2, vec![]);
    assert_eq!(lobbies(&office.pushes()), [2]);
}

/// A picture that was lost is sent again, after the pause.
#[test]
fn a_lost_frame_is_sent_again() {
    let mut office = Office::new(0);
    office.join(0, 2);
    office.batch(0, vec![]);
    let pushes = office.pushes();
    office.lost(&pushes);
    office.wait(RETRY_MS);
    let again = office.pushes();
    assert_eq!(message(&again[0]).frames, message(&pushes[0]).frames);
}

/// Nothing else may ever wake the room.
#[test]
fn a_picture_that_was_lost_wakes_the_room_after_the_pause() {
    let mut office = Office::new(0);
    office.join(0, 2);
    let pushes = office.pushes();
    office.lost(&pushes);
    let due_at = office.courier.due_at(&office.room);
    assert_eq!(due_at, Some(office.now.plus_ms(RETRY_MS)));
}

/// The room shows a lobby only lanes in which it has people, and of these only what is new.
#[test]
fn a_lobby_is_shown_the_lanes_of_its_people_and_of_them_what_is_new() {
    let mut office = Office::new(0);
    let config = RoomConfig {
        lanes: vec![wishes::lane("vip", 1), wishes::lane("all", 1)],
        lanes_rule: LanesRule::Shares,
        ..office.room.config().clone()
    };
    office.turn(|room, _, row| room.configure(&config, row));
    let all = office.room.lanes().everybody();
    let vip = office.room.lanes().named(LaneName::parse("vip"));
    let into_vip = |office: &mut Office, lobby| {
        let lane = LaneName::parse("vip").expect("a lane's name");
        let join = Command::join(wishes::newcomers(&office.room, 1));
        office.batch(lobby, vec![join.into_lane(lane)]);
    };
    office.join(0, 1);
    into_vip(&mut office, 0);
    office.join(1, 1);
    let pushes = office.pushes();
    for (push, lanes) in pushes.iter().zip([1 << all.0 | 1 << vip.0, 1 << all.0]) {
        let heard = Heard {
            life: LobbyLife(1),
            acknowledged: Some(office.room.version()),
            is_watched: true,
            lanes,
        };
        office.courier.finished(office.now, push, Some(heard));
    }
    into_vip(&mut office, 2);
    office.wait(TICK_MS);
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 2]);
    let shown = message(&pushes[0]).frames.iter().map(|(lane, _)| *lane);
    assert_eq!(shown.collect::<Vec<LaneId>>(), [vip]);
}

/// A lobby that has people in one more lane has seen no frame of it: the room shows all of them, though nothing has changed since.
#[test]
fn a_lobby_with_people_in_another_lane_is_shown_that_lane_too() {
    let mut office = Office::new(0);
    let config = RoomConfig {
        lanes: vec![wishes::lane("vip", 1), wishes::lane("all", 1)],
        lanes_rule: LanesRule::Shares,
        ..office.room.config().clone()
    };
    office.turn(|room, _, row| room.configure(&config, row));
    let all = office.room.lanes().everybody();
    let vip = office.room.lanes().named(LaneName::parse("vip"));
    office.join(0, 1);
    let heard_of = |office: &mut Office, push: &Push, lanes| {
        let heard = Heard {
            life: LobbyLife(1),
            acknowledged: Some(message(push).version),
            is_watched: true,
            lanes,
        };
        office.courier.finished(office.now, push, Some(heard));
    };
    let first = office.pushes();
    heard_of(&mut office, &first[0], 1 << all.0);
    office.leaves(1);
    let second = office.pushes();
    heard_of(&mut office, &second[0], 1 << all.0 | 1 << vip.0);
    let third = office.pushes();
    let shown = message(&third[0]).frames.iter().map(|(lane, _)| *lane);
    assert_eq!(shown.collect::<Vec<LaneId>>(), [vip, all]);
}

/// Who only looks has nothing better to go by.
#[test]
fn a_look_is_answered_with_a_frame_and_a_wish_is_not() {
    let mut office = Office::new(0);
    office.join(0, 2);
    assert!(!office.batch(0, vec![]).frames.is_empty());
    let join = crate::wishes::join(&office.room, 1);
    assert_eq!(office.batch(0, vec![join]).frames, vec![]);
}

/// The courier asks to be woken exactly for what it holds back.
#[test]
fn it_asks_to_be_woken_for_what_it_holds_back() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.settle();
    let drawn_at = office.now;
    office.wait(300);
    office.join(0, 1);
    assert_eq!(office.pushes(), []);
    let due = office.courier.due_at(&office.room).expect("a picture waits");
    assert_eq!(due, drawn_at.plus_ms(TICK_MS));
    office.now = due;
    assert_eq!(lobbies(&office.pushes()), [0]);
    // In flight: nothing to do until it comes back.
    assert_eq!(office.courier.due_at(&office.room), None);
}
