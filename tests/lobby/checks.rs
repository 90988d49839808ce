//! Strict rooms: a look at the room before each request.

use super::hall::Hall;
use baton::room::command::{Command, Standing};
use baton::wire::{Reason, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_check_tells_the_lease_and_asks_for_nothing() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.settle();
    hall.wait(1_000);
    let (room, stored) = (hall.room.clone(), hall.stored.clone());
    let told = hall.check(1, lease.fence).expect("alive");
    assert_eq!(told.status.state, State::Admitted);
    let checked = told.lease.expect("the lease");
    assert_eq!((checked.number, checked.fence), (lease.number, lease.fence));
    assert_eq!(checked.idle_in_ms, lease.idle_in_ms - 1_000);
    assert_eq!(checked.hard_in_ms, lease.hard_in_ms - 1_000);
    assert!(!hall.lobby.has_batch(), "no batch follows");
    assert_eq!(
        (hall.room, hall.stored),
        (room, stored),
        "nothing is stored"
    );
}

#[test]
fn an_answer_that_took_long_tells_of_less() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    let asked_at = hall.now;
    let standing = hall.room.check(hall.now, lease.fence);
    hall.wait(5_000);
    let told = hall.hears_of(1, lease.fence, asked_at, &standing);
    let checked = told.and_then(|told| told.lease).expect("the lease");
    assert_eq!(checked.idle_in_ms, lease.idle_in_ms - 5_000);
}

#[test]
fn a_check_slides_a_lease_whose_idle_end_comes_near() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    hall.settle();
    hall.wait(lease.idle_in_ms / 2);
    hall.check(1, lease.fence).expect("alive");
    let batch = hall.round().expect("a batch");
    assert_eq!(batch.commands, [Command::Renew(lease.fence)]);
}

#[test]
fn a_check_finds_no_lease_after_its_release_nor_while_that_is_on_its_way() {
    let mut hall = Hall::new(1);
    let lease = hall.admit(1);
    let alive = hall.room.check(hall.now, lease.fence);
    hall.begin(1, Wish::Release(lease.fence));
    assert_eq!(
        hall.hears_of(1, lease.fence, hall.now, &alive),
        None,
        "the room said so before it heard of the release"
    );
    hall.settle();
    assert_eq!(hall.room.check(hall.now, lease.fence), Standing::Over);
    assert_eq!(hall.check(1, lease.fence), None);
    let told = hall.ask(1, Wish::Check(lease.fence));
    assert_eq!(told.lease, None);
    assert_eq!(told.status.reason, Some(Reason::Released));
}

#[test]
fn a_check_of_an_old_fence_finds_nothing_though_the_visitor_has_a_newer_lease() {
    let mut hall = Hall::new(1);
    let old = hall.admit(1);
    hall.ask(1, Wish::Release(old.fence));
    let new = hall.admit(1);
    assert_eq!(hall.check(1, old.fence), None);
    assert_eq!(hall.ask(1, Wish::Check(old.fence)).lease, None);
    assert!(hall.check(1, new.fence).is_some());
    let newer = hall.room.check(hall.now, new.fence);
    assert_eq!(hall.hears_of(1, old.fence, hall.now, &newer), None);
}
