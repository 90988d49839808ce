//! The book: who holds which ticket, what has changed of it, and how that is listed and told.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "room_book/crowds.rs"]
mod crowds;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::Row;
use baton::facts::holder::{Held, Holder};
use baton::facts::limits::{CHANGES_MAX, CHANGES_TOLD_MAX, ENDED_TOLD_MAX, PAGE_TICKETS_MAX};
use baton::facts::message::{Change, Ended, Listed};
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Ahead, Fence, Instant, LobbyId, Number, Version};
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use wishes::holder;

const HERE: LobbyId = LobbyId(0);
const THERE: LobbyId = LobbyId(1);

struct Book {
    room: Room,
    now: Instant,
}

impl Book {
    fn new(permits: u32) -> Self {
        let mut book = Self {
            room: Room::new(),
            now: Instant(1_000_000),
        };
        let config = RoomConfig {
            permits,
            lease_idle_ms: 60_000,
            grace_ms: 14_000,
            ..RoomConfig::default()
        };
        book.turn(|room, _, row| room.configure(&config, row));
        book
    }

    fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        if self.room.line().alive() < 50 {
            laws::check_row(&before, &self.room, &row).expect("lawful");
            laws::check_state(&self.room, self.now).expect("lawful");
        }
        result
    }

    fn say(&mut self, lobby: LobbyId, command: Command) -> Reply {
        self.turn(|room, now, row| wishes::say(room, now, &command, lobby, row))
    }

    fn join(&mut self, lobby: LobbyId, people: &[u64]) -> Reply {
        self.say(lobby, Command::join(people.iter().copied().map(holder).collect::<Vec<_>>()))
    }

    fn usher(&mut self) {
        self.turn(|room, now, row| room.take_turn(now, row));
    }

    fn number(&self, person: u64) -> Option<u64> {
        self.room.living_of(holder(person).key).map(|number| number.0)
    }

    fn since(&self, lobby: LobbyId, row: Version) -> Vec<Change> {
        let changes = self.room.book().changes_since(self.room.tickets(), self.now, lobby, row);
        changes.expect("remembered")
    }
}

/// Who is not in the answer has a ticket here; who has one elsewhere is sent there; and nobody gets two.
#[test]
fn a_join_is_answered_with_the_living_ticket_in_whichever_lobby() {
    let mut book = Book::new(0);
    assert_eq!(book.join(HERE, &[1, 2]), Reply::Joined(vec![]));
    assert_eq!(book.join(THERE, &[3]), Reply::Joined(vec![]));
    let at = |lobby| NoTicket::At(lobby);
    let answer = book.join(THERE, &[4, 1, 3, 4, 2]);
    assert_eq!(answer, Reply::Joined(vec![(1, at(HERE)), (4, at(HERE))]));
    let numbers: Vec<_> = (1..=4).map(|person| book.number(person)).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(book.room.line().alive(), 4);
    let walk_in = book.say(THERE, Command::walk_in(holder(1)));
    assert_eq!(walk_in, Reply::None(at(HERE)));
}

/// Nobody is told to be in by a lease that is over: it is taken back first, and what was asked for is decided after.
#[test]
fn an_ended_lease_is_collected_before_anybody_is_told_to_be_in() {
    for ask in [Command::join(vec![holder(1)]), Command::walk_in(holder(1))] {
        let mut book = Book::new(1);
        book.say(HERE, Command::walk_in(holder(1)));
        book.say(HERE, Command::Renew(Fence(1)));
        book.now = book.now.plus_ms(60_000);
        let answer = book.say(THERE, ask);
        let inside = matches!(answer, Reply::Stands(_, Standing::Admitted { fence: Fence(1), .. }));
        assert!(!inside, "{answer:?}");
        assert_eq!(book.number(1), Some(2), "another ticket");
        assert_eq!(book.room.tickets().lobby_of(Number(2)), Some(THERE));
    }
}

#[test]
fn a_mode_that_issues_nothing_still_names_the_place_there_is() {
    let mut book = Book::new(1);
    book.say(HERE, Command::walk_in(holder(1)));
    let config = RoomConfig {
        mode: Mode::SoldOut,
        ..book.room.config().clone()
    };
    book.turn(|room, _, row| room.configure(&config, row));
    let answer = book.join(THERE, &[1, 2]);
    let wanted = vec![(0, NoTicket::At(HERE)), (1, NoTicket::Shut)];
    assert_eq!(answer, Reply::Joined(wanted));
}

fn link(book: &Book, person: u64) -> (Held, Version) {
    let number = Number(book.number(person).expect("a place"));
    (wishes::held(&book.room, number), book.room.version())
}

