//! Thousands of people: what one command and one turn of them may do, and what the book takes of memory.

use super::{Book, HERE, THERE, holder, link, take};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::holder::{Comes, Holder, Key, Member};
use baton::facts::limits::{CHUNK, ENDED_TOLD_MAX, INDEX_SLICE, JOIN_COUNT_MAX};
use baton::facts::message::{Change, Ended};
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::units::Number;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// When too many places end to be told one by one, whoever waits or is inside keeps account and permit, and an old link stays void.
#[test]
fn places_that_end_by_the_thousand_take_nothing_from_the_others() {
    let mut book = Book::new(1);
    let members = [1, 2].map(|person| Member {
        holder: holder(person),
        account: Key(person),
        comes: Comes::Anew,
    });
    book.say(HERE, Command::join(members.to_vec()));
    book.usher();
    let claim = wishes::claim(&book.room, Number(1));
    book.say(HERE, claim);
    let old = link(&book, 2);
    book.say(HERE, take(old, 3));
    let back = link(&book, 3);
    book.say(HERE, take(back, 2));
    let many: Vec<Holder> = (10..).take(ENDED_TOLD_MAX as usize + 1).map(holder).collect();
    for some in many.chunks(JOIN_COUNT_MAX as usize) {
        book.say(HERE, Command::join(some.to_vec()));
    }
    let numbers: Vec<Number> = (3..book.room.line().next().0).map(Number).collect();
    let away = wishes::away(&book.room, &numbers);
    book.say(HERE, away);
    book.now = book.now.plus_ms(16_000);
    book.usher();
    assert_eq!(book.room.line().alive(), 1);
    let places = [1, 2].map(|account| book.room.living_of_account(Key(account)));
    assert_eq!(places, [Some(Number(1)), Some(Number(2))]);
    assert_eq!(book.say(HERE, take(old, 4)), Reply::None(NoTicket::Void));
}

/// Whoever stands behind the last that a command may ask for is told that there is no place, and not that the room is shut.
#[test]
fn one_command_gives_so_many_numbers_and_no_more() {
    let mut book = Book::new(0);
    let people: Vec<_> = (0..=u64::from(JOIN_COUNT_MAX)).map(holder).collect();
    let answer = book.say(HERE, Command::join(people));
    let last = (JOIN_COUNT_MAX, NoTicket::Full);
    assert_eq!(answer, Reply::Joined(vec![last]));
    assert_eq!(book.room.line().alive(), u64::from(JOIN_COUNT_MAX));
}

/// People who joined for accounts of their own, one after the other.
fn members(people: core::ops::Range<u64>) -> Command {
    let member = |person| Member {
        holder: holder(person),
        account: holder(person).key,
        comes: Comes::Anew,
    };
    Command::join(people.map(member).collect::<Vec<_>>())
}

/// Memory is planned by this: six bytes an entry, and buckets of which there are more the more entries there are. How many accounts there are nobody
/// knows before every page is read, so their index grows as they come, and a bucket of few has room for four.
#[test]
fn the_indexes_of_a_room_that_comes_back_have_little_room_to_spare() {
    let mut book = Book::new(0);
    book.say(HERE, members(0..600));
    book.say(HERE, Command::join((600..10_000).map(holder).collect::<Vec<_>>()));
    let mut back = wishes::come_back(&book.room);
    while !back.book().is_indexed() {
        back.index_slice();
    }
    let index = |entries: usize, buckets: usize| 6 * entries + buckets * size_of::<Vec<u8>>();
    let of_keys = index(10_000, 65_536);
    let of_accounts = index(600, 2_048);
    let of_line = back.line().holder_bytes();
    let spare = back.book().bytes(back.tickets()) - (of_line + of_keys + of_accounts);
    assert!(spare <= 3 * 6 * 600, "{spare} bytes");
}

