//! The way of an ask: it goes past so many full lobbies, and after a place that moves so often, and no further.

use baton::facts::limits::LOBBIES_MAX;
use baton::facts::units::LobbyId;
use baton::facts::wire::{Told, Wish};
use baton::gate::{ASK_PATIENCE_MS, FULL_HOPS_MAX, Hops, MOVES_MAX, Silence, ask_patience_ms};

fn full() -> Told {
    Told {
        full: true,
        ..Told::default()
    }
}

fn at(lobby: u16) -> Told {
    Told {
        at: Some(LobbyId(lobby)),
        ..Told::default()
    }
}

#[test]
fn an_answer_ends_the_way_where_it_began() {
    let mut way = Hops::from(LobbyId(7));
    assert_eq!(way.ends_with(&Told::default()), Ok(true));
    assert_eq!(way.lobby, LobbyId(7));
}

#[test]
fn full_lobbies_are_passed_one_by_one_and_so_many_of_them() {
    let mut way = Hops::from(LobbyId(3));
    for passed in 1..=FULL_HOPS_MAX {
        assert_eq!(way.ends_with(&full()), Ok(false));
        assert_eq!(way.lobby, LobbyId(3 + passed));
    }
    assert_eq!(way.ends_with(&full()), Err(Silence::Full));
}

#[test]
fn behind_the_last_lobby_there_is_none() {
    let mut way = Hops::from(LobbyId(LOBBIES_MAX - 2));
    assert_eq!(way.ends_with(&full()), Ok(false));
    assert_eq!(way.lobby, LobbyId(LOBBIES_MAX - 1));
    assert_eq!(way.ends_with(&full()), Err(Silence::Full));
}

#[test]
fn a_place_is_followed_so_often_whatever_lobbies_are_full_on_the_way() {
    let mut way = Hops::from(LobbyId(0));
    for moved in 1..=MOVES_MAX {
        assert_eq!(way.ends_with(&full()), Ok(false));
        assert_eq!(way.ends_with(&at(40 + moved)), Ok(false));
        assert_eq!(way.lobby, LobbyId(40 + moved));
    }
    assert_eq!(way.ends_with(&at(50)), Err(Silence::Unreachable));
}

#[test]
fn a_lobby_that_is_asked_to_wait_may_take_so_much_longer() {
    assert_eq!(ask_patience_ms(Wish::Join), ASK_PATIENCE_MS);
    let poll = Wish::Status { wait_ms: 4_000 };
    assert_eq!(ask_patience_ms(poll), ASK_PATIENCE_MS + 4_000);
}
