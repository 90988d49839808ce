//! Places that are carried to another device, and visitors who ask for a place again.

use super::script::check;
use super::wishes;
use baton::facts::event::Event;
use baton::facts::units::Number;
use baton::room::laws;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Carried to another device, a lease goes on with the ends it had; what was handed out before does
/// nothing any more.
#[test]
fn a_lease_that_is_carried_goes_on_under_another_fence() {
    check(
        "permits=1 idle=300 max=900 extend=60",
        "
        0    join a b
        0    usher      => usher a
        1    claim a    => a in 300 900
        11   carry a    => a in 290 890, b waits 0
        12   renew a    => nothing, a in 289 889
        13   extend a 30 => nothing, a in 288 888
        14   release a  => nothing, a in 287 887
        15   leave a    => baton b, a over
        16   carry a    => nothing, a over
        ",
    );
}

/// A place, a call and the time to come stay what they are. Only a word of presence says that somebody is there.
#[test]
fn a_place_and_a_call_are_carried_as_they_are() {
    check(
        "permits=1 claim=30 grace=600",
        "
        0    join a b c
        1    away b
        2    carry b    => b waits 1
        2    carry c    => c waits 2
        2.5  back b     => b waits 1
        3    usher      => usher a, tells a:called
        13   carry a    => a called 20
        14   claim a    => nothing, a called 19
        33   alarm      => usher b, a missed, tells a:missed b:called
        34   carry a    => a waits 0, a missed
        34   back a     => a waits 0, a missed
        35   leave b    => baton a
        ",
    );
}

/// Whoever takes a place over has one place, that one: its own is left in the same turn, and passes on what it had.
#[test]
fn whoever_takes_a_place_over_leaves_its_own() {
    check(
        "permits=1 claim=30",
        "
        0    join a b c@1 d
        1    usher      => usher a
        2    claim a
        3    carry d to c => c waits 1
        4    carry b to a => baton a, a called 30
        5    look       => c waits 1
        ",
    );
}

/// A lease at its end is not brought back by being carried.
#[test]
fn what_is_over_is_not_carried() {
    check(
        "permits=1 idle=10 max=20",
        "
        0    join a
        0    usher      => usher a
        0    claim a    => a in 10 20
        10   carry a    => nothing, a in 0 10
        10   alarm      => a over, tells a:expired
        11   carry a    => nothing, a over
        ",
    );
}

/// A key has one living place, wherever it asks: a join is answered with it, and a full turn later too.
#[test]
fn whoever_asks_again_is_answered_with_the_place_there_is() {
    check(
        "permits=1 walkin=yes claim=5 idle=10 max=20",
        "
        0    walkin a   => walkin a
        0    renew a    => a in 10 20
        1    join a     => nothing, a in 9
        1    walkin a   => nothing, a in 9
        1    join a@2   => nothing, at 0
        2    join b@2   => b waits 0
        3    join b     => nothing, at 2
        4    walkin b   => nothing, at 2
        10   join a@2   => hand 1, a waits 1
        10   usher      => usher b
        ",
    );
}

/// The law lets a place be carried under a fence that grows, with the permit that is its own.
#[test]
fn a_carried_place_is_held_to_the_law() {
    let told = check("permits=1", "0 join a b\n0 usher => usher a\n1 claim a");
    let last = told.room.permits().last_fence();
    let is_lawful = |number, fences| {
        let event = Event::Carried {
            number: Number(number),
            fences,
            to: Some(wishes::holder(99)),
        };
        laws::fact_is_lawful(&told.room, told.now, &event).is_ok()
    };
    assert!(is_lawful(2, None) && is_lawful(1, Some((last, last.next()))));
    assert!(!is_lawful(1, Some((last, last))), "an old fence");
    assert!(!is_lawful(2, Some((last, last.next()))), "another's permit");
    assert!(!is_lawful(9, None), "nobody's place");
}