/// A room that comes into memory answers as one that never left it, however much of its index it has built.
#[test]
fn a_room_answers_alike_whatever_it_has_built_of_its_index() {
    let mut book = Book::new(2);
    for from in (0..40_000).step_by(10_000) {
        book.say(HERE, Command::join((from..from + 10_000).map(holder).collect::<Vec<_>>()));
    }
    book.usher();
    let claim = wishes::claim(&book.room, Number(1));
    book.say(HERE, claim);
    let leave = (3..40_000).step_by(3);
    let leave: Vec<Command> = leave.map(|of| wishes::leave(&book.room, Number(of))).collect();
    book.turn(|room, now, row| room.take(now, HERE, &leave, 0, row));
    let carried = link(&book, 20_001);
    book.say(HERE, take(carried, 70_000));
    let mut back = wishes::come_back(&book.room);
    let people = || {
        let some = (701..40_000).step_by(701);
        (0..10).chain(some).chain([19_999, 20_001, 70_000, 80_000])
    };
    let joins = Command::join(people().map(holder).collect::<Vec<_>>());
    let mut slices = 0;
    loop {
        // Whoever is not looked for beforehand is found too.
        for person in people() {
            let key = holder(person).key;
            assert_eq!(back.living_of(key), book.room.living_of(key), "{person}");
        }
        let answers = [&book.room, &back].map(|room| {
            let mut room = room.clone();
            room.look_for([&joins].into_iter());
            let mut row = room.open_row(book.now);
            let commands = core::slice::from_ref(&joins);
            room.take(book.now, HERE, commands, 0, &mut row);
            let events = row.events;
            (events, room.case(book.now).answers(HERE, commands))
        });
        assert_eq!(answers[0], answers[1], "after {slices} slices");
        if back.book().is_indexed() {
            break;
        }
        // Somebody whose key is not in the index yet is called and comes.
        for room in [&mut book.room, &mut back] {
            let (released, _) = room.permits().out().next().expect("a permit is out");
            let mut row = room.open_row(book.now);
            room.take(book.now, HERE, &[Command::Release(released)], 0, &mut row);
            let (_, called) = room.permits().out().last().expect("a permit is out");
            let claim = wishes::claim(room, called.number);
            room.take(book.now, HERE, &[claim], 0, &mut row);
        }
        back.index_slice();
        slices += 1;
    }
    assert_eq!(slices, 40_000_u64.div_ceil(INDEX_SLICE));
}

/// What the book takes follows from those who are there, not from those who were. A new edition begins with nothing.
#[test]
fn a_room_through_which_many_go_stays_as_small_as_its_line() {
    let mut book = Book::new(0);
    for turn in 0..20 {
        book.say(HERE, members(1_000 * turn..1_000 * (turn + 1)));
        let gone = (1_000 * turn + 1..).take(950).map(Number);
        let leave: Vec<Command> = gone.map(|of| wishes::leave(&book.room, of)).collect();
        book.turn(|room, now, row| room.take(now, HERE, &leave, 0, row));
    }
    let bytes = book.room.book().bytes(book.room.tickets());
    assert!(bytes < 500_000, "{bytes} bytes for {}", book.room.line().alive());
    book.turn(|room, _, row| room.reset("desk", row));
    assert_eq!(book.room.book().bytes(book.room.tickets()), 0);
    book.say(HERE, members(0..100));
    let bytes = book.room.book().bytes(book.room.tickets());
    assert!(bytes < 20_000, "{bytes} bytes for a hundred");
}

/// Bits of some thousand numbers are freed as soon as nobody of them is left.
#[test]
fn whose_grace_ends_with_the_last_of_thousands_is_told_in_the_own_lobby() {
    let mut book = Book::new(0);
    // The first chunk has no number 0. One more is in the next.
    let last = CHUNK as u64 - 1;
    let people: Vec<_> = (0..=last).map(holder).collect();
    book.say(THERE, Command::join(people));
    let leave = (1..last).map(|of| wishes::leave(&book.room, Number(of)));
    let leave: Vec<Command> = leave.collect();
    book.turn(|room, now, row| room.take(now, THERE, &leave, 0, row));
    let away = wishes::away(&book.room, &[Number(last)]);
    book.say(THERE, away);
    let knew = book.room.version();
    book.now = book.now.plus_ms(16_000);
    book.usher();
    let over = Change::Over(Number(last), Ended::Away);
    assert_eq!(book.since(THERE, knew), [over]);
    assert_eq!(book.since(HERE, knew), []);
}
