//! New lives: a lobby that lost its memory begins from what is stored, and nobody gets two numbers, or none, by it.

use super::hall::{ARRIVE, Hall, LINGER_MS, STATUS, WALL_MS, bytes, joins, over, who};
use baton::lobby::event::LobbyEvent;
use baton::room::command::Command;
use baton::room::config::Mode;
use baton::units::{LobbyId, Number};
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Of each answer that is known and not written, the first number.
fn unwritten(hall: &Hall) -> Vec<Number> {
    let first = |event| match event {
        LobbyEvent::Joined { first, .. } => Some(first),
        _ => None,
    };
    let events = hall.lobby.clone().take_unsaved();
    events.into_iter().filter_map(first).collect()
}

/// Whoever asked here is the third in line, behind visitors 1 and 2.
fn is_third(hall: &mut Hall, asked: usize) {
    assert_eq!(hall.answer(asked).unwrap().status.number, Some(Number(3)));
    assert_eq!((hall.join(2), hall.join(1)), (2, 1));
    assert_eq!(hall.room.line().alive(), 3);
}

/// Visitor 1 gives a lease back and visitor 2 a place in line, in a batch that is not sent yet.
fn two_who_leave() -> Hall {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.join(2);
    hall.save();
    hall.begin(1, Wish::Release(lease.fence));
    hall.begin(2, Wish::Leave);
    hall
}

#[test]
fn a_new_life_sends_the_outstanding_batch_first_and_its_answer_makes_the_tickets() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    hall.begin(2, Wish::Join);
    let batch = hall.batch().unwrap();
    let epoch = hall.lobby.epoch();
    hall.receive(&batch);
    hall.dies();
    assert_eq!(hall.lobby.epoch(), epoch + 1);
    // Asked again before the answer is there: the same ticket is waited for.
    let again = hall.begin(1, Wish::Join);
    let third = hall.begin(3, Wish::Join);
    let resent = hall.batch().unwrap();
    assert_eq!(bytes(&resent), bytes(&batch));
    hall.there_and_back(&resent);
    hall.rounds();
    assert_eq!(hall.answer(again).unwrap().status.number, Some(Number(1)));
    is_third(&mut hall, third);
}

#[test]
fn a_batch_of_an_earlier_life_that_is_refused_lets_everybody_ask_again() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    hall.batch().unwrap();
    hall.dies();
    let asked = hall.begin(1, Wish::Join);
    assert!(hall.lobby.has_batch() && !hall.lobby.flies_in_this_life());
    hall.lobby.refused(hall.now);
    hall.rounds();
    assert_eq!(hall.answer(asked).unwrap().status.number, Some(Number(1)));
}

/// Whose a number is stands in the row of the next batch that brings some. Until then the batch that issued it is stored,
/// and the room answers it the same once more.
#[test]
fn a_number_that_was_told_and_not_written_is_the_same_in_the_next_life() {
    let mut hall = Hall::new(1);
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    assert_eq!(unwritten(&hall), [Number(2)]);
    hall.dies();
    let third = hall.begin(3, Wish::Join);
    let second = hall.ask_as(2, Some(2), STATUS).status;
    assert_eq!(second.state, State::Waiting);
    assert_eq!(second.number, Some(Number(2)));
    hall.rounds();
    is_third(&mut hall, third);
}

/// Others may have followed meanwhile, and the room speaks of what came of them.
#[test]
fn numbers_that_others_followed_are_heard_of_by_the_next_life() {
    let mut hall = Hall::new(1);
    assert_eq!((hall.join(1), hall.join(2), hall.join(3)), (1, 2, 3));
    hall.save();
    assert_eq!((hall.join(4), hall.join(5)), (4, 5));
    hall.usher_and_push();
    hall.ask(1, Wish::Claim);
    hall.ask(5, Wish::Leave);
    hall.begin(3, Wish::Leave);
    let batch = hall.batch().expect("a batch");
    assert!(joins(&batch).is_empty());
    assert_eq!(unwritten(&hall), [Number(5)], "nobody waits for a row");
    hall.receive(&batch);
    hall.dies();
    let fourth = hall.begin(4, STATUS);
    hall.open(5);
    hall.rounds();
    assert_eq!(hall.answer(fourth).unwrap().status.number, Some(Number(4)));
    assert_eq!(over(&hall.status(5)), Some(Reason::Left));
    assert_eq!(over(&hall.status(3)), Some(Reason::Left));
    let told = hall.ask_as(1, Some(1), STATUS);
    assert_eq!(told.status.state, State::Admitted);
    assert_eq!((hall.join(4), hall.join(1)), (4, 1));
    assert_eq!(hall.room.line().alive(), 2);
}

