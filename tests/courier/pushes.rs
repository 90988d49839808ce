//! What goes out, when, and how often.

use crate::office::{Office, TICK_MS, lobbies, message, said};
use crate::wishes;
use baton::facts::command::Command;
use baton::facts::message::{Heard, LobbyLife};
use baton::facts::notice::Notice;
use baton::facts::units::{Edition, Fence, LobbyId, Version};
use baton::room::courier::{PUSH_TIMEOUT_MS, Push, RETRY_MS};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn nothing_to_say_is_not_said() {
    let mut office = Office::new(1);
    assert_eq!(office.pushes(), []);
    assert_eq!(office.courier.due_at(&office.room), None);
    office.join(0, 3);
    office.settle();
    for _ in 0..5 {
        office.wait(TICK_MS);
        assert_eq!(office.pushes(), []);
    }
    assert_eq!(office.courier.due_at(&office.room), None);
}

#[test]
fn a_call_goes_at_once_and_only_to_its_lobby() {
    let mut office = Office::new(1);
    office.join(0, 1);
    office.join(1, 1);
    office.settle();
    office.wait(10);
    office.usher();
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0]);
    assert_eq!(said(&pushes[0]), ["1 called"]);
    // The picture waits for its tick.
    assert_eq!(message(&pushes[0]).frames, vec![]);
}

/// A room that has lost its memory pokes every lobby, and a call is what cannot wait. So is one that came about in the same turn as a picture.
#[test]
fn lobbies_with_called_people_are_told_first() {
    let mut office = Office::new(2);
    office.join(3, 1);
    office.join(2, 1);
    for lobby in [0, 1, 4] {
        office.join(lobby, 1);
    }
    office.settle();
    office.usher();
    assert_eq!(lobbies(&office.pushes()), [2, 3]);
    office.wakes();
    assert_eq!(lobbies(&office.pushes()), [2, 3, 0, 1, 4]);
}

#[test]
fn c48_one_push_at_a_time_to_a_lobby() {
    let mut office = Office::new(3);
    office.join(0, 3);
    office.join(1, 3);
    office.settle();
    office.usher();
    let first = office.pushes();
    assert_eq!(lobbies(&first), [0]);
    for number in 1..=3 {
        office.wait(400);
        office.leaves(number);
        let pushes = office.pushes();
        assert!(!lobbies(&pushes).contains(&0), "a second push in flight");
    }
    // What happened meanwhile goes when it came back; the other lobby never waited.
    office.arrived(&first);
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0]);
    assert_eq!(said(&pushes[0]), ["1 over", "2 over", "3 over"]);
}

/// A push that never ends is that lobby's alone: batons go on from hand to hand in another.
#[test]
fn c48_a_lobby_that_hangs_holds_up_nobody_elses_baton() {
    let mut office = Office::new(1);
    office.join(0, 1);
    office.join(1, 3);
    office.settle();
    office.usher();
    assert_eq!(lobbies(&office.pushes()), [0], "it hangs from here on");
    for number in 1..=3 {
        office.wait(1);
        office.leaves(number);
        let pushes = office.pushes();
        assert_eq!(lobbies(&pushes), [1]);
        assert!(said(&pushes[0]).contains(&format!("{} called", number + 1)));
        office.arrived(&pushes);
    }
}

/// A lobby that comes back in the middle of a call must hear of it in time.
#[test]
fn c48_the_pause_after_a_lost_push_is_shorter_than_a_call() {
    for claim_within_ms in [1_000, 4_000, 30_000, 600_000] {
        let mut office = Office::new(1);
        office.set_claim_within(claim_within_ms);
        office.join(0, 1);
        office.settle();
        office.usher();
        for failures in 0..8 {
            let pushes = office.pushes();
            assert_eq!(lobbies(&pushes), [0], "after {failures} failures");
            office.lost(&pushes);
            let due = office.courier.due_at(&office.room).expect("it is tried again");
            let pause_ms = due.since_ms(office.now);
            assert!(pause_ms * 2 <= claim_within_ms, "{pause_ms} of {claim_within_ms}");
            office.wait(pause_ms);
        }
    }
}

