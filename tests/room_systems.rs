//! The systems that a room stands in for, each told as a story under its own name: whoever knows
//! one of them finds its guarantees here. The language is described in `script`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

mod script;
mod wishes;

use baton::facts::command::Command;
use baton::facts::units::{Ahead, LobbyId};
use baton::room::Totals;
use baton::room::frame::Frame;
use script::check;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Everybody reserves at once and is answered at once with a place; permits are then given out
/// by the usher from the hand, or pass as the baton from one holder to the next. What comes back
/// while nobody waits lies on the tray until the hand is empty.
#[test]
fn reservation_semaphore() {
    check(
        "permits=2 max=10 idle=10",
        "
        1    join a b c d e f  => a waits 0, c waits 2, f waits 5, hand 2, alarm 1
        1    usher             => usher a b, hand 0, c waits 2, tells a:called b:called
        1.1  claim a           => a in 10 10, c waits 1
        1.1  claim b           => b in 10 10, c waits 0, f waits 3
        2    release a         => baton c, a over, hand 0, tray 0, c called 30
        2    claim c           => c in, d waits 0
        2.5  release a         => nothing
        3    usher             => nothing
        11   usher             => nothing, b in
        11.1 alarm             => usher d, b over, hand 0, tray 0, tells b:expired d:called
        11.2 release b         => nothing
        11.2 claim d           =>
        11.3 release d         => baton e
        11.3 release d         => nothing
        11.3 claim e           =>
        11.4 release c         => baton f
        11.4 claim f           =>
        12   release e         => tray 1, hand 0
        12   release f         => tray 2, hand 0, alarm none
        12   join g            => g waits 0, alarm 12.1
        12.1 alarm             => usher g, hand 1, tray 0
        ",
    );
}

/// Holders that take too long are invalidated by the usher, all at once, and the next are
/// admitted by the usher in the same turn. It is the turn that ends a lease, not the clock.
#[test]
fn reservation_semaphore_invalidates_who_takes_too_long() {
    check(
        "permits=3 max=5 idle=60",
        "
        0  join a b c d e => alarm 0
        0  usher    => usher a b c
        0  claim a
        0  claim b
        0  claim c
        5  release a => baton d
        5  renew a  => a over, nothing
        5  usher    => usher e, a over, b over, c over, hand 1, tells b:expired c:expired e:called
        5  release b => nothing
        5  claim b  => nothing, b over
        5  renew c  => nothing
        ",
    );
}

/// Take a number; at most `permits` windows are open. Step out and come back within the grace and
/// you are next; come too late and you take a new number.
#[test]
fn bank_window() {
    check(
        "permits=1 grace=60",
        "
        1     join a b c d   => a waits 0, d waits 3
        1     usher          => usher a
        1     claim a        => a in, b waits 0
        2     away b c       => b waits 0, d waits 2
        3     release a      => baton d
        3     claim d        => b waits 0, c waits 1
        50    back b         => b waits 0
        51    release d      => baton b
        52    claim b        => c waits 0
        66    look           => c waits 0
        67    usher          => c over
        67    back c         => nothing, c over
        67    join c         => c waits 0
        68    release b      => baton c
        ",
    );
}

/// `SET key owner NX EX ttl`: one gets it, the others do not, and it ends by itself. The fence
/// keeps a late owner from deleting its successor's key.
#[test]
fn set_if_absent_with_expiry() {
    check(
        "permits=1 walkin=yes idle=10 max=10 claim=5",
        "
        0   walkin a   => walkin a, a in 5 10, a provisional
        0   walkin b   => full, nothing
        1   renew a    => a in 10 9
        9.9 walkin b   => full, nothing
        10  walkin b   => walkin b, a over, b in 5 10
        10  release a  => nothing
        10  renew a    => nothing
        10  release b  => tray 1, b over
        10  release b  => nothing
        10  walkin c   => walkin c, tray 0
        ",
    );
}

/// A counter that every attempt raises, also those of people who are in line already: its rise
/// shows the pressure. Told by the lobbies in their batches.
#[test]
fn counter_whose_rise_shows_the_pressure() {
    let mut told = check("permits=1", "0 join a b");
    let again = Command::join([1, 2].map(wishes::holder).to_vec());
    let mut send = |attempts| {
        let commands = core::slice::from_ref(&again);
        let mut row = told.room.open_row(told.now);
        told.room.take(told.now, LobbyId(0), commands, attempts, &mut row);
        told.room.measured().totals
    };
    assert_eq!(send(2).attempts, 2);
    let totals = send(900);
    assert_eq!((totals.attempts, totals.joined), (902, 2));
    let mut row = told.room.open_row(told.now);
    told.room.take(told.now, LobbyId(0), &[], 0, &mut row);
    assert_eq!(row.events, [], "nobody attempts anything");
}

/// What everybody wants to know is worked out once and shared: one gist and one frame, from which
/// each finds its own place.
#[test]
fn one_computes_all_share() {
    let told = check(
        "permits=1 walkin=yes",
        "
        0 walkin a             => walkin a
        0 join b c@0 d e f g   => b waits 0
        1 away c
        2 leave e
        3 join h@7 i           => h waits 5
        ",
    );
    let shared = Frame::decode(&Frame::of(&told.room, told.now).encode()).expect("a frame");
    for name in ["b", "c", "d", "f", "g", "h", "i"] {
        let (number, _) = told.ticket(name);
        assert_eq!(shared.ahead(number), told.room.lanes().ahead(number), "{name}");
    }
    let (i, _) = told.ticket("i");
    assert_eq!(shared.ahead(i), Ahead(6));
    let gist = told.room.gist(told.now);
    assert_eq!((gist.waiting, gist.walk_in), (7, false));
}