/// An earlier life sent a visitor away in a batch whose answer was lost, and by the time that it is repeated the grace is
/// over. A page that just shows the line would show it for ever.
#[test]
fn who_was_sent_away_by_an_earlier_life_and_is_there_is_asked_about() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.begin(2, Wish::Join);
    let batch = hall.batch().expect("a batch");
    hall.receive(&batch);
    assert_eq!(hall.room.line().present(), 1, "only the second is there");
    hall.wait(2 * hall.room.config().grace_ms);
    hall.usher();
    hall.dies();
    hall.open(1);
    hall.rounds();
    assert_eq!(over(&hall.status(1)), Some(Reason::Away));
    assert!(hall.told.contains(&who(1)));
}

/// With the first word of a new life the room forgets what it answered the one before.
#[test]
fn numbers_of_an_earlier_life_are_written_before_a_new_one_speaks() {
    let mut hall = Hall::new(1);
    assert_eq!(hall.join(1), 1);
    hall.dies();
    hall.save();
    hall.round().expect("the batch of the earlier life");
    assert_eq!(unwritten(&hall), [Number(1)]);
    hall.begin(1, STATUS);
    let batch = hall.batch().expect("a question");
    assert!(joins(&batch).is_empty());
    hall.receive(&batch);
    hall.dies();
    assert_eq!(hall.join(1), 1);
}

/// Whatever a visitor wants, the number that an earlier life asked for is heard of first: who leaves would be told that
/// there is nothing to leave, and stand in line for ever.
#[test]
fn who_has_a_number_that_this_life_has_not_heard_of_waits_for_it() {
    for wish in [STATUS, Wish::Leave, Wish::Claim] {
        let mut hall = Hall::new(1);
        assert_eq!(hall.join(1), 1);
        hall.usher_and_push();
        hall.dies();
        let told = hall.ask(1, wish);
        let state = match wish {
            Wish::Leave => State::Over,
            Wish::Claim => State::Admitted,
            _ => State::Called,
        };
        assert_eq!(
            (told.status.number, told.status.state),
            (Some(Number(1)), state)
        );
        assert!(told.issued, "a number that a cookie may not have come with");
    }
}

/// The line has ended since, and in between somebody came in by a batch that only the earlier life knew of.
#[test]
fn an_old_answer_does_not_end_who_came_in_before_the_line_ended() {
    let mut hall = Hall::new(1);
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    hall.save();
    hall.usher_and_push();
    let lease = hall.ask(1, Wish::Claim).lease.expect("a lease");
    assert_eq!(hall.join(3), 3);
    hall.ask(1, Wish::Release(lease.fence));
    hall.usher_and_push();
    hall.ask(2, Wish::Leave);
    hall.usher_and_push();
    assert_eq!(hall.ask(3, Wish::Claim).status.state, State::Admitted);
    hall.perform(&Command::Join { count: 1 }, LobbyId(1));
    hall.configure(1, false, Mode::SoldOut);
    hall.usher();
    hall.dies();
    assert_eq!(hall.ask(3, STATUS).status.state, State::Admitted);
    hall.rounds();
    assert_eq!(hall.state(3), State::Admitted);
}

/// A life that only asked how a ticket stands has spoken to the room: the next life must not
/// speak in its name, or the room would take its first batch for a repeat.
#[test]
fn two_lives_never_share_an_epoch_once_one_has_spoken() {
    let mut hall = Hall::with(2, true, 1_000);
    hall.admit(1);
    hall.dies();
    assert!(hall.ask(1, STATUS).status.state == State::Admitted);
    hall.dies();
    let other = hall.ask(2, ARRIVE);
    assert_eq!(
        other.status.number,
        Some(Number(2)),
        "visitor 2 is not visitor 1"
    );
    assert!(other.issued);
}

