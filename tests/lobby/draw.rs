//! A draw as a lobby hears of it: entries become numbers, whatever is under way meanwhile.

use super::*;
use baton::room::hall::{Draw, Lots};
use baton::room::hours::Period;
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

fn number(hall: &mut Hall, visitor: u32) -> Option<u64> {
    let status = hall.lobby.status(hall.now, WALL_MS, who(visitor));
    status.number.map(|number| number.0)
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
    while hall.round().is_some() {}
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
    let answer = hall.receive(&batch);
    hall.deliver(&answer);
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
    while hall.round().is_some() {}
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
    while hall.round().is_some() {}
    assert_eq!(
        (hall.state(1), number(&mut hall, 1)),
        (State::Called, Some(1))
    );
}

#[test]
fn a_claim_by_the_entry_that_overtakes_the_number_is_inside() {
    let mut hall = before_the_opening();
    hall.ask(1, Wish::Join);
    hours(&mut hall, OPENS_MS);
    hall.usher();
    // The lobby has heard of nothing, and its visitor comes by a page that has.
    let lease = hall.ask(1, Wish::Claim).lease.expect("a lease");
    assert_eq!(lease.number, Number(1));
    assert_eq!(hall.state(1), State::Admitted);
    hall.push();
    while hall.round().is_some() {}
    assert_eq!(
        (hall.state(1), number(&mut hall, 1)),
        (State::Admitted, Some(1))
    );
}
