//! Ends and numbers: an end is told once, and a number that is not known here is asked for.

use super::hall::{ARRIVE, Hall, STATUS, over};
use baton::lobby::Book;
use baton::units::Number;
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn the_end_is_told_once_to_who_shows_the_number_and_then_a_new_ticket() {
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.wait(60_000);
    hall.usher_and_push();
    let told = hall.ask_as(1, Some(1), ARRIVE);
    assert_eq!(over(&told.status), Some(Reason::Expired));
    assert!(told.lease.is_none() && !told.issued);
    // The front has cleared the ticket.
    let told = hall.ask(1, ARRIVE);
    assert_eq!((told.status.number, told.issued), (Some(Number(2)), true));
}

#[test]
fn a_signed_number_that_is_not_known_here_is_asked_for() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.join(9);
    hall.stored = Book::default();
    hall.wait(1);
    hall.dies();
    let told = hall.ask_as(1, Some(1), Wish::Join);
    assert_eq!(
        (told.status.state, told.status.number),
        (State::Waiting, Some(Number(1)))
    );
    assert!(!told.issued);
    let told = hall.ask_as(2, Some(77), Wish::Join);
    assert_eq!(
        told.status.number,
        Some(Number(3)),
        "the room never issued 77"
    );
    assert!(told.issued);
}

#[test]
fn segments() {
    // A full lobby passes visitors on to the next, and for good.
    let mut hall = Hall::with(0, false, 2);
    hall.join(1);
    hall.join(2);
    assert!(hall.ask(3, Wish::Join).full);
    assert!(!hall.ask(1, Wish::Join).full, "who has a ticket stays");
    hall.ask(1, Wish::Leave);
    assert!(
        hall.ask(3, Wish::Join).full,
        "has a ticket elsewhere by now"
    );
    hall.save();
    hall.dies();
    assert!(hall.ask(3, Wish::Join).full, "also in the next life");
    assert_eq!(hall.join(4), 3);
    assert!(!hall.ask(3, STATUS).full);
    // What is still in flight counts, and its own second ask is not passed on.
    let mut hall = Hall::with(1, true, 1);
    let first = hall.begin(1, ARRIVE);
    let second = hall.begin(1, ARRIVE);
    assert!(hall.ask(2, Wish::Join).full);
    hall.rounds();
    for index in [first, second] {
        assert_eq!(hall.answer(index).map(|told| told.full), Some(false));
    }
}
