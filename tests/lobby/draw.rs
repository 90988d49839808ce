//! A draw as a lobby hears of it: entries become numbers, whatever is under way meanwhile.

use super::carry::{OFFER, carry};
use super::hall::{Hall, LINGER_MS, STATUS, over, who};
use baton::lobby::Book;
use baton::room::command::Command;
use baton::room::config::RoomConfig;
use baton::room::hall::{Draw, Lots};
use baton::room::hours::Period;
use baton::room::line::Place;
use baton::units::Number;
use baton::wire::{CarryTold, Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Opens at this time of the wall clock.
const OPENS_MS: u64 = 1_000;

/// A room whose hall has begun.
fn before_the_opening() -> Hall {
    let mut hall = Hall::new(0);
    let config = RoomConfig {
        permits: 1,
        hall_ms: OPENS_MS,
        draw: Draw::Arrival,
        periods: vec![Period {
            opens_at_ms: OPENS_MS,
            closes_at_ms: u64::MAX,
        }],
        grace_ms: 600_000,
        ..RoomConfig::default()
    };
    hall.turn(|room, _, row| room.configure(&config, row));
    hours(&mut hall, 0);
    hall.push();
    hall
}

fn hours(hall: &mut Hall, wall_ms: u64) {
    hall.turn(|room, _, row| room.keep_hours(wall_ms, &Lots::default(), row));
}

/// The entry of visitor 1 is a number that is called, and the lobby has not heard of it.
fn called_and_not_told() -> Hall {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hours(&mut hall, OPENS_MS);
    hall.usher();
    hall
}

fn number(hall: &mut Hall, visitor: u32) -> Option<u64> {
    hall.status(visitor).number.map(|number| number.0)
}

#[test]
fn entries_become_numbers_and_those_who_wait_are_told() {
    let mut hall = before_the_opening();
    for visitor in [1, 2] {
        let told = hall.ask(visitor, Wish::Join).status;
        assert_eq!((told.state, told.number), (State::Hall, None));
        assert_eq!(told.entry, Some(u64::from(visitor)));
        hall.open(visitor);
    }
    hours(&mut hall, OPENS_MS);
    hall.push();
    hall.told.clear();
    hall.rounds();
    assert_eq!(
        (number(&mut hall, 1), number(&mut hall, 2)),
        (Some(1), Some(2))
    );
    assert_eq!((hall.ahead(1), hall.ahead(2)), (Some(0), Some(1)));
    assert!(hall.told.contains(&who(1)) && hall.told.contains(&who(2)));
}

#[test]
fn who_leaves_by_the_entry_right_after_the_question_has_left() {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hall.ask(2, Wish::Join);
    hall.open(1);
    hours(&mut hall, OPENS_MS);
    // The lobby hears of the draw and asks; in the same batch a visitor leaves, by the entry.
    hall.push();
    let leaves = hall.begin(1, Wish::Leave);
    let batch = hall.batch().unwrap();
    let kinds = batch.commands.iter().filter(|command| {
        matches!(command, Command::Numbers(_)) || **command == Command::Leave(Number::of_entry(1))
    });
    assert_eq!(kinds.count(), 2, "{:?}", batch.commands);
    hall.there_and_back(&batch);
    let told = hall.answer(leaves).unwrap().status;
    assert_eq!((told.state, told.reason), (State::Over, Some(Reason::Left)));
    assert_eq!(hall.ask(1, STATUS).status.state, State::Over);
    hall.push();
    assert_eq!(hall.ahead(2), Some(0));
}

#[test]
fn a_lobby_that_dies_before_the_answer_asks_again() {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hall.open(1);
    hall.save();
    hours(&mut hall, OPENS_MS);
    hall.push();
    let batch = hall.batch().unwrap();
    hall.receive(&batch);
    hall.dies();
    hall.open(1);
    hall.push();
    hall.rounds();
    assert_eq!(number(&mut hall, 1), Some(1));
}

#[test]
fn a_call_that_overtakes_the_number_waits_for_it() {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hall.open(1);
    hours(&mut hall, OPENS_MS);
    hall.usher();
    hall.push();
    assert_eq!(hall.state(1), State::Hall);
    hall.rounds();
    assert_eq!(
        (hall.state(1), number(&mut hall, 1)),
        (State::Called, Some(1))
    );
}

#[test]
fn a_claim_by_the_entry_that_overtakes_the_number_is_inside() {
    let mut hall = called_and_not_told();
    // The lobby has heard of nothing, and its visitor comes by a page that has.
    let lease = hall.ask(1, Wish::Claim).lease.expect("a lease");
    assert_eq!(lease.number, Number(1));
    assert_eq!(hall.state(1), State::Admitted);
    hall.push();
    hall.rounds();
    assert_eq!(
        (hall.state(1), number(&mut hall, 1)),
        (State::Admitted, Some(1))
    );
}

/// Without this the lease was nobody's: the old device was told of a fence that was no more, the new one of nothing.
#[test]
fn a_place_that_is_taken_up_as_an_entry_goes_along_whatever_it_became_meanwhile() {
    for has_asked_for_the_number in [true, false] {
        let mut hall = before_the_opening();
        hall.ask(1, Wish::Join);
        let entry = Number::of_entry(1);
        assert_eq!(hall.ask(1, OFFER).carry, Some(CarryTold::Offered));
        hours(&mut hall, OPENS_MS);
        hall.usher();
        if has_asked_for_the_number {
            hall.push();
        }
        let claims = hall.begin(1, Wish::Claim);
        let carries = hall.begin(2, carry(entry.0));
        let batch = hall.batch().unwrap();
        let ends = batch
            .commands
            .ends_with(&[Command::Claim(entry), Command::Carry(entry)]);
        assert!(ends, "{:?}", batch.commands);
        hall.there_and_back(&batch);
        assert_eq!(hall.answer(claims).unwrap().lease, None);
        let told = hall.answer(carries).unwrap();
        assert_eq!(told.carry, Some(CarryTold::Carried));
        let lease = told.lease.expect("the lease");
        assert_eq!(lease.number, Number(1));
        assert!(hall.room.permits().grant(lease.fence).is_some());
        assert_eq!(hall.ask(1, STATUS).status.reason, Some(Reason::Carried));
        // Nothing is left to pursue: another life carries nothing.
        hall.save();
        hall.dies();
        hall.open(2);
        hall.settle();
        assert_eq!(hall.ask(2, STATUS).status.state, State::Admitted);
        assert!(hall.room.permits().grant(lease.fence).is_some());
    }
}

#[test]
fn a_link_for_an_entry_is_worth_nothing_once_its_number_is_inside() {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hall.ask(1, OFFER);
    hours(&mut hall, OPENS_MS);
    hall.usher();
    let lease = hall.ask(1, Wish::Claim).lease.expect("a lease");
    let told = hall.ask(2, carry(Number::of_entry(1).0));
    assert_eq!(told.carry, Some(CarryTold::Gone));
    hall.settle();
    assert!(hall.room.permits().grant(lease.fence).is_some());
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_some());
}

