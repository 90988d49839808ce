//! Bounds: nothing that is kept grows for ever.

use super::hall::{Hall, WALL_MS, who};
use baton::lobby::event::LobbyEvent;
use baton::lobby::{Answer, Book, Lobby, Progress, REMEMBERED_MAX};
use baton::units::{Instant, LobbyId};
use baton::wire::{Ask, State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn those_who_are_over_or_passed_on_are_forgotten_in_the_end() {
    let mut book = Book::default();
    for visitor in 0..REMEMBERED_MAX as u32 + 50 {
        book.apply(&LobbyEvent::PassedOn(who(visitor)));
    }
    let size = postcard::to_allocvec(&book).unwrap().len();
    for visitor in 0..200 {
        book.apply(&LobbyEvent::PassedOn(who(1_000_000 + visitor)));
    }
    assert_eq!(postcard::to_allocvec(&book).unwrap().len(), size);
    let now = Instant(5);
    let config = Hall::with(0, false, 9).config;
    let mut lobby = Lobby::wake(LobbyId(0), config, book, now);
    let ask = |visitor| Ask {
        visitor: who(visitor),
        shown: None,
        wish: Wish::Join,
    };
    let full = |answer| matches!(answer, Answer::Now(told) if told.full);
    assert!(full(lobby.ask(
        now,
        WALL_MS,
        &ask(1_000_100),
        &Progress::default()
    )));
    assert!(
        !full(lobby.ask(now, WALL_MS, &ask(0), &Progress::default())),
        "the oldest"
    );
}

/// A push that comes again and again while an answer is late is kept once.
#[test]
fn early_notices_do_not_pile_up() {
    let mut hall = Hall::new(3);
    for visitor in 1..=3 {
        hall.begin(visitor, Wish::Join);
    }
    let batch = hall.batch().unwrap();
    let answer = hall.receive(&batch);
    hall.usher();
    let push = hall.message();
    for _ in 0..1_000 {
        hall.pushed(&push);
    }
    let noticed = format!("{:?}", hall.lobby).matches("Called {").count();
    assert!(noticed <= 3, "{noticed} notices kept");
    hall.deliver(&answer);
    assert_eq!(
        (1..=3).map(|v| hall.state(v)).collect::<Vec<_>>(),
        [State::Called; 3]
    );
}
