//! A hundred lobbies and one room, whole: 100,000 tickets, some called, in simulated time. The room alone restarts, then everything does.

use crate::many::{CALLED, LOBBIES, NEXT_CALLED, Scene, TICKETS, WAY_MS};
use crate::office::said;
use baton::facts::units::{Instant, LobbyId};
use baton::room::courier::LIST_EVERY_MS;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// All lobbies must have their lists within this time after everything restarted, in ms.
const LISTED_MS_MAX: u64 = 20_000;

/// Its window of changes comes back with the room, so it can say of every lobby what has changed since: nobody needs a list.
#[test]
fn a_room_that_restarts_alone_gives_no_list() {
    let mut scene = Scene::open();
    // What happens last before the restart is told nobody.
    scene.permits(CALLED.len() as u32 + 1);
    scene.room_restarts();
    let from = scene.now;
    scene.run_for(10_000);
    let seen = &scene.seen;
    assert_eq!(seen.hellos, u32::from(LOBBIES), "each says Hello, once");
    assert_eq!((seen.lists.len(), seen.laters), (0, 0), "all resume");
    assert_eq!(seen.resumed.len(), usize::from(LOBBIES));
    let last = seen.resumed.iter().map(|(at, _)| at.since_ms(from)).max();
    assert!(last.is_some_and(|ms| ms < 1_000), "the last after {last:?} ms");
    let told: Vec<u16> = seen.called.iter().map(|(_, lobby)| lobby.0).collect();
    assert_eq!(told, [NEXT_CALLED], "who was called before that is told, and nobody twice");
    assert_eq!(scene.courier.untold(&scene.room), 0);
    assert_eq!(scene.living(), TICKETS);
}

/// Nobody knows anything any more: a hundred Hellos come at once, and each of these lobbies needs its list.
#[test]
fn when_everything_restarts_all_are_listed_in_time_and_the_called_come_first() {
    let mut scene = Scene::open();
    scene.room_restarts();
    scene.lobbies_restart();
    let from = scene.now;
    scene.run_for(LISTED_MS_MAX);
    let seen = &scene.seen;
    assert_eq!(seen.lists.len(), usize::from(LOBBIES), "each has one list");
    assert!(seen.resumed.is_empty());
    let after_ms = |at: Instant| at.since_ms(from);
    let has_called = |(_, lobby): &(Instant, LobbyId)| CALLED.contains(&lobby.0);
    let (first, rest): (Vec<_>, Vec<_>) = seen.lists.iter().partition(|list| has_called(list));
    // These get theirs as they ask, although all ask at once.
    assert!(first.iter().all(|(at, _)| after_ms(*at) == WAY_MS));
    for pair in rest.windows(2) {
        let pause_ms = pair[1].0.since_ms(pair[0].0);
        assert!(pause_ms >= LIST_EVERY_MS, "two long lists in {pause_ms} ms");
    }
    let last = seen.lists.last().map(|(at, _)| after_ms(*at));
    println!("the last of {LOBBIES} lists after {last:?} ms, after {} Hellos", seen.hellos);
    assert!(scene.lobbies.iter().all(baton::lobby::Lobby::is_whole));
    assert_eq!(scene.living(), TICKETS);
    assert_eq!(scene.courier.untold(&scene.room), 0);
    // Whoever was called is told before the second is over, long before the last list.
    let told: Vec<u16> = seen.called.iter().map(|(_, lobby)| lobby.0).collect();
    assert_eq!(sorted(&told), sorted(&CALLED));
    assert!(seen.called.iter().all(|(at, _)| after_ms(*at) < 1_000));
}

/// A lobby that sleeps learns by a poke that it must say Hello, and its called people wait for that.
#[test]
fn a_room_that_comes_into_memory_pokes_lobbies_with_called_people_first() {
    let mut scene = Scene::open();
    scene.room_restarts();
    let pushes = scene.courier.pushes(&scene.room, scene.now);
    assert_eq!(pushes.len(), usize::from(LOBBIES));
    assert!(pushes.iter().all(|push| said(push) == ["poke"]));
    let lobbies: Vec<u16> = pushes.iter().map(|push| push.lobby.0).collect();
    let (first, rest) = lobbies.split_at(CALLED.len());
    assert_eq!(sorted(first), sorted(&CALLED));
    assert!(rest.is_sorted(), "the others by their numbers");
    let has_called = |lobby: &u16| scene.room.permits().has_called(LobbyId(*lobby));
    assert!(!rest.iter().any(has_called));
}

fn sorted(lobbies: &[u16]) -> Vec<u16> {
    let mut sorted = lobbies.to_vec();
    sorted.sort_unstable();
    sorted
}

/// A figure: how long the room is at one question at most, while all lobbies are listed.
/// `cargo test --release --test courier longest -- --ignored --nocapture` prints it.
#[cfg(not(target_arch = "wasm32"))]
#[ignore = "a figure, which depends on the machine"]
#[test]
#[allow(clippy::disallowed_methods, reason = "it measures")]
fn the_longest_turn_while_all_are_listed() {
    static BEGAN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    let mut scene = Scene::open();
    scene.room_restarts();
    scene.lobbies_restart();
    scene.clock = || BEGAN.elapsed().as_micros() as u64;
    scene.run_for(LISTED_MS_MAX);
    println!("the longest turn took {} µs", scene.seen.longest);
}
