//! The edges of the rules: missed calls, races in one millisecond, hard ends, walk-ins, presence,
//! places that are carried (`carry`), what the laws refuse (`unlawful`). The language of the stories is described in `script`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "room_edges/carry.rs"]
mod carry;
mod script;
#[path = "room_edges/unlawful.rs"]
mod unlawful;
mod wishes;

use baton::facts::command::Command;
use baton::facts::event::Event;
use baton::facts::holder::Held;
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::room::line::Place;
use baton::room::{Room, laws};
use script::check;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn who_misses_a_call_is_the_very_next_when_back() {
    check(
        "permits=1 claim=30 grace=600",
        "
        0    join a b c d
        0    usher      => usher a, b waits 1
        30   alarm      => usher b, a waits 0, a missed, b called 30, tells a:missed b:called
        31   claim a    => nothing, a missed
        32   claim b    => c waits 1
        33   back a     => a waits 0, a missed
        34   release b  => baton a
        34   claim a    => a in
        35   release a  => baton c
        ",
    );
}

#[test]
fn a_second_missed_call_ends_it() {
    check(
        "permits=1 claim=30 grace=600",
        "
        0    join a b
        0    usher      => usher a
        30   alarm      => usher b, a missed
        31   back a
        40   leave b    => baton a, a called 30
        69.9 usher      => nothing
        70   alarm      => a over, hand 1, tells a:missed-again, alarm none
        70   claim a    => nothing, a over
        70   back a     => nothing, a over
        ",
    );
}

/// Whoever has missed a call is away: a call never goes to somebody who is not there.
#[test]
fn nobody_away_is_called() {
    check(
        "permits=1 claim=10 grace=600",
        "
        0   join a
        0   usher  => usher a
        10  alarm  => a missed, hand 1
        11  usher  => nothing
        12  join b
        12  away b
        13  usher  => nothing
        14  back b
        14  usher  => usher b
        ",
    );
}

#[test]
fn a_claim_before_the_usher_looked_wins() {
    check(
        "permits=1 claim=30 idle=300",
        "
        0   join a b
        0   usher   => usher a
        30  claim a => a in 300
        30  usher   => nothing
        31  look    => a in 299
        ",
    );
    check(
        "permits=1 claim=30",
        "
        0   join a b
        0   usher   => usher a
        30  usher   => usher b, a missed
        30  claim a => nothing, a missed
        ",
    );
}

#[test]
fn c54_a_renewal_before_the_usher_looked_wins() {
    check(
        "permits=1 idle=30 max=600",
        "
        0   join a b
        0   usher    => usher a
        0   claim a  => a in 30
        30  renew a  => a in 30
        30  usher    => nothing
        65  renew a  => a in 30
        65  usher    => nothing
        95  usher    => usher b, a over
        95  renew a  => nothing, a over
        ",
    );
}

/// Release and expiry in the same millisecond: one winner, one permit.
#[test]
fn c54_release_and_expiry_in_one_millisecond_have_one_winner() {
    check(
        "permits=1 max=60 idle=60",
        "
        0   join a b c
        0   usher     => usher a
        0   claim a
        60  release a => baton b
        60  usher     => nothing, hand 0
        61  claim b
        121 usher     => usher c, hand 0
        121 release b => nothing, hand 0, tray 0
        ",
    );
}

#[test]
fn the_hard_end_moves_only_so_far() {
    check(
        "permits=1 idle=60 max=100 extend=50",
        "
        0     join a b
        0     usher       => usher a
        0     claim a     => a in 60 100
        50    renew a     => a in 60 50
        90    renew a     => a in 60 10
        99    extend a 20 => a in 51 21
        99    extend a 20 => a in 51 41
        99    extend a 20 => a in 51 51
        99    extend a 20 => nothing
        140   renew a     => a in 60 10
        149.9 usher       => nothing, a in
        150   extend a 20 => nothing
        150   look        => a over
        150   renew a     => a over, hand 1, tells a:expired, alarm 150
        150   renew a     => nothing
        150   alarm       => usher b
        150   extend a 20 => nothing
        ",
    );
}

/// Nothing of a called ticket is a lease: it cannot be renewed or extended, only claimed.
#[test]
fn a_call_is_no_lease() {
    check(
        "permits=1 claim=30",
        "
        0  join a b
        0  usher       => usher a
        5  renew a     => nothing, a called 25
        5  extend a 60 => nothing, a called 25
        6  leave a     => baton b, a over
        6  leave a     => nothing
        6  claim a     => nothing, a over
        ",
    );
}

#[test]
fn a_walk_in_is_provisional_until_its_cookie_comes_back() {
    check(
        "permits=2 walkin=yes claim=30 idle=300 max=1800",
        "
        0   walkin a => walkin a, a provisional, a in 30 1800, alarm 30
        0   walkin b => walkin b, b provisional
        5   renew a  => a in 300 1795, a confirmed
        30  alarm    => b over, a in 275, hand 1
        30  renew b  => nothing
        31  walkin c => walkin c, hand 0
        ",
    );
}