#[test]
fn c48_a_lost_push_is_repeated_with_growing_pauses_and_says_everything_again() {
    let mut office = Office::new(2);
    office.join(0, 4);
    office.settle();
    office.usher();
    let mut pushes = office.pushes();
    assert_eq!(said(&pushes[0]), ["1 called", "2 called"]);
    for failures in 0..8_u32 {
        office.lost(&pushes);
        let pause_ms = (RETRY_MS << failures.min(4)).min(office.claim_within_ms() / 2);
        let due = office.courier.due_at(&office.room);
        let wanted = Some(office.now.plus_ms(pause_ms));
        assert_eq!(due, wanted, "after {failures} failures");
        office.wait(pause_ms - 1);
        assert_eq!(office.pushes(), [], "too early after {failures} failures");
        assert_eq!(office.courier.unreached(), 1);
        office.wait(1);
        pushes = office.pushes();
        assert_eq!(lobbies(&pushes), [0], "after {failures} failures");
        assert_eq!(said(&pushes[0]), ["1 called", "2 called"], "everything");
    }
    office.arrived(&pushes);
    assert_eq!(office.courier.unreached(), 0);
    assert_eq!(office.pushes(), []);
    // One that arrived clears the pauses.
    office.leaves(1);
    let pushes = office.pushes();
    office.lost(&pushes);
    office.wait(RETRY_MS);
    assert_eq!(lobbies(&office.pushes()), [0]);
}

/// A push that is cut off with the room's own memory of it is not waited for for ever.
#[test]
fn a_push_in_flight_arms_an_alarm() {
    let mut office = Office::new(1);
    office.join(0, 1);
    office.settle();
    office.usher();
    assert_eq!(office.pushes().len(), 1);
    let due = office.courier.due_at(&office.room);
    let latest = office.now.plus_ms(PUSH_TIMEOUT_MS + RETRY_MS);
    assert_eq!(due, Some(latest));
}

/// What a message tells counts from what the lobby acknowledged, not from what was sent.
#[test]
fn a_change_is_told_until_it_is_acknowledged() {
    let mut office = Office::new(2);
    office.join(0, 3);
    office.settle();
    let acknowledged = office.lobbies[&0].since;
    office.usher();
    let lost = office.pushes();
    office.lost(&lost);
    office.leaves(1);
    office.wait(RETRY_MS);
    let pushes = office.pushes();
    assert_eq!(message(&pushes[0]).since, acknowledged);
    assert_eq!(said(&pushes[0]), ["1 over", "2 called", "3 called"]);
    office.arrived(&pushes);
    office.leaves(2);
    let pushes = office.pushes();
    assert_eq!(said(&pushes[0]), ["2 over"]);
    assert_eq!(message(&pushes[0]).since, message(&lost[0]).version.max(office.lobbies[&0].since));
}

/// The answer to a batch says all that a push would: no push repeats it.
#[test]
fn an_answer_saves_the_push() {
    let mut office = Office::new(1);
    office.join(0, 2);
    office.settle();
    office.wait(10);
    office.usher();
    let answer = office.batch(0, vec![]);
    assert_eq!(crate::office::words(&answer.changes), ["1 called"]);
    assert_eq!(office.pushes(), []);
}

/// A lobby that was not reached for long and speaks again is told at once.
#[test]
fn a_batch_ends_the_pause_of_a_lobby_that_was_not_reached() {
    let mut office = Office::new(1);
    office.join(0, 3);
    office.settle();
    office.usher();
    for _ in 0..5 {
        let pushes = office.pushes();
        assert_eq!(lobbies(&pushes), [0]);
        office.lost(&pushes);
        let due = office.courier.due_at(&office.room).expect("a pause");
        office.now = due;
    }
    let pushes = office.pushes();
    office.lost(&pushes);
    office.batch(0, vec![]);
    assert_eq!(office.courier.unreached(), 0);
    office.leaves(1);
    assert_eq!(lobbies(&office.pushes()), [0]);
}

