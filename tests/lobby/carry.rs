//! A place that goes to another device: one place all the time, whatever dies in between.

use super::hall::{ARRIVE, Hall, LINGER_MS, STATUS, WALL_MS, who};
use baton::lobby::Book;
use baton::lobby::event::LobbyEvent;
use baton::room::command::{Command, Standing};
use baton::room::config::Mode;
use baton::room::line::Place;
use baton::units::{Edition, Instant, Number};
use baton::wire::{CarryTold, Reason, Shown, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WITHIN_MS: u64 = 300_000;
const SECRET: [u8; 32] = [7; 32];
pub(super) const OFFER: Wish = Wish::Offer {
    hash: SECRET,
    within_ms: WITHIN_MS,
};

pub(super) fn carry(number: u64) -> Wish {
    carry_with(number, SECRET)
}

fn carry_with(number: u64, hash: [u8; 32]) -> Wish {
    let place = Shown {
        edition: Edition::FIRST,
        number: Number(number),
    };
    Wish::Carry { place, hash }
}

impl Hall {
    /// Visitor 1 waits, with a place that was offered.
    fn with_an_offer() -> (Self, u64) {
        let mut hall = Self::new(1);
        let number = hall.join(1);
        assert_eq!(hall.ask(1, OFFER).carry, Some(CarryTold::Offered));
        (hall, number)
    }

    /// Whose the number is, by what each of these is told: exactly one.
    fn holder(&mut self, number: u64, visitors: &[u32]) -> u32 {
        let holds = |visitor: &&u32| {
            let ticket = self.lobby.ticket(who(**visitor));
            ticket.is_some_and(|ticket| {
                ticket.number == Number(number)
                    && !matches!(ticket.phase, baton::lobby::Phase::Over(_))
            })
        };
        let holders: Vec<&u32> = visitors.iter().filter(holds).collect();
        assert_eq!(holders.len(), 1, "{number} is held by {holders:?}");
        *holders[0]
    }
}

#[test]
fn a_place_goes_to_the_other_device_and_the_old_one_is_told() {
    let (mut hall, number) = Hall::with_an_offer();
    hall.join(9);
    hall.open(1);
    hall.told.clear();
    let told = hall.ask(2, carry(number));
    assert_eq!(told.carry, Some(CarryTold::Carried));
    assert_eq!(told.status.state, State::Waiting);
    assert_eq!(told.status.number, Some(Number(number)));
    assert_eq!(told.status.ahead, Some(0));
    assert!(hall.told.contains(&who(1)), "{:?}", hall.told);
    let old = hall.ask(1, STATUS).status;
    assert_eq!(old.state, State::Over);
    assert_eq!(old.reason, Some(Reason::Carried));
    hall.usher_and_push();
    assert_eq!(hall.state(2), State::Called);
}

#[test]
fn it_is_taken_up_once_and_a_lost_answer_is_told_again() {
    let (mut hall, number) = Hall::with_an_offer();
    let (second, third) = (hall.begin(2, carry(number)), hall.begin(3, carry(number)));
    assert_eq!(hall.answer(third).unwrap().carry, Some(CarryTold::Gone));
    hall.round();
    assert_eq!(hall.answer(second).unwrap().carry, Some(CarryTold::Carried));
    assert_eq!(hall.ask(2, carry(number)).carry, Some(CarryTold::Carried));
    for other in [1, 3] {
        assert_eq!(hall.ask(other, carry(number)).carry, Some(CarryTold::Gone));
    }
    assert_eq!(hall.holder(number, &[1, 2, 3]), 2);
    assert_eq!(hall.lobby.living(), 1);
}

#[test]
fn only_what_was_offered_last_and_lately_is_good() {
    let (mut hall, number) = Hall::with_an_offer();
    let wrong = carry_with(number, [8; 32]);
    assert_eq!(hall.ask(2, wrong).carry, Some(CarryTold::Gone));
    let hash = [9; 32];
    let within_ms = 1_000;
    hall.ask(1, Wish::Offer { hash, within_ms });
    assert_eq!(hall.ask(2, carry(number)).carry, Some(CarryTold::Gone));
    hall.wait(within_ms);
    let late = carry_with(number, hash);
    assert_eq!(hall.ask(2, late).carry, Some(CarryTold::Gone));
    assert_eq!(hall.holder(number, &[1, 2]), 1);
    assert_eq!(hall.ask(2, carry(99)).carry, Some(CarryTold::Gone));
}

#[test]
fn who_has_no_place_offers_none() {
    let mut hall = Hall::new(1);
    assert_eq!(hall.ask(1, OFFER).carry, Some(CarryTold::Gone));
    let number = hall.join(1);
    hall.ask(1, OFFER);
    hall.ask(1, Wish::Leave);
    assert_eq!(hall.ask(1, OFFER).carry, Some(CarryTold::Gone));
    assert_eq!(hall.ask(2, carry(number)).carry, Some(CarryTold::Gone));
    assert_eq!(hall.ask(2, STATUS).status.state, State::None);
}

/// Nothing that the old device holds is worth anything: neither its pass nor what it asked before.
#[test]
fn a_lease_goes_on_under_a_fence_of_its_own() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    let number = lease.number.0;
    hall.ask(1, OFFER);
    hall.wait(10_000);
    let told = hall.ask(2, carry(number)).lease.expect("the lease");
    assert!(told.fence > lease.fence);
    assert_eq!(told.idle_in_ms, lease.idle_in_ms - 10_000);
    assert_eq!(told.hard_in_ms, lease.hard_in_ms - 10_000);
    for wish in [Wish::Renew(lease.fence), Wish::Claim, ARRIVE] {
        let old = hall.ask_as(1, Some(number), wish);
        assert_eq!(old.lease, None, "{wish:?}");
        assert_eq!(old.status.reason, Some(Reason::Carried), "{wish:?}");
    }
    hall.ask(1, Wish::Release(lease.fence));
    let renewed = hall.ask(2, Wish::Renew(told.fence)).lease;
    assert_eq!(renewed.map(|lease| lease.fence), Some(told.fence));
}