fn take(link: (Held, Version), to: u64) -> Command {
    Command::Carry {
        place: link.0,
        row: link.1,
        to: holder(to),
    }
}

/// The place of the new device is left in the same turn, whatever it was and wherever.
#[test]
fn a_carry_leaves_the_takers_own_place() {
    let mut book = Book::new(1);
    book.join(HERE, &[1, 2]);
    book.join(THERE, &[3, 4]);
    book.usher();
    let (first, second) = (link(&book, 1), link(&book, 2));
    // 3 waits elsewhere and takes the call of 1.
    let answer = book.say(HERE, take(first, 3));
    let Reply::Stands(Number(1), Standing::Called { fence, .. }) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!((fence, book.number(3), book.number(1)), (Fence(2), Some(1), None));
    let gone = Change::Over(Number(3), Ended::Left);
    assert!(book.since(THERE, second.1).contains(&gone));
    // Then it takes the place of 2 and gives up the call, which goes to that very place.
    let answer = book.say(HERE, take(second, 3));
    let called = matches!(answer, Reply::Stands(Number(2), Standing::Called { .. }));
    assert!(called, "{answer:?}");
    assert_eq!((book.number(3), book.number(2)), (Some(2), None));
    assert_eq!(book.room.line().alive(), 2, "2 and 4");
}

/// Once the place was carried after a link, that link is void, also when the place is back with whoever made it. Whoever has the
/// place by it already has it.
#[test]
fn a_link_is_good_once() {
    let mut book = Book::new(0);
    book.join(HERE, &[1]);
    let first = link(&book, 1);
    assert!(matches!(book.say(HERE, take(first, 2)), Reply::Stands(..)));
    assert!(matches!(book.say(HERE, take(first, 2)), Reply::Stands(..)), "again");
    let back = link(&book, 2);
    assert!(matches!(book.say(HERE, take(back, 1)), Reply::Stands(..)));
    let rows = book.room.version();
    assert_eq!(book.say(HERE, take(first, 3)), Reply::None(NoTicket::Void));
    let elsewhere = link(&book, 1);
    assert_eq!(book.say(THERE, take(elsewhere, 3)), Reply::None(NoTicket::Void));
    assert_eq!((book.room.version(), book.number(1)), (rows, Some(1)));
}

/// What a lobby missed: each ticket once, in order, as it stands; and what the window does not hold is said not to be known.
#[test]
fn changes_say_how_things_are_and_not_what_happened() {
    let mut book = Book::new(1);
    book.join(HERE, &[1, 2]);
    book.join(THERE, &[3]);
    let knew = book.room.version();
    book.usher();
    book.say(HERE, Command::Leave(wishes::held(&book.room.clone(), Number(1))));
    book.join(HERE, &[4]);
    let changes = book.since(HERE, knew);
    let numbers: Vec<u64> = changes.iter().map(|change| change.number().0).collect();
    assert_eq!(numbers, [1, 2, 4]);
    assert_eq!(changes[0], Change::Over(Number(1), Ended::Left));
    let Change::Lives(Listed { standing, holder: of, .. }) = changes[1] else {
        panic!("{changes:?}");
    };
    assert!(matches!(standing, Standing::Called { .. }), "{standing:?}");
    assert_eq!(of, holder(2));
    assert_eq!(book.since(THERE, knew), [], "nothing of its own");
    assert_eq!(book.since(HERE, book.room.version()), []);
    assert_eq!(book.since(LobbyId(9), Version(0)), [], "never heard of");
}

#[test]
fn the_window_is_bounded_and_comes_back_with_a_snapshot() {
    let mut book = Book::new(0);
    book.join(HERE, &[0]);
    let knew = book.room.version();
    for person in 1..=CHANGES_MAX as u64 {
        book.join(HERE, &[person]);
    }
    assert!(book.room.book().forgets(HERE, Version(knew.0 - 1)), "its own join");
    assert!(!book.room.book().forgets(HERE, knew));
    assert_eq!(book.since(HERE, knew).len(), CHANGES_MAX);
    let back = wishes::come_back(&book.room);
    let changes = back.book().changes_since(back.tickets(), book.now, HERE, knew).expect("remembered");
    assert_eq!(changes, book.since(HERE, knew));
    // More at once than a message holds.
    let many: Vec<Holder> = (5_000..).take(7_000).map(holder).collect();
    let before = book.room.version();
    book.say(HERE, Command::join(many.clone()));
    assert_eq!(book.since(HERE, before).len(), 7_000);
    let more: Vec<Holder> = (50_000..).take(CHANGES_TOLD_MAX - 7_000).map(holder).collect();
    book.say(HERE, Command::join(more));
    assert_eq!(book.since(HERE, before).len(), CHANGES_TOLD_MAX);
    book.join(HERE, &[70_000]);
    assert_eq!(book.room.book().changes_since(book.room.tickets(), book.now, HERE, before), None);
}