#[test]
fn who_claims_and_leaves_by_the_entry_in_one_batch_has_left() {
    let mut hall = called_and_not_told();
    let claims = hall.begin(1, Wish::Claim);
    hall.begin(1, Wish::Leave);
    hall.round();
    assert_eq!(hall.answer(claims).unwrap().lease, None);
    assert_eq!(hall.state(1), State::Over);
    assert_eq!(hall.room.permits().leased(), 0);
}

/// Visitor 1 shows the entry, and has its number; then the lobby hears of 2, to whom the place was carried in the hall,
/// and who shows the entry still. All else it has forgotten.
fn forgotten_with_a_place_that_two_show() -> (Hall, Option<u64>) {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hours(&mut hall, OPENS_MS);
    hall.stored = Book::default();
    hall.wait(1_000);
    hall.dies();
    let entry = Some(Number::of_entry(1).0);
    hall.ask_as(1, entry, STATUS);
    hall.rounds();
    assert_eq!(number(&mut hall, 1), Some(1));
    (hall, entry)
}

#[test]
fn who_took_a_place_over_by_its_entry_hears_that_the_other_left() {
    let (mut hall, entry) = forgotten_with_a_place_that_two_show();
    hall.begin_as(2, entry, STATUS);
    hall.begin(1, Wish::Leave);
    hall.told.clear();
    hall.rounds();
    assert_eq!(hall.room.line().place(Number(1)), Place::Gone);
    let status = hall.ask(2, STATUS).status;
    assert_eq!(over(&status), Some(Reason::Left));
    assert!(hall.told.contains(&who(2)));
}

#[test]
fn who_took_a_place_over_by_its_entry_is_there_though_the_other_goes_away() {
    let (mut hall, entry) = forgotten_with_a_place_that_two_show();
    hall.wait(LINGER_MS * 2);
    hall.begin_as(2, entry, STATUS);
    hall.tick();
    hall.told.clear();
    hall.rounds();
    assert_eq!(hall.state(2), State::Waiting);
    assert_eq!(hall.room.line().place(Number(1)), Place::Present);
    assert_eq!(hall.state(1), State::Over);
    assert!(
        hall.told.contains(&who(1)),
        "whose place is another's is told"
    );
}

#[test]
fn who_leaves_by_an_entry_that_a_lobby_forgot_leaves_nobody_waiting_for_its_number() {
    let (mut hall, entry) = forgotten_with_a_place_that_two_show();
    hall.open(1);
    hall.told.clear();
    hall.ask_as(2, entry, Wish::Leave);
    hall.rounds();
    assert_eq!(hall.room.line().place(Number(1)), Place::Gone);
    assert_eq!((hall.state(1), hall.state(2)), (State::Over, State::Over));
    assert!(hall.told.contains(&who(1)));
}
