//! Presence: who is there, who is away, and who has come back.

use super::hall::{Hall, LINGER_MS, STATUS, over, who};
use baton::room::command::Command;
use baton::units::{Instant, Number};
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn who_is_not_seen_for_the_linger_is_away_and_keeps_the_place() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS - 1);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.wait(1);
    hall.tick();
    let batch = hall.round().unwrap();
    assert_eq!(batch.commands, [Command::Away(vec![Number(1)])]);
    assert_eq!(
        (hall.room.line().present(), hall.room.line().alive()),
        (0, 1)
    );
    let back = hall.ask(1, STATUS);
    assert_eq!(
        (back.status.state, back.status.number),
        (State::Waiting, Some(Number(1)))
    );
    assert_eq!(hall.room.line().present(), 1);
}

#[test]
fn departures_share_a_command() {
    let mut hall = Hall::new(0);
    for visitor in 1..=20 {
        hall.begin(visitor, Wish::Join);
    }
    hall.round();
    hall.wait(LINGER_MS);
    hall.tick();
    let batch = hall.round().unwrap();
    assert_eq!(batch.commands.len(), 1);
    assert_eq!(hall.room.line().present(), 0);
}

#[test]
fn re_entrance() {
    // A refresh: the socket closes and opens within the linger.
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.open(1);
    hall.wait(60_000);
    hall.tick();
    hall.close(1);
    hall.wait(LINGER_MS - 1);
    hall.tick();
    hall.open(1);
    hall.wait(60_000);
    hall.tick();
    assert!(hall.batch().is_none());
    // A second tab: the place goes away only with the last.
    hall.open(1);
    hall.close(1);
    hall.wait(60_000);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.close(1);
    hall.wait(LINGER_MS + LINGER_MS / 10);
    hall.tick();
    assert_eq!(
        hall.round().unwrap().commands,
        [Command::Away(vec![Number(1)])]
    );
}

#[test]
fn bank_window() {
    // A held poll is as good as a socket while it lasts.
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.lobby.hold(hall.now, who(1));
    hall.wait(LINGER_MS * 3);
    hall.tick();
    assert!(hall.batch().is_none() && hall.lobby.holds(who(1)));
    hall.lobby.unhold(hall.now, who(1));
    hall.wait(LINGER_MS - 1);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.wait(1);
    hall.tick();
    assert!(hall.batch().is_some());
}

#[test]
fn a_poll_of_an_earlier_life_is_not_taken_for_a_socket() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.open(1);
    hall.lobby.hold(hall.now, who(1));
    hall.save();
    hall.dies();
    hall.open(1);
    hall.lobby.unhold(hall.now, who(1));
    assert!(hall.lobby.holds(who(1)), "the socket outlived the memory");
}

/// The room could not be reached for longer than the linger: who came back and vanished again
/// meanwhile must still be told away.
#[test]
fn who_vanishes_while_coming_back_goes_away_again() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    hall.begin(1, STATUS);
    let batch = hall.batch().unwrap();
    hall.wait(LINGER_MS);
    hall.tick();
    hall.there_and_back(&batch);
    assert_eq!(hall.room.line().present(), 1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    assert_eq!(hall.room.line().present(), 0);
}

/// The departure is still waiting when the visitor is back, whose word shares a question that was
/// asked before it: what the room hears last is that the visitor is there.
#[test]
fn a_departure_that_was_overtaken_by_a_return_does_not_stand() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.save();
    hall.dies();
    hall.begin(2, Wish::Join);
    let blocked = hall.batch().unwrap();
    hall.begin(1, STATUS);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.begin(1, STATUS);
    hall.open(1);
    hall.there_and_back(&blocked);
    hall.rounds();
    assert_eq!(hall.room.line().first_present(), Some(Number(1)));
}

/// The room never heard of a departure that a dead lobby had noted.
#[test]
fn a_departure_that_died_with_its_lobby_is_told_by_the_next_life() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.save();
    hall.batch();
    hall.dies();
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    assert_eq!(hall.room.line().present(), 0);
}

#[test]
fn leaving_ends_it_for_all_tabs() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.open(1);
    hall.open(1);
    let told = hall.ask(1, Wish::Leave);
    assert_eq!(over(&told.status), Some(Reason::Left));
    assert!(hall.told.contains(&who(1)), "the other tab is told");
    assert_eq!(hall.ask(1, Wish::Leave).status.state, State::Over);
    assert_eq!(hall.room.line().alive(), 0);
    assert_eq!(hall.join(1), 2);
}

#[test]
fn who_leaves_one_by_one_is_looked_at_together() {
    let mut hall = Hall::new(0);
    for visitor in 1..=100 {
        hall.join(visitor);
        hall.open(visitor);
    }
    let first_at = hall.now.plus_ms(10);
    for visitor in 1..=100 {
        hall.wait(10);
        hall.close(visitor);
    }
    hall.now = Instant(first_at.0 + LINGER_MS - 1);
    hall.tick();
    hall.rounds();
    assert_eq!(hall.room.line().present(), 100, "nobody is away too soon");
    let last_at = Instant(first_at.0 + 990 + LINGER_MS + LINGER_MS / 10);
    let mut looks = 0;
    while let Some(due_at) = hall.lobby.due_at().filter(|due_at| *due_at <= last_at) {
        hall.now = hall.now.max(due_at);
        hall.tick();
        hall.rounds();
        hall.save();
        looks += 1;
    }
    assert_eq!(hall.room.line().present(), 0);
    assert!(
        looks <= 3,
        "a hundred departures within a second: {looks} looks"
    );
}