/// While it is on its way a lease is told to nobody: a pass made of it would outlive the move.
#[test]
fn a_lease_on_its_way_to_another_device_is_told_to_nobody() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.ask(1, OFFER);
    let new = hall.begin(2, carry(lease.number.0));
    let old = hall.begin(1, STATUS);
    assert_eq!(hall.answer(old).expect("an answer").lease, None);
    hall.round();
    assert!(hall.answer(new).expect("an answer").lease.is_some());
}

#[test]
fn a_call_goes_along_with_the_time_there_is_to_come() {
    let (mut hall, number) = Hall::with_an_offer();
    hall.usher_and_push();
    hall.wait(20_000);
    let told = hall.ask(2, carry(number)).status;
    assert_eq!(told.state, State::Called);
    assert_eq!(told.claim_by_at_ms, Some(WALL_MS + 10_000));
    assert_eq!(hall.ask(1, Wish::Claim).lease, None);
    assert!(hall.ask(2, Wish::Claim).lease.is_some());
}

/// What the old device asked at the same time is for its place: it must not end another's.
#[test]
fn a_leave_that_comes_too_late_ends_nothing() {
    let (mut hall, number) = Hall::with_an_offer();
    let new = hall.begin(2, carry(number));
    let old = hall.begin(1, Wish::Leave);
    let batch = hall.round().expect("a batch");
    assert_eq!(batch.commands, [Command::Carry(Number(number))]);
    hall.rounds();
    assert_eq!(hall.answer(new).unwrap().carry, Some(CarryTold::Carried));
    let left = hall.answer(old).expect("an answer").status;
    assert_eq!(left.reason, Some(Reason::Carried));
    assert_eq!(hall.state(2), State::Waiting);
    assert_eq!(hall.room.line().alive(), 1);
    // Sooner, it does.
    hall.ask(2, OFFER);
    hall.begin(2, Wish::Leave);
    assert_eq!(hall.ask(3, carry(number)).carry, Some(CarryTold::Gone));
    assert_eq!(hall.ask(2, STATUS).status.reason, Some(Reason::Left));
}

/// An own place of the new device is given up, and not before the other is there.
#[test]
fn an_own_place_is_given_up_after_the_move() {
    let (mut hall, number) = Hall::with_an_offer();
    let own = hall.join(2);
    hall.begin(2, carry(number));
    let batch = hall.batch().expect("a batch");
    assert_eq!(batch.commands, [Command::Carry(Number(number))]);
    let message = hall.receive(&batch);
    assert_eq!(hall.room.line().alive(), 2);
    hall.deliver(&message);
    assert_eq!(hall.holder(number, &[1, 2]), 2);
    hall.settle();
    assert_eq!(hall.room.line().alive(), 1);
    let over = hall.room.standing(hall.now, Number(own));
    assert_eq!(over, Standing::Over);
    // And when the lobby dies before it has said so.
    let (mut hall, number) = Hall::with_an_offer();
    hall.join(2);
    hall.begin(2, carry(number));
    hall.round();
    assert_eq!(hall.room.line().alive(), 2);
    hall.dies();
    hall.settle();
    assert_eq!(hall.room.line().alive(), 1);
    assert_eq!(hall.holder(number, &[1, 2]), 2);
}

