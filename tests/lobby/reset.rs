//! The room is begun anew: every ticket here is over, and nothing that is late, asleep or repeated takes a number of the
//! one edition for a number of the other.

use super::hall::{ARRIVE, Hall, STATUS, who};
use baton::lobby::Book;
use baton::room::command::Command;
use baton::room::config::Mode;
use baton::units::{Edition, Instant, LobbyId, Number};
use baton::wire::{Ask, CarryTold, Reason, Shown, State, Told, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn reset(hall: &mut Hall) -> Edition {
    hall.turn(|room, _, row| room.reset("desk", row))
}

/// The edition and the number that a visitor has.
fn place(hall: &mut Hall, visitor: u32) -> (u32, u64) {
    let status = hall.status(visitor);
    let place = status.place().expect("a place");
    (place.edition.0, place.number.0)
}

/// What a cookie of this edition and number leads to, shown by this visitor.
fn shows(hall: &mut Hall, visitor: u32, (edition, number): (u32, u64), wish: Wish) -> Told {
    let shown = Shown {
        edition: Edition(edition),
        number: Number(number),
    };
    let index = hall.begin_with(visitor, Some(shown), wish);
    while hall.answer(index).is_none() && hall.round().is_some() {}
    hall.answer(index).expect("an answer")
}

const OVER: (State, Option<Reason>) = (State::Over, Some(Reason::Reset));

#[test]
fn who_waits_is_called_or_inside_is_over_and_told_at_once() {
    let mut hall = Hall::new(2);
    let lease = hall.admit(1);
    hall.join(2);
    hall.usher_and_push();
    hall.join(3);
    assert_eq!(reset(&mut hall), Edition(2));
    let delivered = hall.lobby.pushed(hall.now, &hall.message());
    assert!(delivered.everybody);
    for visitor in 1..4 {
        assert_eq!(hall.stands(visitor), OVER, "{visitor}");
    }
    // The pass dies with its fence, and the permits are free.
    assert_eq!(hall.ask(1, Wish::Renew(lease.fence)).lease, None);
    assert_eq!(hall.room.permits().hand(), 2);
}

#[test]
fn numbers_begin_again_and_old_cookies_are_told_of_the_reset() {
    let mut hall = Hall::new(0);
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    reset(&mut hall);
    hall.push();
    assert_eq!(hall.join(2), 1);
    assert_eq!(place(&mut hall, 2), (2, 1));
    // Visitor 1 shows a number that is visitor 2's now: told once, and claims and leaves nothing.
    for wish in [ARRIVE, STATUS, Wish::Attend, Wish::Claim, Wish::Leave] {
        let told = shows(&mut hall, 1, (1, 1), wish);
        let status = told.status;
        assert_eq!((status.state, status.reason), OVER, "{wish:?}");
        assert_eq!((status.edition, told.lease), (Some(Edition(1)), None));
    }
    assert_eq!(place(&mut hall, 2), (2, 1));
    assert_eq!(hall.stands(2), (State::Waiting, None));
    let told = shows(&mut hall, 1, (1, 1), Wish::Join);
    assert!(told.issued);
    assert_eq!(place(&mut hall, 1), (2, 2));
}

#[test]
fn a_lobby_that_forgot_everything_knows_an_old_cookie_for_what_it_is() {
    let mut hall = Hall::new(0);
    hall.join(1);
    reset(&mut hall);
    hall.stored = Book::default();
    hall.now = Instant(hall.now.0 + 1);
    hall.dies();
    // It takes itself to be in the first edition, and asks the room about a ticket of it.
    let told = shows(&mut hall, 1, (1, 1), STATUS);
    assert_eq!((told.status.state, told.status.reason), OVER);
    // Now it knows, and need not ask.
    let told = shows(&mut hall, 7, (1, 1), STATUS);
    assert_eq!((told.status.state, told.status.reason), OVER);
    assert_eq!(hall.join(7), 1);
    let told = shows(&mut hall, 1, (1, 1), Wish::Join);
    assert_eq!(told.status.number, Some(Number(2)));
}

#[test]
fn a_ticket_of_an_edition_that_nobody_here_has_heard_of_makes_the_lobby_look() {
    let mut hall = Hall::new(0);
    reset(&mut hall);
    hall.perform(&Command::Join { count: 1 }, LobbyId(0));
    let ask = Ask {
        visitor: who(5),
        shown: Some(Shown {
            edition: Edition(2),
            number: Number(1),
        }),
        wish: ARRIVE,
    };
    assert!(hall.lobby.asks_to_look(hall.now, &ask));
    hall.push();
    assert!(!hall.lobby.asks_to_look(hall.now, &ask));
    assert_eq!(
        shows(&mut hall, 5, (2, 1), STATUS).status.state,
        State::Waiting
    );
    // A ticket of an edition that the room has not begun is none of its own.
    assert_eq!(
        shows(&mut hall, 6, (9, 1), STATUS).status.state,
        State::None
    );
}

#[test]
fn a_number_from_before_the_reset_that_comes_after_it_is_nobodys() {
    let mut hall = Hall::new(0);
    let asked = hall.begin(1, Wish::Join);
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    assert_eq!(hall.room.line().alive(), 1);
    reset(&mut hall);
    // A push overtakes the answer; visitor 1 asks for a number again by itself, and gets one that lives.
    hall.push();
    hall.deliver(&answer);
    assert_eq!(hall.answer(asked).map(|told| told.status.state), None);
    hall.rounds();
    assert!(hall.answer(asked).unwrap().issued);
    assert_eq!(place(&mut hall, 1), (2, 1));
    assert_eq!(hall.room.line().alive(), 1);
}

#[test]
fn the_same_answer_repeated_to_a_later_life_gives_nobody_a_number() {
    let mut hall = Hall::new(0);
    hall.begin(1, Wish::Join);
    let batch = hall.batch().unwrap();
    hall.receive(&batch);
    reset(&mut hall);
    hall.dies();
    assert_eq!(hall.round().as_ref(), Some(&batch), "the same bytes");
    assert_eq!(hall.lobby.ticket(who(1)), None);
    assert_eq!(hall.join(2), 1);
    assert_eq!(place(&mut hall, 2), (2, 1));
}

#[test]
fn a_batch_that_the_room_takes_after_the_reset_gets_numbers_that_live() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.usher_and_push();
    // Beside the new number somebody claims and somebody leaves, all by numbers of the first edition.
    hall.join(2);
    let claim = hall.begin(1, Wish::Claim);
    let leave = hall.begin(2, Wish::Leave);
    let join = hall.begin(3, Wish::Join);
    let batch = hall.batch().unwrap();
    assert_eq!(batch.commands.len(), 3);
    reset(&mut hall);
    // Numbers 1 and 2 are others' when the batch comes.
    hall.perform(&Command::Join { count: 2 }, LobbyId(1));
    hall.usher();
    hall.there_and_back(&batch);
    assert_eq!(hall.answer(claim).unwrap().lease, None);
    assert_eq!(hall.stands(1), OVER);
    assert_eq!(hall.answer(leave).unwrap().status.state, State::Over);
    assert!(hall.answer(join).unwrap().issued);
    assert_eq!(place(&mut hall, 3), (2, 3));
    assert_eq!(hall.room.line().alive(), 3);
    assert_eq!(hall.room.permits().called(), 1);
}

