//! The laws themselves: each refuses what it forbids, by its name. The walks of other tests hold rooms to them.

use super::script::{START, Told, check};
use super::wishes;
use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::event::{Event, From, How, Row, To};
use baton::facts::holder::{Holder, Key};
use baton::facts::limits::{JOIN_COUNT_MAX, PERMITS_MAX};
use baton::facts::schedule::StepEnd;
use baton::facts::units::{Edition, Fence, LobbyId, Number};
use baton::facts::voucher::{SheetId, Slips, Spent, Terms};
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LOBBY: LobbyId = LobbyId(0);

/// Which law a fact would break; none: it is lawful.
fn breaks(told: &Told, event: &Event) -> Option<&'static str> {
    let broken = laws::fact_is_lawful(&told.room, told.now, event);
    broken.err().map(|violation| violation.law)
}

/// Ann is inside, bob is called, cy and dee wait. No permit is free; the last fence is 2.
fn four() -> Told {
    check(
        "permits=2",
        "0 join ann bob cy dee
         0 usher                 => usher ann bob
         1 claim ann",
    )
}

fn joined(first: u64, count: u32, holders: Vec<Holder>) -> Event {
    let (lobby, first) = (LOBBY, Number(first));
    Event::Joined {
        lobby,
        first,
        count,
        holders,
    }
}

fn owned(tickets: &[u64], accounts: &[u64]) -> Event {
    Event::Owned {
        tickets: tickets.iter().copied().map(Number).collect(),
        accounts: accounts.iter().copied().map(Key).collect(),
    }
}

#[test]
fn a_number_is_the_next_one_and_for_somebody_without_a_place() {
    let told = four();
    let (new, newer) = (wishes::holder(98), wishes::holder(99));
    let cy = told.room.tickets().holder(Number(3)).expect("cy waits");
    assert_eq!(breaks(&told, &joined(5, 2, vec![new, newer])), None);
    let law = Some("numbers are consecutive (2)");
    assert_eq!(breaks(&told, &joined(6, 1, vec![new])), law);
    assert_eq!(breaks(&told, &joined(5, 2, vec![new])), law);
    let law = Some("one living place a key (2)");
    assert_eq!(breaks(&told, &joined(5, 1, vec![cy])), law);
    assert_eq!(breaks(&told, &joined(5, 2, vec![new, new])), law);
    let entered = Event::Entered {
        lobby: LOBBY,
        first: Number::of_entry(2),
        count: 1,
        holders: vec![new],
    };
    let law = Some("entries are consecutive (2)");
    assert_eq!(breaks(&told, &entered), law);
}

#[test]
fn a_permit_goes_to_whose_turn_it_is_under_a_new_fence_and_comes_back_once() {
    let told = four();
    let handed = |from, number, fence| Event::Handed {
        from: Fence(from),
        how: How::Released,
        number: Number(number),
        fence: Fence(fence),
    };
    assert_eq!(breaks(&told, &handed(1, 3, 3)), None);
    let (number, fence) = (Number(3), Fence(3));
    for (law, event) in [
        ("only an open permit passes (7)", handed(9, 3, 3)),
        ("no barging (3)", handed(1, 4, 3)),
        ("fences grow (2)", handed(1, 3, 2)),
        ("a call takes from the hand (1)", Event::Called { number, fence }),
        ("only a called ticket claims (7)", Event::Claimed { fence: Fence(1) }),
        ("the tray is emptied into an empty hand", Event::TrayEmptied { permits: 1 }),
        ("a ticket moves to a better lane's end (3)", Event::Moved { from: number, to: Number(4) }),
    ] {
        assert_eq!(breaks(&told, &event), Some(law), "{event:?}");
    }
    let ended = |fence| Event::Ended {
        fence,
        how: How::Released,
        to: To::Hand,
    };
    let law = Some("a permit comes back once (7)");
    assert_eq!((breaks(&told, &ended(Fence(2))), breaks(&told, &ended(fence))), (None, law));
}