/// Where a lease may be idle for no longer than a call may wait, the cookie moves no end, and still confirms.
#[test]
fn a_cookie_that_comes_back_at_once_confirms_a_walk_in() {
    check(
        "permits=1 walkin=yes claim=30 idle=30 max=1800",
        "
        0   walkin a => walkin a, a provisional, a in 30 1800, alarm 30
        0   renew a  => a confirmed
        ",
    );
}

/// Like the usher, a walk-in takes from the hand first; the tray only when the hand is empty.
#[test]
fn a_walk_in_takes_from_the_hand_first() {
    check(
        "permits=2 walkin=yes",
        "
        0  walkin a  => walkin a, hand 1
        1  release a => hand 1, tray 1
        2  walkin b  => walkin b, hand 0, tray 1
        3  walkin c  => walkin c, hand 0, tray 0
        4  walkin d  => full
        ",
    );
}

#[test]
fn nobody_walks_in_past_who_waits_and_is_there() {
    check(
        "permits=2 walkin=yes",
        "
        0  join a      => hand 2
        0  walkin x    => full, nothing
        1  away a
        1  walkin x    => walkin x
        2  back a
        2  walkin y    => full, nothing
        3  usher       => usher a
        4  leave a     => tray 1
        5  set mode=paused
        5  walkin z    => full, nothing
        6  set mode=bypass
        6  walkin z    => full, nothing
        7  set mode=open walkin=no
        7  walkin z    => full, nothing
        8  set walkin=yes
        8  walkin z    => walkin z, tray 0
        ",
    );
}

/// A permit that ran out is put back when somebody asks; but if others wait, they come first.
#[test]
fn asking_mends_the_books_but_barges_nobody() {
    check(
        "permits=1 walkin=yes idle=30 claim=30",
        "
        0    walkin a => walkin a
        5    join b
        31   walkin x => full, a over, hand 1, alarm 31
        31   alarm    => usher b
        ",
    );
}

#[test]
fn presence_changes_who_is_next_and_never_the_order() {
    check(
        "permits=1 grace=600",
        "
        0  join a b c d
        0  usher         => usher a
        0  claim a
        1  away b b c d  => b waits 0, d waits 2
        1  away b        => nothing
        2  back d        => d waits 2
        3  back c
        4  back b
        4  back b        => nothing
        5  release a     => baton b
        6  away b        => nothing, b called
        ",
    );
}

/// Away at twenty different moments: nobody is over before the grace, everybody by a fourteenth
/// and a tick after it, and who comes back is not over at all.
#[test]
fn grace_is_never_shorter_and_hardly_longer() {
    const GRACE_MS: u64 = 60_000;
    let names: Vec<String> = (0..60).map(|i| format!("v{i}")).collect();
    let mut story = format!("0 join {}\n", names.join(" "));
    for (i, name) in names.iter().enumerate() {
        story.push_str(&format!("{}.{:03} away {name}\n", i * 3, i * 7 % 1_000));
        if i >= 20 {
            // Over by now, and the usher has looked.
            break;
        }
    }
    let mut told = check("permits=0 grace=60", &story);
    let left = |i: u64| {
        let left_at = script::START.plus_ms(i * 3_000 + i * 7 % 1_000);
        (told.ticket(&format!("v{i}")).0, left_at)
    };
    let left: Vec<(Number, Instant)> = (0..21).map(left).collect();
    let mut over = 0;
    while let Some(due) = told.room.case(told.now).due_at() {
        assert!(over < 100, "the alarm rings for nothing");
        told.now = due.max(told.now);
        let before = told.room.clone();
        let mut row = told.room.open_row(told.now);
        told.room.take_turn(told.now, &mut row);
        laws::check_state(&told.room, told.now).expect("lawful");
        for (number, left_at) in &left {
            let since = told.now.since_ms(*left_at);
            let lives = |room: &Room| room.line().place(*number) != Place::Gone;
            let most = GRACE_MS + GRACE_MS.div_ceil(14) + 1_000;
            let kept = lives(&told.room) || since >= GRACE_MS;
            assert!(kept, "{number} is over after {since} ms");
            let over = !lives(&before) || since <= most;
            assert!(over, "{number} lived for {since} ms");
        }
        over += 1;
    }
    assert!(over > 10, "{over} turns");
    assert_eq!(told.room.measured().totals.grace_ended, 21);
    assert_eq!(told.room.line().alive(), 39);
}

#[test]
fn nothing_pending_arms_no_alarm() {
    check(
        "permits=2 claim=30 idle=300 grace=600",
        "
        0    look        => alarm none
        0    join a      => alarm 0
        0    usher       => usher a, alarm 30
        1    claim a     => alarm 301
        2    release a   => tray 1, alarm none
        3    join b      => alarm 3
        3    set mode=paused => alarm none
        4    away b => b waits 0
        5    back b      => alarm none
        6    set mode=open => alarm 6
        6    leave b     => alarm none
        ",
    );
}