#[test]
fn words_and_pictures_from_before_the_reset_change_nothing_after_it() {
    let mut hall = Hall::new(1);
    hall.admit(8);
    hall.join(9);
    hall.usher();
    hall.join(1);
    let late = hall.message();
    let lease = hall.room.permits().out().next().map(|(fence, _)| fence);
    hall.perform(&Command::Release(lease.unwrap()), LobbyId(0));
    let called = hall.message();
    assert!(!called.notices.is_empty(), "number 2 is called");
    reset(&mut hall);
    hall.push();
    assert_eq!((hall.join(1), hall.join(2)), (1, 2));
    let before = (hall.state(2), hall.ahead(2));
    hall.pushed(&late);
    hall.pushed(&called);
    assert_eq!((hall.state(2), hall.ahead(2)), before);
    assert_eq!(before, (State::Waiting, Some(1)));
}

#[test]
fn the_end_of_a_line_of_an_earlier_edition_ends_nobody() {
    let mut hall = Hall::new(1);
    for visitor in 1..4 {
        hall.join(visitor);
    }
    hall.configure(1, false, Mode::SoldOut);
    let late = hall.message();
    reset(&mut hall);
    hall.configure(1, false, Mode::Open);
    hall.push();
    hall.join(1);
    hall.pushed(&late);
    assert_eq!(hall.stands(1), (State::Waiting, None));
}

#[test]
fn a_link_of_an_earlier_edition_moves_nobodys_place() {
    let hash = [7; 32];
    let offer = Wish::Offer {
        hash,
        within_ms: 300_000,
    };
    let place_1 = |edition| Shown {
        edition: Edition(edition),
        number: Number(1),
    };
    let take = |edition| Wish::Carry {
        place: place_1(edition),
        hash,
    };
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.ask(1, offer);
    // One takes it up while the room begins anew.
    let taken = hall.begin(2, take(1));
    let batch = hall.batch().unwrap();
    reset(&mut hall);
    hall.perform(&Command::Join { count: 1 }, LobbyId(1));
    hall.there_and_back(&batch);
    assert_eq!(hall.answer(taken).unwrap().carry, Some(CarryTold::Gone));
    // Then number 2 offers its own place with the same secret: the old link does not fit it.
    assert_eq!(hall.join(3), 2);
    hall.ask(3, offer);
    assert_eq!(hall.ask(4, take(1)).carry, Some(CarryTold::Gone));
    assert_eq!(hall.stands(3), (State::Waiting, None));
}

#[test]
fn what_a_life_did_not_store_of_a_reset_the_next_one_hears() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.save();
    reset(&mut hall);
    hall.push();
    hall.dies();
    hall.open(1);
    hall.rounds();
    assert_eq!(hall.stands(1), OVER);
}

#[test]
fn a_check_that_is_older_than_the_reset_tells_no_lease() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    let alive = hall.room.check(hall.now, lease.fence);
    reset(&mut hall);
    hall.push();
    assert_eq!(hall.hears_of(1, lease.fence, hall.now, &alive), None);
    // Nor when the visitor has the same number again.
    assert_eq!(hall.join(1), lease.number.0);
    assert_eq!(hall.hears_of(1, lease.fence, hall.now, &alive), None);
}