/// The room says of who left that it is so until that is written. A page that is open beside must not
/// show the line for ever because the lobby lost its memory before the answer.
#[test]
fn who_left_has_left_also_in_the_next_life() {
    let mut hall = two_who_leave();
    let batch = hall.lobby.next_batch(hall.now).unwrap();
    assert!(
        !hall.lobby.must_save_first(),
        "a permit is handed on without a row of the lobby"
    );
    hall.receive(&batch);
    hall.dies();
    hall.open(1);
    hall.open(2);
    hall.rounds();
    assert_eq!(over(&hall.status(1)), Some(Reason::Released));
    assert_eq!(over(&hall.status(2)), Some(Reason::Left));
    assert!(hall.told.contains(&who(2)));
}

/// What was not answered may never have come to the room, and by the time it can be reached this life may be over.
#[test]
fn who_left_while_the_room_was_out_of_reach_is_sent_by_the_next_life() {
    let mut hall = two_who_leave();
    let batch = hall.batch().unwrap();
    hall.lobby.unanswered(hall.now);
    hall.change_ends();
    hall.lobby.unanswered(hall.now);
    assert!(hall.lobby.take_unsaved().is_empty(), "noted once");
    hall.dies();
    assert_eq!(bytes(&hall.round().unwrap()), bytes(&batch));
    assert_eq!(hall.room.line().alive(), 0);
    assert_eq!(hall.room.permits().leased(), 0);
    assert_eq!((hall.state(1), hall.state(2)), (State::Over, State::Over));
}

/// Of a batch that asks for nothing that must not be forgotten no row is written, answered or not.
#[test]
fn an_unanswered_question_is_not_noted() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.save();
    hall.begin(1, Wish::Renew(lease.fence));
    hall.batch().unwrap();
    hall.lobby.unanswered(hall.now);
    assert!(hall.lobby.take_unsaved().is_empty());
}

/// A claim before its time rode in a batch that never arrived. By when it is sent again the visitor has been called,
/// and is inside: nothing but the answer says so.
#[test]
fn a_claim_that_an_earlier_life_sent_is_heard_of() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(9);
    hall.join(1);
    hall.begin(1, Wish::Claim);
    hall.begin(2, Wish::Join);
    let batch = hall.batch().unwrap();
    hall.dies();
    hall.open(1);
    hall.perform(&Command::Release(lease.fence), LobbyId(0));
    hall.push();
    assert_eq!(hall.state(1), State::Called);
    let again = hall.batch().unwrap();
    assert_eq!(bytes(&again), bytes(&batch));
    let message = hall.receive(&again);
    hall.perform(&Command::Join { count: 1 }, LobbyId(1));
    hall.configure(1, false, Mode::SoldOut);
    hall.usher();
    hall.push();
    assert_ne!(hall.state(1), State::Over, "may be inside");
    hall.deliver(&message);
    hall.rounds();
    assert_eq!(hall.ask(1, STATUS).status.state, State::Admitted);
}

/// The answer that carried a call died with the life it was for. The next asks, though no page
/// does.
#[test]
fn a_life_that_finds_sockets_speaks_first() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.save();
    hall.usher();
    hall.dies();
    assert!(!hall.lobby.has_batch(), "nobody is there");
    hall.open(1);
    assert!(hall.round().unwrap().commands.is_empty());
    assert_eq!(hall.state(1), State::Called);
    assert!(!hall.lobby.has_batch());
}

/// The row was written, and then the memory was lost before anybody was told of it.
#[test]
fn what_an_earlier_life_stored_and_did_not_tell_is_told() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.join(2);
    hall.join(3);
    hall.ask(2, Wish::Leave);
    hall.usher_and_push();
    hall.save();
    hall.dies();
    for visitor in 1..=3 {
        hall.open(visitor);
    }
    hall.told.clear();
    hall.round();
    assert_eq!(
        hall.told,
        [who(1), who(2)],
        "called and over, not who just waits"
    );
}