/// So many places end at once that lists are cheaper: nobody is told one by one, and every lobby must say Hello.
#[test]
fn places_that_end_by_the_thousand_make_the_window_begin_anew() {
    for (count, told) in [(ENDED_TOLD_MAX, true), (ENDED_TOLD_MAX + 1, false)] {
        let mut book = Book::new(0);
        let people: Vec<Holder> = (0..count).map(holder).collect();
        for some in people.chunks(10_000) {
            book.say(HERE, Command::join(some.to_vec()));
        }
        let numbers: Vec<Number> = (1..=count).map(Number).collect();
        let away = wishes::away(&book.room, &numbers);
        book.say(HERE, away);
        let knew = book.room.version();
        book.now = book.now.plus_ms(16_000);
        book.usher();
        assert_eq!(book.room.line().alive(), 0);
        let changes = book.room.book().changes_since(book.room.tickets(), book.now, HERE, knew);
        assert_eq!(changes.is_some(), told, "{count}");
        if let Some(changes) = changes {
            assert_eq!(changes.len() as u64, count);
            assert_eq!(changes[0], Change::Over(Number(1), Ended::Away));
        }
    }
}

/// The pages of a list say exactly what the book has, in order, each ticket once, with exact `ahead`.
#[test]
fn a_list_is_what_the_book_has() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut book = Book::new(40);
    for round in 0..60_u64 {
        let lobby = LobbyId(rng.u16(0..3));
        let people: Vec<Holder> = (round * 1_000..).take(rng.usize(1..700)).map(holder).collect();
        book.say(lobby, Command::join(people));
        for _ in 0..60 {
            let number = Number(rng.u64(1..book.room.line().next().0));
            let of = book.room.tickets().lobby_of(number).unwrap_or(HERE);
            let command = match rng.u8(0..3) {
                0 => wishes::leave(&book.room, number),
                1 => wishes::away(&book.room, &[number]),
                _ => wishes::claim(&book.room, number),
            };
            book.say(of, command);
        }
        book.now = book.now.plus_ms(1_000);
        book.usher();
    }
    for lobby in (0..4).map(LobbyId) {
        let (mut listed, mut from, mut pages) = (vec![], Some(Number(0)), 0);
        while let Some(first) = from {
            let (page, next) = book.room.tickets().list(book.now, lobby, first);
            assert!(page.len() <= PAGE_TICKETS_MAX);
            listed.extend(page);
            (from, pages) = (next, pages + 1);
        }
        let room = &book.room;
        let living = (1..room.line().next().0).map(Number);
        let own = living.filter(|number| room.tickets().lobby_of(*number) == Some(lobby));
        let wanted: Vec<Listed> = own
            .map(|number| Listed {
                number,
                holder: room.tickets().holder(number).expect("somebody's"),
                standing: room.tickets().standing(book.now, number),
            })
            .collect();
        assert!(lobby == LobbyId(3) || pages >= 1 && wanted.len() > 1_000);
        assert_eq!(listed, wanted, "lobby {lobby}");
        let ahead = |listed: &Listed| match listed.standing {
            Standing::Waiting { ahead, .. } => Some((listed.number, ahead)),
            _ => None,
        };
        for (number, ahead) in listed.iter().filter_map(ahead).step_by(97) {
            let counted = (1..number.0).map(Number);
            let counted = counted.filter(|n| room.line().place(*n) != baton::room::line::Place::Gone);
            assert_eq!(ahead, Ahead(counted.count() as u64));
        }
    }
}

/// The index follows from the line and the permits: after a snapshot it is made anew, and every key is found.
#[test]
fn every_key_is_found_again_after_a_snapshot() {
    let mut book = Book::new(3);
    book.join(HERE, &[1, 2, 3, 4, 5, 6]);
    book.usher();
    let claim = wishes::claim(&book.room, Number(1));
    book.say(HERE, claim);
    let leave = wishes::leave(&book.room, Number(5));
    book.say(HERE, leave);
    let back = wishes::come_back(&book.room);
    for person in 1..=7 {
        let key = holder(person).key;
        assert_eq!(back.living_of(key), book.room.living_of(key), "{person}");
    }
    assert!(back.tickets().has_living(HERE) && !back.tickets().has_living(THERE));
    assert!(back.permits().has_called(HERE) && !back.permits().has_called(THERE));
}

