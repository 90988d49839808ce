//! Leases: one at a time, by its fence, and for as long as somebody is there.

use super::hall::{ARRIVE, Hall, over};
use baton::room::command::Command;
use baton::units::{Fence, Instant, Number};
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_claim_twice_is_one_lease() {
    let mut hall = Hall::new(2);
    let first = hall.admit(1);
    hall.wait(1_000);
    let again = hall.ask(1, Wish::Claim).lease.unwrap();
    assert_eq!((again.number, again.fence), (first.number, first.fence));
    assert_eq!(hall.room.permits().leased(), 1);
    let arrived = hall.ask(1, ARRIVE).lease.unwrap();
    assert_eq!(arrived.fence, first.fence);
}

#[test]
fn a_landing_asks_the_room_once() {
    for wish in [ARRIVE, Wish::Claim] {
        let mut hall = Hall::new(1);
        hall.join(1);
        hall.usher_and_push();
        let landing = hall.begin(1, wish);
        let batch = hall.round().expect("a batch");
        assert_eq!(batch.commands, [Command::Claim(Number(1))], "{wish:?}");
        let told = hall.answer(landing).expect("told after one trip");
        assert!(told.lease.is_some(), "{wish:?}");
        assert_eq!(hall.round(), None, "{wish:?}");
    }
}

#[test]
fn a_renewal_of_an_old_fence_gets_no_lease() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    assert!(
        hall.ask(1, Wish::Renew(Fence(lease.fence.0 + 5)))
            .lease
            .is_none()
    );
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_some());
    hall.ask(1, Wish::Release(lease.fence));
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_none());
    let second = hall.admit(1);
    assert!(hall.ask(1, Wish::Renew(lease.fence)).lease.is_none());
    assert!(
        hall.ask(
            1,
            Wish::Extend {
                fence: lease.fence,
                by_ms: 9
            }
        )
        .lease
        .is_none()
    );
    assert_eq!(
        hall.ask(1, Wish::Renew(second.fence)).lease.unwrap().fence,
        second.fence
    );
    assert_eq!(hall.state(1), State::Admitted);
}

#[test]
fn a_release_passes_the_permit_on() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.join(2);
    let told = hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(over(&told.status), Some(Reason::Released));
    hall.push();
    assert_eq!(hall.state(2), State::Called);
    hall.ask(1, Wish::Release(lease.fence));
    assert_eq!(hall.room.permits().called(), 1);
}

#[test]
fn a_lease_on_its_way_back_is_told_to_nobody() {
    for back in [Wish::Leave, Wish::Release(Fence(1))] {
        let mut hall = Hall::new(1);
        assert_eq!(hall.admit(1).fence, Fence(1));
        hall.begin(1, back);
        let asked = hall.begin(1, Wish::Join);
        let told = hall.answer(asked).unwrap();
        assert_eq!((told.status.state, told.lease), (State::Admitted, None));
    }
}

#[test]
fn an_old_fence_confirms_no_new_ticket() {
    // Else a life that knows the ticket from its book alone takes the visitor for present, and the
    // room, which holds it for away, is never told.
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.ask(1, Wish::Release(lease.fence));
    let number = hall.join(1);
    hall.save();
    hall.dies();
    hall.ask(1, Wish::Renew(lease.fence));
    let asked = hall.begin(1, Wish::Join);
    assert!(hall.answer(asked).is_none());
    let commands = hall.batch().map(|batch| batch.commands);
    assert_eq!(commands, Some(vec![Command::Back(Number(number))]));
}

#[test]
fn lock_with_a_watchdog() {
    // While a socket is open the lease slides by itself, up to its hard end.
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.open(1);
    let mut slid = 0;
    while hall.now < Instant(1_000_000 + 290_000) {
        hall.lobby.frame_to_send(hall.now);
        let Some(due) = hall.lobby.due_at() else {
            break;
        };
        hall.now = due.max(hall.now.plus_ms(1));
        hall.tick();
        while hall.round().is_some() {
            slid += 1;
        }
        hall.usher_and_push();
        assert_eq!(hall.state(1), State::Admitted, "at {}", hall.now);
    }
    assert!((5..40).contains(&slid), "{slid} renewals");
    assert!(
        hall.now > Instant(1_000_000 + 200_000),
        "asleep at {}",
        hall.now
    );
    hall.wait(100_000);
    hall.tick();
    hall.settle();
    assert_eq!(hall.state(1), State::Over);
    // Nobody there: it ends when it is idle.
    let mut hall = Hall::new(1);
    hall.admit(1);
    hall.wait(59_000);
    hall.tick();
    assert!(hall.batch().is_none());
    hall.wait(1_000);
    hall.usher_and_push();
    assert_eq!(hall.state(1), State::Over);
}

/// However often the page is opened anew, one lease needs one timer.
#[test]
fn reopening_does_not_multiply_the_renewals() {
    let mut hall = Hall::new(1);
    hall.admit(1);
    for _ in 0..50 {
        hall.wait(10);
        hall.open(1);
        hall.close(1);
    }
    hall.open(1);
    let mut renewals = 0;
    let end = hall.now.plus_ms(120_000);
    while let Some(due) = hall.lobby.due_at().filter(|at| *at < end) {
        hall.now = due.max(hall.now.plus_ms(1));
        hall.tick();
        hall.lobby.frame_to_send(hall.now);
        while hall.round().is_some() {
            renewals += 1;
        }
    }
    assert!(
        (3..10).contains(&renewals),
        "{renewals} renewals in two minutes"
    );
}