/// The answer to a renewal of the lease that is given up says nothing of the place that came instead.
#[test]
fn a_lease_that_is_given_up_does_not_come_back_by_its_renewal() {
    let (mut hall, number) = Hall::with_an_offer();
    hall.configure(2, false, Mode::Open);
    hall.ask(1, Wish::Leave);
    let own = hall.admit(2);
    let number = {
        let other = hall.join(1);
        assert!(other > number);
        hall.ask(1, OFFER);
        other
    };
    let new = hall.begin(2, carry(number));
    let batch = hall.batch().expect("a batch");
    hall.begin(2, Wish::Renew(own.fence));
    hall.there_and_back(&batch);
    let next = hall.round().expect("a batch");
    let renewed = Command::Renew(own.fence);
    assert_eq!(next.commands, [renewed, Command::Leave(own.number)]);
    assert_eq!(hall.answer(new).unwrap().carry, Some(CarryTold::Carried));
    assert_eq!(hall.holder(number, &[1, 2]), 2);
    let over = hall.room.standing(hall.now, own.number);
    assert_eq!(over, Standing::Over);
}

/// A number and a place that come to one visitor at the same time are not two.
#[test]
fn a_join_waits_for_the_place_that_is_carried_here_and_the_other_way_round() {
    let (mut hall, number) = Hall::with_an_offer();
    let new = hall.begin(2, carry(number));
    let join = hall.begin(2, Wish::Join);
    hall.settle();
    for answer in [new, join] {
        let told = hall.answer(answer).expect("an answer");
        assert_eq!(told.status.number, Some(Number(number)));
    }
    assert_eq!(hall.room.line().next(), Number(number + 1));

    let (mut hall, number) = Hall::with_an_offer();
    let join = hall.begin(2, Wish::Join);
    let new = hall.begin(2, carry(number));
    hall.settle();
    assert!(hall.answer(join).expect("an answer").issued);
    let told = hall.answer(new).expect("an answer");
    assert_eq!(told.status.number, Some(Number(number)));
    hall.settle();
    assert_eq!(hall.room.line().alive(), 1);
}

/// Nobody has taken up anything while it is not wanted of the room in the same moment: whoever asked
/// may be gone before a number has arrived.
#[test]
fn who_waits_for_a_number_first_is_not_the_first() {
    let (mut hall, number) = Hall::with_an_offer();
    hall.begin(2, Wish::Join);
    let late = hall.begin(2, carry(number));
    let told = hall.ask(3, carry(number));
    assert_eq!(told.carry, Some(CarryTold::Carried));
    hall.settle();
    let late = hall.answer(late).expect("an answer");
    assert_eq!(late.carry, Some(CarryTold::Gone));
}

/// The lobby dies at each point between the taking up and the answer: one place all the time, and it
/// arrives where it was taken up, though nobody asks again.
#[test]
fn whatever_dies_in_between_the_place_arrives_once() {
    for dies_after in 0..4 {
        let (mut hall, number) = Hall::with_an_offer();
        if dies_after == 0 {
            hall.dies();
        }
        hall.begin(2, carry(number));
        if dies_after == 1 {
            hall.dies();
        }
        if let (2, Some(batch)) = (dies_after, hall.batch()) {
            hall.receive(&batch);
            hall.dies();
        }
        hall.settle();
        if dies_after == 3 {
            hall.dies();
        }
        hall.settle();
        assert_eq!(hall.holder(number, &[1, 2, 3]), 2, "after {dies_after}");
        assert_eq!(hall.ask(3, carry(number)).carry, Some(CarryTold::Gone));
        assert_eq!(hall.ask(2, carry(number)).carry, Some(CarryTold::Carried));
        assert_eq!(hall.room.line().alive(), 1);
    }
}

/// A lobby that lost what it stored has the place from both devices' cookies. Who shows it last has it, and what the
/// other gives back with its pass is given back for both.
#[test]
fn a_lobby_that_lost_everything_has_one_holder_and_hears_either_of_them_give_back() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.stored = Book::default();
    hall.wait(1_000);
    hall.dies();
    for visitor in [1, 2] {
        let told = hall.ask_as(visitor, Some(lease.number.0), Wish::Renew(lease.fence));
        assert!(told.lease.is_some(), "{visitor}");
    }
    assert_eq!(
        (hall.state(1), hall.state(2)),
        (State::Over, State::Admitted)
    );
    hall.told.clear();
    hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(hall.state(2), State::Over);
    assert!(hall.told.contains(&who(2)), "whose lease it was is told");
    assert_eq!(hall.ask(2, STATUS).status.reason, Some(Reason::Released));
    assert_eq!(hall.room.permits().leased(), 0);
}