/// The first settings are a fact even where they are those of a room that has none. Where nobody waits no line ends.
#[test]
fn settings_are_a_fact_once() {
    let mut room = Room::new();
    let mut config = room.config().clone();
    let facts = |room: &mut Room, config: &RoomConfig| {
        let mut row = room.open_row(Instant(1_000));
        room.configure(config, &mut row);
        row.events.len()
    };
    assert!(!room.configured());
    laws::check_state(&room, Instant(1_000)).expect("no permits at all");
    assert_eq!(facts(&mut room, &config), 1);
    assert!(room.configured());
    assert_eq!(facts(&mut room, &config), 0);
    config.mode = Mode::SoldOut;
    assert_eq!(facts(&mut room, &config), 1, "sold out, and nobody waits");
    assert_eq!(room.gist(Instant(1_000)).ended, None);
}

#[test]
fn an_operator_ends_a_ticket_once() {
    let mut book = Book::new(0);
    book.join(HERE, &[1, 2]);
    let ends = |book: &mut Book, number| book.turn(|room, now, row| room.dismiss(now, Number(number), "desk", row));
    let ended = [0, 1, 1, 3].map(|number| ends(&mut book, number));
    assert_eq!(ended, [false, true, false, false]);
    assert_eq!((book.number(1), book.number(2)), (None, Some(2)));
}

/// A word from before a missed call changes nothing. Whoever missed no call is there by any word of the lobby.
#[test]
fn an_old_word_counts_for_whoever_missed_no_call() {
    let mut book = Book::new(0);
    book.join(HERE, &[1]);
    let away = wishes::away(&book.room, &[Number(1)]);
    book.say(HERE, away);
    assert_eq!(book.room.line().present(), 0);
    let here = vec![wishes::held(&book.room, Number(1))];
    let (as_of, away) = (Version(0), vec![]);
    book.say(HERE, Command::Presence { as_of, here, away });
    assert_eq!(book.room.line().present(), 1);
}

/// Another lobby would not hear what becomes of the lease, so it is told where the place is.
#[test]
fn a_lease_is_told_in_the_lobby_of_its_place_alone() {
    let mut book = Book::new(1);
    book.say(HERE, Command::walk_in(holder(1)));
    let renew = || Command::Renew(Fence(1));
    assert_eq!(book.say(THERE, renew()), Reply::None(NoTicket::At(HERE)));
    let told = book.say(HERE, renew());
    assert!(matches!(told, Reply::Stands(Number(1), _)), "{told:?}");
}

/// A lobby is told when the room comes into memory, as long as it has anybody: one who waits, is called or is inside.
#[test]
fn a_lobby_has_people_until_the_last_of_them_is_over() {
    let mut book = Book::new(1);
    book.join(HERE, &[1]);
    book.join(THERE, &[2]);
    let living = |book: &Book| [HERE, THERE].map(|lobby| book.room.tickets().has_living(lobby));
    let called = |book: &Book| [HERE, THERE].map(|lobby| book.room.permits().has_called(lobby));
    assert_eq!((living(&book), called(&book)), ([true; 2], [false; 2]));
    book.usher();
    assert_eq!((living(&book), called(&book)), ([true; 2], [true, false]));
    let claim = wishes::claim(&book.room, Number(1));
    book.say(HERE, claim);
    assert_eq!((living(&book), called(&book)), ([true; 2], [false; 2]));
    let leave = wishes::leave(&book.room, Number(2));
    book.say(THERE, leave);
    assert_eq!(living(&book), [true, false]);
    book.say(HERE, Command::Release(Fence(1)));
    assert_eq!(living(&book), [false; 2]);
}

/// Whom the operator ends did not leave, and is told so. Who leaves by itself is told that, in the same turn too.
#[test]
fn whom_the_operator_ends_is_told_another_reason_than_who_leaves() {
    let mut book = Book::new(1);
    book.join(HERE, &[1, 2, 3, 4]);
    book.usher();
    let knew = book.room.version();
    let leave = wishes::leave(&book.room, Number(3));
    // The permit of the one who is called passes on.
    book.turn(|room, now, row| {
        room.perform(now, &leave, HERE, row);
        assert!(room.dismiss(now, Number(1), "desk", row));
    });
    assert!(book.turn(|room, now, row| room.dismiss(now, Number(4), "desk", row)));
    let changes = book.since(HERE, knew);
    let over = |number, why| Change::Over(Number(number), why);
    assert_eq!(changes[0], over(1, Ended::Released));
    let called = |change: &Change| matches!(change, Change::Lives(of) if of.number == Number(2));
    assert!(called(&changes[1]), "{changes:?}");
    let after = [over(3, Ended::Left), over(4, Ended::Released)];
    assert_eq!(changes[2..], after);
}
