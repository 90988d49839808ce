//! What the room says unasked: calls, missed calls and ends, whatever they overtake.

use super::hall::{Hall, LINGER_MS, STATUS, over, who};
use baton::lobby::SAVE_AFTER_MS;
use baton::units::Version;
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn c48_a_push_that_overtakes_its_answer_is_kept_and_not_acknowledged_before_it_is_applied() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    hall.usher_and_push();
    let (lobby, stored) = (hall.lobby.clone(), hall.stored.clone());
    assert_eq!(hall.state(1), State::None);
    hall.deliver(&answer);
    assert_eq!(hall.state(1), State::Called);
    // The life ended before the answer came: the room tells it again.
    (hall.lobby, hall.stored) = (lobby, stored);
    hall.save();
    hall.dies();
    let resent = hall.batch().unwrap();
    assert_eq!(resent.acknowledged, Version(0));
    hall.there_and_back(&resent);
    assert_eq!(hall.state(1), State::Called);
}

#[test]
fn an_older_version_changes_nothing() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.usher();
    let called = hall.message();
    hall.pushed(&called);
    hall.ask(1, Wish::Claim).lease.expect("in");
    let known = *hall.lobby.ticket(who(1)).unwrap();
    hall.pushed(&called);
    assert_eq!(*hall.lobby.ticket(who(1)).unwrap(), known);
}

#[test]
fn a_notice_is_acknowledged_only_once_it_is_saved() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.save();
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
    assert!(!hall.lobby.must_save_first(), "the room can tell it again");
    assert_eq!(
        hall.lobby.due_at(),
        Some(hall.now.plus_ms(SAVE_AFTER_MS)),
        "but soon"
    );
    // A batch that is not stored acknowledges nothing new.
    hall.begin(1, Wish::Claim);
    let unsaved = hall.batch().unwrap();
    assert_eq!(unsaved.acknowledged, Version(0));
    hall.save();
    hall.there_and_back(&unsaved);
    hall.begin(2, Wish::Join);
    assert!(hall.batch().unwrap().acknowledged > Version(0));
}

#[test]
fn a_missed_call_makes_away_though_the_socket_is_open_and_the_next_word_brings_back() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
    hall.wait(30_000);
    hall.usher_and_push();
    let status = hall.status(1);
    assert_eq!((status.state, status.missed), (State::Waiting, true));
    assert_eq!(hall.room.line().present(), 0);
    hall.ask(1, STATUS);
    assert_eq!(hall.room.line().present(), 1);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
    hall.wait(30_000);
    hall.usher_and_push();
    let status = hall.status(1);
    assert_eq!(over(&status), Some(Reason::Missed));
}

/// Whoever comes a moment too late has come: the place is there, and so is its holder.
#[test]
fn a_claim_too_late_is_a_word_too() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.usher_and_push();
    hall.wait(30_000);
    hall.usher();
    // The lobby has not heard of it yet.
    let told = hall.ask(1, Wish::Claim);
    assert_eq!(
        (told.status.state, told.status.missed),
        (State::Waiting, true)
    );
    hall.rounds();
    hall.push();
    hall.rounds();
    assert_eq!(hall.room.line().present(), 1, "in the room as in the lobby");
    hall.wait(1_000);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Called);
}

/// The room heard from the life before that somebody went away, and this life did not. A claim brings nobody back,
/// so its answer must not be taken for the room's word that the visitor is there. Found by the simulator, 250 million
/// steps in.
#[test]
fn who_claims_in_a_new_life_is_brought_back_as_well() {
    let mut hall = Hall::new(0);
    hall.begin(1, Wish::Join);
    hall.settle();
    hall.save();
    hall.wait(LINGER_MS);
    hall.tick();
    let away = hall.batch().expect("away");
    hall.receive(&away);
    assert_eq!(hall.room.line().present(), 0);
    hall.dies();
    // Somebody else is the first to speak in this life.
    hall.begin(2, Wish::Join);
    hall.settle();
    hall.begin(1, Wish::Claim);
    hall.settle();
    hall.open(1);
    hall.settle();
    assert_eq!(hall.room.line().present(), 2);
}

/// A life that knows of a call, but not of the claim and the lease's end that came after it.
#[test]
fn a_lease_that_ended_while_the_lobby_was_dead_is_told_as_expired() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    hall.settle();
    hall.save();
    assert_eq!(hall.state(1), State::Called);
    // The claim is taken by the room, and the answer dies with the lobby.
    hall.begin(1, Wish::Claim);
    let batch = hall.batch().expect("the claim");
    hall.receive(&batch);
    hall.dies();
    hall.wait(400_000);
    hall.usher();
    let told = hall.ask(1, STATUS);
    assert_eq!(told.status.state, State::Over);
    assert_eq!(told.status.reason, Some(Reason::Expired));
}

/// A claim too late, and the call died with the life that had heard of it.
#[test]
fn a_claim_too_late_after_a_forgotten_call_is_a_word_too() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.save();
    hall.usher_and_push();
    hall.dies();
    hall.open(1);
    hall.wait(30_000);
    hall.usher();
    hall.ask(1, Wish::Claim);
    hall.rounds();
    assert_eq!(hall.room.line().present(), 1, "in the room as in the lobby");
}
