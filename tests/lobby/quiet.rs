//! The nets: an alarm while there are sockets, and silence after another life has taken over.

use crate::play::{lobby_config, play, visitor};
use baton::facts::message::ToLobby;
use baton::facts::units::{Instant, LobbyId};
use baton::lobby::{Lobby, Moment, QUIET_MS, QUIET_SPREAD_MS};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_lobby_with_sockets_looks_at_each_quiet_time() {
    play(
        "permits=0",
        "
        ann waits already
        0 when         => awake 10, alarm never
        0 ann opens
        0 when         => awake never, alarm 20
        20 time        => batch 2
        20 ok
        20 when        => awake 20, alarm 40
        21 time        => frame
        40 time        => batch 3
        40 ok
        41 ann closes
        41 when        => awake 51, alarm never
        ",
    );
}

/// The room shows the line to lobbies only where somebody looks.
#[test]
fn a_lobby_says_whether_anybody_is_there() {
    let mut lobby = Lobby::new(LobbyId(0), lobby_config(), 1);
    let at = |ms| Moment {
        now: Instant(ms),
        wall_ms: ms,
    };
    let is_watched = |lobby: &mut Lobby, ms| lobby.handle_push(at(ms), &ToLobby::Poke).is_watched;
    assert!(!is_watched(&mut lobby, 1_000));
    lobby.handle_socket_opened(at(2_000), visitor("ann"), None);
    assert!(is_watched(&mut lobby, 3_000));
    lobby.handle_socket_closed(at(4_000), visitor("ann"));
    let lingers_until = 4_000 + lobby_config().linger_ms;
    assert!(is_watched(&mut lobby, lingers_until - 1));
    lobby.handle_timeout(at(lingers_until));
    assert!(!is_watched(&mut lobby, lingers_until));
}

#[test]
fn a_hundred_lobbies_look_at_other_times() {
    let now = Instant(1_000_000);
    let alarm_of = |id| {
        let mut lobby = Lobby::new(LobbyId(id), lobby_config(), 1);
        let m = Moment { now, wall_ms: now.0 };
        lobby.handle_socket_opened(m, visitor("ann"), None);
        lobby.poll_alarm().expect("a net").since_ms(now)
    };
    let alarms: BTreeSet<u64> = (0..100).map(alarm_of).collect();
    assert_eq!(alarms.len(), 100);
    let least = alarms.first().copied();
    let most = alarms.last().copied();
    assert_eq!(least, Some(QUIET_MS));
    assert!(most > Some(QUIET_MS + QUIET_SPREAD_MS / 2), "{most:?}");
    assert!(most < Some(QUIET_MS + QUIET_SPREAD_MS), "{most:?}");
}

#[test]
fn what_a_lost_push_would_have_said_is_learned_by_a_look() {
    play(
        "permits=1 claim=60",
        "
        ann waits already
        0 ann opens
        0 usher
        0 push lost
        20 time      => batch 2
        20 ok        => ann hears 1 called
        ",
    );
}

/// All that it knew is forgotten: it begins with a Hello that knows nothing.
#[test]
fn a_deposed_lobby_answers_nobody_and_is_silent_until_something_happens() {
    play(
        "permits=0",
        "
        ann waits already
        1 bob joins     => batch 2 (1 attempts; join bob)
        1 ann polls 25
        1 says deposed  => bob gets no answer, ann gets no answer
        1 time
        2 bob asks      => hello 1
        2 ok            => bob is told none, batch 1
        2 ok
        ",
    );
}

#[test]
fn a_deposed_lobby_with_sockets_begins_anew_after_a_quiet_time() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        1 bob joins     => batch 2 (1 attempts; join bob)
        1 says deposed  => bob gets no answer
        1 when          => awake never, alarm 20
        20 time         => hello 1
        20 ok           => batch 1
        20 ok
        ",
    );
}

#[test]
fn a_deposed_hello_is_the_end_of_that_life_too() {
    play(
        "permits=0",
        "
        0 ann joins     => hello 1
        0 says deposed  => ann gets no answer
        0 when          => awake 10, alarm never
        1 ann joins     => hello 1
        1 ok            => batch 1 (2 attempts; join ann)
        1 ok            => ann is told 1 waits 0 issued
        ",
    );
}

#[test]
fn a_poke_wakes_a_silent_lobby() {
    play(
        "permits=0",
        "
        ann waits already
        1 bob joins     => batch 2 (1 attempts; join bob)
        1 says deposed  => bob gets no answer
        1 wakes
        1 push          => poked, hello 1, no ack
        1 ok            => batch 1
        1 ok
        ",
    );
}

/// Whoever is called by a socket that is dead holds a permit that others wait for.
#[test]
fn silent_sockets_are_looked_for_when_something_happens_and_every_five_seconds_at_most() {
    let mut story = play("permits=0", "ann waits already");
    for (line, looks) in [
        ("0 ann opens", 1),
        ("4.9 ann opens", 1),
        ("5 ann opens", 2),
        ("9.9 bob opens", 2),
        ("10 ann closes", 3),
    ] {
        story.run(line);
        assert_eq!(story.looks, looks, "{line}");
    }
}

/// The object opens no more than it can hold.
#[test]
fn a_lobby_says_how_many_sockets_it_has() {
    let mut story = play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 ann opens
        0 bob opens
        ",
    );
    assert_eq!(story.lobby.sockets(), 3);
    story.run("1 ann leaves");
    story.run("1 ok");
    assert_eq!(story.lobby.sockets(), 1, "hers are closed");
}