/// A lock whose holder's connection dies is free again, and the longest waiter is woken first.
/// What a dead holder left is mended before the next acquires, not only by a timer.
#[test]
fn named_locks_that_die_with_their_connection() {
    check(
        "permits=1 idle=20 max=600 walkin=yes claim=5",
        "
        0   walkin a    => walkin a
        0   renew a     => a in 20
        1   join b c d
        3   leave a     => baton b, a over
        3   claim b
        4   leave b     => baton c, tells c:called
        5   leave c     => baton d, c over, tells d:called
        5   claim d     => d in 20, untold
        24  walkin e    => full, nothing
        25  walkin e    => walkin e, d over
        ",
    );
}

/// `BLPOP permits`: who comes first pops first; nobody polls. A permit that a popper never pushed
/// back is found and put back by the usher, and at once when somebody asks and none is there.
#[test]
fn blocking_pop_from_a_list_of_permits() {
    check(
        "permits=2 idle=30 max=30 walkin=yes claim=30",
        "
        0    walkin a   => walkin a
        0    walkin b   => walkin b, hand 0
        1    walkin c   => full
        1    join c d   => c waits 0
        2    release a  => baton c, tells c:called
        2    claim c    => d waits 0, alarm 30
        30   alarm      => usher d, b over, hand 0
        30   claim d    => alarm 32
        31.5 release d  => tray 1
        31.5 walkin e   => walkin e, tray 0
        31.9 walkin f   => full, nothing
        32   walkin f   => walkin f, c over, hand 0
        ",
    );
}

/// A lock with a watchdog: the lease slides as long as its client lives, and ends soon after it.
#[test]
fn lock_with_a_watchdog() {
    check(
        "permits=1 idle=30 max=600",
        "
        0    join a b   => alarm 0
        0    alarm      => usher a
        0    claim a    => a in 30, alarm 30
        10   renew a    => a in 30
        20   renew a    => a in 30
        45   renew a    => a in 30, alarm 75
        45   renew a    => nothing
        74.9 usher      => nothing
        75   alarm      => usher b, a over
        76   renew a    => nothing
        76   claim b    => b in 30 600
        ",
    );
}

/// Sequential ephemeral nodes: a number that counts up, and a place that goes when its owner does.
/// When the holder goes, only the next in line is woken, never the herd.
#[test]
fn sequential_ephemeral_nodes() {
    check(
        "permits=1 grace=5 idle=30",
        "
        0   join a b c d e@3
        0   usher       => usher a, tells a:called
        0   claim a     => untold, e waits 3
        1   leave c     => e waits 2, untold
        2   release a   => baton b, tells b:called
        2   claim b     => d waits 0, e waits 1
        3   away d      => untold
        8.7 usher       => d over, e waits 0, tells d:away
        9   leave b     => baton e, tells e:called
        ",
    );
    let told = check("permits=1", "0 join a b c d e f g h\n0 usher => usher a\n0 claim a");
    let numbers = ["b", "c", "d"].map(|name| told.ticket(name).0);
    assert!(numbers[0] < numbers[1] && numbers[1] < numbers[2]);
}

/// N at a time, whatever happens: never more than N served, and the (N+1)-th waits.
#[test]
fn never_more_than_n_are_served() {
    check(
        "permits=2",
        "
        0 join a b c d
        0 usher     => usher a b
        0 usher     => nothing
        0 claim a
        0 claim a   => nothing, a in
        0 claim c   => nothing, c waits 1
        1 usher     => nothing
        1 claim b
        1 claim d   => nothing, d waits 1
        2 leave a   => baton c
        2 leave a   => nothing
        2 leave c   => baton d
        2 leave d   => tray 1
        ",
    );
}

/// Fronts are told whether whoever comes now would walk in.
#[test]
fn it_is_told_whether_one_would_walk_in() {
    let told = |story: &str| {
        let told = check("permits=2 walkin=yes grace=600", story);
        told.room.gist(told.now).walk_in
    };
    let one = "0 walkin a => walkin a";
    let two = format!("{one}\n0 walkin b => walkin b");
    assert!(told("") && told(one));
    assert!(!told(&two), "no permit is free");
    assert!(told(&format!("{two}\n1 release a => tray 1")));
    assert!(!told(&format!("{one}\n1 join c")), "somebody waits");
    assert!(told(&format!("{one}\n1 join c\n2 away c")));
}

/// Operators and the report read these. Each is reached twice or more, on every way.
#[test]
fn whatever_becomes_of_a_place_is_counted_once() {
    let told = check(
        "permits=2 walkin=yes claim=5 idle=10 max=100 grace=14",
        "
        0  walkin a    => walkin a
        0  walkin b    => walkin b
        0  join c d e f g h
        1  release a   => baton c
        1  release b   => baton d
        2  claim c
        2  claim d
        12 usher       => usher e f, c over, d over
        17 usher       => usher g h, e missed, f missed
        18 leave g     => tray 1
        18 leave h     => tray 2
        19 back e
        19 back f
        20 usher       => usher e f
        25 usher       => e over, f over
        26 join i j k l m
        26 away k l
        27 usher       => usher i j
        28 claim i
        28 claim j
        28 leave m     => m over
        50 usher       => i over, j over, k over, l over
        51 walkin n    => walkin n
        51 walkin o    => walkin o
        56 usher       => n over, o over
        ",
    );
    let counted = Totals {
        joined: 11,
        walked_in: 4,
        called: 8,
        handed: 2,
        claimed: 4,
        released: 2,
        expired: 6,
        unproven: 2,
        missed: 4,
        left: 3,
        grace_ended: 2,
        ..Totals::default()
    };
    assert_eq!(told.room.measured().totals, counted);
}
