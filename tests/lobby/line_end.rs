//! All is sold: everybody who waits is over at once, and nobody who is inside. Whatever is late, asleep or repeated.

use super::hall::{Hall, STATUS, who};
use baton::room::command::{Reply, Standing};
use baton::room::config::Mode;
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn sold_out(hall: &mut Hall) {
    hall.configure(1, true, Mode::SoldOut);
}

const OVER: (State, Option<Reason>) = (State::Over, Some(Reason::SoldOut));

#[test]
fn who_waits_is_over_and_who_is_inside_stays() {
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.join(2);
    hall.join(3);
    sold_out(&mut hall);
    hall.push();
    assert_eq!(hall.stands(1), (State::Admitted, None));
    assert_eq!((hall.stands(2), hall.stands(3)), (OVER, OVER));
    assert_eq!(hall.ask(2, STATUS).status.reason, Some(Reason::SoldOut));
}

#[test]
fn a_lobby_that_forgot_the_claim_does_not_send_away_who_is_inside() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.join(2);
    hall.usher_and_push();
    hall.save();
    assert!(hall.ask(1, Wish::Claim).lease.is_some());
    hall.dies();
    hall.open(1);
    sold_out(&mut hall);
    hall.push();
    hall.rounds();
    assert_eq!(hall.stands(1), (State::Admitted, None));
    assert_eq!(hall.ask(2, STATUS).status.reason, Some(Reason::SoldOut));
}

/// The first reply says that it is called, the last that it is inside: the end came after both.
#[test]
fn one_batch_that_finds_a_call_and_claims_it_is_inside_when_the_line_has_ended_since() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.join(2);
    hall.save();
    // A new life, which has not heard of the call, asks for its visitor who is back.
    hall.usher();
    hall.dies();
    hall.open(1);
    let back = hall.begin(1, Wish::Join);
    let claims = hall.begin(1, Wish::Claim);
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    let kinds: Vec<_> = (answer.replies.iter())
        .filter(|reply| {
            matches!(
                reply,
                Reply::Stands(Standing::Called { .. } | Standing::Admitted { .. })
            )
        })
        .collect();
    assert_eq!(
        kinds.len(),
        2,
        "{:?} → {:?}",
        batch.commands,
        answer.replies
    );
    sold_out(&mut hall);
    hall.push();
    hall.deliver(&answer);
    assert!(hall.answer(claims).unwrap().lease.is_some());
    assert_eq!(hall.state(1), State::Admitted);
    assert!(hall.answer(back).is_some());
}

#[test]
fn numbers_that_come_after_the_end_of_their_line_are_over() {
    let mut hall = Hall::new(0);
    let asked = hall.begin(1, Wish::Join);
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    sold_out(&mut hall);
    // A push overtakes the answer, which then comes again as a repeat that knows of the end.
    hall.push();
    hall.deliver(&answer);
    assert_eq!(
        hall.answer(asked).unwrap().status.reason,
        Some(Reason::SoldOut)
    );
    let later = hall.begin(2, Wish::Join);
    hall.rounds();
    assert_eq!(hall.answer(later).unwrap().status.state, State::None);
}

#[test]
fn a_word_from_before_the_end_does_not_bring_a_place_back() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.save();
    hall.dies();
    hall.open(1);
    let asked = hall.begin(1, STATUS);
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    sold_out(&mut hall);
    hall.push();
    hall.deliver(&answer);
    hall.rounds();
    assert_eq!(
        hall.answer(asked).unwrap().status.reason,
        Some(Reason::SoldOut)
    );
    assert_eq!(hall.stands(1), OVER);
}

#[test]
fn whom_a_life_was_not_sure_of_the_next_one_asks_about() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.save();
    hall.dies();
    sold_out(&mut hall);
    hall.push();
    hall.save();
    hall.dies();
    hall.open(1);
    hall.rounds();
    assert_eq!(hall.stands(1), OVER);
    assert!(hall.told.contains(&who(1)));
}