/// That the visitor is in was not stored yet. The release still ends the ticket, by its name.
#[test]
fn who_is_done_is_done_though_the_claim_was_forgotten() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.save();
    hall.usher_and_push();
    let lease = hall.ask(1, Wish::Claim).lease.unwrap();
    hall.dies();
    let told = hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(over(&told.status), Some(Reason::Released));
}

/// One tab joins while another still shows an old number: two answers in one batch, about two
/// tickets.
#[test]
fn the_end_of_an_old_number_does_not_end_a_new_ticket_of_the_same_batch() {
    let mut hall = Hall::new(0);
    hall.begin(9, Wish::Join);
    let blocked = hall.batch().unwrap();
    hall.begin(1, Wish::Join);
    hall.begin_as(1, Some(77), Wish::Join);
    hall.there_and_back(&blocked);
    hall.rounds();
    assert_eq!((hall.state(1), hall.join(1)), (State::Waiting, 2));
}

/// Nothing is made of what the room once answered in an earlier life, but for the numbers.
#[test]
fn an_old_answer_ends_no_new_ticket() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.ask(1, Wish::Leave);
    hall.join(1);
    hall.begin(1, Wish::Renew(lease.fence));
    hall.begin(2, Wish::Join);
    let batch = hall.batch().unwrap();
    hall.receive(&batch);
    hall.dies();
    hall.round();
    assert_eq!((hall.state(1), hall.join(1)), (State::Waiting, 2));
}

/// Remaining times in a repeated answer are as old as its first. A lease told too long would
/// outlive the room's.
#[test]
fn a_lease_from_an_earlier_life_is_never_told_longer_than_the_rooms() {
    let mut hall = Hall::with(1, true, 1_000);
    hall.begin(1, ARRIVE);
    let batch = hall.batch().unwrap();
    hall.receive(&batch);
    hall.wait(20_000);
    hall.dies();
    hall.round();
    let ends_at_ms = hall.status(1).ends_at_ms;
    assert!(ends_at_ms <= Some(WALL_MS + 10_000), "{ends_at_ms:?}");
    let lease = hall.ask(1, ARRIVE).lease.expect("the walk-in still stands");
    let (_, grant) = hall.room.permits().of_number(Number(1)).unwrap();
    assert!(hall.now.plus_ms(lease.idle_in_ms) <= grant.due_at());
    assert_eq!(hall.room.line().next(), Number(2));
}

/// Fifty thousand pages come back after a restart: the roster says who has a socket, and nobody
/// is put away for not having one *yet*.
#[test]
fn the_roster_lists_held_tickets_and_puts_nobody_away() {
    let mut hall = Hall::new(0);
    for visitor in 1..=4 {
        hall.join(visitor);
    }
    hall.save();
    hall.dies();
    hall.open(2);
    hall.open(3);
    hall.wait(1_000);
    hall.begin(4, STATUS);
    let batch = hall.round().unwrap();
    assert_eq!(batch.roster, [Number(2), Number(3)]);
    assert_eq!((batch.sequence, hall.room.line().present()), (1, 4));
    hall.begin(5, Wish::Join);
    assert!(
        hall.round().unwrap().roster.is_empty(),
        "only the first of a life"
    );
    // Not seen for the linger of this life: away now.
    hall.wait(LINGER_MS);
    hall.tick();
    hall.round();
    assert_eq!(hall.room.line().present(), 2);
}

/// A page that slept through a call sleeps on, whatever wakes its lobby.
#[test]
fn a_new_life_does_not_call_back_who_missed_a_call_with_an_open_socket() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.open(1);
    hall.usher_and_push();
    hall.wait(30_000);
    hall.usher_and_push();
    hall.save();
    hall.dies();
    hall.open(1);
    hall.join(2);
    assert_eq!(hall.room.line().first_present(), Some(Number(2)));
    hall.ask(1, STATUS);
    assert_eq!(hall.room.line().first_present(), Some(Number(1)));
}