/// A poll that is held there would wait in vain, and nothing else may ever wake the room.
#[test]
fn a_reset_pokes_every_lobby_that_is_known_until_it_says_hello() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.join(1, 1);
    let pushes = office.pushes();
    pushes.iter().for_each(|push| office.arrives(push, false));
    assert_eq!(office.pushes(), []);
    office.turn(|room, _, row| assert_eq!(room.reset("desk", row), Edition(2)));
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0, 1]);
    assert!(pushes.iter().all(|push| said(push) == ["poke"]));
    let due_at = office.courier.due_at(&office.room);
    assert!(due_at.is_some_and(|at| at > office.now), "until they do");
    office.arrived(&pushes);
    let knew = office.lobbies[&0].since;
    let welcome = office.hello(0, 1, Some(knew));
    assert_eq!(welcome.message.gist.edition, Edition(2));
    assert_eq!(welcome.list.expect("a list").tickets, []);
    office.wait(PUSH_TIMEOUT_MS);
    assert_eq!(lobbies(&office.pushes()), [0, 1], "0 has shown no sign yet");
}

/// The picture waits for a tick; settings and the operator's words do not, where somebody looks on.
#[test]
fn settings_are_announced_where_somebody_watches() {
    let mut office = Office::new(0);
    office.join(0, 1);
    office.join(1, 1);
    let pushes = office.pushes();
    for push in &pushes {
        office.arrives(push, push.lobby == LobbyId(0));
    }
    let config = baton::facts::config::RoomConfig {
        message: Notice::of("hello"),
        ..office.room.config().clone()
    };
    office.turn(|room, _, row| room.configure(&config, row));
    let pushes = office.pushes();
    assert_eq!(lobbies(&pushes), [0]);
    assert_eq!(message(&pushes[0]).message.any, "hello");
}

/// It does not know what the life has heard to which that was said.
#[test]
fn what_another_life_acknowledges_is_told_again() {
    let mut office = Office::new(1);
    office.join(0, 1);
    office.settle();
    office.usher();
    let pushes = office.pushes();
    let heard = Heard {
        life: LobbyLife(9),
        acknowledged: Some(office.room.version()),
        is_watched: true,
        lanes: u8::MAX,
    };
    office.courier.finished(office.now, &pushes[0], Some(heard));
    office.wait(PUSH_TIMEOUT_MS - 1);
    assert_eq!(office.pushes(), [], "it may say Hello by itself");
    office.wait(1);
    let pushes = office.pushes();
    assert_eq!(said(&pushes[0]), ["1 called"]);
}

/// Random weather: whatever is lost, everything arrives in the end, and never two at once.
#[test]
fn everything_arrives_in_the_end() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut office = Office::new(4);
        let mut flying: BTreeMap<LobbyId, Push> = BTreeMap::new();
        for lobby in 0..3 {
            office.join(lobby, 1);
        }
        for step in 0..700 {
            office.wait(rng.u64(0..500));
            match rng.u8(0..5) {
                _ if step > 300 => {}
                0 => {
                    let lobby = rng.u16(0..3);
                    let join = wishes::join(&office.room, 1);
                    office.turn(|room, now, row| room.perform(now, &join, LobbyId(lobby), row));
                }
                1 => office.usher(),
                2 if rng.u8(0..4) == 0 => {
                    let lobby = rng.u16(0..3);
                    drop(office.batch(lobby, vec![]));
                }
                _ => {
                    let fence = Fence(rng.u64(0..=office.room.permits().last_fence().0));
                    let release = Command::Release(fence);
                    office.turn(|room, now, row| room.perform(now, &release, LobbyId(0), row));
                }
            }
            for push in office.pushes() {
                let before = flying.insert(push.lobby, push);
                assert!(before.is_none(), "seed {seed}: two pushes in flight");
            }
            let landing: Vec<LobbyId> = flying.keys().copied().filter(|_| rng.bool()).collect();
            for lobby in landing {
                let push = flying.remove(&lobby).expect("in flight");
                match step < 300 && rng.u8(0..3) == 0 {
                    true => office.lost(&[push]),
                    false => office.arrives(&push, true),
                }
            }
        }
        for lobby in office.room.book().lobbies() {
            let newest = office.room.book().newest_change(lobby);
            let heard = office.lobbies[&lobby.0].since;
            assert!(newest <= heard, "seed {seed}: {lobby} misses {newest}");
        }
        assert_eq!(office.courier.untold(&office.room), 0);
        assert!(office.room.version() > Version(60), "hardly anything happened");
    }
}