#[test]
fn what_an_operator_does_is_counted_and_in_order() {
    let told = four();
    let reset = |edition, waiting, inside| Event::Reset {
        edition: Edition(edition),
        by: String::new(),
        waiting,
        inside,
    };
    let next = told.room.edition().0 + 1;
    assert_eq!(breaks(&told, &reset(next, 3, 1)), None);
    let law = Some("editions follow each other, and a reset counts whom it ends (2)");
    assert_eq!(breaks(&told, &reset(next - 1, 3, 1)), law);
    assert_eq!(breaks(&told, &reset(next, 3, 2)), law);
    let step = Event::Scheduled {
        at_ms: 7,
        end: StepEnd::Done,
    };
    let law = Some("steps are dealt with once and in order");
    assert_eq!(breaks(&told, &step), law);
    let sheet = |sheet| Event::SheetMade {
        sheet: SheetId(sheet),
        terms: Terms {
            lane: None,
            from_at_ms: 0,
            ends_at_ms: 1,
        },
        slips: Slips::Invitations { count: 1 },
        codes: vec![],
        by: String::new(),
    };
    let law = Some("sheets are counted up");
    assert_eq!((breaks(&told, &sheet(1)), breaks(&told, &sheet(2))), (None, law));
    let spent = Event::Spent(Spent {
        number: Number(3),
        sheet: SheetId(1),
        used: 1,
        slip: None,
    });
    let law = Some("a voucher is spent once, on a living ticket");
    assert_eq!(breaks(&told, &spent), law);
}

#[test]
fn a_walk_in_takes_a_free_permit_past_nobody_who_waits() {
    let walked = |number, fence, from| Event::WalkedIn {
        lobby: LOBBY,
        number: Number(number),
        fence: Fence(fence),
        from,
        holder: Some(wishes::holder(99)),
    };
    let law = Some("nobody walks past the line (3)");
    let waits = check("permits=1", "0 join ann");
    assert_eq!(breaks(&waits, &walked(2, 1, From::Hand)), law);
    let law = Some("a walk-in takes a free permit (1, 2)");
    let story = "0 walkin ann => walkin ann";
    let free = check("permits=2 walkin=yes", story);
    assert_eq!(breaks(&free, &walked(2, 2, From::Hand)), None);
    assert_eq!(breaks(&free, &walked(3, 2, From::Hand)), law, "another number");
    assert_eq!(breaks(&free, &walked(2, 1, From::Hand)), law, "ann's fence");
    assert_eq!(breaks(&free, &walked(2, 2, From::Tray)), law, "the hand first");
    assert_eq!(breaks(&free, &walked(2, 2, From::Nowhere)), law, "one is free");
    let none = check("permits=1 walkin=yes", story);
    for from in [From::Hand, From::Tray, From::Nowhere] {
        assert_eq!(breaks(&none, &walked(2, 2, from)), law, "{from:?}");
    }
}

#[test]
fn an_account_has_one_living_place_and_a_ticket_one_account() {
    let mut told = four();
    let next = told.room.open_row(told.now).version;
    told.room.apply(next, told.now, &owned(&[3], &[7]));
    assert_eq!(breaks(&told, &owned(&[4, 2], &[8, 9])), None);
    let law = Some("one living place an account (2)");
    for (tickets, accounts) in [(&[4, 2][..], &[8][..]), (&[4, 2], &[8, 8]), (&[3], &[8]), (&[4], &[7]), (&[9], &[8])] {
        let event = owned(tickets, accounts);
        assert_eq!(breaks(&told, &event), law, "{event:?}");
    }
}

/// The laws of the whole book see what an unlawful fact has led to.
#[test]
fn a_second_place_of_a_key_or_of_an_account_is_found() {
    let told = four();
    let next = told.room.open_row(told.now).version;
    let after = |event: &Event| {
        let mut room = told.room.clone();
        room.apply(next, told.now, event);
        room
    };
    let holder = told.room.tickets().holder(Number(3)).expect("cy waits");
    for (holder, alone) in [(wishes::holder(99), true), (holder, false)] {
        let room = after(&joined(5, 1, vec![holder]));
        assert_eq!(laws::keys_are_unique(&room, told.now).is_ok(), alone);
    }
    for (accounts, alone) in [([7, 8], true), ([7, 7], false)] {
        let room = after(&owned(&[3, 4], &accounts));
        assert_eq!(laws::one_place_an_account(&room, told.now).is_ok(), alone);
    }
}

/// Each of two rooms could be the other's past by all but one of its counters.
#[test]
fn no_counter_runs_back_and_nobody_falls_back() {
    let room = |story: &str| check("permits=1", story).room;
    let grows = |before: &Room, after: &Room| laws::numbers_and_fences_grow(before, after).is_ok();
    let two = room("0 join ann bob");
    let one_left = room("0 join ann bob\n1 leave ann");
    assert_eq!(laws::ahead_never_rises(&two, &one_left), Ok(()));
    assert!(laws::ahead_never_rises(&one_left, &two).is_err());
    assert!(grows(&two, &one_left));
    let one = room("0 join ann\n1 away ann\n2 back ann\n3 away ann");
    assert!(!grows(&two, &one), "numbers");
    let called = room("0 join ann\n1 usher => usher ann");
    assert!(!grows(&called, &one), "fences");
    assert!(!grows(&one, &room("0 join ann")), "rows");
    let mut again = room("0 join ann");
    let mut row = again.open_row(START);
    again.reset("olga", &mut row);
    assert!(grows(&one_left, &again), "numbers begin anew in another edition");
    assert!(!grows(&again, &one_left), "editions");
}

