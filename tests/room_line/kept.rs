//! What a line keeps of its numbers beside their order: lobbies, holders, accounts and pages, and what it forgets.

use super::{GRACE_MS, GRAIN_MS, HOLDER_BYTES, people, wishes};
use baton::facts::holder::Key;
use baton::facts::limits::{self, HOLDERS_PAGE};
use baton::facts::units::{Ahead, Instant, LobbyId, Number};
use baton::room::line::{Line, Place};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const CHUNK: u64 = limits::CHUNK as u64;
/// What is kept of an account: a key.
const ACCOUNT_BYTES: usize = 8;
/// A bit for each number of a chunk, and two bytes for each 64.
const MARKS_BYTES: usize = CHUNK as usize / 8 + CHUNK as usize / 32;

/// Lobbies that take turns are kept as a table. In the middle one lobby has a run of its own.
#[test]
fn a_lobby_finds_its_people_among_those_of_all_others() {
    let mut line = Line::default();
    let of = |number: u64| match number {
        2_000..2_200 => LobbyId(7),
        _ => LobbyId((number % 256) as u16),
    };
    (1..=5_000).for_each(|number| {
        line.join(of(number), &people(1));
    });
    for (lobby, from) in [(0, 1), (7, 1), (7, 2_100), (255, 4_095)] {
        let mut found = vec![];
        line.of_lobby(LobbyId(lobby), Number(from), |number, ahead| {
            assert_eq!(ahead, Ahead(number.0 - 1));
            found.push(number.0);
            true
        });
        let own = (from..=5_000).filter(|number| of(*number) == LobbyId(lobby));
        assert_eq!(found, own.collect::<Vec<_>>(), "lobby {lobby} from {from}");
    }
}

/// Who is left takes 12 bytes, 8 more for an account, and a chunk says who that is, twice: a bit a number, and two bytes for each 64.
#[test]
fn a_chunk_forgets_who_is_over_when_those_are_a_quarter() {
    let mut line = Line::starting_at(Number(CHUNK));
    // One behind it, so that the chunk is full.
    let behind = line.join(LobbyId(0), &people(CHUNK + 1)).plus(CHUNK);
    let numbers = CHUNK..2 * CHUNK;
    numbers.for_each(|number| line.set_account(Number(number), Key(number)));
    let of_one_behind = HOLDER_BYTES;
    let full = line.holder_bytes();
    let mut gone = 0;
    while line.holder_bytes() == full {
        line.remove(Number(CHUNK + gone));
        gone += 1;
    }
    assert!((CHUNK / 4..CHUNK / 4 + 64).contains(&gone), "{gone}");
    let left = (CHUNK - gone) as usize;
    let each = HOLDER_BYTES + ACCOUNT_BYTES;
    let marks = 2 * MARKS_BYTES;
    assert_eq!(line.holder_bytes(), left * each + marks + of_one_behind);
    let last = Number(behind.0 - 1);
    assert_eq!(line.account(last), Some(Key(last.0)));
    assert_eq!(line.holder(last), Some(wishes::holder(CHUNK - 1)));
}

/// While anybody is in line nothing of it is forgotten.
#[test]
fn a_line_of_nobody_forgets_who_was_there() {
    let mut line = Line::default();
    line.join(LobbyId(0), &people(10));
    line.set_account(Number(10), Key(7));
    (1..10).for_each(|number| line.remove(Number(number)));
    line.forget_holders();
    assert_eq!(line.holder(Number(10)), Some(wishes::holder(9)));
    assert_eq!(line.account(Number(10)), Some(Key(7)));
    line.remove(Number(10));
    line.forget_holders();
    assert_eq!(line.holder_bytes(), MARKS_BYTES, "not a holder's, not an account's");
    let next = line.join(LobbyId(0), &people(1));
    assert_eq!(line.holder(next), Some(wishes::holder(0)));
    assert_eq!(line.account(next), None);
}

/// A page is there once its last number is issued, and until the last who is on it is over.
#[test]
fn a_page_is_kept_from_its_last_number_until_the_last_of_it_is_over() {
    let mut line = Line::default();
    let kept = |line: &Line| {
        let pages: Vec<Number> = line.pages().collect();
        let firsts = [0, 1, HOLDERS_PAGE - 1, HOLDERS_PAGE].map(Number);
        let has = firsts.into_iter().filter(|first| line.has_page(*first));
        assert_eq!(pages, has.collect::<Vec<_>>());
        pages
    };
    let last = line.join(LobbyId(0), &people(HOLDERS_PAGE - 2)).plus(HOLDERS_PAGE - 2);
    assert_eq!(kept(&line), []);
    assert_eq!(line.join(LobbyId(0), &people(1)), last);
    assert_eq!(kept(&line), [Number(0)]);
    line.join(LobbyId(0), &people(1));
    (1..last.0).for_each(|number| line.remove(Number(number)));
    assert_eq!(kept(&line), [Number(0)]);
    line.remove(last);
    assert_eq!(kept(&line), []);
}

/// The holder of a number that is over does not count.
#[test]
fn lines_that_differ_in_one_thing_are_others() {
    let one = || {
        let mut line = Line::default();
        line.join(LobbyId(1), &people(3));
        line
    };
    let changes: [fn(&mut Line); 7] = [
        |line| line.set_called(Number(2)),
        |line| line.set_away(Number(2), Instant(GRACE_MS), GRAIN_MS),
        |line| line.set_missed(Number(2)),
        |line| line.remove(Number(2)),
        |line| line.set_holder(Number(2), wishes::holder(9)),
        |line| line.set_account(Number(2), Key(9)),
        |line| {
            line.pass(LobbyId(1));
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut other = one();
        change(&mut other);
        assert!(other != one(), "change {at}");
    }
    let (mut before, mut after) = (one(), one());
    after.set_holder(Number(2), wishes::holder(9));
    for line in [&mut before, &mut after] {
        line.remove(Number(2));
    }
    assert!(before == after);
}

#[test]
fn only_who_is_there_is_called_and_only_who_is_away_comes_back() {
    let mut line = Line::default();
    line.join(LobbyId(0), &people(3));
    line.set_away(Number(1), Instant(GRACE_MS), GRAIN_MS);
    line.set_called(Number(2));
    let before = line.clone();
    line.set_called(Number(1));
    line.set_called(Number(2));
    line.set_present(Number(2));
    line.set_away(Number(1), Instant(9 * GRACE_MS), GRAIN_MS);
    assert!(line == before, "{:?}", line.place(Number(1)));
    assert_eq!(line.place(Number(2)), Place::Called);
}

/// How many are away is stored beside the places. The recount, which a law asks for, finds a number that the places do not explain.
#[test]
fn a_count_that_no_place_explains_is_found() {
    let mut bytes = postcard::to_allocvec(&Line::default()).expect("encodes");
    // The next number, nobody alive, nobody present, the first chunk, none on pages, none behind them; and of the first group of the away, when it
    // is due and how many it has.
    assert!(bytes.starts_with(&[1, 0, 0, 0, 0, 0, 0, 0]));
    let read = |bytes: &[u8]| postcard::from_bytes::<Line>(bytes).expect("decodes");
    assert!(read(&bytes).recount_agrees());
    bytes[7] = 1;
    let line = read(&bytes);
    assert_eq!((line.away(), line.alive()), (1, 0));
    assert!(!line.recount_agrees());
}