/// The usher looks at most once a tick, however much happens.
#[test]
fn the_usher_turns_at_most_once_a_tick() {
    check(
        "permits=5 tick=2",
        "
        10   join a  => alarm 10
        10   alarm   => usher a
        10.1 join b  => alarm 12
        12   alarm   => usher b
        20   join c  => alarm 20
        ",
    );
}

/// Commands that visitors can make up do no harm and are answered with how things are.
#[test]
fn made_up_numbers_and_fences_change_nothing() {
    let mut told = check("permits=1", "0 join a b\n0 usher => usher a\n1 claim a");
    let fences = [0, 2, 99, u64::MAX].map(Fence);
    let numbers = [0, 3, 4_096, u64::MAX].map(Number);
    let (ann, stranger) = (wishes::holder(1), wishes::holder(99));
    let mut made_up: Vec<Command> = vec![];
    for (fence, number) in fences.into_iter().zip(numbers) {
        // Numbers that nobody has under a key that somebody has, and the other way round.
        for (number, key) in [(number, ann.key), (Number(1), stranger.key)] {
            let place = Held { number, key };
            made_up.extend([
                Command::Claim { place, fence },
                Command::Leave(place),
                Command::Presence {
                    as_of: told.room.version(),
                    here: vec![place],
                    away: vec![place],
                },
                Command::Carry {
                    place,
                    row: told.room.version(),
                    to: stranger,
                },
                Command::Renew(fence),
                Command::Release(fence),
                Command::Extend { fence, total_ms: u64::MAX },
            ]);
        }
    }
    for wish in made_up {
        let mut row = told.room.open_row(told.now);
        told.room.perform(told.now, &wish, LobbyId(0), &mut row);
        assert_eq!(row.events, [], "{wish:?}");
    }
}

/// A word that is older than the call which its visitor missed is of before. News of others do not make it old.
#[test]
fn a_word_is_older_than_a_missed_call_only_if_it_is_of_the_same_ticket() {
    let before = check("permits=1 claim=30 grace=600", "0 join a b\n0 usher => usher a");
    let called_in = before.room.version();
    let story = "0 join a b\n0 usher => usher a\n30 alarm => usher b, a missed";
    let missed_in = check("permits=1 claim=30 grace=600", story).room.version();
    let story = format!("{story}\n31 claim b\n31 join c");
    let mut told = check("permits=1 claim=30 grace=600", &story);
    assert!(told.room.version() > missed_in && missed_in > called_in);
    let mut says = |as_of| {
        let here = vec![Held {
            number: Number(1),
            key: wishes::holder(1).key,
        }];
        let mut row = told.room.open_row(told.now);
        let wish = Command::Presence { as_of, here, away: vec![] };
        told.room.perform(told.now, &wish, LobbyId(0), &mut row);
        row.events
    };
    assert_eq!(says(called_in), []);
    assert_eq!(says(missed_in), [Event::CameBack(vec![Number(1)])]);
}

/// Nor does news of whoever stands right in front.
#[test]
fn a_word_is_not_old_because_of_the_neighbour() {
    let story = "0 join a b\n0 usher => usher a b\n1 claim a\n30 alarm => b missed";
    let rules = "permits=2 claim=30 grace=600";
    let as_of = check(rules, story).room.version();
    let mut told = check(rules, &format!("{story}\n31 leave a => a over"));
    let wish = Command::Presence {
        as_of,
        here: vec![wishes::held(&told.room, Number(2))],
        away: vec![],
    };
    let mut row = told.room.open_row(told.now);
    told.room.perform(told.now, &wish, LobbyId(0), &mut row);
    assert_eq!(row.events, [Event::CameBack(vec![Number(2)])]);
}

/// What strict rooms ask before each request: it finds what a renewal would find, and changes nothing.
#[test]
fn a_check_is_a_renewal_that_leaves_no_trace() {
    let story = "0 join a b\n0 usher => usher a\n1 claim a\n2 leave b";
    let told = check("permits=1 idle=60 max=100", story);
    for at_s in [2, 50, 61, 62, 100, 101, 102] {
        for fence in [0, 1, 2, u64::MAX].map(Fence) {
            let at = Instant(told.now.0 + (at_s - 2) * 1_000);
            let mut renewed = told.room.clone();
            let mut row = renewed.open_row(at);
            let renewal = Command::Renew(fence);
            let answer = wishes::say(&mut renewed, at, &renewal, LobbyId(0), &mut row);
            let (_, standing) = told.room.case(at).check(fence);
            let lives = standing != Standing::Over;
            let finds = answer != Reply::None(NoTicket::Void);
            assert_eq!(lives, finds, "{fence} at {at_s} s");
            assert_eq!(lives, fence == Fence(1) && at_s < 101, "{fence} at {at_s} s");
        }
    }
}