#[test]
fn an_edition_in_which_somebody_had_a_number_is_not_a_new_one() {
    let clean = |rules: &str, story: &str| laws::begins_clean(&check(rules, story).room).is_ok();
    assert!(clean("permits=1", ""));
    assert!(!clean("permits=1", "0 join ann\n1 leave ann"));
    assert!(!clean("permits=1 walkin=yes", "0 walkin ann => walkin ann"));
}

/// Were it earlier than the usher's last turn, as by a clock that was set back, the permit would lie there until then.
#[test]
fn a_free_permit_waits_for_its_taker_no_longer_than_a_tick() {
    let told = check(
        "permits=1 tick=1",
        "0   join ann
         100 usher               => usher ann
         101 leave ann
         102 join bob",
    );
    let holds = |at_s: u64| laws::no_permit_forgotten(&told.room, START.plus_ms(at_s * 1_000));
    assert_eq!((holds(102), holds(100)), (Ok(()), Ok(())));
    assert!(holds(50).is_err());
}

/// The called and the inside together are as many as a room may have permits, and no more.
#[test]
fn one_permit_too_many_is_past_the_bounds() {
    let mut room = Room::new();
    let mut turn = |act: &dyn Fn(&mut Room, &mut Row)| {
        let mut row = room.open_row(START);
        act(&mut room, &mut row);
        laws::bounded(&room, START).is_ok()
    };
    let config = RoomConfig {
        permits: PERMITS_MAX + 1,
        ..RoomConfig::default()
    };
    turn(&|room, row| room.configure(&config, row));
    for _ in 0..PERMITS_MAX / JOIN_COUNT_MAX {
        turn(&|room, row| room.perform(START, &wishes::join(room, JOIN_COUNT_MAX), LOBBY, row));
    }
    turn(&|room, row| room.take_turn(START, row));
    assert!(turn(&|room, row| { room.perform(START, &wishes::claim(room, Number(1)), LOBBY, row) }));
    turn(&|room, row| room.perform(START, &wishes::join(room, 1), LOBBY, row));
    assert!(!turn(&|room, row| room.take_turn(START, row)));
}

/// The law itself: a room has at most 256 lobbies, however short its line is.
#[test]
fn one_lobby_too_many_is_past_the_bounds() {
    let mut room = Room::new();
    let now = START;
    for lobby in 0..=256 {
        let join = wishes::join(&room, 1);
        let mut row = room.open_row(now);
        room.perform(now, &join, LobbyId(lobby), &mut row);
        assert_eq!(laws::bounded(&room, now).is_ok(), lobby < 256, "{lobby}");
    }
}

/// The commands of a turn that was lost still have something to do; what only counts always has.
#[test]
fn done_twice_is_done_once_and_counts_count_again() {
    let mut told = four();
    let breaks = |told: &Told, command: &Command| {
        let broken = laws::done_twice_is_done_once(&told.room, told.now, command, LOBBY);
        broken.err().map(|violation| violation.law)
    };
    let law = Some("done twice is done once (6)");
    let join = wishes::join(&told.room, 2);
    let leave = wishes::leave(&told.room, Number(3));
    let away = wishes::away(&told.room, &[Number(4)]);
    let release = Command::Release(Fence(1));
    let done = [join, leave, away, release];
    for command in &done {
        assert_eq!(breaks(&told, command), law, "{command:?}");
    }
    for command in &done {
        let mut row = told.room.open_row(told.now);
        told.room.perform(told.now, command, LOBBY, &mut row);
        assert_eq!(breaks(&told, command), None, "{command:?}");
    }
    let errors = wishes::origin(1, 1);
    assert_eq!(breaks(&told, &errors), None);
    let both = Command::Presence {
        as_of: told.room.version(),
        here: vec![wishes::held(&told.room, Number(4))],
        away: vec![wishes::held(&told.room, Number(4))],
    };
    assert_eq!(breaks(&told, &both), None, "no lobby says both");
    let here = wishes::back(&told.room, Number(4));
    assert_eq!(breaks(&told, &here), law);
}