/// The old device may come again, as anybody, and what it had is forgotten without harm.
#[test]
fn the_old_device_may_have_a_place_of_its_own_later() {
    let (mut hall, number) = Hall::with_an_offer();
    hall.ask(2, carry(number));
    let told = hall.ask_as(1, Some(number), ARRIVE);
    assert_eq!(told.status.reason, Some(Reason::Carried));
    let other = hall.join(1);
    assert!(other > number);
    assert_eq!(hall.holder(number, &[1, 2]), 2);
    hall.usher_and_push();
    assert_eq!(hall.state(2), State::Called);
    assert_eq!(hall.state(1), State::Waiting);
    // And back again.
    hall.ask(2, OFFER);
    assert_eq!(hall.ask(1, carry(number)).carry, Some(CarryTold::Carried));
    hall.settle();
    assert_eq!(hall.room.line().alive(), 1);
    assert_eq!(hall.holder(number, &[1, 2]), 1);
}

/// What was to be said of one place is not said of the next: the room would hold somebody for away who is there, and nobody
/// would tell it otherwise.
#[test]
fn who_went_away_with_a_place_that_was_carried_off_is_there_with_another() {
    let mut hall = Hall::new(0);
    let (offered, own) = (hall.join(1), hall.join(2));
    hall.ask(1, OFFER);
    hall.ask(2, OFFER);
    hall.open(1);
    hall.open(3);
    // While an answer is awaited: 3 takes up the place of 2, and 2, whose page closes, that of 1.
    hall.begin(9, Wish::Join);
    let batch = hall.batch().expect("a batch");
    hall.begin(3, carry(own));
    hall.begin(2, carry(offered));
    hall.wait(LINGER_MS);
    hall.tick();
    hall.there_and_back(&batch);
    hall.rounds();
    assert_eq!(hall.holder(own, &[1, 2, 3]), 3);
    assert_eq!(hall.holder(offered, &[1, 2, 3]), 2);
    assert_eq!(hall.state(2), State::Waiting);
    assert_eq!(hall.room.line().place(Number(offered)), Place::Present);
}

/// Whoever is away is there again with the new device, and lingers from then on.
#[test]
fn a_place_that_is_away_comes_back_with_the_new_device() {
    let (mut hall, number) = Hall::with_an_offer();
    hall.wait(LINGER_MS);
    hall.tick();
    hall.settle();
    assert_eq!(hall.room.line().present(), 0);
    hall.ask(2, carry(number));
    assert_eq!(hall.room.line().present(), 1);
    hall.wait(LINGER_MS);
    hall.tick();
    hall.settle();
    assert_eq!(hall.room.line().present(), 0);
}

/// Facts and snapshots stay readable: what was added came at the end. (That a snapshot of a lobby where
/// nothing is on its way is what it was before, the fixtures of `recovery` say.)
#[test]
fn the_stored_form_is_that_of_before_with_something_at_its_end() {
    let [offered, taken_up, carried, dropped] = [
        LobbyEvent::Offered {
            number: Number(3),
            hash: [1; 32],
            until: Instant(4),
        },
        LobbyEvent::TakenUp {
            number: Number(3),
            by: who(2),
        },
        LobbyEvent::Carried {
            number: Number(3),
            to: who(2),
        },
        LobbyEvent::Dropped(Number(3)),
    ]
    .map(|event| postcard::to_allocvec(&event).unwrap());
    let heads = [&offered, &taken_up, &carried, &dropped].map(|bytes| (bytes[0], bytes[1]));
    assert_eq!(heads, [(7, 3), (8, 3), (9, 3), (10, 3)]);
    let over = baton::lobby::Phase::Over(Reason::Carried);
    assert_eq!(postcard::to_allocvec(&over).unwrap(), [3, 5]);

    let (mut hall, number) = Hall::with_an_offer();
    hall.save();
    let read = |book: &Book| -> Book {
        let bytes = postcard::to_allocvec(book).unwrap();
        postcard::from_bytes(&bytes).unwrap()
    };
    assert_eq!(read(&hall.stored), hall.stored);
    hall.ask(2, carry(number));
    hall.save();
    assert_eq!(read(&hall.stored), hall.stored);
}
