//! Joining and batches: one number a visitor, one batch in flight.

use super::hall::{ARRIVE, Hall, LINGER_MS, STATUS, bytes, joins, over};
use baton::units::Number;
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn set_if_absent_with_expiry() {
    let mut hall = Hall::new(1);
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    let again = hall.ask(1, Wish::Join);
    assert_eq!(
        (again.status.number, again.issued),
        (Some(Number(1)), false)
    );
    // Gone for longer than the grace, the place is free to be taken anew.
    hall.wait(LINGER_MS);
    hall.tick();
    hall.settle();
    hall.wait(700_000);
    hall.settle();
    let after = hall.ask(1, STATUS);
    assert_eq!(over(&after.status), Some(Reason::Away));
    assert_eq!(hall.join(1), 3);
}

#[test]
fn who_asks_while_a_join_waits_or_flies_shares_its_ticket() {
    let mut hall = Hall::new(1);
    let queued = [hall.begin(1, Wish::Join), hall.begin(1, Wish::Join)];
    let batch = hall.batch().unwrap();
    let flying = hall.begin(1, Wish::Join);
    assert_eq!(joins(&batch), [1]);
    hall.there_and_back(&batch);
    for index in [queued[0], queued[1], flying] {
        assert_eq!(hall.answer(index).unwrap().status.number, Some(Number(1)));
    }
    assert!(hall.batch().is_none());
    assert_eq!(hall.room.line().alive(), 1);
}

#[test]
fn a_thousand_joins_are_one_command() {
    let mut hall = Hall::new(1);
    let asked: Vec<usize> = (0..1_000)
        .map(|visitor| hall.begin(visitor, Wish::Join))
        .collect();
    let batch = hall.round().unwrap();
    assert_eq!((batch.commands.len(), joins(&batch)), (1, vec![1_000]));
    assert_eq!(batch.attempts, 1_000);
    for (place, index) in asked.iter().enumerate() {
        let told = hall.answer(*index).unwrap();
        assert_eq!(told.status.number, Some(Number(place as u64 + 1)));
        assert_eq!(told.status.ahead, Some(place as u64));
        assert!(told.issued);
    }
}

/// A crowd that only reloads still shows: its attempts reach the room within ten seconds.
#[test]
fn repeats_are_counted_even_when_nobody_joins_anew() {
    let mut hall = Hall::new(0);
    hall.begin(1, Wish::Join);
    hall.settle();
    hall.open(1);
    assert_eq!(hall.room.totals().attempts, 1);
    for _ in 0..7 {
        hall.ask(1, Wish::Join);
        hall.ask(1, ARRIVE);
    }
    assert!(hall.batch().is_none(), "no hurry");
    let due = hall.lobby.due_at().expect("the alarm is set");
    assert!(due.since_ms(hall.now) <= 10_000, "{due}");
    hall.wait(10_000);
    hall.tick();
    let batch = hall.round().expect("a batch of its own");
    assert_eq!((batch.commands.len(), batch.attempts), (0, 14));
    assert_eq!(hall.room.totals().attempts, 15);
    assert!(hall.batch().is_none());
}

#[test]
fn one_batch_flies_and_the_next_grows_meanwhile() {
    let mut hall = Hall::new(1);
    hall.begin(1, Wish::Join);
    let first = hall.batch().unwrap();
    for visitor in 2..50 {
        hall.begin(visitor, Wish::Join);
        assert_eq!(
            bytes(&hall.batch().unwrap()),
            bytes(&first),
            "nothing newer before"
        );
    }
    // The answer is lost, and so is a repeat's.
    let lost = hall.receive(&first);
    let again = hall.batch().unwrap();
    assert_eq!(bytes(&again), bytes(&first));
    let message = hall.receive(&again);
    assert_eq!(message.replies, lost.replies);
    hall.deliver(&message);
    let second = hall.round().unwrap();
    assert_eq!((second.sequence, joins(&second)), (2, vec![48]));
    assert_eq!(hall.room.line().next(), Number(50));
    assert!(hall.batch().is_none());
}

/// Two tabs at once, one on the gated path and one with a socket, are one visitor.
#[test]
fn a_walk_in_and_a_join_of_one_visitor_never_make_two_tickets() {
    for (first, second) in [(ARRIVE, Wish::Join), (Wish::Join, ARRIVE)] {
        let mut hall = Hall::with(1, true, 1_000);
        let (a, b) = (hall.begin(1, first), hall.begin(1, second));
        hall.rounds();
        assert_eq!(
            hall.room.line().next(),
            Number(2),
            "{first:?} and {second:?}"
        );
        let numbers = [a, b].map(|index| hall.answer(index).unwrap().status.number);
        assert_eq!(numbers, [Some(Number(1)); 2]);
    }
}

#[test]
fn a_walk_in_denied_joins() {
    let mut hall = Hall::with(1, true, 1_000);
    let first = hall.ask(1, ARRIVE);
    assert!(first.issued && first.lease.is_some_and(|lease| lease.provisional));
    let second = hall.ask(2, ARRIVE);
    assert!(second.issued && second.lease.is_none() && second.no_walk_in);
    assert_eq!(
        (second.status.state, second.status.number),
        (State::Waiting, Some(Number(2)))
    );
    let third = hall.ask(
        3,
        Wish::Arrive {
            walk_in: true,
            join: false,
        },
    );
    assert_eq!((third.status.state, third.no_walk_in), (State::None, true));
}
