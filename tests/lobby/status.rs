//! Status: what a visitor is told of the line, and when.

use super::hall::{Hall, STATUS};
use baton::room::command::Message;
use baton::room::config::Mode;
use baton::units::Instant;
use baton::wire::{State, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn ahead_never_rises_whatever_the_order_of_frames_and_answers() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut hall = Hall::new(2);
        let mut kept: Vec<Message> = vec![];
        let mut least = [u64::MAX; 300];
        for visitor in 0..220 {
            hall.begin(visitor, Wish::Join);
        }
        hall.round();
        for step in 0..60 {
            hall.wait(rng.u64(0..4_000));
            match rng.u8(0..6) {
                0 => {
                    let visitor = 220 + step;
                    hall.begin(visitor, Wish::Join);
                    hall.round();
                }
                1 => hall.usher(),
                2 => {
                    let visitor = rng.u32(0..220);
                    hall.ask(visitor, Wish::Leave);
                }
                3 => {
                    let visitor = rng.u32(0..220);
                    hall.ask(visitor, STATUS);
                }
                _ => kept.push(hall.message()),
            }
            if !kept.is_empty() && rng.bool() {
                let message = kept.swap_remove(rng.usize(0..kept.len()));
                hall.pushed(&message);
            }
            for visitor in 0..300 {
                let Some(ahead) = hall.ahead(visitor) else {
                    continue;
                };
                let shown = &mut least[visitor as usize];
                assert!(
                    ahead <= *shown,
                    "seed {seed}: {visitor} had {shown}, has {ahead}"
                );
                *shown = ahead;
            }
        }
    }
}

#[test]
fn a_missed_call_raises_nobodys_ahead() {
    let mut hall = Hall::new(1);
    for visitor in 1..=5 {
        hall.join(visitor);
    }
    hall.push();
    hall.ask(1, Wish::Leave);
    hall.ask(2, Wish::Leave);
    hall.push();
    assert_eq!(hall.ahead(3), Some(0));
    hall.usher_and_push();
    assert_eq!(hall.state(3), State::Called);
    hall.wait(30_000);
    hall.usher();
    // The notice comes without a frame.
    hall.push_bare();
    assert_eq!((hall.state(3), hall.ahead(3)), (State::Waiting, Some(0)));
}

/// What a frame showed is not stored: a new life does not fall back on what was.
#[test]
fn a_new_life_shows_no_ahead_but_the_rooms_own() {
    let mut hall = Hall::new(1);
    for visitor in 1..=5 {
        hall.join(visitor);
    }
    hall.save();
    hall.ask(1, Wish::Leave);
    hall.push();
    assert_eq!(hall.ahead(5), Some(3));
    hall.dies();
    assert_eq!(hall.ahead(5), None);
    // A notice confirms the ticket and says nothing of those in front.
    hall.usher();
    hall.push_bare();
    hall.wait(30_000);
    hall.usher();
    hall.push_bare();
    assert_eq!((hall.state(2), hall.ahead(2)), (State::Waiting, None));
    assert_eq!(hall.ask(5, STATUS).status.ahead, Some(3));
}

#[test]
fn a_frame_that_comes_late_to_a_new_life_shows_nobody_more_people_than_before() {
    let mut hall = Hall::new(1);
    for visitor in 1..=5 {
        hall.join(visitor);
    }
    hall.save();
    let late = hall.message();
    hall.ask(1, Wish::Leave);
    hall.push();
    assert_eq!(hall.ahead(5), Some(3));
    hall.dies();
    hall.pushed(&late);
    assert_eq!(hall.ahead(5), None);
    assert_eq!(hall.ask(5, STATUS).status.ahead, Some(3));
}

#[test]
fn the_wait_is_a_range_that_is_told_when_it_was_measured() {
    let mut hall = Hall::new(1);
    for visitor in 1..=12 {
        hall.join(visitor);
    }
    let before = hall.status(12);
    assert_eq!((before.eta_min_s, before.eta_max_s), (None, None));
    for visitor in 1..=6 {
        hall.wait(2_000);
        hall.usher_and_push();
        let fence = hall.ask(visitor, Wish::Claim).lease.unwrap().fence;
        hall.ask(visitor, Wish::Release(fence));
    }
    hall.push();
    let status = hall.status(12);
    let (least, most) = (status.eta_min_s.unwrap(), status.eta_max_s.unwrap());
    assert!(
        least >= 1 && least < most && most < 120,
        "{least} to {most}"
    );
    assert_eq!(status.poll_after_s, (least / 8).clamp(2, 20));
}

#[test]
fn the_room_is_looked_at_when_its_word_is_old() {
    let mut hall = Hall::new(1);
    assert!(hall.lobby.must_look(hall.now));
    hall.join(1);
    assert!(!hall.lobby.must_look(hall.now));
    hall.wait(4_999);
    assert!(!hall.lobby.must_look(hall.now));
    hall.wait(1);
    assert!(hall.lobby.must_look(hall.now));
    hall.push();
    assert!(!hall.lobby.must_look(hall.now));
}

#[test]
fn nothing_to_do_means_no_alarm() {
    let mut hall = Hall::new(0);
    assert_eq!(hall.lobby.due_at(), None);
    hall.join(1);
    hall.open(1);
    hall.push();
    while let Some(due) = hall.lobby.due_at() {
        assert!(due < Instant(1_100_000), "ever and ever: {due}");
        hall.now = due.max(hall.now);
        hall.tick();
        hall.save();
        hall.lobby.frame_to_send(hall.now);
        hall.rounds();
    }
    hall.close(1);
    assert!(hall.lobby.due_at().is_some(), "may go away");
}

#[test]
fn frames_go_out_once_a_tick_and_only_when_somebody_looks() {
    let mut hall = Hall::new(0);
    hall.join(1);
    hall.push();
    assert_eq!(hall.lobby.frame_to_send(hall.now), None);
    hall.open(1);
    assert!(hall.lobby.frame_to_send(hall.now).is_some());
    hall.join(2);
    hall.push();
    assert_eq!(hall.lobby.frame_to_send(hall.now), None, "within the tick");
    hall.wait(1_000);
    assert!(hall.lobby.frame_to_send(hall.now).is_some());
    hall.wait(1_000);
    assert_eq!(hall.lobby.frame_to_send(hall.now), None, "nothing new");
}

#[test]
fn a_change_of_mode_is_told_to_everybody() {
    let mut hall = Hall::new(1);
    hall.join(1);
    hall.configure(1, false, Mode::Paused);
    let message = hall.message();
    let delivered = hall.lobby.pushed(hall.now, &message);
    assert!(delivered.everybody);
    assert!(!hall.lobby.pushed(hall.now, &message).everybody, "once");
}
